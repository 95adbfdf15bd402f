"""Ctrl-C at any moment, also during imports and compilation: no traceback, and no broken state."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mextrain import RuleSet, simulate
from tests.cli.interrupting import default_interrupt
from tests.limits import run
from tests.processes.fresh import environment

PRESSED = """
import os, signal, sys, threading
threading.Timer(float(sys.argv.pop(1)), os.kill, [os.getpid(), signal.SIGINT]).start()
import mextrain.__main__
sys.exit(mextrain.__main__.main())
"""
COMMANDS = {
    "stats": ["stats", "--games", "200", "--players", "5", "--backend", "lockstep"],
    "hands": ["hands", "--games", "1000000"],
    "selfplay": ["selfplay", "--games", "1000", "--out", "games"],
    "tournament": ["tournament", "--deals", "1000"],
}


@pytest.mark.parametrize("moment", [0.3, 0.8, 2.5])
@pytest.mark.parametrize("name", COMMANDS)
def test_ctrl_c_before_anything_is_compiled(name: str, moment: float, tmp_path: Path) -> None:
    """One line and exit code 130; there are no partial results and no partial cache files."""
    cache = tmp_path / "cache"
    done = run(
        [sys.executable, "-c", PRESSED, str(moment), *COMMANDS[name]],
        env=environment(MEXTRAIN_CACHE_DIR=str(cache)),
        cwd=tmp_path,
        preexec_fn=default_interrupt,
    )
    assert done.returncode == 130, done.stderr
    said = [line for line in done.stderr.splitlines() if not line.startswith("compiling what ")]
    assert said[0].startswith(("mextrain: interrupted", f"mextrain {name}: interrupted"))
    assert len(said) == 1
    assert not [path for path in cache.rglob("*") if path.suffix == ".tmp"]


AGAIN = """
import signal, threading, _thread
import mextrain
from mextrain import Interrupted, RuleSet, simulate
from mextrain_core.compiler.jit import kernel_counts
rules = RuleSet.mexican(4)
times = 0
for moment in [0.05, 0.2, 0.5, 1, 2]:
    timer = threading.Timer(moment, _thread.interrupt_main)
    timer.start()
    try:
        simulate(rules, games=50, seed=8, backend="lockstep")
    except Interrupted as stopped:
        assert stopped.finished is None
        times += 1
    timer.cancel()
    timer.join()
    if kernel_counts()[0]:
        break
print(times > 0, simulate(rules, games=50, seed=8, backend="lockstep").hash)
"""


def test_a_compile_that_was_interrupted_can_be_repeated(tmp_path: Path) -> None:
    """`Interrupted` with nothing finished, however often; afterwards everything compiles as usual."""
    env = environment(MEXTRAIN_CACHE_DIR=str(tmp_path))
    done = run([sys.executable, "-c", AGAIN], env=env)
    expected = simulate(RuleSet.mexican(4), games=50, seed=8).hash
    assert (done.stdout, done.stderr, done.returncode) == (f"True {expected}\n", "", 0)
