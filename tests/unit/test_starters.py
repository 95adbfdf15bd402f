"""Who begins each round of a match (docs/rules.md section 3), as one rule for kernels and Python."""

from __future__ import annotations

import numpy as np
import pytest

from mextrain import RuleSet
from mextrain.game.starters import next_starter, next_starters

NONE = 255


@pytest.mark.parametrize(
    ("starter", "last", "winner", "expected"),
    [
        ("draw", 1, 2, None),
        ("rotate", 0, 2, 1),
        ("rotate", 3, None, 0),
        ("winner", 1, 2, 2),
        ("winner", 1, 0, 0),
        ("winner", 1, None, None),
        (2, 1, 0, 2),
    ],
)
def test_who_begins_after_a_round(starter: str | int, last: int, winner: int | None, expected: int | None) -> None:
    assert next_starter(RuleSet.mexican(4, starter=starter), last, winner) == expected


@pytest.mark.parametrize(("starter", "expected"), [("draw", NONE), ("rotate", NONE), ("winner", NONE), (3, 3)])
def test_only_a_fixed_seat_is_known_before_the_first_round(starter: str | int, expected: int) -> None:
    before = np.full(2, NONE, np.uint8)
    assert next_starters(RuleSet.mexican(4, starter=starter), before, before).tolist() == [expected] * 2
