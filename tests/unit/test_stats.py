"""Statistics: compared with plain Python, and merged without loss."""

from __future__ import annotations

import json
import math
import statistics
from fractions import Fraction

import numpy as np
import pytest

from mextrain import MextrainError, RuleSet, Simulation, simulate, survey
from mextrain.bulk.results import Rounds
from mextrain.bulk.stats import Estimate, Sum, Summary
from mextrain_core.game.deal import deal
from mextrain_core.model.state import new_states

RULES = RuleSet.super(3, rounds=4)


@pytest.fixture(scope="module")
def played() -> Simulation:
    return simulate(RULES, games=500, seed=12)


def mean_by_hand(games: list[list[float]]) -> tuple[float, float, float]:
    """Mean over all rounds and its interval, with one observation per game; shares no code with the package."""
    means = [statistics.fmean(rounds) for rounds in games]
    centre = statistics.fmean(means)
    half = 1.959963984540054 * statistics.stdev(means) / math.sqrt(len(means))
    return centre, centre - half, centre + half


def test_means_and_intervals_by_hand(played: Simulation) -> None:
    summary = played.summary()
    for name in ("turns", "plays", "draws", "decisions"):
        assert summary.per_round(name) == pytest.approx(mean_by_hand(getattr(played, name).tolist()))
    for seat, estimate in enumerate(summary.points()):
        assert estimate == pytest.approx(mean_by_hand(played.points[:, :, seat].tolist()))
    edges = [
        [float(w == s) - (w >= 0) / 3 for w, s in zip(winners, starters, strict=True)]
        for winners, starters in zip(played.winner.tolist(), played.starter.tolist(), strict=True)
    ]
    assert summary.starter_advantage() == pytest.approx(mean_by_hand(edges))


def share_by_hand(games: list[list[bool]]) -> tuple[float, float, float]:
    """Share and Wilson's interval: the two solutions of |p - x| = z · √(x (1 - x) / n), n from the standard error."""
    p, low, high = mean_by_hand([[float(x) for x in rounds] for rounds in games])
    n = p * (1 - p) / ((high - low) / 2 / 1.959963984540054) ** 2
    a, b, c = 1 + 3.841458820694124 / n, -(2 * p + 3.841458820694124 / n), p * p
    root = math.sqrt(b * b - 4 * a * c)
    return p, (-b - root) / (2 * a), (-b + root) / (2 * a)


def test_shares_and_intervals_by_hand(played: Simulation) -> None:
    summary = played.summary()
    winners = played.winner.tolist()
    for seat, estimate in enumerate(summary.round_wins()):
        assert estimate == pytest.approx(share_by_hand([[w == seat for w in game] for game in winners]))
    assert summary.blocked() == pytest.approx(share_by_hand([[w < 0 for w in game] for game in winners]))
    pairs = [list(zip(w, s, strict=True)) for w, s in zip(winners, played.starter.tolist(), strict=True)]
    assert summary.starter_wins() == pytest.approx(share_by_hand([[w == s for w, s in game] for game in pairs]))
    totals = played.totals.tolist()
    alone = [[t[k] == min(t) and t.count(min(t)) == 1 for t in totals] for k in range(3)]
    for flags, estimate in zip(alone, summary.match_wins(), strict=True):
        assert estimate == pytest.approx(share_by_hand([[flag] for flag in flags]))
    tied = [[t.count(min(t)) > 1] for t in totals]
    assert summary.match_ties().value == statistics.fmean(x for (x,) in tied)


@pytest.mark.parametrize("rules", [RULES, RuleSet.mexican(2), RuleSet.mexican(4, rounds=1, double_blank=50)])
def test_shares_sum_to_one(rules: RuleSet) -> None:
    summary = survey(rules, games=700, seed=1)
    wins = [each.value for each in summary.round_wins()]
    assert sum(wins) + summary.blocked().value == pytest.approx(1, abs=1e-12)
    matches = [each.value for each in summary.match_wins()]
    assert sum(matches) + summary.match_ties().value == pytest.approx(1, abs=1e-12)


def test_ties_are_ties() -> None:
    points = np.array([[[3, 3, 9]], [[5, 4, 4]], [[1, 0, 2]]], np.int64)
    facts = np.zeros((3, 1, 7), np.int32)
    facts[:, :, 0] = 1
    summary = Summary.of(RuleSet.super(3, rounds=1), ["random"] * 3, Rounds(points, facts))
    assert summary.match_ties().value == pytest.approx(2 / 3)
    assert [each.value for each in summary.match_wins()] == pytest.approx([0, 1 / 3, 0])


def test_the_interval_of_something_that_never_happens() -> None:
    """Wilson's upper end for 0 of n; the share itself is not rounded away."""
    z = 1.959963984540054
    assert Sum(0, 0).share(1000, 4) == pytest.approx((0, 0, z**2 / (4000 + z**2)))
    assert Sum(4000, 16000).share(1000, 4) == pytest.approx((1, 4000 / (4000 + z**2), 1))
    assert Sum(0, 0).share(1, 4) == Estimate(0.0, None, None)


def test_merging_is_exact(played: Simulation) -> None:
    parts = [simulate(RULES, games=n, seed=12, first_game=start) for start, n in ((0, 1), (1, 99), (100, 400))]
    merged = parts[0].summary() + parts[1].summary() + parts[2].summary()
    assert merged == played.summary()
    assert merged.to_dict() == played.summary().to_dict()
    assert parts[2].summary() + parts[0].summary() + parts[1].summary() == merged


def test_totals_beyond_32_and_64_bits() -> None:
    """Three thousand million games, and such sums of pips, twice: exact sums, means correct to the last digit."""
    rules = RuleSet.super(2, rounds=1)
    games = 3_000_000_000
    totals = (3_000_000_007, 2**70 + 1)

    def part(extra: int) -> Summary:
        base = simulate(rules, games=1, seed=1).summary()
        sums = {**base.sums, "points": tuple(Sum(total + extra, (total + extra) ** 2) for total in totals)}
        return Summary(rules, base.policies, games + extra, sums, {40: games + extra})

    merged = part(0) + part(5)
    assert merged.games == merged.rounds == 6_000_000_005
    assert merged.turn_counts == {40: 6_000_000_005}
    for estimate, total in zip(merged.points(), totals, strict=True):
        expected = Fraction(2 * total + 5, 6_000_000_005)
        assert abs(Fraction(estimate.value) - expected) < Fraction(1, 10**12) * expected


def test_dear_blanks_do_not_overflow() -> None:
    """With a thousand million points for 0-0, squares of totals exceed 64 bits."""
    rules = RuleSet.mexican(2, tile_set="double-3", hand_size=4, double_blank=10**9)
    played = simulate(rules, games=2000, seed=1)
    totals = played.totals.tolist()
    expected = [Sum(sum(t[k] for t in totals), sum(t[k] ** 2 for t in totals)) for k in range(2)]
    assert list(played.summary().sums["points"]) == expected
    assert max(each.squares for each in expected) > 2**64


def test_the_histogram_counts_every_round(played: Simulation) -> None:
    summary = played.summary()
    assert sum(summary.turn_counts.values()) == 2000 == summary.rounds
    assert list(summary.turn_counts) == sorted(set(played.turns.ravel().tolist()))
    turns = sorted(played.turns.ravel().tolist())
    assert summary.turns_within(0.5) == turns[999]
    assert summary.turns_within(0.99) == turns[1979]
    assert summary.turns_within(1) == turns[-1] == max(summary.turn_counts)


def test_the_histogram_as_a_text(played: Simulation) -> None:
    lines = played.summary().turns_histogram().splitlines()[1:]
    turns = played.turns.ravel()
    assert 12 <= len(lines) <= 24
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100) if turns.max() // step < 24)
    for row, line in enumerate(lines):
        words = line.split()
        rounds = int(((turns >= row * step) & (turns < (row + 1) * step)).sum())
        assert words[:4] == [str(row * step), "…", str(row * step + step - 1), f"{rounds:,}"]
        assert float(words[4]) == pytest.approx(100 * rounds / 2000, abs=0.006)
    assert max(line.count("#") for line in lines) == 40
    # Short rounds have a row for each number of turns.
    short = survey(RuleSet.mexican(2, tile_set="double-2", hand_size=1, rounds=1), games=50, seed=1)
    assert [line.split()[0] for line in short.turns_histogram().splitlines()[1:]] == [
        str(number) for number in range(max(short.turn_counts) + 1)
    ]


@pytest.mark.parametrize("tile_set", ["double-9", "double-12", "double-15", "double-18", "super"])
def test_rounds_end(tile_set: str) -> None:
    """Tails of the length of rounds for every set: no round comes near the limit of attempts."""
    summary = survey(RuleSet.mexican(4, tile_set=tile_set, hand_size=8, rounds=5), games=4000, seed=3, workers=2)
    assert sum(summary.turn_counts.values()) == 20_000
    # A turn without a play is a pass; a round where everybody passes without a draw is blocked.
    assert max(summary.turn_counts) < 2000
    assert 0 <= summary.blocked().value < 0.2


def test_rotating_starters_make_seats_equal() -> None:
    """Starting may be an advantage, but no seat has one if all start equally often."""
    fixed = survey(RuleSet.mexican(4, starter=0), games=15_000, seed=4, workers=2)
    rotated = survey(RuleSet.mexican(4, starter="rotate", rounds=12), games=16_000, seed=4, workers=2)
    for summary in (fixed, rotated):
        assert summary.rounds > 190_000
    decided = (1 - rotated.blocked().value) / 4
    for estimate in rotated.round_wins():
        assert estimate.low is not None
        # Two half-widths are about four standard errors; there are four seats.
        assert abs(estimate.value - decided) < 2 * (estimate.value - estimate.low)
    assert fixed.starter_wins() == fixed.round_wins()[0]
    advantage = fixed.starter_advantage()
    assert advantage.low is not None
    assert advantage.low > 0
    assert advantage.value == pytest.approx(fixed.round_wins()[0].value - (1 - fixed.blocked().value) / 4)


@pytest.mark.parametrize(
    ("players", "expected"), [(2, 0.20717), (4, 0.15857), (8, 0.21996), (9, 0.25936), (13, 0.32213)]
)
def test_hands_that_cannot_start(players: int, expected: float) -> None:
    """The share of dealt hands without a tile of the engine's number has an exact value."""
    rules = RuleSet.mexican(players)
    states = new_states(-(-100_000 // players))
    engine = np.uint64(rules.tiles.doubles[0].high)
    for game in range(len(states)):
        deal(states, game, rules.record, np.uint64(5), np.uint64(game), engine, np.uint64(0))
    without = (states["hand"][:, :players, int(engine)] == 0).ravel()
    n, others = rules.hand_size, len(rules.tiles) - 1
    fitting = int(engine)
    exact = math.comb(others - fitting, n) / math.comb(others, n)
    assert exact == pytest.approx(expected, abs=5e-6)
    # The hands of a deal are dependent, which only reduces the error.
    assert without.mean() == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / len(without)))


def test_state_survives_json(played: Simulation) -> None:
    summary = played.summary()
    state = json.loads(json.dumps(summary.state()))
    assert Summary.from_state(RULES, played.policies, state) == summary


def test_different_things_are_not_merged(played: Simulation) -> None:
    summary = played.summary()
    with pytest.raises(MextrainError, match="different rules"):
        summary + simulate(RuleSet.super(3), games=1).summary()
    with pytest.raises(MextrainError, match="policies"):
        summary + simulate(RULES, games=1, policies="heaviest").summary()
    with pytest.raises(TypeError):
        summary + 1  # type: ignore[operator]


def test_texts_for_people(played: Simulation) -> None:
    text = str(played.summary())
    assert "500 games, 2,000 rounds" in text
    assert all(len(line) <= 110 for line in text.splitlines())
    assert text.count("random") == 3
    once = str(simulate(RULES, games=1).summary())
    assert "…" not in once.split("matches won")[1]
    data = played.summary().to_dict()
    assert json.loads(json.dumps(data)) == data
    assert data["seats"][2]["seat"] == 2
    assert data["seats"][0]["points_per_round"]["value"] == played.summary().points()[0].value
