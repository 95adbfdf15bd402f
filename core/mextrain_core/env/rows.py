"""The legal actions of all environments as rows, one environment after the other, each with its features."""

from typing import Any, NamedTuple

import numpy as np

from mextrain_core.bulk.counting_policy import know_hand
from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.env.envs import PLAYING
from mextrain_core.env.features import (
    BEST,
    BEST_SCALE,
    put_best,
    put_play_features,
    put_stop_features,
    put_table_features,
)
from mextrain_core.game.movegen import before_plays, next_play, play_at
from mextrain_core.hidden.observe import relative_id
from mextrain_core.model.moves import STOP_MOVE, encode_move

u64, i64, f32 = np.uint64, np.int64, np.float32

U0, U1 = u64(0), u64(1)
I1 = i64(1)


class Rows(NamedTuple):
    """The rows ``offsets[i]`` … ``offsets[i + 1] - 1`` are the legal actions of environment i."""

    offsets: Any
    """int64[N + 1]."""
    ids: Any
    """uint16: relative ids."""
    moves: Any
    """uint16: 16-bit moves; trains are absolute."""
    features: Any
    """float32[rows, features of an action]."""
    table: Any
    """float32[N, features of the table]."""


@helper
def put_row(r, rows, k, move, seat):
    """Write the numbers of a legal action."""
    rows.ids[k] = relative_id(r, move, seat)
    rows.moves[k] = move


@helper
def list_rows(s, r, env, i, rows):
    """Write the legal actions of environment ``i`` from ``offsets[i]`` on, plays in ascending order, ``stop`` last.

    After the end of an episode the only action is ``stop``, and the features of the table are 0.
    """
    seat = u64(s.seat)
    k = u64(rows.offsets[i])
    plays = env.status == PLAYING
    if plays:
        put_table_features(s, r, env, rows.table[i])
        known = know_hand(s, r, seat)
        best, first = f32(0), k
        at = before_plays(s, r)
        while True:
            at = next_play(s, r, at)
            if at.trains == U0:
                break
            train, touch, new = play_at(at)
            put_row(r, rows, k, encode_move(train, touch, new), seat)
            value = put_play_features(s, r, seat, known, train, touch, new, rows.features[k])
            best = value if k == first else max(best, value)
            k += U1
        while first < k:
            put_best(best, rows.features[first])
            first += U1
        rows.table[i, BEST] = best * BEST_SCALE
    else:
        for n in range(rows.table.shape[1]):
            rows.table[i, u64(n)] = 0.0
    if not plays or s.may_stop != 0:
        put_row(r, rows, k, STOP_MOVE, seat)
        put_stop_features(rows.features[k])
        k += U1
    rows.offsets[i + U1] = i64(k)


@kernel
def list_actions(states, envs, rules, rows, lo, hi):
    """Write the legal actions of the environments ``lo`` … ``hi - 1`` as ``rows`` (Rows), from ``offsets[lo]`` on.

    There must be room for the legal actions of all environments.
    """
    for index in range(lo, hi):
        i = u64(index)
        list_rows(states[i], rules[0], envs[i], i, rows)
