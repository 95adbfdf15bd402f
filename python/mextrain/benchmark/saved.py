"""A measurement as a file, and how a new one on the same machine differs from it (docs/performance.md).

Two runs at different times cannot be compared by their times: the machine may have been slower during one of them. So
both are measured in steps of a yardstick, a program that never changes and is timed before every repeat.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, stdev
from typing import Any

from mextrain._support.files import whole_file
from mextrain.benchmark.runs import Effort, Job, Run
from mextrain.errors import MextrainError, shown
from mextrain.game.rules import RuleSet

SAVED_FORMAT = "mextrain-bench-saved/1"

MACHINE = ("cpu", "code_for", "platform", "usable_processors", "numba", "llvmlite")
"""What must be equal in both environments: otherwise the yardstick is another program, or runs on another machine."""

FEWEST_PROCESSES = 5
"""With fewer processes their spread says nothing."""

ERRORS = 4
DRIFT = 0.05
"""The interval is four standard errors, by the spread between processes, and 5 % wide on each side: so much can a whole
run differ from another one of the same code. Decision 0025 has the measurement."""


@dataclass(frozen=True)
class Saved:
    """A measurement that was saved: its environment, effort, jobs and runs (`Run.to_dict`)."""

    environment: dict[str, Any]
    effort: Effort
    jobs: tuple[Job, ...]
    runs: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Change:
    """How fast a backend is now, as a multiple of its saved speed, with an interval; `verdict` is one of `VERDICTS`.

    `job` is its text. `saved_ns` and `ns` are the times of a turn as measured, which the machine's speed at the time
    affects; `times` is free of that.
    """

    job: str
    backend: str
    saved_ns: float
    ns: float
    times: float
    low: float
    high: float
    verdict: str


NO_DIFFERENCE, FASTER, SLOWER, OTHER_GAMES = VERDICTS = ("no difference", "faster", "slower", "plays other games")


def save(path: Path, environment: dict[str, Any], effort: Effort, jobs: Sequence[Job], runs: Sequence[Run]) -> None:
    """Write a measurement with yardsticks to `path`; an existing file is replaced. Raises `OSError`."""
    games = {(RuleSet.from_dict(run.rules), run.policy): run.games for run in runs}
    found = {
        "format": SAVED_FORMAT,
        "environment": environment,
        "effort": asdict(effort),
        "jobs": [
            {
                "rules": dict(job.rules.to_dict()),
                "policies": list(job.names),
                "backend": job.backend,
                "games": games[job.rules, job.policy],
            }
            for job in jobs
        ],
        "runs": [run.to_dict() for run in runs],
    }
    with whole_file(path) as file:
        file.write((json.dumps(found, indent=1) + "\n").encode())


def load(path: Path) -> Saved:
    """Read what `save` wrote. Raises `MextrainError` for any other file, and `OSError` if it cannot be read."""
    try:
        found = json.loads(path.read_bytes())
        if found["format"] != SAVED_FORMAT:
            raise ValueError
        jobs = tuple(
            Job(RuleSet.from_dict(job["rules"]), job["policies"], 1, job["backend"], int(job["games"]))
            for job in found["jobs"]
        )
        saved = Saved(dict(found["environment"]), Effort(**found["effort"]), jobs, tuple(found["runs"]))
        for run in saved.runs:
            spread([float(step) for step in run["steps_per_turn"]])
            run["hash"], run["backend"], float(run["ns_per_turn"])
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError):
        wanted = "a file that mextrain bench --save wrote"
        raise MextrainError(f"{shown(str(path))} is not a saved measurement: expected {wanted}") from None
    return saved


def check_machine(saved: dict[str, Any], here: dict[str, Any]) -> None:
    """Raise `MextrainError` if a measurement with the environment `saved` cannot be compared with one made `here`."""
    for name in MACHINE:
        if saved.get(name) != here[name]:
            was, now = shown(saved.get(name)), shown(here[name])
            raise MextrainError(
                f"the saved measurement has {name} {was}, and this machine {now}: compare on the machine that saved it"
            )


def spread(steps: Sequence[float]) -> tuple[float, float]:
    """Return the median and its standard error of the logarithms of times, one for each process."""
    logs = [math.log(step) for step in steps]
    return median(logs), 1.25 * stdev(logs) / math.sqrt(len(logs))


def change(saved: Sequence[float], now: Sequence[float]) -> tuple[float, float, float]:
    """Return how many times as fast it is now, and the ends of the interval; arguments are `Run.steps_per_turn`."""
    (before, error), (after, other) = spread(saved), spread(now)
    half = ERRORS * math.hypot(error, other) + DRIFT
    return math.exp(before - after), math.exp(before - after - half), math.exp(before - after + half)


def changes(saved: Saved, jobs: Sequence[Job], runs: Sequence[Run]) -> list[Change]:
    """Return what differs between a saved measurement and a new one of the same jobs, by job and backend."""
    names = {(job.rules, job.policy): str(job) for job in jobs}
    then = {(RuleSet.from_dict(run["rules"]), run["policy"], run["backend"]): run for run in saved.runs}
    found = []
    for run in runs:
        key = RuleSet.from_dict(run.rules), run.policy
        before = then.get((*key, run.backend))
        if before is None:
            continue
        times, low, high = change(before["steps_per_turn"], run.steps_per_turn)
        verdict = FASTER if low > 1 else SLOWER if high < 1 else NO_DIFFERENCE
        if before["hash"] != run.hash:
            verdict = OTHER_GAMES
        found.append(Change(names[key], run.backend, before["ns_per_turn"], run.ns_per_turn, times, low, high, verdict))
    return found
