"""The 16-bit move and the dense action id (docs/actions.md).

Bits of a move: ``train << 10 | touch << 5 | new``; ``STOP`` is 0x3FFF. ``touch`` is the half that meets the end,
``new`` the half that becomes the end. Moves and ids sort in the same order.
"""

import numpy as np

from mextrain_core.compiler.jit import helper
from mextrain_core.model.limits import ROWS, STOP

u64 = np.uint64

U5, U10 = u64(5), u64(10)
HALF_BITS = u64(31)
TRAIN_BITS = u64(15)
STOP_MOVE = u64(STOP)
ROW_STRIDE = u64(ROWS)


@helper
def encode_move(train, touch, new):
    """The 16-bit move of uint64 parts."""
    return (train << U10) | (touch << U5) | new


@helper
def move_train(move):
    """Train of a move that is not STOP."""
    return (move >> U10) & TRAIN_BITS


@helper
def move_touch(move):
    """The half of a move that meets the end."""
    return (move >> U5) & HALF_BITS


@helper
def move_new(move):
    """The half of a move that becomes the end."""
    return move & HALF_BITS


@helper
def action_id(r, move):
    """Dense action id of a move that exists in the set (uint64 in and out)."""
    if move == STOP_MOVE:
        return u64(r.action_count) - u64(1)
    place = u64(r.place[move_touch(move) * ROW_STRIDE + move_new(move)])
    return move_train(move) * u64(r.pairs) + place


@helper
def move_of_id(r, action):
    """Move of a dense action id below ``r.action_count`` (uint64 in and out)."""
    if action + u64(1) == u64(r.action_count):
        return STOP_MOVE
    pairs = u64(r.pairs)
    return (action // pairs) << U10 | u64(r.pair[action % pairs])
