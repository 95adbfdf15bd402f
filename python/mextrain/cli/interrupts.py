"""Ctrl-C for commands: whenever it comes, it ends in one line and exit code 130."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN_SECONDS = 0.02
"""Delay before a Ctrl-C that came during an import is raised again."""


@contextmanager
def prompt_interrupts() -> Iterator[None]:
    """Raise `KeyboardInterrupt` in this block as usual, but never during an import, where it can get lost.

    While Python imports, it calls functions from which no exception can escape, and a module written in C may turn one
    exception into another.
    """
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not (usual and threading.current_thread() is threading.main_thread()):
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        # Without a frame the signal comes from the point where it was held back, and raising there is safe.
        if _imports(frame):
            threading.Timer(AGAIN_SECONDS, signal.raise_signal, [signal.SIGINT]).start()
        else:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _imports(frame: FrameType | None) -> bool:
    """Whether a module is being imported in this frame or its callers."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
