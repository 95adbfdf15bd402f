"""Runs pytest for one file in a separate process, with the settings and the conftest of the project."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests import limits
from tests.tidy.tree import ROOT


def run_pytest(file: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the tests of `file`."""
    ours = ("MEXTRAIN_REQUIRE_EXTRAS", "PYTEST_")
    env = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    command = [sys.executable, "-m", "pytest", "-q", "-c", ROOT / "pyproject.toml", "-p", "tests.conftest"]
    return limits.run([*command, "-p", "no:cacheprovider", *options, file], env=env | environment, cwd=ROOT)
