"""Searches on games that can be solved: how much can they be exploited? The larger games are for `python -m
tests.search.exact`; docs/search.md has their table."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from tests.search.exact import Tree, searching, two_players

GAMES = {
    "chain": (310, 134, 54, 1.186111, 0.836111, 1.766667),
    "single": (196, 74, 18, 0.111111, 0.511111, 0.533333),
}
"""Double-2 with hands of 2, by opening: histories, information sets, those with a choice, nash_conv and value of the
uniform policy, value of the game."""


@cache
def game(opening: str) -> Tree:
    return Tree(two_players("double-2", 2, opening))


@pytest.mark.parametrize("opening", GAMES)
def test_the_trees_are_those_of_the_rules(opening: str) -> None:
    tree = game(opening)
    histories, sets, choices, conv, value, _ = GAMES[opening]
    assert len(tree.kind) == histories
    assert len(tree.moves) == sets
    assert sum(len(moves) > 1 for moves in tree.moves) == choices
    assert tree.nash_conv(tree.uniform()) == pytest.approx(conv, abs=1e-6)
    assert tree.expected(tree.uniform()) == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("opening", GAMES)
def test_an_equilibrium_cannot_be_exploited(opening: str) -> None:
    tree = game(opening)
    policy = tree.equilibrium(100)
    assert 0 <= tree.nash_conv(policy) < 0.01
    assert tree.expected(policy) == pytest.approx(GAMES[opening][5], abs=0.01)


@pytest.mark.parametrize("name", ["flat:32", "flat:300", "tree:100", "tree:1000"])
@pytest.mark.parametrize("opening", GAMES)
def test_searches_are_exact_where_nearly_everything_is_forced(opening: str, name: str) -> None:
    tree = game(opening)
    policy, asked = tree.of_search(searching(name))
    assert asked > 5
    assert tree.nash_conv(policy) == pytest.approx(0, abs=1e-9)
    assert tree.expected(policy) == pytest.approx(GAMES[opening][5], abs=1e-6)


@pytest.mark.parametrize("name", ["uniform", "last move", "flat:32"])
@pytest.mark.parametrize("opening", GAMES)
def test_openspiel_agrees(opening: str, name: str) -> None:
    """A second opinion on the trees, the information sets and the best responses: all of it is other code."""
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python import policy as policies
    from open_spiel.python.algorithms import exploitability

    import mextrain.env.openspiel

    choose = {"uniform": None, "last move": lambda position: position.legal_moves()[-1]}.get(name, searching(name))
    tree = game(opening)
    ours = tree.uniform() if choose is None else tree.of_search(choose)[0]

    class Chosen(policies.Policy):  # type: ignore[misc]
        def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
            legal = state.legal_actions()
            best = None if choose is None else state.position.rules.actions.id(choose(state.position))
            return {action: 1 / len(legal) if best is None else float(action == best) for action in legal}

    options = json.dumps({"starter": 0, "opening": opening})
    asked = {"players": 2, "tile_set": "double-2", "hand_size": 2, "options": options, "deal": "sets"}
    theirs = pyspiel.load_game(mextrain.env.openspiel.NAME, asked)
    chosen = Chosen(theirs, [0, 1])
    assert exploitability.nash_conv(theirs, chosen) == pytest.approx(tree.nash_conv(ours), abs=1e-9)
