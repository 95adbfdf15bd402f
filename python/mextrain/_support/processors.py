"""Counts the processors that this process may use."""

from __future__ import annotations

import os
from pathlib import Path

_CGROUP_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def usable_processors() -> int:
    """Return how many processors this process may use, at least 1: its affinity, limited by a container's quota."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(allowed, _quota() or allowed))


def _quota() -> int | None:
    """The CPU quota of the container in processors, rounded up; None if there is no limit."""
    try:
        quota, period = _CGROUP_QUOTA.read_text().split()
        return -(-int(quota) // int(period))
    except (OSError, ValueError):
        # There is no cgroup file, or its quota is "max".
        return None
