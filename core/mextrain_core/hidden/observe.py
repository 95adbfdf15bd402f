"""What a seat sees, as packed bits and as a key (docs/hidden-information.md).

``SECTIONS`` lists everything in an observation; offsets, the kernel's constants and the published table are derived
from it. Seats are relative: 0 is the observer, then clockwise; train M is last. Nothing is read that the observer
cannot see.
"""

from math import prod

import numpy as np

from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.game import events
from mextrain_core.game.movegen import write_moves
from mextrain_core.hidden.evidence import FITS_NOT, SHOWN, UNCLEAR
from mextrain_core.hidden.worlds import own_copies
from mextrain_core.model.indices import FIRST_A, first_index, is_a_tile, tile_of_move
from mextrain_core.model.limits import MAX_TILES, NONE
from mextrain_core.model.moves import STOP_MOVE, action_id, move_train
from mextrain_core.model.rng import GOLDEN, mix
from mextrain_core.model.rules import CHICKEN_FOOT
from mextrain_core.model.state import PHASE_DECIDE, PHASE_OVER

u64 = np.uint64

U0, U1, U2, U3, U6, U8, U10, U15, U63 = (u64(n) for n in (0, 1, 2, 3, 6, 8, 10, 15, 63))

LOW_BYTE = u64(255)
BITS_OF_BYTE = np.array([[byte >> k & 1 for k in range(8)] for byte in range(256)], np.uint8)
"""The bits of every byte, each as a byte; the compiler makes one load and one store of a row."""

BYTES_OF_BYTE = BITS_OF_BYTE.view(np.uint64)[:, 0].copy()
"""The same as one number."""

VERSION = 1
"""Version of the layout; any change of SECTIONS is a new version."""

SECTIONS = (
    ("engine", "H", "the engine's half"),
    ("hand", "T", "own tiles; n of the three `*-A` set the first n of their bits"),
    ("laid", "T", "tiles on the table, with the engine; n of the three `*-A` set the first n of their bits"),
    ("drawn", "T", "the tile that the observer has drawn for the play owed"),
    ("ends", "P+1 × H", "by train: halves of its ends, unstarted trains included"),
    ("two_ends", "F × P+1 × H", "by train: halves with at least two ends"),
    ("three_ends", "F × P+1 × H", "by train: halves with at least three ends"),
    ("started", "P+1", "started trains"),
    ("open", "P", "seats whose marker is up"),
    ("doubles", "P+1 × 4", "by train: age of its open double as a number, 1 the oldest, 0 none"),
    ("fresh", "P+1", "trains whose open double was laid in this turn"),
    ("cover", "P+1", "the train of the double that the required play follows"),
    ("toes", "F × 3 × H", "by toe of the unfinished foot, in order: its free half"),
    ("turn", "P", "the seat whose turn it is; none when the round is over"),
    ("decision", "1", "a decision is due, not a draw by the caller"),
    ("owed", "3", "kind of the play owed: a required play, a bonus play, another tile of the chain"),
    ("opening", "1", "this is the seat's opening turn"),
    ("play_drew", "1", "a tile was drawn for the play owed"),
    ("turn_drew", "1", "a tile was drawn in this turn because no play was legal"),
    ("skip", "1", "the next seat will be skipped"),
    ("penalty", "1", "the next seat that acts draws first"),
    ("reversed", "1", "the direction of play is reversed"),
    ("opening_to_come", "P", "seats whose opening turn may still come"),
    ("hand_sizes", "P × 8", "by seat: number of tiles in hand"),
    ("boneyard_size", "8", "number of tiles in the boneyard"),
    ("lacks", "P-1 × H", "by other seat: halves of which it has shown to hold no tile"),
    ("gained", "P-1 × H × 4", "by other seat and half: tiles drawn since then that may show it, at most 15"),
)
"""Name, number of bits (T tiles and H halves of the set, P players, F 1 with chicken feet, else 0) and meaning.

Factors are in row-major order: ``P+1 × H`` is train by train, and within a train half by half.

Numbers are written lowest bit first.
"""

NAMES = tuple(name for name, _, _ in SECTIONS)


def section_sizes(tiles: int, halves: int, players: int, feet: bool) -> tuple[int, ...]:
    """Number of bits of each section."""
    counts = {"T": tiles, "H": halves, "P": players, "P+1": players + 1, "P-1": players - 1, "F": int(feet)}
    return tuple(
        prod(counts[factor] if factor in counts else int(factor) for factor in size.split(" × "))
        for _, size, _ in SECTIONS
    )


(
    ENGINE, HAND, LAID, DRAWN, ENDS, TWO_ENDS, THREE_ENDS, STARTED, OPEN, DOUBLES, FRESH, COVER, TOES, TURN, DECISION,
    OWED, OPENING, PLAY_DREW, TURN_DREW, SKIP, PENALTY, REVERSED, OPENING_TO_COME, HAND_SIZES, BONEYARD_SIZE, LACKS,
    GAINED,
) = range(len(SECTIONS))  # fmt: skip


@helper
def set_bit(out, offset, index):
    """Set bit ``offset + index`` of the words."""
    at = u64(offset) + u64(index)
    out[at >> U6] |= U1 << (at & U63)


@helper
def set_number(out, offset, place, value, bits):
    """Write ``value`` in ``bits`` bits, lowest bit first, as element ``place`` of its section."""
    for b in range(bits):
        if (value >> u64(b)) & U1 != U0:
            set_bit(out, offset, place * u64(bits) + u64(b))


@helper
def relative_seat(seat, observer, players):
    """Number of seats clockwise from the observer."""
    return seat - observer if seat >= observer else seat + players - observer


@helper
def relative_train(train, observer, players):
    """The train's number in the observer's view; M keeps its own."""
    return train if train == players else relative_seat(train, observer, players)


@helper
def set_tile(out, offset, r, tile, seen):
    """Set the tile's bit; a second and third ``*-A`` (``seen`` so far) take the next bits. Returns the new count."""
    if is_a_tile(r, tile):
        set_bit(out, offset, FIRST_A + seen)
        return seen + U1
    set_bit(out, offset, tile)
    return seen


@helper
def observe_tiles(s, r, e, seat, offsets, out):
    """Write the sections about tiles."""
    set_bit(out, offsets[ENGINE], s.engine)
    for tile in range(u64(r.tiles)):
        for n in range(own_copies(s, r, seat, u64(tile))):
            set_bit(out, offsets[HAND], u64(tile) + u64(n))
        if r.hi[u64(tile)] == s.engine and r.lo[u64(tile)] == s.engine:
            set_bit(out, offsets[LAID], tile)
    seen = U0
    for k in range(e.plays):
        seen = set_tile(out, offsets[LAID], r, u64(e.play_tile[u64(k)]), seen)
    if u64(s.seat) == seat and s.drawn != NONE and s.phase != PHASE_OVER:
        set_bit(out, offsets[DRAWN], first_index(r, u64(s.drawn)))


@helper
def observe_ends(s, r, train, place, offsets, out):
    """Write the ends of a train; ``place`` is its relative number."""
    halves = u64(r.halves)
    at = place * halves
    if r.double_rule != CHICKEN_FOOT:
        set_bit(out, offsets[ENDS], at + u64(s.end_half[train]))
        return
    is_foot = s.double_count != 0 and u64(s.double_train[U0]) == train
    for half in range(halves):
        count = u64(s.end_count[train, u64(half)])
        # The counts do not contain the half of an unfinished foot yet.
        if is_foot and u64(s.end_half[train]) == u64(half):
            count += U1
        if count > U0:
            set_bit(out, offsets[ENDS], at + u64(half))
        if count > U1:
            set_bit(out, offsets[TWO_ENDS], at + u64(half))
        if count > U2:
            set_bit(out, offsets[THREE_ENDS], at + u64(half))


@helper
def observe_trains(s, r, seat, offsets, out):
    """Write the sections about trains."""
    players = u64(r.players)
    for k in range(players + U1):
        train = u64(k)
        place = relative_train(train, seat, players)
        observe_ends(s, r, train, place, offsets, out)
        if (u64(s.started) >> train) & U1 != U0:
            set_bit(out, offsets[STARTED], place)
        if (u64(s.open) >> train) & U1 != U0:
            set_bit(out, offsets[OPEN], place)


@helper
def observe_doubles(s, r, seat, offsets, out):
    """Write the sections about open doubles; they are empty when the round is over."""
    if s.phase == PHASE_OVER:
        return
    players = u64(r.players)
    for k in range(s.double_count):
        train = u64(s.double_train[u64(k)])
        place = relative_train(train, seat, players)
        set_number(out, offsets[DOUBLES], place, u64(k) + U1, 4)
        if (u64(s.fresh) >> train) & U1 != U0:
            set_bit(out, offsets[FRESH], place)
    if s.cover != NONE:
        set_bit(out, offsets[COVER], relative_train(u64(s.cover), seat, players))
    if r.double_rule == CHICKEN_FOOT and s.double_count != 0:
        for k in range(s.toes):
            set_bit(out, offsets[TOES], u64(k) * u64(r.halves) + u64(s.toe[u64(k)]))


@helper
def observe_turn(s, r, seat, offsets, out):
    """Write the sections about the turn."""
    if s.phase == PHASE_OVER:
        return
    players = u64(r.players)
    set_bit(out, offsets[TURN], relative_seat(u64(s.seat), seat, players))
    set_bit(out, offsets[OWED], s.owed)
    if s.phase == PHASE_DECIDE:
        set_bit(out, offsets[DECISION], U0)
    if s.opening != 0:
        set_bit(out, offsets[OPENING], U0)
    if s.play_drew != 0:
        set_bit(out, offsets[PLAY_DREW], U0)
    if s.turn_drew != 0:
        set_bit(out, offsets[TURN_DREW], U0)
    if s.skip != 0:
        set_bit(out, offsets[SKIP], U0)
    if s.penalty != 0:
        set_bit(out, offsets[PENALTY], U0)
    if s.step != U1:
        set_bit(out, offsets[REVERSED], U0)


@helper
def observe_lacks(r, e, other, place, offsets, out):
    """Write what another seat has shown not to hold, and the number of later draws that may have changed that."""
    halves = u64(r.halves)
    for k in range(halves):
        half = u64(k)
        first = u64(e.lacks[other, half])
        if first == U0:
            continue
        gained = U0
        for d in range(e.draws):
            draw = u64(d)
            if e.draw_seat[draw] == other and e.draw_arrival[draw] >= first and may_show(e, draw, half):
                gained += U1
        set_bit(out, offsets[LACKS], place * halves + half)
        set_number(out, offsets[GAINED], place * halves + half, min(gained, U15), 4)


@helper
def may_show(e, draw, half):
    """Whether the draw's own evidence allows that its tile shows the half and is still in the hand."""
    rule = e.draw_rule[draw]
    if rule == SHOWN:
        return False
    if rule == FITS_NOT or rule == UNCLEAR:
        return (u64(e.draw_mask[draw]) >> half) & U1 == U0
    return True


@helper
def observe_seats(s, r, e, seat, offsets, out):
    """Write the sections about seats, and what the others have shown not to hold."""
    players = u64(r.players)
    to_come = u64(s.opening_to_come) & ~u64(s.started)
    for k in range(players):
        other = u64(k)
        place = relative_seat(other, seat, players)
        set_number(out, offsets[HAND_SIZES], place, u64(s.hand_count[other]), 8)
        if (to_come >> other) & U1 != U0:
            set_bit(out, offsets[OPENING_TO_COME], place)
        if other != seat:
            observe_lacks(r, e, other, place - U1, offsets, out)
    set_number(out, offsets[BONEYARD_SIZE], U0, u64(s.boneyard_size), 8)


@kernel
def observe(states, i, rules, evidence, k, seat, offsets, out):
    """Write what ``seat`` (uint64) sees of ``states[i]`` into ``out``: bit b is bit ``b & 63`` of ``out[b >> 6]``.

    ``evidence[k]``: the concluded evidence of the round. ``offsets``: int64[len(SECTIONS) + 1], the offsets of the
    sections under these rules, then the total. ``out``: uint64[(total + 63) // 64].
    """
    s, r, e = states[i], rules[0], evidence[k]
    for n in range(len(out)):
        out[n] = U0
    observe_tiles(s, r, e, seat, offsets, out)
    observe_trains(s, r, seat, offsets, out)
    observe_doubles(s, r, seat, offsets, out)
    observe_turn(s, r, seat, offsets, out)
    observe_seats(s, r, e, seat, offsets, out)


@kernel
def expand_bits(words, out):
    """Write the bits of each row of ``words`` (uint64[n, w]) as 0 or 1 into ``out`` (uint8 or float32, [n, bits])."""
    bits = u64(out.shape[1])
    whole = bits & ~u64(7)
    for n in range(len(out)):
        at, rest = U0, U0
        while at < whole:
            if at & U63 == U0:
                rest = words[n, at >> U6]
            for k in range(8):
                out[n, at + u64(k)] = BITS_OF_BYTE[rest & LOW_BYTE, u64(k)]
            rest >>= U8
            at += U8
        while at < bits:
            out[n, at] = (words[n, at >> U6] >> (at & U63)) & U1
            at += U1


@kernel
def expand_words(words, out):
    """``expand_bits`` for whole words: eight bytes, 0 or 1, in each element of ``out`` (uint64[n, 8 * w])."""
    for n in range(len(out)):
        for w in range(words.shape[1]):
            rest = words[n, u64(w)]
            for k in range(8):
                out[n, (u64(w) << U3) + u64(k)] = BYTES_OF_BYTE[rest & LOW_BYTE]
                rest >>= U8


@helper
def relative_id(r, move, seat):
    """Dense action id of a move with trains relative to ``seat``: its own train is 0."""
    if move == STOP_MOVE:
        return action_id(r, move)
    train = move_train(move)
    return action_id(r, move + (relative_train(train, seat, u64(r.players)) << U10) - (train << U10))


@helper
def set_actions(s, r, moves, out):
    """Set the bits of the legal actions of the seat to move, as relative ids; ``moves``: see ``relative_mask``."""
    for k in range(write_moves(s, r, moves)):
        set_bit(out, U0, relative_id(r, u64(moves[k]), u64(s.seat)))


@kernel
def relative_mask(states, i, rules, seat, moves, out):
    """Like ``legal_mask``, with ids relative to ``seat`` (uint64): its own train is 0.

    All bits are 0 unless the seat has to decide. ``moves``: uint16, room for ``legal_count + 1`` moves.
    """
    s, r = states[i], rules[0]
    for n in range(len(out)):
        out[n] = U0
    if u64(s.seat) == seat:
        set_actions(s, r, moves, out)


@helper
def absorb(key, value):
    """Mix another number (uint64) into both halves of the key."""
    key[0] = mix((u64(key[0]) ^ value) + GOLDEN)
    key[1] = mix((u64(key[1]) + value) * GOLDEN + U1)


@kernel
def information_key(states, i, rules, log, end, seat, salt, out):
    """Write the key of what ``seat`` (uint64) has seen by the end of ``log[:end]`` (EVENT) into ``out`` (uint64[2]).

    Equal keys mean equal sequences: own deal, sizes of the other hands, public events, the tiles of own draws, whose
    turn it is and whether a decision is due. Only what the seat sees is read from ``states[i]``. ``salt`` (uint64)
    identifies the rules.
    """
    s, r = states[i], rules[0]
    out[0] = salt
    out[1] = ~salt
    absorb(out, u64(s.engine) << u64(16) | u64(s.starter) << u64(8) | seat)
    dealt = np.zeros(MAX_TILES, np.int64)
    for tile in range(u64(r.tiles)):
        dealt[u64(tile)] = own_copies(s, r, seat, u64(tile))
    for k in range(end):
        kind, data = u64(log[k]["kind"]), u64(log[k]["data"])
        if kind == u64(events.NO_PLAY):
            continue
        is_own = u64(log[k]["seat"]) == seat
        if kind == u64(events.DRAW) or kind == u64(events.FORCED_DRAW):
            data = first_index(r, data) if is_own else u64(NONE)
            if is_own:
                dealt[data] -= 1
        elif is_own and kind == u64(events.PLAY):
            dealt[tile_of_move(r, data)] += 1
        absorb(out, kind << u64(40) | u64(log[k]["seat"]) << u64(32) | data)
    for tile in range(u64(r.tiles)):
        absorb(out, u64(dealt[u64(tile)]))
    for other in range(u64(r.players)):
        absorb(out, u64(s.hand_count[u64(other)]))
    absorb(out, u64(s.turns) << u64(8) | u64(s.phase))
