"""Searches on games that can be solved: how much can they be exploited? The larger games are for `python -m
tests.search.exact`; docs/search.md has their table."""

from __future__ import annotations

from functools import cache

import pytest

from tests.search.exact import Tree, searching, two_players

GAMES = {
    "chain": (310, 134, 54, 1.186111, 0.836111, 1.766667),
    "single": (196, 74, 18, 0.111111, 0.511111, 0.533333),
}
"""Double-2 with hands of 2, by opening: histories, information sets, those with a choice, nash_conv and value of the
uniform policy, value of the game. OpenSpiel gives the same nash_conv for the first."""


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
