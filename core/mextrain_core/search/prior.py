"""What ``counting`` thinks of every legal move: the order in which a search tries them, and the move it starts from."""

import numpy as np

from mextrain_core.bulk.counting_policy import counting_value, know_hand, next_tie, with_tie
from mextrain_core.compiler.jit import kernel
from mextrain_core.game.movegen import before_plays, next_play, play_at

u64, i64 = np.uint64, np.int64

U0 = u64(0)

STOP_VALUE = i64(-(1 << 62))
"""``counting`` never stops while it can play."""


@kernel
def value_moves(states, i, rules, random, values):
    """Write the value of each legal move of ``states[i]``, in the order of ``legal_moves``, into ``values`` (int64).

    The policy ``counting`` chooses the move of the highest value if ``random`` (uint64) is its word.
    """
    s, r = states[i], rules[0]
    seat = u64(s.seat)
    known = know_hand(s, r, seat)
    tie = random >> u64(40)
    at = before_plays(s, r)
    n = 0
    while True:
        at = next_play(s, r, at)
        if at.trains == U0:
            break
        train, touch, new = play_at(at)
        tie = next_tie(tie)
        values[n] = with_tie(counting_value(s, r, seat, known, train, touch, new), tie)
        n += 1
    if s.may_stop != 0:
        values[n] = STOP_VALUE
