"""Tiles and tile sets (docs/rules.md sections 1 and 2, docs/formats.md).

A *half* is a text: a number such as ``"12"``, the red train ``"*"``, or a letter ``"A" "D" "R" "S" "T"``.
A *tile* is a text in canonical form, two halves joined by ``-``: higher number first, ``*`` first.
"""

from __future__ import annotations

from functools import cache

WILD = "*"
LETTERS = ("A", "D", "R", "S", "T")
ANYWHERE = "*-A"  # the tile that may go on any train, three of them in the set super
HIGHEST_NUMBER = {f"double-{n}": n for n in range(1, 19)} | {"super": 12}


def highest_number(tile_set: str) -> int:
    """The highest number of a set; ValueError for a set that does not exist."""
    if tile_set not in HIGHEST_NUMBER:
        raise ValueError(f"tile_set {tile_set!r} is not one of double-1 ... double-18, super")
    return HIGHEST_NUMBER[tile_set]


@cache
def tiles_of(tile_set: str) -> tuple[str, ...]:
    """All tiles of a set in the order of their index; in super ``*-A`` is there three times."""
    tiles = [f"{high}-{low}" for high in range(highest_number(tile_set) + 1) for low in range(high + 1)]
    if tile_set == "super":
        tiles += [f"*-{number}" for number in range(13)]
        tiles += ["*-*", "*-A", "*-A", "*-A", "*-D", "*-R", "*-S", "*-T"]
    return tuple(tiles)


@cache
def doubles_of(tile_set: str) -> tuple[str, ...]:
    """The doubles in the order in which they serve as engines: n-n ... 0-0, in super then ``*-*``."""
    doubles = [f"{number}-{number}" for number in range(highest_number(tile_set), -1, -1)]
    return tuple([*doubles, "*-*"] if tile_set == "super" else doubles)


@cache
def halves(tile: str) -> tuple[str, str]:
    """The two halves of a tile."""
    first, second = tile.split("-")
    return first, second


def is_double(tile: str) -> bool:
    """Both halves equal (only number doubles and ``*-*`` exist)."""
    first, second = halves(tile)
    return first == second


@cache
def _index_of(tile_set: str) -> dict[str, int]:
    index: dict[str, int] = {}
    for number, tile in enumerate(tiles_of(tile_set)):
        index.setdefault(tile, number)
    return index


def tile_index(tile: str, tile_set: str) -> int:
    """The index of a canonical tile in its set (the first of the three for ``*-A``)."""
    return _index_of(tile_set)[tile]


def parse_tile(text: object, tile_set: str) -> str:
    """The canonical form of a tile written in either order; refuses, by name, what is not in the set."""
    index = _index_of(tile_set)
    if isinstance(text, str):
        if text in index:
            return text
        first, dash, second = text.partition("-")
        if dash and f"{second}-{first}" in index:
            return f"{second}-{first}"
    raise ValueError(f"{text!r} is not a tile of the set {tile_set}")


def half_points(half: str) -> int:
    """Pips; ``*`` and letters count 10 each (docs/rules.md section 9)."""
    return 10 if half == WILD or half in LETTERS else int(half)


@cache
def tile_points(tile: str, double_blank: int = 0) -> int:
    """Points of a tile in hand (docs/rules.md section 9); 0-0 counts ``double_blank``."""
    if tile == "0-0":
        return double_blank
    first, second = halves(tile)
    return half_points(first) + half_points(second)


def joins(laid: str, end: str, letter_match: str) -> bool:
    """May the half ``laid`` touch the half ``end``? (docs/rules.md section 4.)

    Equal numbers, or either is ``*``. A letter joins only ``*`` under ``train_only``, the same letter too in
    ``same_letter``, every letter under ``any_letter``; under ``anywhere`` a letter that is *laid* may besides
    touch any end, but an end that *is* a letter still takes only ``*`` or a letter.
    """
    if laid == WILD or end == WILD:
        return True
    if laid not in LETTERS:
        return laid == end
    if letter_match == "train_only":
        return False
    if letter_match == "same_letter":
        return laid == end
    return end in LETTERS or letter_match == "anywhere"


@cache
def half_texts(tile_set: str) -> tuple[str, ...]:
    """All halves that occur in a set."""
    numbers = tuple(str(number) for number in range(highest_number(tile_set) + 1))
    return (*numbers, WILD, *LETTERS) if tile_set == "super" else numbers


@cache
def laid_on(tile_set: str, letter_match: str) -> dict[str, frozenset[str]]:
    """For each end, the halves that may be laid on it."""
    every = half_texts(tile_set)
    return {end: frozenset(laid for laid in every if joins(laid, end, letter_match)) for end in every}


@cache
def ends_joined_by(tile_set: str, letter_match: str) -> dict[str, tuple[str, ...]]:
    """For each tile, the ends that it could join in either orientation."""
    fitting = laid_on(tile_set, letter_match)
    return {
        tile: tuple(end for end, laid in fitting.items() if not laid.isdisjoint(halves(tile)))
        for tile in tiles_of(tile_set)
    }
