"""Tiles and tile sets as people write them: `12-5`, `0-0`, `*-3`, `*-*`, `*-A` (docs/rules.md, section 2).

A `Tile` is a pair of halves and does not belong to a particular set. A `TileSet` knows which tiles exist, how they are
numbered, and which half codes the core uses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, total_ordering
from types import MappingProxyType

import numpy as np

from mextrain._support.lazy import cached_property
from mextrain.errors import TileError, nearest, shown
from mextrain.game.spelling import glyph, written_half, written_halves, written_words
from mextrain_core.model.options import SET_NAMES
from mextrain_core.model.tiles import SetTables, tables

WILD = "*"
"""The red train, Super Train's wild half."""

LETTERS = ("A", "D", "R", "S", "T")
"""The letter halves of Super Train. The other half of such a tile is always `*`."""

MAX_NUMBER = 18
"""The highest number on any tile."""

MAX_TEXT = 100
"""The most characters in the text of a tile. Longer texts are rejected without being parsed."""

MAX_LIST = 20_000
"""The most characters in a list of tiles. Longer texts are rejected without being parsed."""

Half = int | str
"""A half of a tile: a number, `*` or a letter."""

# Halves in the order of the tile numbering: numbers, the red train, letters.
_HALF_ORDER: dict[Half, int] = {half: rank for rank, half in enumerate([*range(MAX_NUMBER + 1), WILD, *LETTERS])}
_HALF_TEXTS: dict[str, Half] = {str(half): half for half in _HALF_ORDER}


def parse_half(text: str) -> Half:
    """Return the half that `text` names: `0` … `18`, `*`, or one of A D R S T. `05`, `a` and `blank` also work.

    Raises `TileError` for anything else, including `+5` and `5.0`.
    """
    half = _HALF_TEXTS.get(text) or _HALF_TEXTS.get(written_half(text.strip())) if isinstance(text, str) else None
    if half is None:
        raise TileError(
            f"{shown(text)} is not a half of a tile: expected a number 0 … {MAX_NUMBER}, "
            f"{WILD} or one of {' '.join(LETTERS)}"
        )
    return half


def parse_halves(text: str) -> tuple[Half, Half]:
    """Return the halves of the tile that `text` names, in the order written.

    The usual form is `12-5`; docs/formats.md lists the other forms. Raises a `TileError` that names the text.
    """
    if not isinstance(text, str):
        raise TileError(f"{shown(text)} is not the text of a tile: expected two halves joined by '-', such as 12-5")
    if not text.strip():
        raise TileError("the text of a tile is empty: expected two halves joined by '-', such as 12-5 or *-3")
    halves = written_halves(text) if len(text) <= MAX_TEXT else None
    if halves is None:
        raise TileError(f"{shown(text)} is not a tile: expected two halves joined by one '-', such as 12-5 or *-3")
    try:
        return parse_half(halves[0]), parse_half(halves[1])
    except TileError as error:
        raise TileError(f"{shown(text)} is not a tile: {error}") from None


@total_ordering
@dataclass(frozen=True, slots=True)
class Tile:
    """A tile: two halves, the higher number or `*` first.

    `Tile(5, 12) == Tile(12, 5)`. Tiles sort in the order in which sets number them. A half is an int 0 … 18, `"*"` or a
    letter; a letter is always paired with `*`. Raises `TileError` for other halves.
    """

    high: Half
    low: Half

    def __post_init__(self) -> None:
        for half in (self.high, self.low):
            if type(half) not in (int, str) or half not in _HALF_ORDER:
                raise TileError(
                    f"{shown(half)} is not a half of a tile: expected a number 0 … {MAX_NUMBER}, "
                    f"'{WILD}' or one of {' '.join(LETTERS)}"
                )
        high, low = self.high, self.low
        if high in LETTERS or (_HALF_ORDER[high] < _HALF_ORDER[low] and low not in LETTERS):
            high, low = low, high
        if high in LETTERS or (low in LETTERS and high != WILD):
            raise TileError(f"{self} does not exist: a letter sits only beside {WILD}, as in {WILD}-A")
        object.__setattr__(self, "high", high)
        object.__setattr__(self, "low", low)

    @classmethod
    def parse(cls, text: str) -> Tile:
        """Return the tile that `text` names, in either order: `12-5` and `5-12` are the same tile.

        `5|12`, `[5:12]`, `05-12`, `*-a`, `double-blank` and domino glyphs also work (docs/formats.md). `TileSet.parse`
        checks whether a set has the tile. Raises a `TileError` that names the text.
        """
        halves = parse_halves(text)
        try:
            return cls(*halves)
        except TileError as error:
            raise TileError(f"{shown(text)} is not a tile: {error}") from None

    @property
    def halves(self) -> tuple[Half, Half]:
        """Both halves in canonical order."""
        return self.high, self.low

    @property
    def is_double(self) -> bool:
        """Whether both halves are equal."""
        return self.high == self.low

    @property
    def is_wild(self) -> bool:
        """Whether the tile shows a red train, and so joins anything (docs/rules.md, section 4)."""
        return self.high == WILD

    @property
    def points(self) -> int:
        """The points of the tile: its pips, with 10 each for `*` and letters (docs/rules.md, section 9).

        0-0 counts 0 here; `RuleSet.points` applies the option `double_blank`.
        """
        return sum(half if isinstance(half, int) else 10 for half in self.halves)

    @property
    def glyph(self) -> str:
        """The tile as one Unicode character, horizontal, with the higher half on the left; for halves 0 … 6 only.

        Raises `TileError` for other tiles.
        """
        if isinstance(self.high, str) or isinstance(self.low, str) or self.high > 6:
            raise TileError(f"{self} has no glyph: Unicode has the tiles of double-6 only")
        return glyph(self.high, self.low)

    def __str__(self) -> str:
        return f"{self.high}-{self.low}"

    def __repr__(self) -> str:
        return f"Tile.parse({str(self)!r})"

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Tile):
            return NotImplemented
        return self._order < other._order

    @property
    def _order(self) -> tuple[int, int]:
        return _HALF_ORDER[self.high], _HALF_ORDER[self.low]


def parse_words(tiles: str | Iterable[Tile | str]) -> list[Tile | str]:
    """Return one entry for each tile of a list: the words of a text, or the items of any other iterable.

    Raises `TileError` for anything that is not a list, and for a text of more than `MAX_LIST` characters.
    """
    if isinstance(tiles, str) and len(tiles) <= MAX_LIST:
        return list(written_words(tiles))
    if isinstance(tiles, (str, bytes, Mapping)) or not isinstance(tiles, Iterable):
        raise TileError(f"{shown(tiles)} is not a list of tiles: expected a text such as '12-5 5-7 *-3', or tiles")
    return list(tiles)


def parse_each(words: Iterable[Tile | str]) -> Iterator[Tile]:
    """Yield the tile that each of `words` names, of any set. The `TileError` for a bad word gives its place."""
    for place, word in enumerate(words, 1):
        try:
            yield word if isinstance(word, Tile) else Tile.parse(word)
        except TileError as error:
            raise TileError(f"{error} (tile {place})") from None


@dataclass(frozen=True)
class TileSet:
    """All tiles of one set, numbered as in docs/rules.md, section 2.

    It behaves like a sequence of `Tile`: `len(s)`, `s[91]`, iteration by index, and `tile in s` (for texts too).
    `super` holds `*-A` three times, at 105, 106 and 107. Sets with the same name are equal.

    Raises `TileError` for a name other than `double-1` … `double-18` and `super`.
    """

    name: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or self.name not in SET_NAMES:
            hint = nearest(self.name, SET_NAMES)
            expected = f"expected double-1 … double-18 or super{hint and '; '}{hint}"
            raise TileError(f"{shown(self.name)} is not a tile set: {expected}")

    @cached_property
    def tables(self) -> SetTables:
        """The core's tables of this set (half codes, ordered pairs, counts)."""
        return tables(self.name)

    @cached_property
    def tiles(self) -> tuple[Tile, ...]:
        """All tiles by index."""
        pairs = zip(self.tables.hi.tolist(), self.tables.lo.tolist(), strict=True)
        return tuple(Tile(self._halves[high], self._halves[low]) for high, low in pairs)

    @cached_property
    def doubles(self) -> tuple[Tile, ...]:
        """The doubles in the order in which they are used as engines: n-n … 0-0, then `*-*` if the set has it."""
        numbers = [tile for tile in reversed(self.tiles) if tile.is_double and not tile.is_wild]
        return (*numbers, *(tile for tile in self.tiles if tile.is_double and tile.is_wild))

    @property
    def has_wild(self) -> bool:
        """Whether the set has red trains and letters. Only `super` does."""
        return self.name == "super"

    @cached_property
    def _first_index(self) -> dict[Tile, int]:
        return {tile: index for index, tile in reversed(list(enumerate(self.tiles)))}

    @cached_property
    def copies(self) -> Mapping[Tile, int]:
        """How many copies of each tile the set holds, in tile-number order."""
        return MappingProxyType(Counter(self.tiles))

    @cached_property
    def first_indices(self) -> np.ndarray:
        """The index of each different tile, in ascending order; the copies of `*-A` follow their first."""
        return np.array(sorted(self._first_index.values()), np.int64)

    @cached_property
    def _halves(self) -> tuple[Half, ...]:
        return tuple(map(parse_half, self.tables.half_names))

    @cached_property
    def _codes(self) -> dict[str, int]:
        return {name: code for code, name in enumerate(self.tables.half_names)}

    def __len__(self) -> int:
        return int(self.tables.size)

    def __getitem__(self, index: int) -> Tile:
        return self.tiles[index]

    def __iter__(self) -> Iterator[Tile]:
        return iter(self.tiles)

    def __contains__(self, tile: object) -> bool:
        if isinstance(tile, str):
            try:
                tile = Tile.parse(tile)
            except TileError:
                return False
        return tile in self._first_index

    def __getstate__(self) -> dict[str, str]:
        return {"name": self.name}

    def parse(self, text: str) -> Tile:
        """Return the tile of this set that `text` names, in either order. Raises a `TileError` that names the text."""
        tile = Tile.parse(text)
        if tile not in self._first_index:
            raise TileError(f"{shown(text)} is not a tile of {self.name}: {self._describe_halves()}")
        return tile

    def parse_all(self, text: str | Iterable[Tile | str]) -> tuple[Tile, ...]:
        """Return the tiles that `text` lists, separated by spaces, commas or semicolons, in the order written.

        A list of tiles or of their texts is also accepted.

        Raises `TileError` for a tile that is not in the set, with its place, and for one listed more often than the set
        holds it (once, but three times for `*-A`).
        """
        found = tuple(self.parse_each(parse_words(text)))
        for tile in found:
            if found.count(tile) > self.count(tile):
                raise TileError(
                    f"{tile} is listed {found.count(tile)} times, but {self.name} holds it "
                    f"{self.count(tile)} time{'s' if self.count(tile) > 1 else ''}: remove the surplus"
                )
        return found

    def parse_each(self, words: Iterable[Tile | str]) -> Iterator[Tile]:
        """Yield the tile of this set that each of `words` names. The `TileError` for a bad word gives its place."""
        for place, tile in enumerate(parse_each(words), 1):
            if tile not in self._first_index:
                raise TileError(f"{tile} is not a tile of {self.name}: {self._describe_halves()} (tile {place})")
            yield tile

    def index(self, tile: Tile) -> int:
        """Return the index of `tile` (the first, 105, for `*-A`). Raises `TileError` if it is not in the set."""
        try:
            return self._first_index[tile]
        except (KeyError, TypeError):
            raise TileError(f"{shown(tile)} is not a tile of {self.name}: {self._describe_halves()}") from None

    def count(self, tile: Tile) -> int:
        """Return how many copies of `tile` the set holds: 3 for `*-A`, else 1, or 0 if it is not in the set."""
        return self.copies.get(tile, 0) if isinstance(tile, Tile) else 0

    def half_code(self, half: Half) -> int:
        """Return the core's code for `half` (docs/actions.md): a number is its own code, `*` is 13, letters 14 … 18.

        Raises `TileError` if no tile of the set shows `half`.
        """
        code = self._codes.get(str(half)) if type(half) in (int, str) else None
        if code is None:
            raise TileError(f"no tile of {self.name} shows {shown(half)}: {self._describe_halves()}")
        return code

    def half(self, code: int) -> Half:
        """Return the half with the core's code `code`. Raises `TileError` if there is none."""
        if type(code) is not int or not 0 <= code < len(self._halves):
            raise TileError(f"{shown(code)} is not a half code of {self.name}: expected 0 … {len(self._halves) - 1}")
        return self._halves[code]

    def _describe_halves(self) -> str:
        highest = self.doubles[0].high
        return f"its numbers go up to {highest}" + (f", letters sit beside {WILD}" if self.has_wild else "")


@cache
def shared_set(name: str) -> TileSet:
    """Return the set called `name`, the same object every time, so that its tables are made once."""
    return TileSet(name)
