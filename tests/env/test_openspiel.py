"""OpenSpiel: its own simulation tests, chance, returns, what players can tell apart, and CFR as a proof of the keys."""

from __future__ import annotations

import itertools
import math
import pickle
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspiel")

import pyspiel

import mextrain.env.openspiel as adapter
from mextrain import Layout, MextrainError, Position, RuleError, observe
from mextrain.hidden.observation import expand
from tests.reference import Rules
from tests.reference.stream import lay_first
from tests.reference.tiles import tiles_of

TINY = {"players": 2, "tile_set": "double-2", "hand_size": 1}
GAMES: dict[str, dict[str, Any]] = {
    "tiny": TINY,
    "sets": TINY | {"hand_size": 2, "deal": "sets"},
    "six": {"players": 3, "tile_set": "double-6", "hand_size": 4},
    "foot": {"players": 2, "tile_set": "double-6", "hand_size": 5, "options": '{"double_rule": "chicken_foot"}'},
    "fixed": TINY | {"options": '{"starter": 1}'},
    "holder": TINY | {"hand_size": 2, "options": '{"engine_from": "holder", "engine_hunt": "together"}'},
    "highest": TINY | {"hand_size": 2, "options": '{"engine_from": "highest"}'},
    "own": {"players": 3, "tile_set": "double-3", "hand_size": 2, "options": '{"engine_from": "own_highest"}'},
}


def load(name: str) -> Any:
    return pyspiel.load_game("python_mextrain", GAMES[name])


@pytest.mark.parametrize("name", GAMES)
def test_their_simulation_passes(name: str) -> None:
    pyspiel.random_sim_test(load(name), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("parameters", [{"players": 4}, {"preset": "super", "players": 3}], ids=["mexican", "super"])
def test_their_simulation_passes_with_whole_games(parameters: dict[str, Any]) -> None:
    game = pyspiel.load_game("python_mextrain", parameters)
    pyspiel.random_sim_test(game, num_sims=1, serialize=False, verbose=False)


def test_the_game_is_listed_once() -> None:
    assert "python_mextrain" in pyspiel.registered_names()


def play(state: Any, dice: random.Random, steps: int = 10**6) -> Any:
    """Play on at random."""
    for _ in range(steps):
        if state.is_terminal():
            break
        if state.is_chance_node():
            outcomes, odds = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(dice.choices(outcomes, odds)[0])
        else:
            state.apply_action(dice.choice(state.legal_actions()))
    return state


@pytest.mark.parametrize("name", GAMES)
def test_returns_are_the_points(name: str) -> None:
    for seed in range(4):
        state = play(load(name).new_initial_state(), random.Random(seed))
        points = state.position.points
        wanted = [(sum(points) - own) / (len(points) - 1) - own for own in points]
        assert state.returns() == pytest.approx(wanted)
        assert sum(state.returns()) == pytest.approx(0)
        assert state.position.end in ("out", "blocked")


def hands_after(state: Any) -> dict[tuple[tuple[int, ...], ...], Fraction]:
    """The probability of every deal, by hands as sets."""
    if state.position is not None:
        return {tuple(tuple(sorted(hand)) for hand in state._hands): Fraction(1)}
    found: dict[tuple[tuple[int, ...], ...], Fraction] = {}
    for action, odds in state.chance_outcomes():
        for hands, rest in hands_after(state.child(action)).items():
            found[hands] = found.get(hands, Fraction(0)) + Fraction(odds).limit_denominator(10**6) * rest
    return found


def test_both_ways_of_dealing_have_the_same_deals() -> None:
    """Two hands of two tiles from five: 30 deals, each with the same probability."""
    laws = []
    for deal in ("tiles", "sets"):
        state = pyspiel.load_game("python_mextrain", TINY | {"hand_size": 2, "deal": deal}).new_initial_state()
        state.apply_action(0)
        laws.append(hands_after(state))
    assert laws[0] == laws[1]
    assert len(laws[0]) == math.comb(5, 2) * math.comb(3, 2)
    assert set(laws[0].values()) == {Fraction(1, 30)}


def law_of_beginnings(state: Any) -> dict[tuple[object, ...], float]:
    """The probability of each engine, starter and hands (sorted), once the engine has been laid."""
    if state.position is not None:
        start = state.position.start
        return {(str(start.engine), start.starter, *(" ".join(sorted(map(str, h))) for h in start.hands)): 1.0}
    found: dict[tuple[object, ...], float] = {}
    for action, odds in state.chance_outcomes():
        for begun, rest in law_of_beginnings(state.child(action)).items():
            found[begun] = found.get(begun, 0.0) + odds * rest
    return found


@pytest.mark.parametrize("deal", ["tiles", "sets"])
@pytest.mark.parametrize("engine_from", ["highest", "own_highest"])
def test_the_engine_is_dealt_as_by_the_slow_program(engine_from: str, deal: str) -> None:
    """All orders of six tiles; seat 1 is asked first."""
    rules = Rules("mexican", 2, tile_set="double-2", hand_size=2, engine_from=engine_from)
    right: dict[tuple[object, ...], float] = {}
    for order in itertools.permutations(tiles_of("double-2")):
        engine, starter, hands, _ = lay_first(rules, list(order), 1)
        begun = (engine, starter, *(" ".join(sorted(hand)) for hand in hands))
        right[begun] = right.get(begun, 0.0) + 1 / math.factorial(6)
    parameters = TINY | {"hand_size": 2, "deal": deal, "options": f'{{"engine_from": "{engine_from}"}}'}
    state = pyspiel.load_game("python_mextrain", parameters).new_initial_state()
    state.apply_action(1)
    assert law_of_beginnings(state) == pytest.approx(right)


@pytest.mark.parametrize("name", GAMES)
def test_chance_adds_up(name: str) -> None:
    state, dice = load(name).new_initial_state(), random.Random(2)
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            assert sum(odds for _, odds in outcomes) == pytest.approx(1)
            texts = {state.action_to_string(action) for action, _ in outcomes}
            assert len(texts) == len(outcomes)
        play(state, dice, 1)


def test_players_see_what_they_see() -> None:
    """The observer's tensor has the bits of the layout by name, and its text is the line of that seat."""
    from open_spiel.python.observation import make_observation

    game = load("six")
    observer = make_observation(game)
    layout = Layout(adapter.Game(GAMES["six"]).shared.rules)
    assert list(observer.dict) == list(layout.slices)
    state = play(game.new_initial_state(), random.Random(4), 30)
    for player in range(3):
        observer.set_from(state, player)
        bits = expand(observe(state.position, player), layout.bits, np.float32)
        assert np.array_equal(observer.tensor, bits)
        assert np.array_equal(observer.dict["hand"], bits[layout.slices["hand"]])
        assert observer.string_from(state, player) == state.position.line(for_seat=player)


def test_worlds_that_a_player_cannot_tell_apart() -> None:
    game = load("six")
    for seed in range(5):
        state = play(game.new_initial_state(), random.Random(seed), 30)
        if state.is_terminal():
            continue
        for player in range(3):
            others = [state.resample_from_infostate(player, random.Random(k).random) for k in range(3)]
            for other in others:
                assert other.information_state_string(player) == state.information_state_string(player)
                assert play(other, random.Random(1)).is_terminal()
            assert not state.is_terminal()


def test_copies_are_apart() -> None:
    state = play(load("six").new_initial_state(), random.Random(1), 25)
    twin, text = state.clone(), str(state)
    assert twin._shared is state._shared
    play(twin, random.Random(2))
    assert str(state) == text
    assert isinstance(state.position, Position)
    game = load("six")
    assert str(game.deserialize_state(state.serialize())) == text
    assert pickle.loads(pickle.dumps(state._shared)).rules == state._shared.rules


def test_cfr_finds_a_better_strategy() -> None:
    """An independent proof of information states and returns: with wrong ones, exploitability would not fall."""
    from open_spiel.python.algorithms import cfr, exploitability

    game = pyspiel.load_game("python_mextrain", TINY | {"deal": "sets"})
    solver = cfr.CFRSolver(game)
    values = []
    for _ in range(4):
        solver.evaluate_and_update_policy()
        values.append(exploitability.nash_conv(game, solver.average_policy()))
    assert values[-1] < values[0] / 2
    assert values[-1] > 0


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"deal": "hands"}, MextrainError, "deal = 'hands'"),
        ({"options": "{"}, MextrainError, "options = '{'"),
        ({"options": "[1]"}, MextrainError, "options"),
        ({"players": 1}, RuleError, "players = 1"),
        ({"tile_set": "double-99"}, RuleError, "tile_set"),
    ],
)
def test_wrong_parameters_are_named(given: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        adapter.Game(given)
