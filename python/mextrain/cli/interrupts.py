"""Ctrl-C for commands: whenever it comes, it ends in one line and exit code 130."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN_SECONDS = 0.02
"""How soon Ctrl-C is tried again that came while a module was being imported."""


@contextmanager
def prompt_interrupts() -> Iterator[None]:
    """Raise `KeyboardInterrupt` in this block as usual, but never amid an import, where it can get lost.

    Python calls functions while it imports from which no exception gets out, and a module that is written in C may turn
    one into another.
    """
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not (usual and threading.current_thread() is threading.main_thread()):
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        # Without a frame it comes from where it was held back, which is a good place.
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
    """Whether a module is being imported below this frame."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
