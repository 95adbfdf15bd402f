"""Draws the best trains of a hand: the tiles in the order in which they are laid, and those that are left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mextrain.game.tiles import Half, Tile, parse_halves
from mextrain.picture.colours import check_theme
from mextrain.picture.pen import Box, Face, Pen
from mextrain.picture.svg import SCOPE, Picture, check_width, finished

_FACE = Face(22.0, True)
_LEFT = Face(18.0, False)
_LABEL = 84.0
_GAP = 2.0


class Lines(NamedTuple):
    """What the picture of a plan shows: a heading, the result in words, and the tiles of each row by its label."""

    heading: str
    result: str
    trains: Sequence[tuple[str, Sequence[str]]]
    left: Sequence[Tile]


def plan_picture(lines: Lines, told: str, width: int, theme: str) -> Picture:
    """Return the picture of a plan; `told` describes it in words."""
    width, theme = check_width(width), check_theme(theme)
    pen = Pen(SCOPE)
    pen.text(12, 24, lines.heading, "ink", 14, ' font-weight="700"')
    pen.text(width - 12, 24, lines.result, "dim", 12, ' text-anchor="end"')
    y = 38.0
    for label, plays in lines.trains:
        y = _row(pen, label, [parse_halves(play) for play in plays], _FACE, width, y, "nothing fits")
    y = _row(pen, "left", [tile.halves for tile in lines.left], _LEFT, width, y, "nothing")
    return finished(pen, (width, y + 4), theme, f"{lines.heading}: {lines.result}", told)


def _row(
    pen: Pen, label: str, tiles: Sequence[tuple[Half, Half]], face: Face, width: int, top: float, empty: str
) -> float:
    """Draw tiles in as many lines as they need; doubles of a train lie across. Returns the height below them."""
    u, is_train = face.unit, face is _FACE
    pitch = 2 * u + 8 if is_train and any(a == b for a, b in tiles) else u + 10
    pen.text(12, top + pitch / 2 + 4, label, "dim", 12)
    if not tiles:
        pen.text(_LABEL, top + pitch / 2 + 4, empty, "dim", 12)
    line = 0
    for (a, b), x, line in _places(tiles, face, width - 12 - _LABEL, is_train):
        y = top + (line + 0.5) * pitch
        across = is_train and a == b
        box = Box(_LABEL + x, y - u, u, 2 * u) if across else Box(_LABEL + x, y - u / 2, 2 * u, u)
        pen.add(pen.tile(a, b, box, face, f"{a}-{b}"))
    return top + pitch * (line + 1)


def _places(
    tiles: Sequence[tuple[Half, Half]], face: Face, room: float, is_train: bool
) -> Iterator[tuple[tuple[Half, Half], float, int]]:
    """Yield each tile with its left edge and its line."""
    x, line = 0.0, 0
    for a, b in tiles:
        wide = face.unit * (1 if is_train and a == b else 2)
        if x + wide > room:
            x, line = 0.0, line + 1
        yield (a, b), x, line
        x += wide + (_GAP if is_train else 2 * _GAP)
