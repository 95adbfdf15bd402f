"""Writing games to Parquet files and reading them back; the unit is a round."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from bench.conftest import RULES, size
from mextrain.archive import Job, write_archive


def play_into(folder: Path, job: Job) -> int:
    """Play the job into a new folder; returns the bytes written."""
    shutil.rmtree(folder, ignore_errors=True)
    return write_archive(folder, job).bytes


@pytest.mark.parametrize("name", ["mexican-4", "mexican-2", "super-4"])
def test_write(name: str, tmp_path: Path, timed: Callable[..., Any], benchmark: Any) -> None:
    rules = RULES[name]
    job = Job.create(rules, games=size(1000, 20_000), seed=1)
    rounds = job.games * rules.rounds
    size_of_all = timed(lambda: play_into(tmp_path / "out", job), rounds, "round")
    benchmark.extra_info["bytes per round"] = round(size_of_all / rounds, 1)


def test_read(tmp_path: Path, timed: Callable[..., Any]) -> None:
    rules = RULES["mexican-4"]
    job = Job.create(rules, games=size(1000, 20_000), seed=1)
    play_into(tmp_path / "out", job)
    rounds = job.games * rules.rounds
    assert timed(lambda: pyarrow.parquet.read_table(tmp_path / "out").num_rows, rounds, "round") == rounds
