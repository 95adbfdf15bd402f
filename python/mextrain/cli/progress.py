"""How far a long command has come, on stderr: one line that changes on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import sys
import time

from mextrain.cli import compiling

TERMINAL_SECONDS, FILE_SECONDS = 0.2, 10.0
"""Minimum number of seconds between two reports; a short command leaves no reports in a log."""


class Meter:
    """Reports games finished (or other `units`), games per second, and the time left; call it with (finished, wanted).

    Its clock stands still while kernels are compiled. Use it in a `with` block, which clears the terminal's line at the
    end.
    """

    def __init__(self, units: str = "games") -> None:
        self._units = units
        self._terminal = sys.stderr.isatty()
        self._began = self._last = time.monotonic()
        self._at_start: int | None = None
        self._compiled = 0.0
        self._width = 0

    def __enter__(self) -> Meter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._width:
            print("\r" + " " * self._width + "\r", end="", file=sys.stderr, flush=True)

    def __call__(self, done: int, wanted: int) -> None:
        """Report, unless the last report is too recent or kernels are being compiled."""
        now = time.monotonic()
        if self._at_start is None or self._has_compiled():
            # Games finished by an earlier run, and the time to compile the kernels, must not affect the speed.
            self._at_start, self._began, self._last = done, now, now
        if now - self._last < (TERMINAL_SECONDS if self._terminal else FILE_SECONDS):
            return
        self._last = now
        rate = (done - self._at_start) / max(now - self._began, 1e-9)
        left = f", {duration((wanted - done) / rate)} left" if rate > 0 else ""
        text = f"{done:,} of {wanted:,} {self._units}, {rate:,.0f} {self._units}/s{left}"
        if self._terminal:
            print("\r" + text.ljust(self._width), end="", file=sys.stderr, flush=True)
            self._width = max(self._width, len(text))
        else:
            print(text, file=sys.stderr, flush=True)

    def _has_compiled(self) -> bool:
        """Whether anything was compiled since the last call."""
        watch = compiling.current()
        if watch is None:
            return False
        before, self._compiled = self._compiled, watch.seconds
        return watch.active or self._compiled > before


def duration(seconds: float) -> str:
    """Return a duration in words: `8 s`, `3 min 20 s`, `2 h 5 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
