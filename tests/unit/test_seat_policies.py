"""Policies in all forms: the same policy plays the same games in every form (docs/policies.md)."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from cffi import FFI
from numba import types

from mextrain import Batch, BatchPolicy, Decision, IllegalMove, Match, PolicyError, RuleSet, simulate
from mextrain.archive import Job
from mextrain.bulk.seat_policies import Seats
from mextrain.game import seeding
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


def at_random(rules: RuleSet, games: int, seats: tuple[int, ...]) -> list[list[int]]:
    """The moves of games 7 … of seed 3, round by round, by docs/determinism.md: `seats` get one-way words."""
    rounds = []
    for game in range(7, 7 + games):
        for position in Match(rules, seed=3, game=game):
            key, moves = seeding.round_key(3, game, position.engine), []
            while position.seat is not None:
                word_of = seeding.one_way_word if position.seat in seats else seeding.word
                word = word_of(key, seeding.FIRST_POLICY_WORD + position.attempts - 1)
                legal = position.legal_moves()
                move = legal[seeding.below(seeding.high(word), len(legal))]
                moves.append(move.code)
                position.play_unchecked(move)
            rounds.append(moves)
    return rounds


@pytest.mark.parametrize("rules", TABLES, ids=NAMES)
@pytest.mark.parametrize("form", FORMS)
def test_random_in_every_form_plays_the_same_bytes(rules: RuleSet, form: str) -> None:
    games = 1
    for seats, given in (
        (tuple(range(rules.players)), FORMS[form]),
        ((rules.players - 1,), ["random"] * (rules.players - 1) + [FORMS[form]]),
    ):
        found = simulate(rules, games=games, seed=3, first_game=7, policies=given, record_actions=True)
        rounds = [found.actions_of(game, number).tolist() for game in range(games) for number in range(rules.rounds)]
        assert rounds == at_random(rules, games, seats)


def key_of(word: int, attempt: int) -> int:
    """The round key from a plain word, by inverting the steps of `mix`."""
    mask = 2**64 - 1
    x = word ^ word >> 31 ^ word >> 62
    x = x * pow(0x94D049BB133111EB, -1, 2**64) & mask
    x = x ^ x >> 27 ^ x >> 54
    x = x * pow(0xBF58476D1CE4E5B9, -1, 2**64) & mask
    x = x ^ x >> 30 ^ x >> 60
    return x - (2**16 + attempt + 1) * 0x9E3779B97F4A7C15 & mask


words_seen: list[int] = []


def spy(decision: Decision) -> Any:
    words_seen.append(decision.word)
    return decision.legal[0]


def spies(batch: Batch) -> np.ndarray:
    words_seen.extend(batch.words.tolist())
    return batch.moves[batch.offsets[:-1]]


@ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64)
def compiled_spy(state: int, rules: int, word: int) -> int:
    words_seen.append(word)
    return int(compiled.ctypes(state, rules, word))


@pytest.mark.parametrize("form", [spy, BatchPolicy(spies), compiled_spy], ids=["plain", "batch", "compiled"])
def test_the_word_of_foreign_code_does_not_give_the_key_away(form: Any) -> None:
    """The attack that works on plain words, inverting `mix` and dealing all hands, fails on these."""
    key = seeding.round_key(3, 0, "12-12")
    assert [key_of(seeding.word(key, 2**16 + attempt), attempt) for attempt in range(200)] == [key] * 200
    words_seen.clear()
    simulate(MEXICAN.replace(rounds=1), games=1, seed=3, policies=form)
    assert len(words_seen) >= 50
    assert key not in {key_of(word, attempt) for word in words_seen for attempt in range(300)}
    assert set(words_seen) <= {seeding.one_way_word(key, 2**16 + attempt) for attempt in range(300)}


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
        ([None] * 4, "not a policy"),
        (6, "neither an id"),
        (-1, "neither an id"),
        (2**64, "neither an id"),
        (True, "not a policy"),
        ("no_such_module:policy", "cannot be imported"),
        ("json:nothing", "cannot be imported"),
        ("json:decoder", "not a policy"),
        ("clever" * 500, "3,000 characters"),
        (".x:y", "expected module:attribute"),
        ("." * 900 + ":y", "expected module:attribute"),
        ("a..b:y", "expected module:attribute"),
        ("json:", "expected module:attribute"),
        ("json:a.b", "expected module:attribute"),
        (":", "expected module:attribute"),
        ("\udcff:y", "expected module:attribute"),
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


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def first(decision:\n", "SyntaxError"),
        ("raise ValueError('two\\nlines')", "ValueError: two lines"),
        ("import sys; sys.exit('bye')", "SystemExit: bye"),
        ("import no_such_module", "No module named 'no_such_module'"),
        ("raise KeyError('x' * 10000)", "KeyError"),
    ],
)
def test_a_broken_module_is_one_line(source: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken_bot.py").write_text(source)
    with pytest.raises(PolicyError) as caught:
        Seats.of("broken_bot:first", 4)
    sys.modules.pop("broken_bot", None)
    text = str(caught.value)
    assert words in text
    assert "\n" not in text
    assert len(text) < 700


def policy_of(*types_of: Any) -> Any:
    """A compiled function of some signature, the result first."""
    return numba.cfunc(types_of[0](*types_of[1:]))({2: lambda a, b: 1, 3: lambda a, b, c: 1}[len(types_of) - 1])


STATES, RULE_SETS = types.CPointer(numba.from_dtype(STATE)), types.CPointer(numba.from_dtype(RULES))


@pytest.mark.parametrize(
    "types_of",
    [
        (types.int32, types.voidptr, types.uint64),
        (types.int32, types.voidptr, types.uint64, types.voidptr),
        (types.int32, types.voidptr, types.voidptr, types.uint32),
        (types.int64, types.voidptr, types.voidptr, types.uint64),
        (types.float64, types.voidptr, types.voidptr, types.uint64),
        (types.int32, RULE_SETS, STATES, types.uint64),
    ],
    ids=["two", "order", "narrow", "wide", "float", "swapped"],
)
def test_another_signature_is_refused_by_name(types_of: tuple[Any, ...]) -> None:
    policy = policy_of(*types_of)
    with pytest.raises(PolicyError, match=r"lambda.* has the signature .*: expected int32_t policy\("):
        Seats.of(policy, 4)
    if RULE_SETS not in types_of:  # ctypes does not say what a pointer points to.
        with pytest.raises(PolicyError, match="has the signature"):
            Seats.of(policy.ctypes, 4)


@pytest.mark.parametrize(
    "form", ["int32_t (*)(void *, uint64_t)", "double (*)(void *, void *, uint64_t)", "int32_t (*)(int, void *, long)"]
)
def test_another_signature_of_cffi_is_refused(form: str) -> None:
    with pytest.raises(PolicyError, match="has the signature"):
        Seats.of(FFI().cast(form, compiled.address), 4)


@pytest.mark.parametrize("value", [FFI().NULL, FFI().new("int *"), FFI().cast("int", 70000), compiled_spy.__class__()])
def test_what_is_not_a_function_pointer_is_refused(value: Any) -> None:
    with pytest.raises(PolicyError, match=r"null pointer|not a function pointer|not a policy"):
        Seats.of(value, 4)


@numba.cfunc(types.int32(types.voidptr, types.voidptr, types.uint64))
def raising(state, rules, word):  # type: ignore[no-untyped-def]
    if word % 64 == 3:
        raise ZeroDivisionError("of ours")
    return -7


@numba.cfunc(types.int32(types.voidptr, types.voidptr, types.uint64))
def giving_up(state, rules, word):  # type: ignore[no-untyped-def]
    return -1


POLICY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64)


def broken(state: int, rules: int, word: int) -> int:
    raise KeyError("of\nours")


@pytest.mark.parametrize("policies", ["one", "all"])
@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (POLICY(broken), r"raised KeyError: 'of\\nours'"),
        (FFI().callback("int32_t (void *, void *, uint64_t)", broken), r"raised KeyError: 'of\\nours'"),
        (giving_up, "giving_up of seat . failed"),
    ],
    ids=["ctypes", "cffi", "negative"],
)
def test_a_compiled_policy_that_fails_is_an_error(policy: Any, words: str, policies: str) -> None:
    """The result is not mistaken for the move 0, which is sometimes legal."""
    hook = sys.unraisablehook
    seats = policy if policies == "all" else ["random", "random", policy, "random"]
    for workers in (1, 2):
        with pytest.raises(PolicyError, match=words):
            simulate(MEXICAN, games=4, seed=1, policies=seats, workers=workers)
    assert sys.unraisablehook is hook


def test_a_compiled_policy_that_raises_is_an_error_even_where_0_is_legal() -> None:
    """Numba returns 0 after an exception; with the engine 0-0 that may be a legal move."""
    rules = RuleSet.mexican(players=2, tile_set="double-1", hand_size=1, first_engine="0-0")
    with pytest.raises(PolicyError, match=r"raising raised ZeroDivisionError: of ours|raising of seat . failed"):
        simulate(rules, games=200, seed=1, policies=raising)


FUNCTIONS = {
    "plain": plain,
    "batch": BatchPolicy(batched),
    "compiled": compiled,
    "address": compiled.address,
    "ctypes": compiled.ctypes,
}


@pytest.mark.parametrize("policy", FUNCTIONS.values(), ids=FUNCTIONS)
def test_an_archive_stores_names_that_say_where_to_find_a_policy(policy: Any) -> None:
    for seats in (policy, ["random", "heaviest", policy, 0]):
        with pytest.raises(PolicyError, match=r"cannot be stored.*module:attribute"):
            Job.create(MEXICAN, games=1, policies=seats)
    named = Job.create(MEXICAN, games=1, policies=["random", 1, 2, "json:loads"])
    assert named.policies == ("random", "heaviest", "cautious", "json:loads")
