"""Tournaments: equal deals, rotated seats, and paired intervals compared with plain Python."""

from __future__ import annotations

import json
import math
import statistics
from collections import Counter
from typing import Any

import numpy as np
import pytest

import mextrain
from mextrain import (
    Batch,
    BatchPolicy,
    Interrupted,
    MextrainError,
    PolicyError,
    RuleSet,
    SeedError,
    Tournament,
    simulate,
    tournament,
)
from mextrain.study import tournament as module

RULES = RuleSet.mexican(3, rounds=4)
DEALS = 40


def seatings_by_hand(names: list[str], players: int) -> list[tuple[str, ...]]:
    """All rotations of A B A … and of B A B …, each once; or all rotations of the names."""
    if len(names) == players:
        return [tuple(names[turn:] + names[:turn]) for turn in range(players)]
    first, second = names
    found = set()
    for a, b in ((first, second), (second, first)):
        seats = [a if seat % 2 == 0 else b for seat in range(players)]
        found |= {tuple(seats[turn:] + seats[:turn]) for turn in range(players)}
    return sorted(found)


def observed(rules: RuleSet, names: list[str], deals: int, seed: int) -> dict[str, list[list[float]]]:
    """By policy and deal: mean points per round and seat, and the share of seatings that it won alone."""
    points: dict[str, list[list[float]]] = {name: [[] for _ in range(deals)] for name in names}
    won: dict[str, list[list[float]]] = {name: [[] for _ in range(deals)] for name in names}
    for seating in seatings_by_hand(names, rules.players):
        played = simulate(rules, games=deals, seed=seed, policies=list(seating))
        for deal, totals in enumerate(played.totals.tolist()):
            leaders = {name for name, total in zip(seating, totals, strict=True) if total == min(totals)}
            for name in names:
                won[name][deal].append(leaders == {name})
            for name, total in zip(seating, totals, strict=True):
                points[name][deal].append(total / rules.rounds)
    return {
        **{name: [[statistics.fmean(each)] for each in points[name]] for name in names},
        **{f"{name} won": [[statistics.fmean(each)] for each in won[name]] for name in names},
    }


def interval(values: list[float]) -> tuple[float, float, float]:
    """Mean and 95 % interval of independent values."""
    centre = statistics.fmean(values)
    half = 1.959963984540054 * statistics.stdev(values) / math.sqrt(len(values))
    return centre, centre - half, centre + half


@pytest.mark.parametrize("rules", [RULES, RuleSet.mexican(2, rounds=3), RuleSet.super(4, rounds=2)])
def test_a_pair_by_hand(rules: RuleSet) -> None:
    names = ["cautious", "random"]
    by_hand = observed(rules, names, DEALS, seed=5)
    cautious, random = ([value for (value,) in by_hand[name]] for name in names)
    differences = [a - b for a, b in zip(cautious, random, strict=True)]
    result = tournament(rules, names, deals=DEALS, seed=5)
    (pair,) = result.pairs()
    assert (pair.first, pair.second) == ("cautious", "random")
    assert pair.difference == pytest.approx(interval(differences))
    assert pair.first_won.value == pytest.approx(statistics.fmean(value for (value,) in by_hand["cautious won"]))
    assert pair.second_won.value == pytest.approx(statistics.fmean(value for (value,) in by_hand["random won"]))
    first, second = result.ranks()
    assert first.points == pytest.approx(interval(cautious))
    assert second.points == pytest.approx(interval(random))
    assert first.against == pytest.approx(pair.difference)
    assert second.against.value == pytest.approx(-pair.difference.value)
    # Pairing by deal removes the luck of the tiles: the interval is narrower than that of independent samples.
    assert pair.difference.high is not None
    independent = math.hypot(*(interval(values)[2] - statistics.fmean(values) for values in (cautious, random)))
    assert pair.difference.high - pair.difference.value < 1.3 * independent


def test_a_table_by_hand() -> None:
    names = ["cautious", "random", "heaviest"]
    by_hand = observed(RULES, names, DEALS, seed=6)
    values = {name: [value for (value,) in by_hand[name]] for name in names}
    result = tournament(RULES, names, deals=DEALS, seed=6, format="table")
    assert result.games == 3 * DEALS
    ranks = {rank.policy: rank for rank in result.ranks()}
    for name in names:
        others = [other for other in names if other != name]
        edges = [
            own - statistics.fmean(theirs)
            for own, *theirs in zip(values[name], *(values[other] for other in others), strict=True)
        ]
        assert ranks[name].points == pytest.approx(interval(values[name]))
        assert ranks[name].against == pytest.approx(interval(edges))
        assert ranks[name].won.value == pytest.approx(statistics.fmean(v for (v,) in by_hand[f"{name} won"]))
    assert len(result.pairs()) == 3
    for pair in result.pairs():
        differences = [a - b for a, b in zip(values[pair.first], values[pair.second], strict=True)]
        assert pair.difference == pytest.approx(interval(differences))
    assert [rank.points.value for rank in result.ranks()] == sorted(rank.points.value for rank in result.ranks())


def test_all_pairs_are_the_single_pairs() -> None:
    names = ["random", "heaviest", "cautious"]
    whole = tournament(RULES, names, deals=20, seed=1)
    assert whole.games == 3 * 6 * 20
    single = {}
    for a, b in (("random", "heaviest"), ("random", "cautious"), ("heaviest", "cautious")):
        (pair,) = tournament(RULES, [a, b], deals=20, seed=1).pairs()
        single[frozenset((a, b))] = pair
    assert {frozenset(pair[:2]): pair for pair in whole.pairs()} == single
    for rank in whole.ranks():
        edges = [
            pair.difference.value * (1 if pair.first == rank.policy else -1)
            for pair in single.values()
            if rank.policy in pair[:2]
        ]
        assert rank.against.value == pytest.approx(statistics.fmean(edges))


def test_equal_policies_are_equal_to_the_last_point() -> None:
    """With rotated seats and equal deals, a policy against itself has a difference of exactly 0."""
    for rules in (RULES, RuleSet.mexican(4, rounds=2)):
        (pair,) = tournament(rules, "heaviest,heaviest", deals=10).pairs()
        assert (pair.first, pair.second) == ("heaviest", "heaviest#2")
        assert pair.difference == (0, 0, 0)
        assert pair.first_won.value == pair.second_won.value


@pytest.mark.parametrize("players", range(2, 15))
def test_every_policy_sits_in_every_seat_equally_often(players: int) -> None:
    """Checked with policies that note their seats and hands."""
    seats: dict[str, Counter[int]] = {"a": Counter(), "b": Counter()}
    deals: dict[int, set[tuple[Any, ...]]] = {}

    def noting(name: str) -> BatchPolicy:
        def decide(batch: Batch) -> np.ndarray:
            for k in np.flatnonzero(batch.views["turns"] == 1):
                seat = int(batch.seats[k])
                seats[name][seat] += 1
                deals.setdefault(seat, set()).add(tuple(batch.views["hand"][k, seat].tolist()))
            return batch.moves[batch.offsets[:-1]]

        return BatchPolicy(decide)

    rules = RuleSet.mexican(players, rounds=1, starter=0, opening="single")
    tournament(rules, {"a": noting("a"), "b": noting("b")}, deals=1, seed=3)
    # Only the starter has turn 1, in which it may play or draw more than one tile; both policies did so equally.
    assert seats["a"] == seats["b"]
    assert sum(seats["a"].values()) > 0
    assert set(deals) == {0}


def test_deals_are_equal_in_every_seating(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def noting(rules: RuleSet, **job: Any) -> Any:
        asked.append((job["seed"], job["first_game"], job["games"], tuple(job["policies"])))
        return simulate(rules, **job)

    monkeypatch.setattr(module, "simulate", noting)
    tournament(RULES, ["random", "heaviest"], deals=9, seed=4, first_game=100)
    dealt: dict[tuple[str, ...], list[int]] = {}
    for seed, first, games, seating in asked:
        assert seed == 4
        dealt.setdefault(seating, []).extend(range(first, first + games))
    assert len(dealt) == 6
    assert all(games == list(range(100, 109)) for games in dealt.values())
    seats = [Counter(seating[seat] for seating in dealt) for seat in range(3)]
    assert all(count == {"random": 3, "heaviest": 3} for count in seats)


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("seconds", [0.0, 1.0])
def test_nothing_depends_on_workers_and_chunks(workers: int, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK_SECONDS", seconds)
    found = tournament(RULES, "random,cautious,planner", deals=25, seed=2, workers=workers)
    assert found == tournament(RULES, "random,cautious,planner", deals=25, seed=2)


def test_policies_of_every_form() -> None:
    found = tournament(
        RULES,
        {
            "mine": lambda decision: decision.legal[0],
            "batch": BatchPolicy(Batch.random_moves),
            "built in": "random",
            "id": 1,
        },
        deals=2,
    )
    assert set(found.policies) == {"mine", "batch", "built in", "id"}
    assert len(found.pairs()) == 6


def test_ctrl_c_keeps_the_deals_that_are_finished() -> None:
    finished = 0

    def stop_later(done: int, games: int) -> None:
        nonlocal finished
        assert games == 6 * 10_000
        assert finished <= done
        finished = done
        if done > 300:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stopped:
        tournament(RULES, ["random", "heaviest"], deals=10_000, seed=9, progress=stop_later)
    result = stopped.value.finished
    assert isinstance(result, Tournament)
    assert 0 < result.deals < 10_000
    assert result == tournament(RULES, ["random", "heaviest"], deals=result.deals, seed=9)


def test_ctrl_c_before_anything_is_finished() -> None:
    def stop(done: int, games: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stopped:
        tournament(RULES, ["random", "heaviest"], deals=100, progress=stop)
    assert stopped.value.finished is None


def test_progress_ends_at_the_end() -> None:
    seen: list[tuple[int, int]] = []
    tournament(RULES, ["random", "heaviest"], deals=30, progress=lambda done, games: seen.append((done, games)))
    assert seen[-1] == (180, 180)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


@pytest.mark.parametrize(
    ("job", "kind", "words"),
    [
        ({"policies": ["random"]}, PolicyError, "a tournament of 1 policies: give two or more"),
        ({"policies": []}, PolicyError, "a tournament of 0 policies"),
        ({"policies": "random,clever"}, PolicyError, "clever"),
        ({"policies": ["random", None]}, PolicyError, "none"),
        ({"format": "league"}, MextrainError, "'league' is not known: expected pairs or table"),
        ({"format": "table"}, PolicyError, "2 policies for a table of 3 players"),
        ({"deals": 0}, MextrainError, "deals = 0: ask for 1 or more"),
        ({"deals": -1}, MextrainError, "-1"),
        ({"seed": -1}, SeedError, "-1"),
        ({"workers": 0}, MextrainError, "workers = 0"),
        ({"first_game": 2**59}, SeedError, "59"),
    ],
)
def test_wrong_arguments_are_named(job: dict[str, Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        tournament(RULES, **{"policies": "random,heaviest", "deals": 2, **job})


@pytest.mark.parametrize("width", [80, 100])
def test_texts_fit(width: int) -> None:
    rules = RuleSet.super(14, rounds=1, double_blank=50)
    names = {f"a policy with a name that is as long as {n}": "random" for n in range(14)}
    for format in ("pairs", "table"):
        some = dict(list(names.items())[: 3 if format == "pairs" else 14])
        text = tournament(rules, some, deals=2, format=format).text(width)
        assert max(map(len, text.splitlines())) <= width, text
    assert "a policy with a n…" in text


def test_for_programs() -> None:
    found = tournament(RULES, ["random", "heaviest"], deals=8, seed=3, first_game=4)
    read = json.loads(json.dumps(found.to_dict()))
    assert RuleSet.from_dict(read["rules"]) == RULES
    assert (read["deals"], read["games"], read["seed"], read["first_game"], read["format"]) == (8, 48, 3, 4, "pairs")
    assert [rank["policy"] for rank in read["ranks"]] == [rank.policy for rank in found.ranks()]
    assert read["ranks"][0]["points"]["low"] == found.ranks()[0].points.low
    assert read["pairs"][0]["difference"]["value"] == found.pairs()[0].difference.value


def test_one_deal_has_no_intervals() -> None:
    (pair,) = tournament(RULES, ["random", "heaviest"], deals=1).pairs()
    assert pair.difference.low is None
    assert "(" not in str(tournament(RULES, ["random", "heaviest"], deals=1)).splitlines()[-1]


def test_the_order_of_simple_strategies() -> None:
    """Four policies at one table with rotated seats: `random` is worst by far, `planner` no worse than `heaviest`."""
    result = mextrain.tournament(RuleSet.mexican(4), deals=100, seed=1, format="table", workers=2)
    ranks = {rank.policy: rank for rank in result.ranks()}
    assert [rank.policy for rank in result.ranks()] == ["planner", "cautious", "heaviest", "random"]
    assert ranks["random"].won.high is not None
    assert ranks["random"].won.high < 0.05
    assert all(pair.difference.high is not None and pair.difference.high < 0 for pair in result.pairs())
