"""The results of many rounds, as arrays by (game, round) and (game, round, seat)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FIELDS = ("end", "winner", "starter", "turns", "plays", "draws", "decisions")
"""The columns of `Rounds.facts`, in the order in which the kernels write them."""

ENDS = ("running", "out", "blocked", "fault")
"""How a round ended, by the core's code."""

OUT, BLOCKED, FAULT, FAILED = 1, 2, 3, 4


@dataclass(frozen=True, eq=False)
class Rounds:
    """The results of whole games, each with the same number of rounds.

    `points`: int64[games, rounds, players], the points of each seat. `facts`: int32[games, rounds, 7], the columns
    `FIELDS`. The properties below are views of `facts`, or copies where their type is smaller.
    """

    points: np.ndarray
    facts: np.ndarray

    @classmethod
    def empty(cls, games: int, rounds: int, players: int) -> Rounds:
        """Return uninitialised arrays of the right shapes for the kernels to fill."""
        return cls(
            np.empty((games, rounds, players), np.int64), np.empty((games, rounds, len(FIELDS)), np.int32)
        )

    @property
    def games(self) -> int:
        """Number of games."""
        return len(self.points)

    @property
    def rounds(self) -> int:
        """Number of rounds of each game."""
        return int(self.points.shape[1])

    @property
    def players(self) -> int:
        """Number of seats."""
        return int(self.points.shape[2])

    def _column(self, name: str) -> np.ndarray:
        column: np.ndarray = self.facts[:, :, FIELDS.index(name)]
        return column

    @property
    def end(self) -> np.ndarray:
        """How each round ended: uint8[games, rounds], 1 out, 2 blocked (`ENDS` has the names)."""
        return self._column("end").astype(np.uint8)

    @property
    def winner(self) -> np.ndarray:
        """The seat that went out: int8[games, rounds]; -1 in a blocked round."""
        return self._column("winner").astype(np.int8)

    @property
    def starter(self) -> np.ndarray:
        """The seat that played first: int8[games, rounds]."""
        return self._column("starter").astype(np.int8)

    @property
    def turns(self) -> np.ndarray:
        """Turns of each round: int32[games, rounds]; a skipped seat has no turn."""
        return self._column("turns")

    @property
    def plays(self) -> np.ndarray:
        """Tiles played in each round: int32[games, rounds]."""
        return self._column("plays")

    @property
    def draws(self) -> np.ndarray:
        """Tiles drawn in each round, for lack of a play or forced by a D tile: int32[games, rounds]."""
        return self._column("draws")

    @property
    def decisions(self) -> np.ndarray:
        """Plays and stops in each round, including those where only one move was legal: int32[games, rounds]."""
        return self._column("decisions")

    @property
    def totals(self) -> np.ndarray:
        """Total points of each seat in each game: int64[games, players]."""
        totals: np.ndarray = self.points.sum(axis=1)
        return totals

    def range(self, start: int, stop: int) -> Rounds:
        """Return games `start` … `stop` - 1 as views, counted from the first game of this object."""
        return Rounds(self.points[start:stop], self.facts[start:stop])
