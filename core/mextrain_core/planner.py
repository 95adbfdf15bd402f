"""The best train of a hand: provably longest, heaviest, or with the fewest points left (floor 6; docs/planner.md).

``planner_graph`` says when tiles make a train, ``planner_search`` finds the tiles to leave out, and this module lays
the rest down in order and plans whole batches of dealt hands.
"""

import numpy as np

from mextrain_core._jit import helper, kernel, lowest, popcount
from mextrain_core.deal import deal_round
from mextrain_core.limits import LETTER_A, NONE, ROWS
from mextrain_core.planner_graph import (
    FINISH,
    LONGEST,
    NO_TRAIN,
    POINT_STEP,
    TILE_STEP,
    ends_on_double,
    parity,
    read_hand,
    tips,
)
from mextrain_core.planner_search import begin_search, search
from mextrain_core.rng import round_key

u64 = np.uint64
i64 = np.int64

U0, U1, U5 = u64(0), u64(1), u64(5)
LETTER_A_ROW = u64(LETTER_A)


@helper
def tiles_of_weight(goal, weight):
    """Number of tiles (int64) in a weight."""
    return weight // TILE_STEP if goal == LONGEST else weight % POINT_STEP


@helper
def points_of_weight(goal, weight):
    """Points (int64) in a weight."""
    return weight % TILE_STEP if goal == LONGEST else weight // POINT_STEP


@helper
def keep_best(g, r, s, hand):
    """Take out of ``hand`` (uint32[ROWS]) the number tiles that the best train leaves out."""
    numbers = u64(r.halves) if r.wild == NONE else u64(r.wild)
    number_mask = (U1 << numbers) - U1
    for v in range(numbers):
        half = u64(v)
        kept = u64(s.best_row[half]) | (u64(s.best_loops) & (U1 << half))
        hand[half] = (u64(hand[half]) & ~number_mask) | kept


@helper
def completes(g, r, hand, a_count, end, other_end, goal, good_end):
    """Whether trains that go on from the open ends can use all of ``hand``, with an end as good as asked."""
    read_hand(g, r, hand, a_count, end, other_end, goal)
    odd = parity(g, g.row, U0)
    total = tips(g, g.row, u64(g.loops), odd)
    if total > g.budget:
        return False
    return not (good_end and ends_on_double(g, g.row, u64(g.loops), odd, total))


@helper
def swap_tile(r, hand, touch, new):
    """Put the tile {touch, new} into ``hand``, or take it out."""
    hand[touch] ^= U1 << new
    if touch != new:
        hand[new] ^= U1 << touch


@kernel
def lay_train(g, r, hand, a_count, end, other_end, goal, good_end, out, n):
    """Lay tiles of ``hand`` from ``end`` as long as the rest can still be used up; all tiles must fit the trains.

    Writes touch << 5 | new of each tile into ``out`` (uint16) from index ``n`` on and takes the tiles out of ``hand``
    (uint32[ROWS]). ``good_end``: do not end on a double. Doubles come first, then number tiles, then red trains.
    Returns (n, number of ``*-A`` left).
    """
    going = True
    while going:
        going = False
        joining = u64(r.join[end])
        for choice in range(3):
            touches = joining
            while touches != U0 and not going:
                touch = lowest(touches)
                touches &= touches - U1
                news = u64(hand[touch])
                while news != U0 and not going:
                    new = lowest(news)
                    news &= news - U1
                    red = r.wild != NONE and (touch >= u64(r.wild) or new >= u64(r.wild))
                    kind = 2 if red else 0 if touch == new else 1
                    if kind != choice:
                        continue
                    is_a = r.wild != NONE and (touch == LETTER_A_ROW or new == LETTER_A_ROW)
                    stays = is_a and a_count > U1
                    if not stays:
                        swap_tile(r, hand, touch, new)
                    left = a_count - U1 if is_a else a_count
                    last = True
                    for v in range(ROWS):
                        last = last and hand[u64(v)] == 0
                    if last:
                        going = not (good_end and touch == new)
                    else:
                        going = completes(g, r, hand, left, new, other_end, goal, good_end)
                    if going:
                        out[n] = touch << U5 | new
                        n += 1
                        end = new
                        a_count = left
                    elif not stays:
                        swap_tile(r, hand, touch, new)
    return n, a_count


@kernel
def lay_best(g, r, s, hand, a_count, end, goal, out):
    """Lay the best train that a search has found; ``hand`` (uint32[ROWS]) becomes what is not laid.

    ``out``: uint16[ROWS * 10], touch << 5 | new in playing order: the own train, then (goal FINISH) the second one.
    Returns the lengths (int64) of both.
    """
    keep_best(g, r, s, hand)
    good_end = goal != FINISH and s.value & 1 == 0
    other_end = end if goal == FINISH else NO_TRAIN
    own, a_count = lay_train(g, r, hand, a_count, end, other_end, goal, good_end, out, 0)
    total = own
    if goal == FINISH:
        total, a_count = lay_train(g, r, hand, a_count, end, NO_TRAIN, goal, False, out, own)
    return own, total - own


FIRST_HAND_FIELDS = ("tiles", "points", "left_points", "proved")
"""Columns of ``plan_first_hands``."""


@kernel
def plan_first_hands(r, seed, first, count, goal, states, g, s, nodes, table, limit, out):
    """Plan the dealt hands of games ``first`` … ``first + count - 1`` of ``seed``, in the first round.

    ``r``: RULES[1]; ``states``: STATE[1], overwritten; ``g``, ``s``, ``nodes``, ``table``: buffers of ``new_buffers``;
    ``limit``: work for one hand (int64). ``out``: int32[count, players, 4], the columns FIRST_HAND_FIELDS.
    """
    state, rules, graph, found = states[0], r[0], g[0], s[0]
    engine = u64(rules.first_engine)
    other_end = engine if goal == FINISH else NO_TRAIN
    for game in range(count):
        deal_round(state, rules, round_key(seed, first + u64(game), engine), engine, U0)
        for seat in range(u64(rules.players)):
            hand, a_count = state.hand[u64(seat)], u64(state.a_count[u64(seat)])
            whole = read_hand(graph, rules, hand, a_count, engine, other_end, goal)
            begin_search(graph, found, nodes)
            left = search(graph, found, nodes, table, limit)
            lost = found.value >> 1
            row = out[u64(game), u64(seat)]
            row[0] = tiles_of_weight(goal, whole - lost)
            row[1] = points_of_weight(goal, whole - lost)
            row[2] = points_of_weight(goal, lost)
            row[3] = left == 0
