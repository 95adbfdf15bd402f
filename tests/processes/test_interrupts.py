"""Ctrl-C at any moment, also while modules are imported and kernels compiled: no traceback, and nothing is broken."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mextrain import RuleSet, simulate
from tests.cli.interrupting import default_interrupt
from tests.processes.fresh import environment

COMMANDS = {
    "stats": ["stats", "--games", "200", "--players", "5", "--backend", "lockstep"],
    "hands": ["hands", "--games", "1000000"],
    "selfplay": ["selfplay", "--games", "1000", "--out", "games"],
    "tournament": ["tournament", "--deals", "1000"],
}


@pytest.mark.parametrize("moment", [0.3, 0.8, 2.5])
@pytest.mark.parametrize("name", COMMANDS)
def test_ctrl_c_before_anything_is_compiled(name: str, moment: float, tmp_path: Path) -> None:
    """One line and exit code 130; nothing of the games is left half-done, and half of a kernel nowhere."""
    cache = tmp_path / "cache"
    # By way of another program, so that the moment is not before Python itself has begun.
    program = "import sys; print(flush=True); import mextrain.__main__ as m; sys.exit(m.main())"
    running = subprocess.Popen(
        [sys.executable, "-c", program, *COMMANDS[name]],
        env=environment(MEXTRAIN_CACHE_DIR=str(cache)),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=default_interrupt,
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "\n"
    time.sleep(moment)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=300)
    assert running.returncode == 130, err
    assert err.startswith(("mextrain: interrupted", f"mextrain {name}: interrupted"))
    assert err.count("\n") == 1
    assert not [path for path in cache.rglob("*") if path.suffix == ".tmp"]


AGAIN = """
import signal, sys, threading, _thread, time
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
    """`Interrupted` with nothing finished, as often as it comes; then all is compiled as if nothing had been."""
    env = environment(MEXTRAIN_CACHE_DIR=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", AGAIN], env=env, capture_output=True, text=True, timeout=600)
    expected = simulate(RuleSet.mexican(4), games=50, seed=8).hash
    assert (done.stdout, done.stderr, done.returncode) == (f"True {expected}\n", "", 0)
