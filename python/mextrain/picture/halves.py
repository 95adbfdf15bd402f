"""The glyphs of the halves of tiles, in a box of 12 × 12: pips, numerals, letters, the red train.

Numerals and letters are strokes, not text: they look the same in every viewer and converter, whatever its fonts.
"""

from __future__ import annotations

from mextrain.game.tiles import LETTERS as LETTER_HALVES
from mextrain.game.tiles import WILD as WILD_HALF
from mextrain.game.tiles import Half
from mextrain.picture.colours import LETTERS, NUMBERS, WILD

_ROWS_OF_PIPS = {
    1: ((1, 1),), 2: ((0, 0), (2, 2)), 3: ((0, 0), (1, 1), (2, 2)), 4: ((0, 0), (2, 0), (0, 2), (2, 2)),
    5: ((0, 0), (2, 0), (1, 1), (0, 2), (2, 2)), 6: ((0, 0), (0, 1), (0, 2), (2, 0), (2, 1), (2, 2)),
    7: ((0, 0), (0, 1), (0, 2), (1, 1), (2, 0), (2, 1), (2, 2)),
    8: ((0, 0), (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1), (2, 2)),
    9: tuple((x, y) for x in range(3) for y in range(3)),
}  # fmt: skip
"""The pips of 1 to 9, as on dice, by column and row."""

_COLUMNS_OF_PIPS = {
    10: (4, 2, 4), 11: (4, 3, 4), 12: (4, 4, 4), 13: (4, 3, 2, 4), 14: (4, 3, 3, 4), 15: (4, 4, 3, 4),
    16: (4, 4, 4, 4), 17: (5, 4, 4, 4), 18: (5, 4, 4, 5),
}  # fmt: skip
"""The number of pips in each column of 10 to 18."""

_STROKES = {
    "0": "M2.5 0C4.2 0 5 1.6 5 4S4.2 8 2.5 8 0 6.4 0 4 .8 0 2.5 0Z",
    "1": "M.8 1.7 3 0V8",
    "2": "M.2 2.2C.2 .8 1.2 0 2.5 0 3.9 0 4.8 .9 4.8 2.2 4.8 4.4 .2 5.6 .2 8H5",
    "3": "M.3 1.6C.6 .6 1.4 0 2.5 0 3.9 0 4.7 .8 4.7 2 4.7 3.2 3.8 3.8 2.4 3.8 4 3.8 5 4.6 5 5.9 5 7.2 4 8 2.5 8 1.2 8 "
    ".3 7.4 0 6.3",
    "4": "M3.7 8V0L0 5.7H5.2",
    "5": "M4.5 0H.9L.5 3.8C1 3.3 1.7 3 2.5 3 4 3 5 4 5 5.5 5 7 4 8 2.5 8 1.3 8 .4 7.5 0 6.5",
    "6": "M4.4 1C4 .4 3.4 0 2.6 0 .9 0 0 1.8 0 4.6 0 6.8 1 8 2.5 8 4 8 5 7 5 5.4 5 3.9 4 2.9 2.6 2.9 1.3 2.9 .3 3.7 0 "
    "4.9",
    "7": "M0 0H5L1.8 8",
    "8": "M2.5 3.8C1.1 3.8 .3 3 .3 1.9 .3 .8 1.1 0 2.5 0S4.7 .8 4.7 1.9 3.9 3.8 2.5 3.8C1 3.8 0 4.6 0 5.9 0 7.2 1 8 "
    "2.5 8S5 7.2 5 5.9 4 3.8 2.5 3.8Z",
    "9": "M.6 7C1 7.6 1.6 8 2.4 8 4.1 8 5 6.2 5 3.4 5 1.2 4 0 2.5 0 1 0 0 1 0 2.6 0 4.1 1 5.1 2.4 5.1 3.7 5.1 4.7 4.3 "
    "5 3.1",
    "A": "M0 8 2.5 0 5 8M.9 5.3H4.1",
    "D": "M.3 0V8H2C4 8 5 6.5 5 4S4 0 2 0Z",
    "R": "M.3 8V0H2.7C4.1 0 4.9 .8 4.9 2.1S4.1 4.2 2.7 4.2H.3M2.6 4.2 5 8",
    "S": "M4.7 1.5C4.3 .5 3.5 0 2.5 0 1.2 0 .3 .7 .3 1.9 .3 4.6 5 3.2 5 6 5 7.2 4 8 2.5 8 1.3 8 .4 7.5 0 6.4",
    "T": "M0 0H5M2.5 0V8",
}
"""Each sign as a stroke in a box of 5 × 8."""


def turns(half: Half, pips: bool) -> bool:
    """Return whether a half turns with its tile: pips do; numerals, letters and the red train stay upright."""
    return pips and isinstance(half, int)


def key(half: Half, pips: bool) -> str:
    """Return the name of a glyph in ids. It must not look like the text of a tile, nor depend on upper case."""
    return f"{'w' if half == WILD_HALF else str(half).lower()}{'p' if pips and turns(half, pips) else 'n'}"


def glyph(half: Half, pips: bool) -> str:
    """Return a half as elements in a box of 12 × 12, without its background."""
    if half == WILD_HALF:
        return locomotive()
    if half in LETTER_HALVES:
        sign = _sign(str(half), 4.2, 3.1, 0.72, 0.725, 1.7)
        return f'<circle cx="6" cy="6" r="4.9" fill="{LETTERS[str(half)]}"/><g stroke="#fff"{_ROUND}>{sign}</g>'
    number = int(half)
    if pips:
        dots = "".join(f'<circle cx="{x:g}" cy="{y:g}" r="{radius}"/>' for x, y, radius in _pips(number))
        return f'<g fill="{NUMBERS[number]}">{dots}</g>'
    if number == 0:
        return f'<circle cx="6" cy="6" r="2.3" fill="none" stroke="{NUMBERS[0]}" stroke-width=".9"/>'
    if number < 10:
        signs = _sign(str(number), 3.4 if number != 1 else 3.9, 2.1, 1.04, 0.975, 1.75)
    else:
        # A 1 is narrow, so the second digit moves towards it.
        left, right = (1.0, 6.0) if number != 11 else (1.9, 6.0)
        signs = _sign("1", left, 2.4, 0.95, 0.9, 1.6) + _sign(str(number % 10), right - 0.2, 2.4, 0.95, 0.9, 1.6)
    return f'<g stroke="{NUMBERS[number]}"{_ROUND}>{signs}</g>'


_ROUND = ' fill="none" stroke-linecap="round" stroke-linejoin="round"'


def _sign(sign: str, x: float, y: float, wide: float, tall: float, stroke: float) -> str:
    place = f"translate({x:g} {y:g}) scale({wide:g} {tall:g})"
    return f'<path transform="{place}" stroke-width="{stroke:g}" d="{_STROKES[sign]}"/>'


def _pips(number: int) -> list[tuple[float, float, float]]:
    """Centre and radius of each pip."""
    if number <= 9:
        return [(2.5 + 3.5 * x, 2.5 + 3.5 * y, 1.25) for x, y in _ROWS_OF_PIPS.get(number, ())]
    columns = _COLUMNS_OF_PIPS[number]
    xs = (2.3, 6.0, 9.7) if len(columns) == 3 else (1.9, 4.63, 7.37, 10.1)
    rows, radius = (4, 1.12) if number <= 12 else (4, 0.98) if number <= 16 else (5, 0.86)
    step = 8.2 / (rows - 1)
    return [
        (x, round(6 - step * (count - 1) / 2 + step * k, 2), radius)
        for x, count in zip(xs, columns, strict=True)
        for k in range(count)
    ]


def locomotive() -> str:
    """Return a small red locomotive in a box of 12 × 12, facing right."""
    return (
        f'<g fill="{WILD}"><path d="M1.6 3h4v2.2h2.4V3.4h1.5v1.8h.9v3.1H1.6z"/><circle cx="3.4" cy="9.1" r="1.35"/>'
        '<circle cx="6.4" cy="9.1" r="1.35"/><circle cx="9.2" cy="9.1" r="1.1"/></g>'
        '<rect x="2.5" y="3.8" width="1.9" height="1.5" fill="#fff" opacity=".85"/>'
    )
