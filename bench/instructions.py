"""Instructions, branches and mispredicted branches of a turn, by engine, counted by valgrind's callgrind.

    python -m bench.instructions

Counts do not depend on how busy or how fast the machine is. Valgrind knows AVX2 and no wider vectors, so all engines
are compiled for x86-64-v3 here, and the lockstep engine has twice the instructions that it has with AVX-512. The
branch predictor is a simple model; real ones do better. What a process does before it plays is left out by counting
with few and with many games.
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

from mextrain import RuleSet, simulate
from mextrain.benchmark.engines import engines_for
from mextrain.rounds import Rounds

ROOT = Path(__file__).resolve().parents[1]
FEATURES = "64bit avx avx2 bmi bmi2 cmov cx16 cx8 f16c fma fxsr lzcnt mmx movbe popcnt sahf sse sse2 sse3 sse4.1 sse4.2"
MACHINE = {
    "NUMBA_CPU_NAME": "x86-64-v3",
    "NUMBA_CPU_FEATURES": ",".join(f"+{feature}" for feature in [*FEATURES.split(), "ssse3", "xsave"]),
    "MEXTRAIN_TWIN_CFLAGS": "-O3 -march=x86-64-v3",
    "PYTHONHASHSEED": "0",
}
SEED = 1
FEW, MANY = 40, 640
EVENTS = ("instructions", "branches", "mispredictions")


def count(engine: str, games: int) -> dict[str, int]:
    """Return the events of a process in which `engine` plays so many games of mexican with 4 players."""
    with tempfile.TemporaryDirectory() as folder:
        tool = ["valgrind", "--tool=callgrind", "--branch-sim=yes", f"--callgrind-out-file={folder}/out"]
        command = [*tool, sys.executable, "-m", "bench.instructions", engine, str(games)]
        done = subprocess.run(
            command, env={**os.environ, **MACHINE}, cwd=ROOT, check=True, capture_output=True, text=True
        )
    found = re.search(r"Collected : ([\d ]+)", done.stderr)
    assert found, done.stderr
    all_of_them, conditional, missed, indirect, indirect_missed = map(int, found[1].split())
    events = all_of_them, conditional + indirect, missed + indirect_missed
    return dict(zip(EVENTS, events, strict=True))


def instructions() -> dict[str, dict[str, float]]:
    """Return the events of a turn by engine; empty where there is no valgrind."""
    if shutil.which("valgrind") is None:
        return {}
    found = {}
    played = simulate(RuleSet.mexican(4), games=MANY, seed=SEED)
    turns = int(played.turns[FEW:].sum())
    for engine in (engine.name for engine in engines_for(RuleSet.mexican(4), ("random",) * 4, SEED).found):
        # Compiled code must be at hand, or the compiler is counted too.
        subprocess.run(
            [sys.executable, "-m", "bench.instructions", engine, "1"],
            env={**os.environ, **MACHINE},
            cwd=ROOT,
            check=True,
        )
        few, many = count(engine, FEW), count(engine, MANY)
        found[engine] = {name: round((many[name] - few[name]) / turns, 2) for name in EVENTS}
    return found


def play(name: str, games: int) -> None:
    """Play so many games with one engine."""
    rules = RuleSet.mexican(4)
    engine = next(each for each in engines_for(rules, ("random",) * 4, SEED).found if each.name == name)
    table = Rounds.empty(games, rules.rounds, rules.players)
    engine.player()(0, table)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        print(json.dumps(instructions(), indent=2))
    else:
        play(sys.argv[1], int(sys.argv[2]))
