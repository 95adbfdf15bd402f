"""Tiles as people write them: which halves a word names, and which words a list holds (docs/formats.md).

    12-5  5|12  [5|12]  (5-12)  5:12  12/5  12 - 5  12–5  05-12  *-a  blank-5  double-blank  double 5  🀲

Only the spelling is looked at here; whether such a half or tile exists is the business of `mextrain.game.tiles`. What
this library writes has one form, `12-5`, and records accept no other.
"""

from __future__ import annotations

import re

_JOINTS = r"\-|:/\u2010-\u2015\u2212"
"""What may stand between two halves: hyphen, bar, colon, slash, and the other dashes and the minus sign of Unicode."""

_LYING, _STANDING = 0x1F031, 0x1F063
"""The first domino glyphs of Unicode: 0-0 lying and standing. The tile a-b comes 7·a + b places later, up to 6-6."""

_GLYPHS = "".join(chr(first + place) for first in (_LYING, _STANDING) for place in range(49))

_PAIR = re.compile(rf"\s*([^{_JOINTS}\s]+)\s*[{_JOINTS}]\s*([^{_JOINTS}\s]+)\s*")
_DOUBLE = re.compile(r"\s*double[\s-]+(blank|\*|[0-9]+)\s*", re.IGNORECASE)
_NUMBER = re.compile(r"0*(0|[1-9][0-9]?)")


def written_half(text: str) -> str:
    """Return the canonical spelling of a half: no zeros before a number, capital letters, `0` for `blank`."""
    number = _NUMBER.fullmatch(text)
    if number:
        return number[1]
    if text.lower() == "blank":
        return "0"
    return text.upper() if text in tuple("adrst") else text


def written_halves(text: str) -> tuple[str, str] | None:
    """Return the two halves of a tile in the order written, in canonical spelling; None if `text` names no two."""
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
    """Return the words of a list, one for each tile: they are separated by spaces, commas or semicolons.

    Spaces around what joins two halves separate nothing, and neither glyphs nor brackets need any. The whole list may
    stand in brackets.
    """
    text = " ".join(re.sub(rf"([{_GLYPHS}])", r" \1 ", text).split())
    # No more than one space anywhere: the patterns take no longer than the text is long.
    text = re.sub(rf" ?([{_JOINTS}]) ?", r"\1", text)
    text = re.sub(r"\b(double) (?=blank\b|\*|[0-9])", r"\1-", text, flags=re.IGNORECASE)
    text = re.sub(r"([\[(]) ", r"\1", re.sub(r" ([\])])", r"\1", text))
    text = re.sub(r"(?<=[\])])(?=[\[(])", " ", text)
    words = [word for word in re.split(r"[ ,;]+", text) if word]
    if len(words) > 1 and words[0][0] == "[" and words[0][-1] != "]" and words[-1][-1] == "]" and words[-1][0] != "[":
        words[0], words[-1] = words[0][1:], words[-1][:-1]
    return words


def glyph(high: int, low: int) -> str:
    """Return the domino glyph of the tile high-low, lying; both halves are 0 … 6."""
    return chr(_LYING + 7 * high + low)
