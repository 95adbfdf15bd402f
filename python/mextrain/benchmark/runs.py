"""Starts the measuring processes and takes the minima."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from mextrain.bulk.backend import choose_backend
from mextrain.bulk.seat_policies import Seats
from mextrain.errors import InternalError
from mextrain.game.rules import RuleSet

METHOD = (
    "the backends play the same games in turns, in several processes; the minimum of all repeats of all processes; "
    "1 worker: CPU time of the thread, several: wall clock; deal, decisions, scoring and writing of results included, "
    "compiling not; result hashes compared between backends, repeats and processes"
)

SEED = 1

CHILD = ("-P", "-m", "mextrain.benchmark.child")
START = ("-P", "-c", "import mextrain; mextrain.simulate(mextrain.RuleSet.mexican(4), games=1)")
IMPORT = ("-P", "-c", "import mextrain")
NOTHING = ("-P", "-c", "")


@dataclass(frozen=True)
class Effort:
    """How long to measure: processes, repeats in each, and the approximate seconds of scalar play per repeat.

    `cold`: whether to compile everything into an empty cache as well, and time that. `yardstick`: whether to time a
    program that never changes before each repeat, so that the run can be compared with another one later.
    """

    processes: int
    repeats: int
    seconds: float
    cold: bool
    yardstick: bool = False


FULL = Effort(processes=3, repeats=5, seconds=0.1, cold=True)
QUICK = Effort(processes=2, repeats=3, seconds=0.02, cold=False)


@dataclass(frozen=True)
class Job:
    """What to measure: rules, the policy of every seat (or one for all), threads, and one backend or all (auto).

    `games`: how many to play in a repeat; None: as many as take the time of the effort.

    Raises `MextrainError` for a backend that cannot play this.
    """

    rules: RuleSet
    policies: str | Sequence[str] = "random"
    workers: int = 1
    backend: str = "auto"
    games: int | None = None

    def __post_init__(self) -> None:
        choose_backend(self.backend, self.rules, Seats.of(self.policies, self.rules.players), 0)

    @property
    def names(self) -> tuple[str, ...]:
        """The policies by seat."""
        return Seats.of(self.policies, self.rules.players).names

    @property
    def policy(self) -> str:
        """The policies as in a `Run`."""
        return _joined(self.names)

    def __str__(self) -> str:
        threads = "1 worker" if self.workers == 1 else f"{self.workers} workers"
        return f"{self.rules.preset_name}, {self.rules.players} players, {self.policy}, {threads}"


STANDARD = (
    Job(RuleSet.mexican(4)),
    Job(RuleSet.mexican(2)),
    Job(RuleSet.mexican(8)),
    Job(RuleSet.super(4)),
    Job(RuleSet.mexican(4), "heaviest"),
)
"""The jobs that are measured by default."""


@dataclass(frozen=True)
class Run:
    """The result of one backend on one job. Times are in seconds, rates are per second of the clock named in `clock`.

    `backend`: `scalar`, `lockstep`, or `c` for the C twin. `ratio_to_c`: speed relative to the twin in the same run, or
    None; then `ratio_note` says why. `first_call_seconds`: CPU time of a process's first game, with compiled code in
    the cache. `compile_seconds`: the same with an empty cache, None if that was not measured. `peak_memory_bytes`: that
    of the whole process, which plays all backends in turn. `bytes_per_game`: working memory of a running game.
    `result_bytes_per_game`: memory of its stored results. `ns_per_decision`: time of a decision, with everything that
    playing it takes. `steps_per_turn`: by process, the time of a turn in steps of the backend's yardstick, both the
    minimum of the process; empty if that was not measured.
    """

    preset: str
    players: int
    tile_set: str
    rules: dict[str, Any]
    policy: str
    backend: str
    workers: int
    clock: str
    seed: int
    games: int
    rounds: int
    turns: int
    plays: int
    decisions: int
    processes: int
    repeats: int
    seconds: float
    seconds_median: float
    turns_per_second: float
    plays_per_second: float
    decisions_per_second: float
    rounds_per_second: float
    games_per_second: float
    ns_per_turn: float
    ns_per_decision: float
    ratio_to_c: float | None
    ratio_note: str | None
    hash: str
    hash_checked: bool
    compile_seconds: float | None
    first_call_seconds: float
    peak_memory_bytes: int | None
    bytes_per_game: int
    result_bytes_per_game: int
    steps_per_turn: tuple[float, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the measurement as a JSON object."""
        return asdict(self)


def measure(jobs: Sequence[Job], effort: Effort, tell: Callable[[str], object] | None = None) -> list[Run]:
    """Measure all jobs with all backends that can play them; returns a `Run` for each job and backend.

    `tell` is called with a line of text before each process. Raises `InternalError` if hashes disagree.
    """
    with _cache(effort.cold) as folder:
        cold: list[dict[str, Any] | None] = [None] * len(jobs)
        if effort.cold:
            for i, job in enumerate(jobs):
                if tell:
                    tell(f"compiling: {job}")
                cold[i] = _sample(job, effort, games=None, repeats=0, folder=folder)
        samples: list[list[dict[str, Any]]] = [[] for _ in jobs]
        # Alternate between jobs, so that changes in the machine's speed affect all of them.
        for number in range(effort.processes):
            for job, taken in zip(jobs, samples, strict=True):
                if tell:
                    tell(f"measuring, process {number + 1} of {effort.processes}: {job}")
                games = taken[0]["games"] if taken else job.games
                taken.append(_sample(job, effort, games=games, repeats=effort.repeats, folder=folder))
    return [
        run for job, first, taken in zip(jobs, cold, samples, strict=True) for run in _runs(job, effort, first, taken)
    ]


def starts() -> dict[str, float]:
    """Time whole processes: Python alone, `import mextrain`, and one that plays a game with compiled code in the cache.

    CPU time, the minimum of three runs of each.
    """
    _run(START)
    programs = {"python_seconds": NOTHING, "import_seconds": IMPORT, "one_game_seconds": START}
    seconds = dict.fromkeys(programs, float("inf"))
    for _ in range(3):
        for name, program in programs.items():
            began = children_seconds()
            _run(program)
            seconds[name] = min(seconds[name], children_seconds() - began)
    return seconds


def children_seconds() -> float:
    """Return the CPU seconds of all finished child processes, or the time of day if the system does not track them."""
    try:
        import resource
    except ImportError:
        return time.perf_counter()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def _cache(cold: bool) -> Iterator[str | None]:
    """Yield a new, empty folder for compiled code, or None for the user's own."""
    if not cold:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="mextrain-bench-") as folder:
        yield folder


def _sample(job: Job, effort: Effort, games: int | None, repeats: int, folder: str | None) -> dict[str, Any]:
    order = {
        "rules": job.rules.to_dict(),
        "policies": job.names,
        "backend": job.backend,
        "workers": job.workers,
        "seed": SEED,
        "games": games,
        "repeats": repeats,
        "seconds": effort.seconds,
        "yardstick": effort.yardstick,
    }
    sample: dict[str, Any] = json.loads(_run(CHILD, json.dumps(order), folder))
    return sample


def _run(program: Sequence[str], stdin: str = "", folder: str | None = None) -> str:
    """Run Python on `program` with this process's path, and return its stdout; its stderr is passed through."""
    cache = {} if folder is None else {"MEXTRAIN_CACHE_DIR": folder}
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **cache}
    done = subprocess.run([sys.executable, *program], env=environment, input=stdin, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise InternalError(f"a process that should measure ended with status {done.returncode}; its message is above")
    return done.stdout


def _runs(job: Job, effort: Effort, cold: dict[str, Any] | None, samples: list[dict[str, Any]]) -> Iterator[Run]:
    hashes = {value for sample in samples for backend in sample["backends"].values() for value in backend["hashes"]}
    if len(hashes) != 1:
        by_backend = {name: sorted(set(backend["hashes"])) for name, backend in samples[0]["backends"].items()}
        raise InternalError(f"{job}: the same games gave different hashes, {by_backend}: please report this")
    (result,) = hashes
    rules, games, totals = job.rules, samples[0]["games"], samples[0]["totals"]
    rounds = games * rules.rounds
    times = {
        name: [seconds for sample in samples for seconds in sample["backends"][name]["times"]]
        for name in samples[0]["backends"]
    }
    peaks = [sample["peak_memory_bytes"] for sample in samples]
    for name, taken in times.items():
        best = min(taken)
        yield Run(
            preset=rules.preset_name,
            players=rules.players,
            tile_set=rules.tile_set,
            rules=dict(rules.to_dict()),
            policy=job.policy,
            backend=name,
            workers=job.workers,
            clock="CPU time of the thread" if job.workers == 1 else "wall clock",
            seed=SEED,
            games=games,
            rounds=rounds,
            **totals,
            processes=effort.processes,
            repeats=len(taken),
            seconds=best,
            seconds_median=median(taken),
            turns_per_second=totals["turns"] / best,
            plays_per_second=totals["plays"] / best,
            decisions_per_second=totals["decisions"] / best,
            rounds_per_second=rounds / best,
            games_per_second=games / best,
            ns_per_turn=best / totals["turns"] * 1e9,
            ns_per_decision=best / totals["decisions"] * 1e9,
            ratio_to_c=min(times["c"]) / best if "c" in times else None,
            ratio_note=samples[0]["missing"].get("c"),
            hash=result,
            hash_checked=len(taken) * len(times) > 1,
            compile_seconds=None if cold is None else cold["backends"][name]["first_call_seconds"],
            first_call_seconds=min(sample["backends"][name]["first_call_seconds"] for sample in samples),
            peak_memory_bytes=None if None in peaks else max(peaks),
            bytes_per_game=samples[0]["backends"][name]["bytes_per_game"],
            result_bytes_per_game=rules.rounds * (8 * rules.players + 28),
            steps_per_turn=tuple(_in_steps(sample["backends"][name], totals["turns"]) for sample in samples)
            if effort.yardstick
            else (),
        )


def _in_steps(backend: dict[str, Any], turns: int) -> float:
    return float(min(backend["times"]) / turns / min(backend["steps"]))


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(set(names)) == 1 else ",".join(names)
