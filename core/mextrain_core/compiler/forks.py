"""Forks while other threads import or compile.

A child process has copies of all locks, but only of the thread that forked. A lock that another thread held is never
released there, and the data that it guards may be half changed. So a fork waits for the holders of such locks.
"""

import _thread
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mextrain_core.compiler.interrupts import hold, let_go, uninterrupted

_guarded: list[Any] = []
_taken: dict[int, list[Any]] = {}
"""The locks held, by forking thread; the hook may be called twice."""
_busy: list[int] = []
"""The threads in ``undivided`` blocks, once for each block."""
_busy_lock = threading.Lock()
_watcher: dict[str, object] = {}
_WAIT_SECONDS = 0.002


def guard(*locks: Any) -> None:
    """Hold these locks, in this order, during every fork from now on."""
    _watch()
    _guarded.extend(locks)


@contextmanager
def undivided() -> Iterator[None]:
    """Make forks in other threads, and Ctrl-C, wait for the end of the block; used for imports."""
    with uninterrupted():
        with _busy_lock:
            _busy.append(threading.get_ident())
        try:
            _watch()
            yield
        finally:
            with _busy_lock:
                _busy.remove(threading.get_ident())


def _watch() -> None:
    """Register our fork hooks so that they run before those of two modules that take their own locks.

    Python calls hooks in reverse order of registration, and the threads for which a fork waits may need those locks.
    """
    me = object()
    if _watcher.setdefault("first", me) is me:
        import concurrent.futures.thread  # noqa: F401
        import logging  # noqa: F401

        _register()


def _before() -> None:
    me = threading.get_ident()
    if me in _taken:
        return
    held, waited = hold(), False
    while True:
        # The module being imported may guard more locks.
        locks = [*_guarded, _busy_lock]
        for lock in locks:
            lock.acquire()
        if {*_busy} <= {me}:
            break
        # The importing thread may need the locks.
        for lock in reversed(locks):
            lock.release()
        time.sleep(_WAIT_SECONDS)
        waited = True
    _taken[me] = locks
    if waited:
        _silence()
    if let_go(held):
        # A KeyboardInterrupt raised here would be lost.
        threading.Timer(_WAIT_SECONDS, _thread.interrupt_main).start()


def _after() -> None:
    for lock in reversed(_taken.pop(threading.get_ident(), [])):
        lock.release()


def _silence() -> None:
    """Silence errors of hooks registered while a fork waited: only their part after the fork runs."""
    usual = sys.unraisablehook

    def silent(_: Any) -> None:
        pass

    def restore() -> None:
        if sys.unraisablehook is silent:
            sys.unraisablehook = usual

    sys.unraisablehook = silent
    os.register_at_fork(after_in_parent=restore, after_in_child=restore)


def _register() -> None:
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after)


_register()
