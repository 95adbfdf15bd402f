"""How fast bulk play is, measured honestly (docs of each field: `Run` and `measure`).

* Cold and warm apart: the first call of the process is timed on its own; the timed runs come after it.
* With one worker the clock is the CPU time of the playing thread, so a busy machine does not matter; with several it
  is the wall clock, because that is what they are for.
* The time is the smallest of several repeats: everything that disturbs a run makes it longer.
* Nothing is left out: dealing, every decision, scoring, and the writing of points and counts to memory are in it.
* The hash of every repeat is compared with that of the same games played in other portions, outside of the clock.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from mextrain import __version__
from mextrain.errors import EngineError
from mextrain.processors import usable_processors
from mextrain.rounds import Rounds
from mextrain.rules import RuleSet
from mextrain.seats import Seats
from mextrain.seeding import STREAM
from mextrain.simulation import Player, check_workers, simulate

METHOD = (
    "minimum of the repeats; 1 worker: CPU time of the thread, several: wall clock; deal, decisions, scoring and "
    "writing of results included; hash compared with the same games played in other portions"
)

SEED = 1


@dataclass(frozen=True)
class Run:
    """One measurement. Times are in seconds, rates are per second of the clock named in `clock`."""

    preset: str
    players: int
    tile_set: str
    rules: dict[str, Any]
    policy: str
    engine: str
    workers: int
    clock: str
    seed: int
    games: int
    rounds: int
    turns: int
    plays: int
    decisions: int
    repeats: int
    seconds: float
    seconds_median: float
    turns_per_second: float
    plays_per_second: float
    decisions_per_second: float
    rounds_per_second: float
    games_per_second: float
    ns_per_turn: float
    ratio_to_c: float | None
    hash: str
    hash_checked: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the measurement as a JSON object."""
        return asdict(self)


def first_call(rules: RuleSet) -> dict[str, Any]:
    """Play one game as the first thing, and return how long that took and whether it had to compile.

    Call it before anything else has played in this process.
    """
    from mextrain_core._jit import kernel_counts

    began = time.perf_counter()
    simulate(rules, games=1)
    seconds = time.perf_counter() - began
    compiled, loaded = kernel_counts()
    is_cached = loaded and not compiled
    return {"first_call_seconds": seconds, "compiled_code": "loaded from the cache" if is_cached else "compiled"}


def cold_start() -> dict[str, float]:
    """Time a fresh process that plays one game with an empty cache of compiled code, and one that finds it there.

    Takes as long as compiling does, some ten seconds.
    """
    program = "import mextrain; mextrain.simulate(mextrain.RuleSet.mexican(4), games=1)"
    with tempfile.TemporaryDirectory() as folder:
        seconds = []
        for _ in range(2):
            began = time.perf_counter()
            environment = {**os.environ, "MEXTRAIN_CACHE_DIR": folder}
            subprocess.run([sys.executable, "-c", program], check=True, env=environment)
            seconds.append(time.perf_counter() - began)
    return {"process_empty_cache_seconds": seconds[0], "process_warm_cache_seconds": seconds[1]}


def measure(
    rules: RuleSet,
    *,
    policies: str | Sequence[str] = "random",
    workers: int | None = 1,
    seconds: float = 0.2,
    repeats: int = 7,
) -> Run:
    """Time bulk play of `rules`: `repeats` repeats of about `seconds` each.

    Raises `EngineError` if two runs of the same games disagree.
    """
    names = Seats.of(policies, rules.players).names
    workers = check_workers(workers)
    timer = _one_thread if workers == 1 else _threads
    play, clock = timer(rules, names, workers)
    games = _games_for(play, seconds)
    times, hashes = [], []
    for _ in range(repeats):
        taken, result = play(games)
        times.append(taken)
        hashes.append(result)
    # Another number of workers and shorter slices divide the games in another way.
    check = simulate(rules, games=games, seed=SEED, policies=names, workers=3 if workers == 1 else 1)
    if set(hashes) != {check.hash}:
        raise EngineError(f"the same games gave {sorted(set(hashes))} and {check.hash}: please report this")
    best = min(times)
    rounds = games * rules.rounds
    turns, plays, decisions = (
        int(counts.sum(dtype=np.int64)) for counts in (check.turns, check.plays, check.decisions)
    )
    return Run(
        preset=rules.preset_name,
        players=rules.players,
        tile_set=rules.tile_set,
        rules=dict(rules.to_dict()),
        policy=names[0] if len(set(names)) == 1 else ",".join(names),
        engine="scalar",
        workers=workers,
        clock=clock,
        seed=SEED,
        games=games,
        rounds=rounds,
        turns=turns,
        plays=plays,
        decisions=decisions,
        repeats=repeats,
        seconds=best,
        seconds_median=float(np.median(times)),
        turns_per_second=turns / best,
        plays_per_second=plays / best,
        decisions_per_second=decisions / best,
        rounds_per_second=rounds / best,
        games_per_second=games / best,
        ns_per_turn=best / turns * 1e9,
        ratio_to_c=None,
        hash=f"{check.hash:016x}",
        hash_checked=True,
    )


Play = Callable[[int], tuple[float, int]]
"""Plays so many games; returns (seconds, hash)."""


def _one_thread(rules: RuleSet, policies: Sequence[str], workers: int) -> tuple[Play, str]:
    """Play in this thread, in one call of the kernel."""
    player = Player(rules, Seats.of(policies, rules.players), SEED)

    def play(games: int) -> tuple[float, int]:
        table = Rounds.empty(games, rules.rounds, rules.players)
        # Fresh memory is mapped page by page when it is first written, which is no part of playing.
        table.points.fill(0)
        table.facts.fill(0)
        nothing = np.empty(0, np.uint16)
        began = time.thread_time()
        result, _ = player.play(0, table, nothing)
        return time.thread_time() - began, result

    return play, "CPU time of the thread"


def _threads(rules: RuleSet, policies: Sequence[str], workers: int) -> tuple[Play, str]:
    """Play on several threads, as `simulate` does."""

    def play(games: int) -> tuple[float, int]:
        began = time.perf_counter()
        result = simulate(rules, games=games, seed=SEED, policies=policies, workers=workers).hash
        return time.perf_counter() - began, result

    return play, "wall clock"


def _games_for(play: Play, seconds: float) -> int:
    """How many games take about `seconds`."""
    games = 1
    while True:
        taken = play(games)[0]
        if taken >= seconds / 4 or games >= 1 << 24:
            return max(1, round(games * seconds / max(taken, 1e-9)))
        games *= 4


def environment() -> dict[str, Any]:
    """Return the machine and the versions that a measurement depends on."""
    return {
        "cpu": cpu_name(),
        "usable_processors": usable_processors(),
        "platform": platform.platform(),
        "python": platform.python_version(),
        "mextrain": __version__,
        "stream": STREAM,
        **{name: version(name) for name in ("numba", "llvmlite", "numpy")},
    }


def cpu_name() -> str:
    """Return the processor's name as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
