"""Shows a position as text that fits a terminal (docs/formats.md describes the notation of tiles and plays)."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from mextrain._support.integers import whole
from mextrain.errors import PositionError, shown
from mextrain.game.read_only import OpenDouble, ReadOnlyPosition
from mextrain_core.model.state import MARKED

MIN_WIDTH = 60
"""The smallest width of a table, in columns."""

_WHY = {"draw": "for want of a play", "forced-draw": "because of a D tile"}
_NUMBERS = ("no", "one", "two", "three")
_CUT = "…"


def table(standing: ReadOnlyPosition, for_seat: int | None = None, width: int = 100) -> str:
    """Return the table as text: rules, trains, open doubles, hands, the seat to move, the play owed, the legal moves.

    `for_seat` leaves out what that seat cannot know: the other hands, the tiles that others drew or could play, and at
    the end of the round the points of the hands that it cannot see.
    `width` is the number of columns, at least 60. Raises `PositionError` for an invalid `for_seat` or `width`.
    """
    columns, players = whole(width), standing.rules.players
    if columns is None or columns < MIN_WIDTH:
        raise PositionError(f"a table {shown(width)} columns wide cannot be printed: expected {MIN_WIDTH} or more")
    if for_seat is not None and (whole(for_seat) is None or not 0 <= for_seat < players):
        raise PositionError(f"there is no seat {shown(for_seat)}: expected 0 … {players - 1}")
    blocks = (
        _heading(standing, columns),
        _trains(standing, columns),
        _hands(standing, for_seat, columns),
        _doubles(standing, columns),
        _move(standing, for_seat, columns),
    )
    return "\n\n".join("\n".join(block) for block in map(list, blocks) if block)


def _wrapped(label: str, words: Iterable[str], width: int, gap: str = " ") -> list[str]:
    """`label` and words, wrapped between words. Continuation lines are indented to the first word."""
    lines, line = [], label
    for word in words:
        piece = word if line == label or not line.strip() else gap + word
        if len(line) + len(piece) > width and line.strip() != label.strip():
            lines.append(line.rstrip())
            line, piece = " " * len(label), word
        line += piece
    return [*lines, line.rstrip()]


def _heading(standing: ReadOnlyPosition, width: int) -> Iterator[str]:
    rules = standing.rules
    facts = [
        f"{rules.preset_name}, {rules.players} players, set {rules.tile_set}, engine {standing.engine}",
        f"turn {standing.turns}, {standing.boneyard_size} tiles in the boneyard",
    ]
    if standing.direction < 0:
        facts.append("counterclockwise")
    yield from textwrap.wrap("; ".join(facts), width)
    changed = rules.to_dict()
    words = [
        f"{name}={'none' if value is None else value}"
        for name, value in changed.items()
        if name not in ("preset", "players", "tile_set")
    ]
    if words:
        yield from _wrapped("options: ", words, width)


def _trains(standing: ReadOnlyPosition, width: int) -> Iterator[str]:
    texts = _laid(standing)
    ends = {train: ",".join(map(str, standing.ends(train))) for train in standing.trains}
    wide = max(3, *map(len, ends.values()))
    yield f"  train  {'end':>{wide}}"
    for train in standing.trains:
        at = ">" if train == standing.seat else " "
        marker = "open" if train != "M" and standing.is_open(train) else ""
        head = f"{at} {train:>2} {marker:<4} {ends[train]:>{wide}}  "
        yield head + (_cut(texts[train], width - len(head)) if texts[train] else "not started")


def _laid(standing: ReadOnlyPosition) -> dict[int | str, list[str]]:
    """The tiles of each train in the order in which they were laid, the touching half first.

    If the round continues from a line, the order of the earlier tiles is not known, so they are shown as "…".
    """
    before = standing.start.laid_on
    laid: dict[int | str, list[str]] = {train: [_CUT] if train in before else [] for train in standing.trains}
    half = standing.rules.tiles.half
    for move in standing._laid_moves():
        laid[standing.trains[move.train]].append(f"{half(move.touch)}-{half(move.new)}")
    return laid


def _cut(tiles: list[str], width: int) -> str:
    """The tiles of a train. If they do not fit, the first tile and as many of the last ones as there is room for."""
    text = " ".join(tiles)
    if len(text) <= width:
        return text
    room = width - len(tiles[0]) - len(f" {_CUT}")
    kept: list[str] = []
    for tile in reversed(tiles[1:]):
        room -= len(tile) + 1
        if room < 0:
            break
        kept.insert(0, tile)
    return " ".join([*([] if tiles[0] == _CUT else [tiles[0]]), _CUT, *kept])


def _hands(standing: ReadOnlyPosition, for_seat: int | None, width: int) -> Iterator[str]:
    for seat, size in enumerate(standing.hand_sizes):
        at = ">" if seat == standing.seat else " "
        label = f"{at} hand {seat:>{len(str(standing.rules.players - 1))}} ({size:>2}): "
        hidden = size and for_seat not in (None, seat)
        yield from _wrapped(label, ["hidden"] if hidden else map(str, standing._hand(seat) if size else ()), width)


def _doubles(standing: ReadOnlyPosition, width: int) -> Iterator[str]:
    if standing.open_doubles:
        yield from _wrapped("open doubles: ", map(_double, standing.open_doubles), width, gap=", ")
    if standing.opening_to_come:
        yield from _wrapped("opening turns to come: ", map(str, sorted(standing.opening_to_come)), width)
    if standing.skip_pending:
        yield "the next seat will be skipped"
    if standing.draw_pending:
        yield "the next seat that acts draws a tile first"


def _double(double: OpenDouble) -> str:
    toes = f", {_NUMBERS[len(double.toes)]} of three toes laid" if double.toes else ""
    return f"{double} ({'inherited' if double.inherited else 'new'}{toes})"


def _move(standing: ReadOnlyPosition, for_seat: int | None, width: int) -> Iterator[str]:
    if standing.over:
        how = "the round is blocked" if standing.winner is None else f"seat {standing.winner} went out"
        # Hands stay hidden when the round is over. So do their points, except for an empty hand.
        known = zip(standing.points, standing.hand_sizes, strict=True)
        points = [
            str(own) if for_seat in (None, seat) or not size else "?" for seat, (own, size) in enumerate(known)
        ]
        yield from _wrapped(f"{how}; points by seat: ", points, width)
        return
    sees = for_seat in (None, standing.seat)
    said = [f"seat {standing.seat} is on move", *_owed(standing)]
    if standing.drawn is not None:
        opened = " and opened its train" if standing._get("play_drew") == MARKED else ""
        said.append(f"it drew {standing.drawn if sees else 'a tile'}{opened}")
    if standing.pending_draw:
        said.append(f"it draws a tile now, {_WHY[standing.pending_draw]}")
    yield from textwrap.wrap("; ".join(said), width)
    legal = standing.legal_texts() if sees else ()
    if legal:
        yield from _wrapped(f"legal ({len(legal)}): ", legal, width)


def _owed(standing: ReadOnlyPosition) -> Iterator[str]:
    if standing.opening:
        yield "this is its opening turn"
    what = {"required": "it owes a play", "bonus": "it owes the bonus play of its *-T", "chain": "it may go on"}
    owed = what[standing.owed or "required"]
    covers = standing.must_cover
    yield f"{owed}, on {' or '.join(map(str, covers))}" if covers else owed
