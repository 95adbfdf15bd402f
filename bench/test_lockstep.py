"""The lockstep engine: whole games by rules and policy, and how it fares with few games; the unit is a turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bench.conftest import RULES, size
from mextrain import RuleSet
from mextrain_core import lockstep, rollout
from mextrain_core.policies import HEAVIEST, RANDOM
from mextrain_core.state import new_states


def play(rules: RuleSet, policy: int, games: int, timed: Callable[..., Any]) -> None:
    """Time games of one policy at all seats; the hash is compared with the scalar engine's."""
    policies = [policy] * rules.players
    if not lockstep.accepts(rules.record, policies):
        pytest.skip("the lockstep engine does not play these rules on this machine")
    points = np.zeros((games, rules.rounds, rules.players), np.int64)
    facts = np.zeros((games, rules.rounds, len(rollout.ROUND_FIELDS)), np.int32)

    def lanes() -> int:
        return lockstep.play_games(rules.record, policies, 1, 0, games, points, facts)[0]

    lanes()
    turns = int(facts[:, :, rollout.ROUND_FIELDS.index("turns")].sum())
    ids, nothing = np.array(policies, np.uint8), np.zeros(0, np.uint16)
    numbers = np.uint64(1), np.uint64(0), games
    expected, _ = rollout.play_games(new_states(1), 0, rules.record, ids, *numbers, points, facts, nothing)
    assert timed(lanes, turns, "turn") == expected


def test_random(rules: RuleSet, timed: Callable[..., Any]) -> None:
    play(rules, RANDOM, size(50, 5000), timed)


def test_heaviest(timed: Callable[..., Any]) -> None:
    play(RULES["mexican-4"], HEAVIEST, size(50, 5000), timed)


@pytest.mark.parametrize("games", [1, 5, 25, 125])
def test_few_games(games: int, timed: Callable[..., Any]) -> None:
    """A game has 13 rounds, and lanes without a round do nothing."""
    play(RULES["mexican-4"], RANDOM, games, timed)
