"""The generated tables in the pages are up to date."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs import generated
from tests.docs.pages import name_of, read


@pytest.mark.parametrize("path", generated.TABLES, ids=name_of)
def test_the_tables_are_those_of_the_code(path: Path) -> None:
    assert read(path) == generated.page(path), "run python -m tests.docs.generated"


@pytest.mark.parametrize("name", generated.STRUCTS)
def test_no_meaning_is_left_of_a_field_that_is_gone(name: str) -> None:
    assert set(generated.ELSEWHERE[name]) <= set(generated.STRUCTS[name][0].names or ())
