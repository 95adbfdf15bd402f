"""What a search found, as sums, and what all searches share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mextrain.game.seeding import mix
from mextrain_core.search.flat import Sums

_MASK = 2**64 - 1
_GOLDEN, _BLOCK = 0x9E3779B97F4A7C15, 0xD1342543DE82EF95


class Outcome(NamedTuple):
    """The legal moves as codes, the sums of a search, the index of its choice, what it did, and what ended it."""

    moves: np.ndarray
    sums: Sums
    best: int
    blocks: int
    worlds: int
    nodes: int
    ended: str
    line: tuple[int, ...] = ()
    """Codes of the principal line after the first move; of flat search it is empty."""


def block_seed(seed: int, block: int, tree: int = 0) -> int:
    """Return the seed of the worlds of a block (docs/search.md)."""
    return mix(mix(seed + _GOLDEN & _MASK) ^ (((tree << 40) + block + 1) * _BLOCK & _MASK))


def decision_seed(word: int, seat: int) -> int:
    """Return the seed of the search of `seat` in a game, where `word` is the one-way word of the attempt.

    Seats that search at one table must not share a stream, or their errors would agree.
    """
    return mix(word ^ ((seat + 1) * _BLOCK & _MASK))
