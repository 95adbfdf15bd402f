"""Every dependency is imported somewhere, and pages name only extras that exist."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.tidy.tree import CORE, PYTHON, ROOT, imported, project_files, sources

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
FOR_DEVELOPERS = {"test", "docs", "dev"}
IMPORTED_AS = {"open": "pyspiel"}
"""Packages whose modules have other names, by the first word of the package."""
FOR_USERS = [*PROJECT["dependencies"], *(line for name in EXTRAS.keys() - FOR_DEVELOPERS for line in EXTRAS[name])]


@pytest.mark.parametrize("requirement", sorted(FOR_USERS))
def test_what_users_install_is_imported(requirement: str) -> None:
    package = re.split(r"\W", requirement)[0]
    folders = (CORE, PYTHON, ROOT / "examples" / "learner")
    files = [(path, folder.name) for folder in folders for path in sources(folder)]
    modules = {name.partition(".")[0] for path, where in files for name in imported(path, where)}
    assert IMPORTED_AS.get(package, package) in modules


def test_extras_that_are_named_exist() -> None:
    named = {
        extra
        for path in project_files()
        if path.suffix in {".md", ".toml", ""}
        for extras in re.findall(r"(?:\bmextrain|['\"]\.)\[([a-z,]+)\]", path.read_text(encoding="utf-8"))
        for extra in extras.split(",")
    }
    assert named
    assert named <= EXTRAS.keys()
