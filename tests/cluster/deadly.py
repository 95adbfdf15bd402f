"""A policy for jobs on a cluster, which looks for orders in a folder: files that tests put there."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from mextrain import Decision

FOLDER = "MEXTRAIN_TEST_ORDERS"
"""The environment variable with the folder."""


def policy(decision: Decision) -> int:
    """Take the first legal action; if there is an order, obey it once: `die`, or `cheat` with an illegal action."""
    orders = Path(os.environ[FOLDER])
    if _taken(orders / "die"):
        os.kill(os.getpid(), signal.SIGKILL)
    if _taken(orders / "cheat"):
        return 60_000
    return int(decision.codes[0])


def _taken(order: Path) -> bool:
    """Whether there is such an order; only one process takes it."""
    try:
        order.unlink()
    except FileNotFoundError:
        return False
    return True
