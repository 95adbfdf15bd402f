"""`decision_table`: everything that hobby data sets have, in one table with one schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mextrain import ArchiveError, MextrainError, Position, RuleSet, Tile, simulate
from mextrain.archive import Job, write_archive
from mextrain.dataset import decision_table
from tests.archive.jobs import Row, rewrite_shard

pa = pytest.importorskip("pyarrow")


@pytest.mark.parametrize(
    "rules",
    [RuleSet.mexican(2, rounds=2, double_rule="chicken_foot"), RuleSet.super(4, rounds=1)],
    ids=lambda rules: rules.preset_name,
)
def test_the_table_says_what_happened(rules: RuleSet, tmp_path: Path) -> None:
    """Each row is compared with the position that its moves lead to; in every row the tiles add up to the set."""
    write_archive(tmp_path, Job.create(rules, games=3, seed=4, first_game=2, shard_games=2))
    played = simulate(rules, games=3, seed=4, first_game=2)
    listed = decision_table(tmp_path).to_pylist()
    assert len(listed) == played.decisions.sum()
    position = None
    for row in listed:
        game, number = row["game"] - 2, row["round"]
        if row["step"] == 0:
            assert position is None or position.over
            starter, engine = int(played.starter[game, number]), rules.engines[number]
            position = Position.deal(rules, seed=4, game=row["game"], engine=engine, starter=starter)
            laid = [str(position.engine)]
        assert position is not None
        seat = position.seat
        assert (row["seed"], row["seat"], row["turn"]) == (4, seat, position.turns)
        assert row["hand"] == list(map(str, position.hands[seat]))
        assert sorted([*row["hand"], *row["unseen"], *laid]) == sorted(map(str, rules.tiles))
        assert row["legal"] == list(position.legal_texts())
        assert row["move"] in row["legal"]
        assert row["ends"] == [" ".join(map(str, position.ends(train))) for train in [*range(rules.players), "M"]]
        assert row["markers"] == [position.is_open(train) for train in range(rules.players)]
        assert row["points"] == played.points[game, number].tolist()
        assert row["winner"] == played.winner[game, number]
        assert row["ending"] == ("blocked" if row["winner"] < 0 else "out")
        if row["move"] == "stop":
            assert row["train"] is None
        else:
            tile, train = row["move"].split("@")
            assert row["train"] == train
            laid.append(str(Tile.parse(tile)))
        position.play(row["move"])


def test_one_schema_for_all_rules(tmp_path: Path) -> None:
    tables = []
    for players in (2, 3, 14):
        rules = RuleSet.mexican(players, rounds=1)
        write_archive(tmp_path / str(players), Job.create(rules, games=5))
        tables.append(decision_table(tmp_path / str(players), rounds=2))
        assert set(tables[-1]["game"].to_pylist()) == {0, 1}
    assert pa.concat_tables(tables).num_rows == sum(table.num_rows for table in tables)


def test_numbers_out_of_range(tmp_path: Path) -> None:
    for rounds in (0, -1, 2.5, True):
        with pytest.raises(MextrainError, match=r"rounds = .*expected a whole number from 1"):
            decision_table(tmp_path, rounds=rounds)  # type: ignore[arg-type]
    with pytest.raises(MextrainError, match="holds no archive"):
        decision_table(tmp_path)


def test_several_archives_and_a_range(tmp_path: Path) -> None:
    """Archives of different rules one after the other; rounds are counted over all of them."""
    for players in (2, 3):
        write_archive(tmp_path / str(players), Job.create(RuleSet.mexican(players, rounds=2), games=6, seed=players))
    folders = (tmp_path / "2", tmp_path / "3")

    def rounds(**options: Any) -> list[tuple[int, int, int]]:
        listed = decision_table(*folders, **options).to_pylist()
        return list(dict.fromkeys((row["seed"], row["game"], row["round"]) for row in listed))

    whole = [(seed, game, number) for seed in (2, 3) for game in range(6) for number in range(2)]
    assert rounds() == whole
    assert rounds(rounds=15) == whole[:15]
    assert rounds(games=range(2, 4)) == [key for key in whole if key[1] in (2, 3)]
    assert rounds(games=range(5, 100), rounds=3) == [(2, 5, 0), (2, 5, 1), (3, 5, 0)]
    for wrong in (100, None):
        with pytest.raises(MextrainError, match="expected the path of a folder"):
            decision_table(folders[0], wrong)  # type: ignore[arg-type]
    with pytest.raises(MextrainError, match="name one or more folders"):
        decision_table()


def test_rows_that_are_not_what_their_moves_lead_to(tmp_path: Path) -> None:
    job = Job.create(RuleSet.mexican(2, rounds=2), games=3)
    for column, value, reason in (
        ("points", [1, 2], r"points is \[1, 2\], expected \["),
        ("winner", lambda seat: -1 if seat >= 0 else 0, "winner is"),
        ("ending", lambda end: {"out": "blocked", "blocked": "out"}[end], "ending is"),
        ("actions", lambda moves: moves[:-1], ""),
        ("actions", lambda moves: [31, *moves[1:]], ""),
        ("actions", lambda moves: [*moves, 0xFFFF], ""),
    ):
        folder = tmp_path / f"{column}{reason}"
        write_archive(folder, job)

        def change(listed: list[Row], column: str = column, value: Any = value) -> None:
            listed[3][column] = value(listed[3][column]) if callable(value) else value

        rewrite_shard(folder, job, 0, change)
        with pytest.raises(ArchiveError, match=rf"^preset=mexican/players=2/part-00000.parquet, row 3: {reason}"):
            decision_table(folder)
