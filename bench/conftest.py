"""Sizes of the benchmarks, and the rules that they use."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from mextrain import RuleSet

# Reports and time limits are those of the tests.
from tests.conftest import pytest_make_collect_report, pytest_runtest_makereport, pytest_timeout_set_timer  # noqa: F401

FULL = os.environ.get("MEXTRAIN_BENCH") == "full"
"""Without it all sizes are small, so that the suite is a smoke test of a few seconds."""

RULES = {
    "mexican-4": RuleSet.mexican(4),
    "mexican-2": RuleSet.mexican(2),
    "mexican-8": RuleSet.mexican(8),
    "mexican-14": RuleSet.mexican(14),
    "super-4": RuleSet.super(4),
    "chicken-foot-4": RuleSet.mexican(4, double_rule="chicken_foot"),
}
"""The rule sets that are measured, by name."""


@pytest.fixture(params=RULES)
def rules(request: pytest.FixtureRequest) -> RuleSet:
    """Each of `RULES` in turn."""
    return RULES[request.param]


def size(smoke: int, full: int) -> int:
    """The amount of work in a round of a benchmark."""
    return full if FULL else smoke


@pytest.fixture
def timed(benchmark: Any) -> Callable[..., Any]:
    """Return `timed(function, units)`, which times `function()` and reports nanoseconds for each of its `units`.

    The first call, which may compile, is not timed.
    """

    def run(function: Callable[[], Any], units: int, unit: str) -> Any:
        result = benchmark.pedantic(function, rounds=20 if FULL else 3, iterations=1, warmup_rounds=1)
        if benchmark.stats is not None:
            benchmark.extra_info[f"ns per {unit}"] = round(benchmark.stats.stats.min / units * 1e9, 2)
            benchmark.extra_info[f"{unit}s a call"] = units
        return result

    return run

