"""What a finished round or match is worth to each seat."""

import numpy as np

from mextrain_core.compiler.jit import helper
from mextrain_core.env.envs import POINTS, ZERO_SUM
from mextrain_core.model.limits import NONE

u64 = np.uint64

U1 = u64(1)
MOST = np.int64(1) << np.int64(60)


@helper
def put_reward(r, kind, points, winner, out):
    """Write the reward of each seat into ``out`` (float32[players]); ``points``: int32, by seat.

    ``winner`` is the seat that went out, or NONE in a blocked round; of a match it is the number of players, and the
    lowest points win.
    """
    players = u64(r.players)
    total, fewest = np.int64(0), MOST
    for seat in range(players):
        own = np.int64(points[u64(seat)])
        total += own
        fewest = min(fewest, own)
    if kind == ZERO_SUM or kind == POINTS:
        for seat in range(players):
            own = np.int64(points[u64(seat)])
            out[u64(seat)] = (total - own) / np.float64(players - U1) - own if kind == ZERO_SUM else -own
        return
    is_match = winner == players
    winners = np.int64(0)
    for seat in range(players):
        winners += is_winner(points, u64(seat), winner, is_match, fewest)
    if winner == NONE or winners == np.int64(players):
        return
    others = np.float64(players) - winners
    for seat in range(players):
        won = is_winner(points, u64(seat), winner, is_match, fewest)
        out[u64(seat)] = (others / winners if won else -1.0) / np.float64(players - U1)


@helper
def is_winner(points, seat, winner, is_match, fewest):
    """Whether the seat went out, or has the fewest points of the match."""
    return np.int64(points[seat]) == fewest if is_match else seat == winner


@helper
def put_penalty(r, kind, worst, offender, out):
    """Write the reward of an episode that an illegal action of ``offender`` ended."""
    players = u64(r.players)
    for seat in range(players):
        out[u64(seat)] = 0.0 if kind == POINTS else worst / np.float64(players - U1)
    out[offender] = -worst
