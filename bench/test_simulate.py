"""Bulk play as users call it: threads and statistics; the unit is a round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bench.conftest import RULES, size
from mextrain import simulate
from mextrain._support.processors import usable_processors

RULE_SET = RULES["mexican-4"]


@pytest.mark.parametrize("workers", sorted({1, usable_processors()}))
def test_simulate(workers: int, timed: Callable[..., Any]) -> None:
    games = size(500, 20_000)
    played = timed(lambda: simulate(RULE_SET, games=games, seed=1, workers=workers), games * RULE_SET.rounds, "round")
    assert played.games == games


def test_summary(timed: Callable[..., Any]) -> None:
    played = simulate(RULE_SET, games=size(2000, 20_000), seed=1)
    summary = timed(played.summary, played.games * played.rounds, "round")
    assert summary.games == played.games
