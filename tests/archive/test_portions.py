"""Several processes make parts of one job in one folder."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mextrain import MextrainError, RuleSet
from mextrain.archive import Job, find_job, verify_archive, write_archive
from mextrain.archive.portion import portion
from mextrain.cli import main
from tests.archive.jobs import FOLDER, contents, small_job
from tests.cli.run import fail, succeed
from tests.limits import communicate

pytest.importorskip("pyarrow")

JOB = small_job()


@pytest.fixture
def whole(tmp_path: Path) -> dict[str, bytes]:
    """The files of one run."""
    write_archive(tmp_path / "whole", JOB)
    return contents(tmp_path / "whole")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("0", range(1)), ("3", range(3, 4)), ("1-2", range(1, 3)), ("0-3", range(4)), ("0/4", range(1)),
        ("3/4", range(3, 4)), ("0/3", range(1)), ("2/3", range(2, 4)), ("1-2/3", range(1, 4)), ("0/1", range(4)),
        ("1/8", range(1)), ("0/8", range(0)), (range(1, 3), range(1, 3)), (range(2, 2), range(2, 2)),
    ],
)  # fmt: skip
def test_what_it_means(text: str | range, numbers: range) -> None:
    """Of the four shards of the job."""
    found = portion(text, JOB)
    assert (list(found), type(found)) == (list(numbers), range)


@given(st.integers(1, 10**15), st.integers(1, 2000))
def test_parts_are_disjoint_equal_and_complete(shards: int, parts: int) -> None:
    job = Job.create(JOB.rules, games=shards, shard_games=1)
    found = [portion(f"{part}/{parts}", job) for part in range(parts)]
    assert [each.start for each in found] == [0, *(each.stop for each in found[:-1])]
    assert found[-1].stop == shards
    sizes = {len(each) for each in found}
    assert max(sizes) - min(sizes) <= 1
    assert portion(f"0-{parts - 1}/{parts}", job) == range(shards)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("4", "of this job are 0 … 3"), ("2-4", "0 … 3"), ("3-1", "did you mean 1-3"), ("4/4", "parts are 0 … 3"),
        ("0/0", "1 part or more"), ("", "expected shards"), ("1,2", "expected shards"), ("-1", "expected shards"),
        ("1-2-3", "expected shards"), (7, "expected shards"), (range(0, 4, 2), "expected a range"),
        (range(2, 9), "expected a range"), (range(-1, 2), "expected a range"),
    ],
)  # fmt: skip
def test_what_is_refused(text: Any, told: str, tmp_path: Path) -> None:
    with pytest.raises(MextrainError, match=told):
        write_archive(tmp_path / "out", JOB, shards=text)
    assert not (tmp_path / "out").exists()


def test_parts_make_the_whole(whole: dict[str, bytes], tmp_path: Path) -> None:
    """In any order, also twice; `verify` says what is missing until then."""
    out = tmp_path / "out"
    assert write_archive(out, JOB, shards="2").made == (2,)
    assert verify_archive(out) == [f"{FOLDER}/part-0000{k}.parquet is missing" for k in (0, 1, 3)]
    (out / FOLDER / ".part-00000.parquet.tmp-1-abcdef").write_bytes(b"another process writes here")
    second = write_archive(out, JOB, shards="2-3", workers=2)
    assert (second.shards, second.made, second.is_complete, second.games(second.made)) == ((2, 3), (3,), True, 10)
    assert write_archive(out, JOB, shards=range(2)).made == (0, 1)
    assert verify_archive(out) == []
    assert {name for name in contents(out) if "tmp" in name} == {f"{FOLDER}/.part-00000.parquet.tmp-1-abcdef"}
    # A run that is alone tidies up.
    assert write_archive(out, JOB, resume=True).made == ()
    assert contents(out) == whole
    with pytest.raises(MextrainError, match="holds another job"):
        write_archive(out, Job.create(JOB.rules, games=2), shards="0")


def test_who_may_write_beside_whom(whole: dict[str, bytes], tmp_path: Path) -> None:
    """Parts beside parts, even the same ones; a whole run beside nobody."""
    out, seen = tmp_path / "out", []

    def beside(done: int, games: int) -> None:
        if not seen:
            seen.append(write_archive(out, JOB, shards="0-3").shards)
            with pytest.raises(MextrainError, match="another process is writing into"):
                write_archive(out, JOB, resume=True)

    write_archive(out, JOB, shards="0/1", progress=beside)
    assert seen == [(0, 1, 2, 3)]
    assert contents(out) == whole

    def refused(done: int, games: int) -> None:
        with pytest.raises(MextrainError, match="another process is writing into"):
            write_archive(tmp_path / "alone", JOB, shards="0")

    write_archive(tmp_path / "alone", JOB, progress=refused)
    assert contents(tmp_path / "alone") == whole


def test_damage_is_repaired(whole: dict[str, bytes], tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_archive(out, JOB)
    shard = out / JOB.path(1)
    shard.write_bytes(shard.read_bytes()[:-9] + bytes(9))
    assert write_archive(out, JOB, shards="0-2").made == ()
    repaired = write_archive(out, JOB, shards="0-2", verify=True)
    assert (repaired.made, repaired.remade) == ((1,), 1)
    assert contents(out) == whole


PART = """
import sys
from mextrain.archive import Job, write_archive
from mextrain import RuleSet
job = Job.create(RuleSet.super(3, rounds=2), games=2_000, seed=4, shard_games=50)
print("ready", flush=True)
sys.stdin.readline()
write_archive(sys.argv[1], job, shards=sys.argv[2], backend="scalar")
"""


def test_processes_that_are_killed(tmp_path: Path) -> None:
    """Three processes with overlapping parts begin together, and are killed one after the other; others go on."""
    job = Job.create(RuleSet.super(3, rounds=2), games=2_000, seed=4, shard_games=50)
    write_archive(tmp_path / "whole", job, backend="scalar")
    right, out = contents(tmp_path / "whole"), tmp_path / "out"
    seed = int(os.environ.get("MEXTRAIN_SEED", "0")) or random.randrange(10**6)
    print(f"MEXTRAIN_SEED={seed}")
    chance = random.Random(seed)
    killed = 0
    for _ in range(2):
        parts = [
            subprocess.Popen([sys.executable, "-c", PART, out, part], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            for part in ("0/2", "10-39", "1/2")
        ]
        for process in parts:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
        for process in parts:
            assert process.stdin is not None
            process.stdin.write(b"\n")
            process.stdin.flush()
        # Killed when a number of shards is there: that does not depend on how busy the machine is.
        enough = chance.randrange(1, 30)
        while len([*out.rglob("_part-*.parquet")]) < enough and parts[1].poll() is None:
            threading.Event().wait(0.002)
        parts[1].send_signal(signal.SIGKILL)
        for process in parts:
            assert communicate(process) is not None
        killed += parts[1].returncode == -signal.SIGKILL
        assert [process.returncode for process in (parts[0], parts[2])] == [0, 0]
        assert find_job(out) == job
        assert verify_archive(out) == []
        left = {name for name in contents(out) if ".tmp-" in name}
        assert {name: data for name, data in contents(out).items() if name not in left} == right
        for path in [*out.rglob("*part-*")][:: chance.choice([1, 2])]:
            path.unlink()
    print(f"{killed} killed")
    write_archive(out, job, resume=True, backend="scalar")
    assert contents(out) == right


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["selfplay", "--players", "2", "--option", "rounds=1", "--games", "20", "--shard-games", "5"]
    succeed(capsys, *flags, "--out", str(tmp_path / "whole"))
    here = ["--out", str(tmp_path / "out")]
    text = succeed(capsys, *flags, *here, "--shards", "0-1/3")
    assert "10 games, 10 rounds in " in text
    assert "2 files in " in text
    assert main(["check", "--verify", here[1]]) == 1
    assert "part-00002.parquet is missing" in capsys.readouterr().out
    assert "is empty" in succeed(capsys, *flags, *here, "--shards", "0/9")
    assert '"files": 0' in succeed(capsys, *flags, *here, "--shards", "0/9", "--json")
    assert "kept        1 file of other runs" in succeed(capsys, *flags, *here, "--shards", "1-2")
    succeed(capsys, *flags, *here, "--shards", "3-3")
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")
    assert "shards of this job are 0 … 3" in fail(capsys, *flags, *here, "--shards", "4")
