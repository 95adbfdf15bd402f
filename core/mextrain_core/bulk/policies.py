"""Built-in policies, chosen by integer id.

A policy sees the state at its decision and the attempt's word, and returns a legal move. It may look only at what its
seat can see: the table, its own hand, the numbers of tiles in the other hands and in the boneyard.
"""

import numpy as np

from mextrain_core.compiler.jit import helper
from mextrain_core.compiler.machine import lowest, popcount
from mextrain_core.game.movegen import kth_play, row_of, touches, trains_in_use
from mextrain_core.game.score import tile_points
from mextrain_core.model.moves import STOP_MOVE, encode_move
from mextrain_core.model.rng import U32, below

u64 = np.uint64

U0, U1 = u64(0), u64(1)

RANDOM, HEAVIEST, CAUTIOUS = 0, 1, 2
POLICY_NAMES = ("random", "heaviest", "cautious")
"""Name of each policy by id."""
FOREIGN = 253
"""Policy id of a seat that a compiled function of the user's plays: its random words are one-way words."""


@helper
def choose_random(s, r, random):
    """Uniform over the legal plays and ``stop``."""
    plays = u64(s.legal_count)
    k = below(random >> U32, plays + u64(s.may_stop))
    return STOP_MOVE if k == plays else kth_play(s, r, k)


@helper
def cautious_value(s, r, train, touch, new):
    """How much a sensible player likes a play (int64, any scale).

    It sheds points, closes its own train when that is open, keeps an end that its next tile fits, and lays a double
    when it can cover it at once; a double that it cannot cover is the last thing it lays.
    """
    seat = u64(s.seat)
    value = np.int64(tile_points(r, touch, new)) * 2
    follow = popcount(u64(s.hand[seat, new]) & ~(U1 << touch))
    if s.hand_count[seat] == 1:
        return value + 1000
    if touch == new:
        return value + 20 if follow != U0 else value - 200
    if train == seat:
        value += 8 if (u64(s.open) >> seat) & U1 != U0 else 0
        value += 6 if follow != U0 else -6
    return value


@helper
def value_of(policy, s, r, train, touch, new):
    """The value (int64) that the policy maximises over the legal plays."""
    if policy == CAUTIOUS:
        return cautious_value(s, r, train, touch, new)
    return np.int64(tile_points(r, touch, new))


@helper
def choose_best(policy, s, r, random):
    """The play of highest value, ties by the attempt's word.

    ``heaviest`` never stops while it can play; ``cautious`` stops rather than leave a double uncovered.
    """
    seat = u64(s.seat)
    best, ties = np.int64(-(1 << 60)), U0
    for counting in (True, False):
        k = U0 if counting else below(random >> U32, ties)
        trains = trains_in_use(s, seat)
        while trains != U0:
            train = lowest(trains)
            halves = touches(s, r, train)
            while halves != U0:
                touch = lowest(halves)
                row = row_of(s, r, seat, train, touch)
                while row != U0:
                    value = value_of(policy, s, r, train, touch, lowest(row))
                    if counting:
                        ties = U1 if value > best else ties + u64(value == best)
                        best = max(best, value)
                    elif value == best:
                        if k == U0:
                            return encode_move(train, touch, lowest(row))
                        k -= U1
                    row &= row - U1
                halves &= halves - U1
            trains &= trains - U1
        if policy == CAUTIOUS and s.may_stop != 0 and best < 0:
            return STOP_MOVE
    return STOP_MOVE


@helper
def choose(policy, s, r, random):
    """The move (uint64) of the policy with this id at the state's decision; ``random`` is the attempt's word."""
    if policy == RANDOM:
        return choose_random(s, r, random)
    return choose_best(policy, s, r, random)
