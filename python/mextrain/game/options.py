"""The options of the rules: checking, parsing and explaining their values (docs/rules.md, section 11).

The table itself is in `mextrain_core.model.options`. `mextrain.game.rules` handles how options depend on each other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby

from mextrain.errors import TileError
from mextrain.game.tiles import Tile
from mextrain_core.model import options

PRESETS = tuple(options.PRESETS)
"""The names of the presets: standard rules for Mexican Train and for Super Train."""

PLAYERS_TABLE = {name: preset.deals for name, preset in options.PRESETS.items()}
"""Tile set and hand size by preset and number of players (docs/rules.md, section 3)."""


@dataclass(frozen=True)
class Option(options.Row):
    """One option: what it accepts, its value in each preset, and what it means.

    `name`, `meaning` (one line) and `section` (of docs/rules.md) describe it; `shapes` is `deal`, `turn` or `points`.
    `values` maps each named value to a one-line meaning, and `words` are the names. `numbers` is the range of accepted
    numbers (`low`, `high`, `meaning`) or None. `none` says what the value None means; it is empty if None is not
    accepted.
    """

    def default(self, preset: str) -> str | int | None:
        """Return the default in `preset`. A default that follows from other options is described in words."""
        return options.PRESETS[preset].options.get(self.name, self.usual)

    @property
    def lines(self) -> dict[str, str]:
        """Each value in written form, with its meaning. Neighbours with the same meaning share a line, `a … b`."""
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
        """The accepted values, as text for people."""
        *first, last = self.lines
        if self.numbers is not None and self.numbers.low < self.numbers.high:
            last = f"a whole number {last}"
        return f"{', '.join(first)} or {last}" if first else last

    def accepts(self, value: object) -> bool:
        """Return whether `value` is one of the option's values. Types are exact: True is not 1."""
        if value is None:
            return bool(self.none)
        if type(value) is int:
            return self.numbers is not None and self.numbers.low <= value <= self.numbers.high
        return type(value) is str and value in self.values

    def explain(self, value: str | int | None) -> str:
        """Return the meaning of `value`, which must be one of the option's values."""
        if isinstance(value, str):
            return self.values[value]
        return self.none if value is None or self.numbers is None else self.numbers.meaning

    def parse(self, text: str) -> str | int | None:
        """Return the value for a `text` from the command line. `accepts` checks whether it is allowed."""
        if self.none and text == "none":
            return None
        if self.name == "first_engine":
            try:
                return str(Tile.parse(text))
            except TileError:
                return text
        # 18 digits are more than any option needs, and few enough for Python to convert.
        if self.numbers is not None and re.fullmatch(r"-?[0-9]{1,18}", text):
            return int(text)
        return text


OPTIONS: dict[str, Option] = {name: Option(**vars(row)) for name, row in options.TABLE.items()}
"""All options by name, in the order of docs/rules.md, section 11."""
