"""`mextrain tournament`."""

from __future__ import annotations

import json

import pytest

from mextrain import RuleSet, tournament
from tests.cli.interrupting import interrupt
from tests.cli.run import fail, succeed

ARGUMENTS = ["tournament", "--rules", "super", "--players", "3", "--option", "rounds=2", "--seed", "9", "--deals", "12"]
RULES = RuleSet.super(3, rounds=2)


def test_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    text = succeed(capsys, *ARGUMENTS, "--policy", "heaviest,random", "--first-game", "5")
    wanted = tournament(RULES, "heaviest,random", deals=12, seed=9, first_game=5)
    assert text == f"{wanted}\nseed 9, games 5 … 16\n"


@pytest.mark.parametrize("workers", ["1", "2", "8"])
def test_for_programs(workers: str, capsys: pytest.CaptureFixture[str]) -> None:
    extra = ["--policy", "heaviest,random,cautious", "--format", "table", "--workers", workers, "--json"]
    found = json.loads(succeed(capsys, *ARGUMENTS, *extra))
    assert found == tournament(RULES, "heaviest,random,cautious", deals=12, seed=9, format="table").to_dict()


def test_all_built_in_policies_play_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(succeed(capsys, "tournament", "--deals", "2", "--option", "rounds=1", "--json"))
    assert found["policies"] == ["random", "heaviest", "cautious", "planner"]
    assert len(found["pairs"]) == 6


def test_what_cannot_be_played_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert "give two or more" in fail(capsys, "tournament", "--policy", "random")
    assert "for a table of 4 players" in fail(capsys, "tournament", "--policy", "random,random", "--format", "table")
    assert "'league'" in fail(capsys, "tournament", "--format", "league")


def test_ctrl_c_prints_what_is_finished() -> None:
    arguments = ["--policy", "random,heaviest", "--deals", str(10**12), "--seed", "9", "--json"]
    # The first deal takes two games, so after these there is a result to keep.
    ended = interrupt("tournament", *arguments, games=1000)
    assert ended.code == 130
    found = json.loads(ended.out)
    assert ended.err == f"mextrain tournament: interrupted after {found['deals']:,} deals\n"
    assert found == tournament(RuleSet.mexican(4), "random,heaviest", deals=found["deals"], seed=9).to_dict()
