"""Single steps of the lockstep backend on plain numbers, beside the scalar backend's decisions in the same states."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from mextrain import RuleSet
from mextrain_core.bulk.rollout import choose_at
from mextrain_core.compiler import vectors
from mextrain_core.game.deal import deal
from mextrain_core.game.movegen import legal_moves
from mextrain_core.game.turn import advance, apply_move, step_forced
from mextrain_core.lockstep.flags import flags_of
from mextrain_core.lockstep.layout import CHOICES, DRAWS, NO_MOVE, layout
from mextrain_core.lockstep.load import load_lane
from mextrain_core.lockstep.policy import LOG_SHIFT, argument_for
from mextrain_core.lockstep.step import write_step
from mextrain_core.model.limits import NONE
from mextrain_core.model.rng import DRAW_WORDS, GOLDEN, POLICY_WORDS
from mextrain_core.model.state import PHASE_DECIDE, PHASE_LOOK, PHASE_OVER, PHASE_TURN, new_states
from tests.lockstep import model


@cache
def _loader() -> Any:
    def load(rules: Any, states: Any, i: Any, work: Any, table: Any) -> None:
        load_lane(rules[0], states[i], work, np.uint64(0), table)

    return njit(load)


def some_attempts(rules: RuleSet, count: int, choose: random.Random) -> np.ndarray:
    """States before an attempt, from all parts of rounds; more of the early moves are doubles than by chance."""
    states, moves = new_states(count), np.zeros(1024, np.uint16)
    engines = [rules.tiles.half_code(engine.high) for engine in rules.engines]
    i = 0
    while i < count:
        numbers = choose.getrandbits(64), choose.getrandbits(58), choose.choice(engines), NONE
        deal(states, i, rules.record, *map(np.uint64, numbers))
        for _ in range(choose.randrange(3 * len(rules.tiles))):
            if states[i].phase == PHASE_OVER:
                break
            if states[i].phase == PHASE_DECIDE:
                found = legal_moves(states, i, rules.record, moves)
                apply_move(states, i, rules.record, None, np.uint64(moves[choose.randrange(found)]))
            else:
                step_forced(states, i, rules.record, None, np.uint64(NONE))
        while states[i].phase not in (PHASE_TURN, PHASE_LOOK, PHASE_DECIDE, PHASE_OVER):
            step_forced(states, i, rules.record, None, np.uint64(NONE))
        if states[i].phase in (PHASE_TURN, PHASE_LOOK):
            i += 1
    return states


def by_lanes(rules: RuleSet, policies: Sequence[int], states: np.ndarray) -> NDArray[np.uint16]:
    """The moves that a step on plain numbers makes in 32 states before an attempt; NO_MOVE where there is none."""
    flags = flags_of(rules.record[0], policies)
    at = layout(flags)
    work = vectors.aligned_rows(at.rows + 1)
    words = work.view(np.uint64)
    for lane, state in enumerate(states):
        _loader()(rules.record, states, lane, work[lane:], at.table)
        column = (lane & 3) * 8 + (lane >> 2)
        counters = (CHOICES, int(POLICY_WORDS) + int(state["attempts"])), (DRAWS, int(DRAW_WORDS) + int(state["draws"]))
        for stream, used in counters:
            words[stream * 8 + column] = (int(state["key"]) + used * int(GOLDEN)) % 2**64
    write_step(model.Writer(work), flags.pack(), at.rows << LOG_SHIFT | argument_for(rules.record[0], policies))
    return work.reshape(-1, model.LANES)[at.rows].copy()


def by_scalar(rules: RuleSet, policies: Sequence[int], states: np.ndarray) -> NDArray[np.uint16]:
    """The moves of the scalar policies at the next decisions; NO_MOVE where the round ends before it."""
    states, moves = states.copy(), np.full(len(states), NO_MOVE, np.uint16)
    for i in range(len(states)):
        advance(states, i, rules.record, None)
        if states[i]["phase"] == PHASE_DECIDE:
            policy = np.uint64(policies[int(states[i]["seat"])])
            moves[i] = choose_at(states, i, rules.record, policy)
    return moves


def differences(rules: RuleSet, policies: Sequence[int], blocks: int, choose: random.Random) -> list[tuple[int, int]]:
    """The moves (lanes, scalar) of decisions about which the two differ, in 32 states for each block."""
    found = []
    for _ in range(blocks):
        states = some_attempts(rules, model.LANES, choose)
        ours, theirs = by_lanes(rules, policies, states), by_scalar(rules, policies, states)
        here = (ours != NO_MOVE) & (ours != theirs)
        found += list(zip(ours[here].tolist(), theirs[here].tolist(), strict=True))
    return found
