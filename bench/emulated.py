"""Instructions of a turn on an emulated AArch64 processor, by backend, counted by a plugin of QEMU (counter.c).

    ci/aarch64 FOLDER python3 -m bench.emulated

Counts say how much work there is, not how long it takes: an instruction of NEON does at most 8 of the 32 lanes of 16
bits, and processors do two to four of them at once. What a process does before it plays is left out by counting with
few and with many games; Python's start differs by some million instructions from one to the next, hence the many.
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
"""Where ci/aarch64 puts the emulator and the plugin."""


def read_counts(printed: str) -> dict[str, int]:
    """The instructions of a process by kind, from what the plugin prints."""
    found = re.search(r"Collected : (\d+) (\d+) (\d+)", printed)
    assert found, printed
    return dict(zip(KINDS, map(int, found.groups()), strict=True))


def _run(tool: tuple[str, ...], backend: str, games: int) -> str:
    """Let `backend` play in a process of its own; returns what the tool prints."""
    command = [*tool, sys.executable, "-m", "bench.instructions", backend, str(games)]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    return subprocess.run(command, env=environment, check=True, stderr=subprocess.PIPE, text=True).stderr


def instructions() -> dict[str, dict[str, float]]:
    """Return the instructions of a turn of Mexican Train with four players at random, by backend and kind."""
    turns = int(simulate(RULES, games=MANY - FEW, seed=SEED, first_game=FEW).turns.sum())
    found = {}
    for backend in (backend.name for backend in backends_for(RULES, ("random",) * RULES.players, SEED).found):
        _run((), backend, 1)  # Else the compiler is counted too.
        few, many = (read_counts(_run(TOOL, backend, games)) for games in (FEW, MANY))
        found[backend] = {kind: round((many[kind] - few[kind]) / turns, 2) for kind in KINDS}
    return found


if __name__ == "__main__":
    print(json.dumps(instructions(), indent=2))
