"""`mextrain stats`."""

from __future__ import annotations

import json

import pytest

from mextrain import RuleSet, simulate
from mextrain.bulk.stats import Summary
from tests.cli.interrupting import A_SECOND, interrupt
from tests.cli.run import succeed

ARGUMENTS = ["stats", "--rules", "super", "--players", "3", "--games", "70", "--seed", "9", "--option", "rounds=4"]


@pytest.fixture(scope="module")
def summary() -> Summary:
    return simulate(RuleSet.super(3, rounds=4), games=70, seed=9, first_game=5, policies="heaviest").summary()


def test_for_people(summary: Summary, capsys: pytest.CaptureFixture[str]) -> None:
    text = succeed(capsys, *ARGUMENTS, "--policy", "heaviest", "--first-game", "5")
    assert text == f"{summary.text(80)}\nseed 9, games 5 … 74\n"


@pytest.mark.parametrize("workers", ["1", "2", "8"])
def test_for_programs(workers: str, summary: Summary, capsys: pytest.CaptureFixture[str]) -> None:
    extra = ["--policy", "heaviest,heaviest,heaviest", "--first-game", "5", "--workers", workers, "--json"]
    found = json.loads(succeed(capsys, *ARGUMENTS, *extra))
    assert found == {"seed": 9, "first_game": 5, **summary.to_dict()}


def test_ctrl_c_prints_what_is_finished() -> None:
    """A job that would take days stops within a second, and the games played so far count."""
    ended = interrupt("stats", "--games", str(10**12), "--seed", "9", "--workers", "2", "--json")
    assert ended.code == 130
    assert ended.seconds < 2 * A_SECOND
    found = json.loads(ended.out)
    games = found.pop("games")
    assert ended.err == f"mextrain stats: interrupted after {games:,} games\n"
    played = simulate(RuleSet.mexican(4), games=min(games, 50_000), seed=9, workers=2)
    if games == played.games:
        assert found["turn_counts"] == played.summary().to_dict()["turn_counts"]
