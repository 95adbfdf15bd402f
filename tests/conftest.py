"""Shared by all tests: Hypothesis profiles, time limits that scale with the load, robust failure reports, and the rule
that no test is skipped if everything is installed.
"""

from __future__ import annotations

import gc
import os
import signal
import threading
import traceback
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import pytest_timeout
from hypothesis import HealthCheck, settings

from tests.limits import patience

# The first call of a kernel compiles it, so examples have no deadline. The default profile is reproducible; `pytest
# --hypothesis-profile wide` tests more, random examples.
settings.register_profile(
    "usual", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("wide", deadline=None, max_examples=2000, print_blob=True)
settings.load_profile("usual")


def _fail_if_skipped_for_want_of_a_library(report: Any) -> None:
    if report.skipped and "could not import" in str(report.longrepr) and os.environ.get("MEXTRAIN_REQUIRE_EXTRAS"):
        report.outcome = "failed"
        report.longrepr = f"an optional library is missing, and here all must be installed: {report.longrepr}"


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Python 3.11 up to 3.11.7 counts the depth of all syntax trees that are being built in one place.

    Building one allocates memory, which may start the garbage collector, which may run code that builds another one;
    then the first one ends in `SystemError: AST constructor recursion depth mismatch`. In a report of pytest that would
    end the whole run.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Generator[None, Any, Any]:
    """Always make a report; if MEXTRAIN_REQUIRE_EXTRAS is set, a skip because of a missing library is a failure.

    An error while pytest describes a failure becomes part of the failure, so the other tests still run.
    """
    try:
        with _no_garbage_collection():
            report = yield
    except Exception:
        text = f"{call.excinfo.typename}\n\npytest could not describe this failure:\n{traceback.format_exc()}"
        report = pytest.TestReport(
            item.nodeid, item.location, dict.fromkeys(item.keywords, 1), "failed", text, call.when,
            duration=call.duration, start=call.start, stop=call.stop,
        )
    _fail_if_skipped_for_want_of_a_library(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: Any) -> Generator[None, Any, Any]:
    """The same for a file that is skipped as a whole."""
    with _no_garbage_collection():
        report = yield
    _fail_if_skipped_for_want_of_a_library(report)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_timeout_set_timer(item: Any, settings: Any) -> bool | None:
    """Before the time limit ends a test, check whether the machine has had time for it (tests/limits.py)."""
    if settings.method != "signal" or threading.current_thread() is not threading.main_thread():
        return None
    waits = patience(settings.timeout)

    def alarm(*_: Any) -> None:
        if seconds := next(waits, None):
            signal.setitimer(signal.ITIMER_REAL, seconds)
        else:
            pytest_timeout.timeout_sigalrm(item, settings)

    def cancel() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)

    item.cancel_timeout = cancel
    signal.signal(signal.SIGALRM, alarm)
    alarm()
    return True
