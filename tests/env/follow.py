"""Followers of environments: positions in which the same moves are played."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mextrain import Match, Position, RuleSet
from mextrain.env import BatchEnv
from mextrain.hidden.observation import legal_mask
from mextrain_core.bulk.rollout import choose_at

NUMBERS = {"random": 0, "heaviest": 1, "cautious": 2, "counting": 4}


class Follower:
    """Environment i of n: the position that its outside seat sees, and the rounds that have ended so far."""

    def __init__(self, rules: RuleSet, seed: int, i: int, n: int, inside: dict[int, str]) -> None:
        self.rules, self._inside = rules, inside
        self._rounds = self._all_rounds(seed, i, n)
        self.ended: list[tuple[int, int, tuple[int, ...], bool]] = []
        self._decided = False
        self.game, self.number, self.position = next(self._rounds)
        self._go_on()

    def _all_rounds(self, seed: int, i: int, n: int) -> Iterator[tuple[int, int, Position]]:
        game = i
        while True:
            for number, position in enumerate(Match(self.rules, seed=seed, game=game)):
                yield game, number, position
            game += n

    def _go_on(self) -> None:
        """Play the seats inside, and begin the next rounds, until an outside seat has to decide."""
        while True:
            position = self.position
            if position.over:
                self.ended.append((self.game, self.number, position.points, self._decided))
                self._decided = False
                self.game, self.number, self.position = next(self._rounds)
            elif position._get("seat") in self._inside:
                policy = np.uint64(NUMBERS[self._inside[position._get("seat")]])
                code = choose_at(position._states, 0, self.rules.record, policy)
                position.play_unchecked(self.rules.actions.move(int(self.rules.actions.ids(np.array([code]))[0])))
            else:
                return

    def play(self, action: int) -> None:
        """Play a relative action id."""
        self._decided = True
        seat = self.position._get("seat")
        self.position.play(int(self.rules.actions.absolute(action, seat=seat)))
        self._go_on()


def followers(env: BatchEnv, inside: dict[int, str]) -> list[Follower]:
    """A follower of each environment."""
    spec = env.spec
    return [Follower(spec.rules, spec.seed, i, spec.n, inside) for i in range(spec.n)]


def mask_of(follower: Follower) -> np.ndarray:
    """The packed mask of the seat to decide."""
    return legal_mask(follower.position, follower.position._get("seat"))


def rows_of(env: BatchEnv, ids: Any) -> np.ndarray:
    """The indices of relative ids among the legal ids of each environment."""
    return np.array([env.legal_ids(i).tolist().index(int(action)) for i, action in enumerate(ids)], np.uint16)
