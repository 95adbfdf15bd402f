"""`DecisionBatch`: a set of decisions as arrays."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np


@dataclass(frozen=True, eq=False)
class DecisionBatch:
    """A set of decisions; every array has one element per decision.

    `observation`: uint64[n, words], what the seat saw, packed (`DecisionDataset.layout` describes the sections).
    `mask`: uint64[n, (A + 63) // 64], one bit for each legal action. `action`: uint16[n], the chosen action. Actions
    are relative ids: the seat's own train is train 0. `points`: int64[n, players], the points of the round, the seat's
    own first, then clockwise. `seat`: uint8[n]; `game`: uint64[n]; `round`: uint8[n]; `step`: uint16[n], the number of
    the decision in its round, from 0. (seed of the archive, game, round, step) identifies a decision uniquely.
    `winner`: int8[n], the seat that went out, -1 in a blocked round: `seat == winner` selects the decisions of the
    winners. `ending`: uint8[n], how the round ended, 1 out, 2 blocked, like `Simulation.end`.
    """

    observation: np.ndarray
    mask: np.ndarray
    action: np.ndarray
    seat: np.ndarray
    points: np.ndarray
    game: np.ndarray
    round: np.ndarray
    step: np.ndarray
    winner: np.ndarray
    ending: np.ndarray

    def __len__(self) -> int:
        return len(self.action)

    def part(self, start: int, stop: int) -> DecisionBatch:
        """Return the decisions `start` … `stop` - 1, as views."""
        return DecisionBatch(*(getattr(self, field.name)[start:stop] for field in fields(self)))

    def select(self, chosen: np.ndarray) -> DecisionBatch:
        """Return the decisions that `chosen` (bool[n], or indices) selects, as copies."""
        return DecisionBatch(*(getattr(self, field.name)[chosen] for field in fields(self)))
