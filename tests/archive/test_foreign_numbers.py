"""Every integer in a file that is used as an index, set to an invalid value, gives an error or the same result.

The check `bounds` of ci/run checks every index, so an invalid number that gets through is sure to fail there; otherwise
it would read or write other memory.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mextrain import ArchiveError, RuleSet
from mextrain.archive import Job, check_archive, read_job, verify_archive, write_archive
from mextrain.archive.places import as_place
from mextrain.archive.verify import sha256_of
from mextrain.cli import main
from mextrain.dataset import DecisionDataset, decision_table
from tests.archive.jobs import ARCHIVES, Row, rewrite_shard

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

VALUES = (0, 2, 3, 31, 64, 127, 200, 255)
LARGEST = {"seed": 2**64 - 1, "game": 2**64 - 1, "turns": 2**32 - 1, "plays": 2**32 - 1, "draws": 2**32 - 1}
COLUMNS = ("seed", "game", "round", "starter", "winner", "turns", "plays", "draws")
LISTS = {"actions": (0x8000, 0xFFFF), "points": (-1, 2**63 - 1, -(2**63))}
ROW = 4
"""The second round of the second game, whose starter depends on the round before."""


@pytest.fixture(scope="module", params=["draw", "winner", "rotate", 1])
def archive(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Job]:
    """Two games of three rounds in one shard, with every kind of starter."""
    rules = RuleSet.super(2, rounds=3, starter=request.param)
    job, folder = Job.create(rules, games=2, seed=7, policies="random,heaviest"), tmp_path_factory.mktemp("archive")
    write_archive(folder, job)
    return folder, job


def everything_of(folder: Path, job: Job) -> dict[str, Callable[[], Any]]:
    """The results of all readers for an archive."""

    def batches() -> list[list[Any]]:
        return [[array.tolist() for array in vars(batch).values()] for batch in DecisionDataset(folder, shuffle=False)]

    def shares() -> int:
        dataset = DecisionDataset(folder)
        return sum(len(batch) for rank in range(2) for batch in dataset.batches(rank=rank, world_size=2))

    return {
        "check": lambda: check_archive(folder),
        "verify": lambda: verify_archive(folder),
        "batches": batches,
        "shares": shares,
        "len": lambda: len(DecisionDataset(folder, games=range(job.first_game + 1, job.first_game + 2))),
        "table": lambda: decision_table(folder, games=range(job.first_game + 1, 10)).to_pylist(),
    }


def outcomes(folder: Path, job: Job) -> dict[str, Any]:
    """The outcome of each reader: its result, or None for an `ArchiveError`."""
    found = {}
    for name, read in everything_of(folder, job).items():
        try:
            found[name] = read()
        except ArchiveError:
            found[name] = None
    return found


def setting(row: int, column: str, value: int, place: int | None = None) -> Callable[[list[Row]], object]:
    """A change of a value in a column, or of an element of a list."""

    def change(listed: list[Row]) -> None:
        if place is None:
            listed[row][column] = value
        else:
            listed[row][column][place] = value

    return change


def changes() -> list[tuple[str, int, Callable[[list[Row]], object]]]:
    """Every column with every value, at a row; of lists one element, and lists of other lengths."""
    found: list[tuple[str, int, Callable[[list[Row]], object]]] = []
    for column in COLUMNS:
        # A winner is signed and has eight bits.
        values = {v - 256 if column == "winner" and v > 127 else v for v in (*VALUES, LARGEST.get(column, 0))}
        found += [(column, value, setting(ROW, column, value)) for value in sorted(values)]
    for column, more in LISTS.items():
        for place in (0, -1):
            found += [(column, value, setting(ROW, column, value, place)) for value in (*VALUES, *more)]
    for column, length in (("points", 0), ("points", 1), ("points", 3), ("actions", 0), ("actions", 5000)):

        def resize(listed: list[Row], column: str = column, length: int = length) -> None:
            listed[ROW][column] = (listed[ROW][column] * 5000)[:length]

        found.append((f"length of {column}", length, resize))
    return found


def test_every_number_in_every_reader(archive: tuple[Path, Job], tmp_path: Path) -> None:
    folder, job = archive
    right, was = outcomes(folder, job), pq.read_table(folder).to_pylist()[ROW]
    assert all(result is not None for result in right.values())
    counts = {"error": 0, "same": 0}
    for column, value, change in changes():
        copy = tmp_path / "copy"
        shutil.copytree(folder, copy)
        rewrite_shard(copy, job, 0, change)
        found = outcomes(copy, job)
        shutil.rmtree(copy)
        assert found["verify"] == []
        for name in ("batches", "shares", "len", "table"):
            assert found[name] in (None, right[name]), (name, column, value)
        unchanged = found["check"] is not None
        if unchanged:
            assert was.get(column) == value or (column in LISTS and value in was[column]), (column, value)
        counts["same" if unchanged else "error"] += 1
    print(f"{counts['error']} errors, {counts['same']} values that were there before")
    assert counts["error"] > 10 * counts["same"]


@pytest.mark.parametrize("number", ["1", "2"])
def test_the_older_formats(number: str, tmp_path: Path) -> None:
    """They have the same checks; the first format has no others."""
    archive = tmp_path / "archive"
    shutil.copytree(ARCHIVES / number, archive)
    job = read_job(archive)
    right = outcomes(archive, job)
    assert all(result is not None for result in right.values())
    for column, value in (("starter", 200), ("winner", 100), ("round", 250), ("game", 2**64 - 1)):
        copy = tmp_path / f"{column}"
        shutil.copytree(archive, copy)
        if number == "1":
            rewrite_shard(copy, job, 0, setting(-1, column, value))
        else:
            rewrite_old_shard(copy, job, column, value)
        found = outcomes(copy, job)
        assert [name for name, result in found.items() if result is not None] == ["verify"]
        assert main(["check", str(copy)]) == 1


def rewrite_old_shard(archive: Path, job: Job, column: str, value: int) -> None:
    """Change a value of the last row of a shard of the second format, and its sidecar."""
    path, mark = archive / job.path(0), archive / job.sidecar_path(0)
    table = pq.read_table(path, partitioning=None)
    listed = table[column].to_pylist()
    place = table.schema.get_field_index(column)
    changed = pa.array([*listed[:-1], value], table.schema.field(column).type)
    pq.write_table(table.set_column(place, table.schema.field(column), changed), path)
    says = json.loads(mark.read_text())
    digest = sha256_of(as_place(archive), job.path(0).as_posix())
    mark.write_text(json.dumps({**says, "bytes": path.stat().st_size, "sha256": digest}))


def test_moves_of_any_code(tmp_path: Path) -> None:
    """Any 16-bit number as the first, second or last move is the original one or an error."""
    job = Job.create(RuleSet.super(3, rounds=1), games=1, seed=3)
    write_archive(tmp_path / "archive", job)
    was = pq.read_table(tmp_path / "archive")["actions"][0].as_py()
    codes = np.random.default_rng(5).permutation(2**16)[:40].tolist()
    for place in (0, 1, -1):
        for code in set(codes) - {was[place]}:
            copy = tmp_path / "copy"
            shutil.copytree(tmp_path / "archive", copy)

            def change(listed: list[Row], place: int = place, code: int = code) -> None:
                listed[0]["actions"][place] = code

            rewrite_shard(copy, job, 0, change)
            for name in ("check", "batches"):
                with pytest.raises(ArchiveError):
                    everything_of(copy, job)[name]()
            shutil.rmtree(copy)
