"""Parts of the core in compiled loops, so that a part is measured without the cost of calls from Python."""

from __future__ import annotations

import numpy as np
from numba import njit

from mextrain import RuleSet
from mextrain_core.bulk.rollout import play_games
from mextrain_core.game.deal import deal
from mextrain_core.game.movegen import legal_ids, legal_mask, legal_moves
from mextrain_core.game.turn import advance, play_unchecked
from mextrain_core.model.state import PHASE_DECIDE, new_states


@njit(nogil=True)
def list_all(states: np.ndarray, rules: np.ndarray, times: int, out: np.ndarray) -> int:
    """List the legal moves of every state, several times; returns their number."""
    total = 0
    for _ in range(times):
        for i in range(len(states)):
            total += legal_moves(states, i, rules, out)
    return total


@njit(nogil=True)
def ids_all(states: np.ndarray, rules: np.ndarray, times: int, out: np.ndarray) -> int:
    """The same as dense ids."""
    total = 0
    for _ in range(times):
        for i in range(len(states)):
            total += legal_ids(states, i, rules, out)
    return total


@njit(nogil=True)
def mask_all(states: np.ndarray, rules: np.ndarray, times: int, out: np.ndarray) -> np.uint64:
    """Write the mask of every state, several times; returns a checksum of all of them."""
    total = np.uint64(0)
    for _ in range(times):
        for i in range(len(states)):
            legal_mask(states, i, rules, out)
            total += out[0]
    return total


@njit(nogil=True)
def deal_all(states: np.ndarray, rules: np.ndarray, engine: np.uint64, games: int) -> None:
    """Deal one round of each game."""
    for game in range(games):
        deal(states, 0, rules, np.uint64(1), np.uint64(game), engine, np.uint64(255))


@njit(nogil=True)
def replay_all(states: np.ndarray, rules: np.ndarray, engine: np.uint64, moves: np.ndarray, counts: np.ndarray) -> int:
    """Play the given moves of the first round of each game; returns the number of rounds that are over."""
    n, over = 0, 0
    for game in range(len(counts)):
        deal(states, 0, rules, np.uint64(1), np.uint64(game), engine, np.uint64(255))
        advance(states, 0, rules, None)
        for _ in range(counts[game]):
            play_unchecked(states, 0, rules, None, np.uint64(moves[n]))
            n += 1
        over += states[0].phase != PHASE_DECIDE
    return over


def first_engine(rules: RuleSet) -> np.uint64:
    """Half code of the engine of the first round."""
    return np.uint64(rules.tiles.half_code(rules.engines[0].high))


def recorded(rules: RuleSet, games: int) -> tuple[np.ndarray, np.ndarray]:
    """Moves of the first rounds of some random games, one after the other, and their number in each round."""
    one_round = rules.replace(rounds=1)
    points = np.zeros((games, 1, rules.players), np.int64)
    facts = np.zeros((games, 1, 7), np.int32)
    moves = np.zeros(games * 512, np.uint16)
    policies, numbers = np.zeros(rules.players, np.uint8), (np.uint64(1), np.uint64(0), games)
    _, count = play_games(new_states(1), 0, one_round.record, policies, *numbers, points, facts, moves)
    return moves[:count].copy(), facts[:, 0, 6].astype(np.int64)


def decisions(rules: RuleSet, count: int) -> np.ndarray:
    """States at decisions in all stages of a round: STATE[count]."""
    chance = np.random.default_rng(1)
    states = new_states(count)
    moves = np.zeros(1024, np.uint16)
    engine = first_engine(rules)
    game = 0
    for i in range(count):
        while states[i].phase != PHASE_DECIDE:
            deal(states, i, rules.record, *map(np.uint64, (1, game, engine, 255)))
            game += 1
            advance(states, i, rules.record, None)
            for _ in range(chance.integers(60)):
                found = legal_moves(states, i, rules.record, moves)
                if not found:
                    break
                play_unchecked(states, i, rules.record, None, np.uint64(moves[chance.integers(found)]))
    return states
