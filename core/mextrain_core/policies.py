"""Built-in policies, chosen by integer id (floor 7).

A policy sees the state at its decision and the attempt's word, and returns a legal move. It may look only at what its
seat can see: the table, its own hand, the numbers of tiles in the other hands and in the boneyard.
"""

import numpy as np

from mextrain_core._jit import helper, lowest
from mextrain_core.movegen import kth_play, row_of, touches, trains_in_use
from mextrain_core.moves import STOP_MOVE, encode_move
from mextrain_core.rng import U32, below
from mextrain_core.score import tile_points

u64 = np.uint64

U0, U1 = u64(0), u64(1)

RANDOM, HEAVIEST, CAUTIOUS = 0, 1, 2
POLICY_NAMES = ("random", "heaviest", "cautious")
"""Name of each policy by id."""


@helper
def choose_random(s, r, random):
    """Uniform over the legal plays and ``stop``."""
    plays = u64(s.legal_count)
    k = below(random >> U32, plays + u64(s.may_stop))
    return STOP_MOVE if k == plays else kth_play(s, r, k)


@helper
def choose_heaviest(s, r, random):
    """The plays of most points, ties by the attempt's word; never stops."""
    seat = u64(s.seat)
    best, ties = U0, U0
    trains = trains_in_use(s, seat)
    while trains != U0:
        train = lowest(trains)
        halves = touches(s, r, train)
        while halves != U0:
            touch = lowest(halves)
            row = row_of(s, r, seat, train, touch)
            while row != U0:
                points = tile_points(r, touch, lowest(row))
                if points > best or ties == U0:
                    best, ties = points, U0
                if points == best:
                    ties += U1
                row &= row - U1
            halves &= halves - U1
        trains &= trains - U1
    k = below(random >> U32, ties)
    trains = trains_in_use(s, seat)
    while True:
        train = lowest(trains)
        halves = touches(s, r, train)
        while halves != U0:
            touch = lowest(halves)
            row = row_of(s, r, seat, train, touch)
            while row != U0:
                if tile_points(r, touch, lowest(row)) == best:
                    if k == U0:
                        return encode_move(train, touch, lowest(row))
                    k -= U1
                row &= row - U1
            halves &= halves - U1
        trains &= trains - U1


@helper
def choose(policy, s, r, random):
    """The move (uint64) of the policy with this id at the state's decision; ``random`` is the attempt's word."""
    if policy == RANDOM:
        return choose_random(s, r, random)
    return choose_heaviest(s, r, random)
