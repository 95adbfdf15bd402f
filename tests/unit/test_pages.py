"""The pages in an installed package, and `mextrain rules --page`."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from mextrain.cli import main
from tests import limits
from tests.tidy.tree import PYTHON, ROOT

PAGE = ROOT / "docs" / "rules.md"


def test_the_catalogue_says_where_the_page_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"docs/rules.md is {PAGE}; ")


def test_the_page_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--page"]) == 0
    assert capsys.readouterr().out == PAGE.read_text(encoding="utf-8")


def without_a_tree(tmp_path: Path, *pages: Path) -> tuple[Path, dict[str, str]]:
    """The package with some pages in a zip file, and an environment in which Python imports it."""
    package = tmp_path / "mextrain.zip"
    with zipfile.ZipFile(package, "w") as file:
        for source in PYTHON.rglob("*.py"):
            file.write(source, source.relative_to(PYTHON.parent))
        for page in pages:
            file.write(page, f"mextrain/docs/{page.name}")
    return package, {**os.environ, "PYTHONPATH": f"{package}{os.pathsep}{ROOT / 'core'}", "PYTHONIOENCODING": "utf-8"}


def run(arguments: list[str], env: dict[str, str], tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Run `mextrain rules` outside the source tree."""
    program = [sys.executable, "-m", "mextrain", "rules", *arguments]
    return limits.run(program, encoding="utf-8", env=env, cwd=tmp_path)


def test_in_a_zip_file(tmp_path: Path) -> None:
    package, env = without_a_tree(tmp_path, PAGE)
    done = run([], env, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"docs/rules.md is {package / 'mextrain' / 'docs' / 'rules.md'}; " in done.stdout
    assert run(["--page"], env, tmp_path).stdout == PAGE.read_text(encoding="utf-8")


def test_without_pages(tmp_path: Path) -> None:
    """The list of options still works, and --page prints one line that says what is missing."""
    _, env = without_a_tree(tmp_path)
    done = run([], env, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1].startswith("the page rules.md is not installed: expected it in ")
    done = run(["--page"], env, tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("mextrain rules: the page rules.md is not installed: expected it in ")
    assert done.stderr.count("\n") == 1
