"""Parsing of the project's pages: fences, tables, headings, links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")])


@dataclass(frozen=True)
class Fence:
    """A fenced block: its language and the words after it, the number of its first line in the page, and its text."""

    language: str
    words: tuple[str, ...]
    line: int
    text: str


def name_of(page: Path) -> str:
    """The path of a page, relative to the project."""
    return page.relative_to(ROOT).as_posix()


def read(page: Path) -> str:
    """The text of a page."""
    return page.read_text(encoding="utf-8")


def fences(page: Path) -> list[Fence]:
    """All fenced blocks of a page, in order."""
    found = []
    lines = read(page).splitlines()
    start, info, indent = 0, "", ""
    for number, line in enumerate(lines):
        mark = re.fullmatch(r"( *)```(.*)", line)
        if mark is None:
            continue
        if not start:
            start, indent, info = number + 1, mark[1], mark[2]
            continue
        words = info.split()
        body = [text.removeprefix(indent) + "\n" for text in lines[start:number]]
        found.append(Fence(words[0] if words else "", tuple(words[1:]), start + 1, "".join(body)))
        start = 0
    assert not start, f"{name_of(page)}: the fence at line {start} has no end"
    return found


def prose(page: Path) -> str:
    """The text of a page without its fenced blocks; the lines keep their numbers."""
    inside = False
    kept = []
    for line in read(page).splitlines():
        fence = re.fullmatch(r" *```.*", line) is not None
        kept.append("" if fence or inside else line)
        inside ^= fence
    return "\n".join(kept)


def headings(page: Path) -> list[tuple[int, str]]:
    """All headings of a page: level and text."""
    return [(len(mark), text.strip()) for mark, text in re.findall(r"(?m)^(#+) (.*)$", prose(page))]


def anchors(page: Path) -> set[str]:
    """The anchors that a hosting site makes from the headings."""
    found: set[str] = set()
    for _, text in headings(page):
        anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        copies = (f"{anchor}-{number}" for number in range(1, 100))
        found.add(anchor if anchor not in found else next(name for name in copies if name not in found))
    return found


def links(page: Path) -> Iterator[tuple[int, str]]:
    """Yield line and target of every link: inline ones and the definitions of short ones."""
    for number, line in enumerate(prose(page).splitlines(), 1):
        plain = re.sub(r"`[^`]*`", "", line)
        for target in re.findall(r"\]\(([^)\s]+)\)", plain) + re.findall(r"^ *\[[^\]]+\]: (\S+)", plain):
            yield number, target


def short_links(page: Path) -> Iterator[tuple[int, str]]:
    """Yield line and name of every short link, `[name]` without a target of its own."""
    for number, line in enumerate(prose(page).splitlines(), 1):
        plain = re.sub(r"`[^`]*`", "", line)
        for name in re.findall(r"(?<!\])\[([^\]\[]+)\](?![:(\[])", plain):
            yield number, name


def tables(page: Path, section: str | None = None) -> list[list[list[str]]]:
    """All tables of a page, or of the section with that heading: rows of cells, without the row of dashes."""
    found: list[list[list[str]]] = []
    last, inside = -2, section is None
    for number, line in enumerate(prose(page).splitlines()):
        if section is not None and re.match(r"#{1,2} ", line):
            inside = line.lstrip("# ").strip() == section
        row = line.strip()
        if not inside or not row.startswith("|"):
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
        if last != number - 1:
            found.append([])
        if not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
            found[-1].append(cells)
        last = number
    return found


def section(page: Path, heading: str) -> str:
    """The prose below a heading, up to the next one."""
    found = re.search(rf"(?ms)^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", prose(page))
    assert found, f"{name_of(page)} has no heading {heading}"
    return found[1]


def code_words(text: str) -> list[str]:
    """The texts between single backticks."""
    return re.findall(r"`([^`]+)`", text)
