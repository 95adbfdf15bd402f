"""Environments for learners: a step, with and without what is written for the learner; the unit is a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bench.conftest import RULES, size
from mextrain import BatchEnv
from mextrain.hidden.observation import expand

NOTHING: dict[str, Any] = {"observe": None, "masks": False}
KINDS: dict[str, dict[str, Any]] = {
    "ids": NOTHING,
    "rows": NOTHING | {"actions": "rows"},
    "masks": {"observe": None},
    "masks-table": {},
    "masks-full": {"observe": "full"},
    "features": NOTHING | {"actions": "rows", "legal": "rows"},
    "one-seat": {"outside": 0, "others": "cautious"},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["mexican-4", "super-4"])
def test_steps(name: str, kind: str, timed: Callable[..., Any]) -> None:
    """Random actions, which are chosen beside it: about 30 ns a step are theirs."""
    n, steps = 1024, size(5, 200)
    env = BatchEnv(RULES[name], n, seed=1, **KINDS[kind])
    env.reset()
    out, count = np.zeros(n, np.uint16), iter(range(10**9))

    def play() -> None:
        for _ in range(steps):
            env.step(env.random_actions(next(count), out))

    timed(play, n * steps, "step")
    assert env.game.max() > 0 or not env.done.all()


def test_expand(timed: Callable[..., Any]) -> None:
    words = np.random.default_rng(1).integers(0, 1 << 63, (1024, 7), dtype=np.uint64)
    bits = timed(lambda: expand(words, 448), 1024, "row")
    assert np.array_equal(bits, np.unpackbits(words.view(np.uint8), axis=1, bitorder="little"))
