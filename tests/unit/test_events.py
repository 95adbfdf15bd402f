"""Events: each has exactly one text form, and nothing else is parsed."""

from __future__ import annotations

import pytest

from mextrain import STOP, Event, Move, Position, RecordError, RuleSet, Tile
from mextrain.game.events import NO_PLAY
from mextrain.game.text_cache import texts_of
from mextrain_core.model.limits import NONE

ACTIONS = RuleSet.super(4).actions
NUMBERS = RuleSet.mexican(4).actions


@pytest.mark.parametrize(
    ("text", "kind", "tile"),
    [
        ("2:12-5@2", "play", Tile(12, 5)),
        ("2:5-12@M", "play", Tile(12, 5)),
        ("0:3-*@M", "play", Tile("*", 3)),
        ("0:A-*@1", "play", Tile("*", "A")),
        ("3:stop", "stop", None),
        ("3:draw 7-3", "draw", Tile(7, 3)),
        ("1:forced-draw *-A", "forced-draw", Tile("*", "A")),
        ("1:open", "open", None),
        ("1:skip", "skip", None),
    ],
)
def test_every_kind_is_read_and_written(text: str, kind: str, tile: Tile | None) -> None:
    event = Event.parse(text, ACTIONS)
    assert str(event) == event.text == text
    assert (event.kind, event.tile, event.seat) == (kind, tile, int(text[0]))
    assert event.is_decision == (kind in ("play", "stop"))
    assert (event.move is None) == (not event.is_decision)


def test_moves_of_events() -> None:
    assert Event.parse("2:5-12@M", ACTIONS).move == Move(4, 5, 12)
    assert Event.parse("2:stop", ACTIONS).move == STOP


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is not an event: expected SEAT:WHAT"),
        ("stop", "is not an event"),
        ("2", "is not an event"),
        ("2:", "is not an event"),
        (":stop", "is not an event"),
        ("-1:stop", "is not an event"),
        ("02:stop", "is not an event"),
        ("2: stop", "is not written as records write it: 2:stop"),
        ("2:stop ", "is not written as records write it: 2:stop"),
        ("2:STOP", "is not written as records write it: 2:stop"),
        ("4:stop", "a seat that does not exist: expected 0 … 3"),
        ("99:stop", "a seat that does not exist"),
        ("2:draw", "is not an event"),
        ("2:draw 3-7", "is not written as records write it: 2:draw 7-3"),
        ("2:draw  7-3", "is not written as records write it"),
        ("2:draw 13-0", "not a tile of double-12"),
        ("2:forced-draw *-A", "not a tile of double-12"),
        ("2:open 0", "is not an event"),
        ("2:12-5", "names no train"),
        ("2:12-5@4", "names a train that does not exist"),
        ("2:12-5@m", "is not written as records write it: 2:12-5@M"),
        ("2:12-5@02", "names a train that does not exist"),
        ("2:1-2-3@2", "is not an event"),
        (7, "is not an event"),
        (None, "is not an event"),
    ],
)
def test_anything_else_is_refused_by_name(text: object, reason: str) -> None:
    with pytest.raises(RecordError) as error:
        Event.parse(text, NUMBERS)  # type: ignore[arg-type]
    assert reason in str(error.value)


def test_texts_are_worked_out_once() -> None:
    texts = texts_of(NUMBERS)
    assert texts_of(RuleSet.mexican(4, double_rule="cover").actions) is texts
    for action in range(NUMBERS.count):
        move = NUMBERS.move(action)
        text = texts.text(move.code)
        assert text == NUMBERS.text(move)
        assert texts.move(text) == texts.move(text) == move
    assert texts.event((0, 2, Move(2, 12, 5).code, 0)) is texts.event((0, 2, Move(2, 12, 5).code, 0))


def test_looking_in_vain_is_logged_with_the_ends() -> None:
    """Who had no play, with the whole hand or one drawn tile, and exactly the ends that were open to the seat.

    In super a red half joins any end, but the log has only the ends on the table. The boneyard has no tile that fits
    until 9-12 comes; opening turns may only use the own train (docs/rules.md, sections 6 and 8).
    """
    rules = RuleSet.super(2, hand_size=2)
    boneyard = ["1-0", "2-0", "12-9", "9-8"]
    rest = [tile for tile in map(str, rules.tiles) if tile not in (*boneyard, "12-12", "5-4", "6-4", "7-3", "9-3")]
    position = Position.setup(rules, engine="12-12", hands=["5-4 6-4", "7-3 9-3"], boneyard=[*boneyard, *rest])
    tile, half = rules.tiles.index, rules.tiles.half_code
    twelve = 1 << half(12)
    in_vain = [(seat, data, ends) for kind, seat, data, ends in position.log if kind == NO_PLAY]
    assert in_vain == [
        (0, NONE, twelve),
        (0, tile(Tile(1, 0)), twelve),
        (1, NONE, twelve),
        (1, tile(Tile(2, 0)), twelve),
        (0, NONE, twelve),
    ]
    assert position.legal_texts() == ("12-9@0", "12-9@1", "12-9@M")
    position.play("12-9@M")
    assert position.legal_texts() == ("9-3@M",)
    position.play("9-3@M")
    _, seat, data, ends = [entry for entry in position.log if entry[0] == NO_PLAY][5]
    assert (seat, data) == (0, NONE)
    assert ends == twelve | 1 << half(3)
