"""Points of a hand (docs/rules.md section 9)."""

import numpy as np

from mextrain_core.compact import plays
from mextrain_core.compact.intrinsics import by_form
from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.compiler.machine import popcount
from mextrain_core.model.limits import LETTER_A, WILD

u64 = np.uint64

U0, U1 = u64(0), u64(1)


@helper
def hand_points_of_struct(s, r, seat):
    """``hand_points`` of a STATE struct."""
    # Each tile is in the rows of both of its halves. A double is in one row only, so that row counts it twice.
    total = U0
    for half in range(u64(r.halves)):
        h = u64(half)
        row = u64(s.hand[seat, h])
        total += u64(r.half_points[h]) * (popcount(row) + ((row >> h) & U1))
    if s.a_count[seat] > 1:
        tile = u64(r.half_points[u64(LETTER_A)]) + u64(r.half_points[u64(WILD)])
        total += (u64(s.a_count[seat]) - U1) * tile
    if u64(s.hand[seat, U0]) & U1 != U0:
        total += u64(r.double_blank)
    return np.int64(total)


hand_points = by_form(plays.hand_points, hand_points_of_struct)
"""Points (int64) of the tiles that ``seat`` holds."""


@helper
def tile_points(r, a, b):
    """Points (uint64) of the tile {a, b} in a hand."""
    if a == U0 and b == U0:
        return u64(r.double_blank)
    return u64(r.half_points[a]) + u64(r.half_points[b])


@kernel
def score(states, i, rules, out):
    """Write the points of every seat's hand into ``out`` (int64[players])."""
    for seat in range(u64(rules[0].players)):
        out[seat] = hand_points(states[i], rules[0], u64(seat))
