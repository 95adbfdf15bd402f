"""What the adapters share: packed bits as bytes, and the rounds that options name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mextrain.errors import MextrainError, shown
from mextrain.game.rules import RuleSet
from mextrain_core.hidden.observe import expand_words


class Bytes:
    """Bits of all environments as bytes, in an array that is made once."""

    def __init__(self, words: np.ndarray, bits: int) -> None:
        self._words = words
        self._wide = np.zeros((len(words), 8 * words.shape[1]), np.uint64)
        self._bytes = self._wide.view(np.int8)[:, :bits]

    def bytes(self) -> np.ndarray:
        """Return the bits as they are now, 0 or 1: int8[n, bits], which the next call writes again."""
        expand_words(self._words, self._wide)
        return self._bytes


NAMES = ("seed", "game", "engine")
"""The options that name a round."""


def named_round(rules: RuleSet, seed: int, options: Mapping[str, Any] | None) -> tuple[int, int, int]:
    """Return (seed, game, round) of the options `seed`, `game` and `engine`; missing ones are `seed`, 0 and 0.

    Raises `MextrainError` for other options, and for an engine that the rules do not play.
    """
    if options is None:
        options = {}
    if not isinstance(options, Mapping) or not set(options) <= set(NAMES):
        raise MextrainError(f"options = {shown(options)}: expected a dict with keys from {', '.join(NAMES)}")
    engines = [str(engine) for engine in rules.engines]
    engine = str(options.get("engine", engines[0]))
    if engine not in engines:
        raise MextrainError(f"engine = {shown(engine)}: expected one of {', '.join(engines)}")
    return options.get("seed", seed), options.get("game", 0), engines.index(engine)
