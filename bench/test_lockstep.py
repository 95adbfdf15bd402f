"""The lockstep backend: whole games by rules and policy, and small numbers of games; the unit is a turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bench.conftest import RULES, size
from mextrain import RuleSet
from mextrain.benchmark.backends import backends_for
from mextrain.bulk.results import Rounds


def play(rules: RuleSet, policy: str, games: int, timed: Callable[..., Any]) -> None:
    """Time games of one policy at all seats; the hash is compared with the scalar backend's."""
    players = {backend.name: backend.player() for backend in backends_for(rules, (policy,) * rules.players, 1).found}
    if "lockstep" not in players:
        pytest.skip("the lockstep backend does not play these rules on this machine")
    table = Rounds.empty(games, rules.rounds, rules.players)
    expected = players["scalar"](0, table)
    turns = int(table.turns.sum())
    assert timed(lambda: players["lockstep"](0, table), turns, "turn") == expected


def test_random(rules: RuleSet, timed: Callable[..., Any]) -> None:
    play(rules, "random", size(50, 5000), timed)


def test_heaviest(timed: Callable[..., Any]) -> None:
    play(RULES["mexican-4"], "heaviest", size(50, 5000), timed)


@pytest.mark.parametrize("games", [1, 5, 25, 125])
def test_few_games(games: int, timed: Callable[..., Any]) -> None:
    """A game has 13 rounds, and lanes without a round are idle."""
    play(RULES["mexican-4"], "random", games, timed)
