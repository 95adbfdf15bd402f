"""Whole matches: lockstep gives the same bytes as the scalar backend for every rule set that it accepts.

``MEXTRAIN_LOCKSTEP_RULES`` sets the number of random rule sets (each has its own kernel, compiled in seconds),
``MEXTRAIN_LOCKSTEP_SEED`` their seed.
"""

from __future__ import annotations

import os
import random
import sys
from typing import Any

import numpy as np
import pytest

from mextrain import OPTIONS, RuleSet, TileSet
from mextrain_core.bulk.policies import CAUTIOUS, COUNTING, HEAVIEST, PLANNER, POLICIES, RANDOM
from mextrain_core.compiler import vectors
from mextrain_core.compiler.machine import architecture
from mextrain_core.lockstep.flags import SERVED, SERVED_BESIDES
from mextrain_core.lockstep.layout import LOG_ROWS
from mextrain_core.lockstep.player import PORTION, accepts
from mextrain_core.lockstep.policy import policy_obstacle
from tests import limits
from tests.lockstep.matches import assert_equal, by_lockstep, by_scalar

RULES = int(os.environ.get("MEXTRAIN_LOCKSTEP_RULES", "10"))
FIRST_SEED = int(os.environ.get("MEXTRAIN_LOCKSTEP_SEED", "0"))

pytestmark = pytest.mark.skipif(not vectors.supported(), reason="there is no lane code for this machine")

LANE_POLICIES = tuple(policy.id for policy in POLICIES if policy.lanes)

FREE = sorted({*SERVED, *SERVED_BESIDES} - {"tile_set", "starter"})


def some_rules(choose: random.Random) -> RuleSet:
    """Rules that lockstep accepts; small sets and large hands are common, because they lead to rare states."""
    highest = choose.choice([*range(1, 16), 9, 12, 12, 15])
    is_super = choose.random() < 0.4
    tile_set = TileSet("super" if is_super else f"double-{highest}")
    tiles, doubles = len(tile_set), tile_set.doubles
    players = choose.randint(2, min(14, tiles - 1, choose.choice((2, 3, 5, 14))))
    most = (tiles - 1) // players
    first = choose.choice((0, choose.randrange(len(doubles))))
    left = len(doubles) - first
    options: dict[str, Any] = {
        "players": players,
        "tile_set": tile_set.name,
        "hand_size": choose.choice((choose.randint(1, most), min(most, 10), min(most, 3))),
        "first_engine": str(doubles[first]),
        "rounds": choose.choice((left, choose.randint(1, left))),
        "starter": choose.choice(("draw", "rotate", "winner", choose.randrange(players))),
        "double_blank": choose.choice((0, 5, 25, 10**9)),
    }
    for name in FREE:
        words = [word for word in OPTIONS[name].words if word in (SERVED | SERVED_BESIDES)[name]]
        if words and choose.random() < 0.5:
            options[name] = choose.choice(words)
    if is_super:
        options |= {"letter_match": "train_only", "dead_double": "released"}
    options["max_uncovered"] = choose.choice((None, None, 1))
    return RuleSet.preset(choose.choice(("mexican", "super")), **options)


def some_policies(choose: random.Random, rules: RuleSet) -> list[int]:
    """The same policy for all seats, or a mixture of those that lockstep plays under these rules."""
    known = [policy for policy in LANE_POLICIES if not policy_obstacle(rules.record[0], [policy])]
    alike = choose.choice(known)
    return choose.choice(([alike] * rules.players, [choose.choice(known) for _ in range(rules.players)]))


@pytest.mark.parametrize("number", range(RULES))
def test_any_rules(number: int) -> None:
    choose = random.Random(FIRST_SEED * 1_000_003 + number)
    rules = some_rules(choose)
    policies = some_policies(choose, rules)
    assert accepts(rules.record, policies)
    seed = choose.choice((0, 1, 2**64 - 1, choose.getrandbits(64)))
    assert_equal(rules, policies, seed, choose.getrandbits(58), 2000 // rules.rounds + 33, choose.random() < 0.7)


@pytest.mark.parametrize(
    ("preset", "players"), [("mexican", 2), ("mexican", 4), ("mexican", 12), ("super", 2), ("super", 4), ("super", 14)]
)
def test_presets(preset: str, players: int) -> None:
    rules = RuleSet.preset(preset, players=players)
    assert_equal(rules, [RANDOM] * players, 7, 0, 150, records=True)


POLICY_TABLES = (
    ("mexican", [CAUTIOUS] * 4),
    ("mexican", [COUNTING] * 4),
    ("mexican", [COUNTING, RANDOM, CAUTIOUS, HEAVIEST, COUNTING]),
    ("super", [CAUTIOUS, HEAVIEST, RANDOM]),
)


@pytest.mark.parametrize(("preset", "policies"), POLICY_TABLES)
def test_policies(preset: str, policies: list[int]) -> None:
    assert_equal(RuleSet.preset(preset, players=len(policies)), policies, 7, 0, 150, records=True)


@pytest.mark.parametrize("games", [0, 1, 31, 32, 33, 64, 65])
def test_any_number_of_games(games: int) -> None:
    rules = RuleSet.preset("mexican", players=4, rounds=1)
    for records in (False, True):
        assert_equal(rules, [RANDOM] * 4, 3, 10, games, records)


def test_moves_of_many_portions() -> None:
    rules = RuleSet.preset("mexican", players=4)
    assert_equal(rules, [RANDOM] * 4, 3, 10, 2 * PORTION // rules.rounds + 100, records=True)


def test_rounds_longer_than_the_log() -> None:
    """With small hands and many tiles the log is flushed during rounds."""
    rules = RuleSet.preset("mexican", players=12, tile_set="double-15", hand_size=11, rounds=2)
    assert_equal(rules, [RANDOM] * 12, 3, 10, 200, records=True)
    turns = by_lockstep(rules, [RANDOM] * 12, 3, 10, 200).facts[:, :, 3]
    assert turns.max() > LOG_ROWS


@pytest.mark.parametrize("seed", [0, 1, 2**63, 2**64 - 1])
@pytest.mark.parametrize("game", [0, 2**32 - 2, 2**59 - 5])
def test_edges_of_seeds_and_games(seed: int, game: int) -> None:
    assert_equal(RuleSet.preset("mexican", players=4), [RANDOM] * 4, seed, game, 5)


@pytest.mark.parametrize("starter", ["winner", "rotate"])
def test_pieces_make_up_the_whole(starter: str) -> None:
    rules = RuleSet.preset("mexican", players=4, starter=starter)
    policies = [RANDOM] * 4
    whole = by_lockstep(rules, policies, 11, 100, 90)
    pieces = [by_lockstep(rules, policies, 11, 100 + start, size) for start, size in ((0, 1), (1, 56), (57, 33))]
    assert np.array_equal(whole.points, np.concatenate([piece.points for piece in pieces]))
    assert np.array_equal(whole.facts, np.concatenate([piece.facts for piece in pieces]))
    assert whole.hash == sum(piece.hash for piece in pieces) % 2**64


def test_what_is_not_served() -> None:
    random_4 = [RANDOM] * 4
    served = RuleSet.preset("mexican", players=4)
    assert accepts(served.record, random_4)
    assert accepts(served.record, [HEAVIEST, RANDOM, CAUTIOUS, HEAVIEST])
    assert not accepts(served.record, [PLANNER, *random_4[1:]])
    for options in ({"tile_set": "double-16"}, {"tile_set": "double-18"}, {"double_rule": "chicken_foot"}):
        rules = RuleSet.preset("mexican", players=4, **options)
        assert not accepts(rules.record, random_4)
        with pytest.raises(ValueError, match=r"accepts\(\)"):
            by_lockstep(rules, random_4, 1, 0, 1)


PROGRAM = """
import sys
from mextrain import RuleSet
from tests.lockstep.matches import by_lockstep
print(by_lockstep(RuleSet.preset("mexican", players=3, dead_double="binds"), [0, 1, 0], 5, 0, 40).hash)
"""


LESSER = {"x86-64": ("x86-64", "x86-64-v3"), "aarch64": ("generic", "cortex-a72")}


@pytest.mark.parametrize("processor", LESSER.get(architecture(), ()))
def test_lesser_processors(processor: str) -> None:
    """Vectors narrower than 32 lanes give the same bytes."""
    environment = {**os.environ, "NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": ""}
    found = limits.output_of([sys.executable, "-c", PROGRAM], env=environment)
    rules = RuleSet.preset("mexican", players=3, dead_double="binds")
    assert int(found) == by_scalar(rules, [RANDOM, HEAVIEST, RANDOM], 5, 0, 40).hash


def test_tile_counts_of_words() -> None:
    """The words of a boneyard have every tile of the set exactly once."""
    from mextrain_core.lockstep.deal import start_bit
    from mextrain_core.lockstep.layout import word_groups

    for highest in range(1, 16):
        groups = word_groups(highest + 1)
        rows = [(i, start_bit(high, group), high) for i, group in enumerate(groups) for high in group]
        bits = [(i, start + low) for i, start, high in rows for low in range(high + 1)]
        assert len(set(bits)) == len(bits) == len(TileSet(f"double-{highest}"))
        assert bits == sorted(bits)
        assert max(bit for _, bit in bits) < 16
