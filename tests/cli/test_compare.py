"""`mextrain compare`."""

from __future__ import annotations

import json

import pytest

from mextrain import RuleSet, compare_rules
from tests.cli.run import fail, succeed

ARGUMENTS = ("compare", "--players", "3", "--option", "rounds=2", "--games", "12", "--seed", "9")
BASE = RuleSet.mexican(3, rounds=2)


def test_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    text = succeed(capsys, *ARGUMENTS, "--with", "double_rule=cover", "--first-game", "5")
    wanted = compare_rules(BASE, BASE.replace(double_rule="cover"), games=12, seed=9, first_game=5)
    assert text == f"{wanted.text(80)}\nseed 9, games 5 … 16\n"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_for_programs(workers: str, capsys: pytest.CaptureFixture[str]) -> None:
    extra = ["--with", "super  double_blank=50", "--with", "rounds=3", "--policy", "cautious,random,random"]
    found = json.loads(succeed(capsys, *ARGUMENTS, *extra, "--workers", workers, "--json"))
    variants = {"super double_blank=50": RuleSet.super(3, double_blank=50), "rounds=3": RuleSet.mexican(3, rounds=3)}
    policies = ["cautious", "random", "random"]
    assert found == compare_rules(BASE, variants, games=12, seed=9, policies=policies).to_dict()


def test_what_cannot_be_compared_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--with" in fail(capsys, "compare")
    assert "'sup'" in fail(capsys, *ARGUMENTS, "--with", "sup")
    assert "did you mean double_rule=VALUE?" in fail(capsys, *ARGUMENTS, "--with", "double_rule")
    assert "expected KEY=VALUE" in fail(capsys, *ARGUMENTS, "--with", "")
    assert "double_rul" in fail(capsys, *ARGUMENTS, "--with", "double_rul=cover")
    assert "players" in fail(capsys, *ARGUMENTS, "--with", "players=4")
