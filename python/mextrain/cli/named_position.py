"""One way to name a position, for all commands that take one: a line, or a point of a recorded round."""

from __future__ import annotations

import argparse
import re
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mextrain.cli.common import decoded, record_lines, whole

if TYPE_CHECKING:
    from mextrain.position import Position

MOST = 10**9

LINE_START = "mextrain-"
"""The first characters of a line that is not a record but a position."""

MAX_PATH = 1000
"""Longer arguments are not taken for names of files."""


class Named(NamedTuple):
    """The position that was named. `source` says where it was read, for messages and titles.

    `end` is the round as far as it is known; without `--event` it is `position` itself. `event` is the number of the
    event before which `position` stands, or None. `is_round` says that a record was named, and no point of it: then
    the whole round is meant.
    """

    position: Position
    end: Position
    for_seat: int | None
    source: str
    is_round: bool
    event: int | None


class _Found(NamedTuple):
    """A position as it was read. `seen_by` is the seat whose view it is, or None if everything is known."""

    position: Position
    source: str
    is_record: bool = False
    seen_by: int | None = None


def add_position(
    parser: argparse.ArgumentParser,
    seat: tuple[str, ...] = ("--for-seat",),
    seat_help: str = "show what this seat sees (default: everything)",
) -> None:
    """Add LINE|FILE|-, `--line`, `--event` and `--for-seat`; `read_position` turns them into a `Named`."""
    group = parser.add_argument_group("position")
    group.add_argument(
        "position",
        metavar="LINE|FILE|-",
        help="a position as one line of text, or a file of records, one JSON object a line; - reads either from stdin",
    )
    group.add_argument(
        "--line",
        type=whole(-MOST, MOST),
        default=1,
        metavar="N",
        help="line of the file, from 1; negative numbers count from the end (default: 1)",
    )
    group.add_argument(
        "--event",
        type=whole(-MOST, MOST),
        metavar="N",
        help="the position before this play or stop; events are counted from 0, negative numbers from the end "
        "(default: the position after all events)",
    )
    group.add_argument(*seat, dest="for_seat", type=whole(0, 99), metavar="N", help=seat_help)


def read_position(args: argparse.Namespace) -> Named:
    """Return the position from the arguments of `add_position`.

    Raises `PositionError` and `RecordError` for a position or record that is wrong, `OSError` for a file that cannot be
    read.
    """
    from mextrain.errors import PositionError

    end, source, is_record, seen_by = _find(args)
    seat = args.for_seat
    if seat is not None and seat >= end.rules.players:
        raise PositionError(f"there is no seat {seat}: expected 0 … {end.rules.players - 1}")
    if seen_by is not None:
        if seat not in (None, seen_by):
            raise PositionError(f"{source} is what seat {seen_by} sees: what seat {seat} sees is not in it")
        seat = seen_by
    if args.event is None:
        return Named(end, end, seat, source, is_record, None)
    if end.start.is_continued:
        raise PositionError(f"{source} has no events: --event needs a record, or a line that was written with events")
    number = args.event + len(end.events) if args.event < 0 else args.event
    try:
        position = before_event(end, number)
    except PositionError as error:
        raise PositionError(f"{source}: {error}") from None
    return Named(position, end, seat, source, False, number)


def before_event(end: Position, number: int) -> Position:
    """Return the round of `end` as it was before event `number`, which must be a play, a stop or the end.

    Raises `PositionError`, which names the nearest such events, for another number.
    """
    from mextrain.errors import PositionError

    events = end.events
    if number == len(events):
        return end
    if not (0 <= number < len(events) and events[number].is_decision):
        raise PositionError(f"no seat decides at event {number}: expected a play or stop{_nearest(end, number)}")
    position = end.restart()
    for event in events[:number]:
        if event.move is not None:
            position.play_unchecked(event.move)
        elif event.tile is not None and position.pending_draw:
            position.draw(event.tile)
    return position


def _nearest(end: Position, number: int) -> str:
    places = [place for place, event in enumerate(end.events) if event.is_decision]
    near = [place for place in places if place < number][-1:] + [place for place in places if place > number][:1]
    return f", such as event {' or '.join(map(str, near))}" if near else ""


def _find(args: argparse.Namespace) -> _Found:
    from mextrain.errors import PositionError, RecordError, one_line, shown

    text: str = args.position
    if text.lstrip().startswith(LINE_START) or not _may_be_file(text):
        if args.line != 1:
            raise PositionError("--line chooses a line of a file, and the position is given as a line")
        return _of_line(text, "the line")
    name = "stdin" if text == "-" else one_line(text)
    number, data = _line(text, name, args.line)
    source = f"{name}, line {number}"
    try:
        line = decoded(data)
    except RecordError as error:
        raise RecordError(f"{name}: {error.reason}", line=number) from None
    if line.lstrip().startswith(LINE_START):
        return _of_line(line, source)
    if not line.lstrip().startswith("{"):
        expected = f"a record, which begins with {{, nor a position, which begins with {LINE_START}position/"
        raise PositionError(f"{source}: {shown(line)} is neither {expected}")
    return _Found(_of_record(line, number), source, is_record=True)


def _may_be_file(text: str) -> bool:
    return text == "-" or (0 < len(text) <= MAX_PATH and (not re.search(r"[;\n\0]", text) or Path(text).exists()))


def _line(path: str, name: str, wanted: int) -> tuple[int, bytes]:
    """The number and the bytes of a line of a file. Negative numbers count from the end."""
    from mextrain.errors import PositionError

    last: deque[tuple[int, bytes]] = deque(maxlen=max(-wanted, 1))
    for number, data in record_lines(path):
        if number == wanted:
            return number, data
        last.append((number, data))
    if wanted < 0 and len(last) == -wanted:
        return last[0]
    if not last:
        raise PositionError(f"{name} is empty: expected a position, or records")
    count = last[-1][0]
    lines = f"1 … {count}, or -1 … -{count} from the end" if count > 1 else "1, or -1 from the end"
    raise PositionError(f"{name}: there is no line {wanted}: expected {lines}")


def _of_line(text: str, source: str) -> _Found:
    from mextrain.errors import PositionError
    from mextrain.hidden.view import sample_view, seats_of_view
    from mextrain.notation.read import read
    from mextrain.position import Position

    try:
        snapshot = read(text)
        if snapshot.hidden and snapshot.events is not None:
            # All that is asked depends on what the seat knows only, so any hidden tiles that fit will do.
            seat = seats_of_view(snapshot)[0]
            return _Found(sample_view(snapshot, seat, 0), source, seen_by=seat)
        position = Position.from_line(text)
    except PositionError as error:
        where = "" if source == "the line" else f"{source}: "
        raise PositionError(f"{where}{error}") from None
    return _Found(position, source)


def _of_record(line: str, number: int) -> Position:
    from mextrain.errors import RecordError
    from mextrain.records import RoundRecord, replay

    try:
        return replay(RoundRecord.from_json(line))
    except RecordError as error:
        raise RecordError(error.reason, line=number, event=error.event) from None
