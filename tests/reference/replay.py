"""Round records (docs/formats.md): written from a played round, replayed and checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .actions import STOP
from .options import Rules
from .rulebook import Round
from .stream import beginnings, set_up
from .tiles import parse_tile, tiles_of

FORMAT = "mextrain-round/1"


class RecordFault(ValueError):
    """What is wrong with a record: the event's number, from 0 (None: not an event), and the reason."""

    def __init__(self, event: int | None, reason: str) -> None:
        super().__init__(reason if event is None else f"event {event}: {reason}")
        self.event = event
        self.reason = reason


def is_decision(event: str) -> bool:
    """Plays and stops are decisions; draws, opens and skips are not."""
    what = event.partition(":")[2]
    return what == STOP or "@" in what


def record_of(
    this: Round,
    *,
    seed: int | None = None,
    game: int | None = None,
    number: int | None = None,
    legal: bool = False,
) -> dict[str, Any]:
    """The record of a round that is over. Seed and game are those of its deal unless named."""
    if not this.over:
        raise ValueError("only a round that is over has a record")
    record: dict[str, Any] = {"format": FORMAT, "rules": this.rules.as_struct()}
    seed = this.seed if seed is None else seed
    game = this.game if game is None else game
    if seed is not None:
        record["seed"] = seed
    if game is not None:
        record["game"] = game
    engines = this.rules.engines
    if number is None and this.engine in engines:
        number = engines.index(this.engine)
    record["round"] = number or 0
    record["engine"] = this.engine
    record["starter"] = this.starter
    record["hands"] = [list(hand) for hand in this.dealt_hands]
    record["boneyard"] = [*this.drawn_tiles, *this.boneyard]
    record["events"] = list(this.events)
    if legal:
        record["legal"] = _legal_lists(record, this.rules)
    record |= {"end": this.end, "winner": this.winner, "points": list(this.points or [])}
    return record


def _legal_lists(record: Mapping[str, Any], rules: Rules) -> list[list[str]]:
    again = Round(rules, record["engine"], record["starter"], record["hands"], record["boneyard"])
    lists = []
    for event in filter(is_decision, record["events"]):
        lists.append(again.legal())
        again.play(event.partition(":")[2])
    return lists


def first_fault(record: object) -> tuple[int | None, str] | None:
    """The first fault of a record as (event number or None, reason); None when the record is right."""
    try:
        replay(record)
    except RecordFault as fault:
        return fault.event, fault.reason
    return None


def replay(record: object) -> Round:
    """Play a record again; RecordFault names the first event that docs/rules.md does not allow or force."""
    this = _set_up(record)
    assert isinstance(record, Mapping)
    events = _list_of_texts(record, "events")
    legal = record.get("legal")
    if legal is not None and not isinstance(legal, list):
        raise RecordFault(None, "legal is not a list")
    position = decisions = 0
    while True:
        # what the rules forced since the last decision
        for forced in this.events[position:]:
            if position == len(events):
                raise RecordFault(position, f"the events end, but {forced!r} is due")
            if events[position] != forced:
                raise RecordFault(position, f"{events[position]!r} stands where the rules force {forced!r}")
            position += 1
        if this.over:
            break
        if position == len(events):
            raise RecordFault(position, f"the events end, but the round goes on with seat {this.seat}")
        event = events[position]
        seat, _, action = event.partition(":")
        if not is_decision(event):
            raise RecordFault(position, f"{event!r} stands where seat {this.seat} has to play")
        if seat != str(this.seat):
            raise RecordFault(position, f"{event!r} is not by seat {this.seat}, which has the move")
        if legal is not None:
            if decisions == len(legal):
                raise RecordFault(position, "legal has no list for this event")
            if legal[decisions] != this.legal():
                raise RecordFault(position, f"legal says {legal[decisions]}, right is {this.legal()}")
        try:
            this.play(action)
        except ValueError as refusal:
            raise RecordFault(position, str(refusal)) from None
        decisions += 1
        position += 1
    if position < len(events):
        raise RecordFault(position, f"{events[position]!r} stands after the end of the round")
    if legal is not None and decisions < len(legal):
        raise RecordFault(None, f"legal has {len(legal)} lists for {decisions} plays and stops")
    for name, right in (("end", this.end), ("winner", this.winner), ("points", this.points)):
        if name not in record or record[name] != right or type(record[name]) is not type(right):
            raise RecordFault(None, f"{name} is {record.get(name)!r}, right is {right!r}")
    return this


def _list_of_texts(record: Mapping[str, Any], name: str) -> list[str]:
    value = record.get(name)
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise RecordFault(None, f"{name} is not a list of texts")
    return value


def _set_up(record: object) -> Round:
    """The round of a record at its first decision."""
    if not isinstance(record, Mapping):
        raise RecordFault(None, "a record is an object")
    if record.get("format") != FORMAT:
        raise RecordFault(None, f"format is {record.get('format')!r}, not {FORMAT!r}")
    try:
        rules = Rules.from_record(record.get("rules"))
    except ValueError as refusal:
        raise RecordFault(None, f"rules: {refusal}") from None
    hands = record.get("hands")
    if not isinstance(hands, list) or not all(isinstance(hand, list) for hand in hands):
        raise RecordFault(None, "hands is not a list of lists")
    sizes = [len(hand) for hand in hands]
    if rules.engine_from == "set_aside":
        if set(sizes) != {rules.hand_size}:
            raise RecordFault(None, f"the hands have {sizes} tiles, the rules deal {rules.hand_size}")
    elif rules.deal_decides_engine:
        if not begins_rightly(record, rules, hands):
            raise RecordFault(None, f"no deal begins with {sizes} tiles, seat {record.get('starter')} and this engine")
    else:
        places = range(len(tiles_of(rules.tile_set)))
        begun = (set_up(rules, place, caller) for place in places for caller in range(rules.players))
        if (record.get("starter"), sizes) not in begun:
            raise RecordFault(None, f"no deal begins with {sizes} tiles and seat {record.get('starter')}")
    boneyard = _list_of_texts(record, "boneyard")
    engine = record.get("engine")
    try:
        for tile in [engine, *(tile for hand in hands for tile in hand), *boneyard]:
            canonical = parse_tile(tile, rules.tile_set)
            if canonical != tile:
                raise RecordFault(None, f"{tile} is not written as {canonical}")
        return Round(rules, str(engine), record.get("starter"), hands, boneyard)  # type: ignore[arg-type]
    except RecordFault:
        raise
    except ValueError as refusal:
        raise RecordFault(None, str(refusal)) from None


def begins_rightly(record: Mapping[str, Any], rules: Rules, hands: list[list[Any]]) -> bool:
    """Whether a deal that decides the engine can lead to these hands, this engine and this starter."""
    sizes = [len(hand) for hand in hands]
    doubles = [{_double(tile) for tile in hand} - {None} for hand in hands]
    engine = _double(record.get("engine"))
    for starter, right, without, lower in beginnings(rules):
        if (starter, right) != (record.get("starter"), sizes) or any(doubles[seat] for seat in without):
            continue
        if engine is not None and all(number < engine for seat in lower for number in doubles[seat]):
            return True
    return False


def _double(tile: object) -> int | None:
    """The number of a double; None for anything else."""
    high, _, low = str(tile).partition("-")
    return int(high) if high == low and high.isdecimal() else None
