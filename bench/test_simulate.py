"""Bulk play as users call it: threads, statistics, and the archive; the unit is a round."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.conftest import RULES, size
from mextrain.archive import Job, write_archive
from mextrain.processors import usable_processors
from mextrain.simulation import simulate

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


@pytest.mark.parametrize("name", ["mexican-4", "mexican-2", "super-4"])
def test_archive(name: str, tmp_path: Path, timed: Callable[..., Any], benchmark: Any) -> None:
    rules = RULES[name]
    job = Job.create(rules, games=size(1000, 20_000), seed=1)

    def write() -> int:
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        return write_archive(tmp_path / "out", job).bytes

    size_of_all = timed(write, job.games * rules.rounds, "round")
    benchmark.extra_info["bytes per round"] = round(size_of_all / (job.games * rules.rounds), 1)
