"""The options of the rules, as texts and checks for people (docs/rules.md, section 11).

The table itself stands in `mextrain_core.model.options`, once; here its rows learn to accept, parse and explain. How
options depend on each other is the business of `mextrain.game.rules`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby

from mextrain.errors import TileError
from mextrain.game.tiles import Tile
from mextrain_core.model import options

PRESETS = tuple(options.PRESETS)
"""The names of the presets: seed rules of Mexican Train and of Super Train."""

PLAYERS_TABLE = {name: preset.deals for name, preset in options.PRESETS.items()}
"""Tile set and hand size by preset and number of players (docs/rules.md, section 3)."""


@dataclass(frozen=True)
class Option(options.Row):
    """One option: what it accepts, what the presets choose, and what it means.

    `name`, `meaning` (one line) and `section` (of docs/rules.md); `shapes` is `deal`, `turn` or `points`. `values` are
    its named values with a line of meaning each, `words` their names; `numbers` is the range of its numbers (`low`,
    `high`, `meaning`) or None; `none` says what the value None means, and is empty if None is not a value.
    """

    def default(self, preset: str) -> str | int | None:
        """The default of `preset`; one that follows from other options is described in words."""
        return options.PRESETS[preset].options.get(self.name, self.usual)

    @property
    def lines(self) -> dict[str, str]:
        """Every value as people write it, with its meaning; neighbours with the same meaning are one line, `a … b`."""
        found = {}
        for meaning, group in groupby(self.values, key=lambda word: self.values[word]):
            words = list(group)
            found[words[0] if len(words) == 1 else f"{words[0]} … {words[-1]}"] = meaning
        if self.none:
            found["none"] = self.none
        if self.numbers is not None:
            low, high, meaning = self.numbers
            found[f"{low}" if low == high else f"{low} … {high:,}"] = meaning
        return found

    @property
    def accepted(self) -> str:
        """What the option takes, as a text for people."""
        *first, last = self.lines
        if self.numbers is not None and self.numbers.low < self.numbers.high:
            last = f"a whole number {last}"
        return f"{', '.join(first)} or {last}" if first else last

    def accepts(self, value: object) -> bool:
        """Whether `value` is one of the option's values; types are exact, so True is not 1."""
        if value is None:
            return bool(self.none)
        if type(value) is int:
            return self.numbers is not None and self.numbers.low <= value <= self.numbers.high
        return type(value) is str and value in self.values

    def explain(self, value: str | int | None) -> str:
        """Return what `value`, one of the option's values, means."""
        if isinstance(value, str):
            return self.values[value]
        return self.none if value is None or self.numbers is None else self.numbers.meaning

    def parse(self, text: str) -> str | int | None:
        """Return the value that `text` writes on a command line; whether it is accepted is checked elsewhere."""
        if self.none and text == "none":
            return None
        if self.name == "first_engine":
            try:
                return str(Tile.parse(text))
            except TileError:
                return text
        # 18 digits are more than any option takes and less than Python refuses to convert.
        if self.numbers is not None and re.fullmatch(r"-?[0-9]{1,18}", text):
            return int(text)
        return text


OPTIONS: dict[str, Option] = {name: Option(**vars(row)) for name, row in options.TABLE.items()}
"""All options by name, in the order of docs/rules.md, section 11."""
