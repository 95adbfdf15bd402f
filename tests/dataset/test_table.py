"""`decision_table`: everything that hobby data sets have, in one table with one schema."""

from __future__ import annotations

from pathlib import Path

import pytest

from mextrain import MextrainError, Position, RuleSet, Tile, simulate
from mextrain.archive import Job, write_archive
from mextrain.dataset import decision_table

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
