"""The number of different best trains (docs/planner.md).

Trains with the same tiles in the same order count once, whatever the orientation of the tiles. A tile is laid only if
the best plan of the rest still reaches the best result, so every step belongs to at least one counted train.
"""

import numpy as np

from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.compiler.machine import lowest
from mextrain_core.model.limits import MAX_TILES, ROWS
from mextrain_core.planner.graph import ANY_START, NO_TRAIN, read_hand
from mextrain_core.planner.order import TOUCH, U5, swap_tile
from mextrain_core.planner.search import begin_search, search

u64 = np.uint64
i64 = np.int64

U0, U1 = u64(0), u64(1)
I0, I1 = i64(0), i64(1)
NO_LIMIT = I1 << i64(60)

COUNT = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("depth", np.int64),  # tiles laid; -1 when the count is complete
                ("found", np.int64),  # trains counted so far
                ("allowed", np.int64),  # weight that the best trains leave out
                ("good_end", np.uint8),  # the best trains do not end on a double
                ("any_start", np.uint8),
                ("a_count", np.uint64),
                ("hand", np.uint32, ROWS),  # tiles not laid yet
                ("ends", np.uint32, MAX_TILES + 1),  # by depth: open ends (mask) that the tiles laid can leave
                ("next", np.uint16, MAX_TILES + 1),  # by depth: hi << 5 | lo of the tile to try next
                ("laid", np.uint16, MAX_TILES + 1),  # by depth: hi << 5 | lo of the tile laid
            ],
            align=True,
        ),
    )
)
"""A count in progress."""


@helper
def ends_after(r, ends, hi, lo):
    """Open ends (mask) that a tile {hi, lo} leaves when it is laid on one of ``ends`` (mask), in either orientation."""
    after = U0
    while ends != U0:
        joins = u64(r.join[lowest(ends)])
        ends &= ends - U1
        after |= ((joins >> hi & U1) << lo) | ((joins >> lo & U1) << hi)
    return after


@helper
def ends_to_go_on(g, found, nodes, table, r, c, ends, goal):
    """Those of ``ends`` (mask) from which the tiles not laid yet can still complete a best train."""
    # Values are doubled weights, plus 1 for a double at the end.
    most = c.allowed + c.allowed + (I0 if c.good_end != 0 else I1)
    good = U0
    while ends != U0:
        end = lowest(ends)
        ends &= ends - U1
        read_hand(g[0], r, c.hand, u64(c.a_count), end, NO_TRAIN, goal)
        begin_search(g[0], found[0], nodes)
        search(g, found, nodes, table, NO_LIMIT)
        good |= u64(found[0].value <= most) << end
    return good


@kernel
def begin_count(c, found, rules, hand, a_count, end):
    """Begin to count the trains that are as good as the best one that ``search`` has proven.

    ``c``: COUNT[1]; ``found``: the SEARCH[1] of that search; other arguments as in ``search.begin``.
    """
    count = c[0]
    count.depth = I0
    count.found = I0
    count.allowed = found[0].value >> I1
    count.good_end = found[0].value & I1 == I0
    count.any_start = end == ANY_START
    count.a_count = a_count
    for v in range(ROWS):
        count.hand[u64(v)] = hand[u64(v)]
    count.ends[0] = U0 if end == ANY_START else U1 << end
    count.next[0] = U0


@kernel
def count_best(c, g, found, nodes, table, rules, goal, steps):
    """Continue the count for ``steps`` tiles tried (int64); returns whether ``c[0].found`` is complete.

    ``c``: COUNT[1] from ``begin_count``; the other buffers, as in ``search.begin``, are overwritten. The best train
    must not be empty.
    """
    count, r = c[0], rules[0]
    while count.depth >= 0 and steps > 0:
        depth = u64(count.depth)
        tile = u64(count.next[depth])
        hi, lo = tile >> U5, tile & TOUCH
        if hi >= u64(r.halves):
            # Every tile has been tried here: take back the previous one.
            count.depth -= I1
            if count.depth >= 0:
                laid = u64(count.laid[depth - U1])
                count.a_count = swap_tile(r, count.hand, u64(count.a_count), laid >> U5, laid & TOUCH, I1)
            continue
        count.next[depth] = tile + U1 if lo < hi else (hi + U1) << U5
        if u64(count.hand[hi]) >> lo & U1 == U0:
            continue
        if depth == U0 and count.any_start != 0:
            ends = (U1 << hi) | (U1 << lo)
        else:
            ends = ends_after(r, u64(count.ends[depth]), hi, lo)
        if ends == U0:
            continue
        steps -= I1
        count.a_count = swap_tile(r, count.hand, u64(count.a_count), hi, lo, i64(-1))
        read_hand(g[0], r, count.hand, u64(count.a_count), ANY_START, NO_TRAIN, goal)
        if g[0].whole == count.allowed:
            count.found += i64(not (count.good_end != 0 and hi == lo))
            ends = U0
        else:
            ends = ends_to_go_on(g, found, nodes, table, r, count, ends, goal)
        if ends == U0:
            count.a_count = swap_tile(r, count.hand, u64(count.a_count), hi, lo, I1)
        else:
            count.laid[depth] = tile
            count.depth += I1
            count.ends[depth + U1] = ends
            count.next[depth + U1] = U0
    return count.depth < 0
