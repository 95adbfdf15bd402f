"""A run can end at any moment, by a signal, a full disk or a power cut: finished files stay, partial ones go.

Two kinds of tests: in this process, every operation on a simulated disk in turn is the last one of a run, and data
without fsync may be lost (disks.py); and three processes, or MEXTRAIN_KILLS, are killed at random moments.
"""

from __future__ import annotations

import errno
import itertools
import os
import random
import re
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mextrain import RuleSet
from mextrain._support import files
from mextrain.archive import JOB_FILE, Job, find_job, read_job, read_shards, verify_archive, write_archive
from tests import limits
from tests.archive.disks import AFTER, Cut, SimulatedDisk, full
from tests.archive.jobs import contents

pq = pytest.importorskip("pyarrow.parquet")

JOB = Job.create(RuleSet.mexican(2, rounds=1), games=3, seed=3, shard_games=2)


Folder = Callable[[], Path]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Yields names of new folders."""
    numbers = itertools.count()
    return lambda: tmp_path / f"folder-{next(numbers)}"


@pytest.fixture
def whole(folder: Folder) -> dict[str, bytes]:
    """The files of an uninterrupted run. Afterwards compiled code is in its cache on the disk."""
    path = folder()
    write_archive(path, JOB)
    return contents(path)


def run(disk: SimulatedDisk, monkeypatch: pytest.MonkeyPatch, **options: Any) -> BaseException | None:
    """Write the archive on a simulated disk; returns the error that ended the run."""
    with monkeypatch.context() as patch:
        patch.setattr(files, "DISK", disk)
        try:
            write_archive(disk.root / "out", JOB, **options)
        except (Cut, OSError) as error:
            return error
    return None


def resume(path: Path, whole: dict[str, bytes], **options: bool) -> None:
    """A resumed run keeps complete files, writes exactly the others, and ends with the bytes of `whole`."""
    complete = {shard.number for shard in read_shards(path)[1]} if path.exists() and find_job(path) else set()
    for number in complete:
        assert (path / JOB.path(number)).read_bytes() == whole[JOB.path(number).as_posix()]
    resumed = write_archive(path, JOB, resume=True, **options)
    assert set(resumed.made) == {0, 1} - complete
    assert contents(path) == whole
    assert verify_archive(path) == []


def operations(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> range:
    """The numbers of the operations of an uninterrupted run."""
    root = folder()
    root.mkdir()
    disk = SimulatedDisk(root)
    assert run(disk, monkeypatch) is None
    assert {*disk.log} == {"create", "write", "sync", "replace", "make_folder", "sync_folder"}
    return range(len(disk.log))


@pytest.mark.parametrize("shards", [None, "0-1"])
def test_power_cut_at_any_operation(
    shards: str | None, folder: Folder, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever of the other data survives, complete files are kept, and a resumed run gives the same bytes."""
    count = unmarked = 0
    seen = set()
    for fatal in operations(folder, monkeypatch):
        root = folder()
        root.mkdir()
        disk = SimulatedDisk(root, fatal)
        assert isinstance(run(disk, monkeypatch, shards=shards), Cut)
        for after, seed in [*((after, fatal) for after in AFTER), ("mixed", -fatal)]:
            left = folder()
            disk.cut(left, after, seed)
            count += 1
            names = contents(left)
            if frozenset(names.items()) not in seen:
                seen.add(frozenset(names.items()))
                unmarked += any("/part" in name and name.replace("/part", "/_part") not in names for name in names)
                resume(left / "out", whole)
    print(f"{count} power cuts, {len(seen)} different ends, {unmarked} of them with a shard without its mark")
    assert unmarked > 1


def test_power_cut_after_the_end(folder: Folder, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """When a run has returned, everything is on the disk."""
    root = folder()
    root.mkdir()
    disk = SimulatedDisk(root)
    assert run(disk, monkeypatch) is None
    for after in AFTER:
        left = folder()
        disk.cut(left, after)
        assert contents(left / "out") == whole


def test_power_cut_while_damaged_files_are_replaced(
    folder: Folder, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Afterwards there is the damaged file, no file, or the complete one, and reading tells which."""
    seen = set()
    for fatal in itertools.count():
        root = folder()
        write_archive(root / "out", JOB)
        damaged = root / "out" / JOB.path(1)
        damaged.write_bytes(damaged.read_bytes().replace(b"PAR1", b"PAR2"))
        disk = SimulatedDisk(root, fatal)
        ended = run(disk, monkeypatch, resume=True, verify=True)
        for after in AFTER:
            left = folder()
            disk.cut(left, after, fatal)
            state = frozenset(contents(left).items())
            if state not in seen:
                seen.add(state)
                write_archive(left / "out", JOB, resume=True, verify=True)
                assert contents(left / "out") == whole
        if ended is None:
            assert {*disk.log} == {"unlink", "create", "write", "sync", "replace", "sync_folder"}
            break
    print(f"{len(seen)} different ends")


def test_two_power_cuts(folder: Folder, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """The resumed run is cut too."""
    seed = int(os.environ.get("MEXTRAIN_SEED", "0")) or random.randrange(10**6)
    print(f"MEXTRAIN_SEED={seed}")
    chance = random.Random(seed)
    numbers = operations(folder, monkeypatch)
    for _ in range(60):
        root = folder()
        root.mkdir()
        for _ in range(2):
            disk = SimulatedDisk(root, chance.choice(numbers))
            run(disk, monkeypatch, resume=True)
            root = folder()
            disk.cut(root, chance.choice(AFTER), chance.randrange(10**6))
        resume(root / "out", whole)


@pytest.mark.parametrize("forgotten", ["sync", "sync_folder"])
def test_a_forgotten_sync_is_found(
    forgotten: str, folder: Folder, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The simulated disk detects faults: without either of the syncs, a run loses data that it reported as written."""
    root = folder()
    root.mkdir()
    disk = SimulatedDisk(root, ignored=forgotten)
    assert run(disk, monkeypatch) is None
    left = folder()
    disk.cut(left, "least")
    assert not (left / "out").exists() or contents(left / "out") != whole


@pytest.mark.parametrize("verify", [False, True])
def test_an_error_at_any_operation(
    verify: bool, folder: Folder, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error is reported, no temporary file remains, and complete files are kept."""
    for fatal in operations(folder, monkeypatch):
        root = folder()
        root.mkdir()
        ended = run(SimulatedDisk(root, fatal, full), monkeypatch)
        assert isinstance(ended, OSError)
        assert ended.errno == errno.ENOSPC
        left = contents(root / "out") if (root / "out").exists() else {}
        assert all(data == whole[name] for name, data in left.items())
        resume(root / "out", whole, verify=verify)


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    """A limit on file sizes stands for a full disk: one clear error, no partial file, and the run can be resumed."""
    program = f"""
import resource, sys
from mextrain import RuleSet
from mextrain.cli import main
from mextrain import simulate
simulate(RuleSet.super(3), games=1)
if sys.argv[1] == "small":
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
arguments = "selfplay --rules super --players 3 --games 3000 --seed 4 --shard-games 1500 --workers 1"
sys.exit(main([*arguments.split(), "--resume", "--out", {str(tmp_path / "out")!r}]))
"""
    small = limits.run([sys.executable, "-c", program, "small"])
    assert small.returncode == 2
    assert [line for line in without_progress(small.stderr) if "File too large" not in line] == []
    assert without_progress(small.stderr)[0].startswith("mextrain selfplay: ")
    assert len(without_progress(small.stderr)) == 1
    assert sorted(contents(tmp_path / "out")) == [f"preset=super/players=3/{JOB_FILE}"]
    large = limits.run([sys.executable, "-c", program, "large"])
    assert (large.returncode, without_progress(large.stderr)) == (0, [])


def without_progress(text: str) -> list[str]:
    """The lines of standard error, without those that a command on a slow machine writes to show that it lives."""
    return [line for line in text.splitlines() if not re.match(r"[\d,]+ of 3,000 games|compiling what ", line)]


RECORDER = """
import signal, sys, time
from mextrain.archive import Job, write_archive
from mextrain import RuleSet
from mextrain import simulate
job = Job.create(RuleSet.super(3, rounds=2), games=15_000, seed=4, shard_games=100)
simulate(job.rules, games=1)
import pyarrow.parquet
began = time.process_time()
# The signal of this timer ends a process as a kill does; but it counts the processor time, not what others use.
signal.setitimer(signal.ITIMER_PROF, float(sys.argv[2]))
write_archive(sys.argv[1], job, workers=2, resume=True, backend="scalar")
signal.setitimer(signal.ITIMER_PROF, 0)
print(time.process_time() - began)
"""


def test_killed_at_random_moments(tmp_path: Path) -> None:
    kills, seed = int(os.environ.get("MEXTRAIN_KILLS", "3")), random.randrange(10**6)
    print(f"{kills} kills, seed {seed}")
    moments = random.Random(seed)
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    recorder = [sys.executable, "-c", RECORDER]
    limits.output_of([*recorder, tmp_path / "first", "0"])  # It may compile, which takes longer than playing.
    seconds = float(limits.output_of([*recorder, whole, "0"]))
    right = contents(whole)
    job = read_job(whole)
    killed = unfinished = 0
    for _ in range(kills):
        if broken.exists() and len(read_shards(broken)[1]) == job.shards:
            shutil.rmtree(broken)
        done = limits.run([*recorder, broken, str(moments.uniform(0.001, 0.5 * seconds))])
        assert done.returncode in (0, -signal.SIGPROF), done.stderr
        killed += done.returncode != 0
        begun = broken.exists() and find_job(broken) is not None
        complete = {shard.path for shard in read_shards(broken)[1]} if begun else set()
        for path in broken.rglob("part-*.parquet"):
            # Every file with its final name can be read and is correct.
            assert path.read_bytes() == right[path.relative_to(broken).as_posix()]
            unfinished += path not in complete
    assert killed > 0.8 * kills
    limits.output_of([*recorder, broken, "0"])
    assert contents(broken) == right
    assert verify_archive(broken) == []
    games = pq.read_table(broken, columns=["game"])["game"].to_numpy()
    assert np.array_equal(games, np.repeat(np.arange(15_000), 2))
    print(f"{killed} killed, {unfinished} times between a shard and its sidecar")
