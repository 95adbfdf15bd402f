"""The measurements of the gate, each in a separate process: `python -m bench.gauges NAME` prints JSON.

The names are those of `GAUGES`; `gate` judges the results.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core.runtime import _nrt_python, rtsys

from mextrain import RuleSet
from mextrain.benchmark.backends import Play, backends_for
from mextrain.benchmark.runs import IMPORT, NOTHING, children_seconds
from mextrain.benchmark.signature import signature
from mextrain.benchmark.yardsticks import SECONDS
from mextrain.bulk.results import Rounds
from mextrain_core.game.deal import deal
from mextrain_core.game.movegen import legal_ids, legal_mask, legal_moves
from mextrain_core.game.turn import advance, play_unchecked
from mextrain_core.model.state import new_states

GAMES = {
    "mexican-4": (RuleSet.mexican(4), 300),
    "mexican-2": (RuleSet.mexican(2), 800),
    "mexican-8": (RuleSet.mexican(8), 250),
    "super-4": (RuleSet.super(4), 150),
}
"""The rules to play, and a number of games that takes the scalar backend about 10 ms."""

LOCKSTEP_TIMES = 3
"""The lockstep backend plays this many times as many games, so that its runs take as long."""

REPEATS = 7


def measure_compiling() -> dict[str, float]:
    """CPU seconds of compiling the yardsticks and of the first game of each backend, with an empty cache."""
    began = time.process_time()
    for yardstick in SECONDS.values():
        yardstick(1)
    seconds = {"yardsticks": time.process_time() - began}
    rules = RuleSet.mexican(4)
    for backend in backends_for(rules, ("random",) * 4, 1).found:
        if backend.name in SECONDS:
            began = time.process_time()
            backend.player()(0, Rounds.empty(1, rules.rounds, rules.players))
            seconds[backend.name] = time.process_time() - began
    return seconds


def measure_throughput() -> dict[str, Any]:
    """`ratios`: CPU time of a turn over that of a step of the backend's yardstick; minima of alternating repeats.

    `disagreements`: games for which two backends have different hashes.
    """
    ratios, disagreements = {}, []
    for name, (rules, games) in GAMES.items():
        backends = backends_for(rules, ("random",) * rules.players, 1).found
        players = {backend.name: backend.player() for backend in backends}
        table = Rounds.empty(games, rules.rounds, rules.players)
        if len({play(0, table) for play in players.values()}) != 1:
            disagreements.append(name)
        for backend, yardstick in SECONDS.items():
            if backend not in players:
                continue
            more = games * (LOCKSTEP_TIMES if backend == "lockstep" else 1)
            table = Rounds.empty(more, rules.rounds, rules.players)
            players[backend](0, table)
            turns = int(table.turns.sum())
            steps, best = [], []
            for _ in range(REPEATS):
                steps.append(yardstick())
                began = time.thread_time()
                players[backend](0, table)
                best.append((time.thread_time() - began) / turns)
            ratios[f"{backend} {name}"] = min(best) / min(steps)
    return {"ratios": ratios, "disagreements": disagreements}


def allocations(function: Callable[..., object], *arguments: Any) -> int:
    """Number of allocations by Numba's runtime in a call."""
    _nrt_python.memsys_enable_stats()
    before = rtsys.get_allocation_stats().alloc
    function(*arguments)
    return int(rtsys.get_allocation_stats().alloc - before)


def inside(function: Callable[..., object], *arguments: Any) -> int:
    """Number of allocations in a kernel, without the array structure that Numba makes for each array argument."""
    return allocations(function, *arguments) - sum(isinstance(value, np.ndarray) for value in arguments)


def grown(play: Play, rules: RuleSet, few: int = 40, many: int = 400) -> int:
    """Number of allocations in many games minus that in few games."""
    tables = [Rounds.empty(games, rules.rounds, rules.players) for games in (few, many)]
    play(0, tables[0])
    before, after = (allocations(play, 0, table) for table in tables)
    return after - before


def measure_allocations() -> dict[str, int]:
    """Allocations in a step, by kernel, and additional ones in many games over few games, by backend and policy."""
    found = {}
    for name in ("mexican-4", "super-4"):
        rules, _ = GAMES[name]
        struct, states, moves = rules.record, new_states(1), np.zeros(1024, np.uint16)
        mask = np.zeros((rules.action_count + 63) // 64, np.uint64)
        engine = np.uint64(rules.tiles.half_code(rules.engines[0].high))
        steps: dict[str, tuple[Any, ...]] = {
            "deal": (deal, states, 0, struct, np.uint64(1), np.uint64(0), engine, np.uint64(255)),
            "advance": (advance, states, 0, struct, None),
            "legal_moves": (legal_moves, states, 0, struct, moves),
            "legal_ids": (legal_ids, states, 0, struct, moves),
            "legal_mask": (legal_mask, states, 0, struct, mask),
            "play_unchecked": (play_unchecked, states, 0, struct, None, np.uint64(0)),
        }
        for step, call in steps.items():
            if step == "play_unchecked":
                legal_moves(states, 0, struct, moves)
                call = (*call[:-1], np.uint64(moves[0]))
            found[f"{step} {name}"] = inside(*call)
        for policy in ("random", "heaviest", "cautious"):
            backends = backends_for(rules, (policy,) * rules.players, 1).found
            for backend in backends:
                if backend.name in SECONDS:
                    found[f"{backend.name} {policy} {name}"] = grown(backend.player(), rules)
    return found


def measure_start() -> dict[str, Any]:
    """`import_times`: CPU time of a process that imports the package over one that does nothing.

    `modules`: what the import loads, without the standard library.
    """
    seconds = {IMPORT: float("inf"), NOTHING: float("inf")}
    for _ in range(7):
        for program in seconds:
            began = children_seconds()
            subprocess.run([sys.executable, *program], check=True)
            seconds[program] = min(seconds[program], children_seconds() - began)
    listing = "import sys; before = set(sys.modules); import mextrain; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", listing], check=True, capture_output=True, text=True)
    foreign = [name for name in done.stdout.split() if name.partition(".")[0] not in sys.stdlib_module_names]
    return {"import_times": seconds[IMPORT] / seconds[NOTHING], "modules": foreign}


GAUGES: dict[str, Callable[[], Any]] = {
    "compiling": measure_compiling,
    "signature": signature,
    "allocations": measure_allocations,
    "start": measure_start,
    "throughput": measure_throughput,
}

if __name__ == "__main__":
    print(json.dumps(GAUGES[sys.argv[1]]()))
