"""Explicit chance: the outcomes of draws, and the number of draws in a round (docs/rules.md, section 6)."""

from __future__ import annotations

import os
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mextrain import Position, RuleSet, simulate
from tests.hidden.games import POSITIONS, choose, title
from tests.strategies import rounds

ROUNDS = int(os.environ.get("MEXTRAIN_HIDDEN_ROUNDS", "4000"))
"""Rounds for each rule set; more for manual runs."""

RULES = [
    RuleSet.mexican(4),
    RuleSet.mexican(12),
    RuleSet.super(2),
    RuleSet.super(4, draw_limit="per_turn", finish_on_double="must_cover"),
    RuleSet.mexican(3, tile_set="double-5", hand_size=2, double_rule="chicken_foot"),
]


@settings(max_examples=POSITIONS // 2)
@given(rounds(), st.integers(0, 2**32))
def test_outcomes_of_draws(this: tuple[RuleSet, int, int, str, int | None], seed: int) -> None:
    """Every draw of a round: its outcomes are the boneyard, equally likely, and each of them can be drawn."""
    rules, dealt, game, engine, starter = this
    position = Position.deal(rules, seed=dealt, game=game, engine=engine, starter=starter, chance="explicit")
    dice = random.Random(seed)
    draws = 0
    while not position.over:
        outcomes = position.chance_outcomes()
        if position.pending_draw is None:
            assert outcomes == ()
            position.play(choose(position, dice))
            continue
        assert [tile for tile, _ in outcomes] == list(position.boneyard)
        assert {share for _, share in outcomes} == {1 / len(position.boneyard)}
        assert sum(share for _, share in outcomes) == pytest.approx(1)
        seat, tile = position.seat, dice.choice(outcomes)[0]
        before = Counter(position.boneyard)
        position.draw(tile)
        assert before - Counter(position.boneyard) == Counter([tile])
        draws += 1
        drawn = [event for event in position.events if event.is_draw]
        assert (len(drawn), drawn[-1].seat, drawn[-1].tile) == (draws, seat, tile)
    assert draws == position.draws <= rules.boneyard_size
    assert position.chance_outcomes() == ()


@pytest.mark.parametrize("rules", RULES, ids=title)
def test_the_bound(rules: RuleSet) -> None:
    """A round draws each tile of the boneyard at most once; MEXTRAIN_HIDDEN_ROUNDS sets the number of rounds."""
    played = simulate(rules, games=-(-ROUNDS // rules.rounds), seed=11)
    draws = np.asarray(played.draws)
    assert draws.size >= ROUNDS
    assert draws.max() <= rules.boneyard_size
    # The bound is reached: some round empties the boneyard.
    assert draws.max() == rules.boneyard_size
