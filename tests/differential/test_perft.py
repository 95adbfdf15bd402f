"""Perft of small games, by the kernels and the slow rulebook from the same deals."""

from __future__ import annotations

import numpy as np
import pytest

from mextrain import RuleSet
from mextrain_core.game.deal import deal
from mextrain_core.game.perft import perft
from mextrain_core.model.state import new_states
from tests.differential.lockstep import reference_rules
from tests.reference.rulebook import Round

SMALL = [
    RuleSet.mexican(players=2, tile_set="double-3", hand_size=3),
    RuleSet.mexican(players=3, tile_set="double-4", hand_size=3, double_rule="chicken_foot"),
    RuleSet.mexican(players=2, tile_set="double-6", hand_size=7, drawn_play="may", mexican_start="any_turn"),
    RuleSet.mexican(players=4, tile_set="double-5", hand_size=4, opening="single", open_double_order="any"),
    RuleSet.super(players=2, hand_size=3, twice_bonus="may"),
]


def count(this: Round, depth: int) -> int:
    """Sequences of `depth` decisions from a round of the rulebook."""
    if this.over:
        return 0
    legal = this.legal()
    if depth == 1:
        return len(legal)
    total = 0
    for action in legal:
        after = this.copy()
        after.play(action)
        total += count(after, depth - 1)
    return total


@pytest.mark.parametrize("rules", SMALL, ids=lambda rules: str(rules.to_dict()))
def test_kernels_and_rulebook_count_the_same(rules: RuleSet) -> None:
    states, totals = new_states(6), 0
    half = int(rules.record[0]["first_engine"])
    for seed in range(40):
        arguments = (np.uint64(seed), np.uint64(0), np.uint64(half), np.uint64(255))
        deal(states, 0, rules.record, *arguments)
        found = [int(perft(states, 0, rules.record, depth)) for depth in range(1, 6)]
        start = Round.dealt(reference_rules(rules), seed=seed, game=0, engine=str(rules.engines[0]))
        assert found == [count(start, depth) for depth in range(1, 6)]
        totals += found[-1]
    assert totals > 100
