"""docs/extending.md: everything that it names exists; and those of its reminders that no other test checks."""

from __future__ import annotations

import ast
import re

import pytest

from mextrain.bulk.policies import POLICIES
from mextrain.cli import COMMANDS
from tests.docs.pages import ROOT, code_words, headings, prose, read, tables
from tests.tidy.tree import CORE, PYTHON, sources

PAGE, COMMAND_LINE = ROOT / "docs" / "extending.md", ROOT / "docs" / "command-line.md"
NAMED = sorted(word for word in set(code_words(prose(PAGE))) if re.match(r"(tests|core|python|docs)/", word))


@pytest.mark.parametrize("named", NAMED)
def test_what_the_page_names_exists(named: str) -> None:
    path, _, test = named.partition("::")
    assert (ROOT / path).exists()
    assert not test or f"def {test}(" in read(ROOT / path)


def test_every_command_module_is_a_command() -> None:
    found = {
        path.stem
        for path in sources(PYTHON / "cli")
        if any(isinstance(node, ast.FunctionDef) and node.name == "configure" for node in ast.parse(read(path)).body)
    }
    assert found == set(COMMANDS)


def test_every_command_is_on_its_page() -> None:
    rows = [code.strip("[]").partition("]")[0] for code, _ in tables(COMMAND_LINE)[0][1:]]
    assert rows == list(COMMANDS)
    assert set(COMMANDS) <= {text for _, text in headings(COMMAND_LINE)}


def test_every_policy_is_on_the_pages() -> None:
    for page in (COMMAND_LINE, ROOT / "docs" / "policies.md"):
        assert set(POLICIES) <= set(code_words(prose(page)))


def test_every_format_is_on_its_page() -> None:
    """Format names are constants called FORMAT, FIRST_FORMAT, …, and docs/formats.md describes each."""
    found = {
        node.value.value
        for folder in (CORE, PYTHON)
        for path in sources(folder)
        for node in ast.parse(read(path)).body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        if any(isinstance(target, ast.Name) and target.id.endswith("FORMAT") for target in node.targets)
    }
    described = read(ROOT / "docs" / "formats.md")
    assert len(found) >= 4
    assert [name for name in sorted(found) if name not in described] == []
