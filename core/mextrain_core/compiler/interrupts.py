"""Ctrl-C during operations that must not be interrupted.

Numba and llvmlite lose a ``KeyboardInterrupt`` that is raised in a callback from C, and a half-imported module cannot
always be imported again. So Ctrl-C waits until the end of the operation, or until a ``pause`` at which it can be
aborted.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class _Held:
    """A SIGINT handler that only remembers whether it was called."""

    def __init__(self, handler: Callable[[int, Any], Any]):
        self.handler, self.thread, self.arrived = handler, threading.get_ident(), False

    def __call__(self, number: int, frame: Any) -> None:
        self.arrived = True

    def deliver(self) -> None:
        if self.arrived:
            self.arrived = False
            self.handler(signal.SIGINT, None)


def hold() -> _Held | None:
    """Make Ctrl-C wait until ``let_go``; None if there is nothing to do: no Python handler, or not the main thread."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or isinstance(handler, _Held):
        return None
    held = _Held(handler)
    try:
        signal.signal(signal.SIGINT, held)
    except ValueError:  # Only the main thread handles signals.
        return None
    return held


def let_go(held: _Held | None) -> bool:
    """Undo ``hold``; returns whether Ctrl-C was pressed meanwhile, which the caller has to handle."""
    if held is None:
        return False
    signal.signal(signal.SIGINT, held.handler)
    return held.arrived


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Make Ctrl-C wait for the end of the block or for a ``pause`` in it."""
    held = hold()
    try:
        yield
    finally:
        if held is not None and let_go(held):
            held.deliver()


def pause() -> None:
    """Raise a Ctrl-C that is pending in this thread's ``uninterrupted`` block."""
    held = signal.getsignal(signal.SIGINT)
    if isinstance(held, _Held) and held.arrived and held.thread == threading.get_ident():
        held.deliver()
