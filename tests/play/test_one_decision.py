"""`Deciders` makes the moves that `simulate` makes."""

from __future__ import annotations

from typing import Any

import pytest

from mextrain import Match, Move, PolicyError, RuleSet, simulate
from mextrain.bulk.one_decision import Deciders


def last_legal(decision: Any) -> Move:
    """A plain policy."""
    return decision.legal[-1]


@pytest.mark.parametrize(
    ("rules", "policies"),
    [
        (RuleSet.mexican(4, rounds=2), ["random", "heaviest", "cautious", "counting"]),
        (RuleSet.super(3, rounds=2), ["counting", "random", last_legal]),
        (RuleSet.mexican(3, rounds=1, double_rule="cover"), ["planner", "flat:16", "random"]),
    ],
    ids=["built in", "callback", "compiled and searching"],
)
def test_the_same_games_as_simulate(rules: RuleSet, policies: list[Any]) -> None:
    played = simulate(rules, games=1, seed=5, policies=policies, first_game=3, record_actions=True)
    deciders = Deciders(rules, policies)
    match = Match(rules, seed=5, game=3)
    for number, position in enumerate(match):
        moves = []
        while not position.over:
            move = deciders.move(position)
            moves.append(move.code)
            position.play(move)
        assert moves == played.actions_of(0, number).tolist()
    assert match.totals == tuple(played.totals[0].tolist())


def test_an_illegal_answer_is_named() -> None:
    rules = RuleSet.mexican(2, rounds=1)
    position = Match(rules, seed=1).position
    deciders = Deciders(rules, lambda decision: Move(0, 17, 17).code)
    before = position.line(key=True)
    with pytest.raises(PolicyError, match="expected a legal move"):
        deciders.move(position)
    assert position.line(key=True) == before
