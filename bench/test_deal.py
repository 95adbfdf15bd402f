"""Dealing a round: hands, boneyard and starter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from bench.conftest import size
from mextrain import RuleSet
from mextrain_core.deal import deal
from mextrain_core.state import new_states


@njit(nogil=True)
def deal_all(states: np.ndarray, rules: np.ndarray, engine: np.uint64, games: int) -> None:
    """Deal one round of each game."""
    for game in range(games):
        deal(states, 0, rules, np.uint64(1), np.uint64(game), engine, np.uint64(255))


def test_deal(rules: RuleSet, timed: Callable[..., Any]) -> None:
    states = new_states(1)
    engine = np.uint64(rules.tiles.half_code(rules.engines[0].high))
    games = size(5_000, 200_000)
    timed(lambda: deal_all(states, rules.record, engine, games), games, "deal")
    assert states[0].hand_count[: rules.players].tolist() == [rules.hand_size] * rules.players
