"""Setting up a round: deal, starter, and the draws from the boneyard (docs/rules.md section 3)."""

import numpy as np

from mextrain_core.compact import plays
from mextrain_core.compact.intrinsics import by_form
from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.compiler.machine import popcount
from mextrain_core.game.rounds import NO_SEAT
from mextrain_core.model.bits import find_member
from mextrain_core.model.indices import tile_index
from mextrain_core.model.limits import LETTER_A, NONE, ROWS
from mextrain_core.model.rng import DRAW_WORDS, ENGINE_WORD, LOW_32, STARTER_WORD, U32, below, round_key, word
from mextrain_core.model.rules import CHICKEN_FOOT, HIGHEST, SET_ASIDE, TOGETHER
from mextrain_core.model.state import OWED_REQUIRED, PHASE_TURN, RUNNING

u64 = np.uint64

U0, U1, U2, U6, U63 = u64(0), u64(1), u64(2), u64(6), u64(63)
EVERY = ~U0


@helper
def set_bits_of_struct(s, r, seat, tile):
    """``set_bits`` of a STATE struct."""
    hi, lo = u64(r.hi[tile]), u64(r.lo[tile])
    s.hand[seat, hi] |= U1 << lo
    s.hand[seat, lo] |= U1 << hi
    if r.wild != NONE and lo == u64(LETTER_A):
        s.a_count[seat] += U1


set_bits = by_form(plays.add_tile, set_bits_of_struct)
"""Mark a tile (index) in the seat's hand matrix, and count it if it is a ``*-A``."""


@helper
def give(s, r, seat, tile):
    """Add a tile to the seat's hand."""
    set_bits(s, r, seat, tile)
    s.hand_count[seat] += U1


@helper
def clear_bits_of_struct(s, r, seat, touch, new):
    """``clear_bits`` of a STATE struct."""
    if r.wild != NONE and (touch == u64(LETTER_A) or new == u64(LETTER_A)):
        s.a_count[seat] -= U1
        if s.a_count[seat] != 0:
            return
    s.hand[seat, touch] &= ~(U1 << new)
    s.hand[seat, new] &= ~(U1 << touch)


clear_bits = by_form(plays.remove_tile, clear_bits_of_struct)
"""Unmark the tile {touch, new} in the seat's hand matrix; one of them if there are several ``*-A``."""


@helper
def take(s, r, seat, touch, new):
    """Take the tile {touch, new} out of the seat's hand; one of them if there are several ``*-A``."""
    s.hand_count[seat] -= U1
    clear_bits(s, r, seat, touch, new)


@helper
def put_end_of_struct(s, r, train, half):
    """``put_end`` of a STATE struct."""
    s.end_half[train] = half


put_end = by_form(plays.put_end, put_end_of_struct)
"""Make ``half`` the end of the train."""


@helper
def empty_hand_of_struct(s, seat):
    """``empty_hand`` of a STATE struct."""
    for half in range(ROWS):
        s.hand[seat, u64(half)] = U0


empty_hand = by_form(plays.empty_hand, empty_hand_of_struct)
"""Take all tiles out of the seat's hand matrix."""


@helper
def look_ahead_of_struct(s):
    """Nothing: a STATE struct finds the tile of a draw when it is due."""


look_ahead = by_form(plays.look_ahead, look_ahead_of_struct)
"""Find the tile of the next draw ahead of time (compact states only)."""


@helper
def leave_boneyard(s, tile):
    """Take a tile out of the boneyard."""
    place, others = tile >> U6, ~(U1 << (tile & U63))
    s.boneyard[U0] &= others if place == U0 else EVERY
    s.boneyard[U1] &= others if place == U1 else EVERY
    s.boneyard[U2] &= others if place == U2 else EVERY
    s.boneyard_size -= U1


@helper
def next_draw(s):
    """The tile that draw number ``s.draws`` of the round takes; the state does not change."""
    r32 = word(u64(s.key), DRAW_WORDS + u64(s.draws)) >> U32
    first, second, third = u64(s.boneyard[U0]), u64(s.boneyard[U1]), u64(s.boneyard[U2])
    k = below(r32, u64(s.boneyard_size))
    words = plays.words_in_use(s, third)
    return find_member(first, second, third, popcount(first), popcount(second), words, k)[0]


@helper
def lay_engine(s, r, engine, starter):
    """Lay the engine in the centre of a table without any other tile; ``starter`` begins."""
    s.engine = engine
    s.starter = starter
    s.seat = starter
    for train in range(u64(r.players) + U1):
        put_end(s, r, u64(train), engine)
    for half in range(u64(r.halves)):
        s.off[u64(half)] = r.off[u64(half)]
    s.off[engine] -= U1
    if r.double_rule == CHICKEN_FOOT:
        s.toes = U0
        for train in range(u64(r.players) + U1):
            s.end_mask[u64(train)] = U1 << engine
            for half in range(ROWS):
                s.end_count[u64(train), u64(half)] = U0
            s.end_count[u64(train), engine] = U1


@helper
def clear_table(s, r, engine, starter):
    """Reset everything of a round; all tiles of the set except the engine are in the boneyard."""
    players = u64(r.players)
    s.turns = U0
    s.plays = U0
    s.draws = U0
    s.attempts = U0
    s.events = U0
    s.started = U0
    s.open = U0
    s.opening_to_come = (U1 << players) - U1
    s.fresh = U0
    s.players = players
    s.step = U1
    s.phase = PHASE_TURN
    s.owed = OWED_REQUIRED
    s.opening = U0
    s.play_drew = U0
    s.turn_drew = U0
    s.drawn = NONE
    s.cover = NONE
    s.skip = U0
    s.penalty = U0
    s.end = RUNNING
    s.winner = NONE
    s.double_count = U0
    s.bound = U0
    s.may_stop = U0
    s.only = NONE
    s.barred = NONE
    s.eligible = U0
    s.eligible_a = U0
    s.legal_count = U0
    lay_engine(s, r, engine, starter)
    s.off_total = u64(r.tiles) - U1
    s.boneyard_size = u64(r.tiles)
    s.boneyard[U0] = r.set_words[U0]
    s.boneyard[U1] = r.set_words[U1]
    s.boneyard[U2] = r.set_words[U2]
    leave_boneyard(s, tile_index(r, engine, engine))
    for seat in range(players):
        s.hand_count[u64(seat)] = U0
        s.a_count[u64(seat)] = U0
        empty_hand(s, u64(seat))


@helper
def drawn_starter(r, key):
    """The starter of the round of ``key``, drawn from its stream."""
    return below(word(key, STARTER_WORD) >> U32, u64(r.players))


@helper
def place_of_engine(r, key):
    """Place of the engine among all tiles of the set as they are dealt and then drawn (option ``engine_from``)."""
    return below(word(key, ENGINE_WORD) >> U32, u64(r.tiles))


@helper
def layer_of_engine(r, place, caller):
    """The seat that lays the engine, which is at ``place``: it was dealt it, or draws it in the hunt."""
    dealt = u64(r.players) * u64(r.hand_size)
    if place < dealt:
        return place // u64(r.hand_size)
    return (caller + place - dealt) % u64(r.players)


@helper
def begin_with(r, place, caller, seat):
    """Number of tiles of ``seat`` when the engine, at ``place``, has been laid: those dealt and those of the hunt."""
    players, hand = u64(r.players), u64(r.hand_size)
    dealt = players * hand
    if place < dealt:
        return hand - u64(place // hand == seat)
    before = place - dealt  # tiles drawn before the engine
    drawn = before + U1
    if r.engine_hunt == TOGETHER:
        drawn = min((before // players + U1) * players, u64(r.tiles) - dealt)
    nth = (seat + players - caller) % players  # the seat's turn in a circuit
    return hand + (drawn + players - U1 - nth) // players - u64(before % players == nth)


@kernel
def begin_sizes(rules, place, caller, sizes):
    """Write the tiles of each seat after the engine is laid into ``sizes`` (uint8[players]); returns the starter.

    ``place``, ``caller`` (uint64): as for ``begin_with``.
    """
    r = rules[0]
    for seat in range(u64(r.players)):
        sizes[seat] = begin_with(r, place, caller, u64(seat))
    return layer_of_engine(r, place, caller)


@helper
def pick_tile(s, key, pick):
    """Take the tile of this pick of the deal out of the boneyard, and return it."""
    random = word(key, pick >> U1)
    r32 = random >> U32 if pick & U1 == U0 else random & LOW_32
    first, second, third = u64(s.boneyard[U0]), u64(s.boneyard[U1]), u64(s.boneyard[U2])
    k = below(r32, u64(s.boneyard_size))
    words = plays.words_in_use(s, third)
    tile = find_member(first, second, third, popcount(first), popcount(second), words, k)[0]
    leave_boneyard(s, tile)
    return tile


@helper
def deal_whole_set(s, r, key, caller):
    """Deal the round of ``key`` if the deal decides which double is the engine: all tiles of the set are dealt.

    ``caller``: the seat that is asked first.
    """
    players = u64(r.players)
    clear_table(s, r, u64(r.first_engine), caller)
    s.key = key
    s.boneyard[U0] = r.set_words[U0]
    s.boneyard[U1] = r.set_words[U1]
    s.boneyard[U2] = r.set_words[U2]
    s.boneyard_size = u64(r.tiles)
    engine, starter, asked = U0, NO_SEAT, players  # asked: number of seats that are asked before the starter
    pick = U0
    for seat in range(players):
        turn = (u64(seat) + players - caller) % players
        for _ in range(u64(r.hand_size)):
            tile = pick_tile(s, key, pick)
            give(s, r, u64(seat), tile)
            pick += U1
            half = u64(r.hi[tile])
            if half != u64(r.lo[tile]):
                continue
            is_better = starter == NO_SEAT or half > engine
            if r.engine_from != HIGHEST and turn != asked:
                is_better = turn < asked
            if is_better:
                engine, starter, asked = half, u64(seat), turn
    if r.engine_from == HIGHEST and starter != NO_SEAT:
        asked = U0
    turn = U0
    while (turn < asked or starter == NO_SEAT) and s.boneyard_size != 0:
        seat = (caller + turn) % players
        tile = pick_tile(s, key, pick)
        give(s, r, seat, tile)
        pick += U1
        turn += U1
        if r.hi[tile] == r.lo[tile]:
            engine, starter, asked = u64(r.hi[tile]), seat, U0
    take(s, r, starter, engine, engine)
    lay_engine(s, r, engine, starter)
    look_ahead(s)


@helper
def deal_round(s, r, key, engine, starter):
    """Deal the round of ``key`` (docs/determinism.md); with ``starter`` NONE the stream draws the starter.

    Unless ``engine_from`` is ``set_aside``, ``starter`` is the seat that is asked first for the engine. If the deal
    decides which double is the engine, ``engine`` is not used.
    """
    players = u64(r.players)
    if starter == NO_SEAT:
        starter = drawn_starter(r, key)
    if r.engine_from >= HIGHEST:
        deal_whole_set(s, r, key, starter)
        return
    place, caller = U0, starter
    if r.engine_from != SET_ASIDE:
        place = place_of_engine(r, key)
        starter = layer_of_engine(r, place, caller)
    clear_table(s, r, engine, starter)
    s.key = key
    # Local variables keep the words of the set and their counts in registers.
    first, second, third = u64(s.boneyard[U0]), u64(s.boneyard[U1]), u64(s.boneyard[U2])
    in_first, in_second = popcount(first), popcount(second)
    words = plays.words_in_use(s, third)
    size = u64(s.boneyard_size)
    pick = U0
    random = U0
    for seat in range(players):
        count = u64(r.hand_size)
        if r.engine_from != SET_ASIDE:
            count = begin_with(r, place, caller, u64(seat))
        for _ in range(count):
            if pick & U1 == U0:
                random = word(key, pick >> U1)
                r32 = random >> U32
            else:
                r32 = random & LOW_32
            k = below(r32, size)
            tile, bit_1, bit_2, bit_3 = find_member(first, second, third, in_first, in_second, words, k)
            first ^= bit_1
            second ^= bit_2
            third ^= bit_3
            in_first -= u64(bit_1 != U0)
            in_second -= u64(bit_2 != U0)
            set_bits(s, r, u64(seat), tile)
            size -= U1
            pick += U1
        s.hand_count[u64(seat)] = count
    s.boneyard[U0] = first
    s.boneyard[U1] = second
    s.boneyard[U2] = third
    s.boneyard_size = size
    look_ahead(s)


@kernel
def deal(states, i, rules, seed, game, engine, starter):
    """Deal into ``states[i]`` the round that ``game`` of ``seed`` plays from ``engine`` (half code).

    All arguments after ``rules`` are uint64; ``starter`` is a seat, or NONE (255) for the seat drawn by the stream
    (with the engine from a hand: the seat that is asked first for it). If the deal decides which double is the engine,
    ``engine`` only names the key of the round, and ``states[i]`` has the engine.
    """
    deal_round(states[i], rules[0], round_key(seed, game, engine), engine, starter)


@helper
def set_up_hands(s, r, engine, starter, hands, sizes):
    """Set up a round before its first turn with given hands, see ``deal_tiles``."""
    clear_table(s, r, engine, starter)
    s.key = U0
    for seat in range(u64(r.players)):
        for k in range(sizes[seat]):
            tile = u64(hands[seat, k])
            leave_boneyard(s, tile)
            give(s, r, u64(seat), tile)


@kernel
def deal_tiles(states, i, rules, engine, starter, hands, sizes):
    """Set up ``states[i]`` with given hands: ``hands[seat, :sizes[seat]]`` are tile indices (uint8); the key is 0.

    The caller has checked that the tiles are distinct tiles of the set without the engine; the other tiles are the
    boneyard.
    """
    set_up_hands(states[i], rules[0], engine, starter, hands, sizes)
