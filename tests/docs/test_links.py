"""Links in the pages, and references to pages in the sources."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT, anchors, headings, links, name_of, read, short_links
from tests.tidy.tree import project_files

RULES = ROOT / "docs" / "rules.md"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    dead = []
    for line, target in links(page):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        if not there.exists() or (anchor and anchor not in anchors(there)):
            dead.append(f"line {line}: {target}")
    assert dead == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_short_links_are_defined(page: Path) -> None:
    defined = set(re.findall(r"(?m)^\[([^\]]+)\]: ", read(page)))
    if not defined:
        return  # On a page without link definitions, brackets are not links.
    undefined = [f"line {line}: {name}" for line, name in short_links(page) if name not in defined]
    assert undefined == []


def test_every_page_can_be_found_from_the_index() -> None:
    index = ROOT / "docs" / "README.md"
    listed = {(index.parent / target.partition("#")[0]).resolve() for _, target in links(index)}
    decisions = ROOT / "docs" / "decisions"
    missing = [
        name_of(page)
        for page in PAGES
        if (ROOT / "docs") in page.parents and page != index and page not in listed and decisions not in page.parents
    ]
    assert missing == []
    assert decisions in listed


def test_sources_cite_pages_and_sections_that_exist() -> None:
    """Docstrings and comments cite `docs/rules.md section 7`; page and section must exist."""
    numbers = {int(text.partition(".")[0]) for _, text in headings(RULES) if re.match(r"\d+\. ", text)}
    wrong = []
    for path in project_files():
        text = path.read_text(encoding="utf-8")
        for found in re.finditer(r"docs/([\w-]+/)*[\w-]+\.md", text):
            here = f"{name_of(path)}: {found[0]}"
            if not (ROOT / found[0]).exists():
                wrong.append(here)
            cited = re.match(r",? sections? (\d+)", text[found.end() :])
            if cited and found[0] == "docs/rules.md" and int(cited[1]) not in numbers:
                wrong.append(f"{here} section {cited[1]}")
    assert wrong == []


def test_decisions_have_numbers_of_their_own() -> None:
    numbers = [path.name[:5] for path in sorted((ROOT / "docs" / "decisions").glob("*.md"))]
    assert numbers == [f"{number:04}-" for number in range(1, len(numbers) + 1)]
