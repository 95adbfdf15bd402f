"""Policies by name."""

from __future__ import annotations

import pytest

from mextrain import PolicyError
from mextrain.bulk.policies import POLICIES, check_policies


def test_names() -> None:
    assert POLICIES[0] == "random"
    assert len(set(POLICIES)) == len(POLICIES)
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
