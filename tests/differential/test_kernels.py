"""The specialised kernels for usual rules compared with the general one: equal bytes.

``MEXTRAIN_DIFFERENTIAL_ROUNDS`` sets how many rule sets are tried.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from mextrain import RuleError, RuleSet, TileSet
from mextrain_core.bulk import rollout
from mextrain_core.bulk.policies import CAUTIOUS, COUNTING, HEAVIEST, RANDOM
from mextrain_core.compact.intrinsics import supported
from mextrain_core.game.deal import deal
from mextrain_core.game.movegen import legal_moves
from mextrain_core.game.turn import advance, play_unchecked
from mextrain_core.model.limits import NONE
from mextrain_core.model.rules import VARIED
from mextrain_core.model.state import PHASE_DECIDE, new_states
from tests.reference.options import CHOICES
from tests.strategies import GAMES, SEEDS

PRINTED = ("tournament", "puremco", "cardinal", "pagat", "pressman")
MIX = (COUNTING, CAUTIOUS, RANDOM, HEAVIEST)
EXAMPLES = int(os.environ.get("MEXTRAIN_DIFFERENTIAL_ROUNDS", "60"))

pytestmark = pytest.mark.skipif(not supported(), reason="no compact states are compiled for this machine")


@st.composite
def usual_rules(draw: Any) -> RuleSet:
    """Rules with a specialised kernel: the options that the presets share are fixed, all others vary."""
    preset = draw(st.sampled_from(("mexican", "super")))
    highest = draw(st.integers(2, 15))
    tile_set = "super" if preset == "super" else f"double-{highest}"
    size = len(TileSet(tile_set))
    players = draw(st.integers(2, min(14, size - 1)))
    most = (size - 1) // players
    options: dict[str, Any] = {
        "players": players,
        "tile_set": tile_set,
        "hand_size": draw(st.one_of(st.just(most), st.integers(1, most), st.integers(1, min(most, 3)))),
        "opening": draw(st.sampled_from(("chain", "single"))),
        "starter": draw(st.sampled_from(("draw", "rotate", "winner", 0, players - 1))),
        "double_blank": draw(st.sampled_from((0, 25, 10**9))),
    }
    if preset == "super":
        options["max_uncovered"] = draw(st.sampled_from((None, 1)))
    return RuleSet.preset(preset, **options)


def played(
    kernel: Any, rules: RuleSet, seed: int, first_game: int, games: int, room: int, mixed: int = 0
) -> tuple[Any, ...]:
    """What a kernel returns and writes; ``mixed`` shifts policies along the seats, 0: all choose at random."""
    points = np.zeros((games, rules.rounds, rules.players), np.int64)
    facts = np.zeros((games, rules.rounds, len(rollout.ROUND_FIELDS)), np.int32)
    actions = np.zeros(room, np.uint16)
    policies = np.full(rules.players, RANDOM, np.uint8)
    if mixed:
        policies[:] = [MIX[(seat + mixed) % len(MIX)] for seat in range(rules.players)]
    numbers = np.uint64(seed), np.uint64(first_game), games
    total, moves = kernel(new_states(1), 0, rules.record, policies, *numbers, points, facts, actions)
    return int(total), int(moves), points.tolist(), facts.tolist(), actions.tolist()


@st.composite
def printed_rules(draw: Any) -> RuleSet:
    """Rules with number sets and without chicken feet, in which the options vary that printed rule sets vary."""
    names = [name for name in (*VARIED, "opening", "max_uncovered") if name != "together"]
    options = {name: draw(st.sampled_from(CHOICES[name])) for name in names if draw(st.booleans())}
    assume(options.get("double_rule") != "chicken_foot")
    try:
        return RuleSet.preset(draw(st.sampled_from(PRINTED)), players=draw(st.integers(2, 8)), rounds=2, **options)
    except RuleError:
        reject()


@settings(max_examples=EXAMPLES)
@given(printed_rules(), SEEDS, GAMES, st.sampled_from((0, 100, 10_000)))
def test_printed_rules_give_the_same_bytes(rules: RuleSet, seed: int, game: int, room: int) -> None:
    ours = played(rollout.play_printed, rules, seed, game, 2, room)
    assert ours == played(rollout.play_any, rules, seed, game, 2, room)


@settings(max_examples=EXAMPLES)
@given(usual_rules(), SEEDS, GAMES.map(lambda game: min(game, 2**59 - 9)), st.sampled_from((0, 100, 10_000)))
def test_same_bytes(rules: RuleSet, seed: int, first_game: int, room: int) -> None:
    kernel = rollout.games_kernel(rules.record, [RANDOM] * rules.players)
    assert kernel is not rollout.play_any
    games = 3
    ours = played(rollout.play_games, rules, seed, first_game, games, room)
    assert ours == played(rollout.play_any, rules, seed, first_game, games, room)


@settings(max_examples=EXAMPLES)
@given(usual_rules(), SEEDS, st.integers(1, len(MIX)))
def test_same_bytes_with_policies(rules: RuleSet, seed: int, mixed: int) -> None:
    general = played(rollout.play_any, rules, seed, 0, 2, 5_000, mixed)
    assert general == played(rollout.play_games, rules, seed, 0, 2, 5_000, mixed)


@settings(max_examples=max(3, EXAMPLES // 10))
@given(usual_rules(), SEEDS, GAMES, st.integers(0, 40), st.booleans())
def test_same_copies(rules: RuleSet, seed: int, game: int, plays: int, random: bool) -> None:
    """Rounds that are played on from the middle, each with a key of its own."""
    states, moves = new_states(1), np.zeros(rules.actions.count, np.uint16)
    deal(states, 0, rules.record, *map(np.uint64, (seed, game, rules.tiles.half_code(rules.engines[0].high), NONE)))
    advance(states, 0, rules.record, None)
    while states[0].phase == PHASE_DECIDE and states[0].plays < plays:
        count = legal_moves(states, 0, rules.record, moves)
        play_unchecked(states, 0, rules.record, None, np.uint64(moves[plays % count]))
    before = states.tobytes()
    policies, origins = np.full(rules.players, RANDOM if random else COUNTING, np.uint8), np.zeros(20, np.uint32)
    keys = np.arange(20, dtype=np.uint64) + np.uint64(seed >> 1)
    found = []
    for kernel in (rollout.play_copies, rollout.COPIES_KERNELS[rollout.ALL_RULES, False]):
        points, facts = np.zeros((20, rules.players), np.int64), np.zeros((20, 7), np.int32)
        total = kernel(states, rules.record, policies, origins, keys, new_states(1), points, facts)
        found.append((int(total), points.tolist(), facts.tolist()))
    assert found[0] == found[1]
    assert states.tobytes() == before


USUAL = [
    (RuleSet.mexican(2), "play_plain_small"),
    (RuleSet.mexican(3, tile_set="double-10"), "play_plain"),
    (RuleSet.mexican(7), "play_plain"),
    (RuleSet.mexican(8), "play_plain_wide"),
    (RuleSet.mexican(4, tile_set="double-15"), "play_plain_wide"),
    (RuleSet.mexican(5, opening="single", double_blank=50, starter="winner", hand_size=3), "play_plain"),
    (RuleSet.mexican(13), "play_printed"),
    (RuleSet.mexican(4, max_uncovered=1), "play_printed"),
    (RuleSet.mexican(4, drawn_play="may"), "play_printed"),
    *((RuleSet.preset(name, players=4), "play_printed") for name in PRINTED),
    (RuleSet.super(7), "play_super"),
    (RuleSet.super(8), "play_super_wide"),
    (RuleSet.super(4, max_uncovered=None, opening="chain"), "play_super"),
]
OTHERS = [
    RuleSet.mexican(4, double_rule="chicken_foot"),
    RuleSet.mexican(4, drawn_tile="own_train"),
    RuleSet.super(4, letter_match="anywhere"),
    RuleSet.super(4, dead_double="binds"),
]


def label(value: RuleSet | str) -> str:
    """A test id that is the same in every process."""
    return value if isinstance(value, str) else " ".join(f"{name}={it}" for name, it in value.to_dict().items())


@pytest.mark.parametrize(("rules", "kernel"), USUAL, ids=label)
def test_usual_rules_have_a_kernel_of_their_own(rules: RuleSet, kernel: str) -> None:
    assert rollout.games_kernel(rules.record, [RANDOM] * rules.players) is getattr(rollout, kernel)


@pytest.mark.parametrize("rules", OTHERS, ids=label)
def test_all_others_are_played_by_the_general_one(rules: RuleSet) -> None:
    assert rollout.games_kernel(rules.record, [RANDOM] * rules.players) is rollout.play_any


@pytest.mark.parametrize(("rules", "kernel"), [(RuleSet.mexican(4), "plain"), (RuleSet.super(8), "super")], ids=label)
def test_usual_rules_have_a_kernel_for_other_policies(rules: RuleSet, kernel: str) -> None:
    policies = [RANDOM] * (rules.players - 1) + [CAUTIOUS]
    assert rollout.games_kernel(rules.record, policies) is getattr(rollout, f"play_{kernel}_policies")
    assert rollout.games_kernel(OTHERS[0].record, [RANDOM, RANDOM, CAUTIOUS, RANDOM]) is rollout.play_any
