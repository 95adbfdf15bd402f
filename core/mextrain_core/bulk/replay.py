"""Replay of rounds from their moves, without the policies that chose them."""

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
    """Rounds to replay: each array has one element per round, unless noted."""

    games: Any
    """uint64."""
    engines: Any
    """uint8, half codes of the engines that name the rounds (``deal``)."""
    starters: Any
    """uint8, NONE if the stream draws the starter."""
    offsets: Any
    """int64, one element more than rounds: ``actions[offsets[k]:offsets[k + 1]]`` are the moves of round k."""
    actions: Any
    """uint16, the moves of all rounds."""


@kernel
def find_engines(states, i, rules, seed, games, engines, starters, found):
    """Deal rounds of ``seed`` (uint64) and write their engines into ``found`` (uint8, half codes).

    ``games``, ``engines`` and ``starters`` are those of Recorded; ``states[i]`` is scratch.
    """
    s, r = states[i], rules[0]
    for k in range(len(games)):
        engine = u64(engines[k])
        deal_round(s, r, round_key(seed, games[k], engine), engine, u64(starters[k]))
        found[k] = s.engine


@kernel
def replay_rounds(states, i, rules, seed, recorded, points, facts):
    """Replay rounds of ``seed`` (uint64), given as Recorded; ``states[i]`` is scratch.

    Results go to ``points`` (int64[rounds, players]) and ``facts`` (int32[rounds, 7]), as in ``rollout.play_games``.

    Returns (rounds, action, hash): the number of rounds before the first one that fails (all of them end exactly with
    their last move), the index of the move at which that round fails, and the sum of the hashes of the rounds before it
    modulo 2**64. A move fails if it is illegal or comes after the end of the round. An index equal to the number of
    moves means that the round is not over after its last move.
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
