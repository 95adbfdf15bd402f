"""The frames of a replay: the table at every decision, as numbers of fragments that many frames share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from mextrain.game.events import Event
from mextrain.game.moves import Move
from mextrain.picture.layout import MIN_UNIT, rows
from mextrain.picture.pen import Pen
from mextrain.picture.svg import SCOPE
from mextrain.picture.table import View, draw_table
from mextrain.picture.trains import ROOM
from mextrain.picture.trees import trees
from mextrain.position import Position

WIDTH = 880
"""The width of the table in pixels."""


class Step(NamedTuple):
    """The round at a decision or its end, the events since the step before, and the number of the first of them."""

    position: Position
    events: Sequence[Event]
    first_event: int


def steps(end: Position) -> Iterator[Step]:
    """Yield the round of `end` at every decision and at its end. The position is valid until the next step."""
    position = end.restart()
    moves: list[Move] = [event.move for event in end.events if event.move is not None]
    done = 0
    draws = [event.tile for event in end.events if event.is_draw]
    _draw(position, draws)
    yield Step(position, position.events, 0)
    for move in moves:
        done = len(position.events)
        position.play_unchecked(move)
        _draw(position, draws)
        yield Step(position, position.events[done:], done)


def _draw(position: Position, draws: Sequence[Any]) -> None:
    """Make the draws that were the caller's."""
    while position.pending_draw and position.draws < len(draws):
        position.draw(draws[position.draws])


class Album:
    """Draws frames with one size of tiles, and keeps every fragment once."""

    def __init__(self, end: Position, for_seat: int | None, names: Sequence[str] | None) -> None:
        _, face = rows(trees(end), WIDTH - ROOM, 0, None)
        self.view = View(for_seat, WIDTH, None, names, unit=max(MIN_UNIT, face.unit), turns=for_seat is None)
        self.pool: list[str] = []
        self.glyphs: dict[str, str] = {}
        self._numbers: dict[str, int] = {}

    def draw(self, position: Position) -> tuple[list[int], int]:
        """Draw a position; returns the numbers of its fragments, and its height."""
        pen = Pen(SCOPE)
        height = draw_table(pen, position, self.view)
        self.glyphs |= pen.glyphs
        return [self._number(part) for part in pen.out], round(height)

    def _number(self, part: str) -> int:
        if part not in self._numbers:
            self._numbers[part] = len(self.pool)
            self.pool.append(part)
        return self._numbers[part]

    def defs(self) -> str:
        """Return the glyphs of all frames."""
        pen = Pen(SCOPE)
        pen.glyphs = self.glyphs
        return pen.defs()
