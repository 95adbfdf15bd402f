"""Measures everything and writes bench/history.jsonl, bench/figures.json, and the figures in docs/performance.md and
README.md.

    python -m bench.record             about ten minutes, on an idle machine
    python -m bench.record --quick     a minute, as a test: only prints a line to stdout
    python -m bench.record --redraw    only rewrite tables and pictures, from the last line of the history
    python -m bench.record --peers PYTHON    only other libraries (bench/peers.py), with a Python that has them

The history is append-only; a line has the machine, the versions and all figures of one run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench import gate, page, peers, plots
from bench.checker import play_plainly
from bench.instructions import instructions
from bench.scaling import scaling
from mextrain import Position, RuleSet
from mextrain.benchmark import FULL, QUICK, STANDARD, Job, environment, measure, starts
from mextrain.benchmark.machine import cpu_name

ROOT = Path(__file__).resolve().parents[1]
HISTORY = ROOT / "bench" / "history.jsonl"
PEERS = ROOT / "bench" / "peers.json"
PAGES = (ROOT / "docs" / "performance.md", ROOT / "README.md")
PICTURES = ROOT / "docs" / "pictures"

FORMAT = "mextrain-bench/1"
TABLES = (2, 3, 4, 5, 6, 8, 10, 12, 14)
SWEEP = tuple(Job(RuleSet.preset(preset, players=players)) for preset in ("mexican", "super") for players in TABLES)
"""The jobs in the picture of speed by players."""

PLAYED = 30
"""Number of rounds played in a Python loop."""

PIECES = ("bits", "deal", "movegen", "apply", "rollout", "lockstep", "playouts", "hidden", "simulate", "archive")
"""The files of benchmarks whose figures are recorded."""


def tell(what: str) -> None:
    """Print progress."""
    print(time.strftime("%H:%M:%S"), what, file=sys.stderr, flush=True)


def pieces(quick: bool) -> dict[str, dict[str, float]]:
    """Run the benchmarks of the parts by CPU time; returns the result of each, by name."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "benchmarks.json")
        options = ["--benchmark-timer=time.process_time", f"--benchmark-json={file}", "-p", "no:cacheprovider"]
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", *(f"bench/test_{name}.py" for name in PIECES), *options],
            env={**os.environ, "MEXTRAIN_BENCH": "smoke" if quick else "full"},
            cwd=ROOT,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        found = json.loads(file.read_text(encoding="utf-8"))["benchmarks"]
    return {f"{Path(one['fullname']).stem.partition('::')[0]}: {one['name']}": one["extra_info"] for one in found}


def today() -> str:
    """The date, in UTC."""
    return time.strftime("%Y-%m-%d", time.gmtime())


def commit() -> str | None:
    """The measured commit, with a + if files differ from it; None outside a repository."""
    try:
        command = ["git", "describe", "--always", "--dirty=+", "--abbrev=12", "--exclude=*"]
        return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def measured(quick: bool) -> dict[str, Any]:
    """Measure everything; returns a line of the history, and the new figures of the gate under `figures`."""
    full, some = (QUICK, QUICK) if quick else (replace(FULL, processes=5), replace(QUICK, repeats=7, seconds=0.04))
    tell("all backends on the standard games")
    line: dict[str, Any] = {
        "format": FORMAT,
        "date": today(),
        "commit": commit(),
        "environment": environment(),
        "runs": [run.to_dict() for run in measure(STANDARD, full, tell)],
        "starts": starts(),
    }
    tell("all backends by players")
    line["sweep"] = [run.to_dict() for run in measure(SWEEP[:2] if quick else SWEEP, some, tell)]
    tell("the plain rulebook")
    plain = play_plainly(STANDARD[0].rules, 1 if quick else 5)
    assert plain.checked, "the plain rulebook and the backend play differently"
    line["plain_python"] = {"rounds": plain.rounds, "turns_per_second": plain.turns_per_second}
    tell("the parts")
    line["pieces"] = pieces(quick)
    tell("workers and numbers of rounds")
    line["scaling"] = scaling(quick)
    tell("instructions")
    line["instructions"] = {} if quick else instructions()
    return line


WHAT = ("preset", "players", "policy", "backend", "workers", "games", "hash", "turns_per_second", "ratio_to_c")
MORE = (
    *("turns", "ns_per_turn", "plays_per_second", "decisions_per_second", "rounds_per_second", "seconds"),
    *("seconds_median", "compile_seconds", "first_call_seconds", "peak_memory_bytes", "bytes_per_game"),
)
"""The figures that the history keeps of each run, and of runs of the standard games."""


def slim(line: Mapping[str, Any]) -> dict[str, Any]:
    """The line with rounded numbers, and without derivable figures."""
    kept = {"runs": WHAT + MORE, "sweep": WHAT}
    rows = {name: [{key: run[key] for key in fields} for run in line[name]] for name, fields in kept.items()}
    result: dict[str, Any] = _rounded({**line, **rows})
    return result


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, Mapping):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, Sequence) and not isinstance(value, str) else value


def python_loop() -> dict[str, Any]:
    """The row of this library for a Python loop that asks for the legal moves and plays one, as for the peers."""
    chance, rates, moves = random.Random(1), [], 0
    for _ in range(peers.REPEATS):
        began, moves = time.process_time(), 0
        for game in range(PLAYED):
            position = Position.deal(STANDARD[0].rules, seed=1, game=game)
            while not position.over:
                position.play(chance.choice(position.legal_moves()))
                moves += 1
        rates.append(moves / (time.process_time() - began))
    what = {"library": "mextrain", "game": "one round", "players": STANDARD[0].rules.players, "way": "Python loop"}
    return {**what, "actions_per_game": moves / PLAYED, "actions_per_second": max(rates)}


def measure_peers(python: str) -> None:
    """Measure other libraries with a Python that has them, and this one in the same way; write bench/peers.json."""
    done = subprocess.run([python, "bench/peers.py"], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    found = {"date": today(), "cpu": cpu_name(), **json.loads(done.stdout)}
    found["rows"].append(python_loop())
    PEERS.write_text(json.dumps(_rounded(found), indent=1) + "\n", encoding="utf-8")


def last_line() -> dict[str, Any]:
    """The last line of the history."""
    line: dict[str, Any] = json.loads(HISTORY.read_text(encoding="utf-8").splitlines()[-1])
    return line


def redraw() -> None:
    """Write the tables and pictures of the pages from the last line of the history."""
    line, others = last_line(), json.loads(PEERS.read_text(encoding="utf-8"))
    PICTURES.mkdir(exist_ok=True)
    plots.draw_speed(line, PICTURES / "speed.svg")
    plots.draw_rounds(line, PICTURES / "rounds.svg")
    plots.draw_peers(line, others, PICTURES / "peers.svg")
    for path in PAGES:
        path.write_text(page.filled(path.read_text(encoding="utf-8"), line, others), encoding="utf-8")


def main() -> int:
    """Measure, append to the history, and rewrite the generated files."""
    parser = argparse.ArgumentParser(prog="bench.record", description="Measure everything and write it down.")
    parser.add_argument("--quick", action="store_true", help="small, and only print the line")
    parser.add_argument("--redraw", action="store_true", help="measure nothing")
    parser.add_argument("--peers", metavar="PYTHON", help="measure other libraries only, with this Python")
    args = parser.parse_args()
    if args.peers:
        measure_peers(args.peers)
    if args.redraw or args.peers:
        redraw()
        return 0
    line = slim(measured(args.quick))
    if args.quick:
        print(json.dumps(line))
        return 0
    with HISTORY.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")
    tell("the figures of the gate")
    gate.update()
    tell("tables and pictures")
    redraw()
    return 0


if __name__ == "__main__":
    sys.exit(main())
