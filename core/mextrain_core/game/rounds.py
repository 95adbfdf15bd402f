"""The rounds of a match: the engine of each, and who begins it (docs/rules.md section 3)."""

import numpy as np

from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.model.limits import NONE, WILD
from mextrain_core.model.rules import STARTER_DRAW, STARTER_FIXED, STARTER_ROTATE, UP

u64 = np.uint64

U1 = u64(1)
NO_SEAT = u64(NONE)


@helper
def engine_of_round(r, number):
    """Half code of the engine of round ``number`` (uint64): down or up from the first one, in super ``*`` last."""
    first = u64(r.first_engine)
    if r.engine_order == UP:
        return first + number  # In super ``*`` is the half after the highest number.
    return first - number if first != u64(r.wild) and number <= first else u64(WILD)


@helper
def starter_of_round(r, last_starter, last_winner):
    """Starter of a round (option ``starter``), or NO_SEAT if the stream draws it.

    ``last_starter``, ``last_winner``: starter and winner of the previous round. In the first round of a match
    ``last_starter`` is NO_SEAT; after a blocked round, which has no winner, ``last_winner`` is NO_SEAT.
    """
    if r.starter == STARTER_FIXED:
        return u64(r.starter_seat)
    if last_starter == NO_SEAT or r.starter == STARTER_DRAW:
        return NO_SEAT
    if r.starter == STARTER_ROTATE:
        return (last_starter + U1) % u64(r.players)
    return last_winner


@kernel
def starters_of_rounds(rules, last_starters, last_winners, out):
    """Write the starter of each round into ``out`` (uint8[n]), NONE (255) if the stream draws it.

    ``last_starters``, ``last_winners``: uint8[n], starter and winner of the previous round, or NONE: see
    ``starter_of_round``.
    """
    for k in range(len(out)):
        out[k] = starter_of_round(rules[0], u64(last_starters[k]), u64(last_winners[k]))
