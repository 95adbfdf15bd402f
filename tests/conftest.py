"""What all tests share: Hypothesis profiles, and the rule that nothing skips itself where everything is installed."""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# The first call of a kernel compiles it, so no example has a deadline. The usual profile repeats itself exactly;
# `pytest --hypothesis-profile wide` looks further, at random.
settings.register_profile(
    "usual", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("wide", deadline=None, max_examples=2000, print_blob=True)
settings.load_profile("usual")


def _fail_if_skipped_for_want_of_a_library(report: Any) -> None:
    if report.skipped and "could not import" in str(report.longrepr) and os.environ.get("MEXTRAIN_REQUIRE_EXTRAS"):
        report.outcome = "failed"
        report.longrepr = f"an optional library is missing, and here all must be installed: {report.longrepr}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Generator[None, Any, Any]:
    """Turn a test's skip for want of a library into a failure where MEXTRAIN_REQUIRE_EXTRAS is set."""
    report = yield
    _fail_if_skipped_for_want_of_a_library(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: Any) -> Generator[None, Any, Any]:
    """The same for a whole file that skips itself."""
    report = yield
    _fail_if_skipped_for_want_of_a_library(report)
    return report
