"""Forks beside threads that compile.

A child process has a copy of every lock, and of the thread that forked alone: a lock that another thread held is never
released there, and the tables that it guards stay as they were. So a fork waits until nobody compiles.
"""

import _thread
import os
import threading
from typing import Any

from llvmlite.binding import ffi
from numba.core.compiler_lock import global_compiler_lock

from mextrain_core.compiler.interrupts import hold, let_go, pause

_COMPILER = global_compiler_lock._lock
_LOCKS = (_COMPILER, ffi.lib._lock._lock)
"""In the order in which Numba takes them."""

_WAIT_SECONDS = 0.1
"""How often somebody who waits for the compiler looks for Ctrl-C."""


class compiler_lock:
    """Numba's lock on everything that compiles, as a context; use it where Ctrl-C is held back (``uninterrupted``).

    Numba waits for it until it gets it; here Ctrl-C ends the wait.
    """

    def __enter__(self) -> None:
        while not _COMPILER.acquire(timeout=_WAIT_SECONDS):
            pause()

    def __exit__(self, *_: object) -> None:
        _COMPILER.release()


def _before() -> None:
    held: Any = hold()
    for lock in _LOCKS:
        lock.acquire()
    if let_go(held):
        # Raised here, Ctrl-C would be lost.
        threading.Timer(_WAIT_SECONDS, _thread.interrupt_main).start()


def _after() -> None:
    for lock in reversed(_LOCKS):
        lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after)
