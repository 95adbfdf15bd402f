"""How tests call the command line."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest

from mextrain.cli import main
from tests import limits


def run(*argv: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run `mextrain` with these arguments in a separate process."""
    return limits.run([sys.executable, "-m", "mextrain", *argv], **options)


def succeed(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """Run a command in this process; it must succeed without output on stderr. Returns its output."""
    assert main(argv) == 0
    captured = capsys.readouterr()
    assert without_notice(captured.err) == ""
    return captured.out


def fail(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """Run a command in this process; it must end with code 2 and one line on stderr, which is returned."""
    try:
        code: object = main(argv)
    except SystemExit as end:
        code = end.code
    captured = capsys.readouterr()
    assert code == 2, captured
    assert captured.out == ""
    err = without_notice(captured.err)
    assert err.startswith(f"mextrain {argv[0]}: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert len(err) < 600
    return err


def without_notice(err: str) -> str:
    """What a command wrote to stderr, without the line about kernels that were compiled first."""
    return re.sub(r"(?m)^compiling what [a-z]+ needs .*\n", "", err, count=1)
