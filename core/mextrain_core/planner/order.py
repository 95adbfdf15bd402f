"""The tiles of a best train in playing order (docs/planner.md).

Each tile is laid only if the rest can still be used up after it, so there is no backtracking.
"""

import numpy as np

from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.compiler.machine import lowest
from mextrain_core.model.limits import LETTER_A, NONE, ROWS, STOP
from mextrain_core.planner.graph import ANY_START, FINISH, NO_TRAIN, ends_on_double, odd_vertices, read_hand, walk_ends

u64 = np.uint64
i64 = np.int64

U0, U1, U5 = u64(0), u64(1), u64(5)
I0, I1 = i64(0), i64(1)
TOUCH = u64(31)
NOTHING = u64(STOP)

DOUBLES, NUMBERS, RED_TRAINS = 0, 1, 2
"""Kinds of tiles in the order in which they are tried."""


@helper
def is_red(r, half):
    """Whether a half is a star or a letter."""
    return r.wild != NONE and half >= u64(r.wild)


@helper
def is_a(r, touch, new):
    """Whether a tile is a ``*-A``."""
    return r.wild != NONE and (touch == u64(LETTER_A) or new == u64(LETTER_A))


@helper
def joining(r, end):
    """Halves (mask) that fit an open end."""
    return (U1 << u64(r.halves)) - U1 if end == ANY_START else u64(r.join[end])


@helper
def swap_tile(r, hand, a_count, touch, new, step):
    """Take a tile {touch, new} out of ``hand`` (``step`` -1) or put it back (1); returns the number of ``*-A``."""
    if is_a(r, touch, new):
        before = a_count
        a_count += u64(step)
        if before > U0 and a_count > U0:
            return a_count
    hand[touch] ^= U1 << new
    if touch != new:
        hand[new] ^= U1 << touch
    return a_count


@helper
def is_empty(hand):
    """Whether ``hand`` holds no tile."""
    for v in range(ROWS):
        if hand[u64(v)] != 0:
            return False
    return True


@helper
def keep_best(r, found, hand, best):
    """Move the number tiles of the best train in ``found``, and all red trains, to ``best``."""
    numbers = u64(r.halves) if r.wild == NONE else u64(r.wild)
    number_mask = (U1 << numbers) - U1
    for v in range(ROWS):
        half = u64(v)
        kept = u64(hand[half])
        if half < numbers:
            kept &= u64(found.best_edges[half]) | (u64(found.best_loops) & (U1 << half)) | ~number_mask
        best[half] = kept
        hand[half] = u64(hand[half]) & ~kept


@helper
def can_be_used_up(g, r, hand, a_count, end, other_end, goal, good_end):
    """Whether trains from the open ends can use all of ``hand`` (with ``good_end``, without ending on a double)."""
    read_hand(g, r, hand, a_count, end, other_end, goal)
    odd = odd_vertices(g, g.edges, U0)
    total = walk_ends(g, g.edges, u64(g.loops), odd)
    if total > g.budget:
        return False
    return not (good_end and ends_on_double(g, g.edges, u64(g.loops), odd, total))


@kernel
def next_tile(g, r, hand, a_count, end, other_end, goal, good_end):
    """A tile (touch << 5 | new) to lay on ``end`` after which the rest can still be used up, or NOTHING."""
    for kind in range(3):
        touches = joining(r, end)
        while touches != U0:
            touch = lowest(touches)
            touches &= touches - U1
            news = u64(hand[touch])
            while news != U0:
                new = lowest(news)
                news &= news - U1
                red = is_red(r, touch) or is_red(r, new)
                if kind != (RED_TRAINS if red else (DOUBLES if touch == new else NUMBERS)):
                    continue
                left = swap_tile(r, hand, a_count, touch, new, i64(-1))
                if is_empty(hand):
                    fits = not (good_end and touch == new)
                else:
                    fits = can_be_used_up(g, r, hand, left, new, other_end, goal, good_end)
                swap_tile(r, hand, left, touch, new, I1)
                if fits:
                    return touch << U5 | new
    return NOTHING


@helper
def lay_train(g, r, hand, a_count, end, other_end, goal, good_end, out, n):
    """Lay tiles of ``hand`` from ``end`` while the rest can still be used up; writes to ``out[n:]``.

    ``hand`` loses the tiles. Returns the next index (int64) and the number of ``*-A`` left.
    """
    while True:
        tile = next_tile(g, r, hand, a_count, end, other_end, goal, good_end)
        if tile == NOTHING:
            return n, a_count
        end = tile & TOUCH
        a_count = swap_tile(r, hand, a_count, tile >> U5, end, i64(-1))
        out[n] = tile
        n += I1


@kernel
def lay_best(g, found, rules, hand, a_count, end, goal, best, out):
    """Lay the best train that ``search`` has found for ``hand``; arguments as in ``search.begin``.

    ``hand`` (uint32[ROWS]) keeps what is left over, ``best`` (uint32[ROWS]) is overwritten. ``out`` (uint16[MAX_TILES])
    gets touch << 5 | new of each tile in playing order: the own train, then (goal FINISH) the other one. Doubles come
    as early as possible, red trains as late as possible. Returns both lengths.
    """
    graph, r = g[0], rules[0]
    keep_best(r, found[0], hand, best)
    good_end = goal != FINISH and found[0].value & I1 == I0
    other_end = end if goal == FINISH else NO_TRAIN
    own, a_count = lay_train(graph, r, best, a_count, end, other_end, goal, good_end, out, I0)
    both = own
    if goal == FINISH:
        both, a_count = lay_train(graph, r, best, a_count, end, NO_TRAIN, goal, False, out, own)
    return own, both - own
