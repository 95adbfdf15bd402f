"""Play-outs of copies from the middle of a round, each with its own key, as in a search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bench.conftest import RULES, size
from bench.kernels import first_engine
from mextrain import RuleSet
from mextrain_core.bulk.rollout import play_copies
from mextrain_core.game.deal import deal
from mextrain_core.game.movegen import legal_moves
from mextrain_core.game.turn import advance, play_unchecked
from mextrain_core.lockstep.player import Lockstep, accepts
from mextrain_core.model.state import PHASE_DECIDE, new_states

STATES, PLAYS = 32, 25


def in_the_middle(rules: RuleSet) -> np.ndarray:
    """Rounds of random play at a decision after `PLAYS` tiles were laid: STATE[STATES]."""
    chance = np.random.default_rng(1)
    states, moves = new_states(STATES), np.zeros(1024, np.uint16)
    found, game = 0, 0
    while found < STATES:
        deal(states, found, rules.record, *map(np.uint64, (1, game, first_engine(rules), 255)))
        game += 1
        advance(states, found, rules.record, None)
        while states[found].phase == PHASE_DECIDE and states[found].plays < PLAYS:
            count = legal_moves(states, found, rules.record, moves)
            play_unchecked(states, found, rules.record, None, np.uint64(moves[chance.integers(count)]))
        found += int(states[found].phase == PHASE_DECIDE)
    return states


@pytest.mark.parametrize("name", ["mexican-4", "super-4"])
@pytest.mark.parametrize("backend", ["scalar", "lockstep"])
def test_play_out(name: str, backend: str, timed: Callable[..., Any]) -> None:
    rules = RULES[name]
    states = in_the_middle(rules)
    count = STATES * size(4, 256)
    origins = np.repeat(np.arange(STATES, dtype=np.uint32), count // STATES)
    keys = np.arange(count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    points, facts = np.zeros((count, 4), np.int64), np.zeros((count, 7), np.int32)
    policies = np.zeros(4, np.uint8)
    expected = play_copies(states, rules.record, policies, origins, keys, new_states(1), points, facts)
    if backend == "lockstep":
        if not accepts(rules.record, policies):
            pytest.skip("the lockstep backend does not play these rules on this machine")
        lockstep = Lockstep(rules.record, policies)
        total = timed(lambda: lockstep.play_out(states, origins, keys, points, facts), count, "copy")
    else:
        scratch = new_states(1)
        arguments = (states, rules.record, policies, origins, keys, scratch, points, facts)
        total = timed(lambda: play_copies(*arguments), count, "copy")
    assert int(total) == int(expected)
