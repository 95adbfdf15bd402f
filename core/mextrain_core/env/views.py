"""What the seat to decide sees of an environment: its legal actions as a mask, and its observation."""

import numpy as np

from mextrain_core.bulk.samples import put_table
from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.compiler.machine import lowest
from mextrain_core.env.envs import FULL, MASKS, PLAYING, TABLE, Batch
from mextrain_core.env.evidence import Known, put_known
from mextrain_core.game.movegen import before_plays, next_row
from mextrain_core.hidden.observe import relative_train, set_bit
from mextrain_core.model.limits import WILD
from mextrain_core.model.moves import ROW_STRIDE

u64 = np.uint64

U0, U1, U6, U63 = u64(0), u64(1), u64(6), u64(63)
WILD_HALF = u64(WILD)


@helper
def put_mask(s, r, out):
    """Write the legal actions of the seat to move, as relative ids; the words are 0 before.

    Plays with the same train and touching half have ids in a row, so a row of the hand is written as it is.
    """
    seat, players, pairs = u64(s.seat), u64(r.players), u64(r.pairs)
    at = before_plays(s, r)
    while True:
        at = next_row(s, r, at)
        if at.trains == U0:
            break
        # A letter has one partner, ``*``; every other half has a partner 0.
        first = WILD_HALF if r.wild != 255 and at.touch > WILD_HALF else U0
        action = relative_train(lowest(at.trains), seat, players) * pairs + u64(r.place[at.touch * ROW_STRIDE + first])
        row, word, shift = at.row >> first, action >> U6, action & U63
        out[word] |= row << shift
        beyond = row >> U1 >> (U63 - shift)
        if beyond != U0:
            out[word + U1] |= beyond
    if s.may_stop != 0:
        set_bit(out, U0, u64(r.action_count) - U1)


@helper
def show(batch, known, i, scratch, shown):
    """Write the seat, its legal actions and its observation.

    After the end of an episode the only action is ``stop``, and the seat is the one that decided last.
    """
    s, r = batch.states[i], batch.rules[0]
    env, config = batch.envs[i], batch.config[0]
    plays = env.status == PLAYING
    seat = u64(s.seat) if plays else u64(env.viewer)
    shown.seat[i] = seat
    if config.what & u64(MASKS) != U0:
        mask = shown.mask[i]
        for n in range(len(mask)):
            mask[n] = U0
        if plays:
            put_mask(s, r, mask)
        else:
            set_bit(mask, U0, u64(r.action_count) - U1)
    if config.what & u64(TABLE | FULL) != U0:
        observe(batch, known, i, scratch, seat, shown.observation[i])


@helper
def observe(batch, known, i, scratch, seat, out):
    """Write the observation of ``seat`` over ``out``; ``known``: Known, or None if it is of the table only."""
    s, r = batch.states[i], batch.rules[0]
    env, config = batch.envs[i], batch.config[0]
    for n in range(len(out)):
        out[n] = U0
    put_table(s, r, seat, env.laid, config.layout, out)
    if known is not None:
        put_known(known, i, scratch, s, batch.rules, seat, config.layout, out)


@kernel
def observe_seat(states, envs, rules, config, tables, evidence, i, scratch, seat, out):
    """Write what any ``seat`` (uint64) sees of environment ``i`` into ``out`` (uint64[words]).

    The arrays are those of ``Batch`` and ``Known``; without sections about what others have shown, ``tables`` and
    ``evidence`` are None.
    """
    batch = Batch(states, envs, rules, config, None, None)
    known = None if tables is None else Known(tables, evidence, None)
    observe(batch, known, i, scratch, seat, out)
