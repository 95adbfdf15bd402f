"""Lists all consistent histories of a small game (docs/hidden-information.md).

The sampler is tested against this. It tries every placement of the hidden tiles and replays the round on each. The
only code that it shares with the sampler is the kernels of the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import comb, factorial, perm
from typing import Any, NamedTuple

import numpy as np

from mextrain._support.integers import whole
from mextrain.errors import PositionError, shown
from mextrain.game.events import NO_PLAY
from mextrain.game.tiles import Tile
from mextrain.hidden.knowledge import PublicRecord, check_seat, dealt_hands
from mextrain.position import Position
from mextrain_core.game.events import EVENT
from mextrain_core.hidden.histories import Chance, Seen, Unplaced, list_histories
from mextrain_core.model.limits import NONE
from mextrain_core.model.state import new_states

MOST_PLACEMENTS = 2_000_000
"""The default limit on placements to try. Trying that many takes a few seconds."""

MAX_PLACEMENTS = 10**8
"""The highest limit that callers may set. It takes minutes and a few gigabytes."""

History = tuple[tuple[tuple[Tile, ...], ...], tuple[Tile, ...]]
"""The hands as dealt, each sorted, and the tiles drawn, in order."""

World = tuple[tuple[tuple[Tile, ...], ...], tuple[Tile, ...]]
"""The current hands and the boneyard, each sorted."""


class WorldCount(NamedTuple):
    """The number of consistent worlds (hands and boneyard, by tile names) and of consistent histories."""

    worlds: int
    histories: int


def count_worlds(position: Position, seat: int, most: int = MOST_PLACEMENTS) -> WorldCount:
    """Return the numbers of worlds and histories that are consistent with what `seat` has seen.

    Raises `PositionError` for a seat that does not exist, for a `most` outside 1 … 10**8, and if more than `most`
    placements would have to be tried.
    """
    limit = whole(most)
    if limit is None or not 1 <= limit <= MAX_PLACEMENTS:
        raise PositionError(f"most = {shown(most)}: expected a whole number of placements 1 … {MAX_PLACEMENTS:,}")
    histories = Histories(position, seat, most)
    return WorldCount(len(histories.worlds()), histories.count)


class Histories:
    """All consistent histories of `position` as `seat` knows it. Raises `PositionError` like `count_worlds`.

    `tiles` are the indices of the tiles to be placed. `cells` are the places as (seat, draw): (None, None) is the
    boneyard, (2, None) the deal of seat 2, and (2, 5) draw number 5, which seat 2 made. `rows` holds the place of each
    tile, one row for each history: uint8[n, tiles].

    The three `*-A` are distinct. The seat's own copies get the first indices, and `names` is the number of ways to
    choose them.
    """

    def __init__(self, position: Position, seat: int, most: int = MOST_PLACEMENTS) -> None:
        self.position = position
        self.seat = check_seat(position, seat)
        self._hands = dealt_hands(position)
        self._draws = [event for event in position.events if event.is_draw]
        self._free = set(range(len(position.rules.tiles)))
        self._take(position.engine)
        dealt = [self._take(tile) for tile in self._hands[seat]]
        drawn = [self._take(event.tile) if event.seat == seat else 0 for event in self._draws]
        self._laid_by = {event.tile: event.seat for event in position.events if event.is_decision and event.tile}
        # Place laid tiles first, while their seats still have room. Then every partial placement can be completed.
        self._layers = {index: self._layer(index) for index in sorted(self._free)}
        self.tiles = sorted(self._layers, key=lambda index: self._layers[index] == NONE)
        others = [other for other in range(position.rules.players) if other != seat]
        draws = [(event.seat, n) for n, event in enumerate(self._draws) if event.seat != seat]
        self.cells: list[tuple[int | None, int | None]] = [(None, None), *((q, None) for q in others), *draws]
        self.rows = self._search(dealt, drawn, most)
        self.names = self._ways_to_name(dealt, drawn)

    @property
    def count(self) -> int:
        """The number of histories."""
        return len(self.rows) * self.names

    def histories(self) -> Counter[History]:
        """Return the histories by tile names, each with the number of histories that it stands for."""
        return self._read(self._history)

    def worlds(self) -> Counter[World]:
        """Return the worlds, with the number of histories that lead to each."""
        return self._read(self._world)

    def _take(self, tile: Tile | None) -> int:
        """Remove a known tile from the tiles to be placed, and return its index."""
        assert tile is not None
        index = self.position.rules.tiles.index(tile)
        # The copies of `*-A` follow their first.
        while index not in self._free:
            index += 1
        self._free.remove(index)
        return index

    def _layer(self, index: int) -> int:
        """The seat that laid the tile; NONE if it was not laid, or has copies, so that another seat may hold it."""
        tiles = self.position.rules.tiles
        tile = tiles[index]
        return self._laid_by.get(tile, NONE) if tiles.count(tile) == 1 else NONE

    def _search(self, dealt: list[int], drawn: list[int], most: int) -> np.ndarray:
        position = self.position
        tiles = position.rules.tiles
        rooms = [len(position.boneyard)]
        rooms += [1 if draw is not None else len(self._hands[who or 0]) for who, draw in self.cells[1:]]
        hands = np.zeros((position.rules.players, len(tiles)), np.uint8)
        sizes = np.zeros(position.rules.players, np.uint8)
        hands[self.seat, : len(dealt)] = dealt
        sizes[self.seat] = len(dealt)
        placements = self._placements()
        if placements > most:
            raise PositionError(
                f"seat {self.seat} knows too little for counting world by world: more than {most:,} placements would "
                f"have to be tried; sample instead (WorldSampler, beliefs)"
            )
        columns = [[NONE if value is None else value for value in column] for column in zip(*self.cells, strict=True)]
        log = np.array([entry for entry in position.log if entry[0] != NO_PLAY], EVENT)
        out = np.zeros((placements, len(self.tiles)), np.uint8)
        engine, starter = np.uint64(tiles.half_code(position.engine.high)), np.uint64(position.starter)
        known = Chance(engine, starter, hands, sizes, np.array(drawn, np.uint8))
        by_tile, by_cell = (self.tiles, [self._layers[index] for index in self.tiles]), (*columns, rooms)
        public = PublicRecord(position).evidence["barred"][0]
        barred = [0 if who is None or draw is not None else public[who] for who, draw in self.cells]
        numbers = [np.array(column, np.uint8) for column in (*by_tile, *by_cell)]
        unplaced = Unplaced._make([*numbers, np.array(barred, np.uint32)])
        seen = Seen(log, len(log), np.uint8(position._get("phase")), np.uint32(position.turns))
        scratch = np.zeros(16, EVENT)
        found = list_histories(new_states(1), 0, position.rules.record, scratch, known, unplaced, seen, most, out)
        assert found >= 0
        rows: np.ndarray = out[:found]
        return rows

    def _placements(self) -> int:
        """The number of ways to put the tiles in the cells; a tile that was laid comes from the seat that laid it.

        If `drawn` of a seat's laid tiles were drawn, these have ``comb * perm`` ways. The tiles not laid fill the rest.
        """
        laid = Counter(self._layers.values())
        rest = laid.pop(NONE, 0)
        ways, room = factorial(rest), factorial(len(self.position.boneyard))
        for seat, hand in enumerate(self._hands):
            if seat != self.seat:
                count, draws = laid[seat], sum(event.seat == seat for event in self._draws)
                ways *= sum(
                    comb(count, drawn) * perm(draws, drawn) * perm(len(hand), count - drawn)
                    for drawn in range(count + 1)
                )
                room *= factorial(len(hand))
        return ways // room

    def _ways_to_name(self, dealt: list[int], drawn: list[int]) -> int:
        tiles = self.position.rules.tiles
        in_deal = sum(tiles.count(tiles[i]) > 1 for i in dealt)
        own = [i for i, event in zip(drawn, self._draws, strict=True) if event.seat == self.seat]
        in_draws = sum(tiles.count(tiles[i]) > 1 for i in own)
        return factorial(3) // factorial(3 - in_deal - in_draws) // factorial(in_deal)

    def _read(self, form: Any) -> Counter[Any]:
        found: Counter[Any] = Counter()
        for row in self.rows.tolist():
            found[form(row)] += self.names
        return found

    def _history(self, row: list[int]) -> History:
        position = self.position
        tiles = position.rules.tiles
        hands: list[list[Tile]] = [[] for _ in range(position.rules.players)]
        hands[self.seat] = list(self._hands[self.seat])
        drawn = [event.tile for event in self._draws]
        for index, cell in zip(self.tiles, row, strict=True):
            who, draw = self.cells[cell]
            if draw is not None:
                drawn[draw] = tiles[index]
            elif who is not None:
                hands[who].append(tiles[index])
        return tuple(tuple(sorted(hand)) for hand in hands), tuple(tile for tile in drawn if tile is not None)

    def _world(self, row: list[int]) -> World:
        hands, drawn = self._history(row)
        return world_of(self.position, hands, drawn)


def world_of(position: Position, dealt: Sequence[Iterable[Tile]], drawn: Iterable[Tile]) -> World:
    """Return the hands and boneyard that follow from a deal, draws, and the public events of `position`."""
    hands = [Counter(hand) for hand in dealt]
    boneyard = Counter(position.rules.tiles)
    boneyard[position.engine] -= 1
    order = iter(drawn)
    for event in position.events:
        if event.is_draw:
            hands[event.seat][next(order)] += 1
        elif event.tile is not None:
            hands[event.seat][event.tile] -= 1
            boneyard[event.tile] -= 1
    for hand in hands:
        boneyard.subtract(hand)
    return tuple(tuple(sorted(hand.elements())) for hand in hands), tuple(sorted(boneyard.elements()))
