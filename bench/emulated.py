"""Instructions of a turn on an emulated AArch64 processor, by backend, counted by a plugin of QEMU (counter.c).

    ci/aarch64 FOLDER python3 -m bench.emulated

Counts measure work, not time: a NEON instruction handles at most 8 of the 32 lanes of 16 bits, and processors execute
two to four of them at once. The work before play is excluded by taking the difference of many and few games. Python's
start varies by about a million instructions, so many games are needed.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

from bench.instructions import RULES, SEED
from mextrain import simulate
from mextrain.benchmark.backends import backends_for

FEW, MANY = 64, 6400
KINDS = ("instructions", "vector", "branches")
TOOL = ("/usr/bin/qemu-aarch64", "-plugin", "/opt/counter.so")
"""The emulator and the plugin, where ci/aarch64 puts them."""


def read_counts(printed: str) -> dict[str, int]:
    """The instructions of a process by kind, from the output of the plugin."""
    found = re.search(r"Collected : (\d+) (\d+) (\d+)", printed)
    assert found, printed
    return dict(zip(KINDS, map(int, found.groups()), strict=True))


def _run(tool: tuple[str, ...], backend: str, games: int) -> str:
    """Let `backend` play in a separate process; returns the output of the tool."""
    command = [*tool, sys.executable, "-m", "bench.instructions", backend, str(games)]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    return subprocess.run(command, env=environment, check=True, stderr=subprocess.PIPE, text=True).stderr


def instructions() -> dict[str, dict[str, float]]:
    """Return the instructions per turn of random Mexican Train with four players, by backend and kind."""
    turns = int(simulate(RULES, games=MANY - FEW, seed=SEED, first_game=FEW).turns.sum())
    found = {}
    for backend in (backend.name for backend in backends_for(RULES, ("random",) * RULES.players, SEED).found):
        _run((), backend, 1)  # Otherwise the compiler would be counted.
        few, many = (read_counts(_run(TOOL, backend, games)) for games in (FEW, MANY))
        found[backend] = {kind: round((many[kind] - few[kind]) / turns, 2) for kind in KINDS}
    return found


if __name__ == "__main__":
    print(json.dumps(instructions(), indent=2))
