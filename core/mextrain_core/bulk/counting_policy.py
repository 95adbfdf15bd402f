"""The policy ``counting``: weighs every play by how much of the hand could still be laid after it (docs/policies.md).

``planner`` searches for the best train of a hand; this policy only counts its tiles. Halves are vertices and tiles are
edges. A train is a walk, and connected tiles make one walk from the own end if

    odd vertices + 2 * closed components  <=  halves ``*`` + 1

where the own end counts as one more edge at its vertex. Each further own end, as chicken feet leave them, allows one
more walk. The XOR of the rows of a hand is the set of odd vertices, because the matrix is symmetric and a double, which
counts twice, is left out; a play changes at most three of them. Two odd vertices too many cost one tile if a tile joins
them, and about two otherwise. With at most one tile ``*`` left, only the component of the own end counts, and the one
to which the ``*`` leads: both are visited vertex by vertex.

All numbers are integers, and nothing is kept between decisions. The policy reads what a view shows, and never stops
while it can play.
"""

from collections import namedtuple

import numpy as np

from mextrain_core.bulk.plan_value import Plan, look_ahead, own_ends_after, plan_value, play_value
from mextrain_core.compiler.jit import helper
from mextrain_core.compiler.machine import lowest, popcount
from mextrain_core.game.movegen import before_plays, ends_of, kth_play, next_play, play_at
from mextrain_core.game.score import tile_points
from mextrain_core.model.limits import LETTER_A, NONE, WILD
from mextrain_core.model.moves import STOP_MOVE, encode_move

u64, i64 = np.uint64, np.int64

U0, U1, U2 = u64(0), u64(1), u64(2)
I0, I1, I2 = i64(0), i64(1), i64(2)
WILD_HALF, A_HALF = u64(WILD), u64(LETTER_A)
NUMBERS = (U1 << WILD_HALF) - U1
"""Halves of the set super that are numbers."""
EVERY_HALF = u64(0xFFFFF)
NO_HALF = u64(31)
WILD_POINTS = i64(10)
"""Points of ``*`` and of a letter."""

TIE_BITS = i64(12)
TIE_FACTOR, TIE_STEP, LOW_32 = u64(0x9E3779B1), u64(0x7F4A7C15), u64(0xFFFFFFFF)
"""Ties are broken by the upper bits of a linear congruential sequence that begins with the attempt's random word."""

Component = namedtuple("Component", "tiles points odd seen")
"""Tiles that hang together: how many (int64), their points (int64), odd vertices and all vertices (masks)."""

Hand = namedtuple("Hand", "odd lone budget points letters")
"""The whole hand in the set super: odd vertices and vertices with nothing but a double (masks), walks that its tiles
``*`` allow, points, and tiles with a letter (int64)."""

Known = namedtuple("Known", "look hand here")
"""What holds for all plays of a decision: an ``Outlook``, the ``Hand`` and the ``Component`` of today's own ends."""


@helper
def is_tile(half, hi, lo):
    """Bit of the other half if ``half`` is one of the tile {hi, lo}, else 0."""
    return (u64(half == hi) << lo) | (u64(half == lo) << hi)


@helper
def component(s, r, seat, start, hi, lo, mask):
    """The component of the vertices ``start`` (mask) in the hand without the tile {hi, lo}, by the halves ``mask``."""
    seen = start
    todo, sides, points, odd = start, U0, U0, U0
    while todo != U0:
        half = lowest(todo)
        todo &= todo - U1
        row = u64(s.hand[seat, half]) & mask & ~is_tile(half, hi, lo)
        double = (row >> half) & U1
        count = popcount(row) + double
        sides += count
        points += count * u64(r.half_points[half])
        odd ^= row ^ (double << half)
        fresh = row & ~seen
        seen |= fresh
        todo |= fresh
    return Component(i64(sides >> U1), i64(points), odd, seen)


@helper
def read_super_hand(s, seat):
    """The hand of the seat as a ``Hand``."""
    odd, doubles, joined, points = U0, U0, U0, U0
    for number in range(WILD):
        half = u64(number)
        row = u64(s.hand[seat, half])
        double = row & (U1 << half)
        doubles |= double
        row ^= double
        odd ^= row
        joined |= u64(row != U0) << half
        points += half * (popcount(row) + U2 * (double >> half))
    wild = u64(s.hand[seat, WILD_HALF])
    wild_double = (wild >> WILD_HALF) & U1
    more_a = max(u64(s.a_count[seat]), U1) - U1
    letters = i64(popcount(wild >> A_HALF) + more_a)
    points += u64(WILD_POINTS) * (popcount(wild) + wild_double + popcount(wild >> A_HALF) + U2 * more_a)
    budget = i64(popcount(wild & NUMBERS) + U2 * wild_double) + I1
    return Hand((odd ^ wild) & NUMBERS, doubles & ~joined, budget, i64(points), letters)


@helper
def left_out(s, seat, odd, pairs, hi, lo):
    """Tiles (int64) that must be left out for so many pairs of odd vertices too many: one where a tile joins two of
    them, else two."""
    joined = I0
    while odd != U0 and joined < pairs:
        half = lowest(odd)
        odd &= odd - U1
        near = u64(s.hand[seat, half]) & odd & ~is_tile(half, hi, lo)
        if near != U0:
            odd ^= near & (U0 - near)
            joined += I1
    return pairs + pairs - joined


@helper
def without(s, seat, plan, odd, pairs, hi, lo):
    """The plan after what too many odd vertices cost."""
    if pairs > I0:
        return Plan(max(plan.tiles - left_out(s, seat, odd, pairs, hi, lo), I0), plan.points, plan.of)
    return plan


@helper
def component_after(s, r, seat, here, starts, train, touch, new, mask):
    """The component of the own ends ``starts`` after a play; ``here`` is the one of today's own ends."""
    laid = (U1 << touch) | (U1 << new)
    if train == seat or laid & ends_of(s, r, seat) != U0:
        return component(s, r, seat, starts, touch, new, mask)
    if here.seen & laid & mask == laid:
        flipped = laid if touch != new else U0
        points = i64(tile_points(r, touch, new))
        return Component(here.tiles - I1, here.points - points, here.odd ^ flipped, here.seen)
    return here


@helper
def count_numbers(s, r, seat, here, train, touch, new):
    """The plan after a play with a number set."""
    starts = own_ends_after(s, r, seat, train, touch, new)
    part = component_after(s, r, seat, here, starts, train, touch, new, EVERY_HALF)
    odd = part.odd ^ starts
    pairs = (i64(popcount(odd)) - i64(popcount(starts))) >> I1
    return without(s, seat, Plan(part.tiles, part.points, part.tiles), odd, pairs, touch, new)


@helper
def count_super(s, r, seat, hand, here, train, touch, new):
    """The plan after a play with the set super."""
    end = u64(s.end_half[seat])
    start = new if train == seat else end
    is_wild = touch >= WILD_HALF or new >= WILD_HALF
    budget = hand.budget
    if is_wild:
        other = touch if new == WILD_HALF else new
        budget -= I1 if other < WILD_HALF else (I2 if other == WILD_HALF else I0)
    if start == WILD_HALF:
        return count_whole_hand(s, r, seat, hand, start, touch, new, budget + I1)
    if budget > I2:
        return count_whole_hand(s, r, seat, hand, start, touch, new, budget)
    # At most one tile with a `*` and a number is left: the own end's component, and the one to which the `*` leads.
    if hand.budget > I2:
        part = component(s, r, seat, U1 << start, touch, new, NUMBERS)
    else:
        part = component_after(s, r, seat, here, U1 << start, train, touch, new, NUMBERS)
    tiles, points, odd = part.tiles, part.points, part.odd ^ (U1 << start)
    if budget == I2:
        laid = (U1 << touch) | (U1 << new) if is_wild else U0
        half = lowest(u64(s.hand[seat, WILD_HALF]) & NUMBERS & ~laid)
        if (part.seen >> half) & U1 != U0:
            return count_whole_hand(s, r, seat, hand, start, touch, new, budget)
        more = component(s, r, seat, U1 << half, touch, new, NUMBERS)
        tiles += more.tiles + I1
        points += more.points + WILD_POINTS + i64(half)
        odd ^= more.odd ^ (U1 << half)
    letters = hand.letters - i64((touch >= A_HALF) | (new >= A_HALF))
    tiles += letters
    points += letters * (WILD_POINTS + WILD_POINTS)
    pairs = (i64(popcount(odd)) - I1) >> I1
    return without(s, seat, Plan(tiles, points, tiles), odd, pairs, touch, new)


@helper
def count_whole_hand(s, r, seat, hand, start, touch, new, budget):
    """The plan where tiles with a ``*`` join all components: doubles alone at their vertex cost a walk each."""
    left = i64(s.hand_count[seat]) - I1
    odd = hand.odd if touch == new else (hand.odd ^ ((U1 << touch) | (U1 << new))) & NUMBERS
    lone = hand.lone
    if start != WILD_HALF:
        odd ^= U1 << start
        lone &= ~(U1 << start)
    if touch == new:
        lone &= ~(U1 << new)
    pairs = (i64(popcount(odd) + U2 * popcount(lone)) - budget + I1) >> I1
    points = hand.points - i64(tile_points(r, touch, new))
    return without(s, seat, Plan(left, points, left), odd, pairs, touch, new)


@helper
def begin_plans(s, r, seat):
    """What ``plan_after`` needs for all plays of a decision: the ``Hand`` and the component of the own ends."""
    hand = Hand(U0, U0, I1, I0, I0)
    here = Component(I0, I0, U0, U0)
    if r.wild == NONE:
        here = component(s, r, seat, ends_of(s, r, seat), NO_HALF, NO_HALF, EVERY_HALF)
    else:
        hand = read_super_hand(s, seat)
        if hand.budget <= I2 and s.end_half[seat] < WILD:
            here = component(s, r, seat, U1 << u64(s.end_half[seat]), NO_HALF, NO_HALF, NUMBERS)
    return hand, here


@helper
def plan_after(s, r, seat, hand, here, train, touch, new):
    """The plan after a play."""
    if r.wild == NONE:
        return count_numbers(s, r, seat, here, train, touch, new)
    return count_super(s, r, seat, hand, here, train, touch, new)


@helper
def know_hand(s, r, seat):
    """What holds for all plays of the decision, as ``Known``."""
    hand, here = begin_plans(s, r, seat)
    return Known(look_ahead(s, r, seat), hand, here)


@helper
def counting_value(s, r, seat, known, train, touch, new):
    """The value (int64) of a play."""
    plan = plan_after(s, r, seat, known.hand, known.here, train, touch, new)
    return play_value(s, r, known.look, seat, train, touch, new) + plan_value(known.look, plan)


@helper
def next_tie(tie):
    """The next number (uint64) of the sequence that breaks ties."""
    return (tie * TIE_FACTOR + TIE_STEP) & LOW_32


@helper
def with_tie(value, tie):
    """The value with the number that breaks ties as its lowest bits."""
    return (value << TIE_BITS) | i64(tie >> u64(20))


@helper
def choose_counting(s, r, random):
    """The move (uint64) of the policy at the state's decision; ties by ``random``, the attempt's word."""
    seat = u64(s.seat)
    if s.legal_count <= 1:
        return STOP_MOVE if s.legal_count == 0 else kth_play(s, r, U0)
    known = know_hand(s, r, seat)
    best, best_move = i64(-(1 << 62)), STOP_MOVE
    tie = random >> u64(40)
    at = before_plays(s, r)
    while True:
        at = next_play(s, r, at)
        if at.trains == U0:
            return best_move
        train, touch, new = play_at(at)
        tie = next_tie(tie)
        key = with_tie(counting_value(s, r, seat, known, train, touch, new), tie)
        if key > best:
            best, best_move = key, encode_move(train, touch, new)
