"""Legal moves as a list, as ids and as a mask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import njit

from bench.conftest import decisions, size
from mextrain import RuleSet
from mextrain_core.movegen import legal_ids, legal_mask, legal_moves


@njit(nogil=True)
def list_all(states: np.ndarray, rules: np.ndarray, times: int, out: np.ndarray) -> int:
    """List the legal moves of every state, several times; returns their number."""
    total = 0
    for _ in range(times):
        for i in range(len(states)):
            total += legal_moves(states, i, rules, out)
    return total


@njit(nogil=True)
def ids_all(states: np.ndarray, rules: np.ndarray, times: int, out: np.ndarray) -> int:
    """The same as dense ids."""
    total = 0
    for _ in range(times):
        for i in range(len(states)):
            total += legal_ids(states, i, rules, out)
    return total


@njit(nogil=True)
def mask_all(states: np.ndarray, rules: np.ndarray, times: int, out: np.ndarray) -> np.uint64:
    """Write the mask of every state, several times; returns a number that depends on all of them."""
    total = np.uint64(0)
    for _ in range(times):
        for i in range(len(states)):
            legal_mask(states, i, rules, out)
            total += out[0]
    return total


@pytest.mark.parametrize("form", ["list", "ids", "mask"])
def test_legal(form: str, rules: RuleSet, timed: Callable[..., Any]) -> None:
    states = decisions(rules, 256)
    times = size(10, 1000)
    function, out = {
        "list": (list_all, np.zeros(1024, np.uint16)),
        "ids": (ids_all, np.zeros(1024, np.uint16)),
        "mask": (mask_all, np.zeros((rules.action_count + 63) // 64, np.uint64)),
    }[form]
    total = timed(lambda: function(states, rules.record, times, out), times * len(states), "state")
    if form != "mask":
        assert total >= times * len(states)
