"""What a play is worth to the policy ``counting`` (docs/policies.md), and what it shares with ``planner``.

Values are integers, in 64ths of a point.
"""

from collections import namedtuple

import numpy as np

from mextrain_core.compiler.jit import helper
from mextrain_core.compiler.machine import popcount
from mextrain_core.game.movegen import ends_of
from mextrain_core.game.score import tile_points
from mextrain_core.model.limits import LETTER_A, LETTER_S, LETTER_T, MAX_TILES, NONE, WILD
from mextrain_core.model.rules import CHICKEN_FOOT

u64, i64 = np.uint64, np.int64

U0, U1 = u64(0), u64(1)
I0, I1, I2 = i64(0), i64(1), i64(2)
WILD_HALF = u64(WILD)
A_HALF, S_HALF, T_HALF = u64(LETTER_A), u64(LETTER_S), u64(LETTER_T)

WEIGHTS_VERSION = 1
"""The weights decide which games the policies play: new ones are a new version, announced in the changelog."""

NAMES = (
    "point", "tile", "tile_in_time", "points_in_time", "point_late", "followed_double", "lone_double", "closing",
    "followed", "mexican", "other", "follow_elsewhere", "laid_elsewhere", "red", "letter_a", "letter_s", "letter_t",
)  # fmt: skip
"""The weights by name; docs/policies.md says what each is for."""

(POINT, TILE, TILE_IN_TIME, POINTS_IN_TIME, POINT_LATE, FOLLOWED_DOUBLE, LONE_DOUBLE, CLOSING, FOLLOWED, MEXICAN, OTHER,
 FOLLOW_ELSEWHERE, LAID_ELSEWHERE, RED, LETTER_A_WEIGHT, LETTER_S_WEIGHT, LETTER_T_WEIGHT) = range(17)  # fmt: skip

WEIGHTS = np.array(
    [
        [64, 258, 144, 53, 21, 2592, 2518, 1200, 573, -172, -294, 157, 86, 0, 0, 0, 0],  # number sets
        [64, 1664, 0, 39, 77, 608, 2031, 298, 377, 38, 100, 0, -38, -976, 350, 442, 422],  # the set super
    ],
    np.int64,
)

_RECIPROCAL = np.array([0, *(65536 // k for k in range(1, MAX_TILES + 1))], np.int64)
"""65536 / k: a division costs more than everything else here."""

Outlook = namedtuple("Outlook", "weights turns point closing")
"""What holds for all plays of a decision: the row of WEIGHTS, tiles in the smallest hand of the others, the worth of a
point that is shed, and of closing the own train (int64)."""

Plan = namedtuple("Plan", "tiles points of")
"""What can still be laid after a play: tiles and points (int64); ``points`` belong to ``of`` tiles, the plan's own ones
and those that had to be left out of it."""


@helper
def fewest_tiles(s, r, seat):
    """Tiles (int64) in the smallest hand of the others: about so many turns are left at least."""
    fewest = i64(1000)
    for other in range(u64(r.players)):
        if u64(other) != seat:
            fewest = min(fewest, i64(s.hand_count[u64(other)]))
    return fewest


@helper
def own_ends_after(s, r, seat, train, touch, new):
    """Ends (mask) of the own train after a play."""
    if train != seat:
        return ends_of(s, r, seat)
    if r.double_rule != CHICKEN_FOOT or touch == new:
        return U1 << new
    ends = ends_of(s, r, seat)
    if s.end_count[seat, touch] <= 1:
        ends &= ~(U1 << touch)
    return ends | (U1 << new)


@helper
def look_ahead(s, r, seat):
    """The outlook of ``seat`` at its decision."""
    weights = WEIGHTS[u64(r.wild != NONE)]
    turns = fewest_tiles(s, r, seat)
    point = weights[POINT] + (weights[POINT_LATE] if turns <= I2 else I0)
    closing = weights[CLOSING] if (u64(s.open) >> seat) & U1 != U0 else I0
    return Outlook(weights, turns, point, closing)


@helper
def plan_value(look, plan):
    """Value of what can still be laid: its tiles, those that there is time for, and the points that these shed."""
    w = look.weights
    in_time = min(look.turns, plan.tiles)
    shed = (plan.points * in_time * _RECIPROCAL[u64(plan.of)]) >> i64(8)
    return w[TILE] * plan.tiles + w[TILE_IN_TIME] * in_time + ((w[POINTS_IN_TIME] * shed) >> i64(8))


@helper
def play_value(s, r, look, seat, train, touch, new):
    """Value of a play but for its plan: what it sheds, and what it does to the table."""
    w = look.weights
    value = look.point * i64(tile_points(r, touch, new))
    follow = i64(popcount(u64(s.hand[seat, new]) & ~(U1 << touch)))
    is_double = touch == new
    if is_double:
        value += w[FOLLOWED_DOUBLE] if follow != I0 else w[LONE_DOUBLE]
    if train == seat:
        value += look.closing + (w[FOLLOWED] if follow != I0 else I0)
    else:
        value += w[LAID_ELSEWHERE] * (i64(r.off[new]) - i64(s.off[new]) - follow)
        if not is_double:
            value += w[FOLLOW_ELSEWHERE] * follow + (w[MEXICAN] if train == u64(r.players) else w[OTHER])
    if r.wild != NONE:
        if touch >= WILD_HALF or new >= WILD_HALF:
            value += w[RED] + letter_value(w, max(touch, new))
    return value


@helper
def letter_value(w, half):
    """What a letter is worth above the price of a red train; D and R are worth nothing."""
    if half == A_HALF:
        return w[LETTER_A_WEIGHT]
    if half == S_HALF:
        return w[LETTER_S_WEIGHT]
    return w[LETTER_T_WEIGHT] if half == T_HALF else I0
