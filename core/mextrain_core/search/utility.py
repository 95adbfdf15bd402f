"""What a search maximises: a function of the points of all seats, in exact integers (docs/search.md)."""

import numpy as np

from mextrain_core.compiler.jit import helper, kernel

i64 = np.int64

MARGIN, POINTS, RANK, MATCH = 0, 1, 2, 3
"""``margin``: the mean points of the others less the own, in units of 1 / (players - 1); ``points``: the own points,
negative; ``rank``: the seats with fewer points and half of those with equal points, negative, in halves; ``match``: the
chance to win the match, in units of 1 / (100 * CHANCE)."""

UTILITIES = ("margin", "points", "rank", "match")

CHANCE = 64
"""Units of MATCH in one percent."""
WHOLE = 360_360
"""A match, which any number of seats up to 14 can share evenly."""


def unit_of(utility, players, scale=1):
    """How many units make one point, one place for RANK, one percent for MATCH; ``scale``: of a point in the sums."""
    return ((players - 1) * scale, scale, 2, CHANCE)[utility]


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


@helper
def share_matches(points, futures, worth):
    """Write the chance of each seat to win the match after a round with ``points``; equal totals share it."""
    players = len(points)
    worth[:] = 0
    for n in range(len(futures)):
        low, ties = futures[n, 0] + points[0], 0
        for seat in range(players):
            total = futures[n, seat] + points[seat]
            if total < low:
                low, ties = total, 0
            ties += i64(total == low)
        for seat in range(players):
            if futures[n, seat] + points[seat] == low:
                worth[seat] += WHOLE // ties
    whole = i64(WHOLE) * len(futures)
    for seat in range(players):
        worth[seat] = (worth[seat] * 100 * CHANCE + whole // 2) // whole


@kernel
def rate(points, utility, futures, worth):
    """Write the utility of every seat for the results ``points`` (int64[n, players]) into ``worth`` (int64, the same).

    ``futures`` (int64[samples, players]), for MATCH: possible points of the seats in all other rounds of the match.
    """
    for k in range(len(points)):
        if utility == MATCH:
            share_matches(points[k], futures, worth[k])
        else:
            for seat in range(points.shape[1]):
                worth[k, seat] = utility_of(points[k], points.shape[1], seat, utility)
