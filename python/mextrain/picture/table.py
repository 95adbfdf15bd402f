"""Draws a position: the trains, whose turn it is and what it owes, the hands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mextrain.errors import IllegalMove, PositionError, shown
from mextrain.game.moves import STOP, Move
from mextrain.game.read_only import Action, ReadOnlyPosition
from mextrain.game.refusal import refusal
from mextrain.notation.table import table
from mextrain.picture.colours import check_theme
from mextrain.picture.hands import draw_hands
from mextrain.picture.layout import rows
from mextrain.picture.pen import Pen, n
from mextrain.picture.svg import SCOPE, Picture, check_width, finished
from mextrain.picture.trains import ROOM, draw_trains
from mextrain.picture.trees import trees

MAX_NAME = 200
"""The most characters in a name."""


class View(NamedTuple):
    """What of a position is drawn, and how.

    `unit` fixes the side of a half. `turns` gives each tile of a hand a back, and the words that one seat may not see a
    class, so that a page can show what each seat sees.
    """

    for_seat: int | None = None
    width: int = 720
    suggest: Move | None = None
    names: Sequence[str] | None = None
    hands: bool = True
    unit: float | None = None
    turns: bool = False


def table_picture(
    position: ReadOnlyPosition,
    *,
    title: str,
    for_seat: int | None,
    width: int,
    theme: str,
    suggest: Action | None,
    names: Sequence[str] | None,
    hands: bool,
) -> Picture:
    """Return the picture of a position; `Position.svg` tells the arguments and errors."""
    check_theme(theme)
    # The text checks the seat.
    told = table(position, for_seat)
    move = None if suggest is None else position._move(suggest)
    if move is not None and not position._is_legal(move):
        raise IllegalMove(refusal(position, move))
    if not isinstance(hands, bool):
        raise PositionError(f"hands = {shown(hands)}: expected True or False")
    view = View(for_seat, check_width(width), move, checked_names(names, position.rules.players), hands)
    pen = Pen(SCOPE)
    height = draw_table(pen, position, view)
    return finished(pen, (view.width, height), theme, title, told)


def checked_names(names: Sequence[str] | None, players: int) -> tuple[str, ...] | None:
    """Return the names of the seats; raises `PositionError` unless there is a text for each."""
    if names is None:
        return None
    listed = tuple(names) if isinstance(names, Sequence) and not isinstance(names, str) else ()
    if len(listed) != players or not all(isinstance(name, str) and len(name) <= MAX_NAME for name in listed):
        raise PositionError(f"names = {shown(names)}: expected {players} texts of up to {MAX_NAME} characters")
    return listed


def draw_table(pen: Pen, position: ReadOnlyPosition, view: View) -> float:
    """Draw a position with a pen; returns the height."""
    _heading(pen, position, view.width)
    places, face = rows(trees(position, view.suggest), view.width - ROOM, 38, view.unit)
    draw_trains(pen, position, places, face, view.width, view.names)
    y = 38 + sum(row.pitch for row in places.values()) + 6
    pen.add(f'<path class="line" d="M12 {n(y)}H{view.width - 12}" stroke-width="1"/>')
    y = _status(pen, position, view, y + 18) + 12
    return draw_hands(pen, position, view.for_seat, view.width, y, view.turns) + 4 if view.hands else y


def _heading(pen: Pen, position: ReadOnlyPosition, width: int) -> None:
    rules = position.rules
    game = "Super Train" if rules.tile_set == "super" else "Mexican Train"
    pen.text(12, 24, f"{game} · {rules.players} players", "ink", 14, ' font-weight="700"')
    facts = [f"engine {position.engine}", f"turn {position.turns}", f"{position.boneyard_size} in the boneyard"]
    if position.direction < 0:
        facts.append("counterclockwise")
    pen.text(width - 12, 24, " · ".join(facts), "dim", 12, ' text-anchor="end"')


def _status(pen: Pen, position: ReadOnlyPosition, view: View, y: float) -> float:
    """Whose turn it is and what it owes; returns the height of the last line."""
    x = 12.0
    who = _who(position, view.names)
    pen.text(x, y, who, "ink", 12.5, ' font-weight="700"')
    # The words after the first are placed by an estimate of its width that is too large rather than too small.
    x += 7.9 * len(who) + 12
    for words, cls in _owed(position, view):
        wide = 6.9 * len(words) + 14
        if x + wide > view.width and x > 12:
            x, y = 12.0, y + 17
        pen.text(x, y, words, cls, 12)
        x += wide
    return y


def _who(position: ReadOnlyPosition, names: Sequence[str] | None) -> str:
    if position.seat is not None:
        return f"{names[position.seat] if names else f'Seat {position.seat}'} to play"
    if position.winner is None:
        return "The round is over: it is blocked"
    return f"The round is over: {names[position.winner] if names else f'seat {position.winner}'} went out"


def _owed(position: ReadOnlyPosition, view: View) -> Iterator[tuple[str, str]]:
    """What the seat to move owes, and what the next one must expect: words and their class."""
    covers = position.must_cover
    if covers:
        yield "must cover " + " or ".join(map(str, covers)), "must"
    if position.owed == "bonus":
        yield "bonus play of a T", "dim"
    elif position.owed == "chain":
        yield "may go on or stop", "dim"
    elif position.opening:
        yield "opening turn", "dim"
    if position.drawn is not None:
        if view.turns:
            yield f"drew {position.drawn}", f"dim g{position.seat}"
        else:
            yield f"drew {position.drawn if view.for_seat in (None, position.seat) else 'a tile'}", "dim"
    if position.pending_draw:
        yield "draws a tile now", "dim"
    if position.skip_pending:
        yield "the next seat is skipped", "dim"
    if position.draw_pending:
        yield "the next seat draws a tile first", "dim"
    if view.suggest == STOP:
        yield "suggested: stop", "acc"
