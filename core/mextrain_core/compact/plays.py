"""The helpers that compact states implement differently: hands, ends, legal plays, draws (see ``intrinsics``).

They support number sets up to double-15 and the set super, with the options of ``rules.USUAL``: no chicken feet, and no
tile is ever barred.
"""

import numpy as np

from mextrain_core.compact.intrinsics import (
    ahead,
    before,
    clear_hand,
    count_rows,
    found,
    pips,
    put_ahead,
    put_before,
    put_found,
    put_row_to_look_up,
    put_wild_ends,
    put_wild_plays,
    put_wild_row,
    row_found,
    row_of_number,
    rows_at_ends,
    tile_index,
    toggle_tile,
    wild_ends,
    wild_plays,
    wild_row,
    words_of,
)
from mextrain_core.compiler.jit import helper
from mextrain_core.compiler.machine import deposit, lowest, popcount
from mextrain_core.model.bits import find_member
from mextrain_core.model.limits import LETTER_A, NONE, WILD
from mextrain_core.model.moves import HALF_BITS, encode_move
from mextrain_core.model.rng import DRAW_WORDS, U32, below, word

u64 = np.uint64

U0, U1, U2, U3, U4, U15, U16, U20, U63 = (u64(n) for n in (0, 1, 2, 3, 4, 15, 16, 20, 63))
NO_TILE, A_HALF, WILD_HALF = u64(NONE), u64(LETTER_A), u64(WILD)
A_PLAY = U1 << (U16 + A_HALF)
"""The play of ``*-A`` that touches with ``*``, in a word of ``wild_plays``."""


@helper
def wild_bit(r, tile):
    """The bit of the tile (index) in the row of ``*``, or 0."""
    return U1 << u64(r.lo[tile]) if u64(r.hi[tile]) == WILD_HALF else U0


@helper
def empty_hand(s, seat):
    """Take all tiles out of the seat's hand."""
    clear_hand(s, seat)
    put_wild_row(s, seat, U0)


@helper
def add_tile(s, r, seat, tile):
    """Mark a tile (index) in the seat's hand, and count it if it is a ``*-A``."""
    toggle_tile(s, seat, tile)
    if r.wild != NONE:
        put_wild_row(s, seat, wild_row(s, seat) | wild_bit(r, tile))
        s.a_count[seat] += u64(u64(r.lo[tile]) == A_HALF)


@helper
def remove_tile(s, r, seat, touch, new):
    """Take the tile {touch, new} out of the seat's hand; of several ``*-A`` one."""
    if r.wild != NONE and (touch == A_HALF or new == A_HALF):
        s.a_count[seat] -= U1
        if s.a_count[seat] != 0:
            return
    tile = tile_index(s, touch, new)
    toggle_tile(s, seat, tile)
    if r.wild != NONE:
        put_wild_row(s, seat, wild_row(s, seat) & ~wild_bit(r, tile))


@helper
def put_end(s, r, train, half):
    """Make ``half`` the end of ``train``."""
    s.end_half[train] = half
    if r.wild == NONE:
        put_row_to_look_up(s, train, half)
        return
    put_row_to_look_up(s, train, min(half, WILD_HALF))
    others = wild_ends(s, U0) & ~(U1 << train)
    put_wild_ends(s, U0, others | u64(half == WILD_HALF) << train)


@helper
def hand_points(s, r, seat):
    """Points (int64) of the tiles that ``seat`` holds."""
    total = pips(s, seat)
    if r.wild != NONE:
        wild = wild_row(s, seat)
        # Ten points for each *, and for the other half if it is not a number.
        total += u64(r.half_points[WILD_HALF]) * (popcount(wild) + popcount(wild >> WILD_HALF))
        total += U20 * (max(u64(s.a_count[seat]), U1) - U1)
    if row_of_number(s, seat, NO_TILE, U0) & U1 != U0:
        total += u64(r.double_blank)
    return np.int64(total)


@helper
def words_in_use(s, third):
    """Number of words of the boneyard that can have members; ``third`` is its third word."""
    if words_of(s) < 4:
        return words_of(s)
    return 2 if third == U0 else 3


@helper
def look_ahead(s):
    """Take the tile of the next draw out of the boneyard ahead of time, off the critical path of the draw itself."""
    size = u64(s.boneyard_size)
    if size == U0:
        return
    r32 = word(u64(s.key), DRAW_WORDS + u64(s.draws)) >> U32
    first, second, third = u64(s.boneyard[U0]), u64(s.boneyard[U1]), u64(s.boneyard[U2])
    words = words_in_use(s, third)
    tile, bit_1, bit_2, bit_3 = find_member(
        first, second, third, popcount(first), popcount(second), words, below(r32, size)
    )
    s.boneyard[U0] = first ^ bit_1
    s.boneyard[U1] = second ^ bit_2
    s.boneyard[U2] = third ^ bit_3
    put_ahead(s, U0, tile)


@helper
def take_draw(s, tile):
    """Draw the tile ``ahead`` and ignore ``tile``; returns the index of the tile drawn."""
    tile = ahead(s, U0)
    s.draws += U1
    s.boneyard_size -= U1
    look_ahead(s)
    return tile


@helper
def keep_plays(s, words):
    """Store the plays found, and return their number."""
    put_found(s, U0, words[0])
    count = popcount(words[0])
    if words_of(s) > 1:
        put_found(s, U1, words[1])
        count += popcount(words[1])
    if words_of(s) > 2:
        put_found(s, U2, words[2])
        put_found(s, U3, words[3])
        count += popcount(words[2]) + popcount(words[3])
    return count


@helper
def place_in_word(s, number, k, earlier):
    """Place (train * 16 + new) of the k-th play if word ``number`` has it; ``earlier``: plays in the words before."""
    return lowest(deposit(U1 << ((k - earlier) & U63), found(s, number))) | number << u64(6)


@helper
def kth_kept(s, k):
    """The k-th of the stored plays, as a move: each word gives a candidate, the last one that starts by k wins."""
    place = place_in_word(s, U0, k, U0)
    earlier = popcount(found(s, U0))
    if words_of(s) > 1:
        other = place_in_word(s, U1, k, earlier)
        place = other if k >= earlier else place
    if words_of(s) > 2:
        earlier += popcount(found(s, U1))
        other = place_in_word(s, U2, k, earlier)
        place = other if k >= earlier else place
        earlier += popcount(found(s, U2))
        other = place_in_word(s, U3, k, earlier)
        place = other if k >= earlier else place
    train = place >> U4
    return encode_move(train, u64(s.end_half[train]) & HALF_BITS, place & U15)


@helper
def row_of_wild(s, r, seat, only):
    """The row of ``*`` in the seat's hand, or in the tile ``only``."""
    return wild_row(s, seat) if only == NO_TILE else wild_bit(r, only)


@helper
def is_wild(s, wild):
    """Whether ``*`` is involved: in a tile (``wild`` is the row of ``*``) or as the end of an eligible train."""
    return wild | (u64(s.eligible) & wild_ends(s, U0)) != U0


@helper
def count_plays(s, r):
    """Number of legal plays under the selection in the state; they are stored for ``kth_play``."""
    seat, only, trains = u64(s.seat), u64(s.only), u64(s.eligible)
    count = keep_plays(s, rows_at_ends(s, seat, only, trains))
    if r.wild == NONE:
        return count
    wild = row_of_wild(s, r, seat, only)
    if not is_wild(s, wild):
        return count
    on_number, a_on_number = wild << U16, wild << U16 & A_PLAY
    count = U0
    for index in range(u64(s.players) + U1):
        train = u64(index)
        any_tile = U0 - (trains >> train & U1)
        only_a = U0 - (u64(s.eligible_a) >> train & U1)
        here = row_found(s, train) | (on_number & any_tile) | (a_on_number & only_a)
        put_wild_plays(s, train, here)
        put_before(s, train, count)
        if wild_ends(s, U0) >> train & U1 == U0:
            count += popcount(here)
        elif any_tile != U0:
            # Every tile in both orientations; the rows of letters have one play for each tile with a letter.
            count += count_rows(s, seat, only) + popcount(wild) + popcount(wild >> A_HALF)
        else:
            count += U2 * popcount(here)
    return count


@helper
def kth_play(s, r, k):
    """The k-th legal play by ascending id (k below ``legal_count``), as a move."""
    seat, only = u64(s.seat), u64(s.only)
    if r.wild == NONE:
        return kth_kept(s, k)
    wild = row_of_wild(s, r, seat, only)
    if not is_wild(s, wild):
        return kth_kept(s, k)
    train = U0
    for index in range(U1, u64(s.players) + U1):
        train += u64(k >= before(s, u64(index)))
    k -= before(s, train)
    if wild_ends(s, U0) >> train & U1 != U0:
        return kth_on_wild_end(s, train, wild, k)
    bit = lowest(deposit(U1 << k, wild_plays(s, train)))
    if bit < U16:
        return encode_move(train, u64(s.end_half[train]), bit)
    return encode_move(train, WILD_HALF, bit - U16)


@helper
def kth_on_wild_end(s, train, wild, k):
    """The k-th play on a train that ends in ``*``, as a move; ``wild`` is the row of ``*``."""
    if u64(s.eligible) >> train & U1 == U0:
        return encode_move(train, WILD_HALF + k, A_HALF - k)
    for half in range(WILD):
        row = row_of_number(s, u64(s.seat), u64(s.only), u64(half))
        here = popcount(row)
        if k < here:
            return encode_move(train, u64(half), lowest(deposit(U1 << k, row)))
        k -= here
    here = popcount(wild)
    if k < here:
        return encode_move(train, WILD_HALF, lowest(deposit(U1 << k, wild)))
    return encode_move(train, A_HALF + lowest(deposit(U1 << (k - here), wild >> A_HALF)), WILD_HALF)
