"""Events: what happened in a round, in order, and how it is written (docs/formats.md).

    SEAT:PLAY              2:12-5@2, the first half touches the train
    SEAT:stop              the seat ends its turn, or keeps the tile it drew
    SEAT:draw TILE         drawn because the seat had no legal play
    SEAT:forced-draw TILE  drawn because of a D tile
    SEAT:open              the seat's own train opens, because it could not play
    SEAT:skip              skipped because of an S tile

Plays and stops are decisions; everything else follows from the rules.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mextrain.errors import MextrainError, RecordError, shown
from mextrain.game.moves import STOP, Actions, Move
from mextrain.game.tiles import Tile

PLAY, STOPPED, DRAW, FORCED_DRAW, OPEN, SKIP = "play", "stop", "draw", "forced-draw", "open", "skip"
"""The kinds of events, in the order of the core's numbers for them."""

KINDS = (PLAY, STOPPED, DRAW, FORCED_DRAW, OPEN, SKIP)

NO_PLAY = len(KINDS)
"""The core's number for 'no legal play was found'. The core logs it; records leave it out."""

DRAWS = (KINDS.index(DRAW), KINDS.index(FORCED_DRAW))
"""The core's numbers for the two kinds of draws."""

LogEntry = tuple[int, int, int, int]
"""One entry of the core's log: kind, seat, data (the move, or the tile drawn), end halves looked at."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event: `seat`, `kind` (one of `KINDS`), the `move` of a play or stop, the `tile` played or drawn.

    `text` is its written form, which `str(event)` returns too. `move` and `tile` are None if the event has none.
    """

    seat: int
    kind: str
    move: Move | None
    tile: Tile | None
    text: str

    @classmethod
    def parse(cls, text: str, actions: Actions) -> Event:
        """Return the event that `text` describes in a round with these `actions`.

        Only the canonical form is accepted. Raises a `RecordError` that names the text.
        """
        if not isinstance(actions, Actions):
            raise RecordError(f"actions = {shown(actions)}: expected the `actions` of a RuleSet")
        match = re.fullmatch(r"(0|[1-9][0-9]?):(.+)", text) if isinstance(text, str) else None
        if match is None:
            raise RecordError(f"{shown(text)} is not an event: expected SEAT:WHAT, such as 2:12-5@2 or 3:draw 7-3")
        seat, what = int(match[1]), match[2]
        if seat >= actions.players:
            raise RecordError(f"{shown(text)} names a seat that does not exist: expected 0 … {actions.players - 1}")
        kind, _, drawn = what.partition(" ")
        try:
            if kind in (DRAW, FORCED_DRAW):
                event = _draw(seat, kind, actions.tiles.parse(drawn))
            elif what in (OPEN, SKIP):
                event = cls(seat, what, None, None, f"{seat}:{what}")
            else:
                event = _decision(seat, actions.parse(what), actions)
        except MextrainError as error:
            raise RecordError(f"{shown(text)} is not an event: {error}") from None
        if event.text != text:
            raise RecordError(f"{shown(text)} is not written as records write it: {event.text}")
        return event

    @classmethod
    def from_log(cls, entry: LogEntry, actions: Actions) -> Event:
        """Return the event for an entry of the core's log, which must not be `NO_PLAY`."""
        kind, seat, data, _ = entry
        if KINDS[kind] == PLAY:
            return _decision(seat, Move.from_code(data), actions)
        if KINDS[kind] == STOPPED:
            return _decision(seat, STOP, actions)
        if KINDS[kind] in (DRAW, FORCED_DRAW):
            return _draw(seat, KINDS[kind], actions.tiles[data])
        return cls(seat, KINDS[kind], None, None, f"{seat}:{KINDS[kind]}")

    @property
    def is_decision(self) -> bool:
        """Whether a seat decided this. Plays and stops are decisions; everything else is forced."""
        return self.move is not None

    @property
    def is_draw(self) -> bool:
        """Whether the seat drew a tile from the boneyard. Other seats see the draw, but not the tile."""
        return self.kind in (DRAW, FORCED_DRAW)

    def __str__(self) -> str:
        return self.text


def _decision(seat: int, move: Move, actions: Actions) -> Event:
    what = actions.text(move)
    if move == STOP:
        return Event(seat, STOPPED, move, None, f"{seat}:{what}")
    return Event(seat, PLAY, move, actions.tile(move), f"{seat}:{what}")


def _draw(seat: int, kind: str, tile: Tile) -> Event:
    return Event(seat, kind, None, tile, f"{seat}:{kind} {tile}")
