"""Tiles and tile sets: docs/rules.md, sections 1, 2 and 9."""

from __future__ import annotations

import copy
import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mextrain import Tile, TileError, TileSet
from mextrain.game.tiles import LETTERS, SET_NAMES, WILD, parse_half

ALL_SETS = [TileSet(name) for name in SET_NAMES]
any_set = st.sampled_from(ALL_SETS)
any_tile = any_set.flatmap(lambda tiles: st.sampled_from(tiles.tiles))


# Section 2's table: tiles, tiles showing a given number, pip total, rounds (one for each double).
SET_FACTS = [
    ("double-9", 55, 10, 495, 10),
    ("double-12", 91, 13, 1092, 13),
    ("double-15", 136, 16, 2040, 16),
    ("double-18", 190, 19, 3420, 19),
    ("super", 112, 14, 1460, 14),
]


@pytest.mark.parametrize(("name", "size", "showing", "points", "doubles"), SET_FACTS)
def test_sets_are_those_of_the_table(name: str, size: int, showing: int, points: int, doubles: int) -> None:
    tiles = TileSet(name)
    assert len(tiles) == len(list(tiles)) == size
    assert sum(tile.points for tile in tiles) == points
    assert len(tiles.doubles) == doubles
    numbers = {half for tile in tiles for half in tile.halves if isinstance(half, int)}
    for number in numbers:
        assert sum(number in tile.halves for tile in tiles) == showing


@pytest.mark.parametrize("tiles", ALL_SETS, ids=SET_NAMES)
def test_all_tiles_differ_but_the_three_a(tiles: TileSet) -> None:
    copies = {tile: list(tiles).count(tile) for tile in tiles}
    many = {str(tile): count for tile, count in copies.items() if count > 1}
    assert many == ({"*-A": 3} if tiles.has_wild else {})
    assert all(tiles.count(tile) == count for tile, count in copies.items())


def test_super_adds_21_tiles_at_the_end() -> None:
    tiles = TileSet("super")
    assert tiles.tiles[:91] == TileSet("double-12").tiles
    more = [f"*-{n}" for n in range(13)] + ["*-*", "*-A", "*-A", "*-A", "*-D", "*-R", "*-S", "*-T"]
    assert [str(tile) for tile in tiles.tiles[91:]] == more
    # Case 32: thirteen trains with a number, one double train, three A, and one each of the others.
    wild = [tile for tile in tiles if tile.is_wild]
    assert len(wild) == 21
    assert sum(isinstance(tile.low, int) for tile in wild) == 13
    assert [sum(tile.low == letter for tile in wild) for letter in LETTERS] == [3, 1, 1, 1, 1]


def test_indices_are_triangular_and_smaller_sets_are_prefixes() -> None:
    largest = TileSet("double-18")
    for n in range(1, 19):
        tiles = TileSet(f"double-{n}")
        assert tiles.tiles == largest.tiles[: len(tiles)]
        for high in range(n + 1):
            for low in range(high + 1):
                assert tiles.index(Tile(high, low)) == high * (high + 1) // 2 + low


@given(any_set, st.data())
def test_index_and_tile_are_inverse(tiles: TileSet, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(tiles) - 1))
    tile = tiles[index]
    assert tiles[tiles.index(tile)] == tile
    assert tiles.index(tile) == (105 if str(tile) == "*-A" else index)


def test_engines_come_highest_first_and_the_train_last() -> None:
    assert [str(double) for double in TileSet("double-3").doubles] == ["3-3", "2-2", "1-1", "0-0"]
    assert [str(double) for double in TileSet("super").doubles] == [f"{n}-{n}" for n in range(12, -1, -1)] + ["*-*"]


@given(any_tile)
def test_texts_make_the_round_trip_in_either_order(tile: Tile) -> None:
    first, second = str(tile).split("-")
    assert Tile.parse(f"{first}-{second}") == Tile.parse(f"{second}-{first}") == tile
    assert str(Tile.parse(str(tile))) == str(tile)
    assert hash(Tile.parse(f"{second}-{first}")) == hash(tile)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("12-10", "12-10"),
        ("10-12", "12-10"),
        ("0-11", "11-0"),
        ("12-12", "12-12"),
        ("3-*", "*-3"),
        ("*-3", "*-3"),
        ("A-*", "*-A"),
        ("*-A", "*-A"),
        ("*-*", "*-*"),
        (" 5-7 ", "7-5"),
    ],
)
def test_case_47_numbers_of_two_digits(text: str, canonical: str) -> None:
    assert str(Tile.parse(text)) == canonical
    assert str(TileSet("super").parse(text)) == canonical


@pytest.mark.parametrize(
    "text",
    ["1-2-3", "12", "-", "1-", "-1", "--", "1--2", "a-b", "A-3", "3-A", "A-A", "A-D", "+5-7", "1 2", "5_7",
     "[1-2)", "[1-2", "19-0", "1000-0", "٣-٤", "²-1", "1-2\n3", "**", "x" * 500, "double", "double-",
     "double-19", "1,2", "1.5-2"],
)  # fmt: skip
def test_what_is_no_tile_is_refused_by_name(text: str) -> None:
    with pytest.raises(TileError) as caught:
        Tile.parse(text)
    named = text if len(text) < 50 else text[:10]
    assert repr(named)[1:-1] in str(caught.value)
    assert len(str(caught.value)) < 250
    assert text not in TileSet("super")


@pytest.mark.parametrize("text", ["", " ", "\t"])
def test_empty_text_is_refused(text: str) -> None:
    with pytest.raises(TileError, match="empty"):
        Tile.parse(text)


@pytest.mark.parametrize(
    ("name", "text"), [("double-12", "13-0"), ("double-12", "*-3"), ("double-9", "10-9"), ("super", "13-13")]
)
def test_what_is_not_in_the_set_is_refused_by_name(name: str, text: str) -> None:
    tiles = TileSet(name)
    with pytest.raises(TileError, match=name) as caught:
        tiles.parse(text)
    assert repr(text) in str(caught.value)
    with pytest.raises(TileError, match=name):
        tiles.index(Tile.parse(text))
    assert text not in tiles
    assert Tile.parse(text) not in tiles


@pytest.mark.parametrize("value", [None, 5, b"1-2", 1.5, ["1-2"], Tile(1, 2)])
def test_only_text_is_parsed(value: object) -> None:
    with pytest.raises(TileError):
        Tile.parse(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("half", [True, False, 1.0, -1, 19, "5", "a", "", None, [1], np.int64(3)])
def test_halves_are_exact(half: object) -> None:
    with pytest.raises(TileError, match="not a half"):
        Tile(half, 0)  # type: ignore[arg-type]
    with pytest.raises(TileError, match="not a half"):
        Tile(0, half)  # type: ignore[arg-type]


def test_a_tile_is_a_value() -> None:
    tile = Tile(5, 12)
    assert tile == Tile(12, 5)
    assert tile.halves == (12, 5)
    assert eval(repr(tile)) == tile
    assert pickle.loads(pickle.dumps(tile)) == copy.deepcopy(tile) == tile
    assert {tile: 1}[Tile.parse("5-12")] == 1
    with pytest.raises(AttributeError):
        tile.high = 3  # type: ignore[misc]
    assert tile != "12-5"
    with pytest.raises(TypeError):
        assert tile < "12-5"  # type: ignore[operator]


@pytest.mark.parametrize("tiles", ALL_SETS, ids=SET_NAMES)
def test_tiles_sort_as_sets_number_them(tiles: TileSet) -> None:
    assert all(first <= second for first, second in pairwise(tiles))
    assert sorted(set(tiles)) == [tile for tile, after in pairwise((*tiles, None)) if tile != after]


@given(any_tile)
def test_points(tile: Tile) -> None:
    """Section 9: pips; `*` and letters count 10 each."""
    assert tile.points == sum(int(half) if half not in (WILD, *LETTERS) else 10 for half in str(tile).split("-"))
    assert tile.is_double == (str(tile).split("-")[0] == str(tile).split("-")[1])
    assert tile.is_wild == ("*" in str(tile))


def test_half_codes_are_those_of_the_action_ids() -> None:
    """docs/actions.md: numbers as they are; with the set super `*` = 13 and A D R S T = 14 … 18."""
    tiles = TileSet("super")
    halves = [*range(13), "*", "A", "D", "R", "S", "T"]
    assert [tiles.half_code(half) for half in halves] == list(range(19))
    assert [tiles.half(code) for code in range(19)] == halves
    assert TileSet("double-15").half(13) == 13
    for tiles, half in [(TileSet("super"), 13), (TileSet("double-12"), "*"), (TileSet("double-18"), True)]:
        with pytest.raises(TileError):
            tiles.half_code(half)
    for code in (-1, 19):
        with pytest.raises(TileError):
            TileSet("super").half(code)


def test_lists_of_tiles() -> None:
    tiles = TileSet("double-12")
    assert [str(tile) for tile in tiles.parse_all("12-5 5-7,7-8 ,  0-0\n")] == ["12-5", "7-5", "8-7", "0-0"]
    assert tiles.parse_all("") == ()
    assert len(TileSet("super").parse_all("*-A A-* *-A")) == 3


def test_case_18_a_tile_listed_twice_is_reported_by_name() -> None:
    hand = "9-6 4-3 1-9 12-4 11-7 12-6 12-9 10-12 7-9 11-4 7-11 8-2 7-5 5-1 9-3"
    with pytest.raises(TileError, match="11-7 is listed 2 times"):
        TileSet("double-12").parse_all(hand)
    with pytest.raises(TileError, match=r"\*-A is listed 4 times, but super holds it 3 times"):
        TileSet("super").parse_all("*-A *-A *-A *-A")


@pytest.mark.parametrize("name", ["double-0", "double-19", "double-012", "double", "", "Super", None, 12, ["super"]])
def test_unknown_sets_are_refused_by_name(name: object) -> None:
    with pytest.raises(TileError, match="not a tile set"):
        TileSet(name)  # type: ignore[arg-type]


def test_a_set_is_a_value() -> None:
    tiles = TileSet("super")
    assert len(tiles.tiles) == 112  # fills the cached tables, which are not pickled
    twin = pickle.loads(pickle.dumps(tiles))
    assert twin == tiles == copy.deepcopy(tiles)
    assert hash(twin) == hash(tiles)
    assert twin.tiles == tiles.tiles
    assert tiles != TileSet("double-12")
    assert len(pickle.dumps(tiles)) < 200


def test_halves_by_name() -> None:
    assert [parse_half(text) for text in ("0", "18", "*", "T")] == [0, 18, "*", "T"]
    assert [parse_half(text) for text in ("01", "t", " 7 ", "blank")] == [1, "T", 7, 0]
    for text in ("19", "-1", "+1", "tt", "x", "", "1.0", None, 5):
        with pytest.raises(TileError, match="not a half"):
            parse_half(text)  # type: ignore[arg-type]
