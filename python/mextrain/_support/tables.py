"""Tables for a terminal: they give up detail, column by column, rather than wrap."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import NamedTuple


class Cell(NamedTuple):
    """A cell in full, and what is left of it when there is no room."""

    full: str
    short: str

    @classmethod
    def of(cls, text: str) -> Cell:
        """Return a cell that is always the same."""
        return cls(text, text)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 game`, `1,000 games`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def fitted(rows: Sequence[Sequence[Cell]], width: int, gap: str = "  ", right: int = 0) -> list[str]:
    """Return the lines of a table, at most `width` columns wide if its short form is.

    As long as it is wider, the columns are shortened, the last one first. The first `right` columns are aligned to the
    right, the others to the left.
    """
    count = len(rows[0])
    for shortened in range(count + 1):
        texts = [
            [cell.short if place >= count - shortened else cell.full for place, cell in enumerate(row)] for row in rows
        ]
        wide = [max(len(row[place]) for row in texts) for place in range(count)]
        lines = [
            gap.join(
                text.rjust(wide[place]) if place < right else text.ljust(wide[place]) for place, text in enumerate(row)
            ).rstrip()
            for row in texts
        ]
        if max(map(len, lines)) <= width:
            break
    return lines


def wrapped(text: str, width: int) -> list[str]:
    """Return the lines of a text, wrapped at `width` columns; further lines are indented like the first, and a bit."""
    found = []
    for line in text.split("\n"):
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        found += textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False) or [""]
    return found
