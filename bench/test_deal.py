"""Dealing a round: hands, boneyard and starter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.conftest import size
from bench.kernels import deal_all, first_engine
from mextrain import RuleSet
from mextrain_core.model.state import new_states


def test_deal(rules: RuleSet, timed: Callable[..., Any]) -> None:
    states = new_states(1)
    games = size(5_000, 200_000)
    timed(lambda: deal_all(states, rules.record, first_engine(rules), games), games, "deal")
    assert states[0].hand_count[: rules.players].tolist() == [rules.hand_size] * rules.players
