"""Check that the backends still play the same, as fast as before. Exit code 1 if not.

    python -m bench.gate             compare with bench/figures.json
    python -m bench.gate --update    measure, and rewrite that file

First the exact checks: the signature of what is played, agreement of the backends, no allocation in any step, the
modules that an import loads. Then budgets, relative to this machine: compile time relative to that of the yardsticks
(`mextrain.benchmark.yardsticks`), a process that imports the package relative to one that does nothing. Last the speed:
the time of a turn relative to that of a step of a yardstick with similar instructions, minima of alternating runs in
one process. So the figures do not depend on how fast or busy the machine is, but on the kind of processor; they are
kept by processor.

A process can be slow by chance (other processes, memory layout), so there are several attempts, and the best of each
figure counts. A backend that is really slower is slower in all of them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Any

from mextrain.benchmark.machine import cpu_name

ROOT = Path(__file__).resolve().parents[1]
FIGURES = Path(__file__).with_name("figures.json")

TOLERANCE = 1.15
"""A turn may take this many times its committed figure."""

ROOM = 1.5
"""Budgets are this many times the measured values."""

ATTEMPTS = 5

Measure = Callable[[str], Any]
"""Runs a gauge of `bench.gauges` by name."""


class Gauges:
    """Runs each gauge in a separate process, all with the same cache of compiled code, which is empty at first.

    `compiling` fills it, so it comes first. Figures that cannot change are measured once.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._known: dict[str, Any] = {}
        self("compiling")

    def __call__(self, name: str) -> Any:
        """Return the result of the gauge; `throughput` is measured again each time."""
        if name not in self._known or name == "throughput":
            command, cache = [sys.executable, "-m", "bench.gauges", name], {"MEXTRAIN_CACHE_DIR": self._folder}
            done = subprocess.run(command, env={**os.environ, **cache}, cwd=ROOT, check=True, stdout=subprocess.PIPE)
            self._known[name] = json.loads(done.stdout)
        return self._known[name]


def compile_times(seconds: Mapping[str, float]) -> dict[str, float]:
    """Compile times as multiples of those of the yardsticks."""
    return {name: taken / seconds["yardsticks"] for name, taken in seconds.items() if name != "yardsticks"}


def exact_faults(figures: Mapping[str, Any], measure: Measure) -> Iterator[str]:
    """The exact checks that fail."""
    signature = measure("signature")
    if signature != figures["signature"]:
        yield f"the signature is {signature}, not {figures['signature']}: the backend plays something else than before"
    for name, count in measure("allocations").items():
        if count:
            yield f"{name}: {count} allocations"
    for name in measure("throughput")["disagreements"]:
        yield f"{name}: two backends played the same games and have different hashes"
    for name in measure("start")["modules"]:
        if name not in figures["modules"]:
            yield f"import mextrain loads {name}, which it did not before"


def budget_faults(figures: Mapping[str, Any], measure: Measure) -> Iterator[str]:
    """The figures that exceed their budget."""
    for name, times in compile_times(measure("compiling")).items():
        if times > figures["compile_budgets"][name]:
            yield f"{name}: compiling takes {times:.2f} times as long as the yardsticks, {_budget(figures, name)}"
    times = measure("start")["import_times"]
    if times > figures["import_budget"]:
        yield f"import mextrain takes {times:.2f} times as long as a bare Python, budget {figures['import_budget']}"


def _budget(figures: Mapping[str, Any], name: str) -> str:
    return f"budget {figures['compile_budgets'][name]}"


def speed_faults(
    wanted: Mapping[str, float], measure: Measure, attempts: int = ATTEMPTS, tell: Callable[[str], object] = print
) -> Iterator[str]:
    """The figures that are exceeded in all attempts; stops measuring when there are none."""
    best: dict[str, float] = {}
    slow: list[str] = []
    for attempt in range(1, attempts + 1):
        for name, ratio in measure("throughput")["ratios"].items():
            best[name] = min(ratio, best.get(name, ratio))
        slow = [name for name, figure in wanted.items() if best.get(name, 0) > figure * TOLERANCE]
        shown = (f"{name} {best[name]:.3f} ({best[name] / wanted[name]:.0%})" for name in wanted if name in best)
        tell(f"speed, attempt {attempt}, in steps of the yardstick (part of the figure): {', '.join(shown)}")
        if not slow:
            return
    for name in slow:
        allowed = wanted[name] * TOLERANCE
        yield f"{name}: a turn takes {best[name]:.3f} steps of the yardstick, more than {allowed:.3f}"


def judge(figures: Mapping[str, Any], cpu: str, measure: Measure) -> list[str]:
    """Return all faults; if exact checks fail, only those, because the speed of different play means nothing."""
    exact = list(exact_faults(figures, measure))
    if exact:
        return exact
    faults = list(budget_faults(figures, measure))
    wanted = figures["speed"].get(cpu)
    if wanted is None:
        print(f"speed: no figures for {cpu}; python -m bench.gate --update adds them")
        return faults
    return faults + list(speed_faults(wanted, measure))


def updated(figures: Mapping[str, Any], cpu: str, measure: Measure) -> dict[str, Any]:
    """Return the current figures; those of other processors are kept."""
    samples = [measure("throughput")["ratios"] for _ in range(ATTEMPTS)]
    speed = {name: round(median(sample[name] for sample in samples), 3) for name in samples[0]}
    start = measure("start")
    compiling = {name: round(times * ROOM, 1) for name, times in compile_times(measure("compiling")).items()}
    return {
        "signature": measure("signature"),
        "modules": start["modules"],
        "compile_budgets": compiling,
        "import_budget": round(start["import_times"] * ROOM, 1),
        "speed": {**figures.get("speed", {}), cpu: speed},
    }


def committed() -> dict[str, Any]:
    """The committed figures; empty if there are none yet."""
    figures: dict[str, Any] = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}
    return figures


def update() -> None:
    """Rewrite the figures."""
    with tempfile.TemporaryDirectory() as folder:
        figures = updated(committed(), cpu_name(), Gauges(folder))
    FIGURES.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def main() -> int:
    """Run the gate, or write the figures."""
    parser = argparse.ArgumentParser(prog="bench.gate", description="Is the backend still what it was, and as fast?")
    parser.add_argument("--update", action="store_true", help="write bench/figures.json anew; read the difference")
    args = parser.parse_args()
    if args.update:
        update()
        return 0
    with tempfile.TemporaryDirectory() as folder:
        faults = judge(committed(), cpu_name(), Gauges(folder))
    for fault in faults:
        print(f"gate: {fault}", file=sys.stderr)
    print("gate: shut" if faults else "gate: open")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
