"""Loading a STATE struct into a lane: the same round, ready for its next attempt."""

import numpy as np

from mextrain_core.bulk.policies import choose
from mextrain_core.bulk.rollout import attempt_word, play_chosen, write_round
from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.compiler.vectors import LANES
from mextrain_core.game.score import hand_points
from mextrain_core.game.turn import one_forced_step
from mextrain_core.lockstep.layout import LEFT, LOADED_ROWS, PLAYS, POINTS, SEAT, TURNS
from mextrain_core.model.limits import LETTER_A, NONE, WILD
from mextrain_core.model.state import (
    OWED_BONUS,
    OWED_CHAIN,
    PHASE_DECIDE,
    PHASE_LOOK,
    PHASE_OVER,
    PHASE_TURN,
    copy_state,
)

u64 = np.uint64

U0, U1, U4, U6, U63 = u64(0), u64(1), u64(4), u64(6), u64(63)
ROW = u64(LANES)
YES = u64(0xFFFF)
SEAT_ROW, LEFT_ROW, TURNS_ROW, PLAYS_ROW, POINTS_ROW = u64(SEAT), u64(LEFT), u64(TURNS), u64(PLAYS), u64(POINTS)
FIRST_LETTER, WILD_HALF = u64(LETTER_A), u64(WILD)
A_TILES = u64(0b111)
NO_TILE = u64(NONE)

(
    HELD, OWNER, BONE, OFF, END, AGE, DOUBLES, FRESH, MARKED, STARTED, OPENING_TO_COME, SAME_TURN, OPENING, CHAIN,
    COVER, DREW, LETTERS, LETTER_OWNER, BONUS, PENALTY, SKIPS, TURNED, TILES, HALVES, SEAT_BITS, COUNT_BITS, WORDS,
    NO_DOUBLE, STARTS,
) = (u64(i) for i in range(len(LOADED_ROWS) + 6))  # fmt: skip
"""Indices into ``Layout.table``."""


@helper
def is_at_attempt(s):
    """Whether the state is before an attempt that has not drawn, so that a lane can take it over."""
    return s.phase == PHASE_TURN or s.phase == PHASE_LOOK or (s.phase == PHASE_DECIDE and s.play_drew == 0)


@helper
def play_to_attempt(s, r, policies):
    """Play ``s`` to its next attempt or the end of the round; returns the number of moves."""
    moves = U0
    while s.phase != PHASE_OVER and s.phase != PHASE_TURN and s.phase != PHASE_LOOK:
        if s.phase == PHASE_DECIDE:
            s.phase = play_chosen(s, r, None, choose(policies[u64(s.seat)], s, r, attempt_word(s)))
            moves += U1
        else:
            s.phase = one_forced_step(s, r, None, s.phase, NO_TILE)
    return moves


@kernel
def begin_copies(states, rules, policies, origins, keys, begun, sources, places, points, facts):
    """Bring copies (``rollout.play_copies``) to a point where lanes can take them over; returns (their number, hash).

    Copies of states at an attempt need nothing. Every other copy is played on to its next attempt in ``begun``
    (STATE[copies]); if its round ends before that, its results are written and added to ``hash``. For the n-th copy
    that remains, ``sources[n]`` is the index of its state in ``states`` followed by ``begun``, and ``places[n]`` is the
    number of the copy (both uint32[copies]); ``facts`` has the number of moves that it has made.
    """
    r = rules[0]
    n, used, total = U0, U0, U0
    for k in range(u64(len(keys))):
        place = u64(k)
        origin = u64(origins[place])
        facts[place, 6] = 0
        if not is_at_attempt(states[origin]):
            copy_state(begun, used, states, origin, rules)
            s = begun[used]
            s.key = keys[place]
            facts[place, 6] = play_to_attempt(s, r, policies)
            if s.phase == PHASE_OVER:
                total += write_round(s, r, points[place], facts[place])
                continue
            origin = u64(len(states)) + used
            used += U1
        sources[n] = origin
        places[n] = place
        n += U1
    return n, total


@helper
def tiles_of(words, start, stop):
    """The bits ``start`` … ``stop - 1`` (at most 16) of a tile set (uint64[3])."""
    bits = u64(words[start >> U6]) >> (start & U63)
    if (stop - U1) >> U6 != start >> U6:
        bits |= u64(words[(start >> U6) + U1]) << (u64(64) - (start & U63))
    return bits & ((U1 << (stop - start)) - U1)


@helper
def put(work, at, row, number):
    """Write a number (uint64) into row ``row`` of the lane whose row 0 is ``work[at]``."""
    work[at + row * ROW] = number


@helper
def load_hands(r, s, work, at, t):
    """Load the hands and their points."""
    players = u64(r.players)
    # In the set super the row of * has the letters too, which are in a separate word here.
    shown = (U1 << t[HALVES]) - U1
    for half in range(t[HALVES]):
        held = U0
        for seat in range(players):
            held |= u64(s.hand[u64(seat), u64(half)])
        put(work, at, t[HELD] + u64(half), held & shown)
        for z in range(t[SEAT_BITS]):
            owned = U0
            for seat in range(players):
                if (u64(seat) >> u64(z)) & U1 != U0:
                    owned |= u64(s.hand[u64(seat), u64(half)])
            put(work, at, t[OWNER] + u64(z) * t[HALVES] + u64(half), owned & shown)
    for seat in range(players):
        points = u64(hand_points(s, r, u64(seat)))
        blank = u64(s.hand[u64(seat), U0]) & U1
        put(work, at, POINTS_ROW + u64(seat), ((points - blank * u64(r.double_blank)) << U1) + blank)
        if t[TILES] != U0:
            put(work, at, t[TILES] + u64(seat), u64(s.hand_count[u64(seat)]))


@helper
def load_letters(r, s, work, at, t):
    """Load the tiles with a letter; the interchangeable ``*-A`` that are not in the boneyard are assigned in turn."""
    players = u64(r.players)
    letters = t[WORDS] - U1
    rest = A_TILES & ~tiles_of(s.boneyard, t[STARTS + letters], t[STARTS + letters + U1])
    held = U0
    for z in range(t[SEAT_BITS]):
        put(work, at, t[LETTER_OWNER] + u64(z), U0)
    for seat in range(players):
        mine = (u64(s.hand[u64(seat), WILD_HALF]) >> FIRST_LETTER >> U1) << u64(3)
        for _ in range(s.a_count[u64(seat)]):
            mine |= rest & (U0 - rest)
            rest &= rest - U1
        held |= mine
        for z in range(t[SEAT_BITS]):
            if (u64(seat) >> u64(z)) & U1 != U0:
                place = at + (t[LETTER_OWNER] + u64(z)) * ROW
                work[place] = u64(work[place]) | mine
    put(work, at, t[LETTERS], held)


@helper
def load_doubles(r, s, work, at, t):
    """Load the open doubles; their ages only have to ascend and be below those of future doubles."""
    if t[AGE] != U0:
        for train in range(u64(r.players) + U1):
            put(work, at, t[AGE] + u64(train), t[NO_DOUBLE])
    doubles = U0
    for i in range(u64(s.double_count)):
        train = u64(s.double_train[u64(i)])
        doubles |= U1 << train
        if t[AGE] != U0:
            put(work, at, t[AGE] + train, ((u64(i) + U1) << U4) | train)
    if t[DOUBLES] != U0:
        put(work, at, t[DOUBLES], doubles)


@helper
def load_lane(r, s, work, row, t):
    """Write ``s``, which is at an attempt, into lane 0 of the rows from ``row`` on; ``t``: ``Layout.table``."""
    at = row * ROW
    put(work, at, SEAT_ROW, U1 << u64(s.seat))
    put(work, at, LEFT_ROW, u64(s.boneyard_size))
    put(work, at, TURNS_ROW, u64(s.turns))
    put(work, at, PLAYS_ROW, u64(s.plays))
    load_hands(r, s, work, at, t)
    for i in range(t[WORDS]):
        put(work, at, t[BONE] + u64(i), tiles_of(s.boneyard, t[STARTS + u64(i)], t[STARTS + u64(i) + U1]))
    letters = U0
    for half in range(t[HALVES], u64(r.halves)):
        letters += u64(s.off[u64(half)])
    for z in range(t[COUNT_BITS]):
        # All letters are a single half after the others.
        bits = ((letters >> u64(z)) & U1) << t[HALVES]
        for half in range(t[HALVES]):
            bits |= ((u64(s.off[u64(half)]) >> u64(z)) & U1) << u64(half)
        put(work, at, t[OFF] + u64(z), bits)
    for train in range(u64(r.players) + U1):
        put(work, at, t[END] + u64(train), U1 << min(u64(s.end_half[u64(train)]), t[HALVES]))
    load_doubles(r, s, work, at, t)
    goes_on = s.phase != PHASE_TURN
    put(work, at, t[FRESH], u64(s.fresh))
    put(work, at, t[MARKED], u64(s.open))
    put(work, at, t[STARTED], u64(s.started))
    put(work, at, t[OPENING_TO_COME], u64(s.opening_to_come))
    put(work, at, t[SAME_TURN], YES if goes_on else U0)
    put(work, at, t[OPENING], YES if goes_on and s.opening != 0 else U0)
    if t[CHAIN] != U0:
        put(work, at, t[CHAIN], YES if goes_on and s.owed == OWED_CHAIN else U0)
    if t[COVER] != U0:
        put(work, at, t[COVER], U1 << u64(s.cover) if goes_on and s.cover != NONE else U0)
    if t[DREW] != U0:
        put(work, at, t[DREW], YES if goes_on and s.turn_drew != 0 else U0)
    if r.wild != NONE:
        load_letters(r, s, work, at, t)
        put(work, at, t[BONUS], YES if goes_on and s.owed == OWED_BONUS else U0)
        put(work, at, t[PENALTY], YES if s.penalty != 0 else U0)
        put(work, at, t[SKIPS], YES if s.skip != 0 else U0)
        put(work, at, t[TURNED], YES if s.step != 1 and r.players != 2 else U0)
