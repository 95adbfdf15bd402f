"""The speed of two fixed programs on this machine, now, to tell a slow backend from a slow machine."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from mextrain_core.compiler.yardsticks import branchy, wide


def branchy_seconds(steps: int = 200_000) -> float:
    """CPU seconds of a step of `branchy`."""
    rows, ends = np.full(64, 0x0A5, np.uint64), np.arange(5, dtype=np.uint64)
    return _seconds(lambda: branchy(rows, ends, steps), steps)


def wide_seconds(steps: int = 200_000) -> float:
    """CPU seconds of a step of `wide`."""
    room = np.zeros(24 * 32 + 8, np.uint64)
    # A vector across two cache lines takes longer, and NumPy's memory can start anywhere.
    start = -room.ctypes.data % 64 // 8
    block = room[start : start + 24 * 32].reshape(24, 32)
    block[:] = np.random.default_rng(1).integers(0, 2**64, block.shape, np.uint64)
    return _seconds(lambda: wide(block, steps), steps)


def _seconds(run: Callable[[], object], steps: int) -> float:
    began = time.thread_time()
    run()
    return (time.thread_time() - began) / steps


SECONDS = {"scalar": branchy_seconds, "lockstep": wide_seconds}
"""The yardstick of each backend."""


def seconds_of_step(backend: str) -> float:
    """CPU seconds of a step of the yardstick of a backend; C has that of scalar code."""
    return SECONDS.get(backend, branchy_seconds)()
