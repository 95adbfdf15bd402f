"""The course of a round: follows recorded events, and begins a round whose line has its events (docs/formats.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from mextrain.errors import IllegalMove, MextrainError, PositionError, Problem, RecordError, shown
from mextrain.game.events import NO_PLAY, OPEN, SKIP, Event, LogEntry
from mextrain.game.moves import Move
from mextrain.game.rules import RuleSet
from mextrain.game.seeding import drawing_order, round_key
from mextrain.game.setup import Setup
from mextrain.game.text_cache import Texts, texts_of
from mextrain.game.tiles import Tile
from mextrain.notation.snapshot import EVENTS, Hidden, Place, Snapshot, fields_of


class Playable(Protocol):
    """What `Course` needs of a position, such as `mextrain.Position`, which belongs to a room above."""

    @property
    def rules(self) -> RuleSet:
        """The rules of the round."""
        ...

    @property
    def seat(self) -> int | None:
        """The seat to move."""
        ...

    @property
    def over(self) -> bool:
        """Whether the round has ended."""
        ...

    @property
    def pending_draw(self) -> str | None:
        """The draw that the caller must make."""
        ...

    @property
    def log(self) -> list[LogEntry]:
        """The core's log."""
        ...

    def legal_texts(self) -> tuple[str, ...]:
        """Return the texts of the legal moves."""
        ...

    def try_play(self, action: Move) -> bool:
        """Make a move if it is legal."""
        ...

    def why_illegal(self, action: Move) -> str | None:
        """Return why a move is not legal."""
        ...

    def draw(self, tile: Tile) -> None:
        """Make the pending draw."""
        ...


class Course:
    """Follows recorded events on a position at its first decision.

    `legal` may have the legal moves of each decision, to be compared. With `goes_on`, the events may end before the
    round does, but not before an event that is forced.
    """

    def __init__(
        self,
        position: Playable,
        events: Sequence[str],
        legal: tuple[tuple[str, ...], ...] | None = None,
        goes_on: bool = False,
    ) -> None:
        self.position = position
        self.events = events
        self.legal = legal
        self.goes_on = goes_on
        self.texts: Texts = texts_of(position.rules.actions)
        self.number = 0  # of the next event
        self.decisions = 0
        self.seen = 0  # entries of the position's log already compared

    def run(self) -> None:
        """Go through all events. Raises `RecordError` at the first wrong one."""
        position, events, legal = self.position, self.events, self.legal
        self.compare()
        while not position.over and not (self.goes_on and self.number == len(events)):
            if self.number == len(events):
                raise self.fault(f"the events end, but the round goes on with seat {position.seat}")
            if position.pending_draw:
                self.draw(events[self.number])
            else:
                self.decide(events[self.number])
            self.compare()
        if self.number < len(events):
            raise self.fault(f"{events[self.number]!r} stands after the end of the round")
        if legal is not None and len(legal) > self.decisions:
            raise RecordError(f"legal has {len(legal)} lists for {self.decisions} plays and stops")

    def compare(self) -> None:
        """Compare what has happened in the position since the last call with the next events of the record."""
        log = self.position.log
        for entry in log[self.seen :]:
            if entry[0] == NO_PLAY:
                continue
            due = self.texts.event(entry).text
            if self.number == len(self.events):
                raise self.fault(f"the events end, but {due!r} is due")
            if self.events[self.number] != due:
                raise self.fault(f"{shown(self.events[self.number])} stands where the rules force {due!r}")
            self.number += 1
        self.seen = len(log)

    def decide(self, event: str) -> None:
        """Make the move of an event."""
        move = self.move(event)
        if self.legal is not None:
            self.check_legal(self.legal)
        if not self.position.try_play(move):
            raise self.fault(str(self.position.why_illegal(move)))
        self.decisions += 1

    def draw(self, text: str) -> None:
        """Make the draw of an event, where the caller draws."""
        due = f"{self.position.seat}:{self.position.pending_draw}"
        event = self.parsed(text)
        if event.tile is None or f"{event.seat}:{event.kind}" != due:
            raise self.fault(f"{shown(text)} stands where the rules force {f'{due} TILE'!r}")
        try:
            self.position.draw(event.tile)
        except IllegalMove as error:
            raise self.fault(str(error)) from None

    def move(self, event: str) -> Move:
        """Return the move of an event, where the seat to move has to decide."""
        seat, _, what = event.partition(":")
        if seat == str(self.position.seat):
            try:
                move = self.texts.move(what)
            except MextrainError as error:
                if what not in (OPEN, SKIP) and " " not in what:
                    raise self.fault(f"{shown(event)} is not an event: {error}") from None
            else:
                if self.texts.text(move.code) == what:
                    return move
        if self.parsed(event).is_decision:
            raise self.fault(f"{shown(event)} is not by seat {self.position.seat}, which has the move")
        raise self.fault(f"{shown(event)} stands where seat {self.position.seat} has to play")

    def parsed(self, event: str) -> Event:
        """Return an event from its text."""
        try:
            return Event.parse(event, self.texts.actions)
        except RecordError as error:
            raise self.fault(error.reason) from None

    def check_legal(self, legal: tuple[tuple[str, ...], ...]) -> None:
        """Compare the legal list of the next decision with the legal moves."""
        if self.decisions == len(legal):
            raise self.fault(f"legal has no list for this event, the decision number {self.decisions}")
        right = tuple(sorted(self.position.legal_texts()))
        if legal[self.decisions] != right:
            written = shown(list(legal[self.decisions]))
            raise self.fault(f"legal says {written}, but {shown(list(right))} is right")

    def fault(self, reason: str) -> RecordError:
        """Return an error for the next event, with `reason` as its message."""
        return RecordError(reason, event=self.number)


@dataclass(frozen=True)
class Keyed(Setup):
    """A round with given hands, whose draws come from the stream of a round key."""

    key: int = field(default=0, kw_only=True)

    def state(self) -> np.ndarray:
        """Return a new STATE array of length 1 with the round before its first turn."""
        states = super().state()
        states["key"] = self.key
        return states


def begin(snapshot: Snapshot) -> Setup:
    """Return how the round of a snapshot with events and without hidden places began.

    The draws so far are those of the events. The chance of the snapshot decides the others; if it is `hidden`, the
    stream of seed 0 does. Raises `PositionError` if the events do not fit the hands.
    """
    rules, tiles = snapshot.rules, snapshot.rules.tiles
    dealt = [Counter(_known(hand)) for hand in snapshot.hands]
    drawn: list[Tile] = []
    for event in (Event.parse(text, rules.actions) for text in snapshot.events or ()):
        if event.tile is not None:
            dealt[event.seat][event.tile] += -1 if event.is_draw else 1
            drawn += [event.tile] if event.is_draw else []
    for seat, hand in enumerate(dealt):
        if tile := next(iter(-hand), None):
            expected = f"a tile that seat {seat} holds now or has laid"
            raise wrong(EVENTS, f"{seat}:draw {tile}", expected, "correct the draw or the hand")
    hands = [sorted((+hand).elements(), key=tiles.index) for hand in dealt]
    chance, to_come, key = snapshot.chance, _known(snapshot.boneyard), snapshot.chance.key
    if chance.kind == "hidden":
        to_come = drawing_order(round_key(0, 0, snapshot.engine), len(drawn), to_come)
    order = [*drawn, *to_come] if chance.kind in ("hidden", "order") else None
    try:
        setup = Setup.set_up(rules, snapshot.engine, snapshot.starter, hands, order, None, 0)
    except PositionError as error:
        raise wrong(EVENTS, "the deal before them", "a deal that the tiles allow", str(error)) from None
    return setup if key is None else Keyed(**vars(setup) | {"key": key})


def _known(place: Place) -> tuple[Tile, ...]:
    assert not isinstance(place, Hidden)
    return place


def check_end(written: Snapshot, reached: Snapshot) -> None:
    """Raise `PositionError` if the events of a line lead to another position than the one that it describes."""
    problems = []
    for ours, theirs in zip(fields_of(written), fields_of(reached), strict=True):
        name, _, value = ours.partition(" ")
        if ours != theirs and name != "chance":
            expected = f"{theirs.partition(' ')[2]}, to which the events lead"
            problems.append(Problem(name, value, expected, f"correct {name} or {EVENTS}"))
    if problems:
        raise PositionError("the events of the line lead to another position", problems)


def wrong(name: str, value: str, expected: str, remedy: str) -> PositionError:
    """Return the error for a line with one problem."""
    return PositionError("the line describes no position", [Problem(name, value, expected, remedy)])
