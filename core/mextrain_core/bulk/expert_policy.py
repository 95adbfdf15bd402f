"""The policy ``expert``: the exact plans of ``planner`` with the weights of ``counting`` (docs/policies.md).

Most plans need no search. The condition of ``planner.graph`` says when nothing must be left out; then the plan is
everything that can be reached. Otherwise it says how many tiles must be left out at least, which bounds the value of
the play. Plays are settled in the order of these bounds, and only until the best of them is exact: a play that cannot
win is never searched.

It is a C function with the published signature (docs/c-abi.md) and not part of ``policies.choose``, as ``planner`` is.
"""

from collections import namedtuple

import numpy as np

from mextrain_core.bulk.counting_policy import EVERY_HALF, component, is_tile, next_tie
from mextrain_core.bulk.plan_value import (
    POINTS_IN_TIME,
    TILE,
    TILE_IN_TIME,
    Plan,
    look_ahead,
    own_ends_after,
    plan_value,
    play_value,
)
from mextrain_core.bulk.planner_policy import NODES, TABLE, WORK
from mextrain_core.compiler.jit import c_array, c_function, helper, kernel
from mextrain_core.compiler.machine import lowest, popcount
from mextrain_core.game.movegen import before_plays, kth_play, next_play, play_at
from mextrain_core.game.score import tile_points
from mextrain_core.model.limits import NONE, ROWS, WILD
from mextrain_core.model.moves import STOP_MOVE, encode_move
from mextrain_core.model.rules import RULES
from mextrain_core.model.state import STATE
from mextrain_core.planner.graph import (
    ANY_START,
    GRAPH,
    LONGEST,
    NO_TRAIN,
    TILE_STEP,
    add_train,
    ends_of_tile,
    ends_of_train,
    odd_vertices,
    read_hand,
    walk_ends,
)
from mextrain_core.planner.order import swap_tile
from mextrain_core.planner.search import NODE, SEARCH, begin_search, proven_bound, search

u64, i64 = np.uint64, np.int64

U0, U1, U5 = u64(0), u64(1), u64(5)
I0, I1, I2 = i64(0), i64(1), i64(2)
HALF = u64(31)
STAR = u64(WILD)

RECIPROCAL_STEP = i64(65536)
"""A part of a plan is counted in 65536ths, as ``plan_value`` does."""

PLAY_BITS, VALUE_SHIFT = i64(12), i64(24)
LAST_PLAY = i64(4095)
"""A key is a value, 12 bits that break ties, and 12 bits for the number of the play: of equal ones the first wins."""

LOOSE, TIGHT, MATCHED, EXACT = u64(0), u64(1), u64(2), u64(3)
"""What a key is: an upper bound from a count of odd vertices, from all walk ends, or from one step of a search; or the
truth."""

LEAST = i64(-(1 << 40))
"""Less than any value."""

Plays = namedtuple("Plays", "moves worth keys known")
"""The legal plays: moves (uint16), values but for their plans and keys (int64), and what the keys are (uint8)."""

Whole = namedtuple("Whole", "odd budget points")
"""The hand before the play, without its train: odd vertices (mask), budget and points (int64)."""

Reach = namedtuple("Reach", "tiles points left_out known")
"""The tiles that can be reached from the own ends, how many of them must be left out at least, the most points of the
others (int64); what a value made of them is."""


@helper
def connected(hand, starts):
    """Vertices (mask) that the tiles of ``hand`` connect with ``starts`` (mask)."""
    seen, todo = starts, starts
    while todo != U0:
        fresh = u64(hand[lowest(todo)]) & ~seen
        todo &= todo - U1
        seen |= fresh
        todo |= fresh
    return seen


@helper
def read_rest(g, r, s, seat, train, touch, new, rest):
    """Fill the GRAPH struct ``g`` with what the own ends can reach after a play; overwrites ``rest`` (uint32[ROWS]).

    Without tiles ``*`` a train stays in the component where it begins, so only that one counts.
    """
    for v in range(ROWS):
        rest[u64(v)] = s.hand[seat, u64(v)]
    a_count = swap_tile(r, rest, u64(s.a_count[seat]), touch, new, i64(-1))
    ends = own_ends_after(s, r, seat, train, touch, new)
    if r.wild == NONE or (rest[STAR] == 0 and ends >> STAR & U1 == U0):
        seen = connected(rest, ends)
        for v in range(ROWS):
            if seen >> u64(v) & U1 == U0:
                rest[u64(v)] = U0
    read_hand(g, r, rest, a_count, lowest(ends), NO_TRAIN, LONGEST)
    g.avoid_double = U0
    ends &= ends - U1
    while ends != U0:
        add_train(g, r, lowest(ends))
        g.single_component = U0
        ends &= ends - U1


@helper
def reach_of(s, r, seat, touch, new, whole, odd, ends, budget):
    """What must be left out of ``whole`` (a reach) with the odd vertices ``odd`` (mask), walk ends and budget (int64).

    Each tile that is left out mends two odd vertices at most, or a closed component, which counts as two. Vertices that
    no tile joins with another odd one are *lonely*: to mend two of them takes two tiles at least. What is left out has
    the halves that it mends.
    """
    left_out = (ends - budget + I1) >> I1
    if left_out <= I0:
        return Reach(whole.tiles, whole.points, I0, EXACT if whole.known == TIGHT else whole.known)
    points = whole.points
    mended = i64(popcount(odd)) - budget
    lonely, number, rest = I0, I0, odd
    while rest != U0:
        half = lowest(rest)
        rest &= rest - U1
        if number < mended:
            points -= i64(r.half_points[half])
        number += I1
        near = u64(s.hand[seat, half]) & odd & ~is_tile(half, touch, new) & ~(U1 << half)
        lonely += i64(near == U0)
    left_out = max(left_out, ((mended + I1) >> I1) + (max(lonely - budget + I1, I0) >> I1))
    return Reach(whole.tiles, points, left_out, whole.known)


@helper
def reach_of_graph(s, r, seat, touch, new, g):
    """The reach after a play, from its GRAPH struct."""
    odd = odd_vertices(g, g.edges, U0)
    ends = walk_ends(g, g.edges, u64(g.loops), odd)
    whole = Reach(g.whole // TILE_STEP, g.whole % TILE_STEP, I0, TIGHT)
    return reach_of(s, r, seat, touch, new, whole, odd, ends, g.budget)


@helper
def reach_of_numbers(s, r, seat, train, touch, new):
    """The reach after a play if the hand has no tile ``*``: all that hangs together with the own ends."""
    starts = own_ends_after(s, r, seat, train, touch, new)
    part = component(s, r, seat, starts, touch, new, EVERY_HALF)
    blank = part.seen & u64(s.hand[seat, 0]) & ~is_tile(U0, touch, new) & U1
    points = part.points + (i64(r.double_blank) if blank != U0 else I0)
    odd, budget = part.odd ^ starts, i64(popcount(starts))
    # Several ends can be in closed components, which a walk does not see.
    whole = Reach(part.tiles, points, I0, TIGHT if budget == I1 else LOOSE)
    return reach_of(s, r, seat, touch, new, whole, odd, i64(popcount(odd)), budget)


@helper
def read_whole(s, r, seat, g):
    """The whole hand of the seat, in the set super; overwrites the GRAPH struct ``g``."""
    read_hand(g, r, s.hand[seat], u64(s.a_count[seat]), ANY_START, NO_TRAIN, LONGEST)
    return Whole(odd_vertices(g, g.edges, U0), g.budget - I2, g.whole % TILE_STEP)


@helper
def reach_of_whole(s, r, seat, whole, train, touch, new):
    """The reach after a play if the hand has tiles ``*``: everything; closed components are not looked for."""
    flipped, more = ends_of_tile(r, touch, new)
    start, walks = ends_of_train(r, lowest(own_ends_after(s, r, seat, train, touch, new)))
    odd, budget = whole.odd ^ flipped ^ start, whole.budget - more + walks
    left = Reach(i64(s.hand_count[seat]) - I1, whole.points - i64(tile_points(r, touch, new)), I0, LOOSE)
    return reach_of(s, r, seat, touch, new, left, odd, i64(popcount(odd)), budget)


@helper
def most_worth(look, reach):
    """An upper bound of ``plan_value`` for every plan of ``reach``.

    With all points, the value rises with the tiles as long as there is time for them, and is convex beyond: its
    greatest value is at one of the two ends. Fractions are rounded up.
    """
    w = look.weights
    tiles = reach.tiles - reach.left_out
    in_time = min(look.turns, tiles)
    most = in_time * (w[TILE] + w[TILE_IN_TIME]) + w[POINTS_IN_TIME] * reach.points
    if tiles > in_time:
        part = (RECIPROCAL_STEP * in_time) // tiles + I1
        shed = (w[POINTS_IN_TIME] * reach.points * part) // RECIPROCAL_STEP + I1
        most = max(most, w[TILE] * tiles + w[TILE_IN_TIME] * in_time + shed)
    return most


@helper
def is_same_plan(seat, one, other):
    """Whether two plays leave the same tiles and the same own ends: the same tile, off the own train."""
    if one >> u64(10) == seat or other >> u64(10) == seat:
        return False
    return one & u64(1023) == other & u64(1023) or (
        one & HALF == other >> U5 & HALF and other & HALF == one >> U5 & HALF
    )


@helper
def set_key(plays, k, value, known):
    """Give a play a new value for its plan; its bits for ties stay."""
    ties = plays.keys[k] & ((I1 << VALUE_SHIFT) - I1)
    plays.keys[k] = ((plays.worth[k] + value) << VALUE_SHIFT) | ties
    plays.known[k] = known


@helper
def weigh(look, plays, k, reach):
    """Give a play the value of its reach, which is exact if nothing need be left out."""
    if reach.known == EXACT:
        set_key(plays, k, plan_value(look, Plan(reach.tiles, reach.points, reach.tiles)), EXACT)
    else:
        set_key(plays, k, most_worth(look, reach), reach.known)


@helper
def list_plays(s, r, look, seat, random, g, plays):
    """Write the legal plays with the values of their reach; returns their number (int64)."""
    only_numbers = r.wild == NONE or (s.hand[seat, STAR] == 0 and s.end_half[seat] != WILD)
    whole = Whole(U0, I0, I0)
    if not only_numbers:
        whole = read_whole(s, r, seat, g[0])
    count = I0
    tie = random >> u64(40)
    at = before_plays(s, r)
    while True:
        at = next_play(s, r, at)
        if at.trains == U0:
            return count
        train, touch, new = play_at(at)
        tie = next_tie(tie)
        plays.moves[count] = encode_move(train, touch, new)
        plays.worth[count] = play_value(s, r, look, seat, train, touch, new)
        plays.keys[count] = (i64(tie >> u64(20)) << PLAY_BITS) | (LAST_PLAY - count)
        if only_numbers:
            weigh(look, plays, count, reach_of_numbers(s, r, seat, train, touch, new))
        else:
            weigh(look, plays, count, reach_of_whole(s, r, seat, whole, train, touch, new))
        count += I1


@helper
def first_of(plays, count):
    """The play (int64) of the largest key."""
    best = I0
    for k in range(I1, count):
        if plays.keys[k] > plays.keys[best]:
            best = i64(k)
    return best


@helper
def rival_value(seat, plays, k, count):
    """The largest value (int64) of a play with another plan than ``k``, as far as it is known."""
    rival = LEAST
    for other in range(count):
        if other != k and not is_same_plan(seat, u64(plays.moves[k]), u64(plays.moves[other])):
            rival = max(rival, plays.keys[other] >> VALUE_SHIFT)
    return rival


@helper
def settle(s, r, look, seat, g, rest, plays, k, count):
    """Improve what is known of a play, and of those with the same plan."""
    move = u64(plays.moves[k])
    touch, new = move >> U5 & HALF, move & HALF
    read_rest(g[0], r, s, seat, move >> u64(10), touch, new, rest)
    reach = Reach(I0, I0, I0, EXACT)
    if plays.known[k] == LOOSE:
        reach = reach_of_graph(s, r, seat, touch, new, g[0])
    elif plays.known[k] == TIGHT:
        reach = plan_ahead(look, g, rival_value(seat, plays, k, count) - plays.worth[k])
    else:
        reach = plan_ahead(look, g, LEAST)
    for other in range(count):
        if other == k or is_same_plan(seat, move, u64(plays.moves[other])):
            weigh(look, plays, i64(other), reach)


@kernel
def plan_ahead(look, g, enough):
    """The longest train in a GRAPH[1], as a reach; only a bound of it if the first step shows that its value is less
    than ``enough`` (int64)."""
    found, nodes, table = np.empty(1, SEARCH), np.empty(NODES, NODE), np.empty(TABLE, np.int64)
    begin_search(g[0], found[0], nodes)
    if not search(g, found, nodes, table, I1):
        most = g[0].whole - proven_bound(found, nodes)
        bound = Reach(most // TILE_STEP, g[0].whole % TILE_STEP, I0, MATCHED)
        if most_worth(look, bound) < enough:
            return bound
        search(g, found, nodes, table, WORK)
    weight = g[0].whole - (found[0].value >> I1)
    return Reach(weight // TILE_STEP, weight % TILE_STEP, I0, EXACT)


@kernel
def choose_expert(states, i, rules, random):
    """The move (uint64) of the policy ``expert`` at the decision of ``states[i]``; ties by ``random`` (uint64).

    It reads only what a view shows. It never stops while it can play.
    """
    s, r = states[i], rules[0]
    if s.legal_count <= 1:
        return STOP_MOVE if s.legal_count == 0 else kth_play(s, r, U0)
    seat = u64(s.seat)
    look = look_ahead(s, r, seat)
    size = i64(s.legal_count)
    plays = Plays(
        np.empty(size, np.uint16), np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.uint8)
    )
    g, rest = np.empty(1, GRAPH), np.empty(ROWS, np.uint32)
    count = list_plays(s, r, look, seat, random, g, plays)
    best = first_of(plays, count)
    while plays.known[best] != EXACT:
        settle(s, r, look, seat, g, rest, plays, best, count)
        best = first_of(plays, count)
    return u64(plays.moves[best])


@c_function("int32", STATE, RULES, "uint64")
def expert(state, rules, word):
    """The policy as a C function; see ``choose_expert``."""
    return np.int32(choose_expert(c_array(state, 1), 0, c_array(rules, 1), word))
