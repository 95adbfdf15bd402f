"""What a search is asked to do, and the names of searches as policies: `flat:200`, `tree:1000`, `improve:400`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

import numpy as np

from mextrain.errors import PolicyError, nearest, shown
from mextrain_core.search.leaves import SCALE
from mextrain_core.search.utility import MARGIN

METHODS = ("flat", "tree", "improve")

MAX_PLAYOUTS = 10**12
"""The most play-outs of one search. They would take months."""

DROP, LATE_DROP = 1.0, 2.0
"""A move that is behind the best by more than this number of paired errors gets no more play-outs. The second number is
for budgets of more than 1000 play-outs, which can afford to look twice."""
STAND = 2.0
"""Paired errors by which a move must beat the one that `counting` would make after BLOCK worlds, in the search
`improve`; after n worlds, sqrt(BLOCK / n) times as many."""
EXPLORE = 1.0
"""Weight of the exploration in a tree, in standard deviations of the utility."""


class Tuning(TypedDict, total=False):
    """Arguments of `mextrain.search` that few people need (docs/search.md)."""

    drop: float | None
    trees: int
    block: int
    value: Any
    prior: Callable[[Any], Any] | None
    totals: Sequence[int] | None


Value = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""Takes views, seats to move, random words, offsets and legal moves of leaves, as the core's `look_at_slots` writes
them; returns the expected points of every seat, float64[leaves, players]."""

Prior = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""Takes the same for one decision; returns a number for every legal move, float64[moves]."""

NO_FUTURES = np.zeros((0, 1), np.int64)

BLOCK = 16
"""Worlds in a block."""
FIRST_BATCHES, GROWTH = 32, 4
"""Large blocks take less time. They are GROWTH times as large in stages of a flat search that have room for one, and in
a tree after FIRST_BATCHES: a walk does not know the results of the others in its batch, which matters little later."""
MAX_BLOCK = 1024


@dataclass(frozen=True)
class Settings:
    """How to search.

    `playouts`: the most play-outs, or None. `ids` and `addresses`: who decides for each seat in play-outs (uint8 and
    uint64 by seat, as in the core's `SeatPolicies`). `utility`: a code of the core's `utility`. `drop`: see `DROP`, or
    None: nothing is dropped. `trees`: number of trees that are grown apart and added up. `block`: worlds in a block.
    `value`: what values leaves instead of play-outs, or None; `value_address`: a C function that does, or 0. `prior`:
    what says which moves look good before the search, or None: `counting`. `futures`: see the core's `rate`.
    """

    method: str
    playouts: int | None
    ids: np.ndarray
    addresses: np.ndarray
    utility: int = MARGIN
    drop: float | None = DROP
    until: float | None = None
    seconds: float | None = None
    trees: int = 1
    workers: int = 1
    block: int = BLOCK
    value: Value | None = None
    value_address: int = 0
    prior: Prior | None = None
    futures: np.ndarray = field(default_factory=lambda: NO_FUTURES)

    @property
    def most_worlds(self) -> int:
        """The most worlds that are sampled at once."""
        return self.block * GROWTH

    @property
    def scale(self) -> int:
        """How many units one point has in sums: values from outside have fractions."""
        return SCALE if self.value is not None or self.value_address else 1


def usual_drop(playouts: int | None) -> float:
    """Return the errors by which a move must be behind to drop out, for a budget (None: no limit)."""
    return DROP if playouts is not None and playouts <= 1000 else LATE_DROP


def parse(name: str) -> tuple[str, int] | None:
    """Return method and play-outs of a policy's name such as `flat:200`; None if it does not name a search.

    Raises `PolicyError` for the name of a search with another number of play-outs than 1 … 10**12.
    """
    method, colon, number = name.partition(":")
    if method not in METHODS:
        return None
    if not re.fullmatch(r"[1-9][0-9]{0,12}", number) or int(number) > MAX_PLAYOUTS:
        given = f"{shown(name)}: expected a number of play-outs" if colon else f"{shown(name)} lacks its play-outs:"
        raise PolicyError(f"the policy {given} 1 … {MAX_PLAYOUTS:,} after the colon, such as {method}:200")
    return method, int(number)


def check_method(method: object) -> tuple[str, int | None]:
    """Return the method and the play-outs that its name may have, as in `improve:400`. Raises `PolicyError`."""
    if isinstance(method, str) and method not in METHODS:
        found = parse(method)
        if found is not None:
            return found
    if not isinstance(method, str) or method not in METHODS:
        hint = nearest(method, METHODS)
        expected = f"expected {', '.join(METHODS)}, or one with its play-outs such as flat:1000{hint and '; '}{hint}"
        raise PolicyError(f"the search {shown(method)} is unknown: {expected}")
    return method, None
