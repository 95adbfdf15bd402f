"""Rules compared on equal deals: against plain Python over `simulate`."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable
from typing import Any

import pytest

from mextrain import Interrupted, MextrainError, RuleComparison, RuleSet, Simulation, compare_rules, simulate
from mextrain.study import comparison as module

BASE = RuleSet.mexican(3, rounds=4)
COVER = RuleSet.mexican(3, rounds=4, double_rule="cover")
GAMES = 40


def interval(values: list[float]) -> tuple[float, float, float]:
    centre = statistics.fmean(values)
    half = 1.959963984540054 * statistics.stdev(values) / math.sqrt(len(values))
    return centre, centre - half, centre + half


def less_others(points: list[int], seats: list[int]) -> float:
    """Mean points of these seats less the mean of the others."""
    others = [each for seat, each in enumerate(points) if seat not in seats]
    return statistics.fmean(points[seat] for seat in seats) - statistics.fmean(others)


def by_game(played: Simulation, measure: str) -> list[float]:
    """The mean over the rounds of each game."""
    players = played.players
    of_round: dict[str, Callable[[int, int], float]] = {
        "turns": lambda g, r: float(played.turns[g, r]),
        "plays": lambda g, r: float(played.plays[g, r]),
        "draws": lambda g, r: float(played.draws[g, r]),
        "points": lambda g, r: statistics.fmean(played.points[g, r].tolist()),
        "blocked": lambda g, r: float(played.end[g, r] == 2),
        "starter_advantage": lambda g, r: (
            float(played.winner[g, r] == played.starter[g, r]) - (played.end[g, r] == 1) / players
        ),
        **{
            f"place {place + 1}": lambda g, r, place=place: less_others(
                played.points[g, r].tolist(), [(int(played.starter[g, r]) + place) % players]
            )
            for place in range(players)
        },
        **{
            f"seat {seat}": lambda g, r, seat=seat: less_others(played.points[g, r].tolist(), [seat])
            for seat in range(players)
        },
    }
    return [
        statistics.fmean(of_round[measure](game, number) for number in range(played.rounds))
        for game in range(played.games)
    ]


@pytest.mark.parametrize("variant", [COVER, RuleSet.mexican(3, rounds=3, hand_size=9), RuleSet.super(3, rounds=2)])
def test_every_measure_by_hand(variant: RuleSet) -> None:
    found = compare_rules(BASE, {"other": variant}, games=GAMES, seed=3, policies="cautious", first_game=5)
    played = [simulate(rules, games=GAMES, seed=3, policies="cautious", first_game=5) for rules in (BASE, variant)]
    measures = [each.measure for each in found.effects()]
    assert len(measures) == len(set(measures)) == 12
    for effect in found.effects():
        base, other = (by_game(each, effect.measure) for each in played)
        assert effect.base == pytest.approx(interval(base)), effect
        assert effect.variant == pytest.approx(interval(other)), effect
        pairs = [b - a for a, b in zip(base, other, strict=True)]
        assert effect.difference == pytest.approx(interval(pairs)), effect


def test_policies_sit_in_every_seat() -> None:
    """With one strong policy: every deal in all rotations, and what the rule changes for that policy."""
    policies = ["cautious", "random", "random"]
    found = compare_rules(BASE, COVER, games=GAMES, seed=4, policies=policies)
    assert found.seatings == 3
    effects = {each.measure: each for each in found.effects()}
    gains: list[list[float]] = [[], []]
    for side, rules in enumerate((BASE, COVER)):
        for game in range(GAMES):
            own = []
            for turn in range(3):
                seating = policies[turn:] + policies[:turn]
                played = simulate(rules, games=1, seed=4, first_game=game, policies=seating)
                own += [less_others(points, [seating.index("cautious")]) for points in played.points[0].tolist()]
            gains[side].append(statistics.fmean(own))
    assert effects["policy cautious"].base == pytest.approx(interval(gains[0]))
    pairs = [b - a for a, b in zip(*gains, strict=True)]
    assert effects["policy cautious"].difference == pytest.approx(interval(pairs))
    assert effects["policy random"].base.value == pytest.approx(-effects["policy cautious"].base.value)
    assert "cautious less the others" in str(found)


def test_the_same_rules_differ_in_nothing() -> None:
    found = compare_rules(BASE, [BASE, COVER], games=10)
    same = [each for each in found.effects() if each.rules == "the same"]
    assert len(same) == 12
    assert all(each.difference == (0, 0, 0) for each in same)
    assert list(found.rules) == ["mexican", "the same", "double_rule=cover"]


def test_equal_deals_make_intervals_narrower() -> None:
    found = compare_rules(RuleSet.mexican(4), RuleSet.mexican(4, double_blank=50), games=300, policies="cautious")
    effect = next(each for each in found.effects() if each.measure == "points")
    halves = [each.high - each.value for each in (effect.base, effect.variant, effect.difference) if each.high]
    assert halves[2] < 0.5 * math.hypot(*halves[:2])


@pytest.mark.parametrize("workers", [1, 3])
def test_nothing_depends_on_workers_and_chunks(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {"games": 25, "seed": 2, "policies": "cautious,random,heaviest"}
    whole = compare_rules(BASE, COVER, **given)
    monkeypatch.setattr(module, "CHUNK_SECONDS", 0.0)
    assert compare_rules(BASE, COVER, workers=workers, **given) == whole


def test_ctrl_c_keeps_the_deals_that_are_finished() -> None:
    def stop(done: int, total: int) -> None:
        assert total == 2 * 10_000
        if done > 200:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stopped:
        compare_rules(BASE, COVER, games=10_000, progress=stop)
    result = stopped.value.finished
    assert isinstance(result, RuleComparison)
    assert 0 < result.games < 10_000
    assert result == compare_rules(BASE, COVER, games=result.games)


def test_for_people_and_programs() -> None:
    one = compare_rules(BASE, COVER, games=20)
    long = compare_rules(BASE, BASE.replace(finish_on_double="must_cover", double_blank=50), games=20)
    many = compare_rules(BASE, {"with a name that is much too long": COVER, "cardinal": RuleSet.preset(
        "cardinal", players=3)}, games=20)  # fmt: skip
    for found in (one, many, long):
        assert max(map(len, found.text(80).splitlines())) <= 80, found.text(80)
        assert json.loads(json.dumps(found.to_dict()))["games"] == 20
    assert "the deals are not equal" not in one.text(80)
    assert "the deals are not equal" in many.text(80)
    assert "± " in many.text(80).splitlines()[-2]
    read = one.to_dict()["effects"]["double_rule=cover"]["turns"]
    assert read["difference"]["value"] == pytest.approx(read["variant"]["value"] - read["base"]["value"])
    assert one.rows()[0].keys() >= {"rules", "measure", "difference", "difference_low"}
    assert "<table" in one._repr_html_()
    assert repr(one) == "<RuleComparison of 20 games: mexican : double_rule=cover>"


@pytest.mark.parametrize(
    ("variants", "words"),
    [
        ([], "variants = "),
        ("cover", "variants = 'cover'"),
        (3, "variants = 3"),
        ([3], "expected a RuleSet"),
        ([RuleSet.mexican(4)], "rules for 4 players, the base for 3"),
    ],
)
def test_wrong_variants_are_named(variants: Any, words: str) -> None:
    with pytest.raises(MextrainError, match=words):
        compare_rules(BASE, variants, games=1)
