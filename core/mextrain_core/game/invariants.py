"""Invariants of every state, for tests and debugging; not for hot paths."""

import numpy as np

from mextrain_core.compiler.jit import kernel
from mextrain_core.compiler.machine import popcount
from mextrain_core.game.movegen import count_plays
from mextrain_core.model.limits import LETTER_A, NONE
from mextrain_core.model.rules import CHICKEN_FOOT
from mextrain_core.model.state import BLOCKED, OUT, PHASE_DECIDE, PHASE_OVER

u64 = np.uint64

U0, U1, U6, U63 = u64(0), u64(1), u64(6), u64(63)

BROKEN = (
    "nothing is broken",
    "a tile is in two hands, or in a hand and in the boneyard",
    "a hand's matrix does not match its tile count",
    "the boneyard's size does not match its members",
    "the tiles off the table do not match the plays made",
    "the tiles off the table that show a half are miscounted",
    "an open double lies on a train that is not started, or twice on one train",
    "a double of this turn is not among the open doubles",
    "a seat, phase or bit set is out of range",
    "a decision is due but the count of legal plays is wrong or zero",
    "the end of the round does not match the hands",
    "the ends of a train are miscounted",
)
"""What each code of ``broken_invariant`` means."""


@kernel
def broken_invariant(states, i, rules):
    """Code of the first invariant that ``states[i]`` breaks, an index of BROKEN; 0 if all hold."""
    s, r = states[i], rules[0]
    players = u64(r.players)
    held = 0
    showing = np.zeros(20, np.int64)
    for tile in range(u64(r.tiles)):
        t = u64(tile)
        hi, lo = u64(r.hi[t]), u64(r.lo[t])
        holders = 0
        for seat in range(players):
            has = (u64(s.hand[u64(seat), hi]) >> lo) & U1
            if has != (u64(s.hand[u64(seat), lo]) >> hi) & U1:
                return 2
            holders += 1 if has != U0 else 0
        in_boneyard = (u64(s.boneyard[t >> U6]) >> (t & U63)) & U1 != U0
        if lo == u64(LETTER_A) and r.wild != NONE:
            # The three *-A share one bit; their number is checked below.
            holders = 0
        if holders + (1 if in_boneyard else 0) > 1:
            return 1
        if holders != 0 or in_boneyard:
            held += 1
            showing[hi] += 1
            if hi != lo:
                showing[lo] += 1
    in_hands = 0
    for seat in range(players):
        q = u64(seat)
        a = int(s.a_count[q])
        if r.wild != NONE:
            held += a
            showing[r.wild] += a
            showing[LETTER_A] += a
            if ((u64(s.hand[q, u64(LETTER_A)]) != U0) != (a != 0)) or a > 3:
                return 2
        twice = 0
        for half in range(20):
            row = u64(s.hand[q, u64(half)])
            twice += int(popcount(row) + ((row >> u64(half)) & U1))
        if twice != 2 * (int(s.hand_count[q]) - max(a - 1, 0)):
            return 2
        in_hands += int(s.hand_count[q])
    size = popcount(u64(s.boneyard[0])) + popcount(u64(s.boneyard[1])) + popcount(u64(s.boneyard[2]))
    if size != u64(s.boneyard_size):
        return 3
    if held != in_hands + int(size) or held != int(s.off_total) or held + int(s.plays) + 1 != int(r.tiles):
        return 4
    for half in range(20):
        if half < int(r.halves) and showing[half] != int(s.off[u64(half)]):
            return 5
    seen = U0
    for k in range(s.double_count):
        bit = U1 << u64(s.double_train[u64(k)])
        if seen & bit != U0 or u64(s.started) & bit == U0:
            return 6
        seen |= bit
    if u64(s.fresh) & ~seen != U0:
        return 7
    if (
        u64(s.seat) >= players
        or s.phase > PHASE_OVER
        or u64(s.started) >> (players + U1) != U0
        or (u64(s.open) | u64(s.opening_to_come)) >> players != U0
    ):
        return 8
    if s.phase == PHASE_DECIDE and (s.legal_count == 0 or count_plays(s, r) != u64(s.legal_count)):
        return 9
    if s.phase == PHASE_OVER:
        if s.end == OUT and s.hand_count[u64(s.winner)] != 0:
            return 10
        if s.end == BLOCKED and (s.winner != NONE or s.boneyard_size != 0):
            return 10
    if r.double_rule == CHICKEN_FOOT:
        for train in range(players + U1):
            mask = U0
            for half in range(20):
                if s.end_count[u64(train), u64(half)] != 0:
                    mask |= U1 << u64(half)
            if mask != u64(s.end_mask[u64(train)]):
                return 11
    return 0
