"""The pen: collects the elements of a picture and remembers which glyphs they need.

Numbers are written with at most one decimal, and two numbers are never joined by a minus sign, so that no coordinates
look like the text of a tile.
"""

from __future__ import annotations

import re
from html import escape
from typing import NamedTuple

from mextrain.game.tiles import Half
from mextrain.picture import halves


class Box(NamedTuple):
    """A rectangle: top left corner, width and height."""

    x: float
    y: float
    w: float
    h: float


class Face(NamedTuple):
    """How tiles look: the side of a half in pixels, and whether halves show pips (numerals otherwise)."""

    unit: float
    pips: bool


def n(number: float) -> str:
    """Return a coordinate as text."""
    return f"{round(number, 1) + 0.0:g}"


def safe(text: str) -> str:
    """Return text for SVG: escaped, and without the characters that XML does not allow."""
    return escape(re.sub(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text))


def titled(title: str, inside: str) -> str:
    """Return elements as a group with a title, which viewers show and screen readers read."""
    return f"<g><title>{safe(title)}</title>{inside}</g>"


def rounded(cls: str, box: Box, unit: float, stroke: float = 0.9, more: str = "", grow: float = 0) -> str:
    """Return a rectangle with the round corners of a tile, `grow` pixels larger than the box on each side."""
    x, y, w, h = box.x - grow, box.y - grow, box.w + 2 * grow, box.h + 2 * grow
    place = f'x="{n(x)}" y="{n(y)}" width="{n(w)}" height="{n(h)}" rx="{n(unit * 0.16 + grow)}"'
    return f'<rect class="{cls}" {place} stroke-width="{stroke:g}"{more}/>'


class Pen:
    """Collects elements in `out`, one string each, and the glyphs that they use."""

    def __init__(self, scope: str) -> None:
        self.scope = scope
        self.out: list[str] = []
        self.glyphs: dict[str, str] = {}

    def add(self, text: str) -> None:
        """Add an element."""
        self.out.append(text)

    def text(self, x: float, y: float, text: str, cls: str = "ink", size: float = 12, more: str = "") -> None:
        """Add a line of text that begins at `x`; `more` holds further attributes."""
        self.add(f'<text class="{cls}" x="{n(x)}" y="{n(y)}" font-size="{size:g}"{more}>{safe(text)}</text>')

    def tile(self, left: Half | None, right: Half, box: Box, face: Face, title: str) -> str:
        """Return a tile, upright if its box is; without `left` it is one of which only the end is known."""
        upright, u = box.h > box.w, face.unit
        parts = [rounded("face", box, u) if left is not None else rounded("rail", box, u, 1, _DASHED)]
        if left is not None:
            if upright:
                bar = f"M{n(box.x + u * 0.18)} {n(box.y + u)}h{n(u * 0.64)}"
            else:
                bar = f"M{n(box.x + u)} {n(box.y + u * 0.18)}v{n(u * 0.64)}"
            parts += [f'<path class="bar" d="{bar}" stroke-width=".7"/>', self.half(left, box.x, box.y, face, upright)]
        else:
            edge = Box(box.x + u, box.y, u, u)
            parts.append(rounded("face", edge, u))
        other = (box.x, box.y + u) if upright else (box.x + u, box.y)
        parts.append(self.half(right, *other, face, upright))
        return titled(title, "".join(parts)) if title else f"<g>{''.join(parts)}</g>"

    def half(self, half: Half, x: float, y: float, face: Face, upright: bool) -> str:
        """Return a half with its corner at x, y."""
        name = f"{self.scope}_{halves.key(half, face.pips)}"
        self.glyphs[name] = halves.glyph(half, face.pips)
        spin = " rotate(90 6 6)" if not upright and halves.turns(half, face.pips) else ""
        return f'<use href="#{name}" transform="translate({n(x)} {n(y)}) scale({round(face.unit / 12, 3):g}){spin}"/>'

    def badge(self, seat: int, x: float, y: float, radius: float, on_move: bool) -> None:
        """Add the number of a seat in a circle, which is filled if the seat is on move."""
        cls, ink = ("acc", "on") if on_move else ("badge", "ink")
        size = radius * 1.15
        middle = ' text-anchor="middle" font-weight="700"'
        self.add(f'<circle class="{cls}" cx="{n(x)}" cy="{n(y)}" r="{radius:g}" stroke-width="1.2"/>')
        self.text(x, y + size * 0.36, str(seat), ink, round(size, 1), middle)

    def defs(self) -> str:
        """Return the glyphs used, each once, in the order of their names."""
        return "".join(f'<g id="{name}">{self.glyphs[name]}</g>' for name in sorted(self.glyphs))


_DASHED = ' stroke-dasharray="3 3"'
