"""Rounds played again from their recorded moves, without the policies that chose them."""

from typing import Any, NamedTuple

import numpy as np

from mextrain_core.bulk.rollout import write_round
from mextrain_core.compiler.jit import kernel
from mextrain_core.game.deal import deal_round
from mextrain_core.game.movegen import is_legal_move
from mextrain_core.game.turn import advance_state, play_on
from mextrain_core.model.rng import round_key
from mextrain_core.model.state import PHASE_OVER

u64 = np.uint64

U0 = u64(0)


class Recorded(NamedTuple):
    """Rounds as they are recorded: an element for each in every array."""

    games: Any
    """uint64."""
    engines: Any
    """uint8, half codes."""
    starters: Any
    """uint8, NONE for the seat that the stream draws."""
    offsets: Any
    """int64, one more: ``actions[offsets[k]:offsets[k + 1]]`` are the moves of round k."""
    actions: Any
    """uint16, the moves of all rounds."""


@kernel
def replay_rounds(states, i, rules, seed, recorded, points, facts):
    """Play rounds of ``seed`` (uint64) again, given as Recorded; ``states[i]`` is scratch.

    What they lead to is written into ``points`` (int64[rounds, players]) and ``facts`` (int32[rounds, 7]) as by
    ``rollout.play_games``.

    Returns (rounds, action, hash): how many rounds came to their end exactly with their last move, the number of the
    move at which the next one fails, and the sum of the round hashes of the others modulo 2**64. A move fails that is
    not legal or comes after the end; the number of all moves means that the round goes on after them.
    """
    s, r = states[i], rules[0]
    total = U0
    for k in range(len(recorded.games)):
        engine = u64(recorded.engines[k])
        deal_round(s, r, round_key(seed, recorded.games[k], engine), engine, u64(recorded.starters[k]))
        advance_state(s, r, None)
        first, end = recorded.offsets[k], recorded.offsets[k + 1]
        for a in range(first, end):
            move = u64(recorded.actions[a])
            if not is_legal_move(s, r, move):
                return k, a - first, total
            play_on(s, r, None, move)
        if s.phase != PHASE_OVER:
            return k, end - first, total
        total += write_round(s, r, points[k], facts[k])
        facts[k, 6] = end - first
    return len(recorded.games), 0, total
