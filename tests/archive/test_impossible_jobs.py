"""Manifests and sidecars that this library never writes: a one-line error without delay, and never "no fault"."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mextrain import ArchiveError, MextrainError
from mextrain.archive import JOB_FILE, Job, Sidecar, check_archive, read_job, read_shards, verify_archive, write_archive
from mextrain.archive.layout import OLD_JOB_FILE
from mextrain.archive.manifest import find_manifest
from mextrain.archive.places import as_place
from mextrain.archive.side_files import read_json_file, read_side_file, write_side_file
from mextrain.cli import main
from mextrain.dataset import DecisionDataset, decision_table
from tests.archive.jobs import ARCHIVES, FOLDER, contents, small_job

pytest.importorskip("pyarrow")

WRONG: list[tuple[str, Any, str]] = [
    *(("games", value, "games") for value in (-40, 0, 40.7, "40", True, None, 1e999, 10**30, [40], 2**59)),
    *(("shard_games", value, "shard_games|game") for value in (0, -1, 30.0, "30", False, None, 10**30)),
    *(("first_game", value, "first_game|game") for value in (-1, 7.0, "7", True, None, 2**59, 2**59 - 1)),
    *(("seed", value, "seed") for value in (-1, 2**64, 5.0, "5", True, None)),
    *(("policies", value, "policies") for value in ("random", [], ["random"], ["random"] * 4, [1, 2, 3], {}, None)),
    *(("policies", value, "policies") for value in (["", "random", "random"],)),
    *(("package", value, "package") for value in (1, None, ["0.1.0"])),
    *(("rules", value, "rules|preset|players") for value in (None, [], "super", {}, {"preset": "super"})),
    *(("rules", {"preset": "super", "players": value}, "players") for value in (0, 1, 15, 3.0, "3", True, 10**30)),
    *(("format", value, "format") for value in (None, 3, ["mextrain-archive/2"], "mextrain-archive/4")),
    *(("stream", value, "stream") for value in (None, 1, "mextrain-stream/2")),
]


def refused(folder: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every reader refuses the folder quickly, with the reason in one line of reasonable length."""
    began = time.process_time()
    calls: list[Callable[[], object]] = [
        lambda: read_job(folder),
        lambda: check_archive(folder),
        lambda: verify_archive(folder),
        lambda: read_shards(folder),
        lambda: DecisionDataset(folder),
        lambda: decision_table(folder),
        lambda: write_archive(folder, small_job(), resume=True),
    ]
    for call in calls:
        with pytest.raises(MextrainError, match=text) as caught:
            call()
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 600
    for command in (["check", str(folder)], ["check", "--verify", str(folder)]):
        assert main(command) == 2
        said = capsys.readouterr()
        assert (said.out, said.err.count("\n")) == ("", 1)
    assert time.process_time() - began < 5


def manifest(folder: Path, change: dict[str, Any], is_old: bool) -> None:
    """Write a manifest with some values changed."""
    says = {**small_job().to_dict(), **change}
    if is_old:
        if says["format"] == "mextrain-archive/3":
            says["format"] = "mextrain-archive/2"
        (folder / OLD_JOB_FILE).write_text(json.dumps(says))
    else:
        (folder / FOLDER).mkdir(parents=True)
        write_side_file(as_place(folder), f"{FOLDER}/{JOB_FILE}", says)


@pytest.mark.parametrize("is_old", [True, False])
@pytest.mark.parametrize(("name", "value", "text"), WRONG, ids=lambda value: str(value)[:30])
def test_a_job_that_cannot_be(
    name: str, value: Any, text: str, is_old: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest(tmp_path, {name: value}, is_old)
    before = contents(tmp_path)
    refused(tmp_path, text, capsys)
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b"", "not JSON"),
        (b"\xff\xfe{}", "not JSON"),
        (b"{" + b" " * 10_000, "not JSON"),
        (b'{"games": ' + b"9" * 5000 + b"}", "not JSON"),
        (b"null", "does not describe a job"),
        (b"NaN", "does not describe a job"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_text_that_is_not_a_job(
    text: bytes, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / OLD_JOB_FILE).write_bytes(text)
    refused(tmp_path, reason, capsys)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("name", [OLD_JOB_FILE, f"{FOLDER}/{JOB_FILE}"])
@pytest.mark.parametrize("kind", ["pipe", "folder", "link"])
def test_a_manifest_that_is_not_a_file(
    name: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Reading must not block on a pipe."""
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero")
    refused(tmp_path, "not a regular file|a directory", capsys)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("what", ["shard", "sidecar"])
def test_a_shard_that_is_not_a_file(what: str, tmp_path: Path) -> None:
    job = small_job()
    write_archive(tmp_path, job)
    before = contents(tmp_path)
    path = tmp_path / (job.path(1) if what == "shard" else job.sidecar_path(1))
    path.unlink()
    os.mkfifo(path)
    (problem,) = verify_archive(tmp_path)
    assert "is not a regular file" in problem or "it is not a regular file" in problem
    for read in (check_archive, read_shards, DecisionDataset):
        with pytest.raises(ArchiveError, match="not a regular file"):
            read(tmp_path)
    assert write_archive(tmp_path, job, resume=True).made == (1,)
    assert contents(tmp_path) == before


def test_a_job_of_more_shards_than_anybody_can_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing loops over missing shards; 20 problems are listed, then only their number."""
    manifest(tmp_path, {"games": 2**59 - 7, "shard_games": 1}, is_old=False)
    began = time.process_time()
    problems = verify_archive(tmp_path)
    assert problems[:2] == [f"{FOLDER}/part-{number:05}.parquet is missing" for number in range(2)]
    assert problems[20:] == [f"and {2**59 - 7 - 20:,} more problems"]
    assert main(["check", str(tmp_path)]) == 1
    assert "part-00000.parquet is missing" in capsys.readouterr().out
    assert main(["check", "--verify", str(tmp_path)]) == 1
    assert len(capsys.readouterr().out.splitlines()) == 21
    assert read_shards(tmp_path)[1] == []
    assert DecisionDataset(tmp_path).missing_shards == 2**59 - 7
    assert list(DecisionDataset(tmp_path)) == []
    assert time.process_time() - began < 5


def test_problems_are_counted(tmp_path: Path) -> None:
    """Problems of every kind, in the order of the shards."""
    job = Job.create(small_job().rules, games=60, shard_games=2)
    write_archive(tmp_path, job)
    for number in (0, 7, 8):
        (tmp_path / job.path(number)).unlink()
    for number in range(9, 26):
        (tmp_path / job.path(number)).write_bytes(b"")
    shutil.copy(tmp_path / job.path(1), tmp_path / FOLDER / "part-00099.parquet")
    problems = verify_archive(tmp_path)
    assert len(problems) == 21
    assert [int(problem[problem.index("part-") + 5 :][:5]) for problem in problems[:20]] == [0, *range(7, 26)]
    # An empty file is not a Parquet file.
    assert problems[-1].startswith("and ")


# -- anything at all


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
NUMBERS = st.integers() | st.sampled_from([-1, 0, 1, 30, 2**59 - 1, 2**59, 2**63, 2**64 - 1, 2**64])


def replaced(value: Any) -> st.SearchStrategy[Any]:
    """The value with a part of it replaced, removed or added."""
    whole = JSON | NUMBERS | st.just(value)
    if isinstance(value, dict) and value:
        key = st.sampled_from(sorted(value))
        inside = key.flatmap(lambda name: replaced(value[name]).map(lambda new: {**value, name: new}))
        without = key.map(lambda name: {other: value[other] for other in value if other != name})
        return inside | inside | without | whole | st.builds(lambda k, v: {**value, k: v}, st.text(max_size=6), JSON)
    if isinstance(value, list) and value:
        place = st.integers(0, len(value) - 1)
        inside = place.flatmap(lambda k: replaced(value[k]).map(lambda new: [*value[:k], new, *value[k + 1 :]]))
        return inside | inside | whole | place.map(lambda k: value[:k])
    return whole


T = TypeVar("T")


def made(call: Callable[[], T]) -> T | None:
    """The result of a call, or None if it is refused in one line."""
    try:
        return call()
    except MextrainError as error:
        if str(error).isprintable():
            return None
        raise


@given(replaced(small_job().to_dict()))
def test_any_job(says: Any) -> None:
    """It is refused, or it is a job that `Job.create` can make, and is written back unchanged."""
    job = made(lambda: Job.from_dict(says))
    if job is None:
        return
    assert all(job.to_dict()[name] == says[name] for name in ("seed", "first_game", "games", "shard_games", "policies"))
    assert job.shards >= 1
    again = Job.create(
        job.rules, games=job.games, seed=job.seed, first_game=job.first_game, shard_games=job.shard_games
    )
    assert (again.shards, again.shard(0)) == (job.shards, job.shard(0))


GOLDEN_JOB = read_job(ARCHIVES / "2")
GOLDEN_SIDECAR = read_json_file(as_place(ARCHIVES / "2"), GOLDEN_JOB.sidecar_path(0).as_posix())


@given(replaced(GOLDEN_SIDECAR))
def test_any_sidecar(tmp_path_factory: pytest.TempPathFactory, says: Any) -> None:
    """It is refused, or its numbers are consistent, and its statistics can be printed."""
    folder = tmp_path_factory.getbasetemp() / "any-sidecar"
    path = folder / GOLDEN_JOB.sidecar_path(0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(says))
    sidecar = made(lambda: Sidecar.read(folder, GOLDEN_JOB, 0))
    if sidecar is None:
        return
    assert (sidecar.rows, sidecar.bytes, sidecar.sha256) == (says["rows"], says["bytes"], says["sha256"])
    assert str(sidecar.summary)
    stored = json.loads(json.dumps(sidecar.summary.state()))
    assert stored == {name: says["summary"][name] for name in stored}


@given(st.binary(max_size=200) | st.text(alphabet='[]{}",:0123456789eE+-.truefalsn \\u', max_size=60).map(str.encode))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.getbasetemp() / "any-bytes"
    for path in (folder / "1" / OLD_JOB_FILE, folder / "2" / FOLDER / JOB_FILE):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    for archive in (folder / "1", folder / "2"):
        with pytest.raises(MextrainError) as caught:
            read_job(archive)
        assert str(caught.value).isprintable()


def test_two_archives_in_one_folder(tmp_path: Path) -> None:
    for players in (2, 3):
        job = Job.create(small_job().rules.replace(players=players), games=2)
        write_archive(tmp_path / str(players), job)
        shutil.copytree(tmp_path / str(players), tmp_path / "both", dirs_exist_ok=True)
    with pytest.raises(MextrainError, match="holds 2 archives"):
        read_job(tmp_path / "both")
    # A manifest without its shards.
    manifest = find_manifest(as_place(tmp_path / "2"))
    assert manifest is not None
    target = tmp_path / "other" / FOLDER / JOB_FILE
    target.parent.mkdir(parents=True)
    shutil.copy(tmp_path / "2" / manifest, target)
    assert read_side_file(as_place(tmp_path / "other"), f"{FOLDER}/{JOB_FILE}")["rules"]["players"] == 2
    with pytest.raises(MextrainError, match=r"it lies in .*, and its shards in preset=super/players=2"):
        read_job(tmp_path / "other")
