"""Rules that end a tournament: the errors of the sequential test, and stops that depend on nothing but the deals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from mextrain import MextrainError, RuleSet, tournament
from mextrain.bulk.stats import Sum
from mextrain.study import tournament as module
from mextrain.study.stopping import FIRST_LOOK, StopRule, check_stop

RULES = RuleSet.mexican(3, rounds=2)
PER_DEAL = 6
RUNS = 400


def decisions(gain: float, spread: float, stopping: StopRule, skewed: bool) -> tuple[list[int], list[int]]:
    """Hypotheses that simulated tournaments accept, and after how many deals: the first policy gains `gain`."""
    rng = np.random.default_rng(11)
    accepted, deals = [], []
    for _ in range(RUNS):
        # A skewness of 1/2, which is more than deals have that are summed over their rounds and seatings.
        noise = (rng.gamma(16, 1, 3000) - 16) / 4 if skewed else rng.standard_normal(3000)
        observed = np.rint(-PER_DEAL * (gain + spread * noise)).astype(np.int64)[:, None]
        stop = stopping.within([Sum(0, 0)], 0, observed, [PER_DEAL])
        assert stop is not None
        kept = observed[:stop, 0]
        verdict = stopping.verdict(Sum(int(kept.sum()), int((kept * kept).sum())), stop, PER_DEAL)
        assert verdict is not None
        accepted.append(verdict)
        deals.append(stop)
    return accepted, deals


@pytest.mark.parametrize("skewed", [False, True])
def test_errors_of_the_sequential_test(skewed: bool) -> None:
    """At either bound the wrong hypothesis is accepted in about 5 % of the runs at most."""
    stopping = StopRule(test=(0.0, 2.0))
    most = 0.05 + 3 * math.sqrt(0.05 * 0.95 / RUNS)
    for gain, right in ((0.0, 0), (2.0, 1)):
        accepted, deals = decisions(gain, 10.0, stopping, skewed)
        assert sum(each != right for each in accepted) / RUNS <= most
        # A test of fixed size with these errors takes (1.645 · 2 · 10 / 2)², about 271 deals.
        assert sum(deals) / RUNS < 271
    accepted, _ = decisions(5.0, 10.0, stopping, skewed)
    assert all(accepted)


def test_an_interval_that_is_narrow_enough_holds_the_truth() -> None:
    """Stopping at a width spoils the interval little: about 95 % hold the true difference."""
    rng, stopping = np.random.default_rng(3), StopRule(until=2.0)
    inside = 0
    for _ in range(RUNS):
        observed = np.rint(PER_DEAL * (1.0 + 6 * rng.standard_normal(1500))).astype(np.int64)[:, None]
        stop = stopping.within([Sum(0, 0)], 0, observed, [PER_DEAL])
        assert stop is not None
        kept = observed[:stop, 0]
        mean = Sum(int(kept.sum()), int((kept * kept).sum())).mean(stop, PER_DEAL)
        assert mean.low is not None
        assert mean.high is not None
        assert mean.high - mean.low < 2.0
        inside += mean.low <= 1.0 <= mean.high
    assert 0.95 - 3 * math.sqrt(0.05 * 0.95 / RUNS) <= inside / RUNS


def test_equal_policies_gain_nothing() -> None:
    """Differences of exactly 0 have no spread."""
    stopping = StopRule(test=(0.0, 0.5))
    assert stopping.ratio(Sum(0, 0), 60, PER_DEAL) == -math.inf
    assert StopRule(test=(-0.5, 0.0)).ratio(Sum(0, 0), 60, PER_DEAL) == math.inf
    assert StopRule(test=(-0.5, 0.5)).ratio(Sum(0, 0), 60, PER_DEAL) == 0
    found = tournament(RULES, "heaviest,heaviest", deals=1000, stop=StopRule(test=(0, 0.5)))
    assert found.deals == FIRST_LOOK
    verdict = found.verdict()
    assert verdict is not None
    assert verdict.hypothesis == 0
    assert "accepted “heaviest gains 0 points a round or less on heaviest#2”" in found.text().replace("\n", " ")


@pytest.mark.parametrize("rule", [{"until": 4.0}, {"test": (0, 3)}, {"test": (15, 20), "error": 0.01}])
def test_the_stop_depends_on_the_deals_alone(rule: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    policies = "cautious,random"
    found = tournament(RULES, policies, deals=5000, seed=4, stop=StopRule(**rule))
    assert FIRST_LOOK <= found.deals < 5000
    monkeypatch.setattr(module, "CHUNK_SECONDS", 0.01)
    assert tournament(RULES, policies, deals=5000, seed=4, workers=3, stop=StopRule(**rule)) == found
    without = tournament(RULES, policies, deals=found.deals, seed=4)
    assert (without.sums, without.orders) == (found.sums, found.orders)
    # One deal earlier it would not have stopped.
    if found.deals > FIRST_LOOK:
        before = tournament(RULES, policies, deals=found.deals - 1, seed=4)
        assert not found.stopping.reached(before.sums["difference"], found.deals - 1, [6 * 3])


def test_a_test_that_is_not_decided() -> None:
    found = tournament(RULES, "cautious,heaviest", deals=3, stop=StopRule(test=(0, 0.1)))
    verdict = found.verdict()
    assert verdict is not None
    assert verdict.hypothesis is None
    assert "not decided between" in str(found)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"until": 0}, "until = 0"),
        ({"until": "wide"}, "until = 'wide'"),
        ({"until": math.inf}, "until = inf"),
        ({"test": (1, 0)}, "the lower one first"),
        ({"test": 3}, "test = 3"),
        ({"test": (0, "a")}, "two bounds"),
        ({"error": 0.5}, "error = 0.5"),
        ({"error": None}, "error = none"),
    ],
)
def test_wrong_rules_are_named(given: dict[str, Any], words: str) -> None:
    with pytest.raises(MextrainError, match=words):
        StopRule(**given)


def test_a_rule_must_suit_the_tournament() -> None:
    with pytest.raises(MextrainError, match="needs two policies, not 3"):
        check_stop(StopRule(test=(0, 1)), 3)
    with pytest.raises(MextrainError, match="stop = 3: expected None or a StopRule"):
        tournament(RULES, "random,heaviest", deals=1, stop=3)  # type: ignore[arg-type]
