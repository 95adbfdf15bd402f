"""The invariants of states after every single forced step and every move, for any rules (docs/architecture.md)."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mextrain import RuleSet
from mextrain_core.game.deal import deal
from mextrain_core.game.events import EVENT
from mextrain_core.game.invariants import BROKEN, broken_invariant
from mextrain_core.game.movegen import legal_moves
from mextrain_core.game.turn import apply_move, step_forced
from mextrain_core.model.limits import MAX_DECISIONS, NONE
from mextrain_core.model.state import BLOCKED, OUT, PHASE_DECIDE, PHASE_OVER, new_states
from tests.strategies import rounds

NO_TILE = np.uint64(NONE)


class Steps:
    """A round in a STATE struct that goes on one step at a time and is checked after each step."""

    def __init__(self, rules: RuleSet, seed: int, game: int, engine: str, starter: int | None) -> None:
        self.rules = rules
        self.states = new_states(1)
        self.moves = np.zeros(4096, np.uint16)
        self.log = np.zeros(64, EVENT)
        half = rules.tiles.half_code(rules.tiles.parse(engine).high)
        numbers = (seed, game, half, NONE if starter is None else starter)
        deal(self.states, 0, rules.record, *map(np.uint64, numbers))
        self.check()

    @property
    def phase(self) -> int:
        return int(self.states["phase"][0])

    def check(self) -> None:
        broken = BROKEN[broken_invariant(self.states, 0, self.rules.record)]
        assert broken == BROKEN[0], (broken, self.rules.to_dict(), self.phase)

    def force(self) -> None:
        """Run one forced step, and check its events and that it draws at most one tile."""
        draws = int(self.states["draws"][0])
        step_forced(self.states, 0, self.rules.record, self.log, NO_TILE)
        assert int(self.states["events"][0]) <= 2
        assert int(self.states["draws"][0]) - draws in (0, 1)
        self.check()

    def decide(self, dice: random.Random) -> None:
        count = legal_moves(self.states, 0, self.rules.record, self.moves)
        move = dice.choice(self.moves[:count].tolist())
        assert apply_move(self.states, 0, self.rules.record, self.log, np.uint64(move))
        self.check()


@settings(max_examples=250)
@given(rounds(), st.integers(0, 2**32 - 1))
def test_invariants_hold_after_every_step(this: tuple[RuleSet, int, int, str, int | None], seed: int) -> None:
    steps, dice = Steps(*this), random.Random(seed)
    forced = decisions = 0
    while steps.phase != PHASE_OVER:
        if steps.phase == PHASE_DECIDE:
            steps.decide(dice)
            decisions += 1
            forced = 0
        else:
            steps.force()
            forced += 1
            # The seats may draw the whole boneyard in between, with at most six steps per draw.
            assert forced < 6 * (len(steps.rules.tiles) + steps.rules.players)
    assert decisions <= MAX_DECISIONS
    assert int(steps.states["end"][0]) in (OUT, BLOCKED)


@pytest.mark.parametrize("field", ["boneyard_size", "hand_count", "off_total", "plays", "fresh", "legal_count", "off"])
def test_a_broken_state_is_seen(field: str) -> None:
    """The invariants detect faults: a single wrong number breaks one of them."""
    steps = Steps(RuleSet.mexican(4), 1, 0, "12-12", None)
    while steps.phase != PHASE_DECIDE:
        steps.force()
    places = steps.states[field][0]
    if np.ndim(places):
        places[0] += 1
    else:
        steps.states[field] += 1
    assert broken_invariant(steps.states, 0, steps.rules.record) != 0
