"""What a search maximises: a function of the points of all seats, in exact integers (docs/search.md)."""

import numpy as np

from mextrain_core.compiler.jit import helper

i64 = np.int64

MARGIN, POINTS, RANK = 0, 1, 2
"""``margin``: the mean points of the others less the own, in units of 1 / (players - 1); ``points``: the own points,
negative; ``rank``: the seats with fewer points and half of those with equal points, negative, in halves."""

UTILITIES = ("margin", "points", "rank")


def unit_of(utility, players, scale=1):
    """How many units make one point, or one place for RANK; ``scale``: what one point is in the sums."""
    return ((players - 1) * scale, scale, 2)[utility]


@helper
def utility_of(points, players, seat, utility):
    """The utility (int64) of ``seat`` for ``points`` (int64[players])."""
    own = points[seat]
    if utility == POINTS:
        return -own
    total = i64(0)
    if utility == MARGIN:
        for other in range(players):
            total += points[other]
        return total - i64(players) * own
    for other in range(players):
        if points[other] < own:
            total += 2
        elif points[other] == own and other != seat:
            total += 1
    return -total
