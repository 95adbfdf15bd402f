"""Leaves whose value comes from outside instead of a play-out."""

import numpy as np

from mextrain_core.compiler.jit import kernel
from mextrain_core.compiler.machine import call_value
from mextrain_core.game.score import hand_points
from mextrain_core.hidden.view import view_state
from mextrain_core.model.limits import NONE
from mextrain_core.model.state import PHASE_DECIDE

u64, i64 = np.uint64, np.int64

SCALE = 256
"""Values from outside are rounded to 1 / SCALE of a point, so that sums stay exact."""
MAX_VALUE = 100_000
"""The largest value of a leaf, in points."""


@kernel
def settle_leaves(states, first, count, rules, points, facts, waiting):
    """Write the points, times SCALE, of the finished rounds among ``states[first]`` … ``states[first + count - 1]``.

    ``points`` and ``facts`` have a row for each state, as in ``play_copies``; of ``facts`` only the first two columns
    are written. ``waiting`` (int64): output, the indices of states in which a decision is due. Returns their number.
    """
    r = rules[0]
    n = 0
    for k in range(count):
        s = states[first + k]
        facts[k, 0] = s.end
        facts[k, 1] = -1 if s.winner == NONE else i64(s.winner)
        if s.phase == PHASE_DECIDE:
            waiting[n] = first + k
            n += 1
            continue
        for seat in range(u64(r.players)):
            points[k, seat] = hand_points(s, r, u64(seat)) * SCALE
    return n


@kernel
def value_leaves(states, waiting, rules, scratch, address, first, points, guess):
    """Let the C function at ``address`` (uint64) value the states ``waiting`` (int64), as their seats to move see them.

    The function gets a view in ``scratch[0]`` and writes the expected points of every seat. They go into ``points``,
    times SCALE, whose rows begin with that of ``states[first]``. ``guess``: float64[players], scratch. Returns the
    number of leaves valued: fewer than asked for if the function failed, or wrote something else than points.
    """
    r = rules[0]
    for n in range(len(waiting)):
        i = u64(waiting[n])
        view_state(scratch, u64(0), states, i, rules, u64(states[i].seat))
        guess[:] = np.nan
        if call_value(address, scratch[0], r, u64(guess.ctypes.data)) < 0:
            return n
        for seat in range(len(guess)):
            if not abs(guess[seat]) <= MAX_VALUE:
                return n
            points[waiting[n] - first, seat] = i64(np.rint(guess[seat] * SCALE))
    return len(waiting)
