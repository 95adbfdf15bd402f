"""The table of options as docs/rules.md section 11 prints it: tests take values and defaults from there.

It is parsed with the standard library alone, independently of the table in the code, which is compared with it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rules.md"

Value = str | int | None


class Printed(NamedTuple):
    """A row of the table.

    ``words``: the named values. ``spans``: first and last of a row of named values that are not all printed.
    ``numbers``: lowest and highest. ``none``: whether None is a value. ``defaults``: by preset; where other options
    decide, a text in words. ``shapes``: deal, turn or points.
    """

    shapes: str
    words: tuple[str, ...]
    spans: tuple[tuple[str, str], ...]
    numbers: tuple[int, int] | None
    none: bool
    defaults: dict[str, Value]
    effect: str

    @property
    def choices(self) -> tuple[Value, ...]:
        """Every value of an option that has few."""
        numbers = range(self.numbers[0], self.numbers[1] + 1) if self.numbers else ()
        return (*self.words, *([None] if self.none else []), *numbers)


def _value(cell: str) -> Value:
    text = cell.strip("`")
    return int(text) if text.isdigit() else None if cell == "`none`" else text


def _read(cells: list[str], presets: tuple[str, ...]) -> Printed:
    shapes, values, *defaults, effect = cells
    words, spans, numbers = [], [], None
    for part in values.split(", "):
        first, dots, last = part.partition(" … ")
        if first.startswith("`"):
            (spans if dots else words).append((first.strip("`"), last.strip("`")) if dots else first.strip("`"))
        else:
            numbers = int(first), int((last or first).replace(",", ""))
    # A word among numbers that means that there is no number.
    none = "none" in words and numbers is not None
    if none:
        words.remove("none")
    by_preset = dict(zip(presets, map(_value, defaults), strict=True))
    return Printed(shapes, tuple(words), tuple(spans), numbers, none, by_preset, effect)


def _table() -> tuple[tuple[str, ...], dict[str, Printed]]:
    text = PAGE.read_text(encoding="utf-8").partition("\n## 11. Options\n")[2].partition("\n### ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in re.findall(r"(?m)^\|.*\|$", text)]
    presets = tuple(cell.strip("`") for cell in rows[0][3:-1])
    return presets, {cells[0].strip("[]"): _read(cells[1:], presets) for cells in rows[2:]}


PRESETS, TABLE = _table()
"""The names of the presets, and the rows by name of the option, in the order of the page."""


def value_of(option: str, text: str) -> Value:
    """The value that a text names; ``none`` is None where that is a value, and elsewhere a word like others."""
    if text == "none" and option in TABLE and TABLE[option].none:
        return None
    return int(text) if text.isdigit() else text
