"""The table as a person at the keyboard sees it, and events in words. At most 80 columns, plain text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from mextrain.game.events import Event
from mextrain.game.moves import MEXICAN_TRAIN
from mextrain.position import Position

WIDTH = 80
"""Columns of everything that is printed."""

MAX_NAME = 13
"""Columns of a player's name; longer names are cut."""


def board(position: Position, names: Sequence[str], head: str) -> list[str]:
    """Return the lines for the table: the engine, all trains with their ends, and what has to be covered."""
    facts = [head, f"engine {position.engine}", f"turn {position.turns}", f"boneyard {position.boneyard_size}"]
    if position.direction < 0:
        facts.append("counterclockwise")
    lines = ["", *textwrap.wrap("   ".join(fact for fact in facts if fact), WIDTH)]
    wide = max(len("Mexican Train"), *(len(cut(name)) for name in names))
    laid = trains(position)
    for train in position.trains:
        at = ">" if train == position.seat else " "
        is_mexican = train == MEXICAN_TRAIN
        name = "Mexican Train" if is_mexican else cut(names[int(train)])
        tiles = "" if is_mexican else str(position.hand_sizes[int(train)])
        opened = "open" if not is_mexican and position.is_open(train) else ""
        ends = ",".join(map(str, position.ends(train)))
        line = f"{at} {train:>2} {name:<{wide}} {tiles:>2} {opened:<4}  "
        shown = laid[train]
        lines.append(line + (last_tiles(shown, f" [{ends}]", WIDTH - len(line)) if shown else f"not started [{ends}]"))
    if position.open_doubles:
        doubles = ", ".join(f"{double.tile} on {whose(double.train, names)}" for double in position.open_doubles)
        lines += textwrap.wrap(f"to be covered: {doubles}", WIDTH)
    return lines


def hand(position: Position, seat: int) -> list[str]:
    """Return the lines for the hand of a seat."""
    held = [*map(str, position.hands[seat]), f" {position.points[seat]}\0points"]
    return _listed("your hand", held, "  ")


def duty(position: Position) -> list[str]:
    """Return the lines that say what the turn owes, if that is anything but an ordinary play."""
    said = []
    if position.opening:
        said.append("this is your opening turn")
    if position.drawn is not None:
        said.append(f"you drew {position.drawn}")
    if position.must_cover:
        said.append(f"you must cover {' or '.join(map(str, position.must_cover))}")
    elif position.owed == "chain":
        said.append("you may go on with your train, or stop")
    elif position.owed == "bonus":
        said.append("this is the bonus play of your *-T")
    return textwrap.wrap("; ".join(said), WIDTH) if said else []


def moves(position: Position) -> list[str]:
    """Return the lines that number the legal moves."""
    return _listed("moves", [f"{number}\0{text}" for number, text in enumerate(position.legal_texts(), 1)], "   ")


def _listed(head: str, words: Sequence[str], gap: str) -> list[str]:
    """Return the lines of a list; a zero byte stands for a blank at which no line may break."""
    lines = textwrap.wrap(f"{head:<11}{gap.join(words)}", WIDTH, subsequent_indent=" " * 11)
    return [line.replace("\0", " ") for line in lines]


def trains(position: Position) -> dict[int | str, list[str]]:
    """Return the tiles of each train in the order in which they were laid; `…` stands for tiles laid before."""
    before = position.start.laid_on
    laid: dict[int | str, list[str]] = {train: ["…"] if train in before else [] for train in position.trains}
    for event in position.events:
        if event.move is not None and "@" in event.text:
            play, _, train = event.text.partition(":")[2].partition("@")
            laid[train if train == MEXICAN_TRAIN else int(train)].append(play)
    return laid


def last_tiles(tiles: list[str], end: str, width: int) -> str:
    """Return as many of the last tiles as there is room for, then `end`; a cut is shown as `…`."""
    for first in range(len(tiles)):
        text = " ".join([*(["…"] if (first and tiles[0] != "…") or first > 1 else []), *tiles[first:]]) + end
        if len(text) <= width:
            return text
    return f"…{end}"


def told(events: Iterable[Event], names: Sequence[str], you: int | None) -> Iterator[str]:
    """Yield a line for each turn in `events`. Draws of others than `you` do not name the tile."""
    seat = -1
    parts: list[str] = []
    for event in events:
        if event.seat != seat and parts:
            yield from _turn(seat, parts, names, you)
            parts = []
        seat = event.seat
        parts.append(_words(event, names, you))
    if parts:
        yield from _turn(seat, parts, names, you)


def _turn(seat: int, parts: list[str], names: Sequence[str], you: int | None) -> list[str]:
    who = "you" if seat == you else cut(names[seat])
    return textwrap.wrap(f"  {who}: {', '.join(parts)}", WIDTH, subsequent_indent="    ")


def _words(event: Event, names: Sequence[str], you: int | None) -> str:
    what = event.text.partition(":")[2]
    if event.move is not None:
        if what == "stop":
            return "stop"
        tile, _, train = what.partition("@")
        own = train == str(event.seat)
        return f"{tile} on {'own train' if own else whose(train, names, you)}"
    kind, _, tile = what.partition(" ")
    if kind in ("draw", "forced-draw"):
        shown = f" {tile}" if event.seat == you else ""
        return f"draws{shown}" + (" because of a D tile" if kind == "forced-draw" else "")
    return {"open": "cannot play, train open", "skip": "is skipped"}.get(kind, kind)


def whose(train: int | str, names: Sequence[str], you: int | None = None) -> str:
    """Return a train in words."""
    if train == MEXICAN_TRAIN:
        return "the Mexican Train"
    seat = int(train)
    return "your train" if seat == you else f"the train of {cut(names[seat])}"


def cut(name: str) -> str:
    """Return a name that fits its column."""
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1]}…"


def scores(names: Sequence[str], points: Sequence[int], totals: Sequence[int]) -> list[str]:
    """Return the lines after a round: points and totals, the fewest first."""
    wide = max(len(cut(name)) for name in names)
    order = sorted(range(len(names)), key=lambda seat: totals[seat])
    head = f"  {'':<{wide}}  {'round':>5}  {'total':>5}"
    return [head, *(f"  {cut(names[seat]):<{wide}}  {points[seat]:>5}  {totals[seat]:>5}" for seat in order)]
