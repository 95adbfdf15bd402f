"""The built-in policies: their table, and the code of those that are compiled into the kernels.

A policy sees the state at its decision and the attempt's word, and returns a legal move. It may read only what its seat
can see: the table, its own hand, and the numbers of tiles in the other hands and in the boneyard.
"""

from typing import NamedTuple

import numpy as np

from mextrain_core.bulk.counting_policy import choose_counting
from mextrain_core.compiler.jit import helper
from mextrain_core.compiler.machine import popcount
from mextrain_core.game.movegen import before_plays, kth_play, next_play, play_at
from mextrain_core.game.score import tile_points
from mextrain_core.model.moves import STOP_MOVE, encode_move
from mextrain_core.model.rng import U32, below

u64 = np.uint64

U0, U1 = u64(0), u64(1)

RANDOM, HEAVIEST, CAUTIOUS, PLANNER, COUNTING, EXPERT = 0, 1, 2, 3, 4, 5


class Policy(NamedTuple):
    """A row of the table of built-in policies."""

    id: int
    """Its number in arrays of policies and in C; it is never reused."""
    name: str
    apart: str = ""
    """``module:function`` of a C function that decides and is compiled separately; empty: ``choose`` decides."""
    lanes: bool = False
    """Whether the lockstep backend has lane code for it."""


POLICIES = (
    Policy(RANDOM, "random", lanes=True),
    Policy(HEAVIEST, "heaviest", lanes=True),
    Policy(CAUTIOUS, "cautious", lanes=True),
    Policy(PLANNER, "planner", apart="mextrain_core.bulk.planner_policy:planner"),
    Policy(COUNTING, "counting", lanes=True),
    Policy(EXPERT, "expert", apart="mextrain_core.bulk.expert_policy:expert"),
)
"""The built-in policies."""

FOREIGN = 253
"""Policy id of a seat that a compiled function of the user plays; its random words are one-way words."""

NO_MOVE = u64(0xFFFF)
"""What ``choose`` returns for an unknown policy id."""


@helper
def choose_random(s, r, random):
    """Uniform over the legal plays and ``stop``."""
    plays = u64(s.legal_count)
    k = below(random >> U32, plays + u64(s.may_stop))
    return STOP_MOVE if k == plays else kth_play(s, r, k)


@helper
def cautious_value(s, r, train, touch, new):
    """Value of a play to a sensible player (int64, arbitrary scale).

    Such a player sheds points, closes its own train, keeps ends that another tile of the hand fits, and lays a double
    if it can cover it at once. A double that it cannot cover comes last.
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
    """The play of highest value; the attempt's word breaks ties.

    ``heaviest`` never stops while it can play; ``cautious`` stops rather than leave a double uncovered.
    """
    if s.legal_count == 1 and s.may_stop == 0:
        return kth_play(s, r, U0)
    best, best_move, ties = np.int64(-(1 << 60)), STOP_MOVE, U0
    at = before_plays(s, r)
    while True:
        at = next_play(s, r, at)
        if at.trains == U0:
            break
        train, touch, new = play_at(at)
        value = value_of(policy, s, r, train, touch, new)
        if value > best:
            best, best_move, ties = value, encode_move(train, touch, new), U1
        elif value == best:
            ties += U1
    if policy == CAUTIOUS and s.may_stop != 0 and best < 0:
        return STOP_MOVE
    return best_move if ties <= U1 else tied_play(policy, s, r, best, below(random >> U32, ties))


@helper
def tied_play(policy, s, r, best, k):
    """The k-th of the plays of value ``best``."""
    at = before_plays(s, r)
    while True:
        at = next_play(s, r, at)
        train, touch, new = play_at(at)
        if value_of(policy, s, r, train, touch, new) == best:
            if k == U0:
                return encode_move(train, touch, new)
            k -= U1


@helper
def choose(policy, s, r, random):
    """The move (uint64) of the policy with this id at the state's decision; ``random`` is the attempt's word.

    NO_MOVE for an id that is not handled here.
    """
    if policy == RANDOM:
        return choose_random(s, r, random)
    if policy == HEAVIEST or policy == CAUTIOUS:
        return choose_best(policy, s, r, random)
    if policy == COUNTING:
        return choose_counting(s, r, random)
    return NO_MOVE
