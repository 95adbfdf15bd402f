"""Says on stderr that kernels are being compiled, if that takes longer than people wait without a word.

A thread looks at the stacks of all other threads now and then. Nothing else has to know that it exists, and nothing is
imported for it.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import PurePath
from types import FrameType

NOTICE_SECONDS = 1.0
"""Seconds of compiling after which the line is printed."""

POLL_SECONDS = 0.1
"""Seconds between two looks."""

ABOUT = {
    "analyse": 25, "beliefs": 25, "check": 10, "compare": 10, "hands": 12, "legal": 7, "plan": 12, "play": 30,
    "record": 17, "selfplay": 10, "show": 7, "stats": 9, "tournament": 30,
}  # fmt: skip
"""Processor seconds that a command compiles for, measured once; the line says "about"."""

_PASSES = str(PurePath("numba", "core", "compiler_machinery.py"))


class CompileWatch:
    """Watches for compilation in a `with` block around a command.

    `seconds`: time spent compiling so far. `active`: whether something was being compiled at the last look.
    """

    def __init__(self, command: str) -> None:
        self.seconds = 0.0
        self.active = False
        self._command = command
        self._told = False
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="compile-watch", daemon=True)

    def __enter__(self) -> CompileWatch:
        global _current
        _current = self
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        global _current
        _current = None
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        last = time.monotonic()
        while not self._done.wait(POLL_SECONDS):
            now = time.monotonic()
            self.active = is_compiling()
            if self.active:
                self.seconds += now - last
                # `warmup` says itself what it compiles.
                if not self._told and self._command != "warmup" and self.seconds > NOTICE_SECONDS:
                    self._told = True
                    print(notice(self._command), file=sys.stderr, flush=True)
            last = now


_current: CompileWatch | None = None


def current() -> CompileWatch | None:
    """Return the watch of the command that runs, if there is one."""
    return _current


def notice(command: str) -> str:
    """Return the line for a command."""
    about = f"about {ABOUT[command]} s; " if command in ABOUT else ""
    return f"compiling what {command} needs for this machine, once ({about}mextrain warmup does it ahead)"


def is_compiling() -> bool:
    """Whether any thread is inside a pass of the compiler. Loading compiled code from the cache is not counted."""
    return any(map(_is_in_a_pass, sys._current_frames().values()))


def _is_in_a_pass(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.endswith(_PASSES):
            return True
        frame = frame.f_back
    return False
