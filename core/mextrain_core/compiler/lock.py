"""Numba's global compiler lock."""

from llvmlite.binding import ffi
from numba.core.compiler_lock import global_compiler_lock

from mextrain_core.compiler.forks import guard
from mextrain_core.compiler.interrupts import pause

_LOCK = global_compiler_lock._lock
_WAIT_SECONDS = 0.1

# LLVM's own lock is always taken after it.
guard(_LOCK, ffi.lib._lock._lock)


class compiler_lock:
    """The lock as a context manager. Use it where Ctrl-C is held back (``uninterrupted``).

    Numba's own wait for it cannot be interrupted; here Ctrl-C ends the wait.
    """

    def __enter__(self) -> None:
        while not _LOCK.acquire(timeout=_WAIT_SECONDS):
            pause()

    def __exit__(self, *_: object) -> None:
        _LOCK.release()
