"""How long things may take, counted so that it holds on a busy machine.

A limit that finds what hangs (`patience`, `run`, `communicate`) is wall time, but when it has run out the load decides
whether the machine has had time for the work. A limit that finds what is slow counts processor time (`ChildrenTime`).
`tests/tidy/test_limits.py` keeps clocks and sleep out of all other tests.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from typing import Any

HANGS = 300.0
"""Seconds on a quiet machine after which a process hangs: many times what the slowest one needs."""


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def crowd() -> float:
    """How many programs want each processor: 1 on a quiet machine."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    return max(1.0, workers / processors(), max(os.getloadavg()) / processors(), _wait_for_a_processor())


def _wait_for_a_processor(sample: float = 0.01) -> float:
    """Wall seconds for each second of work, just now: this sees what load averages do not, such as a quota."""
    began, used = time.perf_counter(), time.thread_time()
    while time.thread_time() < used + sample:
        pass
    return (time.perf_counter() - began) / sample


def patience(seconds: float) -> Iterator[float]:
    """Yield how long to wait: first `seconds`, then what the load of the meantime adds, until that is used up too."""
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
        # Also when this test ends otherwise: nothing that it started goes on.
        process.kill()
        process.wait()
        raise


def run(command: list[Any] | str, stdin: str | None = None, **options: Any) -> subprocess.CompletedProcess[Any]:
    """Run a command to its end as `subprocess.run` does; its output is captured as text unless `options` say else.

    `stdin` is text that the command reads; without it there is nothing to read.
    """
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
    source = subprocess.DEVNULL if stdin is None else subprocess.PIPE
    with subprocess.Popen(command, stdin=source, **options) as process:
        out, err = communicate(process, stdin)
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def output_of(command: list[Any], **options: Any) -> str:
    """What a command that must succeed writes to stdout."""
    done = run(command, **options)
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


class ChildrenTime:
    """Processor seconds of the processes that this one has started and that have ended since."""

    def __init__(self) -> None:
        self._began = self._total()

    def seconds(self) -> float:
        return self._total() - self._began

    @staticmethod
    def _total() -> float:
        times = os.times()
        return times.children_user + times.children_system
