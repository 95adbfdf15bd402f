"""Finds the documentation pages that come with the package (`docs` in the source tree)."""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from mextrain.errors import MextrainError

TREE = Path(__file__).resolve().parents[3]
"""The source tree, if this file is in one."""


def page(name: str) -> Traversable:
    """Return the page `name`, such as rules.md, from the installed package or from the source tree.

    Its `read_text()` also works in zip files, and `str` of it is its path. Raises `MextrainError` if the package was
    installed without its pages.
    """
    places = (resources.files("mextrain") / "docs" / name, TREE / "docs" / name)
    for place in places:
        if place.is_file():
            return place
    raise MextrainError(f"the page {name} is not installed: expected it in {' or '.join(map(str, places))}")
