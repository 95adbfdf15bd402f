"""Positions for the tests of pictures, and what their pictures contain."""

from __future__ import annotations

import re
from random import Random
from xml.etree import ElementTree

from mextrain import Position, RuleSet, Tile

SVG = "{http://www.w3.org/2000/svg}"


def played(rules: RuleSet, seed: int, moves: int = 10**9) -> Position:
    """A round after up to this many random moves."""
    position, random = Position.deal(rules, seed=seed), Random(seed)
    while not position.over and position.plays < moves:
        position.play(random.choice(position.legal_moves()))
    return position


def texts(source: str, tile: Tile) -> list[str]:
    """The places of a source where the text of a tile stands, either way round, as a word of its own."""
    both = {f"{tile.high}-{tile.low}", f"{tile.low}-{tile.high}"}
    words = "|".join(re.escape(each) for each in both)
    return re.findall(rf"(?<![\w*-])(?:{words})(?![\w-])", source)


def boxes(root: ElementTree.Element, *classes: str) -> list[tuple[float, float, float, float]]:
    """The rectangles of some classes: left, top, right, bottom."""
    found = []
    for rect in root.iter(f"{SVG}rect"):
        if rect.get("class") in classes and rect.get("x"):
            x, y, w, h = (float(rect.get(name, "nan")) for name in ("x", "y", "width", "height"))
            found.append((x, y, x + w, y + h))
    return found
