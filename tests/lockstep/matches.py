"""Matches played by both backends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mextrain import RuleSet
from mextrain_core.bulk import rollout
from mextrain_core.lockstep.player import Lockstep
from mextrain_core.model.limits import MAX_DECISIONS
from mextrain_core.model.state import new_states


class Matches(NamedTuple):
    """The results of a backend for some matches; ``actions`` is empty if moves are not kept."""

    points: NDArray[np.int64]
    facts: NDArray[np.int32]
    actions: NDArray[np.uint16]
    hash: int
    moves: int


def _empty(rules: RuleSet, games: int, records: bool) -> tuple[Any, Any, Any]:
    shape = games, rules.rounds
    fields = len(rollout.ROUND_FIELDS)
    room = games * rules.rounds * MAX_DECISIONS if records else 0
    return np.zeros((*shape, rules.players), np.int64), np.zeros((*shape, fields), np.int32), np.zeros(room, np.uint16)


def by_lockstep(
    rules: RuleSet, policies: Sequence[int], seed: int, first_game: int, games: int, records: bool = False
) -> Matches:
    """Matches of the lockstep backend."""
    points, facts, actions = _empty(rules, games, records)
    backend = Lockstep(rules.record, policies)
    total, moves = backend.play(seed, first_game, games, points, facts, actions)
    return Matches(points, facts, actions[:moves], total, moves)


def by_scalar(
    rules: RuleSet, policies: Sequence[int], seed: int, first_game: int, games: int, records: bool = False
) -> Matches:
    """Matches of the scalar backend."""
    points, facts, actions = _empty(rules, games, records)
    numbers = np.uint64(seed), np.uint64(first_game), games
    total, moves = rollout.play_games(
        new_states(1), 0, rules.record, np.array(policies, np.uint8), *numbers, points, facts, actions
    )
    return Matches(points, facts, actions[: int(moves)], int(total), int(moves))


def assert_equal(
    rules: RuleSet, policies: Sequence[int], seed: int, first_game: int, games: int, records: bool = False
) -> None:
    """Both backends give the same results for every round."""
    ours = by_lockstep(rules, policies, seed, first_game, games, records)
    truth = by_scalar(rules, policies, seed, first_game, games, records)
    wrong = (ours.facts != truth.facts).any(axis=2) | (ours.points != truth.points).any(axis=2)
    where = [(first_game + int(game), int(number)) for game, number in np.argwhere(wrong)[:3]]
    assert not where, f"{rules}, policies {list(policies)}, seed {seed}: rounds (game, number) differ: {where}"
    assert (ours.hash, ours.moves) == (truth.hash, truth.moves)
    assert np.array_equal(ours.actions, truth.actions), f"{rules}, policies {list(policies)}, seed {seed}: moves differ"
