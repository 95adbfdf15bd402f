"""Draws where the unseen tiles may be: a triangle of all tiles for each place, deep where the tile is probable."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mextrain.game.tiles import LETTERS, WILD, Half, Tile
from mextrain.picture.colours import check_theme
from mextrain.picture.pen import Pen, n, titled
from mextrain.picture.svg import SCOPE, Picture, check_width, finished

_STEPS = (0.0, 0.05, 0.1, 0.25, 0.5, 1.0)
"""The probabilities of the legend."""


class Heat(NamedTuple):
    """What is drawn: for each place its label and the probability of each tile to be there."""

    heading: str
    kind: str
    tiles: Sequence[Tile]
    places: Sequence[tuple[str, Sequence[float]]]


def heat_picture(heat: Heat, told: str, width: int, theme: str) -> Picture:
    """Return the picture of beliefs; `told` describes it in words."""
    width, theme = check_width(width), check_theme(theme)
    pen = Pen(SCOPE)
    pen.text(12, 24, heat.heading, "ink", 14, ' font-weight="700"')
    halves, lows = axes(heat.tiles)
    columns = max(1, min(len(heat.places), width // 170))
    wide = (width - 24) / columns
    cell = min(16.0, (wide - 30) / len(halves))
    tall = cell * len(lows) + 40
    for index, (label, chances) in enumerate(heat.places):
        x, y = 12 + index % columns * wide, 40 + index // columns * tall
        pen.text(x + 14, y + 10, label, "ink", 12)
        _triangle(pen, dict(zip(heat.tiles, chances, strict=True)), (halves, lows), (x + 14, y + 18), cell, label)
    y = 40 + -(-len(heat.places) // columns) * tall
    y = _legend(pen, heat.kind, y)
    return finished(pen, (width, y), theme, heat.heading, told)


def opacity(chance: float) -> float:
    """Return how deep a probability is drawn: small ones must differ from none."""
    return round(0.05 + 0.95 * math.pow(chance, 0.6), 2)


def axes(tiles: Sequence[Tile]) -> tuple[list[Half], list[Half]]:
    """Return the halves of the columns and those of the rows: a tile has its higher half in the column."""
    numbers = [half for tile in tiles for half in tile.halves if isinstance(half, int)]
    wild = [WILD] if any(tile.is_wild for tile in tiles) else []
    lows: list[Half] = [*range(max(numbers, default=0) + 1), *wild]
    return [*lows, *(LETTERS if wild else ())], lows


def _triangle(
    pen: Pen,
    chances: Mapping[Tile, float],
    axes: tuple[Sequence[Half], Sequence[Half]],
    corner: tuple[float, float],
    cell: float,
    label: str,
) -> None:
    """A place: the tile {high, low} is in the column of `high` and the row of `low`."""
    (highs, lows), (left, top) = axes, corner
    for column, high in enumerate(highs):
        for row, low in enumerate(lows[: column + 1]):
            if high in LETTERS and low != WILD:
                continue
            tile = Tile(high, low)
            chance = chances.get(tile)
            x, y = left + column * cell, top + row * cell
            if chance is None:
                pen.add(_square("gone", x + cell * 0.3, y + cell * 0.3, cell * 0.4))
                continue
            shade = _square("acc", x, y, cell - 1, f' fill-opacity="{opacity(chance):g}"')
            pen.add(titled(f"{tile}, {label}: {100 * chance:.0f} %", shade))
    for index, half in enumerate(highs):
        if len(highs) > 7 and index % 3 and isinstance(half, int):
            continue
        pen.text(left + (index + 0.5) * cell, top + len(lows) * cell + 10, str(half), "dim", 8.5, _MIDDLE)
        if half in lows:
            pen.text(left + (index - 0.3) * cell, top + (index + 0.75) * cell, str(half), "dim", 8.5, _END)


_MIDDLE, _END = ' text-anchor="middle"', ' text-anchor="end"'


def _square(cls: str, x: float, y: float, side: float, more: str = "") -> str:
    return f'<rect class="{cls}" x="{n(x)}" y="{n(y)}" width="{n(side)}" height="{n(side)}"{more}/>'


def _legend(pen: Pen, kind: str, y: float) -> float:
    x = 26.0
    for chance in _STEPS:
        pen.add(_square("acc", x, y, 12, f' fill-opacity="{opacity(chance):g}"'))
        pen.text(x + 16, y + 10, f"{100 * chance:.0f} %", "dim", 10.5)
        x += 58
    pen.add(_square("gone", x + 3.5, y + 3.5, 5))
    pen.text(x + 16, y + 10, "not hidden", "dim", 10.5)
    pen.text(x + 92, y + 10, kind, "dim", 10.5)
    return y + 26
