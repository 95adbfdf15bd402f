"""How people write tiles: finding the halves in a word, and the words in a list (docs/formats.md).

    12-5  5|12  [5|12]  (5-12)  5:12  12/5  12 - 5  12–5  05-12  *-a  blank-5  double-blank  double 5  🀲

This module handles only the spelling; `mextrain.game.tiles` checks whether such a half or tile exists. This library
always writes `12-5`, and records accept only that form.
"""

from __future__ import annotations

import re

_JOINTS = r"\-|:/\u2010-\u2015\u2212"
"""What may separate two halves: hyphen, bar, colon, slash, and Unicode's other dashes and minus sign."""

_LYING, _STANDING = 0x1F031, 0x1F063
"""The first domino glyphs of Unicode: 0-0, horizontal and vertical. Tile a-b is 7·a + b places later, up to 6-6."""

_GLYPHS = "".join(chr(first + place) for first in (_LYING, _STANDING) for place in range(49))

_PAIR = re.compile(rf"\s*([^{_JOINTS}\s]+)\s*[{_JOINTS}]\s*([^{_JOINTS}\s]+)\s*")
_DOUBLE = re.compile(r"\s*double[\s-]+(blank|\*|[0-9]+)\s*", re.IGNORECASE)
_NUMBER = re.compile(r"0*(0|[1-9][0-9]?)")


def written_half(text: str) -> str:
    """Return the canonical spelling of a half: no leading zeros, capital letters, and `0` for `blank`."""
    number = _NUMBER.fullmatch(text)
    if number:
        return number[1]
    if text.lower() == "blank":
        return "0"
    return text.upper() if text in tuple("adrst") else text


def written_halves(text: str) -> tuple[str, str] | None:
    """Return the two halves of a tile in the order written, in canonical spelling; None if `text` is not a pair."""
    word = text.strip()
    if len(word) == 1 and word in _GLYPHS:
        place = (ord(word) - (_LYING if ord(word) < _STANDING else _STANDING)) % 49
        return str(place // 7), str(place % 7)
    if word[:1] + word[-1:] in ("[]", "()"):
        word = word[1:-1]
    double = _DOUBLE.fullmatch(word)
    if double:
        return written_half(double[1]), written_half(double[1])
    pair = _PAIR.fullmatch(word)
    return (written_half(pair[1]), written_half(pair[2])) if pair else None


def written_words(text: str) -> list[str]:
    """Return the words of a list, one for each tile. Tiles are separated by spaces, commas or semicolons.

    Spaces around the character between two halves do not separate tiles. Glyphs and bracketed tiles need no spaces
    between them. The whole list may be in brackets.
    """
    text = " ".join(re.sub(rf"([{_GLYPHS}])", r" \1 ", text).split())
    # With single spaces only, the patterns run in linear time.
    text = re.sub(rf" ?([{_JOINTS}]) ?", r"\1", text)
    text = re.sub(r"\b(double) (?=blank\b|\*|[0-9])", r"\1-", text, flags=re.IGNORECASE)
    text = re.sub(r"([\[(]) ", r"\1", re.sub(r" ([\])])", r"\1", text))
    text = re.sub(r"(?<=[\])])(?=[\[(])", " ", text)
    words = [word for word in re.split(r"[ ,;]+", text) if word]
    if len(words) > 1 and words[0][0] == "[" and words[0][-1] != "]" and words[-1][-1] == "]" and words[-1][0] != "[":
        words[0], words[-1] = words[0][1:], words[-1][:-1]
    return words


def glyph(high: int, low: int) -> str:
    """Return the horizontal domino glyph of the tile high-low; both halves are 0 … 6."""
    return chr(_LYING + 7 * high + low)
