"""The policy ``planner``: plans the best train of its hand anew at every decision (docs/policies.md).

It values each legal play by the hand that it leaves: the longest train of the tiles left, from the new end of the own
train. A leftover tile, which the plan does not use, can go on another train at no cost to the plan. The next tile of
the plan can go on the own train at no cost either. Every other play breaks the plan. So the policy lays leftovers,
heaviest first, and follows its plan in order, without a rule for either.

It is a C function with the published signature (docs/c-abi.md) and not part of ``policies.choose``: the planner is as
large as the rest of the core, and programs that do not use it should not have to compile it.
"""

import numpy as np

from mextrain_core.bulk.plan_value import fewest_tiles, own_ends_after
from mextrain_core.compiler.jit import c_array, c_function, helper, kernel
from mextrain_core.compiler.machine import lowest
from mextrain_core.game.movegen import before_plays, next_play, play_at
from mextrain_core.game.score import tile_points
from mextrain_core.model.limits import ROWS
from mextrain_core.model.moves import STOP_MOVE, encode_move
from mextrain_core.model.rng import U32, below
from mextrain_core.model.rules import RULES
from mextrain_core.model.state import STATE
from mextrain_core.planner.graph import GRAPH, LONGEST, NO_TRAIN, TILE_STEP, add_train, read_hand
from mextrain_core.planner.order import swap_tile
from mextrain_core.planner.search import NODE, SEARCH, begin_search, search

u64 = np.uint64
i64 = np.int64

U0, U1 = u64(0), u64(1)
I0, I1 = i64(0), i64(1)

WORK = i64(100_000)
"""Limit of work for one plan, as in ``search``; most plans need a few hundred. At the limit the best plan found is
used."""
NODES = 300
TABLE = 1 << 14
"""Sizes of the arrays for ``search``; the table can match 14 odd halves, more than ordinary hands ever have."""

TILE_VALUE = i64(10)
"""Value, in points, of one more tile in the plan: a planned tile needs no draw."""
DOUBLE_VALUE = i64(40)
"""Value of laying a double, covered or not: the hand gets smaller and another play follows."""
CLOSING_VALUE = i64(10)
"""Value of closing the own train."""
FOLLOWED_VALUE = i64(5)
"""Value of a new end of the own train that fits a tile of the hand."""
PARTS = i64(60)
"""Values are integers in units of 1/60 point."""


@helper
def best_train(g, found, nodes, table, r, hand, a_count, ends):
    """Tiles and points (int64) of the longest train of ``hand`` from the open ends ``ends`` (mask).

    With several ends, as chicken feet leave them, a train goes on from each of them.
    """
    graph = g[0]
    read_hand(graph, r, hand, a_count, lowest(ends), NO_TRAIN, LONGEST)
    ends &= ends - U1
    while ends != U0:
        add_train(graph, r, lowest(ends))
        graph.single_component = U0
        graph.avoid_double = U0
        ends &= ends - U1
    begin_search(graph, found[0], nodes)
    search(g, found, nodes, table, WORK)
    weight = graph.whole - (found[0].value >> I1)
    return weight // TILE_STEP, weight % TILE_STEP


@helper
def value_of_play(s, r, train, touch, new, hand, tiles, points, turns):
    """Value (int64, in units of 1/PARTS point) of a play that leaves ``hand`` and a plan of ``tiles`` and ``points``.

    It counts the points that the play sheds and those that the plan sheds in ``turns`` more turns.
    """
    seat = u64(s.seat)
    value = i64(tile_points(r, touch, new)) + TILE_VALUE * tiles
    if touch == new:
        value += DOUBLE_VALUE
    if train == seat:
        value += CLOSING_VALUE if (u64(s.open) >> seat) & U1 != U0 else I0
        value += FOLLOWED_VALUE if u64(hand[new]) != U0 else I0
    value *= PARTS
    return value + PARTS * points * min(turns, tiles) // tiles if tiles > 0 else value


@kernel
def choose_planned(states, i, rules, random):
    """The move (uint64) of the policy ``planner`` at the decision of ``states[i]``; ties by ``random`` (uint64).

    It reads only what a view shows. It never stops while it can play.
    """
    s, r = states[i], rules[0]
    seat = u64(s.seat)
    g, found = np.empty(1, GRAPH), np.empty(1, SEARCH)
    nodes, table = np.empty(NODES, NODE), np.empty(TABLE, np.int64)
    hand = np.empty(ROWS, np.uint32)
    for v in range(ROWS):
        hand[v] = s.hand[seat, v]
    a_count = u64(s.a_count[seat])
    turns = fewest_tiles(s, r, seat)
    best_moves = np.empty(i64(s.legal_count) + I1, np.uint16)
    best_moves[0] = STOP_MOVE
    best, ties = i64(0), I1
    at = before_plays(s, r)
    while True:
        at = next_play(s, r, at)
        if at.trains == U0:
            break
        train, touch, new = play_at(at)
        left = swap_tile(r, hand, a_count, touch, new, i64(-1))
        ends = own_ends_after(s, r, seat, train, touch, new)
        tiles, points = best_train(g, found, nodes, table, r, hand, left, ends)
        value = value_of_play(s, r, train, touch, new, hand, tiles, points, turns)
        swap_tile(r, hand, left, touch, new, I1)
        if value > best or best_moves[0] == STOP_MOVE:
            best, ties = value, I0
        if value == best:
            best_moves[ties] = encode_move(train, touch, new)
            ties += I1
    return u64(best_moves[below(random >> U32, u64(ties))])


@c_function("int32", STATE, RULES, "uint64")
def planner(state, rules, word):
    """The policy as a C function; see ``choose_planned``."""
    return np.int32(choose_planned(c_array(state, 1), 0, c_array(rules, 1), word))
