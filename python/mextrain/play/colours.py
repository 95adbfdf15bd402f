"""Colours for tiles on a terminal, each value its own, as in coloured sets. A colour is never the only sign."""

from __future__ import annotations

import os
import re
from typing import TextIO

MODES = ("auto", "always", "never")
"""When to use colours."""

_HALVES = dict(
    zip(
        [*map(str, range(19)), "*", "A", "D", "R", "S", "T"],
        (245, 31, 28, 160, 94, 62, 100, 162, 30, 97, 166, 125, 66,
         70, 99, 36, 130, 61, 240, 196, 208, 39, 170, 34, 178),
        strict=True,
    )
)
_TILE = re.compile(r"(?<![\w*-])(\d{1,2}|[*ADRST])-(\d{1,2}|[*ADRST])(?![\w*-])")


def wants_colours(mode: str, stream: TextIO) -> bool:
    """Return whether to write colours to a stream: `always`, `never`, or `auto`, which also obeys NO_COLOR."""
    if mode != "auto":
        return mode == "always"
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def coloured(text: str) -> str:
    """Return a text whose tiles have colours; everything else, and the width on the terminal, stays the same."""
    return _TILE.sub(lambda tile: f"{_half(tile[1])}-{_half(tile[2])}", text)


def _half(half: str) -> str:
    return f"\x1b[38;5;{_HALVES[half]}m{half}\x1b[39m" if half in _HALVES else half
