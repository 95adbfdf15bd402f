"""Decisions of replayed rounds as samples for learning: the observation, the legal actions, the action chosen.

An observation has the layout of ``observe.SECTIONS`` without the sections about what others have shown, which need the
evidence of the round; every bit is where ``observe`` writes it. Numbers and tile sets are written as words, not bit by
bit, because reading an archive spends most of its time here.
"""

from typing import Any, NamedTuple

import numpy as np

from mextrain_core.bulk.rollout import write_round
from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.game.deal import deal_round
from mextrain_core.game.movegen import is_legal_move
from mextrain_core.game.turn import advance_state, play_on
from mextrain_core.hidden.observe import (
    BONEYARD_SIZE,
    DRAWN,
    ENGINE,
    HAND,
    HAND_SIZES,
    LACKS,
    LAID,
    OPENING_TO_COME,
    observe_doubles,
    observe_trains,
    observe_turn,
    relative_id,
    set_actions,
    set_bit,
)
from mextrain_core.model.indices import FIRST_A, FIRST_D, FIRST_WILD, first_index, is_a_tile, tile_index, tile_of_move
from mextrain_core.model.limits import LETTER_A, LETTER_D, NONE, TILE_WORDS, WILD
from mextrain_core.model.moves import STOP_MOVE
from mextrain_core.model.rng import round_key
from mextrain_core.model.state import PHASE_OVER

u64 = np.uint64
i64 = np.int64

U0, U1, U6, U8, U63, U64 = u64(0), u64(1), u64(6), u64(8), u64(63), u64(64)

TABLE_SECTIONS = LACKS
"""Number of sections in a sample: those about the table and the own hand."""


@helper
def put(out, at, value, bits):
    """Write ``value`` into the ``bits`` (1 … 64) bits from bit ``at`` on, which are all 0."""
    word, shift = at >> U6, at & U63
    out[word] |= value << shift
    if shift + bits > U64:
        out[word + U1] |= value >> (U64 - shift)


@helper
def put_hand(s, r, seat, at, out):
    """Write the seat's tiles by index; the rows of the number tiles follow each other."""
    numbers = u64(r.halves) if r.wild == NONE else u64(WILD)
    for k in range(numbers):
        half = u64(k)
        row = u64(s.hand[seat, half]) & ((U1 << (half + U1)) - U1)
        if row != U0:
            put(out, at + (half * (half + U1) >> U1), row, half + U1)
    if r.wild != NONE:
        row = u64(s.hand[seat, u64(WILD)])
        put(out, at + FIRST_WILD, row & ((U1 << u64(LETTER_A)) - U1), u64(LETTER_A))
        put(out, at + FIRST_A, (U1 << u64(s.a_count[seat])) - U1, u64(3))
        put(out, at + FIRST_D, row >> u64(LETTER_D), u64(4))


@helper
def put_table(s, r, seat, laid, offsets, out):
    """Write what ``seat`` sees; ``laid``: uint64[3], the tiles on the table by index."""
    players = u64(r.players)
    set_bit(out, offsets[ENGINE], s.engine)
    put_hand(s, r, seat, u64(offsets[HAND]), out)
    left = u64(r.tiles)
    for n in range(TILE_WORDS):
        if left != U0:
            bits = left if left < U64 else U64
            put(out, u64(offsets[LAID]) + (u64(n) << U6), u64(laid[n]), bits)
            left -= bits
    if s.drawn != NONE and u64(s.seat) == seat and s.phase != PHASE_OVER:
        set_bit(out, offsets[DRAWN], first_index(r, u64(s.drawn)))
    observe_trains(s, r, seat, offsets, out)
    observe_doubles(s, r, seat, offsets, out)
    observe_turn(s, r, seat, offsets, out)
    to_come = u64(s.opening_to_come) & ~u64(s.started)
    turned = (to_come >> seat | to_come << (players - seat)) & ((U1 << players) - U1)
    put(out, u64(offsets[OPENING_TO_COME]), turned, players)
    other = seat
    for place in range(players):
        put(out, u64(offsets[HAND_SIZES]) + u64(place) * U8, u64(s.hand_count[other]), U8)
        other += U1
        if other == players:
            other = U0
    put(out, u64(offsets[BONEYARD_SIZE]), u64(s.boneyard_size), U8)


@helper
def note_laid(r, laid, tile):
    """Add a tile (first index of its name) to those on the table; a second and third ``*-A`` take the next bits."""
    if is_a_tile(r, tile):
        while (u64(laid[tile >> U6]) >> (tile & U63)) & U1 != U0:
            tile += U1
    laid[tile >> U6] |= U1 << (tile & U63)


@helper
def hand_over(words, out):
    """Move words to ``out`` and set them to 0."""
    for n in range(len(words)):
        out[n] = words[n]
        words[n] = U0


class Samples(NamedTuple):
    """Decisions: each array has one element per decision, the last two one per replayed round."""

    observations: Any
    """uint64[N, words]."""
    masks: Any
    """uint64[N, (A + 63) // 64], legal actions as relative ids."""
    chosen: Any
    """uint16: the action that was chosen, as a relative id."""
    seats: Any
    """uint8."""
    sources: Any
    """int64: the round."""
    steps: Any
    """uint16: the number of the decision in its round."""
    points: Any
    """int64[rounds, players]: results of the rounds, as in ``rollout.play_games``."""
    facts: Any
    """int32[rounds, 7]: facts of the rounds, as in ``rollout.play_games``."""


@kernel
def replay_decisions(states, i, rules, rows, seeds, recorded, layout, places, samples):
    """Replay rounds and write their decisions as samples; ``states[i]`` is scratch.

    ``rows`` (int64): the rounds to replay, as indices into ``recorded`` (Recorded) and ``seeds`` (uint64). ``layout``:
    int64[len(SECTIONS) + 1], offsets of the sections. Decision n, counted over all rounds replayed, is written to index
    ``places[n]`` (int64) of ``samples`` (Samples).

    Returns the number of rounds replayed; it is smaller than ``len(rows)`` if a move of the next round is illegal.
    """
    s, r = states[i], rules[0]
    laid = np.zeros(TILE_WORDS, np.uint64)
    # Written here first and then copied, because the scattered target is not in the processor's cache.
    seen = np.zeros(samples.observations.shape[1], np.uint64)
    legal = np.zeros(samples.masks.shape[1], np.uint64)
    moves = np.empty(i64(r.action_count), np.uint16)
    decisions = 0
    for index in range(len(rows)):
        k = rows[index]
        engine = u64(recorded.engines[k])
        deal_round(s, r, round_key(seeds[k], recorded.games[k], engine), engine, u64(recorded.starters[k]))
        for n in range(TILE_WORDS):
            laid[n] = U0
        note_laid(r, laid, tile_index(r, u64(s.engine), u64(s.engine)))
        advance_state(s, r, None)
        first = recorded.offsets[k]
        for a in range(first, recorded.offsets[k + 1]):
            move = u64(recorded.actions[a])
            if not is_legal_move(s, r, move):
                return index
            place = places[decisions]
            decisions += 1
            put_table(s, r, u64(s.seat), laid, layout, seen)
            set_actions(s, r, moves, legal)
            hand_over(seen, samples.observations[place])
            hand_over(legal, samples.masks[place])
            samples.chosen[place] = relative_id(r, move, u64(s.seat))
            samples.seats[place] = s.seat
            samples.sources[place] = k
            samples.steps[place] = a - first
            if move != STOP_MOVE:
                note_laid(r, laid, tile_of_move(r, move))
            play_on(s, r, None, move)
        if s.phase != PHASE_OVER:
            return index
        write_round(s, r, samples.points[index], samples.facts[index])
        samples.facts[index, 6] = recorded.offsets[k + 1] - first
    return len(rows)
