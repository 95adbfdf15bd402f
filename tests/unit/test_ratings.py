"""Ratings: compared with closed forms, with games from known worths, and with sums over all orders."""

from __future__ import annotations

import itertools
import math
import random
import statistics
import sys
from collections.abc import Sequence

import numpy as np
import pytest

from mextrain import MextrainError, RuleSet, tournament
from mextrain.bulk.results import Rounds
from mextrain.game.winners import places, ranking
from mextrain.study.orders import BATCHES, Choice, count_orders, decoded, merged
from mextrain.study.ratings import Rating, _stages, rate
from mextrain.study.seatings import Group, groups_of

ELO = 400 / math.log(10)


def rounds(points: Sequence[Sequence[int]]) -> Rounds:
    """Matches of one round with these points by seat."""
    found = Rounds.empty(len(points), 1, len(points[0]))
    found.points[:, 0] = points
    return found


def two(results: Sequence[Sequence[tuple[int, int]]]) -> tuple[list[Rating], list[Group]]:
    """Ratings of a and b from points (a, b) by deal, in both seatings."""
    groups = groups_of("pairs", 2, 2)
    there, back = ([deal[k] for deal in results] for k in (0, 1))
    played = [((0, 1), rounds(there)), ((1, 0), rounds([(b, a) for a, b in back]))]
    orders = count_orders(RuleSet.mexican(2, rounds=1), groups, played, 0)
    return rate(orders, groups, ("a", "b"), 2, len(results)), groups


def test_two_players_by_hand() -> None:
    """The difference is the log odds of the wins, ties being halves; the interval is that of the share by deal."""
    deals = [((0, 5), (3, 1)), ((0, 2), (0, 9)), ((4, 4), (0, 1)), ((7, 0), (0, 3)), ((1, 1), (2, 2)), ((0, 1), (5, 0))]
    deals *= 5
    ratings, _ = two(deals)
    shares = [statistics.fmean(1.0 if a < b else 0.5 if a == b else 0.0 for a, b in deal) for deal in deals]
    share = statistics.fmean(shares)
    by_name = {each.policy: each.rating for each in ratings}
    difference = by_name["a"].value - by_name["b"].value
    assert difference == pytest.approx(ELO * math.log(share / (1 - share)), abs=1e-4)
    error = statistics.stdev(shares) / math.sqrt(len(shares)) / (share * (1 - share))
    high = by_name["a"].high
    assert high is not None
    assert 2 * (high - by_name["a"].value) == pytest.approx(1.959963984540054 * ELO * error, rel=1e-4)
    assert [each.policy for each in ratings] == ["a", "b"]


def test_all_orders_of_seats_that_tie_count_alike() -> None:
    """Against the mean over all permutations."""
    worths = (1.0, 2.0, 5.0)
    choice = Choice((2, 1, 1), (1, 1, 1))
    found = sum(
        weight * math.log(sum(n * w for n, w in zip(left, worths, strict=True))) for left, weight in _stages(choice)
    )
    logs = []
    for order in itertools.permutations(range(3)):
        left, total = [2, 1, 1], 0.0
        for policy in order:
            total += math.log(sum(n * w for n, w in zip(left, worths, strict=True)))
            left[policy] -= 1
        logs.append(total)
    assert found == pytest.approx(statistics.fmean(logs))


def drawn(rng: random.Random, seating: Sequence[int], worths: Sequence[float]) -> list[int]:
    """Points by seat of a game whose order follows the model."""
    left, points = list(range(len(seating))), [0] * len(seating)
    for place in range(len(seating)):
        seat = rng.choices(left, [worths[seating[each]] for each in left])[0]
        points[seat] = place
        left.remove(seat)
    return points


@pytest.mark.parametrize("format", ["pairs", "table"])
def test_games_of_known_worths(format: str) -> None:
    """The ratings are near the truth, and 95 % intervals hold it in most of the runs."""
    worths, players = (1.0, 1.5, 4.0), 3
    truth = [ELO * math.log(worth) for worth in worths]
    truth = [value - statistics.fmean(truth) for value in truth]
    groups = groups_of(format, 3, players)
    rng = random.Random(7)
    runs, inside = 40, 0
    for _ in range(runs):
        played = [
            (seating, rounds([drawn(rng, seating, worths) for _ in range(60)]))
            for group in groups
            for seating in group.seatings
        ]
        orders = count_orders(RuleSet.mexican(players, rounds=1), groups, played, 0)
        for each in rate(orders, groups, "abc", players, 60):
            right = truth["abc".index(each.policy)]
            assert abs(each.rating.value - right) < 80
            assert each.rating.low is not None
            assert each.rating.high is not None
            inside += each.rating.low <= right <= each.rating.high
    assert 0.88 * 3 * runs <= inside <= 0.995 * 3 * runs


def test_counts_add_up_however_deals_are_divided() -> None:
    groups = groups_of("pairs", 3, 4)
    rng = np.random.default_rng(3)
    rules = RuleSet.mexican(4, rounds=1)
    games = [
        (seating, rng.integers(0, 6, (2 * BATCHES + 5, 4)).tolist()) for group in groups for seating in group.seatings
    ]
    whole = count_orders(rules, groups, [(seating, rounds(points)) for seating, points in games], 0)
    parts = [
        count_orders(rules, groups, [(seating, rounds(points[a:b])) for seating, points in games], a)
        for a, b in ((0, 7), (7, 300), (300, 2 * BATCHES + 5))
    ]
    assert merged(merged(parts[0], parts[1]), parts[2]) == dict(sorted(whole.items()))
    # Every seat has a place: the seats that leave at each choice are all seats.
    for number, group in enumerate(groups):
        left = [0, 0, 0]
        for key, counts in whole.items():
            if key.startswith(f"{number}:"):
                choice = decoded(key, groups, 3, 4)
                if sum(choice.left) == 4:
                    left = [a + sum(counts) * b for a, b in zip(left, choice.left, strict=True)]
        assert sum(left) == 4 * len(group.seatings) * (2 * BATCHES + 5)


def test_places_are_those_of_the_ranking() -> None:
    rng = np.random.default_rng(5)
    for rules in (RuleSet.mexican(4), RuleSet.mexican(4, tie_break="zeros")):
        points = rng.integers(0, 3, (200, 3, 4))
        for game, found in zip(points, places(rules, points).tolist(), strict=True):
            place = 0
            for seats in ranking(rules, game.tolist()):
                assert [found[seat] for seat in seats] == [place] * len(seats)
                place += len(seats)


def test_without_a_finite_estimate() -> None:
    with pytest.raises(MextrainError, match="no bound; play more deals"):
        two([((0, 5), (0, 1))] * 4)


def test_one_deal_has_no_intervals() -> None:
    ratings, _ = two([((0, 5), (3, 1))])
    assert {each.rating for each in ratings} == {(0, None, None)}


def test_of_a_tournament(monkeypatch: pytest.MonkeyPatch) -> None:
    found = tournament(RuleSet.mexican(3, rounds=2), "random,cautious,heaviest", deals=60, seed=2)
    ratings = found.ratings()
    assert ratings[0].policy == "cautious"
    assert sum(each.rating.value for each in ratings) == pytest.approx(0, abs=1e-6)
    text = found.text(80, ratings=True)
    assert f"{ratings[0].rating.value:.0f}" in text
    assert max(map(len, text.splitlines())) <= 80
    # Without the library the table says which extra is missing, and only if ratings are asked for.
    monkeypatch.setitem(sys.modules, "scipy", None)
    assert "mextrain[ratings]" in found.text(100, ratings=True).replace("\n", " ")
    assert "ratings" not in found.text(100)
