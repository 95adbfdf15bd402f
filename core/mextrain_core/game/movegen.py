"""Which plays are legal (docs/rules.md sections 4, 5, 7 and 8).

``eligible.select`` writes into the derived fields of the state which trains the play owed may use. All functions here
read only these fields, so counting, listing, masks and ``is_legal`` cannot disagree.
"""

from typing import Any, NamedTuple

import numpy as np

from mextrain_core.compact import plays
from mextrain_core.compact.intrinsics import by_form
from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.compiler.machine import kth_bit, lowest, popcount
from mextrain_core.model.limits import LETTER_A, NONE, WILD
from mextrain_core.model.moves import STOP_MOVE, action_id, encode_move, move_new, move_of_id, move_touch, move_train
from mextrain_core.model.rules import CHICKEN_FOOT
from mextrain_core.model.state import PHASE_DECIDE

u64 = np.uint64

U0, U1, U6, U63 = u64(0), u64(1), u64(6), u64(63)
A_HALF, WILD_HALF = u64(LETTER_A), u64(WILD)
A_BIT, WILD_BIT = U1 << A_HALF, U1 << WILD_HALF


@helper
def has_foot(s, r):
    """Whether there is an unfinished chicken foot, which binds every play; it is on ``double_train[0]``."""
    return r.double_rule == CHICKEN_FOOT and s.double_count != 0


@helper
def touches(s, r, train):
    """Bit set of the halves that fit the ends of ``train``, whether or not the seat may use it."""
    if r.double_rule == CHICKEN_FOOT:
        if has_foot(s, r) and u64(s.double_train[0]) == train:
            return U1 << u64(s.end_half[train])
        return u64(s.end_mask[train])
    return u64(r.join[u64(s.end_half[train])])


@helper
def ends_of(s, r, train):
    """Bit set of the end halves of ``train``; with an unfinished foot only the half of its double."""
    if r.double_rule == CHICKEN_FOOT:
        return touches(s, r, train)
    return U1 << u64(s.end_half[train])


@helper
def row_of(s, r, seat, train, touch):
    """Bit set of the halves ``new`` such that (train, touch, new) is legal, if ``touch`` joins the train's end."""
    row = u64(s.hand[seat, touch])
    if (u64(s.eligible) >> train) & U1 == U0:
        row &= A_BIT if touch == WILD_HALF else (WILD_BIT if touch == A_HALF else U0)
    if s.only != NONE:
        row &= partner(r, u64(s.only), touch)
    if s.barred != NONE:
        row &= ~partner(r, u64(s.barred), touch)
    return row


@helper
def partner(r, tile, half):
    """The bit of the other half of ``tile`` if it shows ``half``, else 0."""
    hi, lo = u64(r.hi[tile]), u64(r.lo[tile])
    return U1 << lo if hi == half else (U1 << hi if lo == half else U0)


@helper
def trains_in_use(s, seat):
    """Trains on which the seat can have a play: the eligible ones, and those for ``*-A`` if it holds one."""
    return u64(s.eligible) | (u64(s.eligible_a) if s.a_count[seat] != 0 else U0)


class Cursor(NamedTuple):
    """Position of an iteration over the legal plays; all fields are uint64. Use it like this:

        at = before_plays(s, r)
        while True:
            at = next_play(s, r, at)
            if at.trains == U0:
                break
            train, touch, new = play_at(at)

    (A ``while`` with a condition would compile two copies of ``next_play``.)
    """

    trains: Any
    """Bit set of this train (the lowest bit) and the trains still to come; 0 after the last play."""
    halves: Any
    """Bit set of the touching halves still to come on this train."""
    touch: Any
    """The touching half."""
    row: Any
    """Bit set of the new half (the lowest bit) and those still to come with this ``touch``."""


@helper
def before_plays(s, r):
    """The cursor before the first legal play under the selection in the state."""
    trains = trains_in_use(s, u64(s.seat))
    return Cursor(trains, touches(s, r, lowest(trains)) if trains != U0 else U0, U0, U0)


@helper
def next_row(s, r, at):
    """The cursor at the first legal play with another ``touch``, or on another train."""
    seat = u64(s.seat)
    trains, halves = at.trains, at.halves
    while trains != U0:
        while halves != U0:
            touch = lowest(halves)
            halves &= halves - U1
            row = row_of(s, r, seat, lowest(trains), touch)
            if row != U0:
                return Cursor(trains, halves, touch, row)
        trains &= trains - U1
        if trains != U0:
            halves = touches(s, r, lowest(trains))
    return Cursor(U0, U0, U0, U0)


@helper
def next_play(s, r, at):
    """The cursor at the next legal play, in ascending order."""
    row = at.row & (at.row - U1)
    return Cursor(at.trains, at.halves, at.touch, row) if row != U0 else next_row(s, r, at)


@helper
def play_at(at):
    """The play at a cursor: (train, touching half, new half)."""
    return lowest(at.trains), at.touch, lowest(at.row)


@helper
def count_plays_of_struct(s, r):
    """``count_plays`` of a STATE struct."""
    seat = u64(s.seat)
    n = U0
    if r.plain != 0 and s.barred == NONE:
        trains = u64(s.eligible)
        if s.only != NONE:
            hi, lo = u64(r.hi[u64(s.only)]), u64(r.lo[u64(s.only)])
            while trains != U0:
                end = u64(s.end_half[lowest(trains)])
                n += u64((end == hi) | (end == lo))
                trains &= trains - U1
            return n
        while trains != U0:
            n += popcount(u64(s.hand[seat, u64(s.end_half[lowest(trains)])]))
            trains &= trains - U1
        return n
    # Separate loops here and in ``kth_play``: with a Cursor, rounds with chicken feet took 30 % longer.
    trains = trains_in_use(s, seat)
    while trains != U0:
        train = lowest(trains)
        halves = touches(s, r, train)
        while halves != U0:
            n += popcount(row_of(s, r, seat, train, lowest(halves)))
            halves &= halves - U1
        trains &= trains - U1
    return n


count_plays = by_form(plays.count_plays, count_plays_of_struct)
"""Number of legal plays under the selection in the state."""


@helper
def kth_play_of_struct(s, r, k):
    """``kth_play`` of a STATE struct."""
    seat = u64(s.seat)
    if r.plain != 0 and s.only & s.barred == NONE:
        trains = u64(s.eligible)
        while True:
            train = lowest(trains)
            touch = u64(s.end_half[train])
            row = u64(s.hand[seat, touch])
            here = popcount(row)
            if k < here:
                return encode_move(train, touch, kth_bit(row, k))
            k -= here
            trains &= trains - U1
    trains = trains_in_use(s, seat)
    while True:
        train = lowest(trains)
        halves = touches(s, r, train)
        while halves != U0:
            touch = lowest(halves)
            row = row_of(s, r, seat, train, touch)
            here = popcount(row)
            if k < here:
                return encode_move(train, touch, kth_bit(row, k))
            k -= here
            halves &= halves - U1
        trains &= trains - U1


kth_play = by_form(plays.kth_play, kth_play_of_struct)
"""The k-th legal play by ascending id (k below ``legal_count``), as a move."""


@helper
def is_legal_move(s, r, move):
    """Whether the 16-bit move (any uint64) is legal at this decision."""
    if s.phase != PHASE_DECIDE:
        return False
    if move == STOP_MOVE:
        return s.may_stop != 0
    train, touch, new = move_train(move), move_touch(move), move_new(move)
    if move >> u64(14) != U0 or train > u64(r.players) or touch >= u64(r.halves) or new >= u64(r.halves):
        return False
    if (trains_in_use(s, u64(s.seat)) >> train) & U1 == U0 or (touches(s, r, train) >> touch) & U1 == U0:
        return False
    return (row_of(s, r, u64(s.seat), train, touch) >> new) & U1 != U0


@kernel
def is_legal(states, i, rules, move):
    """Whether ``move`` (uint64) is legal in ``states[i]``: False if no decision is due."""
    return is_legal_move(states[i], rules[0], move)


@helper
def write_moves(s, r, out):
    """Write the legal moves in ascending order, ``stop`` last, into ``out`` (uint16); returns their number."""
    n = 0
    if s.phase != PHASE_DECIDE:
        return n
    at = before_plays(s, r)
    while True:
        at = next_play(s, r, at)
        if at.trains == U0:
            break
        train, touch, new = play_at(at)
        out[n] = encode_move(train, touch, new)
        n += 1
    if s.may_stop != 0:
        out[n] = STOP_MOVE
        n += 1
    return n


@kernel
def legal_moves(states, i, rules, out):
    """Write the legal moves in ascending order, ``stop`` last, into ``out`` (uint16); returns their number.

    ``out`` must hold ``legal_count + 1`` moves; nothing is written unless a decision is due.
    """
    return write_moves(states[i], rules[0], out)


@kernel
def legal_ids(states, i, rules, out):
    """Like ``legal_moves``, as dense action ids (uint16)."""
    n = legal_moves(states, i, rules, out)
    for k in range(n):
        out[k] = action_id(rules[0], u64(out[k]))
    return n


@kernel
def legal_mask(states, i, rules, out):
    """Write the action mask: bit ``id & 63`` of ``out[id >> 6]`` (uint64[(A + 63) // 64]) is 1 for a legal id.

    All bits are 0 if no decision is due.
    """
    s, r = states[i], rules[0]
    for k in range(len(out)):
        out[k] = U0
    if s.phase != PHASE_DECIDE:
        return
    at = before_plays(s, r)
    while True:
        at = next_play(s, r, at)
        if at.trains == U0:
            break
        train, touch, new = play_at(at)
        action = action_id(r, encode_move(train, touch, new))
        out[action >> U6] |= U1 << (action & U63)
    if s.may_stop != 0:
        action = action_id(r, STOP_MOVE)
        out[action >> U6] |= U1 << (action & U63)


@kernel
def move_to_id(rules, move):
    """Dense action id of a move of the set (uint64)."""
    return action_id(rules[0], move)


@kernel
def id_to_move(rules, action):
    """Move of a dense action id below ``action_count`` (uint64)."""
    return move_of_id(rules[0], action)
