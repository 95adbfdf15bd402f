"""Threads, processes, few processors, Ctrl-C: equal results, no crashes, and finished games are kept."""

from __future__ import annotations

import multiprocessing
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from mextrain import RuleSet, simulate
from tests import limits
from tests.limits import communicate
from tests.processes.fresh import environment, python
from tests.tidy.tree import ROOT

RULES = RuleSet.mexican(4)
METHODS = multiprocessing.get_all_start_methods()
EXAMPLE = ROOT / "examples" / "processes.py"


def played(first: int, workers: int) -> bytes:
    """The results of some games as bytes; the function that pools call."""
    part = simulate(RULES, games=25, seed=8, first_game=first, workers=workers, record_actions=True)
    assert part.actions is not None
    return part.points.tobytes() + part.facts.tobytes() + part.actions.tobytes()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_processes_that_use_threads_themselves(method: str) -> None:
    """Also in processes forked from one that has just used threads."""
    here = [played(first, 3) for first in (0, 25, 50)]
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        assert list(pool.map(played, (0, 25, 50), (1, 2, 8))) == here
    assert played(50, 2) == here[2]


THREADS = """
import sys, threading
from mextrain import RuleSet, simulate
rules, found = RuleSet.mexican(4), []
def play():
    found.append(simulate(rules, games=50, seed=8, workers=2).hash)
threads = [threading.Thread(target=play) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(*found)
"""


def test_threads_that_all_compile_at_once(tmp_path: Path) -> None:
    done = python("-c", THREADS, env=environment(MEXTRAIN_CACHE_DIR=str(tmp_path)))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == [str(simulate(RULES, games=50, seed=8).hash)] * 4


@pytest.mark.skipif(shutil.which("taskset") is None, reason="there is no taskset here")
def test_one_processor_and_many_threads() -> None:
    program = """
import os, threading
from mextrain import RuleSet, simulate
from mextrain._support.processors import usable_processors
most = 0
def count(done, games):
    global most
    most = max(most, threading.active_count() - 1)
hashes = {simulate(RuleSet.mexican(4), games=4000, seed=1, workers=n, progress=count).hash for n in (1, None)}
alone, most = most, 0
hashes.add(simulate(RuleSet.mexican(4), games=4000, seed=1, workers=8, progress=count).hash)
print(len(hashes), usable_processors(), alone, most <= 8, len(os.sched_getaffinity(0)))
"""
    done = python("-c", program, prefix=("taskset", "-c", "0"))
    assert (done.stdout.split(), done.stderr) == (["1", "1", "1", "True", "1"], "")


LONG = """
import sys, threading, time, numpy
from mextrain import Interrupted, RuleSet, simulate
from mextrain import Batch, BatchPolicy
rules = RuleSet.mexican(4)
policies = BatchPolicy(Batch.random_moves) if sys.argv[1] == "batches" else "random"
def tell(done, games):
    if done:
        print("playing", time.process_time(), flush=True)
        globals()["tell"] = None
try:
    simulate(
        rules, games=1_000_000, seed=5, policies=policies, workers=int(sys.argv[2]),
        progress=lambda *numbers: tell and tell(*numbers),
    )
except Interrupted as stopped:
    print(time.process_time())
    played = stopped.finished
    again = simulate(rules, games=played.games, seed=5, policies=policies)
    same = played.hash == again.hash and numpy.array_equal(played.points, again.points)
    print(played.games, same, threading.active_count())
"""


@pytest.mark.parametrize(("policy", "workers"), [("random", 1), ("random", 8), ("batches", 2)])
def test_ctrl_c(policy: str, workers: int) -> None:
    """It takes at most a second of work on each processor; finished games are kept, and the process can go on."""
    command = [sys.executable, "-c", LONG, policy, str(workers)]
    running = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell without job control starts background jobs with SIGINT ignored; restore the default as at a terminal.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert running.stdout is not None
    word, before = running.stdout.readline().split()
    assert word == "playing"
    running.send_signal(signal.SIGINT)
    out, err = communicate(running)
    assert (running.returncode, err) == (0, "")
    after, games, same, threads = out.split()
    assert float(after) - float(before) < min(workers, limits.processors())
    assert 0 < int(games) < 1_000_000
    assert (same, threads) == ("True", "1")


@pytest.mark.parametrize("method", METHODS)
def test_the_example(method: str) -> None:
    done = python(EXAMPLE, method)
    assert done.returncode == 0, done.stderr
    assert "2,000 games" in done.stdout


@pytest.mark.parametrize("method", METHODS)
def test_the_example_without_a_file(method: str) -> None:
    """As in a notebook, which has no file that a new process could import."""
    done = python("-c", EXAMPLE.read_text(encoding="utf-8"), method)
    assert done.returncode == 0, done.stderr
    assert "2,000 games" in done.stdout


@pytest.mark.parametrize("method", METHODS)
def test_the_example_from_standard_input(method: str) -> None:
    """Before Python 3.13 a spawned process looks for a file with that name, and everything ends with an error."""
    done = python("-", method, stdin=EXAMPLE.read_text(encoding="utf-8"))
    if done.returncode == 0:
        assert "2,000 games" in done.stdout
    else:
        assert method != "fork"
        assert "<stdin>" in done.stderr


def test_without_the_main_guard(tmp_path: Path) -> None:
    """Python reports the missing guard, and nothing hangs."""
    script = tmp_path / "script.py"
    guard = 'if __name__ == "__main__":\n    main()'
    text = EXAMPLE.read_text(encoding="utf-8")
    assert guard in text
    script.write_text(text.replace(guard, "main()"), encoding="utf-8")
    done = python(script, "spawn")
    assert done.returncode != 0
    assert "if __name__ == '__main__':" in done.stderr


def test_memory_stays_flat() -> None:
    """A short run of ci/memory.py."""
    done = python(ROOT / "ci" / "memory.py", "--rounds", "200000", "--refusals", "20000")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("grown by") == 4
