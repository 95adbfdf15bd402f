"""If everything is installed, no test is skipped because of a missing library (tests/conftest.py)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.tidy.inner import run_pytest
from tests.tidy.tree import ROOT

TESTS = {
    "one test": 'import pytest\n\ndef test_it():\n    pytest.importorskip("no_such_library")\n',
    "a whole file": 'import pytest\n\npytest.importorskip("no_such_library")\n\ndef test_it():\n    pass\n',
}


def outcome(file: Path, **environment: str) -> int:
    """The exit code of pytest for one file, with the conftest of the project."""
    done = run_pytest(file, **environment)
    if done.returncode == pytest.ExitCode.TESTS_FAILED or "error" in done.stdout:
        assert "an optional library is missing, and here all must be installed" in done.stdout
    return done.returncode


@pytest.mark.parametrize("what", TESTS)
def test_a_skip_is_a_failure_where_all_is_installed(what: str, tmp_path: Path) -> None:
    file = tmp_path / "test_it.py"
    file.write_text(TESTS[what])
    assert outcome(file) in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    assert outcome(file, MEXTRAIN_REQUIRE_EXTRAS="1") in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)


def test_no_skip_hides_its_reason() -> None:
    """With its own `reason`, a skip by `importorskip` would not be recognised by the conftest."""
    files = [path for folder in ("tests", "bench") for path in (ROOT / folder).rglob("*.py")]
    assert files
    assert not [path for path in files if re.search(r"importorskip\([^)]*reason|find_spec\(", path.read_text())]
