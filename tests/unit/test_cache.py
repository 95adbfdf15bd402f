"""The cache of compiled code: code on disk is never stale, never fatal and never required."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import mextrain_core
from tests import limits
from tests.limits import communicate

PACKAGE = Path(mextrain_core.__file__).parent

PROGRAM = """
import numpy as np, warnings
from mextrain_core.compiler import cache
from mextrain_core.game import movegen
from mextrain_core.model import rules
from mextrain_core.model.rules import OPTION_CODES
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
    """A copy of the core package that a test may edit."""
    shutil.copytree(PACKAGE, tmp_path / "lib" / "mextrain_core", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def start(copy: Path, cache: Path | None, program: str = PROGRAM, **environment: str) -> subprocess.Popen[str]:
    """Start a fresh process that runs the program with the copy."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "MEXTRAIN_"))}
    env |= {"PYTHONPATH": str(copy / "lib"), **environment}
    if cache is not None:
        env["MEXTRAIN_CACHE_DIR"] = str(cache)
    command = [sys.executable, "-c", program]
    return subprocess.Popen(command, env=env, cwd=copy, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def outcome(process: subprocess.Popen[str]) -> tuple[int, int, int, str]:
    """Wait for a process; the move of action id 101, cache hits and misses, and standard error."""
    out, err = communicate(process)
    assert process.returncode == 0, err
    move, counts = out.splitlines()
    hits, misses = counts.split()
    return int(move), int(hits), int(misses), err


def run(copy: Path, cache: Path | None, program: str = PROGRAM, **environment: str) -> tuple[int, int, int, str]:
    """The outcome of a fresh process that runs the program."""
    return outcome(start(copy, cache, program, **environment))


def test_second_process_compiles_nothing(copy: Path) -> None:
    cache = copy / "cache"
    assert run(copy, cache) == (MOVE, 0, 1, "")
    assert run(copy, cache) == (MOVE, 1, 0, "")


FACTORY = """
from mextrain_core.compiler.jit import kernel

def adder(number):
    @kernel
    def add(x):
        return x + number

    return add
"""

MADE = """
from mextrain_core.made import adder
two, three = adder(2), adder(3)
print(int(two(1)) * 100 + int(three(1)))
counts = [sum(getattr(each.stats, name).values()) for each in (two, three) for name in ("cache_hits", "cache_misses")]
print(counts[0] + counts[2], counts[1] + counts[3])
"""


def test_kernels_made_at_one_place_with_other_numbers_are_kept_apart(copy: Path) -> None:
    (copy / "lib" / "mextrain_core" / "made.py").write_text(FACTORY)
    assert run(copy, copy / "cache", MADE) == (304, 0, 2, "")
    assert run(copy, copy / "cache", MADE) == (304, 2, 0, "")


def test_a_kernel_that_depends_on_more_than_numbers_is_refused(copy: Path) -> None:
    """Whether such a value is the same in the next process, nobody can tell from its code on disk."""
    (copy / "lib" / "mextrain_core" / "made.py").write_text(FACTORY)
    program = "from mextrain_core.made import adder\nadder(adder(2))\n"
    process = start(copy, copy / "cache", program)
    assert "cannot be kept on disk" in communicate(process)[1]
    assert process.returncode == 1


def test_edit_of_a_callee_in_another_file_is_seen_at_once(copy: Path) -> None:
    cache = copy / "cache"
    run(copy, cache)
    source = copy / "lib" / "mextrain_core" / "model" / "moves.py"
    text = source.read_text()
    assert "U5, U10 = u64(5), u64(10)" in text
    source.write_text(text.replace("U5, U10 = u64(5), u64(10)", "U5, U10 = u64(5), u64(11)"))
    assert run(copy, cache) == (1 << 11 | 1, 0, 1, "")
    source.write_text(text)
    assert run(copy, cache) == (MOVE, 1, 0, "")


def test_an_upgrade_is_seen_whatever_the_times_of_its_files(copy: Path) -> None:
    """An installer sets the file times from the archive, which may equal those of the previous version."""
    cache, source = copy / "cache", copy / "lib" / "mextrain_core" / "model" / "moves.py"
    run(copy, cache)
    before, text = source.stat(), source.read_text()
    shutil.copytree(copy / "lib", copy / "new")
    shutil.rmtree(copy / "lib")
    (copy / "new").rename(copy / "lib")
    source.write_text(text.replace("U5, U10 = u64(5), u64(10)", "U5, U10 = u64(5), u64(11)"))
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert run(copy, cache) == (1 << 11 | 1, 0, 1, "")


def test_cold_processes_at_once(copy: Path) -> None:
    cache = copy / "cache"
    for process in [start(copy, cache) for _ in range(8)]:
        move, hits, misses, errors = outcome(process)
        assert (move, hits + misses, errors) == (MOVE, 1, "")
    assert run(copy, cache) == (MOVE, 1, 0, "")
    assert not [path for path in cache.rglob("*") if ".tmp" in path.name]


OLD = [f"mextrain-{number:016x}" for number in range(7)]


def test_folders_of_old_versions_are_removed(copy: Path) -> None:
    """The four newest are kept, and everything that is not one of our folders; a version in use creates nothing new."""
    cache = copy / "cache"
    others = [cache / "mextrain-notes", cache / "mextrain-0123", cache / "else"]
    for folder in others:
        folder.mkdir(parents=True)
    for days, name in enumerate(OLD):
        (cache / name).mkdir()
        (cache / name / "kernel.nbc").write_text("old")
        os.utime(cache / name, (time.time() - (days + 2) * 86400,) * 2)
    assert run(copy, cache) == (MOVE, 0, 1, "")
    assert sorted(path.name for path in cache.glob("mextrain-0000*")) == OLD[:4]
    assert all(folder.is_dir() for folder in others)
    (cache / OLD[5]).mkdir()
    os.utime(cache / OLD[5], (0, 0))
    assert run(copy, cache) == (MOVE, 1, 0, "")
    assert (cache / OLD[5]).is_dir()


def test_folders_used_today_are_kept(copy: Path) -> None:
    cache = copy / "cache"
    for name in OLD:
        (cache / name).mkdir(parents=True)
    run(copy, cache)
    assert len(list(cache.glob("mextrain-0000*"))) == len(OLD)


AFTER_IMPORT = "from mextrain_core.model.rules import OPTION_CODES\n"


def test_a_folder_removed_under_a_running_process_is_made_again(copy: Path) -> None:
    cache = copy / "cache"
    removed = AFTER_IMPORT + "import shutil; shutil.rmtree(cache.cache_folder())\n"
    assert run(copy, cache, PROGRAM.replace(AFTER_IMPORT, removed)) == (MOVE, 0, 1, "")
    assert run(copy, cache) == (MOVE, 1, 0, "")


def test_a_folder_that_cannot_be_written_any_more_costs_nothing_but_time(copy: Path) -> None:
    cache = copy / "cache"
    gone = AFTER_IMPORT + "import shutil, pathlib; shutil.rmtree(cache.cache_folder())\n"
    gone += "pathlib.Path(cache.cache_folder()).write_text('')\n"
    assert run(copy, cache, PROGRAM.replace(AFTER_IMPORT, gone)) == (MOVE, 0, 1, "")


def test_a_warm_folder_that_cannot_be_written_is_read(copy: Path) -> None:
    cache, other = copy / "cache", copy / "other"
    refuse = "import tempfile\ndef refuse(**_): raise PermissionError\ntempfile.TemporaryFile = refuse\n" + PROGRAM
    move, hits, misses, errors = run(copy, cache, refuse, HOME="", XDG_CACHE_HOME=str(other))
    assert (move, hits, misses) == (MOVE, 0, 1)
    assert "cannot write a cache folder" in errors
    run(copy, cache)
    assert run(copy, cache, refuse) == (MOVE, 1, 0, "")


def test_a_user_without_a_home(copy: Path) -> None:
    """Without a home directory: no folder called ~ is created, and the games are the same."""
    homeless = "import os, pwd\ndef getpwuid(_): raise KeyError\npwd.getpwuid = getpwuid\n"
    homeless += "for name in ('HOME', 'XDG_CACHE_HOME'): os.environ.pop(name, None)\n"
    move, hits, misses, errors = run(copy, None, homeless + PROGRAM)
    assert (move, hits, misses) == (MOVE, 0, 1)
    assert errors.count("mextrain cannot write a cache folder") == 1
    assert [path.name for path in copy.iterdir()] == ["lib"]


def only_file(cache: Path) -> Path:
    """The only file of compiled code in a cache."""
    [file] = [path for path in cache.rglob("*") if path.is_file()]
    assert file.suffix == ".nbc"
    return file


@pytest.mark.parametrize("keep", [0.0, 0.5, 0.99])
@pytest.mark.parametrize("rest", [b"", b"\0"])
def test_cut_cache_files_are_as_good_as_none(copy: Path, keep: float, rest: bytes) -> None:
    """Also if a power cut left zeros instead of the last data written."""
    cache = copy / "cache"
    run(copy, cache)
    file = only_file(cache)
    data = file.read_bytes()
    left = data[: int(len(data) * keep)]
    file.write_bytes(left + rest * (len(data) - len(left)))
    assert run(copy, cache) == (MOVE, 0, 1, "")
    assert run(copy, cache) == (MOVE, 1, 0, "")


FLIPS = """
import pathlib, random, sys
seed = random.randrange(2**32)
print("seed", seed, file=sys.stderr)
draw = random.Random(seed)
kernel = movegen.id_to_move
[signature] = kernel.overloads
[file] = pathlib.Path(kernel.stats.cache_path).iterdir()
good = file.read_bytes()

def is_absent(data):
    file.write_bytes(data)
    return kernel._cache.load_overload(signature, kernel.targetctx) is None

def flipped(bit):
    data = bytearray(good)
    data[bit // 8] ^= 1 << bit % 8
    return data

assert not is_absent(good)
# Checksum and the beginning of the pickle, byte by byte, and 500 bits anywhere.
bits = [8 * byte + draw.randrange(8) for byte in range(64)] + [draw.randrange(8 * len(good)) for _ in range(500)]
for bit in bits:
    assert is_absent(flipped(bit)), bit
assert is_absent(good + b"0") and is_absent(good[1:])
file.write_bytes(flipped(bits[-1]))
"""


def test_one_flipped_bit_anywhere_is_found(copy: Path) -> None:
    cache = copy / "cache"
    move, hits, misses, errors = run(copy, cache, PROGRAM + FLIPS)
    assert (move, hits, misses) == (MOVE, 0, 1), errors
    assert run(copy, cache) == (MOVE, 0, 1, "")
    assert run(copy, cache) == (MOVE, 1, 0, "")


def test_code_of_another_kernel_under_this_name_is_not_run(copy: Path) -> None:
    """The checksum covers the name, the signature, the sources and the processor."""
    cache = copy / "cache"
    other = AFTER_IMPORT + "from mextrain_core.model.rng import round_key; round_key(*map(np.uint64, (1, 2, 3)))\n"
    run(copy, cache, PROGRAM.replace(AFTER_IMPORT, other))
    files = sorted(path for path in cache.rglob("*") if path.is_file())
    [mine] = [path for path in files if path.name.startswith("id_to_move")]
    [theirs] = [path for path in files if path.name.startswith("round_key")]
    mine.write_bytes(theirs.read_bytes())
    assert run(copy, cache) == (MOVE, 0, 1, "")


def test_a_file_that_others_can_write_is_not_run(copy: Path) -> None:
    cache = copy / "cache"
    run(copy, cache)
    only_file(cache).chmod(0o666)
    assert run(copy, cache) == (MOVE, 0, 1, "")
    assert only_file(cache).stat().st_mode & 0o022 == 0
    assert run(copy, cache) == (MOVE, 1, 0, "")


def test_what_we_make_nobody_else_can_write_whatever_the_umask(copy: Path) -> None:
    cache = copy / "new" / "cache"
    assert run(copy, cache, "import os; os.umask(0)\n" + PROGRAM) == (MOVE, 0, 1, "")
    made = [copy / "new", cache, *cache.rglob("*")]
    assert [path for path in made if path.stat().st_mode & 0o022] == []
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


def test_code_for_another_processor_is_kept_apart(copy: Path) -> None:
    cache = copy / "cache"
    assert run(copy, cache, NUMBA_CPU_NAME="generic") == (MOVE, 0, 1, "")
    assert run(copy, cache) == (MOVE, 0, 1, "")
    assert run(copy, cache, NUMBA_CPU_NAME="generic") == (MOVE, 1, 0, "")
    assert run(copy, cache) == (MOVE, 1, 0, "")


def test_a_disk_that_is_full(copy: Path) -> None:
    """If only a few bytes can be written, the result is the same, and no partial file remains."""
    cache = copy / "cache"
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    assert run(copy, cache, full + PROGRAM) == (MOVE, 0, 1, "")
    assert [path for path in cache.rglob("*") if path.is_file()] == []
    assert run(copy, cache) == (MOVE, 0, 1, "")
    assert run(copy, cache, full + PROGRAM) == (MOVE, 1, 0, "")


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
    assert limits.output_of([sys.executable, "-c", program], env=env) == f"{MOVE}\n"
