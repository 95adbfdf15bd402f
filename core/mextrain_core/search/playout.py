"""Play-outs in which C functions decide for some of the seats."""

import numpy as np

from mextrain_core.bulk.rollout import Calls, play_to_end_calling, write_round
from mextrain_core.compiler.jit import kernel
from mextrain_core.model.state import copy_state

u64 = np.uint64

U0 = u64(0)


@kernel
def play_copies_calling(states, rules, seats, origins, keys, scratch, points, facts):
    """Like ``rollout.play_copies``, but C functions can decide for seats (``SeatPolicies``); ``scratch``: STATE[2]."""
    actions = np.empty(0, np.uint16)
    calls = Calls(scratch, 0, rules, seats.addresses)
    s, r = scratch[0], rules[0]
    total = U0
    for k in range(len(keys)):
        copy_state(scratch, 0, states, u64(origins[k]), rules)
        s.key = keys[k]
        facts[k, 6] = play_to_end_calling(calls, seats.policies, actions, U0)
        total += write_round(s, r, points[k], facts[k])
    return total
