"""The numbers beside the table: the points that each seat must expect, and where unseen tiles may be."""

from __future__ import annotations

import numpy as np

from mextrain.bulk.seat_policies import Seats
from mextrain.game.seeding import words
from mextrain.game.tiles import Tile
from mextrain.hidden.sampler import WorldSampler
from mextrain.position import Position
from mextrain_core.bulk.rollout import play_copies
from mextrain_core.model.state import new_states

POLICY = "cautious"
"""The policy that plays rounds out."""

KNOWN = 255
"""In a heat map: the tile is not hidden from the seat. Other values are probabilities in steps of 1 / STEPS."""

STEPS = 200


class Points:
    """Estimates the points at the end of the round, by playing it out with the same random words at every decision.

    Without a seat the true position is played out, so that a curve moves only if something happened. For a seat the
    play-outs begin with worlds that it cannot tell from the true one.
    """

    def __init__(self, players: int, for_seat: int | None, playouts: int, seed: int) -> None:
        self._for_seat, self._seed = for_seat, seed
        self._keys = np.fromiter(words(seed), np.uint64, playouts)
        self._policies = Seats.of(POLICY, players).ids
        self._points = np.zeros((playouts, players), np.int64)
        self._facts = np.zeros((playouts, 7), np.int32)

    def at(self, position: Position) -> list[float]:
        """Return the expected points by seat."""
        count = len(self._keys)
        if self._for_seat is None:
            if position.over:
                return list(map(float, position.points))
            states, origins = position._states, np.zeros(count, np.uint32)
        else:
            states = WorldSampler(position, self._for_seat, self._seed).states(count)
            origins = np.arange(count, dtype=np.uint32)
        where = origins, self._keys, new_states(2), self._points, self._facts
        play_copies(states, position.rules.record, self._policies, *where)
        return [round(float(mean), 2) for mean in self._points.mean(axis=0)]


class Heat:
    """Estimates where the tiles are that a seat cannot see. `tiles`: the tiles of the set, each name once."""

    def __init__(self, position: Position, worlds: int, seed: int) -> None:
        self._worlds, self._seed = worlds, seed
        all_tiles = list(position.rules.tiles)
        self.tiles: tuple[Tile, ...] = tuple(dict.fromkeys(all_tiles))
        self._rows = np.array([self.tiles.index(tile) for tile in all_tiles])
        self._copies = np.bincount(self._rows, minlength=len(self.tiles))

    def at(self, position: Position, seat: int) -> np.ndarray:
        """Return uint8[tiles, players + 1]: the probability of each place in steps, or `KNOWN`."""
        players = position.rules.players
        counts = np.zeros((len(self.tiles), players + 1))
        np.add.at(counts, self._rows, WorldSampler(position, seat, self._seed).places(self._worlds))
        # What the seat holds is not hidden, and of three *-A those that others may hold.
        counts[:, seat] = 0
        hidden = counts.sum(axis=1)
        shares = counts / np.where(hidden, hidden, 1)[:, None]
        steps: np.ndarray = np.round(shares * STEPS).astype(np.uint8)
        steps[hidden == 0] = KNOWN
        return steps
