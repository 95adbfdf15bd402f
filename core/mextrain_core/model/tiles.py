"""Numbering, halves and points of every tile set, as plain tables (docs/rules.md sections 2 and 9).

Nothing here is compiled: kernels read copies of these tables from the RULES struct.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from mextrain_core.model.limits import LETTER_A, LETTER_D, LETTER_T, NONE, ROWS, WILD
from mextrain_core.model.options import SET_NAMES

FIRST_WILD = 91
"""Index of ``*-0`` in the set super; the tile ``*-x`` of a number x has the index FIRST_WILD + x."""
WILD_DOUBLE = FIRST_WILD + WILD
FIRST_A = WILD_DOUBLE + 1
"""Index of the first of the three ``*-A``; it stands for all three where they are interchangeable."""
A_TILES = 3
FIRST_D = FIRST_A + A_TILES
"""Index of ``*-D``; ``*-R``, ``*-S`` and ``*-T`` follow."""

NO_PAIR = 0xFFFF
"""Entry of ``SetTables.place`` for a (touch, new) pair that no tile of the set has."""


@dataclass(frozen=True, eq=False)
class SetTables:
    """The tables of one tile set; arrays are read-only.

    ``hi``, ``lo``: uint8[size], half codes by tile index, in order of docs/rules.md section 2 (``*-5``: hi 13, lo 5).
    ``half_names``: text of each half code. ``half_points``: uint8[20], points of a half (section 9).
    ``off``: uint8[20], number of tiles that show a half. ``pairs``: uint16[K], touch << 5 | new of every ordered
    pair in ascending order. ``place``: uint16[400], index of touch * 20 + new in ``pairs`` or NO_PAIR.
    """

    name: str
    halves: int
    wild: int
    half_names: tuple[str, ...]
    hi: np.ndarray
    lo: np.ndarray
    half_points: np.ndarray
    off: np.ndarray
    pairs: np.ndarray
    place: np.ndarray

    @property
    def size(self) -> int:
        """Number of tiles."""
        return len(self.hi)


def _halves_of_tiles(numbers: int, is_super: bool) -> list[tuple[int, int]]:
    tiles = [(hi, lo) for hi in range(numbers) for lo in range(hi + 1)]
    if is_super:
        tiles += [(WILD, number) for number in range(numbers)] + [(WILD, WILD)]
        tiles += [(WILD, letter) for letter in (*[LETTER_A] * A_TILES, *range(LETTER_D, LETTER_T + 1))]
    return tiles


@cache
def tables(name: str) -> SetTables:
    """The tables of the tile set ``name`` (``double-1`` … ``double-18``, ``super``); KeyError for another name."""
    if name not in SET_NAMES:
        raise KeyError(name)
    is_super = name == "super"
    numbers = 13 if is_super else int(name.removeprefix("double-")) + 1
    tiles = _halves_of_tiles(numbers, is_super)
    halves = 19 if is_super else numbers
    names = tuple(str(n) for n in range(numbers)) + (("*", "A", "D", "R", "S", "T") if is_super else ())
    off = np.zeros(ROWS, np.uint8)
    points = np.zeros(ROWS, np.uint8)
    for half in range(halves):
        off[half] = sum(half in tile for tile in tiles)
        points[half] = half if half < numbers else 10
    ordered = sorted({pair for a, b in tiles for pair in ((a, b), (b, a))})
    place = np.full(ROWS * ROWS, NO_PAIR, np.uint16)
    for index, (touch, new) in enumerate(ordered):
        place[touch * ROWS + new] = index
    result = SetTables(
        name=name,
        halves=halves,
        wild=WILD if is_super else NONE,
        half_names=names,
        hi=np.array([hi for hi, _ in tiles], np.uint8),
        lo=np.array([lo for _, lo in tiles], np.uint8),
        half_points=points,
        off=off,
        pairs=np.array([touch << 5 | new for touch, new in ordered], np.uint16),
        place=place,
    )
    for array in (result.hi, result.lo, points, off, result.pairs, place):
        array.setflags(write=False)
    return result
