"""Flat search: every move is tried in the same sampled worlds, and the rounds are played out.

A *block* is a number of worlds. All moves of a block meet the same worlds with the same round keys, so the n-th draw
and the n-th random word are equal for all of them, and differences between moves have a small variance. Everything is
added up in exact integers, so the order in which blocks finish does not matter. What a result is worth to each seat is
computed for a whole block (``utility``).
"""

from typing import Any, NamedTuple

import numpy as np

from mextrain_core.compiler.jit import kernel
from mextrain_core.game.turn import play_on
from mextrain_core.model.state import OUT, copy_state

u64, i64 = np.uint64, np.int64


class Sums(NamedTuple):
    """Sums over play-outs, by move: int64 arrays. A tree leaves ``less`` and ``less_squares`` alone."""

    playouts: Any
    """[moves]."""
    points: Any
    """[moves, players]."""
    squares: Any
    """[moves, players]: of the points."""
    out: Any
    """[moves]: play-outs in which the seat went out."""
    value: Any
    """[moves]: utility of the seat that searches."""
    value_squares: Any
    """[moves]."""
    less: Any
    """[moves, moves]: utility of the first move less that of the second, over the worlds in which both were tried."""
    less_squares: Any
    """[moves, moves]: squares of these differences."""


@kernel
def branch(states, rules, source, worlds, moves, live, target, keys):
    """Play each live move in each world, and write the states one after the other from ``states[target]`` on.

    The worlds are ``states[source]`` … ``states[source + worlds - 1]``; ``moves``: uint16, of which ``live`` (int64)
    has the indices to play; ``keys`` (uint64): output, the round key of each state.
    """
    n = 0
    for w in range(worlds):
        for a in range(len(live)):
            copy_state(states, target + n, states, source + w, rules)
            play_on(states[target + n], rules[0], None, u64(moves[live[a]]))
            keys[n] = states[source + w].key
            n += 1


@kernel
def tally(points, worth, facts, worlds, live, seat, sums, scratch):
    """Add the results of a block to ``sums`` (Sums).

    ``points`` and ``facts`` are those of ``play_copies`` for the states in the order of ``branch``; ``worth``: their
    utilities by ``rate``; ``scratch``: int64[len(live)].
    """
    players = points.shape[1]
    n = 0
    for _ in range(worlds):
        for a in range(len(live)):
            move = live[a]
            sums.playouts[move] += 1
            sums.out[move] += i64(facts[n, 0] == OUT and facts[n, 1] == seat)
            for q in range(players):
                sums.points[move, q] += points[n, q]
                sums.squares[move, q] += points[n, q] * points[n, q]
            value = worth[n, seat]
            sums.value[move] += value
            sums.value_squares[move] += value * value
            scratch[a] = value
            n += 1
        for a in range(len(live)):
            for b in range(len(live)):
                less = scratch[a] - scratch[b]
                sums.less[live[a], live[b]] += less
                sums.less_squares[live[a], live[b]] += less * less
