"""Every decision of thousands of rounds compared with the rulebook (docs/rules.md; all presets, sets and options).

`MEXTRAIN_DIFFERENTIAL_ROUNDS` sets the number of rounds (24,000 by default), and `MEXTRAIN_DIFFERENTIAL_SEED` the first
seed, so that a long run plays other rounds than the CI runs.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from mextrain import RuleSet
from mextrain.game.options import PLAYERS_TABLE
from tests.differential.lockstep import compare_round
from tests.strategies import rounds

ROUNDS = int(os.environ.get("MEXTRAIN_DIFFERENTIAL_ROUNDS", "24000"))
FIRST_SEED = int(os.environ.get("MEXTRAIN_DIFFERENTIAL_SEED", "0"))
CHUNKS = 24


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_rounds_of_any_rules(chunk: int) -> None:
    @seed(FIRST_SEED + chunk)
    @settings(
        max_examples=max(1, ROUNDS * 3 // 4 // CHUNKS // 4),
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(rounds(), st.integers(0, 2**32 - 1))
    def compare(this: tuple[RuleSet, int, int, str, int | None], choices: int) -> None:
        rules, first_seed, game, engine, starter = this
        for n in range(4):
            compare_round(rules, (first_seed + n) % 2**64, game, engine, starter, choices, ("random", "mean")[n % 2])

    compare()


@pytest.mark.parametrize("players", range(2, 15))
@pytest.mark.parametrize("preset", sorted(PLAYERS_TABLE))
def test_rounds_of_the_presets(preset: str, players: int) -> None:
    rules = RuleSet.preset(preset, players=players)
    engines = rules.engines
    for n in range(max(1, ROUNDS // 4 // 26)):
        compare_round(rules, FIRST_SEED + n, n, str(engines[n % len(engines)]), None, n, ("random", "mean")[n % 2])


# Regressions: rounds in which the two sides once differed, each with its reason.
FOUND = {
    "the last draw releases the oldest double, and the next one binds the hand": (
        {"players": 2, "tile_set": "double-13", "hand_size": 43, "drawn_play": "may", "dead_double": "binds"},
        (14031102301349216101, 426337436161987, "5-5", 0, 3133099931),
    ),
}


@pytest.mark.parametrize("what", FOUND)
def test_rounds_that_were_found(what: str) -> None:
    options, this = FOUND[what]
    compare_round(RuleSet.from_dict({"preset": "mexican", "max_uncovered": 1, **options}), *this)
