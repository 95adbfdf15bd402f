"""A failing test does not end the run, even if reporting its failure fails (tests/conftest.py)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tidy.inner import run_pytest

# Reporting a failure parses this file, which allocates enough to start the garbage collector repeatedly; each time
# other code parses something too. Python 3.11.7 counts both depths in one place and then raises a SystemError.
PARSED_MEANWHILE = """
import ast, gc
import pytest

def parse(phase, info, calls=30):
    # From many calls deep, so that the two depths are never equal by chance.
    if calls:
        parse(phase, info, calls - 1)
    else:
        ast.parse("1 + 1")

@pytest.fixture
def parsing():
    gc.callbacks.append(parse)
    yield
    gc.callbacks.remove(parse)

def test_first(parsing):
    assert NUMBERS == []

def test_after():
    pass

NUMBERS = [
"""
PARSED_MEANWHILE += "".join(f"    ({number}, [{number}, ({number},)]),\n" for number in range(3000)) + "]\n"

NOT_DESCRIBED = """
def test_first(request):
    request.node.repr_failure = None
    assert [] == 0, "the reason"

def test_after():
    pass
"""


@pytest.mark.parametrize(
    ("text", "options"),
    [(PARSED_MEANWHILE, ()), (PARSED_MEANWHILE, ("-n", "1")), (NOT_DESCRIBED, ())],
    ids=["parsed meanwhile", "parsed meanwhile under xdist", "not described"],
)
def test_the_others_still_run(text: str, options: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "test_it.py"
    file.write_text(text)
    done = run_pytest(file, "-rf", *options)
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert "test_first" in done.stdout
    assert "AssertionError" in done.stdout
    assert ("could not describe" in done.stdout) == (text == NOT_DESCRIBED)
