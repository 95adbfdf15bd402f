"""All code in the pages works, and prints what the page shows.

How a page writes code:

* ```` ```python ```` runs, one block after the other in one namespace; if the next block is ```` ```text output ````,
  that is what it prints.
* ```` ```python NAME.py ```` is a file: it does not run by itself, but lies in the folder of the page's commands.
* ```` ```pycon ```` is a session in the same namespace, compared as by `doctest`.
* ```` ```console ````: lines that begin with `$ ` run in a shell in one folder for the page, the lines below each are
  what it prints. `exit-N` after the language is the exit code of the last command; all others exit with 0.
* ```` ```sh ```` is for commands that take long or change the machine: they do not run, but what they name must exist.

`...` stands for anything, as in `doctest`; blanks and line breaks are all the same.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from mextrain.cli import COMMANDS, build_parser
from tests import limits
from tests.docs.pages import PAGES, ROOT, Fence, fences, name_of, prose

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
LANGUAGES = {"python", "pycon", "console", "sh", "text", "json", "c"}
SHELL = Path("/bin/sh")


def with_code(*languages: str) -> Any:
    """Parametrise a test with the pages that have blocks in these languages."""
    pages = [page for page in PAGES if any(fence.language in languages for fence in fences(page))]
    return pytest.mark.parametrize("page", pages, ids=name_of)


def is_file(fence: Fence) -> bool:
    """Whether a block is the text of a file, whose name stands after its language."""
    return any("." in word for word in fence.words)


def check_output(where: str, expected: str, got: str) -> None:
    """Compare printed texts as `doctest` does."""
    if not doctest.OutputChecker().check_output(expected.strip() + "\n", got.strip() + "\n", FLAGS):
        pytest.fail(f"{where} prints something else.\n--- expected\n{expected}\n--- got\n{got}", pytrace=False)


def run_session(fence: Fence, names: dict[str, Any], page: Path) -> None:
    """Run a `pycon` block in the namespace `names`."""
    where = name_of(page)
    test = doctest.DocTestParser().get_doctest(fence.text, names, where, where, fence.line - 1)
    # The runner clears the namespace of its test; ours must be kept.
    test.globs = names
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    runner.run(test, out=report.append, clear_globs=False)
    if runner.failures:
        pytest.fail("".join(report), pytrace=False)


@with_code("python", "pycon")
def test_python_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    blocks = [*fences(page), Fence("", (), 0, "")]
    for fence, following in pairwise(blocks):
        if fence.language == "pycon":
            run_session(fence, names, page)
        if fence.language != "python" or is_file(fence):
            continue
        printed = io.StringIO()
        # Leading blank lines, so that a traceback shows the line number of the page.
        code = compile("\n" * (fence.line - 1) + fence.text, str(page), "exec")
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        if (following.language, following.words) == ("text", ("output",)):
            check_output(f"{name_of(page)}, line {fence.line}", following.text, printed.getvalue())


def commands(fence: Fence) -> list[tuple[int, str, str]]:
    """The commands of a `console` block: line, command, output."""
    found: list[tuple[int, str, str]] = []
    continued = False
    for number, line in enumerate(fence.text.splitlines(), fence.line):
        if line.startswith("$ "):
            found.append((number, line[2:], ""))
        elif continued:
            first, command, _ = found[-1]
            found[-1] = (first, f"{command}\n{line}", "")
        else:
            first, command, output = found[-1]
            found[-1] = (first, command, f"{output}{line}\n")
        continued = line.endswith("\\") and (continued or line.startswith("$ "))
    return found


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment in which `mextrain` and `python` are those of this test run, installed or not."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name, arguments in (("mextrain", "-m mextrain"), ("python", "")):
        script = tools / name
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {arguments} "$@"\n')
        script.chmod(0o755)
    paths = [str(ROOT / "core"), str(ROOT / "python"), os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        "PATH": os.pathsep.join([str(tools), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "PYTHONIOENCODING": "utf-8",
        "COLUMNS": "80",
    }


@pytest.mark.skipif(not SHELL.exists(), reason="the commands are written for a POSIX shell")
@with_code("console")
def test_commands_run(page: Path, tmp_path: Path, shell: dict[str, str]) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    for fence in fences(page):
        if is_file(fence):
            (folder / fence.words[0]).write_text(fence.text, encoding="utf-8")
        if fence.language != "console":
            continue
        wanted = next((int(word.removeprefix("exit-")) for word in fence.words if word.startswith("exit-")), 0)
        listed = commands(fence)
        for line, command, output in listed:
            done = limits.run(
                command,
                shell=True,
                executable=str(SHELL),
                cwd=folder,
                env=shell,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
            )
            where = f"{name_of(page)}, line {line}"
            expected = wanted if line == listed[-1][0] else 0
            assert done.returncode == expected, f"{where} exits with {done.returncode}:\n{done.stdout}"
            # On a slow machine commands print progress, and that they compile, which the pages do not show.
            printed = re.sub(r"(?m)^([\d,]+ of [\d,]+ \w+,|compiling what \w+ needs ).*\n", "", done.stdout)
            check_output(where, output, printed)


@with_code("sh")
def test_commands_that_do_not_run_exist(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    targets = set(re.findall(r"(?m)^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8")))
    parser = build_parser()
    for fence in fences(page):
        if fence.language != "sh":
            continue
        for line in fence.text.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if not words:
                continue
            if words[0] == "mextrain":
                try:
                    parser.parse_args(words[1:])
                except SystemExit:
                    pytest.fail(f"{name_of(page)}: {line}\n{capsys.readouterr().err}", pytrace=False)
            elif words[0] == "make":
                named = {word for word in words[1:] if "=" not in word}
                assert named <= targets, f"{name_of(page)}: {line}: there is no such target"
            elif "/" in words[0]:
                assert (ROOT / words[0]).exists(), f"{name_of(page)}: {line}: there is no such file"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_in_the_text_exist(page: Path) -> None:
    named = set(re.findall(r"`mextrain ([a-z][\w-]*)", prose(page)))
    assert named <= set(COMMANDS)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_says_what_it_is(page: Path) -> None:
    """A block in an unknown language would not be checked."""
    assert {fence.language for fence in fences(page)} <= {*LANGUAGES, ""}
