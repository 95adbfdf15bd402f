"""Fresh Python processes, in environments without anything from this one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mextrain
import mextrain_core
from tests import limits

PACKAGES = [Path(package.__file__).parent for package in (mextrain_core, mextrain)]
SCRATCH = shutil.ignore_patterns("__pycache__")


def environment(**more: str) -> dict[str, str]:
    """The environment of this process without any settings of ours or of Numba."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "MEXTRAIN_"))}
    return kept | more


def python(
    *arguments: str | Path, prefix: tuple[str, ...] = (), env: dict[str, str] | None = None, stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run Python and wait for its end."""
    return limits.run([*prefix, sys.executable, *arguments], stdin, env=env)


def install(folder: Path) -> Path:
    """Copy both packages into `folder`, as an installer would."""
    for package in PACKAGES:
        shutil.copytree(package, folder / package.name, ignore=SCRATCH)
    return folder


def ordinary_user() -> tuple[str, ...]:
    """The prefix of a command that runs as a user for whom write bits matter; root drops its privileges."""
    if os.geteuid() != 0:
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("a superuser may write everywhere, and there is no setpriv to give that up")
    return ("setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override")
