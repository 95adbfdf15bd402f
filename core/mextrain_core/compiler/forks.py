"""Forks beside threads that import or compile.

A child process has a copy of every lock, and of the thread that forked alone: a lock that another thread held is never
released there, and what it guards stays as it was. So a fork waits for those who hold one.
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
"""By the thread that forks, what it holds; it may be called twice."""
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
        with _busy_lock:
            _busy.append(threading.get_ident())
        try:
            _watch()
            yield
        finally:
            with _busy_lock:
                _busy.remove(threading.get_ident())


def _watch() -> None:
    """Call our functions at a fork before those of two modules that take locks of their own.

    Python calls first what was registered last. Whom a fork waits for may need those locks.
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
        # What is being imported may guard more of them.
        locks = [*_guarded, _busy_lock]
        for lock in locks:
            lock.acquire()
        if {*_busy} <= {me}:
            break
        # Who imports may need the locks.
        for lock in reversed(locks):
            lock.release()
        time.sleep(_WAIT_SECONDS)
        waited = True
    _taken[me] = locks
    if waited:
        _silence()
    if let_go(held):
        # Raised here, Ctrl-C would be lost.
        threading.Timer(_WAIT_SECONDS, _thread.interrupt_main).start()


def _after() -> None:
    for lock in reversed(_taken.pop(threading.get_ident(), [])):
        lock.release()


def _silence() -> None:
    """Let functions be quiet that modules registered while a fork waited: it calls only the half of them after it."""
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
