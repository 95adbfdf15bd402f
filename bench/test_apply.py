"""Playing given moves: the turn without move generation and policy; the deal of each round is included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.conftest import size
from bench.kernels import first_engine, recorded, replay_all
from mextrain import RuleSet
from mextrain_core.model.state import new_states


def test_apply(rules: RuleSet, timed: Callable[..., Any]) -> None:
    games = size(50, 5_000)
    moves, counts = recorded(rules, games)
    states = new_states(1)
    over = timed(lambda: replay_all(states, rules.record, first_engine(rules), moves, counts), len(moves), "move")
    assert over == games
