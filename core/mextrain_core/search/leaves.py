"""Leaves whose value comes from outside instead of a play-out."""

import numpy as np

from mextrain_core.compiler.jit import kernel
from mextrain_core.game.score import hand_points
from mextrain_core.model.limits import NONE
from mextrain_core.model.state import PHASE_DECIDE

u64, i64 = np.uint64, np.int64

SCALE = 256
"""Values from outside are rounded to 1 / SCALE of a point, so that sums stay exact."""


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
