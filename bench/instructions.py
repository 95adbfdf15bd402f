"""Instructions, branches and mispredicted branches of a turn, by backend, counted by valgrind's callgrind.

    python -m bench.instructions

Counts do not depend on how busy or how fast the machine is. Valgrind supports AVX2 but not wider vectors, so all
backends are compiled for x86-64-v3 here, and lockstep needs more instructions than with AVX-512. The branch predictor
is a simple model; real ones do better. The work before play is excluded by taking the difference of many and few games.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from mextrain import RuleSet, simulate
from mextrain.benchmark.backends import backends_for
from mextrain.bulk.results import Rounds

ROOT = Path(__file__).resolve().parents[1]
FEATURES = "64bit avx avx2 bmi bmi2 cmov cx16 cx8 f16c fma fxsr lzcnt mmx movbe popcnt sahf sse sse2 sse3 sse4.1 sse4.2"
MACHINE = {
    "NUMBA_CPU_NAME": "x86-64-v3",
    "NUMBA_CPU_FEATURES": ",".join(f"+{feature}" for feature in [*FEATURES.split(), "ssse3", "xsave"]),
    "MEXTRAIN_TWIN_CFLAGS": "-O3 -march=x86-64-v3",
    "PYTHONHASHSEED": "0",
}
RULES, SEED = RuleSet.mexican(4), 1
FEW, MANY = 40, 640
EVENTS = ("instructions", "branches", "mispredictions")


def turns_of_games(games: int) -> np.ndarray:
    """Number of turns of each game: int64[games]."""
    turns: np.ndarray = simulate(RULES, games=games, seed=SEED).turns.sum(axis=1, dtype=np.int64)
    return turns


def read_counts(printed: str) -> dict[str, int]:
    """Parse the event counts of a process from the output of callgrind."""
    found = re.search(r"Collected : ([\d ]+)", printed)
    assert found, printed
    all_of_them, conditional, missed, indirect, indirect_missed = map(int, found[1].split())
    events = all_of_them, conditional + indirect, missed + indirect_missed
    return dict(zip(EVENTS, events, strict=True))


def _run(tool: list[str], backend: str, games: int) -> str:
    """Let `backend` play in a separate process; returns the output of the tool."""
    command = [*tool, sys.executable, "-m", "bench.instructions", backend, str(games)]
    environment = {**os.environ, **MACHINE}
    return subprocess.run(command, env=environment, cwd=ROOT, check=True, stderr=subprocess.PIPE, text=True).stderr


def warm_up(backend: str) -> None:
    """Fill the cache of compiled code, so that the compiler is not counted."""
    _run([], backend, 1)


def count(backend: str, games: int) -> dict[str, int]:
    """Return the event counts of a process in which `backend` plays this many games."""
    with tempfile.TemporaryDirectory() as folder:
        tool = ["valgrind", "--tool=callgrind", "--branch-sim=yes", f"--callgrind-out-file={folder}/out"]
        return read_counts(_run(tool, backend, games))


def instructions() -> dict[str, dict[str, float]]:
    """Return the events per turn of Mexican Train with four players, by backend; empty without valgrind."""
    if shutil.which("valgrind") is None:
        return {}
    turns = int(turns_of_games(MANY)[FEW:].sum())
    found = {}
    for backend in (backend.name for backend in backends_for(RULES, ("random",) * RULES.players, SEED).found):
        warm_up(backend)
        few, many = count(backend, FEW), count(backend, MANY)
        found[backend] = {name: round((many[name] - few[name]) / turns, 2) for name in EVENTS}
    return found


def play(name: str, games: int) -> None:
    """Play this many games with one backend."""
    backends = backends_for(RULES, ("random",) * RULES.players, SEED).found
    backend = next(each for each in backends if each.name == name)
    backend.player()(0, Rounds.empty(games, RULES.rounds, RULES.players))


if __name__ == "__main__":
    if len(sys.argv) == 1:
        print(json.dumps(instructions(), indent=2))
    else:
        play(sys.argv[1], int(sys.argv[2]))
