"""Archives in object stores: the same files, the same readers, and uploads that fail at any moment."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mextrain import ArchiveError, MextrainError, RuleSet
from mextrain.archive import (
    Job,
    check_archive,
    find_job,
    read_job,
    read_shards,
    verify_archive,
    write_archive,
)
from mextrain.dataset import DecisionDataset, decision_table
from tests.archive.disks import Cut
from tests.archive.jobs import contents
from tests.cli.run import fail, succeed

fs = pytest.importorskip("pyarrow.fs")

JOB = Job.create(RuleSet.super(3, rounds=1), games=10, seed=3, shard_games=4)


def memory_store() -> Any:
    from tests.archive.stores import MemoryStore

    return fs.PyFileSystem(MemoryStore())


def with_fsspec() -> Any:
    fsspec = pytest.importorskip("fsspec")
    return fs.PyFileSystem(fs.FSSpecHandler(fsspec.filesystem("memory", skip_instance_cache=True)))


STORES: dict[str, Callable[[Path], Any]] = {
    "local": lambda path: fs.SubTreeFileSystem(str(path / "out"), fs.LocalFileSystem()),
    "local, below": lambda path: fs.SubTreeFileSystem("a/b", fs.SubTreeFileSystem(str(path), fs.LocalFileSystem())),
    "mock": lambda path: fs.SubTreeFileSystem("bucket/run", fs._MockFileSystem()),
    "memory": lambda path: memory_store(),
    "memory, below": lambda path: fs.SubTreeFileSystem("bucket/run", memory_store()),
    "fsspec": lambda path: fs.SubTreeFileSystem(f"/{path.name}", with_fsspec()),
}


@pytest.fixture
def whole(tmp_path: Path) -> dict[str, bytes]:
    """The files of a run into a folder."""
    write_archive(tmp_path / "whole", JOB)
    return contents(tmp_path / "whole")


@pytest.mark.parametrize("kind", STORES)
def test_the_same_files_and_readers(kind: str, whole: dict[str, bytes], tmp_path: Path) -> None:
    from tests.archive.stores import objects

    files = STORES[kind](tmp_path)
    assert find_job(files) is None
    written = write_archive(files, JOB)
    assert written.made == (0, 1, 2)
    assert objects(files) == whole
    assert write_archive(files, JOB, workers=2).made == ()
    assert (read_job(files), verify_archive(files), check_archive(files).rounds) == (JOB, [], 10)
    local = tmp_path / "whole"
    for mine, theirs in zip(DecisionDataset(files, seed=1), DecisionDataset(local, seed=1), strict=True):
        assert (mine.action == theirs.action).all()
    assert decision_table(files).equals(decision_table(local))

    mark = JOB.sidecar_path(1)
    files.delete_file(mark.as_posix())
    assert verify_archive(files) == [f"{JOB.path(1).as_posix()} has no sidecar, so it may be unfinished"]
    assert [shard.number for shard in read_shards(files)[1]] == [0, 2]
    assert DecisionDataset(files).missing_shards == 1
    with pytest.raises(MextrainError, match="2 of the 3 shards"):
        write_archive(files, JOB)
    assert write_archive(files, JOB, resume=True).made == (1,)
    with files.open_output_stream(JOB.path(2).as_posix()) as file:
        file.write(b"PAR1")
    assert "has 4 bytes" in verify_archive(files)[0]
    assert write_archive(files, JOB, shards="1-2").remade == 1
    assert objects(files) == whole
    with pytest.raises(MextrainError, match="holds another job"):
        write_archive(files, Job.create(JOB.rules, games=1), resume=True)


def full() -> OSError:
    return OSError(errno.EIO, os.strerror(errno.EIO))


@pytest.mark.parametrize("error", [Cut, full])
@pytest.mark.parametrize("damaged", [False, True])
def test_an_upload_fails_at_any_operation(
    error: Callable[[], BaseException], damaged: bool, whole: dict[str, bytes]
) -> None:
    """Readers see complete shards only, or say which one is damaged; a resumed run makes the same files."""
    from tests.archive.stores import MemoryStore

    fatal = 0
    while True:
        store = MemoryStore(fatal, error)
        if damaged:
            store.objects = {**whole, JOB.path(1).as_posix(): b"PAR1"}
        try:
            write_archive(fs.PyFileSystem(store), JOB, resume=True)
        except (Cut, OSError):
            pass
        else:
            break
        after = MemoryStore()
        after.objects = dict(store.objects)
        files = fs.PyFileSystem(after)
        sound = set()
        if find_job(files) is not None:
            # A shard that does not fit its sidecar is an error for readers.
            with suppress(ArchiveError):
                sound = {shard.number for shard in read_shards(files)[1]}
        assert all(after.objects[JOB.path(number).as_posix()] == whole[JOB.path(number).as_posix()] for number in sound)
        resumed = write_archive(files, JOB, resume=True)
        assert not sound.intersection(resumed.made)
        assert after.objects == whole
        fatal += 1
    assert fatal == len(store.log) > (6 if damaged else 20) - 1


def test_an_uri_of_a_folder(whole: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`file://` is the folder itself, spaces and all."""
    folder = tmp_path / "a b"
    uri = folder.as_uri()
    assert uri.startswith("file:///")
    assert write_archive(uri, JOB).folder == folder
    assert contents(folder) == whole
    assert "3 files, 10 rounds" in succeed(capsys, "check", uri)
    assert "3 files, all there" in succeed(capsys, "check", "--verify", uri)
    flags = ["--rules", "super", "--players", "3", "--option", "rounds=1", "--games", "10", "--seed", "3"]
    assert "nothing: all 10 games" in succeed(capsys, "selfplay", *flags, "--shard-games", "4", "--out", uri)


@pytest.mark.parametrize("uri", ["nosuch://user:secret@host/a?key=secret", "file://host/a", "s3://a b:secret@c"])
def test_uris_that_cannot_be_used(uri: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, without the keys that a URI may hold."""
    with pytest.raises(MextrainError, match="pyarrow cannot open it") as caught:
        write_archive(uri, JOB)
    assert "secret" not in str(caught.value)
    assert "pyarrow cannot open it" in fail(capsys, "selfplay", "--games", "1", "--out", uri)
    assert "pyarrow cannot open it" in fail(capsys, "check", uri)


@pytest.mark.parametrize("folder", [fs.LocalFileSystem(), 5, None, object()])
def test_what_is_not_a_folder(folder: Any) -> None:
    with pytest.raises(MextrainError, match="folder "):
        write_archive(folder, JOB)
