"""Measures in a separate process: reads one job as JSON from stdin and writes its times as JSON to stdout.

`runs` starts it as `python -m mextrain.benchmark.child`. With a fresh process for every sample, peak memory and first
calls belong to that sample alone, and its memory has a different placement each time.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

from mextrain.benchmark.backends import Play, backends_for
from mextrain.benchmark.yardsticks import seconds_of_step
from mextrain.bulk.results import Rounds
from mextrain.game.rules import RuleSet

Timed = Callable[[int], tuple[float, int]]
"""Plays the given number of games; returns (seconds, hash)."""


def sample(job: dict[str, Any]) -> dict[str, Any]:
    """Measure a job: `rules`, `policies`, `backend`, `workers`, `seed`, `seconds` of a run, `repeats`, `games` or None,
    `yardstick`.

    Returns `backends` (by name: the times of all repeats, their hashes, with `yardstick` the CPU seconds of a step of
    it before each repeat, the CPU seconds of the first call, the bytes per running game), `missing` (why other backends
    did not play), `games`, their sums, and the peak memory.
    Without repeats only the first calls are timed.
    """
    rules = RuleSet.from_dict(job["rules"])
    began = spent()
    backends = backends_for(rules, tuple(job["policies"]), job["seed"], job["backend"])
    building = spent() - began
    results: dict[str, dict[str, Any]] = {}
    timed: dict[str, Timed] = {}
    for backend in backends.found:
        one_game = Rounds.empty(1, rules.rounds, rules.players)
        began = spent()
        backend.player()(0, one_game)
        seconds = spent() - began + (building if backend.name == "c" else 0)
        results[backend.name] = {
            "times": [],
            "hashes": [],
            "steps": [],
            "first_call_seconds": seconds,
            "bytes_per_game": backend.bytes_per_game,
        }
        timed[backend.name] = _timer(backend.player, rules, job["workers"])
    games, totals = 0, {}
    if job["repeats"]:
        first = backends.found[0].player
        games = job["games"] or job["workers"] * _games_for(_timer(first, rules, 1), job["seconds"])
        for _ in range(job["repeats"]):
            for name, play in timed.items():
                if job["yardstick"]:
                    results[name]["steps"].append(seconds_of_step(name))
                taken, result = play(games)
                results[name]["times"].append(taken)
                results[name]["hashes"].append(f"{result:016x}")
        table = Rounds.empty(games, rules.rounds, rules.players)
        first()(0, table)
        counts = {"turns": table.turns, "plays": table.plays, "decisions": table.decisions}
        totals = {name: int(count.sum(dtype="int64")) for name, count in counts.items()}
    return {
        "backends": results,
        "missing": backends.missing,
        "games": games,
        "totals": totals,
        "peak_memory_bytes": peak_memory(),
    }


def _timer(player: Callable[[], Play], rules: RuleSet, workers: int) -> Timed:
    """Return a function that plays equal shares on all threads; one is timed by CPU time, several by wall clock."""
    players = [player() for _ in range(workers)]
    pool = ThreadPoolExecutor(workers) if workers > 1 else None

    def play(games: int) -> tuple[float, int]:
        bounds = [games * k // workers for k in range(workers + 1)]
        parts = [Rounds.empty(stop - start, rules.rounds, rules.players) for start, stop in pairwise(bounds)]
        # Fresh memory is mapped page by page on the first write, and that is not part of playing.
        for part in parts:
            part.points.fill(0)
            part.facts.fill(0)
        if pool is None:
            began = time.thread_time()
            result = players[0](0, parts[0])
            return time.thread_time() - began, result
        began = time.perf_counter()
        total = sum(pool.map(lambda play, start, part: play(start, part), players, bounds, parts))
        return time.perf_counter() - began, total % 2**64

    return play


def _games_for(play: Timed, seconds: float) -> int:
    """Return the number of games that takes about `seconds`."""
    games = 1
    while True:
        taken = play(games)[0]
        if taken >= seconds / 4 or games >= 1 << 24:
            return max(1, round(games * seconds / max(taken, 1e-9)))
        games *= 4


def spent() -> float:
    """Return the CPU seconds of this process and of its finished children, such as a compiler."""
    children = os.times()
    return time.process_time() + children.children_user + children.children_system


def peak_memory() -> int | None:
    """Return the peak memory of this process in bytes; None if the system does not report it."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    print(json.dumps(sample(json.load(sys.stdin))))
