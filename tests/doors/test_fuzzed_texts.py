"""Random texts for all parsers: accepted texts are written in one canonical form, all others are a clear error.

Hypothesis is reproducible in the default profile; its earlier findings are examples here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mextrain import Event, MextrainError, Position, RoundRecord, RuleSet, Tile, TileSet, replay
from mextrain.game.seeding import parse_seed
from mextrain.game.tiles import parse_half
from mextrain.study.planner import _read

RULES = RuleSet.super(players=3, rounds=1)
SMALL = RuleSet.mexican(players=2, tile_set="double-3", hand_size=3)

PIECES = [
    "0", "5", "05", "12", "18", "99", "9" * 30, "-", "–", "|", ":", "/", "*", "**", "A", "a", "T", "[", "]", "(", ")",
    " ", ",", ";", "\n", "\t", "\0", "@", "M", "m", "stop", "draw ", "open", "skip", "forced-draw ", "double", "blank",
    "double-", "\U0001f04a", "\U0001f030", "\U0001f093", "٣", "²", "\ud800", "e9", "1e999", "NaN", "=", "?", "rest",
    "none", "mextrain-position/1", "rules ", "hand 0:", "boneyard", "laid ", "trains", "counts", '"', "{", "}", "null",
]  # fmt: skip
mixed = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
texts = st.one_of(mixed, st.text(max_size=40))

READERS: dict[str, Callable[[str], Any]] = {
    "half": parse_half,
    "tile": Tile.parse,
    "tiles": TileSet("super").parse_all,
    "set": TileSet,
    "move": RULES.actions.parse,
    "event": lambda text: Event.parse(text, RULES.actions),
    "line": Position.from_line,
    "record": RoundRecord.from_json,
    "replay": lambda text: replay(RoundRecord.from_json(text)),
    "option": lambda text: RuleSet.from_texts("mexican", 3, [text]),
    "preset": lambda text: RuleSet.from_texts(text, 3, []),
    "seed": parse_seed,
    "hand": lambda text: _read(text, 5, None),
    "start": lambda text: _read("5-5", text, None),
    "engine": lambda text: Position.deal(SMALL, seed=1, engine=text),
    "hands": lambda text: Position.setup(SMALL, hands=[text, text]),
}


def read(name: str, text: str) -> Any:
    """The result of a parser, or None if it refuses the text in one line."""
    try:
        return READERS[name](text)
    except MextrainError as error:
        message = str(error)
        assert "\n" not in message, message
        assert len(message) < 6000, message
        return None


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=60)
@given(text=texts)
@example(text="")
@example(text="[")
@example(text="]" * 90)
@example(text="[1][")
@example(text="double-")
@example(text="5" * 5000)
@example(text="[" * 100_000)
@example(text="-" * 20_000)
@example(text="double " * 10_000)
@example(text=" " * 100_000)
def test_any_text(name: str, text: str) -> None:
    read(name, text)


@given(texts)
def test_what_is_read_is_written_in_one_form(text: str) -> None:
    tile = read("tile", text)
    if tile is not None:
        assert Tile.parse(str(tile)) == tile
    move = read("move", text)
    if move is not None:
        assert RULES.actions.parse(RULES.actions.text(move)) == move
    tiles = read("tiles", text)
    if tiles is not None:
        assert TileSet("super").parse_all(" ".join(map(str, tiles))) == tiles
    event = read("event", text)
    if event is not None:
        assert event.text == text


def finished() -> Position:
    """A round that is over."""
    position = Position.deal(SMALL, seed=1)
    while not position.over:
        position.play(position.legal_moves()[0])
    return position


ROUND = finished()
LINES = [Position.deal(SMALL, seed=2).line(), ROUND.line(), Position.deal(RULES, seed=3).line(for_seat=1)]


@given(st.sampled_from(LINES), st.data())
def test_lines_with_changed_words(line: str, data: st.DataObject) -> None:
    words = line.split(" ")
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(words) - 1))
        words[place] = data.draw(st.one_of(mixed, st.sampled_from(words)))
    position = read("line", " ".join(words))
    if position is not None:
        assert Position.from_line(position.line()) == position


def changed(value: Any, data: st.DataObject) -> Any:
    """A JSON value with a random change."""
    other = st.one_of(mixed, st.integers(), st.none(), st.booleans(), st.floats(), st.just([]), st.just({}))
    if isinstance(value, dict) and value and data.draw(st.integers(0, 9)):
        key = data.draw(st.sampled_from(sorted(value)))
        return value | {key: changed(value[key], data)}
    if isinstance(value, list) and value and data.draw(st.integers(0, 3)):
        place = data.draw(st.integers(0, len(value) - 1))
        return [*value[:place], changed(value[place], data), *value[place + 1 :]]
    return data.draw(other)


@given(st.data())
def test_records_with_changed_values(data: st.DataObject) -> None:
    record = changed(ROUND.record(legal=True), data)
    read("replay", json.dumps(record))
