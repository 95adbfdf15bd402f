"""Policies by name."""

from __future__ import annotations

import re

import numpy as np
import pytest

from mextrain import PolicyError, RuleSet, c
from mextrain.bulk.policies import BY_ID, POLICIES, check_policies
from mextrain.bulk.results import FAULT
from mextrain.bulk.seat_policies import Seats
from mextrain_core.bulk import policies as core
from mextrain_core.bulk import rollout
from mextrain_core.model.state import new_states

PINNED = {0: "random", 1: "heaviest", 2: "cautious", 3: "planner", 4: "counting", 5: "expert"}
"""The id of a policy never changes and is never given to another one."""


def test_ids_and_names_are_pinned() -> None:
    assert {policy.id: policy.name for policy in core.POLICIES} == PINNED
    assert len({policy.name for policy in core.POLICIES}) == len(core.POLICIES)
    assert tuple(PINNED.values()) == POLICIES
    for number, name in PINNED.items():
        seats = Seats.of([number, name], 2)
        assert seats.names == (name, name)
        assert seats.ids.tolist() == [number] * 2
        assert BY_ID[number].name == name


def test_the_header_has_the_policies_that_kernels_decide_for() -> None:
    """A C program passes the number, so numbers must not change; `planner` and `expert` are not available that way."""
    found = re.findall(r"#define MEXTRAIN_POLICY_(\w+) (\d+)", c.header())
    assert found == [("RANDOM", "0"), ("HEAVIEST", "1"), ("CAUTIOUS", "2"), ("COUNTING", "4")]


def played_by(numbers: list[int]) -> np.ndarray:
    """The end of each round of one game, with ids that are passed to the kernels unchecked."""
    rules = RuleSet.mexican(len(numbers), rounds=3)
    points, facts = np.zeros((1, 3, len(numbers)), np.int64), np.zeros((1, 3, 7), np.int32)
    job = (np.uint64(1), np.uint64(0), 1, points, facts, np.empty(0, np.uint16))
    rollout.play_games(new_states(1), 0, rules.record, np.array(numbers, np.uint8), *job)
    return facts[0, :, 0]


@pytest.mark.parametrize("number", [policy.id for policy in core.POLICIES if not policy.apart])
def test_kernels_decide_for_every_policy_that_is_not_compiled_apart(number: int) -> None:
    assert FAULT not in played_by([number, 0])


@pytest.mark.parametrize("number", [3, 5, 6, 200, 254, 255])
def test_an_id_that_kernels_do_not_know_plays_nothing(number: int) -> None:
    assert played_by([0, number]).tolist() == [FAULT] * 3


@pytest.mark.parametrize("number", [6, 7, 255])
def test_an_id_without_a_policy_is_refused(number: int) -> None:
    with pytest.raises(PolicyError, match="0 random, 1 heaviest, 2 cautious, 3 planner, 4 counting, 5 expert"):
        Seats.of(number, 2)


def test_names() -> None:
    assert check_policies("random", 3) == ("random",) * 3
    assert check_policies("heaviest,random", 2) == ("heaviest", "random")
    assert check_policies(["heaviest", "random"], 2) == ("heaviest", "random")


@pytest.mark.parametrize(
    ("policies", "text"),
    [
        ("", "''"),
        ("random,", "''"),
        ("Random", "did you mean random"),
        ("heavy", "did you mean heaviest"),
        ("x", r"expected one of random, heaviest"),
        ("random,random,random", "3 policies for 2 players"),
        ((), "0 policies for 2 players"),
        ((None, None), "none"),
    ],
)
def test_wrong_names(policies: str, text: str) -> None:
    with pytest.raises(PolicyError, match=text):
        check_policies(policies, 2)
