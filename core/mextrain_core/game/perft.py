"""Perft: the number of sequences of decisions, to compare implementations."""

import numpy as np

from mextrain_core.compiler.jit import kernel
from mextrain_core.game.movegen import kth_play
from mextrain_core.game.turn import advance_state, play_on
from mextrain_core.model.moves import STOP_MOVE
from mextrain_core.model.state import PHASE_DECIDE, copy_state

u64 = np.uint64


@kernel
def perft(states, i, rules, depth):
    """Number of sequences of ``depth`` decisions from ``states[i]``; draws come from the stream.

    Sequences that end earlier do not count. ``states[i + 1]`` … ``states[i + depth]`` are scratch; ``states[i]`` is
    advanced to its decision and otherwise unchanged. ``depth`` is at least 1.
    """
    r = rules[0]
    advance_state(states[i], r, None)
    if states[i].phase != PHASE_DECIDE:
        return 0
    plays = u64(states[i].legal_count)
    actions = plays + u64(states[i].may_stop)
    if depth == 1:
        return np.int64(actions)
    total = 0
    for k in range(actions):
        move = STOP_MOVE if u64(k) == plays else kth_play(states[i], r, u64(k))
        copy_state(states, i + 1, states, i, rules)
        play_on(states[i + 1], r, None, move)
        total += perft(states, i + 1, rules, depth - 1)
    return total
