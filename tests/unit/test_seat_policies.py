"""Policies in all forms: the same policy plays the same games in every form (docs/policies.md)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from cffi import FFI
from numba import types

from mextrain import Batch, BatchPolicy, Decision, IllegalMove, PolicyError, RuleSet, simulate
from mextrain.bulk.seat_policies import Seats
from mextrain_core.bulk import policies
from mextrain_core.model.rules import RULES
from mextrain_core.model.state import STATE
from tests import limits

MEXICAN = RuleSet.mexican(players=4)
TABLES = [MEXICAN, RuleSet.super(players=3), RuleSet.mexican(players=2, double_rule="chicken_foot", starter="winner")]
NAMES = [f"{rules.preset_name}-{rules.players}" for rules in TABLES]


@numba.cfunc(
    types.int32(types.CPointer(numba.from_dtype(STATE)), types.CPointer(numba.from_dtype(RULES)), types.uint64)
)
def compiled(state, rules, word):  # type: ignore[no-untyped-def]
    return policies.choose_random(numba.carray(state, 1)[0], numba.carray(rules, 1)[0], word)


def batched(batch: Batch) -> np.ndarray:
    return batch.random_moves()


def plain(decision: Decision) -> Any:
    return decision.legal[decision.random(len(decision.legal))]


FORMS = {
    "cfunc": compiled,
    "ctypes": compiled.ctypes,
    "address": compiled.address,
    "cffi": FFI().cast("int32_t (*)(void *, void *, uint64_t)", compiled.address),
    "batch": BatchPolicy(batched),
    "plain": plain,
}


@pytest.mark.parametrize("rules", TABLES, ids=NAMES)
@pytest.mark.parametrize("form", FORMS)
def test_random_in_every_form_plays_the_same_bytes(rules: RuleSet, form: str) -> None:
    games = 5 if form == "plain" else 40
    expected = simulate(rules, games=games, seed=3, first_game=7, record_actions=True)
    for seats in (FORMS[form], ["random"] * (rules.players - 1) + [FORMS[form]]):
        found = simulate(rules, games=games, seed=3, first_game=7, policies=seats, record_actions=True)
        assert found.hash == expected.hash
        assert np.array_equal(found.facts, expected.facts)
        assert np.array_equal(found.points, expected.points)
        assert np.array_equal(found.actions, expected.actions)


def test_an_id_is_as_good_as_a_name() -> None:
    assert Seats.of([0, "heaviest", 2, 1, 3], 5).names == ("random", "heaviest", "cautious", "heaviest", "planner")


@pytest.mark.parametrize("workers", [1, 3])
def test_games_do_not_depend_on_what_waits_beside_them(workers: int) -> None:
    whole = simulate(MEXICAN, games=40, seed=5, policies=BatchPolicy(batched), workers=workers)
    ranges = ((0, 33), (33, 7))
    parts = [simulate(MEXICAN, games=n, seed=5, first_game=k, policies=BatchPolicy(batched)) for k, n in ranges]
    assert np.array_equal(whole.points, np.concatenate([part.points for part in parts]))
    assert whole.hash == sum(part.hash for part in parts) % 2**64


def test_a_decision_shows_the_own_seat_and_nothing_else() -> None:
    rules, seen = RuleSet.super(players=3), []

    def look(decision: Decision) -> Any:
        view = decision.view
        assert len(decision.hand) == decision.hand_counts[decision.seat]
        assert view["key"] == 0
        assert not view["boneyard"].any()
        others = [seat for seat in range(rules.players) if seat != decision.seat]
        assert not view["hand"][others].any()
        assert not view["a_count"][others].any()
        assert decision.boneyard_size == 112 - 1 - view["plays"] - sum(decision.hand_counts)
        seen.append(str(decision.hand[0]))
        return str(rules.actions.text(decision.legal[0]))

    assert simulate(rules, games=2, seed=1, policies=look).policies == ("look",) * 3
    assert len(seen) > 100


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (0x3FFE, IllegalMove, "0x3ffe in round 0 of game 0"),
        (-1, PolicyError, "-1"),
        (1.5, PolicyError, "1.5"),
        (True, PolicyError, "True"),
        (None, PolicyError, "none"),
        ("12-13@0", ValueError, "12-13@0"),
    ],
)
def test_a_wrong_answer_is_named(answer: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        simulate(MEXICAN, games=1, policies=lambda decision: answer)


@pytest.mark.parametrize("answer", [np.zeros(3, np.uint16), np.zeros(1), np.full(1, 70000), [0x3FFE]])
def test_a_wrong_batch_is_named(answer: Any) -> None:
    with pytest.raises((PolicyError, IllegalMove)):
        simulate(MEXICAN, games=1, policies=BatchPolicy(lambda batch: answer))


@pytest.mark.parametrize(
    ("policies", "words"),
    [
        ("clever", "clever"),
        (["random"] * 3, "3 policies for 4 players"),
        ([None] * 4, "no policy"),
        (4, "neither an id"),
        (-1, "neither an id"),
        (2**64, "neither an id"),
        (True, "no policy"),
        ("no_such_module:policy", "cannot be imported"),
        ("json:nothing", "cannot be imported"),
        ("json:decoder", "no policy"),
    ],
)
def test_what_is_no_policy_is_refused(policies: Any, words: str) -> None:
    with pytest.raises(PolicyError, match=words):
        Seats.of(policies, 4)


def test_the_command_line_takes_a_policy_from_a_module(tmp_path: Path) -> None:
    (tmp_path / "mybots.py").write_text("def first(decision):\n    return decision.legal[0]\n")
    command = [sys.executable, "-m", "mextrain", "stats", "--players", "4", "--games", "2", "--seed", "1"]
    command += ["--policy", "mybots:first,random,random,heaviest"]
    assert "mybots:first" in limits.output_of(command, cwd=tmp_path)


