"""The door to Numba: compiled code on disk is never stale, never fatal and never needed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mextrain_core

PACKAGE = Path(mextrain_core.__file__).parent

PROGRAM = """
import numpy as np, warnings
from mextrain_core import movegen, rules, _jit
from mextrain_core.rules import OPTION_CODES
options = {name: values[0] for name, values in OPTION_CODES.items()}
options |= dict(players=2, tile_set="double-9", hand_size=8, first_engine="9-9", rounds=1, starter="draw",
                double_blank=0, max_uncovered=None)
print(int(movegen.id_to_move(rules.encode(options), np.uint64(101))))
stats = movegen.id_to_move.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""
MOVE = 1 << 10 | 0 << 5 | 1


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the compiled package that a test may edit."""
    shutil.copytree(PACKAGE, tmp_path / "lib" / "mextrain_core", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def run(copy: Path, cache: Path | None, **environment: str) -> tuple[int, int, int, str]:
    """The move of action id 101, cache hits and misses, and standard error of a fresh process."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "MEXTRAIN_"))}
    env |= {"PYTHONPATH": str(copy / "lib"), **environment}
    if cache is not None:
        env["MEXTRAIN_CACHE_DIR"] = str(cache)
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, cwd=copy)
    assert done.returncode == 0, done.stderr
    move, counts = done.stdout.splitlines()
    hits, misses = counts.split()
    return int(move), int(hits), int(misses), done.stderr


def test_second_process_compiles_nothing(copy: Path) -> None:
    cache = copy / "cache"
    assert run(copy, cache) == (MOVE, 0, 1, "")
    assert run(copy, cache) == (MOVE, 1, 0, "")


def test_edit_of_a_callee_in_another_file_is_seen_at_once(copy: Path) -> None:
    cache = copy / "cache"
    run(copy, cache)
    source = copy / "lib" / "mextrain_core" / "moves.py"
    text = source.read_text()
    assert "U5, U10 = u64(5), u64(10)" in text
    source.write_text(text.replace("U5, U10 = u64(5), u64(10)", "U5, U10 = u64(5), u64(11)"))
    assert run(copy, cache) == (1 << 11 | 1, 0, 1, "")
    source.write_text(text)
    assert run(copy, cache) == (MOVE, 1, 0, "")


@pytest.mark.parametrize("keep", [0.0, 0.5])
def test_cut_cache_files_are_as_good_as_none(copy: Path, keep: float) -> None:
    cache = copy / "cache"
    run(copy, cache)
    files = [path for path in cache.rglob("*") if path.suffix in (".nbi", ".nbc")]
    assert len(files) >= 2
    for path in files:
        data = path.read_bytes()
        path.write_bytes(data[: int(len(data) * keep)])
    assert run(copy, cache) == (MOVE, 0, 1, "")
    assert run(copy, cache) == (MOVE, 1, 0, "")


def test_no_folder_to_write_means_one_warning_and_no_cache(copy: Path) -> None:
    wall = copy / "a-file"
    wall.write_text("not a folder")
    move, hits, misses, errors = run(
        copy, wall, HOME=str(wall), XDG_CACHE_HOME=str(wall), NUMBA_CACHE_DIR=str(wall)
    )
    assert (move, hits, misses) == (MOVE, 0, 1)
    assert errors.count("mextrain cannot write a cache folder") == 1
    assert "MEXTRAIN_CACHE_DIR" in errors


def test_bounds_checked_code_is_kept_apart(copy: Path) -> None:
    cache = copy / "cache"
    run(copy, cache)
    assert run(copy, cache, NUMBA_BOUNDSCHECK="1") == (MOVE, 0, 1, "")
    assert len(list(cache.iterdir())) == 2


def test_interpreted_mode_gives_the_same_answer(copy: Path) -> None:
    program = PROGRAM.replace("stats = movegen.id_to_move.stats\n", "").replace(
        "print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))\n", ""
    )
    env = {**os.environ, "PYTHONPATH": str(copy / "lib"), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"{MOVE}\n"), done.stderr
