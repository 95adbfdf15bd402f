"""Tests do not fail because the machine is busy, but processes that hang are found (tests/limits.py)."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import limits
from tests.limits import communicate
from tests.tidy.inner import run_pytest
from tests.tidy.tree import ROOT

# Written so that this file does not contain what it looks for.
CLOCKS = r"perf_[c]ounter|monoton[i]c\(|time\.sl[e]ep|\btime[o]ut=\d"
PROCESSES = r"subprocess\.(r[u]n|check_\w+|call)\(|\.commun[i]cate\("


@pytest.mark.parametrize(
    ("pattern", "files"),
    [(CLOCKS, "tests/**/*.py"), (CLOCKS, "bench/**/test_*.py"), (PROCESSES, "tests/**/*.py")],
)
def test_no_other_test_looks_at_a_clock(pattern: str, files: str) -> None:
    """Wall time includes other programs; `thread_time` and `process_time` count only our work."""
    paths = list(ROOT.glob(files))
    assert paths
    found = {path.relative_to(ROOT).as_posix() for path in paths if re.search(pattern, path.read_text("utf-8"))}
    assert found <= {"tests/limits.py"}


def test_what_hangs_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HANGS", 0.1)
    with subprocess.Popen([sys.executable, "-c", "import threading; threading.Event().wait()"]) as process:
        with pytest.raises(subprocess.TimeoutExpired):
            communicate(process)
        assert process.returncode is not None


def test_on_a_busy_machine_a_limit_waits_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    waits = limits.patience(0.01)
    assert next(waits) == 0.01
    monkeypatch.setattr(limits, "crowd", lambda: 1e6)
    assert 0 < next(waits) < 1e4
    monkeypatch.setattr(limits, "crowd", lambda: 0.0)
    assert next(waits, None) is None


WAITS = """
import threading
import pytest
from tests import limits
from tests.limits import communicate

@pytest.mark.timeout(0.2)
@pytest.mark.parametrize("crowd", [100, 0])
def test_that_waits(crowd, monkeypatch):
    monkeypatch.setattr(limits, "crowd", lambda: crowd)
    threading.Event().wait(0.5)

def test_after():
    pass
"""


def test_the_limit_of_a_test_knows_the_load(tmp_path: Path) -> None:
    file = tmp_path / "test_it.py"
    file.write_text(WAITS)
    out = run_pytest(file, "-rf").stdout
    assert "1 failed, 2 passed" in out
    assert re.search(r"FAILED \S+test_that_waits\[0\] - Failed: Timeout", out)
