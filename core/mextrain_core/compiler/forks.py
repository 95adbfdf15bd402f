"""Forks beside threads that import or compile.

A child process has a copy of every lock, and of the thread that forked alone: a lock that another thread held is never
released there, and what it guards stays as it was. So a fork waits for those who hold one.
"""

import _thread
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mextrain_core.compiler.interrupts import hold, let_go, uninterrupted

_guarded: list[Any] = []
_taken: list[Any] = []
_busy: list[int] = []
"""The threads in an ``undivided`` block, each as often as it is in one."""
_busy_lock = threading.Lock()
_watcher: dict[str, object] = {}
_WAIT_SECONDS = 0.002


def guard(*locks: Any) -> None:
    """From now on hold these locks, in this order, during every fork."""
    _watch()
    _guarded.extend(locks)


@contextmanager
def undivided() -> Iterator[None]:
    """Make forks in other threads, and Ctrl-C, wait for the end of the block: for imports."""
    with uninterrupted():
        _watch()
        with _busy_lock:
            _busy.append(threading.get_ident())
        try:
            yield
        finally:
            with _busy_lock:
                _busy.remove(threading.get_ident())


def _watch() -> None:
    """See to it that forks wait."""
    me = object()
    if _watcher.setdefault("first", me) is me and hasattr(os, "register_at_fork"):
        # Python calls first what was registered last. These two take locks of their own, which those need for whom a
        # fork waits; so they must be called after the wait.
        import concurrent.futures.thread  # noqa: F401
        import logging  # noqa: F401

        os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after)


def _before() -> None:
    held = hold()
    while True:
        # What is being imported may guard more of them.
        _taken[:] = [*_guarded, _busy_lock]
        for lock in _taken:
            lock.acquire()
        if {*_busy} <= {threading.get_ident()}:
            break
        # Who imports may need the locks.
        _after()
        time.sleep(_WAIT_SECONDS)
    if let_go(held):
        # Raised here, Ctrl-C would be lost.
        threading.Timer(_WAIT_SECONDS, _thread.interrupt_main).start()


def _after() -> None:
    for lock in reversed(_taken):
        lock.release()
