"""Ctrl-C for a command that runs in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from typing import NamedTuple

ANNOUNCE = """
import sys
from mextrain.cli import main, progress

wanted = int(sys.argv[1])

def announce(self, done, games):
    if done >= wanted:
        print("playing", file=sys.stderr, flush=True)
        type(self).__call__ = lambda *_: None

progress.Meter.__call__ = announce
sys.exit(main(sys.argv[2:]))
"""
"""The command line, but it says once on stderr that so many games have been played."""


class Interrupted(NamedTuple):
    """How a command ended, and how long that took after the signal."""

    code: int
    out: str
    err: str
    seconds: float


def interrupt(*argv: str, games: int = 1) -> Interrupted:
    """Run a command that reports progress, and press Ctrl-C when it has played so many games."""
    # A shell without job control starts background jobs with SIGINT ignored; here it must be as at a terminal.
    running = subprocess.Popen(
        [sys.executable, "-c", ANNOUNCE, str(games), *argv],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=default_interrupt,
    )
    assert running.stderr is not None
    assert running.stderr.readline() == "playing\n"
    running.send_signal(signal.SIGINT)
    began = time.monotonic()
    out, err = running.communicate(timeout=60)
    return Interrupted(running.returncode, out, err, time.monotonic() - began)


def default_interrupt() -> None:
    """Take Ctrl-C as a program at a terminal does."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
