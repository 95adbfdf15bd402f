"""`check_archive` and `verify_archive`: correct archives pass, and every kind of fault is found."""

from __future__ import annotations

import dataclasses
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mextrain import ArchiveError, MextrainError, Move, Position, RuleSet, simulate
from mextrain.archive import (
    Job,
    Sidecar,
    check_archive,
    read_shards,
    rows,
    verify_archive,
    write_archive,
)
from mextrain.archive.manifest import find_manifest
from mextrain.archive.places import as_place
from mextrain.archive.side_files import read_side_file
from mextrain.cli import main
from tests.archive.jobs import ARCHIVES, FOLDER, Row, contents, resign, rewrite_shard, small_job

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

SHARD = f"{FOLDER}/part-00001.parquet"


@pytest.mark.parametrize(
    "rules",
    [
        RuleSet.mexican(4, rounds=3),
        RuleSet.mexican(2, rounds=4, starter="winner", double_rule="chicken_foot"),
        RuleSet.super(5, rounds=3, starter="rotate", twice_bonus="may", drawn_play="may"),
        RuleSet.mexican(3, rounds=3, starter=2, double_rule="cover", dead_double="binds", double_blank=50),
        RuleSet.super(14, rounds=2, opening="chain", starter="winner", letter_match="anywhere"),
    ],
    ids=lambda rules: f"{rules.preset_name}-{rules.players}",
)
def test_what_was_played_is_right(rules: RuleSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All starters, all tile sets, several shards with several row groups: the sums equal those of the same games."""
    monkeypatch.setattr(rows, "GROUP_ROUNDS", 30)
    write_archive(tmp_path, Job.create(rules, games=60, seed=9, first_game=5, shard_games=25))
    seen: list[tuple[int, int]] = []
    checked = check_archive(tmp_path, lambda done, games: seen.append((done, games)))
    played = simulate(rules, games=60, seed=9, first_game=5)
    assert (checked.shards, checked.rounds) == (3, 60 * rules.rounds)
    assert checked.actions == played.decisions.sum()
    assert checked.hash == played.hash
    assert seen[-1] == (60, 60)
    assert verify_archive(tmp_path) == []


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    write_archive(tmp_path / "out", small_job())
    return tmp_path / "out"


def rewrite(archive: Path, change: Callable[[list[Row]], object], number: int = 1, **sidecar: Any) -> None:
    """Change the rows of a shard of the small job, with a matching sidecar, so that only a replay can find the
    change."""
    rewrite_shard(archive, small_job(), number, change, **sidecar)


def setting(row: int, column: str, value: object) -> Callable[[list[Row]], object]:
    """A change of one value; a function is called with the old value."""

    def change(listed: list[Row]) -> None:
        listed[row][column] = value(listed[row][column]) if callable(value) else value

    return change


def swap(listed: list[Row]) -> None:
    listed[40], listed[41] = listed[41], listed[40]


def repeat(listed: list[Row]) -> None:
    listed[41] = listed[40]


def next_one(value: int) -> int:
    return value + 1


@pytest.mark.parametrize(
    ("change", "row", "reason"),
    [
        (setting(40, "seed", 5), 40, "seed is 5, expected 18446744073709551615"),
        (setting(40, "game", next_one), 40, "game is 51, expected 50"),
        (setting(40, "round", 2), 40, "round is 2, expected 1"),
        (setting(40, "rules", "{}"), 40, "rules is '{}', expected"),
        (setting(40, "policies", "random"), 40, "policies is 'random', expected random,heaviest,random"),
        (setting(40, "engine", "12-12"), 40, "engine is '12-12', expected 11-11"),
        (setting(40, "starter", lambda seat: (seat + 1) % 3), 40, "starter is"),
        (setting(40, "winner", lambda seat: -1 if seat >= 0 else 0), 40, "winner is"),
        (setting(40, "ending", lambda end: "out" if end == "blocked" else "blocked"), 40, "ending is"),
        (setting(40, "ending", "late"), 40, "ending is 'late', expected"),
        (setting(40, "turns", next_one), 40, "turns is"),
        (setting(40, "plays", next_one), 40, "plays is"),
        (setting(40, "draws", next_one), 40, "draws is"),
        (setting(40, "points", lambda points: [points[0] + 1, *points[1:]]), 40, "points is"),
        (swap, 40, "round is 2, expected 1"),
        (repeat, 41, "round is 1, expected 2"),
        (setting(0, "turns", next_one), 0, "turns is"),
        (setting(89, "turns", next_one), 89, "turns is"),
    ],
)
def test_every_column_is_checked(
    change: Callable[[list[Row]], object], row: int, reason: str, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rewrite(archive, change)
    assert verify_archive(archive) == []
    with pytest.raises(ArchiveError) as caught:
        check_archive(archive)
    fault = caught.value
    assert (fault.shard, fault.row, fault.action) == (SHARD, row, None)
    assert fault.reason.startswith(reason)
    assert main(["check", str(archive)]) == 1
    assert capsys.readouterr().out == f"{archive}: {SHARD}, row {row}: {fault.reason}\n"


def moves_of(archive: Path, row: int) -> list[int]:
    """The moves of a row of the shard."""
    actions: list[int] = pq.read_table(archive / SHARD, partitioning=None)["actions"][row].as_py()
    return actions


def test_every_move_is_checked(archive: Path) -> None:
    """An illegal move at any position of a row is found there, with the reason."""
    moves = moves_of(archive, 40)
    row = pq.read_table(archive / SHARD, partitioning=None).slice(40, 1).to_pylist()[0]
    position = Position.deal(small_job().rules, seed=row["seed"], game=row["game"], engine=row["engine"])
    codes = [move.code for move in (position.rules.actions.move(k) for k in range(position.rules.action_count))]
    for action, right in enumerate(moves):
        if action % 9 == 0 or action == len(moves) - 1:
            legal = {move.code for move in position.legal_moves()}
            wrong = next(code for code in codes[action:] if code not in legal)
            rewrite(archive, setting(40, "actions", [*moves[:action], wrong, *moves[action + 1 :]]))
            with pytest.raises(ArchiveError) as caught:
                check_archive(archive)
            fault = caught.value
            assert (fault.shard, fault.row, fault.action) == (SHARD, 40, action)
            assert fault.reason == position.why_illegal(Move.from_code(wrong))
        position.play(Move.from_code(right))


@pytest.mark.parametrize(
    ("change", "action", "reason"),
    [
        (lambda moves: moves[:-1], -1, "the moves end, but the round goes on with seat"),
        (lambda moves: [], 0, "the moves end, but the round goes on with seat"),
        (lambda moves: [*moves, 0x3FFF], 0, "there are moves after the end of the round"),
        (lambda moves: [*moves[:5], 0xFFFF, *moves[6:]], 5, ""),
        (lambda moves: [*moves[:5], 31, *moves[6:]], 5, ""),
    ],
)
def test_moves_that_do_not_fit_the_round(
    change: Callable[[list[int]], list[int]], action: int, reason: str, archive: Path
) -> None:
    count = len(moves_of(archive, 40))
    rewrite(archive, setting(40, "actions", change))
    with pytest.raises(ArchiveError) as caught:
        check_archive(archive)
    at = {-1: count - 1, 0: count if "after" in reason else 0}.get(action, action)
    assert (caught.value.row, caught.value.action) == (40, at)
    assert caught.value.reason.startswith(reason)
    assert str(caught.value).startswith(f"{SHARD}, row 40, action {at}: ")


def test_the_first_fault_is_told(archive: Path) -> None:
    """In any column, even if moves of an earlier row are wrong too."""

    def change(listed: list[Row]) -> None:
        listed[80]["seed"] = 1
        listed[70]["actions"] = []
        listed[60]["turns"] += 1
        listed[65]["points"][0] += 1

    rewrite(archive, change)
    with pytest.raises(ArchiveError, match=r"row 60: turns is"):
        check_archive(archive)


def test_the_hash_of_a_shard_is_compared(archive: Path) -> None:
    rewrite(archive, lambda listed: None, hash=5)
    with pytest.raises(ArchiveError, match=f"{SHARD}: its rounds have the hash .*, and its sidecar says 0{{15}}5"):
        check_archive(archive)


def test_everything_wrong_with_the_files_is_listed(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job = small_job()
    (archive / job.path(0)).unlink()
    data = (archive / job.path(1)).read_bytes()
    (archive / job.path(1)).write_bytes(data[:500] + bytes([data[500] ^ 1]) + data[501:])
    rewrite(archive, list.pop, number=2)
    (archive / job.sidecar_path(3)).unlink()
    shutil.copy(archive / job.path(2), archive / FOLDER / "part-00004.parquet")
    expected = [
        rf"{FOLDER}/part-00000.parquet is missing",
        rf"{FOLDER}/part-00001.parquet was changed: its SHA-256 is \w+, and its sidecar says \w+",
        rf"{FOLDER}/part-00002.parquet has 89 rows, expected 90",
        rf"{FOLDER}/part-00003.parquet has no sidecar, so it may be unfinished",
        rf"{FOLDER}/part-00004.parquet is not a shard of this job",
    ]
    found = verify_archive(archive)
    assert len(found) == len(expected)
    for text, pattern in zip(found, expected, strict=True):
        assert re.fullmatch(pattern, text)
    before = contents(archive)
    assert main(["check", str(archive), "--verify"]) == 1
    assert capsys.readouterr().out.splitlines() == [f"{archive}: {text}" for text in found]
    assert contents(archive) == before


def test_columns_that_are_not_ours(archive: Path) -> None:
    job = small_job()
    table = pq.read_table(archive / SHARD, partitioning=None)
    wide = table.set_column(9, "turns", table["turns"].cast(pa.int64()))
    for changed, reason in (
        (table.drop_columns(["draws"]), "has the columns seed, game, .* expected seed, game"),
        (table.rename_columns(["a\0\n", *table.column_names[1:]]), "has the columns a\ufffd , game, "),
        (wide, "has int64 in the column turns, expected uint32"),
        (table.replace_schema_metadata({}), "belongs to another job or shard, as its metadata say"),
    ):
        pq.write_table(changed, archive / SHARD)
        resign(archive, job, 1)
        with pytest.raises(ArchiveError, match=f"^{SHARD} {reason}"):
            check_archive(archive)


def test_a_folder_without_an_archive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["check", str(tmp_path)], ["check", "--verify", str(tmp_path)]):
        assert main(command) == 2
        assert "holds no archive: there is no _job.parquet in it" in capsys.readouterr().err
    (tmp_path / "x.jsonl").write_text("")
    assert main(["check", "--verify", str(tmp_path / "x.jsonl")]) == 2
    assert "--verify is for archives" in capsys.readouterr().err


# -- formats


def test_every_format_can_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    """Archives of every format version have the same rounds and pass the check."""
    tables, hashes = [], []
    for folder in sorted(ARCHIVES.iterdir()):
        job, shards = read_shards(folder)
        assert job.format == f"mextrain-archive/{folder.name}"
        assert len(shards) == job.shards == 2
        assert verify_archive(folder) == []
        hashes.append(check_archive(folder).hash)
        listed = [row for shard in shards for row in pq.read_table(shard.path, partitioning=None).to_pylist()]
        tables.append([{"ending" if name == "end" else name: row[name] for name in row} for row in listed])
        assert main(["check", str(folder), "--verify"]) == 0
        assert ("no sums to compare" in capsys.readouterr().out) == (folder.name == "1")
    assert len(tables) == 3
    assert all(table == tables[0] for table in tables)
    assert len(set(hashes)) == 1


def test_a_damaged_file_of_the_first_format(tmp_path: Path) -> None:
    """It has no sidecars, so the fault must be found in the file itself."""
    shutil.copytree(ARCHIVES / "1", tmp_path / "1")
    path = tmp_path / "1" / "part-00001.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ArchiveError, match=r"^part-00001.parquet is not a Parquet file"):
        read_shards(tmp_path / "1")
    with pytest.raises(ArchiveError, match=r"^part-00001.parquet is not a Parquet file that can be read"):
        check_archive(tmp_path / "1")


@pytest.mark.parametrize("resume", [False, True])
@pytest.mark.parametrize("number", ["1", "2"])
def test_older_formats_are_not_continued(number: str, resume: bool, tmp_path: Path) -> None:
    folder = tmp_path / number
    shutil.copytree(ARCHIVES / number, folder)
    before = contents(folder)
    job, _ = read_shards(folder)
    mine = Job.create(job.rules, games=3, seed=7, policies=job.policies, first_game=3, shard_games=2)
    with pytest.raises(MextrainError, match=f"of the older format mextrain-archive/{number}, which can be read and"):
        write_archive(folder, mine, resume=resume)
    with pytest.raises(MextrainError, match="the job is of the older format"):
        write_archive(tmp_path / "new", job)
    assert contents(folder) == before
    assert not (tmp_path / "new").exists()


def test_what_is_written_today_is_what_was_written(tmp_path: Path) -> None:
    """The newest format still has the same manifest, sidecars and rows; the bytes depend on the version of pyarrow."""
    golden = ARCHIVES / "3"
    job, _ = read_shards(golden)
    write_archive(tmp_path, job)
    places = as_place(golden), as_place(tmp_path)
    manifests = [find_manifest(place) for place in places]
    assert all(manifests)
    assert read_side_file(places[0], manifests[0]) == read_side_file(places[1], manifests[1])
    for number in range(job.shards):
        new, old = Sidecar.read(tmp_path, job, number), Sidecar.read(golden, job, number)
        assert new is not None
        assert old is not None
        assert dataclasses.replace(new, bytes=old.bytes, sha256=old.sha256, writer=old.writer) == old
        assert pq.read_table(tmp_path / job.path(number)).equals(pq.read_table(golden / job.path(number)))
