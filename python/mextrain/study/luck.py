"""How much the draws of a round changed the points that each seat could expect."""

from __future__ import annotations

from typing import Any

import numpy as np

from mextrain._support.integers import whole
from mextrain.bulk.seat_policies import Seats
from mextrain.errors import MextrainError, PolicyError, shown
from mextrain.game.moves import Move
from mextrain.game.seeding import check_seed, words
from mextrain.position import Position
from mextrain_core.bulk.rollout import SeatPolicies, play_copies
from mextrain_core.model.state import new_states
from mextrain_core.search.flat import branch
from mextrain_core.search.playout import play_copies_calling

LUCK_PLAYOUTS = 500
"""Play-outs before and after every draw."""

MAX_LUCK_PLAYOUTS = 1_000_000


class Luck:
    """Adds up the luck of a round, decision by decision.

    `sums`: by how many points draws lowered what each seat could expect; `variances`: the squares of their standard
    errors; both float64[players].
    """

    def __init__(self, end: Position, policy: Any, seed: int, playouts: int) -> None:
        number = whole(playouts)
        if number is None or not 2 <= number <= MAX_LUCK_PLAYOUTS:
            raise MextrainError(f"luck_playouts = {shown(playouts)}: expected 2 … {MAX_LUCK_PLAYOUTS:,}")
        rules = end.rules
        self._record, self._count = rules.record, number
        self._seats = Seats.of(policy, rules.players)
        if any(self._seats.callbacks) or any(self._seats.searches):
            raise PolicyError(
                f"the policy {shown(policy)} cannot play rounds out: expected a built-in policy or a compiled function"
            )
        self._keys = np.fromiter(words(check_seed(seed)), np.uint64, number)
        self.sums, self.variances = np.zeros(rules.players), np.zeros(rules.players)
        start = end.restart()
        if start.draws:
            self._add(self._values(start.start.state()), start)

    def add(self, before: Position, move: Move, after: Position) -> None:
        """Add the draws between a move and the next decision or the end of the round."""
        if after.draws == before.draws:
            return
        states = new_states(2 * self._count)
        states[: self._count] = before._states[0]
        states["key"][: self._count] = self._keys
        one, keys = np.zeros(1, np.int64), np.empty(self._count, np.uint64)
        moves = np.array([move.code], np.uint16)
        branch(states, self._record, 0, self._count, moves, one, self._count, keys)
        self._add(self._play(states[self._count :], np.arange(self._count, dtype=np.uint32)), after)

    def _add(self, expected: np.ndarray, after: Position) -> None:
        """Add the change from the points expected before the draws, int64[play-outs, players], to those after them."""
        if after.over:
            change = expected - np.array(after.points)
        else:
            change = expected - self._values(after._states)
        self.sums += change.mean(axis=0)
        self.variances += change.var(axis=0, ddof=1) / self._count

    def _values(self, states: np.ndarray) -> np.ndarray:
        return self._play(states, np.zeros(self._count, np.uint32))

    def _play(self, states: np.ndarray, origins: np.ndarray) -> np.ndarray:
        """Play copies of the states to the end; returns the points, int64[play-outs, players]."""
        points = np.empty((self._count, len(self._seats.ids)), np.int64)
        facts = np.empty((self._count, 7), np.int32)
        where = origins, self._keys, new_states(2), points, facts
        if self._seats.addresses.any():
            play_copies_calling(
                states, self._record, SeatPolicies(self._seats.ids, self._seats.addresses), *where
            )
        else:
            play_copies(states, self._record, self._seats.ids, *where)
        return points
