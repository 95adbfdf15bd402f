"""What a policy may read: a copy of the state without what its seat cannot see.

The own hand, the table, the numbers of tiles in the other hands and in the boneyard, and the legal plays are kept; the
key, the members of the boneyard and the other hands are zero. Legal-move functions give the same results for a view.
"""

import numpy as np

from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.model.limits import NONE, ROWS, TILE_WORDS
from mextrain_core.model.state import copy_state

u64 = np.uint64

U0 = u64(0)


@helper
def hide(s, r, seat):
    """Clear in place what ``seat`` cannot see."""
    s.key = U0
    for n in range(TILE_WORDS):
        s.boneyard[n] = U0
    for other in range(u64(r.players)):
        q = u64(other)
        if q != seat:
            s.a_count[q] = U0
            for half in range(ROWS):
                s.hand[q, u64(half)] = U0
    if u64(s.seat) != seat:
        s.drawn = NONE
        s.only = NONE
        s.barred = NONE
        s.eligible = U0
        s.eligible_a = U0
        s.legal_count = U0
        s.may_stop = U0
        s.bound = U0


@kernel
def view_state(target, i, source, j, rules, seat):
    """Write into ``target[i]`` what ``seat`` (uint64) sees of ``source[j]``; target may be source for i != j."""
    copy_state(target, i, source, j, rules)
    hide(target[i], rules[0], seat)
