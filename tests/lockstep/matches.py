"""Matches played by both engines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mextrain.rules import RuleSet
from mextrain_core import lockstep, rollout
from mextrain_core.state import new_states


class Matches(NamedTuple):
    """What an engine says about some matches."""

    points: NDArray[np.int64]
    facts: NDArray[np.int32]
    hash: int
    moves: int


def _empty(rules: RuleSet, games: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    shape = games, rules.rounds
    fields = len(rollout.ROUND_FIELDS)
    return np.zeros((*shape, rules.players), np.int64), np.zeros((*shape, fields), np.int32)


def by_lockstep(rules: RuleSet, policies: Sequence[int], seed: int, first_game: int, games: int) -> Matches:
    """Matches of the lockstep engine."""
    points, facts = _empty(rules, games)
    total, moves = lockstep.play_games(rules.record, policies, seed, first_game, games, points, facts)
    return Matches(points, facts, total, moves)


def by_scalar(rules: RuleSet, policies: Sequence[int], seed: int, first_game: int, games: int) -> Matches:
    """Matches of the scalar engine."""
    points, facts = _empty(rules, games)
    numbers = np.uint64(seed), np.uint64(first_game), games
    total, moves = rollout.play_games(
        new_states(1), 0, rules.record, np.array(policies, np.uint8), *numbers, points, facts, np.zeros(0, np.uint16)
    )
    return Matches(points, facts, int(total), int(moves))


def assert_equal(rules: RuleSet, policies: Sequence[int], seed: int, first_game: int, games: int) -> None:
    """Both engines say the same of every round."""
    ours = by_lockstep(rules, policies, seed, first_game, games)
    truth = by_scalar(rules, policies, seed, first_game, games)
    wrong = (ours.facts != truth.facts).any(axis=2) | (ours.points != truth.points).any(axis=2)
    where = [(first_game + int(game), int(number)) for game, number in np.argwhere(wrong)[:3]]
    assert not where, f"{rules}, policies {list(policies)}, seed {seed}: rounds (game, number) differ: {where}"
    assert (ours.hash, ours.moves) == (truth.hash, truth.moves)
