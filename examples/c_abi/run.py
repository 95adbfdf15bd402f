"""Compile driver.c and let it play: perft, and a flat Monte Carlo player against three random ones.

    python examples/c_abi/run.py
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from pathlib import Path

import mextrain
from mextrain import c

HERE = Path(__file__).parent


def build(folder: str) -> ctypes.CDLL:
    """Compile driver.c into a shared library in `folder` and load it."""
    library = Path(folder) / "driver.so"
    compiler = os.environ.get("CC", "cc")
    command = [compiler, "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run([*command, f"-I{c.get_include()}", "-o", str(library), str(HERE / "driver.c")], check=True)
    driver = ctypes.CDLL(str(library))
    driver.driver_perft.restype = ctypes.c_int64
    return driver


def main() -> None:
    """Print perft numbers and the mean points of each seat."""
    rules = mextrain.RuleSet.mexican(players=4)
    table = ctypes.c_void_p(c.interface().address)
    record = ctypes.c_void_p(rules.record.ctypes.data)
    with tempfile.TemporaryDirectory() as folder:
        driver = build(folder)
        if not driver.driver_compatible(table):
            raise SystemExit("driver.c was compiled against another version of mextrain.h")
        for depth in range(1, 6):
            print(f"perft {depth}: {driver.driver_perft(table, record, ctypes.c_uint64(1), 12, depth)}")
        games, totals = 20, [0] * rules.players
        for game in range(games):
            points = (ctypes.c_int64 * rules.players)()
            seed = ctypes.c_uint64(1)
            decisions = driver.driver_round(table, record, seed, ctypes.c_uint64(game), 12, 50, points)
            if decisions < 0:
                raise SystemExit("mextrain refused a move of driver.c")
            totals = [total + value for total, value in zip(totals, points, strict=True)]
        means = ", ".join(f"{total / games:.1f}" for total in totals)
        print(f"mean points over {games} rounds (seat 0 searches): {means}")


if __name__ == "__main__":
    main()
