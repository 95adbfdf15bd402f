"""Packed bits as bytes, for the adapters."""

from __future__ import annotations

import numpy as np

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

