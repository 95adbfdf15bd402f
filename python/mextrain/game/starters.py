"""Who begins each round of a match (option `starter`, docs/rules.md section 3)."""

from __future__ import annotations

import numpy as np

from mextrain.game.rules import RuleSet
from mextrain_core.game.rounds import starters_of_rounds
from mextrain_core.model.limits import NONE


def next_starters(rules: RuleSet, starters: np.ndarray, winners: np.ndarray) -> np.ndarray:
    """Return the starters of the rounds that follow: uint8[n], NONE (255) where the stream decides the seat.

    `starters` and `winners` (uint8[n]) are those of the previous rounds. The starter is NONE before the first round of
    a match; the winner is NONE after a blocked round.
    """
    found = np.empty(len(starters), np.uint8)
    starters_of_rounds(rules.record, starters, winners, found)
    return found


def next_starter(rules: RuleSet, starter: int, winner: int | None) -> int | None:
    """Return the starter of the round after one with this starter and winner; None if the stream decides."""
    winners = np.array([NONE if winner is None else winner], np.uint8)
    found = int(next_starters(rules, np.array([starter], np.uint8), winners)[0])
    return None if found == NONE else found
