"""Decisions of the policies in lanes, on plain numbers: the moves that the scalar backend makes in the same states.

``MEXTRAIN_LOCKSTEP_STEPS`` sets the number of random rule sets.
"""

from __future__ import annotations

import os
import random
from typing import Any

import pytest

from mextrain import RuleSet
from mextrain_core.bulk import plan_value
from mextrain_core.bulk.policies import CAUTIOUS, COUNTING, HEAVIEST
from mextrain_core.compiler import vectors
from mextrain_core.lockstep import cautious
from tests.lockstep.steps import differences
from tests.lockstep.test_matches import some_policies, some_rules

STEPS = int(os.environ.get("MEXTRAIN_LOCKSTEP_STEPS", "12"))

pytestmark = pytest.mark.skipif(not vectors.supported(), reason="there is no lane code for this machine")


@pytest.mark.parametrize("number", range(STEPS))
def test_any_rules(number: int) -> None:
    choose = random.Random(number)
    rules = some_rules(choose)
    policies = some_policies(choose, rules)
    found = differences(rules, policies, 3, choose)
    assert not found, f"{rules.to_dict()}, policies {policies}, number {number}: moves (lanes, scalar) {found[:5]}"


@pytest.mark.parametrize("weight", ["point", "tile", "points_in_time", "closing", "other", "laid_elsewhere"])
def test_a_wrong_weight_is_noticed(weight: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With another weight of ``counting`` in lanes the moves differ."""
    rules, policies = RuleSet.mexican(4), [COUNTING] * 4
    assert differences(rules, policies, 2, random.Random(4)) == []
    weights = plan_value.WEIGHTS.copy()
    weights[0, plan_value.NAMES.index(weight)] //= 4
    monkeypatch.setattr(plan_value, "WEIGHTS", weights)
    assert differences(rules, policies, 12, random.Random(4))


WRONG = {
    "CLOSES": (cautious.CLOSES, CAUTIOUS),
    "FOLLOWED": (cautious.FOLLOWED, CAUTIOUS),
    "FOLLOWED_DOUBLE": (cautious.FOLLOWED_DOUBLE, CAUTIOUS),
    "LONE_DOUBLE": (cautious.LONE_DOUBLE, CAUTIOUS),
}


@pytest.mark.parametrize("preset", ["mexican", "super"])
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_preference_is_noticed(name: str, preset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every bonus of ``cautious`` matters to these tests: with another one in lanes the moves differ."""
    right, policy = WRONG[name]
    options: dict[str, Any] = {"opening": "single", "drawn_play": "may"}
    rules = RuleSet.preset(preset, players=4, **options)
    policies = [policy, policy, policy, HEAVIEST]
    assert differences(rules, policies, 2, random.Random(3)) == []
    monkeypatch.setattr(cautious, name, right + 9 if right > 0 else 0)
    assert differences(rules, policies, 12, random.Random(3))
