"""Whole games in one call of the kernel, by policy; the unit is a turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bench.conftest import RULES, size
from mextrain import RuleSet
from mextrain.bulk.policies import POLICIES
from mextrain.bulk.results import Rounds
from mextrain.bulk.seat_policies import Seats
from mextrain.bulk.simulate import Player


def play(rules: RuleSet, policy: str, games: int, timed: Callable[..., Any], record: bool = False) -> None:
    """Time `games` games of one policy at all seats."""
    player = Player(rules, Seats.of(policy, rules.players), 1)
    table = Rounds.empty(games, rules.rounds, rules.players)
    actions = np.zeros(games * rules.rounds * 512 if record else 0, np.uint16)
    expected, _ = player.play(0, table, actions)
    turns = int(table.turns.sum())
    result, _ = timed(lambda: player.play(0, table, actions), turns, "turn")
    assert result == expected


def test_random(rules: RuleSet, timed: Callable[..., Any]) -> None:
    play(rules, "random", size(50, 3000), timed)


@pytest.mark.parametrize("policy", POLICIES)
def test_policies(policy: str, timed: Callable[..., Any]) -> None:
    play(RULES["mexican-4"], policy, size(50, 2000), timed)


def test_recording_moves(timed: Callable[..., Any]) -> None:
    play(RULES["mexican-4"], "random", size(50, 3000), timed, record=True)
