"""A run can end at any moment, by a signal, a full disk or a power cut: finished files stay, partial ones go.

Two kinds of tests: in this process, every disk operation in turn is the last one of a run; and three processes, or
MEXTRAIN_KILLS, are killed at random moments.
"""

from __future__ import annotations

import errno
import os
import random
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mextrain import RuleSet
from mextrain.archive import JOB_FILE, Job, read_job, read_shards, verify_archive, write, write_archive
from tests import limits
from tests.archive.jobs import contents

pq = pytest.importorskip("pyarrow.parquet")

JOB = Job.create(RuleSet.mexican(2, rounds=1), games=3, seed=3, shard_games=2)


class Cut(BaseException):
    """Stands for the end of the process: nothing afterwards is executed."""


class Disk:
    """Counts disk operations; from number `last` on they fail with `error`, once or always."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, error: BaseException, for_good: bool) -> None:
        self.count, self.last = 0, -1
        self._error, self._for_good = error, for_good
        for name in ("mkdir", "replace", "unlink"):
            monkeypatch.setattr(Path, name, self._counted(getattr(Path, name)))
        # There is no power cut here, so syncing to the disk would only take time.
        monkeypatch.setattr(os, "fsync", self._counted(lambda handle: None))
        monkeypatch.setattr(write._Digest, "write", self._counted(write._Digest.write))

    def _counted(self, operation: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            number, self.count = self.count, self.count + 1
            if number == self.last or (self._for_good and 0 <= self.last < number):
                raise self._error
            return operation(*arguments, **options)

        return counted


def last_operations(tmp_path: Path, disk: Disk) -> tuple[dict[str, bytes], range]:
    """The files of an uninterrupted run, and the numbers of its disk operations."""
    write_archive(tmp_path / "first", JOB)  # Writes to the cache of compiled code must not be counted.
    disk.count = 0
    write_archive(tmp_path / "whole", JOB)
    count, disk.count = disk.count, 0
    return contents(tmp_path / "whole"), range(count)


def resume(folder: Path, disk: Disk, whole: dict[str, bytes]) -> None:
    """A resumed run keeps complete files, writes exactly the others, and ends with the bytes of `whole`."""
    disk.count, disk.last = 0, -1
    complete = {shard.number for shard in read_shards(folder)[1]} if (folder / JOB_FILE).exists() else set()
    resumed = write_archive(folder, JOB, resume=True)
    assert set(resumed.made) == {0, 1} - complete
    assert contents(folder) == whole
    assert verify_archive(folder) == []


def test_cut_after_any_operation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This includes the moment between the two renames of a shard and its sidecar."""
    disk = Disk(monkeypatch, Cut(), for_good=True)
    whole, operations = last_operations(tmp_path, disk)
    assert len(operations) > 20
    unmarked = 0
    for last in operations:
        folder = tmp_path / str(last)
        disk.count, disk.last = 0, last
        with pytest.raises(Cut):
            write_archive(folder, JOB)
        left = contents(folder) if folder.exists() else {}
        marked = {name.replace("/_part", "/part").replace(".json", ".parquet") for name in left if "/_part" in name}
        named = {name for name in left if "/part" in name}
        # A sidecar exists only with its shard, and a file with its final name is complete.
        assert marked <= named
        assert all(left[name] == whole[name] for name in left if ".tmp-" not in name)
        unmarked += len(named - marked)
        resume(folder, disk, whole)
    assert unmarked > 0


def test_a_full_disk_at_any_operation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is reported, no temporary file remains, and complete files are kept."""
    disk = Disk(monkeypatch, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), for_good=False)
    whole, operations = last_operations(tmp_path, disk)
    for last in operations:
        folder = tmp_path / str(last)
        disk.count, disk.last = 0, last
        with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
            write_archive(folder, JOB)
        left = contents(folder) if folder.exists() else {}
        assert all(data == whole[name] for name, data in left.items())
        resume(folder, disk, whole)


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
    assert small.stderr.count("\n") == 1
    assert small.stderr.startswith("mextrain selfplay: ")
    assert "File too large" in small.stderr
    assert sorted(contents(tmp_path / "out")) == [JOB_FILE]
    large = limits.run([sys.executable, "-c", program, "large"])
    assert (large.returncode, large.stderr) == (0, "")


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
        complete = {shard.path: shard for shard in read_shards(broken)[1]} if (broken / JOB_FILE).exists() else {}
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
