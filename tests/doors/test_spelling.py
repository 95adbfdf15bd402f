"""Tiles and lists of tiles as people write them: many forms are read, one form is written (docs/formats.md)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mextrain import MextrainError, Position, RecordError, RuleSet, Tile, TileError, TileSet, plan, replay
from tests.cli.run import fail, succeed

JOINTS = ["-", "|", ":", "/", "–", "—", "−", "‐", "‑"]
SUPER = TileSet("super")
any_tile = st.sampled_from([*TileSet("double-18").tiles, *SUPER.tiles])


def glyph(high: int, low: int, standing: bool) -> str:
    """The character of Unicode's block Domino Tiles."""
    return chr((0x1F063 if standing else 0x1F031) + 7 * high + low)


@st.composite
def halves(draw: Any, half: str) -> str:
    """A half in one of its spellings."""
    forms = [half, half.lower()]
    if half.isdigit():
        forms += ["0" * zeros + half for zeros in (1, 2)]
    if half == "0":
        forms += ["blank", "Blank"]
    return str(draw(st.sampled_from(forms)))


@st.composite
def spellings(draw: Any, tile: Tile) -> str:
    """A tile in one of its spellings."""
    first, second = draw(st.permutations([str(half) for half in tile.halves]))
    if tile.halves == (0, 0) and draw(st.booleans()):
        return str(draw(st.sampled_from(["double-blank", "double blank", "Double Blank", "blank-blank"])))
    if not tile.is_wild and int(first) <= 6 >= int(second) and draw(st.booleans()):
        return glyph(int(first), int(second), draw(st.booleans()))
    gaps = st.sampled_from(["", " "])
    word = draw(halves(first)) + draw(gaps) + draw(st.sampled_from(JOINTS)) + draw(gaps) + draw(halves(second))
    before, after = draw(st.sampled_from(["", "[]", "()"])) or ("", "")
    return f"{before}{word}{after}"


@given(any_tile, st.data())
def test_a_tile_is_read_in_every_spelling(tile: Tile, data: st.DataObject) -> None:
    text = data.draw(spellings(tile))
    assert Tile.parse(text) == tile, text
    assert Tile.parse(f" {text} ") == tile, text
    assert str(Tile.parse(text)) == str(tile)


@given(st.lists(any_tile.filter(lambda tile: tile in SUPER), min_size=1, max_size=10, unique=True), st.data())
def test_a_list_is_read_in_every_spelling(tiles: list[Tile], data: st.DataObject) -> None:
    gaps = st.sampled_from([" ", ", ", ";", " ; ", ",", "\n", "\t"])
    text = "".join(data.draw(spellings(tile)) + data.draw(gaps) for tile in tiles)
    assert SUPER.parse_all(text) == tuple(tiles), text


@pytest.mark.parametrize(
    ("text", "tile"),
    [
        ("5|12", "12-5"), ("[5|12]", "12-5"), ("5:12", "12-5"), ("12/5", "12-5"), ("12 - 5", "12-5"), ("12–5", "12-5"),
        ("05-12", "12-5"), ("*-a", "*-A"), ("t-*", "*-T"), ("double-blank", "0-0"), ("double blank", "0-0"),
        ("blank|blank", "0-0"), ("blank-5", "5-0"), ("double 5", "5-5"), ("double-12", "12-12"),
        ("\U0001f031", "0-0"), ("\U0001f04a", "4-3"), ("\U0001f061", "6-6"), ("\U0001f07c", "4-3"),
    ],
)  # fmt: skip
def test_case_175_and_others(text: str, tile: str) -> None:
    assert str(Tile.parse(text)) == tile


def test_glyphs_are_those_of_unicode() -> None:
    for high in range(7):
        for low in range(high + 1):
            assert Tile(high, low).glyph == glyph(high, low, standing=False)
            for standing in (False, True):
                assert Tile.parse(glyph(high, low, standing)) == Tile(high, low)
                assert Tile.parse(glyph(low, high, standing)) == Tile(high, low)
    for tile in ("7-0", "*-*", "*-3"):
        with pytest.raises(TileError, match="no glyph"):
            Tile.parse(tile).glyph  # noqa: B018
    for back in ("\U0001f030", "\U0001f062", "\U0001f094"):
        with pytest.raises(TileError):
            Tile.parse(back)


LISTS = [
    "12-5 5-7 7-8", "5|12,7|5;8|7", "[12-5, 5-7, 7-8]", "[5|12][7|5][8|7]", "[12|5] [5|7] [7|8]", "(12-5) (5-7) (7-8)",
    "12 - 5, 5 - 7, 7 - 8", "12 / 5\n5 / 7\n7 / 8", " 12-5 ;; 5-7 ,7-8, ",
]  # fmt: skip


@pytest.mark.parametrize("text", LISTS)
def test_lists_as_people_write_them(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert [str(tile) for tile in TileSet("double-12").parse_all(text)] == ["12-5", "7-5", "8-7"]
    assert plan(text, 12).train == ("12-5", "5-7", "7-8")
    assert "12-5 5-7 7-8" in succeed(capsys, "plan", "--hand", text, "--start", "12-12")


@pytest.mark.parametrize("start", [12, "12", "012", "12-12", "[12|12]", Tile(12, 12)])
def test_a_train_may_start_from_an_engine(start: Any) -> None:
    assert plan("12-5 5-7", start).start == 12


@pytest.mark.parametrize("start", ["12-5", "", "x", 19, True, None, Tile(12, 5)])
def test_another_start_is_refused(start: Any) -> None:
    with pytest.raises(TileError, match=r"the start .* a double such as 12-12|no tile of double"):
        plan("12-5 5-7", start)


def test_a_refused_word_is_named_with_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("12-5 5-7 7-x 8-8", "12|5, 5|7; 7-x", "12 - 5 5 - 7 7-x"):
        with pytest.raises(TileError, match=r"'7-x' .*\(tile 3\)"):
            TileSet("double-12").parse_all(text)
        assert "'7-x'" in fail(capsys, "plan", "--hand", text, "--start", "3")
    with pytest.raises(TileError, match=r"13-1 is not a tile of double-12.*\(tile 2\)"):
        TileSet("double-12").parse_all("12-5 13-1")
    rules = RuleSet.mexican(players=2, tile_set="double-3", hand_size=2)
    with pytest.raises(MextrainError, match=r"the hand of seat 1 .* '3_1' .*\(tile 2\)"):
        Position.setup(rules, hands=["3-2 2-2", "1-0 3_1"])


def test_positions_take_what_people_write() -> None:
    rules = RuleSet.from_texts("mexican", 2, ["tile_set=double-3", "hand_size=2", "first_engine=[3|3]"])
    assert rules.first_engine == "3-3"
    position = Position.setup(rules, hands=["2|3; 2:2", ["0 - 1", "blank/blank"]], engine="3|3", chance="explicit")
    assert [" ".join(map(str, hand)) for hand in position.hands] == ["2-2 3-2", "0-0 1-0"]
    position.play("[3|2] @ 0")
    position.play("2/2@0")
    assert [event.text for event in position.events] == ["0:3-2@0", "0:2-2@0"]
    line = position.line()
    assert Position.from_line(line.replace("hand 1: 0-0 1-0", "hand 1: 0|0 00:1")).line() == line


@pytest.mark.parametrize("text", ["3|2@0", "03-2@0", "3-2 @0", "3-2@0 ", "2:3@m", "STOP"])
def test_records_take_nothing_but_the_one_form(text: str) -> None:
    """The same play in another form is a fault of the record."""
    rules = RuleSet.mexican(players=2, tile_set="double-3", hand_size=3)
    position = Position.deal(rules, seed=4)
    while not position.over:
        position.play(position.legal_moves()[0])
    record = position.record()
    seat = record["events"][0].partition(":")[0]
    with pytest.raises(RecordError):
        replay(record | {"events": [f"{seat}:{text}", *record["events"][1:]]})
    tile = record["hands"][0][0]
    for other in (tile.replace("-", "|"), tile[::-1], f"0{tile}", f"[{tile}]", f" {tile}"):
        if other != tile:
            with pytest.raises(RecordError, match="which records write"):
                replay(record | {"hands": [[other, *record["hands"][0][1:]], *record["hands"][1:]]})
    replay(record)
