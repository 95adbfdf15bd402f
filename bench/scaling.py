"""Scaling: whether time is proportional to the number of rounds, and whether two workers do twice as much.

    python -m bench.scaling            a minute or two
    python -m bench.scaling --quick    seconds

Workers: each thread plays an equal part of the games. `speedup` is wall-clock speed, from the minimum of many short
runs. It is meaningful only if the processors are otherwise idle, so `others` is the share that other processes take.
`per_cpu_second` is the work of a worker per second of CPU time, relative to a single worker: below 1 the workers slow
each other down, in memory or by a lock. Other processes hardly affect it.
"""

from __future__ import annotations

import argparse
import json
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

from mextrain import RuleSet, survey
from mextrain._support.processors import usable_processors
from mextrain.benchmark.backends import Backend, backends_for
from mextrain.bulk.results import Rounds

RULES = RuleSet.mexican(4)


def busy_others(seconds: float = 1.0) -> float | None:
    """The share of all processors that other processes take while this one sleeps; None if unknown."""

    def ticks() -> tuple[int, int]:
        fields = [int(field) for field in Path("/proc/stat").read_text(encoding="utf-8").split("\n")[0].split()[1:9]]
        return sum(fields), fields[3] + fields[4]

    try:
        before = ticks()
        time.sleep(seconds)
        after = ticks()
    except OSError:
        return None
    return round(1 - (after[1] - before[1]) / max(1, after[0] - before[0]), 3)


def play_on(backend: Backend, workers: int, games: int, pool: ThreadPoolExecutor) -> tuple[float, float]:
    """Play some games on this many threads; returns wall-clock seconds and CPU seconds of all threads."""
    bounds = [games * k // workers for k in range(workers + 1)]
    tables = [Rounds.empty(stop - start, RULES.rounds, RULES.players) for start, stop in pairwise(bounds)]
    for table in tables:
        table.points.fill(0)
        table.facts.fill(0)
    players = [backend.player() for _ in tables]

    def part(number: int) -> float:
        began = time.thread_time()
        players[number](bounds[number], tables[number])
        return time.thread_time() - began

    began = time.perf_counter()
    used = sum(pool.map(part, range(workers)))
    return time.perf_counter() - began, used


def scale_workers(seconds: float, repeats: int) -> list[dict[str, Any]]:
    """A row for each backend and number of workers, up to two or all processors."""
    rows = []
    counts = sorted({1, 2, usable_processors()})
    for backend in backends_for(RULES, ("random",) * RULES.players, 1).found:
        with ThreadPoolExecutor(max(counts)) as pool:
            play_on(backend, 1, 100, pool)
            games = max(1, round(1000 * seconds / play_on(backend, 1, 1000, pool)[1]))
            others = busy_others()
            best = dict.fromkeys(counts, (float("inf"), float("inf")))
            for _ in range(repeats):
                for workers in counts:
                    taken = play_on(backend, workers, games, pool)
                    best[workers] = min(best[workers][0], taken[0]), min(best[workers][1], taken[1])
        for workers in counts:
            rows.append(
                {
                    "backend": backend.name,
                    "workers": workers,
                    "games": games,
                    "others": others,
                    "speedup": round(best[1][0] / best[workers][0], 3),
                    "per_cpu_second": round(best[1][1] / best[workers][1], 3),
                }
            )
    return rows


def scale_rounds(most: int) -> list[dict[str, Any]]:
    """CPU time of `survey` by backend, for 10³ … 10 to the power of `most` rounds."""
    rows = []
    for backend in (backend.name for backend in backends_for(RULES, ("random",) * RULES.players, 1).found):
        if backend == "c":
            continue
        survey(RULES, games=100, seed=1, backend=backend)
        for power in range(3, most + 1):
            games = round(10**power / RULES.rounds)
            # Short runs are repeated more often, so that all rows are about equally noisy.
            taken = []
            for _ in range(max(1, min(20, 10 ** (6 - power)))):
                began = time.process_time()
                survey(RULES, games=games, seed=1, backend=backend)
                taken.append(time.process_time() - began)
            rounds, best = games * RULES.rounds, min(taken)
            rows.append(
                {"backend": backend, "rounds": rounds, "seconds": best, "ns_per_round": round(best / rounds * 1e9, 1)}
            )
    return rows


def scaling(quick: bool = False) -> dict[str, Any]:
    """Both tables."""
    return {"workers": scale_workers(0.02, 3 if quick else 60), "rounds": scale_rounds(4 if quick else 7)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="bench.scaling")
    parser.add_argument("--quick", action="store_true")
    print(json.dumps(scaling(parser.parse_args().quick), indent=2))
