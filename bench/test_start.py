"""The cost of a process before it plays, with a warm cache; the unit is a process.

It is wall-clock time and so depends on other load: measure on an idle machine, or use `mextrain bench`, which counts
CPU time.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

PROGRAMS = {
    "python": "",
    "import": "import mextrain",
    "rules": "import mextrain; mextrain.RuleSet.mexican(4).record",
    "game": "import mextrain; mextrain.simulate(mextrain.RuleSet.mexican(4), games=1)",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_start(name: str, timed: Callable[..., Any]) -> None:
    command = [sys.executable, "-c", PROGRAMS[name]]
    timed(lambda: subprocess.run(command, check=True), 1, "process")
