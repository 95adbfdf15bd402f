"""How a match may go on: possible points of the seats in the rounds to come."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from mextrain._support.integers import whole
from mextrain.bulk.simulate import simulate
from mextrain.errors import MextrainError, shown
from mextrain.game.rules import RuleSet
from mextrain.position import Position

MATCHES = 64
"""Matches that are played by `counting` to see how the rounds to come may end."""
MAX_TOTAL = 1_000_000
"""The most points of a seat in all rounds before."""


def futures(position: Position, totals: object) -> np.ndarray:
    """Return possible points of the seats in all rounds but this one: int64[samples, players].

    `totals`: the points of the seats in the rounds before. Raises `MextrainError` for other totals, and for a round
    whose number in the match is not known.
    """
    rules = position.rules
    before = totals if isinstance(totals, Sequence) and not isinstance(totals, str) else ()
    points = [whole(each) for each in before]
    if len(points) != rules.players or not all(each is not None and 0 <= each <= MAX_TOTAL for each in points):
        raise MextrainError(
            f"totals = {shown(totals)}: the utility match needs the points of the {rules.players} seats in the rounds "
            f"before, whole numbers 0 … {MAX_TOTAL:,}"
        )
    number = position.start.number
    if number is None:
        raise MextrainError(
            f"utility = 'match': it is not known which round of a match the one with the engine {position.engine} is, "
            "so expected a round that was dealt"
        )
    left = rules.rounds - 1 - number
    later = _played(rules)[:, rules.rounds - left :].sum(axis=1) if left else np.zeros((1, rules.players), np.int64)
    return np.array(points, np.int64) + later


@lru_cache(16)
def _played(rules: RuleSet) -> np.ndarray:
    """Points of some whole matches between equal players: int64[matches, rounds, players]."""
    points: np.ndarray = simulate(rules, games=MATCHES, seed=0, policies="counting").points
    return points
