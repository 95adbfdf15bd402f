"""`mextrain hands`."""

from __future__ import annotations

import json

import pytest

from mextrain import RuleSet, survey_hands
from mextrain.game.options import PLAYERS_TABLE
from tests.cli.interrupting import interrupt
from tests.cli.run import succeed


def test_one_set_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    text = succeed(capsys, "hands", "--players", "7", "--games", "300", "--seed", "4", "--first-game", "2")
    assert text == f"{survey_hands(RuleSet.mexican(7), games=300, seed=4, first_game=2)}\nseed 4, games 2 … 301\n"


@pytest.mark.parametrize("workers", ["1", "3"])
def test_one_set_for_programs(workers: str, capsys: pytest.CaptureFixture[str]) -> None:
    extra = ["--goal", "heaviest", "--workers", workers, "--json"]
    found = json.loads(succeed(capsys, "hands", "--rules", "super", "--games", "200", *extra))
    assert found == survey_hands(RuleSet.super(4), games=200, goal="heaviest").to_dict()


def test_all_usual_sets(capsys: pytest.CaptureFixture[str]) -> None:
    """Every set and hand size of both presets has one line of at most 100 columns."""
    usual = {hand for table in PLAYERS_TABLE.values() for hand in table.values()}
    text = succeed(capsys, "hands", "--games", "30", "--workers", "2")
    lines = text.splitlines()
    assert max(map(len, lines)) <= 100
    rows = [line.split() for line in lines[3:-1]]
    assert {(row[0], int(row[1])) for row in rows} == usual
    assert len(rows) == len(usual)
    found = json.loads(succeed(capsys, "hands", "--games", "30", "--json"))["hands"]
    rules = [RuleSet.from_dict(one["rules"]) for one in found]
    assert {(each.tile_set, each.hand_size) for each in rules} == usual


def test_ctrl_c_prints_what_is_finished() -> None:
    ended = interrupt("hands", "--players", "5", "--games", str(10**12), "--json")
    assert ended.code == 130
    found = json.loads(ended.out)
    assert ended.err == f"mextrain hands: interrupted after {found['deals']:,} games\n"
    assert found == survey_hands(RuleSet.mexican(5), games=found["deals"], workers=2).to_dict()
