"""The cost of starting: nothing is imported before it is needed."""

from __future__ import annotations

import sys

import pytest

from tests import limits

HEAVY = (
    "numba", "llvmlite", "pyarrow", "cffi", "rich", "matplotlib", "gymnasium", "pettingzoo", "pyspiel", "ray", "scipy",
)  # fmt: skip
BUDGET = 1.5
"""Processor seconds for `mextrain --help`: many times what it needs, because other programs share the caches."""


def modules_after(code: str) -> set[str]:
    """The top-level modules that a fresh process has imported after `code`."""
    program = f"{code}\nimport sys; print('modules:', *sys.modules, file=sys.__stdout__)"
    text = limits.output_of([sys.executable, "-c", program])
    return {name.partition(".")[0] for name in text.rpartition("modules:")[2].split()}


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
        used = limits.ChildrenTime()
        assert limits.output_of([sys.executable, "-m", "mextrain", "--help"]).startswith("usage: mextrain")
        times.append(used.seconds())
    assert min(times) < BUDGET
