"""The basic bit operations: population count, lowest bit, k-th bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import njit

from bench.conftest import size
from mextrain_core.compiler.machine import kth_bit, lowest, popcount


@njit(nogil=True)
def sum_of_counts(words: np.ndarray) -> np.uint64:
    """Number of bits of all words."""
    total = np.uint64(0)
    for word in words:
        total += popcount(word)
    return total


@njit(nogil=True)
def sum_of_bits(words: np.ndarray) -> np.uint64:
    """Sum of the indices of all bits of all words, from the lowest bit up."""
    total = np.uint64(0)
    for word in words:
        while word != np.uint64(0):
            total += lowest(word)
            word &= word - np.uint64(1)
    return total


@njit(nogil=True)
def sum_of_choices(words: np.ndarray) -> np.uint64:
    """Sum of the index of one bit of each word, the k-th for changing k."""
    total = np.uint64(0)
    k = np.uint64(0)
    for word in words:
        total += kth_bit(word, k % popcount(word))
        k += np.uint64(7)
    return total


def words(count: int) -> np.ndarray:
    """Words with about half of their bits set: uint64[count]."""
    return np.random.default_rng(1).integers(1, 2**64, count, np.uint64)


@pytest.mark.parametrize("function", [sum_of_counts, sum_of_bits, sum_of_choices], ids=lambda f: f.__name__)
def test_bits(function: Any, timed: Callable[..., Any]) -> None:
    values = words(size(100_000, 1_000_000))
    total = timed(lambda: function(values), len(values), "word")
    texts = [format(value, "b")[::-1] for value in values.tolist()]
    if function is sum_of_counts:
        assert total == sum(text.count("1") for text in texts)
    elif function is sum_of_bits:
        assert total == sum(k for text in texts for k, bit in enumerate(text) if bit == "1")
