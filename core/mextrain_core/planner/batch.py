"""Plans for the hands of many deals, for statistics (docs/planner.md)."""

import numpy as np

from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.game.deal import deal_round
from mextrain_core.model.rng import round_key
from mextrain_core.planner.graph import FINISH, LONGEST, NO_TRAIN, POINT_STEP, TILE_STEP, read_hand
from mextrain_core.planner.search import begin_search, search

u64 = np.uint64
i64 = np.int64

U0, I1 = u64(0), i64(1)

FIELDS = ("tiles", "points", "left_points", "proved")
"""Columns of ``plan_first_hands``."""


@helper
def tiles_of(goal, weight):
    """Number of tiles (int64) in a weight."""
    return weight // TILE_STEP if goal == LONGEST else weight % POINT_STEP


@helper
def points_of(goal, weight):
    """Points (int64) in a weight."""
    return weight % TILE_STEP if goal == LONGEST else weight // POINT_STEP


@kernel
def plan_first_hands(rules, seed, first, count, goal, states, buffers, limit, out):
    """Plan the hands that games ``first`` … ``first + count - 1`` of ``seed`` deal in their first round.

    ``rules``: RULES[1]; ``seed``, ``first``: uint64; ``goal``: LONGEST, HEAVIEST or FINISH; ``states``: STATE[1] and
    ``buffers`` (``search.Buffers``) are overwritten; ``limit``: limit of work for each hand (int64, as in ``search``).
    ``out``: int32[count, players, 4], columns FIELDS.
    """
    s, r = states[0], rules[0]
    g, found, nodes, table = buffers
    engine = u64(r.first_engine)
    other_end = engine if goal == FINISH else NO_TRAIN
    for game in range(count):
        deal_round(s, r, round_key(seed, first + u64(game), engine), engine, U0)
        for seat in range(u64(r.players)):
            hand, a_count = s.hand[u64(seat)], u64(s.a_count[u64(seat)])
            read_hand(g[0], r, hand, a_count, engine, other_end, goal)
            begin_search(g[0], found[0], nodes)
            proved = search(g, found, nodes, table, limit)
            lost = found[0].value >> I1
            row = out[u64(game), u64(seat)]
            row[0] = tiles_of(goal, g[0].whole - lost)
            row[1] = points_of(goal, g[0].whole - lost)
            row[2] = points_of(goal, lost)
            row[3] = proved
