"""The generated tables in the pages are up to date."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.docs import drawings, generated
from tests.docs.pages import PAGES, name_of, read


@pytest.mark.parametrize("path", generated.TABLES, ids=name_of)
def test_the_tables_are_those_of_the_code(path: Path) -> None:
    assert read(path) == generated.page(path), "run python -m tests.docs.generated"


@pytest.mark.parametrize("name", generated.STRUCTS)
def test_no_meaning_is_left_of_a_field_that_is_gone(name: str) -> None:
    assert set(generated.ELSEWHERE[name]) <= set(generated.STRUCTS[name][0].names or ())


@pytest.mark.parametrize("name", drawings.DRAWINGS)
def test_the_pictures_are_those_of_the_code(name: str) -> None:
    file = drawings.FOLDER / f"{name}.svg"
    # Hashes, because a difference of two pictures would be unreadable.
    drawn, kept = (hashlib.sha256(data).hexdigest() for data in (drawings.DRAWINGS[name]().encode(), file.read_bytes()))
    assert drawn == kept, "run python -m tests.docs.generated"


def test_every_picture_is_shown_somewhere() -> None:
    pages = "".join(map(read, PAGES))
    files = sorted(path.name for path in drawings.FOLDER.glob("*.svg"))
    assert [name for name in files if f"pictures/{name})" not in pages] == []
