"""The output of `ci/run`, with a script in place of make."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import limits
from tests.tidy.tree import ROOT

MAKE = """#!/usr/bin/env bash
case $1 in
    lint) seq 5000; echo a warning >&2 ;;
    types) seq 5000; exit 3 ;;
    tidy) echo 7 passed in 8 s ;;
esac
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "ci").mkdir()
    shutil.copy(ROOT / "ci" / "run", tmp_path / "ci")
    make = tmp_path / "bin" / "make"
    make.parent.mkdir()
    make.write_text(MAKE)
    make.chmod(0o755)
    return tmp_path


def run(tree: Path, *checks: str) -> tuple[int, list[str]]:
    """The exit status of `ci/run` for these checks, and the lines of its output."""
    path = os.pathsep.join([str(tree / "bin"), os.environ["PATH"]])
    done = limits.run([tree / "ci" / "run", *checks], stderr=subprocess.STDOUT, env={**os.environ, "PATH": path})
    return done.returncode, done.stdout.splitlines()


def test_the_last_line_is_that_of_the_last_lane(tree: Path) -> None:
    status, lines = run(tree, "lint", "tidy")
    assert status == 0
    assert lines[-1] == "7 passed in 8 s"


def test_a_lane_that_writes_much_is_cut_short(tree: Path) -> None:
    status, lines = run(tree, "lint", "tidy")
    assert status == 0
    assert 100 < len(lines) < 300
    assert "a warning" in lines
    log = (tree / ".cache" / "ci" / "lint.log").read_text().splitlines()
    assert len(log) == 5001


def test_a_lane_that_fails_ends_the_run_and_shows_its_end(tree: Path) -> None:
    status, lines = run(tree, "types", "tidy")
    assert status == 3
    assert lines[-2] == "5000"
    assert lines[-1].startswith("=== types: FAILED with status 3")
    assert "7 passed in 8 s" not in lines
    assert len(lines) < 600


def test_lanes_at_the_same_time(tree: Path) -> None:
    """Each shows the same output as alone, in the given order, and the last line is still that of the last check."""
    status, lines = run(tree, "lint,tidy", "tidy")
    assert status == 0
    heads = [line for line in lines if line.startswith("===")]
    assert heads[:2] == ["=== at the same time: lint tidy", "=== lint: make lint"]
    assert heads[3] == "=== tidy: make tidy"
    assert lines[-1] == "7 passed in 8 s"
    status, lines = run(tree, "lint,types,tidy", "lint")
    assert status == 3
    assert lines.count("7 passed in 8 s") == 1
    (failure,) = (line for line in lines if "FAILED" in line)
    assert failure.startswith("=== types: FAILED with status 3 after ")
    assert sum(line.startswith("=== lint") for line in lines) == 2


def test_an_unknown_lane(tree: Path) -> None:
    status, lines = run(tree, "lunch")
    assert status == 2
    assert lines[-1].startswith("ci/run: there is no check 'lunch'")
