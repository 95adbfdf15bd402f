"""The index of a tile by its halves, for kernels (docs/rules.md section 2)."""

import numpy as np

from mextrain_core.compiler.jit import helper
from mextrain_core.model import tiles
from mextrain_core.model.limits import LETTER_A, LETTER_D, NONE, WILD
from mextrain_core.model.moves import move_new, move_touch

u64 = np.uint64

U1 = u64(1)
FIRST_WILD, FIRST_A, FIRST_D = u64(tiles.FIRST_WILD), u64(tiles.FIRST_A), u64(tiles.FIRST_D)


@helper
def tile_index(r, a, b):
    """Index of the tile {a, b} (half codes, uint64); the first one for ``*-A``."""
    hi = a if a > b else b
    lo = b if a > b else a
    if r.wild == NONE or hi < u64(WILD):
        return (hi * (hi + U1) >> U1) + lo
    if hi == u64(WILD):
        return FIRST_WILD + lo
    # Letters have the higher codes, but the tables name the wild half first.
    return FIRST_A if hi == u64(LETTER_A) else FIRST_D + hi - u64(LETTER_D)


@helper
def tile_of_move(r, move):
    """Index of the tile that a move lays; the first one for ``*-A``."""
    return tile_index(r, move_touch(move), move_new(move))


@helper
def first_index(r, tile):
    """The first index of the tile's name: FIRST_A for each ``*-A``, else ``tile`` itself."""
    return FIRST_A if is_a_tile(r, tile) else tile


@helper
def is_a_tile(r, tile):
    """Whether the tile with this index is a ``*-A``."""
    return r.wild != NONE and r.lo[tile] == LETTER_A
