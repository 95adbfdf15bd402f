"""Forks at any moment: even while threads play, compile or import, the child plays the same games and never hangs."""

from __future__ import annotations

import os

import pytest

from mextrain import RuleSet, simulate
from tests.processes.fresh import python

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

RULES = RuleSet.mexican(4)
CHILD = """
import os, resource, signal, sys, threading
expected, moments = int(sys.argv[1]), [float(text) for text in sys.argv[2:]]

def child():
    # A child that hangs uses no CPU; one that is slow on a busy machine is given all the time that it needs.
    def look(*_):
        used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        if used == look.used:
            print("a child hangs", file=sys.stderr, flush=True)
            os._exit(9)
        look.used = used
    look.used = -1
    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, 15, 15)
    from mextrain import RuleSet, simulate
    hashes = {simulate(RuleSet.mexican(4), games=20, seed=8, backend=name).hash for name in ("scalar", "auto")}
    import numba
    added = numba.njit(lambda x: x + 1)(1)
    os._exit(0 if (hashes, added) == ({expected}, 2) else 3)

def forked():
    number = os.fork()
    return number or child()

def ends(children):
    return {os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]) for number in children}
"""

COMPILING = (
    CHILD
    + """
import numba
from mextrain import RuleSet, simulate
stop = threading.Event()

def play():
    while not stop.is_set():
        assert simulate(RuleSet.mexican(4), games=20, seed=8, workers=2).hash == expected

def compile_anew():
    while not stop.is_set():
        assert numba.njit(lambda x: x * 3 % 7)(5) == 1

simulate(RuleSet.mexican(4), games=20, seed=8)
threads = [threading.Thread(target=work) for work in (play, compile_anew, compile_anew)]
for thread in threads:
    thread.start()
children = []
for moment in moments:
    threading.Event().wait(moment)
    children.append(forked())
stop.set()
for thread in threads:
    thread.join()
print(ends(children))
"""
)

IMPORTING = (
    CHILD
    + """
import mextrain

def play():
    from mextrain import RuleSet, simulate
    assert simulate(RuleSet.mexican(4), games=20, seed=8).hash == expected

thread = threading.Thread(target=play)
thread.start()
threading.Event().wait(moments[0])
children = [forked()]
thread.join()
print(ends(children))
"""
)


def run(program: str, *moments: float) -> None:
    """Run a program that forks at these moments."""
    expected = simulate(RULES, games=20, seed=8).hash
    done = python("-W", "ignore", "-c", program, str(expected), *map(str, moments))
    assert (done.stdout, done.stderr, done.returncode) == ("{0}\n", "", 0)


def test_forks_beside_threads_that_play_and_compile() -> None:
    run(COMPILING, *[0.01 * number for number in range(12)])


@pytest.mark.parametrize("moment", [0.0, 0.1, 0.4, 1.0])
def test_forks_beside_a_thread_that_plays_for_the_first_time(moment: float) -> None:
    run(IMPORTING, moment)
