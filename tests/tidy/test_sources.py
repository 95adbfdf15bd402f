"""Conventions that can be checked in the sources."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tidy.tree import CORE, PYTHON, ROOT, project_files, sources

MAX_BYTES = 32 * 1024

# Written so that this file does not contain what it looks for.
FORBIDDEN = {
    "a folder of somebody's machine": r"(?<![\w.~-])/(?:ho[m]e|ro[o]t|Us[e]rs|wo[r]k|mn[t])/\w",
    "a note of something unfinished": r"\b(?:TO[D]O|FIX[M]E|X[X]X)\b",
    "the host of a package registry": r"\b(?:p[y]pi\.org|test\.p[y]pi|p[y]thonhosted|anac[o]nda\.(?:org|com))",
    "the number of an issue or pull request": r"(?i)\b(?:iss[u]e|p[r]|pull req[u]est)\s*#\s*\d+",
}


def test_nothing_is_mentioned_that_only_we_can_see() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {what}: {line.strip()[:80]}"
        for path in project_files()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for what, pattern in FORBIDDEN.items()
        if re.search(pattern, line)
    ]
    assert found == []


@pytest.mark.parametrize(
    "line", ["see /ho" + "me/me/x", "'/wo" + "rk/y'", "# TO" + "DO: more", "https://py" + "pi.org/x", "iss" + "ue #12"]
)
def test_the_detector_sees(line: str) -> None:
    assert any(re.search(pattern, line) for pattern in FORBIDDEN.values())


def test_text_files_are_plain() -> None:
    """UTF-8, Unix line ends, a last line that ends, no blanks at line ends (Markdown's line breaks included)."""
    wrong = []
    for path in project_files():
        data = path.read_bytes()
        text = data.decode("utf-8")
        if b"\r" in data or (text and not text.endswith("\n")) or re.search(r"[ \t]+\n", text):
            wrong.append(str(path.relative_to(ROOT)))
    assert wrong == []


def test_source_files_are_small() -> None:
    large = {
        str(path.relative_to(ROOT)): size
        for folder in (CORE, PYTHON)
        for path in sources(folder)
        if (size := path.stat().st_size) > MAX_BYTES
    }
    assert large == {}


def public_without_docstring(path: Path) -> Iterator[str]:
    """Yield the public names of a file that have no docstring: module, classes, functions, methods."""

    def walk(node: ast.AST, prefix: str) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.If, ast.Try)):
                yield from walk(child, prefix)
            if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            overload = any("overload" in ast.unparse(decorator) for decorator in child.decorator_list)
            if child.name.startswith("_") or overload:
                continue
            if ast.get_docstring(child) is None:
                yield f"{prefix}{child.name}"
            if isinstance(child, ast.ClassDef):
                yield from walk(child, f"{prefix}{child.name}.")

    tree = ast.parse(path.read_text(encoding="utf-8"))
    if ast.get_docstring(tree) is None:
        yield "(the module)"
    yield from walk(tree, "")


def test_public_names_have_docstrings() -> None:
    bare = [
        f"{path.relative_to(ROOT)}: {name}"
        for folder in (CORE, PYTHON)
        for path in sources(folder)
        for name in public_without_docstring(path)
    ]
    assert bare == []


@pytest.mark.parametrize("script", [".ci/run", "ci/aarch64", "ci/run", "ci/sanitizers", "ci/versions", "ci/wheel"])
def test_scripts_can_be_run(script: str) -> None:
    assert os.access(ROOT / script, os.X_OK)
    assert (ROOT / script).read_text().startswith("#!/usr/bin/env bash\n")


def parameters(function: ast.FunctionDef) -> int:
    """Number of parameters of a function, without ``self`` and ``cls``."""
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def test_functions_have_ten_parameters_at_most() -> None:
    """Related parameters are passed as a named tuple."""
    many = [
        f"{path.relative_to(ROOT)}: {node.name} has {parameters(node)}"
        for folder in (CORE, PYTHON)
        for path in sources(folder)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and parameters(node) > 10
    ]
    assert many == []


def test_tiles_are_numbered_in_one_place() -> None:
    """The indices 91 and 104 to 108 of the set super have names in `model/tiles.py`."""
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.value}"
        for folder in (CORE, PYTHON)
        for path in sources(folder)
        if path != CORE / "model" / "tiles.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value in (91, *range(104, 109))
    ]
    assert found == []
