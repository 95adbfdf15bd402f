"""Archives: writing, reading, verifying and replaying (a round is the unit), and decisions for learners."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from bench.conftest import RULES, size
from mextrain.archive import Job, check_archive, verify_archive, write_archive
from mextrain.dataset import DecisionDataset

NAMES = ("mexican-4", "mexican-2", "super-4")


@pytest.fixture(params=NAMES)
def job(request: pytest.FixtureRequest) -> Job:
    return Job.create(RULES[request.param], games=size(200, 20_000), seed=1)


@pytest.fixture
def archive(job: Job, tmp_path: Path) -> Path:
    write_archive(tmp_path / "archive", job)
    return tmp_path / "archive"


def test_write(job: Job, tmp_path: Path, timed: Callable[..., Any], benchmark: Any) -> None:
    def write() -> int:
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        return write_archive(tmp_path / "out", job).bytes

    size_of_all = timed(write, job.games * job.rules.rounds, "round")
    benchmark.extra_info["bytes per round"] = round(size_of_all / (job.games * job.rules.rounds), 1)


def test_read(job: Job, archive: Path, timed: Callable[..., Any]) -> None:
    rounds = job.games * job.rules.rounds
    assert timed(lambda: pyarrow.parquet.read_table(archive).num_rows, rounds, "round") == rounds


def test_verify(job: Job, archive: Path, timed: Callable[..., Any]) -> None:
    assert timed(lambda: verify_archive(archive), job.games * job.rules.rounds, "round") == []


def test_check(job: Job, archive: Path, timed: Callable[..., Any]) -> None:
    rounds = job.games * job.rules.rounds
    assert timed(lambda: check_archive(archive), rounds, "round").rounds == rounds


@pytest.mark.parametrize("shuffle", [True, False], ids=["shuffled", "in order"])
def test_decisions(job: Job, archive: Path, shuffle: bool, timed: Callable[..., Any]) -> None:
    dataset = DecisionDataset(archive, shuffle=shuffle)
    decisions = check_archive(archive).actions
    assert timed(lambda: sum(map(len, dataset)), decisions, "decision") == decisions
