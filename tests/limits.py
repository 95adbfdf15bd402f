"""Time limits that also hold on a busy machine.

Limits for processes that hang (`patience`, `run`, `communicate`) are wall time; when the time is up, the load decides
whether the machine has had time for the work. Limits for slow code count processor time (`ChildrenTime`).
`tests/tidy/test_limits.py` forbids clocks and sleep in all other tests.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from typing import Any

HANGS = 300.0
"""Seconds on an idle machine after which a process is considered hung: many times what the slowest one needs."""


def processors() -> int:
    """Number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def crowd() -> float:
    """Number of running programs per processor: 1 on an idle machine."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    return max(1.0, workers / processors(), max(os.getloadavg()) / processors(), _wait_for_a_processor())


def _wait_for_a_processor(sample: float = 0.01) -> float:
    """Wall seconds per second of work at this moment; unlike load averages this includes effects such as a quota."""
    began, used = time.perf_counter(), time.thread_time()
    while time.thread_time() < used + sample:
        pass
    return (time.perf_counter() - began) / sample


def patience(seconds: float) -> Iterator[float]:
    """Yield times to wait: first `seconds`, then extra time due to the load meanwhile, until that is used up."""
    began = time.monotonic()
    left = seconds
    while left > 0:
        yield left
        left = seconds * crowd() - (time.monotonic() - began)


def communicate(process: subprocess.Popen[Any], stdin: str | None = None) -> tuple[Any, Any]:
    """Return what a process writes until it ends; one that hangs is killed, and `subprocess.TimeoutExpired` raised."""
    hung: BaseException
    try:
        for seconds in patience(HANGS):
            try:
                return process.communicate(stdin, timeout=seconds)
            except subprocess.TimeoutExpired as expired:
                hung, stdin = expired, None
        raise hung
    except BaseException:
        # Also if the test ends in another way: no process that it started goes on.
        process.kill()
        process.wait()
        raise


def run(command: list[Any] | str, stdin: str | None = None, **options: Any) -> subprocess.CompletedProcess[Any]:
    """Run a command to its end like `subprocess.run`; its output is captured as text unless `options` say otherwise.

    `stdin` is the text of standard input, which is empty by default.
    """
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
    source = subprocess.DEVNULL if stdin is None else subprocess.PIPE
    with subprocess.Popen(command, stdin=source, **options) as process:
        out, err = communicate(process, stdin)
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def output_of(command: list[Any], **options: Any) -> str:
    """The standard output of a command, which must succeed."""
    done = run(command, **options)
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


class ChildrenTime:
    """Processor seconds of the child processes that have ended since."""

    def __init__(self) -> None:
        self._began = self._total()

    def seconds(self) -> float:
        return self._total() - self._began

    @staticmethod
    def _total() -> float:
        times = os.times()
        return times.children_user + times.children_system
