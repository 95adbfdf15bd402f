"""Legal moves as a list, as ids and as a mask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bench.conftest import size
from bench.kernels import decisions, ids_all, list_all, mask_all
from mextrain import RuleSet


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
