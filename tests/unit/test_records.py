"""Round records: they can be replayed, and any change is found at the same place as by the rulebook of
`tests/reference`."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mextrain import Match, Position, PositionError, RecordError, RoundRecord, RuleSet, replay
from mextrain.records import FORMAT, MatchOrder
from tests.reference.replay import first_fault, record_of
from tests.reference.replay import replay as replay_by_the_book
from tests.strategies import rounds

SMALL = {"players": 2, "tile_set": "double-3", "hand_size": 3}


def played(
    rules: RuleSet, seed: int, game: int = 0, engine: str | None = None, starter: int | None = None
) -> Position:
    """A round played at random."""
    position = Position.deal(rules, seed=seed, game=game, engine=engine, starter=starter)
    dice = random.Random(seed)
    while not position.over:
        position.play(dice.choice(position.legal_moves()))
    return position


def fault_of(record: object) -> tuple[int | None, str] | None:
    """The first fault that `replay` finds, as the rulebook writes it."""
    try:
        replay(RoundRecord.from_json(json.dumps(record)))
    except RecordError as error:
        return error.event, error.reason
    return None


@cache
def example() -> str:
    """A record with draws, openings, a chain and stops, as JSON; seat 0 begins with a play."""
    rules = RuleSet.mexican(4, double_rule="cover", starter=0)
    records = (played(rules, seed).record(legal=True) for seed in range(99))
    return next(json.dumps(record) for record in records if "@" in record["events"][0] and record["end"] == "out")


# -- what is written


@settings(max_examples=120)
@given(rounds())
def test_a_record_is_the_rulebooks_record(this: tuple[RuleSet, int, int, str, int | None]) -> None:
    position = played(*this)
    record = position.record(legal=True)
    by_the_book = replay_by_the_book(record)
    assert record == record_of(by_the_book, seed=this[1], game=this[2], number=record["round"], legal=True)
    line = json.dumps(record, ensure_ascii=False)
    again = replay(RoundRecord.from_json(line))
    # Hands do not tell the number of a round whose engine the deal decided.
    untold = {"seed", "game"} if this[0].engines_are_known else {"seed", "game", "round"}
    assert again.record(legal=True) == {name: record[name] for name in record if name not in untold}
    assert RoundRecord.from_json(line).to_json() == line


def test_fields_stand_in_the_order_of_the_documentation() -> None:
    record = json.loads(example())
    fields = "format rules seed game round engine starter hands boneyard events legal end winner points"
    assert " ".join(record) == fields
    assert record["format"] == FORMAT
    assert record["rules"] == {"preset": "mexican", "players": 4, "starter": 0, "double_rule": "cover"}


def test_seat_0_and_nothing_keep_their_types() -> None:
    """0, false and missing are different values: seat 0 begins and wins with 0 points, with an empty boneyard."""
    position = Position.setup(
        RuleSet.mexican(2, tile_set="double-2", hand_size=1, rounds=1),
        engine="2-2",
        hands=["2-0", "1-1"],
        boneyard="0-0 1-0 2-1",
    )
    position.play("2-0@0")
    record = json.loads(json.dumps(position.record()))
    assert "seed" not in record
    assert "game" not in record
    assert (record["starter"], record["winner"], record["points"]) == (0, 0, [0, 2])
    assert all(type(record[name]) is int for name in ("starter", "winner"))
    assert replay(record).winner == 0
    assert RoundRecord.from_dict(record).to_dict() == record


def test_an_empty_boneyard() -> None:
    rules = RuleSet.mexican(2, tile_set="double-1", hand_size=1, rounds=1)
    position = Position.setup(rules, engine="1-1", hands=["1-0", "0-0"], boneyard="")
    position.play("1-0@0")
    record = position.record()
    assert record["boneyard"] == []
    assert replay(record) == position


@pytest.mark.parametrize(
    ("rules", "wanted"),
    [
        (RuleSet.mexican(2), lambda p: p.end == "blocked"),
        (RuleSet.mexican(14), lambda p: str(p.engine) == "0-0"),
        (RuleSet.super(4), lambda p: any(event.kind == "skip" for event in p.events)),
        (RuleSet.super(6), lambda p: any(event.kind == "forced-draw" for event in p.events)),
        (RuleSet.mexican(3, tile_set="double-4", hand_size=4), lambda p: _openings_in_a_row(p) >= 3),
    ],
    ids=["blocked", "the last of 19 rounds", "skip", "forced draw", "all pass"],
)
def test_rare_rounds_can_be_written(rules: RuleSet, wanted: Callable[[Position], bool]) -> None:
    for seed in range(2000):
        position = played(rules, seed, engine=str(rules.engines[seed % rules.rounds]))
        if wanted(position):
            assert replay(json.loads(json.dumps(position.record(legal=True)))).points == position.points
            return
    pytest.fail("no such round was found")


def _openings_in_a_row(position: Position) -> int:
    kinds = "".join("o" if event.kind == "open" else "d" if event.kind == "draw" else "." for event in position.events)
    return max(map(len, kinds.replace("d", "").split(".")))


def test_a_turn_of_five_plays_can_be_written() -> None:
    position = Position.setup(
        RuleSet.super(2, hand_size=7),
        hands=["12-5 5-5 *-T *-* 7-7 7-3 1-0", "12-6 6-0 6-1 6-2 6-3 6-4 6-5"],
        seed=0,
    )
    position.play("12-5@0")
    position.play("12-6@1")
    turn = position.turns
    for play in ("5-5@0", "*-T@0", "*-*@M", "7-7@M", "7-3@M"):
        assert (position.turns, position.seat) == (turn, 0)
        position.play(play)
    assert position.turns == turn + 1
    while not position.over:
        position.play(position.legal_moves()[0])
    record = position.record(legal=True)
    assert replay(json.loads(json.dumps(record))).record(legal=True) == record


def test_a_round_that_goes_on_has_no_record() -> None:
    with pytest.raises(PositionError, match="goes on"):
        Position.deal(RuleSet.mexican(4), seed=1).record()


@settings(max_examples=80)
@given(rounds(), st.integers(0, 2**32 - 1), st.integers(0, 100), st.booleans())
def test_a_round_that_goes_on_can_be_saved(
    this: tuple[RuleSet, int, int, str, int | None], seed: int, moves: int, given_order: bool
) -> None:
    """The record has all fields but the result, and the replayed round continues with the same draws."""
    position = Position.deal(this[0], seed=this[1], game=this[2], engine=this[3], starter=this[4])
    if given_order:
        position = replay(position.record(partial=True))
    dice = random.Random(seed)
    for _ in range(moves):
        if not position.over:
            position.play(dice.choice(position.legal_moves()))
    saved = json.loads(json.dumps(position.record(partial=True, legal=True)))
    assert ("end" in saved) == ("winner" in saved) == ("points" in saved) == position.over
    record = RoundRecord.from_dict(saved)
    assert (record.partial, record.end) == (not position.over, position.end)
    assert record.to_dict() == saved
    again = replay(record)
    assert again.line() == position.line()
    assert again.events == position.events
    while not position.over:
        move = dice.choice(position.legal_moves())
        position.play(move)
        again.play(move)
    assert again.events == position.events
    assert again.record(legal=True)["events"] == position.record(legal=True)["events"]


def test_a_whole_record_does_not_depend_on_partial() -> None:
    position = played(RuleSet.super(3), 4)
    assert position.record(partial=True, legal=True) == position.record(legal=True)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda record: record.update(end="out"), "winner is missing"),
        (lambda record: record.update(winner=1), "end is missing"),
        (lambda record: record.update(points=[0] * 4), "end is missing"),
        (lambda record: record["events"].pop(), "the events end, but '"),
        (lambda record: record["events"].append("0:stop"), ""),
        (lambda record: record["boneyard"].reverse(), "stands where the rules force"),
    ],
)
def test_a_fault_in_a_round_that_goes_on_is_found(change: Callable[[dict[str, Any]], object], reason: str) -> None:
    position = Position.deal(RuleSet.mexican(4), seed=2)
    while position.draws < 3:
        position.play(position.legal_moves()[0])
    while position.events[-1].is_decision:
        position.play(position.legal_moves()[0])
    record = position.record(partial=True)
    assert fault_of(record) is None
    change(record)
    fault = fault_of(record)
    assert fault is not None
    assert reason in fault[1]


def test_a_finished_round_needs_its_result() -> None:
    record = json.loads(example())
    for name in ("end", "winner", "points"):
        del record[name]
    assert fault_of(record) == (None, f"end is missing, but the events lead to '{json.loads(example())['end']}'")


def test_a_draw_by_the_caller_comes_before_the_record() -> None:
    position = Position.deal(RuleSet.mexican(4), seed=2, chance="explicit")
    while not position.pending_draw:
        position.play(position.legal_moves()[0])
    with pytest.raises(PositionError, match=r"seat \d is to draw"):
        position.record(partial=True)
    position.draw(position.boneyard[0])
    while position.pending_draw:
        position.draw(position.boneyard[0])
    assert replay(position.record(partial=True)).events == position.events


def test_the_order_of_matches_with_rounds_that_go_on() -> None:
    match = Match(RuleSet.mexican(2, tile_set="double-3", hand_size=3), seed=3)
    first = match.position
    begun = RoundRecord.from_dict(first.record(partial=True))
    while not first.over:
        first.play(first.legal_moves()[0])
    done, following = (RoundRecord.from_dict(it.record(partial=True)) for it in (first, match.next_round()))
    order = MatchOrder()
    for record in (begun, begun, done, following):
        order.check(record)
    order = MatchOrder()
    order.check(begun)
    with pytest.raises(RecordError, match="round 0 of game 0 stands before it and goes on"):
        order.check(following)


def test_hands_that_the_rules_do_not_deal_have_no_record() -> None:
    position = Position.setup(RuleSet.mexican(2), hands=["9-0", "9-1 9-2"])
    position.play("9-0@0")
    with pytest.raises(PositionError, match="hands of 1, 2 tiles and seat 0 as the starter, but the rules deal 8"):
        position.record()


def test_with_explicit_chance_the_record_is_the_same() -> None:
    rules = RuleSet.super(3)
    streamed = played(rules, 5)
    position = Position.deal(rules, seed=5, chance="explicit")
    for event in streamed.events:
        if event.move is None and event.tile is not None:
            position.draw(event.tile)
        elif event.move is not None:
            position.play(event.move)
    assert position.record(legal=True) == streamed.record(legal=True)


# -- what is refused


def change(record: dict[str, Any], dice: random.Random) -> None:
    """Change one thing in the part of a record about the course of the round."""
    events, legal = record["events"], record["legal"]
    n = dice.randrange(len(events))
    what = dice.randrange(11)
    if what == 0:
        del events[n]
    elif what == 1:
        events.insert(n, dice.choice(events))
    elif what == 2:
        events[n] = dice.choice(events)
    elif what == 3:
        events[n] = f"{dice.randrange(record['rules']['players'])}:{events[n].partition(':')[2]}"
    elif what == 4:
        seat, _, play = events[n].partition(":")
        tile, at, train = play.partition("@")
        if at:
            events[n] = f"{seat}:{'-'.join(reversed(tile.split('-')))}@{train}"
    elif what == 5:
        tile, at, _ = events[n].partition("@")
        if at:
            events[n] = f"{tile}@{dice.choice(['M', '0', '1'])}"
    elif what == 6:
        dice.choice(legal).reverse()
    elif what == 7:
        del legal[dice.randrange(len(legal))]
    elif what == 8:
        record["points"][0] += dice.randrange(2)
    elif what == 9:
        record["winner"] = dice.choice([None, 0, 1])
    else:
        record["boneyard"].reverse()


@settings(max_examples=150)
@given(rounds(), st.integers(0, 2**32 - 1))
def test_faults_are_where_the_rulebook_sees_them(this: tuple[RuleSet, int, int, str, int | None], dice: int) -> None:
    record = played(*this).record(legal=True)
    numbers = random.Random(dice)
    for _ in range(6):
        changed = json.loads(json.dumps(record))
        change(changed, numbers)
        ours, theirs = fault_of(changed), first_fault(changed)
        assert (ours is None) == (theirs is None), (ours, theirs)
        if ours and theirs:
            assert ours[0] == theirs[0], (ours, theirs)


def _set(name: str, value: object) -> Callable[[dict[str, Any]], None]:
    return lambda record: record.__setitem__(name, value)


def _without(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda record: record.__delitem__(name)


def _swap(record: dict[str, Any]) -> None:
    record["hands"][0][0], record["boneyard"][0] = record["boneyard"][0], record["hands"][0][0]


def _turn_a_tile(record: dict[str, Any]) -> None:
    hand = record["hands"][1]
    n = next(n for n, tile in enumerate(hand) if len(set(tile.split("-"))) > 1)
    hand[n] = "-".join(reversed(hand[n].split("-")))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_set("format", "mextrain-round/2"), "format is 'mextrain-round/2': this version of mextrain reads"),
        (_without("format"), "format is none"),
        (_set("rules", None), "rules is none: expected an object"),
        (_set("rules", {"preset": "mexican", "players": True}), "players = True"),
        (_set("rules", {"preset": "mexican", "players": 4.0}), "players = 4.0"),
        (_set("rules", {"preset": "mexican"}), "players = none"),
        (_set("rules", {"preset": "mexican", "players": 15}), "players = 15"),
        (_without("starter"), "starter is missing"),
        (_set("starter", True), "starter is True: expected a seat 0 … 3"),
        (_set("starter", 4), "starter is 4: expected a seat 0 … 3"),
        (_set("starter", -1), "starter is -1: expected a seat 0 … 3"),
        (_set("starter", "0"), "starter is '0'"),
        (_set("engine", "12-11"), "the engine 12-11 is not a double"),
        (_set("engine", "13-13"), "engine holds '13-13', which is not a tile here"),
        (_set("engine", 12), "engine is 12: expected a text"),
        (_set("hands", [[]] * 4), "the hand of seat 0 has 0 tiles, but the rules deal 12"),
        (_set("hands", []), "0 hands are given, but 4 players"),
        (_set("hands", {}), "hands is {}: expected a list of hands"),
        (_set("hands", ["12-5"] * 4), "the hand of seat 0 is '12-5': expected a list of texts"),
        (_turn_a_tile, "the hand of seat 1 holds "),
        (lambda record: record["boneyard"].pop(), "1 tiles are neither in a hand nor in the boneyard"),
        (lambda record: record["boneyard"].append("12-12"), "the boneyard holds 12-12, which is the engine"),
        (lambda record: record["boneyard"].append("12-11"), "lies elsewhere already"),
        (lambda record: record["boneyard"].append("*-A"), "boneyard holds '*-A', which is not a tile here"),
        (_set("boneyard", None), "boneyard is none: expected a list of texts"),
        (_set("events", [1]), "events is [1]: expected a list of texts"),
        (_set("events", "stop"), "events is 'stop': expected a list of texts"),
        (_set("legal", None), "legal is none: expected a list of lists"),
        (_set("legal", [["stop", 0]]), "list 0 of legal is ['stop', 0]"),
        (_set("end", "won"), "end is 'won': expected 'out' or 'blocked'"),
        (_set("end", None), "end is none"),
        (_set("end", "blocked"), "end is 'blocked', but the events lead to 'out'"),
        (_without("winner"), "winner is missing"),
        (_set("winner", 1.0), "winner is 1.0"),
        (_set("winner", None), "winner is none, but the events lead to "),
        (_set("points", [0, 0, 0]), "points is [0, 0, 0]: expected 4 whole numbers"),
        (_set("points", [0, 0, 0, False]), "points is [0, 0, 0, False]: expected 4 whole numbers"),
        (_set("points", [0, 0, 0, 0]), "points is [0, 0, 0, 0], but the events lead to ["),
        (_set("seed", -1), "seed = -1 is out of range"),
        (_set("seed", None), "seed is none: expected a whole number"),
        (_set("game", True), "game is True: expected a whole number"),
        (_set("round", -1), "round is -1"),
    ],
)
def test_a_wrong_field_is_named(change: Callable[[dict[str, Any]], object], reason: str) -> None:
    record = json.loads(example())
    change(record)
    fault = fault_of(record)
    assert fault is not None
    assert fault[0] is None
    assert reason in fault[1]


def test_another_deal_is_found_at_an_event() -> None:
    record = json.loads(example())
    _swap(record)
    fault = fault_of(record)
    assert fault is not None
    assert fault[0] is not None


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ("nonsense", "is not an event: expected SEAT:WHAT"),
        ("", "is not an event"),
        ("0:pass", "is not an event"),
        ("9:stop", "names a seat that does not exist"),
        ("00:stop", "is not an event"),
        ("0:draw 12-12", "stands where seat 0 has to play"),
        ("0:open", "stands where seat 0 has to play"),
        ("0:skip", "stands where seat 0 has to play"),
        ("0:draw 0-12", "is not written as records write it: 0:draw 12-0"),
        ("1:stop", "is not by seat 0, which has the move"),
        ("0:12-5@7", "names a train that does not exist"),
        ("0:12-13@0", "is not a tile of double-12"),
        ("0: 12-5@0", "is not written as records write it"),
        ("0:stop", "stop is not legal for seat 0"),
    ],
)
def test_a_wrong_event_is_named(event: str, reason: str) -> None:
    record = json.loads(example())
    record["events"][0] = event
    fault = fault_of(record)
    assert fault is not None
    assert fault[0] == 0
    assert reason in fault[1]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "the line is no JSON"),
        ("{", "the line is no JSON"),
        ("null", "a record is a JSON object, not none"),
        ("[1]", "a record is a JSON object, not [1]"),
        ('{"format": "a", "format": "b"}', "'format' is named twice"),
        ('{"seed": NaN}', "the line holds NaN"),
        ("[" * 100_000, "nested too deeply"),
        ('{"seed": ' + "9" * 5000 + "}", "the line is no JSON that can be read"),
    ],
)
def test_a_line_that_is_no_record(line: str, reason: str) -> None:
    with pytest.raises(RecordError) as error:
        RoundRecord.from_json(line)
    assert reason in error.value.reason
    assert len(str(error.value)) < 300


def test_unknown_fields_are_passed_over() -> None:
    record = json.loads(example()) | {"comment": "a friendly round", "policies": ["random"] * 4}
    assert fault_of(record) is None
