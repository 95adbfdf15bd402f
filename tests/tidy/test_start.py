"""What a start costs: nothing is imported before it is needed."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

HEAVY = ("numba", "llvmlite", "pyarrow", "cffi", "rich", "matplotlib", "gymnasium", "pettingzoo", "pyspiel", "ray")
BUDGET = 1.5
"""Seconds for `mextrain --help`: it takes a tenth of that on an idle machine, and tests run on busy ones."""


def modules_after(code: str) -> set[str]:
    """The top-level modules that a fresh process has imported after `code`."""
    program = f"{code}\nimport sys; print('modules:', *sys.modules, file=sys.__stdout__)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    return {name.partition(".")[0] for name in done.stdout.rpartition("modules:")[2].split()}


HELP = "import mextrain.cli\ntry:\n    mextrain.cli.main({argv})\nexcept SystemExit as end:\n    assert not end.code"


@pytest.mark.parametrize(
    ("code", "more"),
    [
        ("import mextrain", ("numpy",)),
        (HELP.format(argv=["--help"]), ("numpy",)),
        (HELP.format(argv=["--version"]), ("numpy",)),
        (HELP.format(argv=["rules", "--help"]), ("numpy",)),
        (HELP.format(argv=["rules", "--rules", "super"]), ()),
        ("import mextrain\nmextrain.RuleSet.mexican(4).record", ()),
    ],
    ids=["import", "help", "version", "rules --help", "rules", "RuleSet"],
)
def test_nothing_heavy_is_imported_too_early(code: str, more: tuple[str, ...]) -> None:
    assert modules_after(code) & {*HEAVY, *more} == set()


def test_help_answers_at_once() -> None:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        done = subprocess.run([sys.executable, "-m", "mextrain", "--help"], capture_output=True, text=True, timeout=60)
        times.append(time.perf_counter() - start)
        assert done.returncode == 0
        assert done.stdout.startswith("usage: mextrain")
    assert min(times) < BUDGET
