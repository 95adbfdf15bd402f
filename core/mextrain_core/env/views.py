"""What the seat to decide sees of an environment: its legal actions as a mask, and its observation."""

import numpy as np

from mextrain_core.bulk.samples import put_table
from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.compiler.machine import lowest
from mextrain_core.env.evidence import put_known
from mextrain_core.game.movegen import before_plays, next_row
from mextrain_core.hidden.observe import relative_train
from mextrain_core.model.limits import NONE, WILD
from mextrain_core.model.moves import ROW_STRIDE

u64 = np.uint64

U0, U1, U6, U63 = u64(0), u64(1), u64(6), u64(63)
WILD_HALF = u64(WILD)


@helper
def put_mask(s, r, plays, mask, i):
    """Write the legal actions of the seat to move into row ``i``, as relative ids.

    Unless the round ``plays`` on, the only action is ``stop``. Plays with the same train and touching half have ids in
    a row, so a row of the hand is written as it is.
    """
    for n in range(mask.shape[1]):
        mask[i, u64(n)] = U0
    seat, players, pairs = u64(s.seat), u64(r.players), u64(r.pairs)
    if plays:
        at = before_plays(s, r)
        while True:
            at = next_row(s, r, at)
            if at.trains == U0:
                break
            # A letter has one partner, ``*``; every other half has a partner 0.
            first = WILD_HALF if r.wild != NONE and at.touch > WILD_HALF else U0
            place = u64(r.place[at.touch * ROW_STRIDE + first])
            action = relative_train(lowest(at.trains), seat, players) * pairs + place
            row, word, shift = at.row >> first, action >> U6, action & U63
            mask[i, word] |= row << shift
            beyond = row >> U1 >> (U63 - shift)
            if beyond != U0:
                mask[i, word + U1] |= beyond
    if not plays or s.may_stop != 0:
        stop = u64(r.action_count) - U1
        mask[i, stop >> U6] |= U1 << (stop & U63)


@helper
def put_observation(s, r, env, config, seat, out):
    """Write what ``seat`` sees of the table over ``out``."""
    for n in range(len(out)):
        out[u64(n)] = U0
    put_table(s, r, seat, env.laid, config.layout, out)


@helper
def observe(batch, known, i, scratch, seat, out):
    """Write the observation of ``seat`` over ``out``; ``known``: Known, or None if it is of the table only."""
    s, config = batch.states[i], batch.config[0]
    put_observation(s, batch.rules[0], batch.envs[i], config, seat, out)
    if known is not None:
        put_known(known, i, scratch, s, batch.rules, seat, config.layout, out)


@kernel
def observe_seat(batch, known, i, scratch, seat, out):
    """Write what any ``seat`` (uint64) sees of environment ``i`` into ``out`` (uint64[words]).

    ``batch``: Batch. ``known``: Known, or None without sections about what others have shown; its structs ``scratch``
    are overwritten.
    """
    observe(batch, known, i, scratch, seat, out)
