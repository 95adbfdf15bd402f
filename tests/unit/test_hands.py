"""First hands: exact values where a formula exists, and estimates compared with plain Python."""

from __future__ import annotations

import json
import math
import statistics
from fractions import Fraction
from typing import Any

import pytest

from mextrain import HandSummary, Interrupted, MextrainError, RuleSet, SeedError, Tile, TileSet, survey_hands
from mextrain.study import hands
from mextrain.study.hands import cannot_start
from mextrain.study.planner import first_hands

EXACT = {
    "9/8": (RuleSet.mexican(2), 0.20717),
    "12/12": (RuleSet.mexican(4), 0.15857),
    "12/10": (RuleSet.mexican(8), 0.21996),
    "15/11": (RuleSet.mexican(9), 0.25936),
    "18/11": (RuleSet.mexican(13), 0.32213),
}


@pytest.mark.parametrize("name", EXACT)
def test_hands_that_cannot_start(name: str) -> None:
    rules, published = EXACT[name]
    exact = cannot_start(rules)
    assert float(exact) == pytest.approx(published, abs=0.000005)
    summary = survey_hands(rules, games=200_000 // rules.players, seed=1, workers=2)
    found = summary.cannot_start()
    assert found.value == pytest.approx(float(exact), abs=0.002)
    assert found.low is not None
    assert found.high is not None
    # At most one and a half times as wide as the interval of independent hands.
    assert found.high - found.low < 1.5 * 2 * 1.96 * math.sqrt(published * (1 - published) / summary.hands)


def test_the_exact_share_by_counting_hands() -> None:
    """All hands of three tiles of small sets, enumerated."""
    for name, engine in (("double-3", "3-3"), ("double-3", "1-1"), ("double-4", "0-0")):
        rules = RuleSet.mexican(2, tile_set=name, hand_size=3, first_engine=engine)
        tiles = [tile for tile in TileSet(name) if tile != Tile.parse(engine)]
        half = Tile.parse(engine).high
        total = stuck = 0
        for i, a in enumerate(tiles):
            for j, b in enumerate(tiles[:i]):
                for c in tiles[:j]:
                    total += 1
                    stuck += not any(half in tile.halves for tile in (a, b, c))
        assert cannot_start(rules) == Fraction(stuck, total)


def test_red_trains_start_too() -> None:
    # 33 tiles of super fit 12: 13 of *-0 … *-12, *-*, three *-A, *-D, *-R, *-S, *-T, and 12-0 … 12-11.
    rules = RuleSet.super(2, hand_size=1)
    assert cannot_start(rules) == Fraction(111 - 33, 111)
    assert cannot_start(RuleSet.super(2, first_engine="*-*")) == 0
    found = survey_hands(RuleSet.super(8), games=5000, seed=2, workers=2).cannot_start()
    assert found.low is not None
    assert found.high is not None
    assert found.low <= float(cannot_start(RuleSet.super(8))) <= found.high


def test_published_odds_of_a_single_tile() -> None:
    """A web page gives 1/13 as the probability of a given double; it is 1/91."""
    tiles = TileSet("double-12").tiles
    assert Fraction(tiles.count(Tile(7, 7)), len(tiles)) == Fraction(1, 91)
    assert Fraction(sum(tile.high == tile.low for tile in tiles), len(tiles)) == Fraction(1, 7)
    assert Fraction(sum(0 in tile.halves for tile in tiles), len(tiles)) == Fraction(1, 7)


@pytest.mark.parametrize("rules", [RuleSet.mexican(2), RuleSet.mexican(4), RuleSet.super(5, double_blank=25)])
def test_points_laid_and_left_are_those_of_a_hand(rules: RuleSet) -> None:
    """Their means add up to hand_size times the mean of a tile, whatever the trains are."""
    others = [tile for tile in rules.tiles if tile != rules.engines[0]]
    mean = statistics.fmean(rules.points([tile]) for tile in others) * rules.hand_size
    for goal in ("longest", "heaviest"):
        found = survey_hands(rules, games=8000, seed=3, goal=goal, workers=2)
        assert found.points().value + found.left_points().value == pytest.approx(mean, rel=0.01)


def interval(values: list[float]) -> tuple[float, float, float]:
    """Mean and 95 % interval of independent values."""
    centre = statistics.fmean(values)
    half = 1.959963984540054 * statistics.stdev(values) / math.sqrt(len(values))
    return centre, centre - half, centre + half


def test_means_and_intervals_by_hand() -> None:
    rules = RuleSet.mexican(5)
    columns = first_hands(rules, 300, seed=7, first_game=11).tolist()
    found = survey_hands(rules, games=300, seed=7, first_game=11)
    for index, estimate in enumerate((found.tiles(), found.points(), found.left_points())):
        assert estimate == pytest.approx(interval([statistics.fmean(hand[index] for hand in deal) for deal in columns]))
    lengths = [hand[0] for deal in columns for hand in deal]
    assert [each.value for each in found.lengths()] == [lengths.count(n) / 1500 for n in range(13)]
    assert sum(each.value for each in found.lengths()) == pytest.approx(1, abs=1e-12)
    assert found.hands == 1500
    assert found.unproved == 0
    assert found.whole_hand() == found.lengths()[12]


@pytest.mark.parametrize("workers", [1, 3])
def test_nothing_depends_on_workers_and_slices(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = RuleSet.mexican(3)
    whole = survey_hands(rules, games=1000, seed=5, goal="finish")
    monkeypatch.setattr(hands, "SLICE_HANDS", 100)
    assert survey_hands(rules, games=1000, seed=5, goal="finish", workers=workers) == whole


def test_ctrl_c_keeps_the_first_games(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = RuleSet.mexican(4)

    def stop(done: int, games: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stopped:
        survey_hands(rules, games=10**9, seed=5, progress=stop, workers=2)
    found = stopped.value.finished
    assert isinstance(found, HandSummary)
    assert found == survey_hands(rules, games=found.deals, seed=5)


@pytest.mark.parametrize(
    ("job", "kind", "words"),
    [
        ({"goal": "shortest"}, MextrainError, "goal = 'shortest': expected longest, heaviest, finish"),
        ({"games": 0}, MextrainError, "games = 0: ask for 1 or more"),
        ({"seed": -1}, SeedError, "-1"),
        ({"workers": 0}, MextrainError, "workers = 0"),
        ({"first_game": 2**59}, SeedError, "59"),
    ],
)
def test_wrong_arguments_are_named(job: dict[str, Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        survey_hands(RuleSet.mexican(2), **{"games": 2, **job})


def test_for_people_and_programs() -> None:
    rules = RuleSet.mexican(14)
    found = survey_hands(rules, games=50, seed=1)
    text = str(found)
    assert max(map(len, text.splitlines())) <= 100
    assert "by counting 32.21" in text
    assert text.count("#") > 40
    read = json.loads(json.dumps(found.to_dict()))
    assert RuleSet.from_dict(read["rules"]) == rules
    assert len(read["length_shares"]) == 12
    assert read["cannot_start_share"]["exact"] == float(cannot_start(rules))
    assert read["tiles"] == found.tiles().to_dict()
