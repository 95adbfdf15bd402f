"""Ctrl-C for a command in a separate process."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import NamedTuple

from tests.limits import ChildrenTime, communicate

ANNOUNCE = """
import sys, time
from mextrain.cli import main, progress

wanted = int(sys.argv[1])

def announce(self, done, games):
    if done >= wanted:
        print("playing", time.process_time(), file=sys.stderr, flush=True)
        type(self).__call__ = lambda *_: None

progress.Meter.__call__ = announce
sys.exit(main(sys.argv[2:]))
"""
"""The command line, but after a given number of games it prints the processor time used so far to stderr."""


A_SECOND = 1.0
"""Seconds of processor time that each processor may still use after Ctrl-C until the process has ended."""


class Interrupted(NamedTuple):
    """How a command ended, and the processor seconds that it used after the signal."""

    code: int
    out: str
    err: str
    seconds: float


def interrupt(*argv: str, games: int = 1, number: int = signal.SIGINT) -> Interrupted:
    """Run a command that reports progress, and send Ctrl-C, or another signal, when it has played `games` games."""
    # A shell without job control starts background jobs with SIGINT ignored; restore the default as at a terminal.
    used = ChildrenTime()
    running = subprocess.Popen(
        [sys.executable, "-c", ANNOUNCE, str(games), *argv],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=default_interrupt,
    )
    assert running.stderr is not None
    line = running.stderr.readline()
    # Before it plays, a command may say that it compiles, or where it saves.
    while line.startswith(("compiling ", "saving ")):
        line = running.stderr.readline()
    word, before = line.split()
    assert word == "playing"
    running.send_signal(number)
    out, err = communicate(running)
    return Interrupted(running.returncode, out, err, used.seconds() - float(before))


def default_interrupt() -> None:
    """Handle Ctrl-C as a program at a terminal does."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
