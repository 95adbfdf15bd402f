"""The best train: known answers, brute force on small hands, bounds, orders, statistics."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from mextrain import MextrainError, Plan, RuleError, RuleSet, Tile, TileError, TileSet, plan
from mextrain.cli import main
from mextrain.study import planner
from mextrain.study.planner import first_hands, is_ring, longest_chain
from mextrain_core.game.deal import deal
from mextrain_core.model.state import new_states

Half = int | str
Pair = tuple[Half, Half]

LETTERS: set[Half] = set("ADRST")
MODES = ("train_only", "same_letter", "any_letter", "anywhere")
GOALS = ("longest", "heaviest", "finish")


# This part is written from the text of the rules and shares no code with the planner.


def joins(end: Half, laid: Half, mode: str) -> bool:
    """Whether a half may be laid on an end."""
    if "*" in (end, laid) or (end == laid and end not in LETTERS):
        return True
    if end in LETTERS and laid in LETTERS:
        return mode in ("any_letter", "anywhere") or (mode == "same_letter" and end == laid)
    return mode == "anywhere" and laid in LETTERS


def points(tile: Pair, blank: int = 0) -> int:
    """Points of a tile."""
    return blank if tile == (0, 0) else sum(half if isinstance(half, int) else 10 for half in tile)


def pair(text: str) -> Pair:
    """A tile or play as two halves."""
    first, second = (int(half) if half.isdigit() else half for half in text.split("-"))
    return first, second


def ways(tile: Pair) -> set[Pair]:
    """The orientations of a tile."""
    return {tile, tile[::-1]}


def best_by_brute_force(hand: list[Pair], start: Half, goal: str, mode: str, blank: int) -> tuple[int, ...]:
    """The best result: (tiles, points, 0 or -1 for a double at the end); points first unless longest."""
    worth = [points(tile, blank) for tile in hand]
    best: tuple[int, ...] = (0, 0, 0)
    seen = set()
    todo: list[tuple[Half, int, bool, bool]] = [(start, 0, False, False)]
    while todo:
        state = todo.pop()
        if state in seen:
            continue
        seen.add(state)
        end, used, on_double, second = state
        laid = [index for index in range(len(hand)) if used >> index & 1]
        result = (len(laid), sum(worth[index] for index in laid), -int(on_double))
        if goal != "longest":
            result = (result[1], result[0], result[2])
        if goal == "finish":
            result = (result[0], result[1], 0)
            if not second:
                todo.append((start, used, False, True))
        best = max(best, result)
        for index, tile in enumerate(hand):
            if not used >> index & 1:
                for touch, new in ways(tile):
                    if joins(end, touch, mode):
                        todo.append((new, used | 1 << index, touch == new, second))
    return best


def count_by_brute_force(hand: list[Pair], start: Half, goal: str, mode: str) -> int:
    """The number of best trains by their sequences of tiles."""
    found: dict[tuple[int, ...], set[tuple[Pair, ...]]] = {}

    def lay(end: Half, train: tuple[Pair, ...], left: list[Pair]) -> None:
        total = sum(points(tile) for tile in train)
        result = (len(train), total) if goal == "longest" else (total, len(train))
        key = (*result, -int(bool(train) and train[-1][0] == train[-1][1]))
        found.setdefault(key, set()).add(train)
        for index, tile in enumerate(left):
            for touch, new in ways(tile):
                if joins(end, touch, mode):
                    lay(new, (*train, tile), left[:index] + left[index + 1 :])

    lay(start, (), hand)
    return len(found[max(found)])


def check_legal(found: Plan, hand: list[Pair], mode: str = "train_only", blank: int = 0) -> None:
    """The plays of a plan are legal, of the hand, and add up."""
    left = Counter(Tile(*tile) for tile in hand)
    for train in (found.train, found.mexican):
        end = found.start
        for play in train:
            touch, new = pair(play)
            assert joins(end, touch, mode), found
            left[Tile(touch, new)] -= 1
            end = new
    assert min(left.values(), default=0) >= 0
    assert Counter(found.left) == +left
    laid = [pair(play) for play in found.train + found.mexican]
    assert found.tiles == len(laid)
    assert found.points == sum(points(tile, blank) for tile in laid)
    assert found.left_points == sum(points(tile.halves, blank) for tile in found.left)
    assert found.mexican == () or found.goal == "finish"


def result_of(found: Plan) -> tuple[int, ...]:
    """A plan in the form of `best_by_brute_force`."""
    on_double = bool(found.train) and len(set(found.train[-1].split("-"))) == 1
    if found.goal == "longest":
        return found.tiles, found.points, -int(on_double)
    return found.points, found.tiles, -int(on_double and found.goal != "finish")


def texts(hand: list[Pair]) -> list[str]:
    """Tiles as texts, in their orientation."""
    return [f"{first}-{second}" for first, second in hand]


def hands(count: int, seed: int, most: int) -> Iterator[tuple[list[Pair], Half, str, str]]:
    """Random hands of few different numbers, with and without red trains: (hand, start, set, mode)."""
    rng = random.Random(seed)
    for _ in range(count):
        name = rng.choice(("super", "super", "double-3", "double-4", "double-6", "double-9"))
        top = rng.choice((2, 3, 4, 5, 12)) if name == "super" else int(name[7:])
        numbers: list[Pair] = [(high, low) for high in range(top + 1) for low in range(high + 1)]
        if name != "super":
            size = rng.randint(0, min(len(numbers), most + 2))
            yield rng.sample(numbers, size), rng.randint(0, top), name, "train_only"
            continue
        red: list[Pair] = [("*", half) for half in (*range(top + 1), "*", *"AAADRST")]
        wild = rng.choice((0, 1, 1, 2, 2, 3, 4))
        hand = rng.sample(numbers, min(len(numbers), rng.randint(0, most - wild))) + rng.sample(red, wild)
        starts: list[Half] = [*range(top + 1), "*", "A", "D"]
        yield hand, rng.choice(starts), name, rng.choice(MODES)


# Known answers


@pytest.mark.parametrize(
    ("hand", "start", "longest", "heaviest"),
    [
        ("0-2 2-2 2-3 3-4 3-5 0-1 10-1 9-10", 0, (4, 19), (3, 31)),
        (
            "4-2 3-7 1-3 6-6 9-3 11-0 10-7 5-4 9-5 10-6 9-8 2-1 5-0 4-7 9-2 10-10 3-2 3-8 10-3 2-7 6-7 1-8 5-8",
            3,
            (20, 224),
            None,
        ),
        ("4-2 3-7 9-3 10-7 10-10 2-1 5-0 3-2", 3, (3, 47), (3, 47)),
        ("12-11 11-10 12-1 1-2 2-3 3-4", 12, (4, 28), (2, 44)),
        ("6-1 1-2 2-6 6-3 3-4 4-6", 6, (6, 44), (6, 44)),
        ("6-1 1-2 2-6 6-3 3-4 4-6 6-5", 6, (7, 55), (7, 55)),
        ("12-1 1-2 2-3 3-4 12-11 11-11", 12, (4, 28), (2, 45)),
        ("0-1 1-2 2-3 3-3", 12, (0, 0), (0, 0)),
        ("", 12, (0, 0), (0, 0)),
        ("9-6 4-3 1-9 12-4 11-7 12-6 12-9 10-12 7-9 11-4 8-2 7-5 5-1 9-3", 12, (11, 156), None),
        ("9-6 4-3 1-9 12-4 11-7 12-6 12-9 10-12 7-9 11-4 8-2 7-5 5-1 9-3", 9, (11, 155), None),
        (
            "6-9 2-2 8-9 5-9 0-6 3-12 1-4 2-4 1-8 5-6 8-8 1-10 6-7 8-10 0-4 1-2 0-2 1-9 5-10 4-11 0-10 4-12 0-11 "
            "1-6 3-6 0-0 4-6 7-9 0-8 2-10",
            12,
            (28, 278),
            None,
        ),
        ("1-4 3-3 0-3 9-12 7-12 9-11 5-6 8-8 6-6 0-5 3-5 6-11", 12, (9, 103), None),
        ("7-7 2-4 1-10 0-12 2-6 0-4 4-11 1-7 2-10 8-12 3-6 6-7", 11, (8, 88), None),
        ("3-4 3-9 6-6 1-6 6-7 7-7 7-8 3-6", 9, (6, 75), None),
        ("12-5 *-3 8-3", 12, (3, 41), (3, 41)),
        ("12-5 *-* 8-9", 12, (3, 54), (3, 54)),
        ("12-5 *-5 8-9 9-9", 12, (4, 67), (4, 67)),
        ("*-3 *-4 7-7", 12, (2, 27), None),
        ("0-1 2-3 4-5 *-*", 12, (2, 29), None),
        ("3-4 4-6 9-9", "*", (2, 17), (1, 18)),
        ("*-R 3-3 4-3", "*", (3, 33), (3, 33)),
        ("12-5 *-A 7-8", 12, (2, 37), (2, 37)),
    ],
)
def test_known_trains(hand: str, start: Half, longest: tuple[int, int], heaviest: tuple[int, int] | None) -> None:
    for goal, wanted in (("longest", longest), ("heaviest", heaviest)):
        found = plan(hand, start, goal=goal)
        check_legal(found, [pair(word) for word in hand.split()])
        assert found.proved
        assert found.bound == (found.tiles if goal == "longest" else found.points)
        if wanted is not None:
            assert (found.tiles, found.points) == wanted


def test_leftovers() -> None:
    found = plan("4-2 3-7 1-3 6-6 9-3 11-0 10-7 5-4 9-5 10-6 9-8 2-1 5-0 4-7 9-2 10-10 3-2 3-8 10-3 2-7 6-7 1-8 5-8", 3)
    assert (len(found.left), found.left_points) == (3, 27)
    assert [tile.points for tile in found.left] == sorted((tile.points for tile in found.left), reverse=True)
    assert plan("12-1 1-2 2-3 3-4 12-11 11-11", 12).left_points == 45
    assert plan("12-1 1-2 2-3 3-4 12-11 11-11", 12, goal="heaviest").left_points == 28
    nothing = plan("0-1 1-2 2-3 3-3", 12)
    assert nothing.train == ()
    assert [str(tile) for tile in nothing.left] == ["3-3", "3-2", "2-1", "1-0"]


def test_open_end_after_the_last_tile() -> None:
    assert plan("6-1 1-2 2-6 6-3 3-4 4-6 6-5", 6).train[-1] == "6-5"


def test_an_end_on_a_double_is_avoided() -> None:
    assert plan("5-4 4-4 5-6 6-0", 5).train == ("5-6", "6-0")
    assert plan("5-4 4-4 5-6 6-0", 5).points == 17


def test_two_trains_use_what_one_cannot() -> None:
    found = plan("12-11 11-10 12-1 1-2 2-3 3-4", 12, goal="finish")
    assert (found.tiles, found.points, found.left, found.bound) == (6, 72, (), 0)
    assert {len(found.train), len(found.mexican)} == {2, 4}


@pytest.mark.parametrize(
    ("mode", "wanted"),
    [("train_only", (2, 37)), ("same_letter", (2, 37)), ("any_letter", (2, 37)), ("anywhere", (3, 52))],
)
def test_letters(mode: str, wanted: tuple[int, int]) -> None:
    found = plan("12-5 *-A 7-8", 12, letter_match=mode)
    assert (found.tiles, found.points) == wanted


@pytest.mark.parametrize(("top", "tiles"), [(6, 27), (9, 50), (12, 90), (15, 128), (18, 189)])
@pytest.mark.parametrize("goal", GOALS)
def test_full_sets(top: int, tiles: int, goal: str) -> None:
    name = f"double-{top}"
    hand = [tile for tile in TileSet(name) if tile != Tile(top, top)]
    found = plan(hand, top, tile_set=name, goal=goal, time_limit=None)
    check_legal(found, [tile.halves for tile in hand])
    assert found.proved
    assert found.tiles == tiles


@pytest.mark.parametrize("start", [12, 0, "*", "A"])
def test_the_whole_super_set(start: Half) -> None:
    hand = [tile for tile in TileSet("super") if tile != Tile(12, 12)]
    found = plan(hand, start, time_limit=None)
    check_legal(found, [tile.halves for tile in hand])
    assert found.tiles == len(hand)


def test_goals_compared_on_double_blank() -> None:
    assert plan("0-0 0-1 1-2 0-12", 0, goal="heaviest").tiles == 2
    assert plan("0-0 0-1 1-2 0-12", 0, goal="heaviest", double_blank=50).points == 62


# Brute force


def test_small_hands_by_brute_force() -> None:
    rng = random.Random(1)
    for hand, start, name, mode in hands(12_000, seed=7, most=7):
        goal, blank = rng.choice(GOALS), rng.choice((0, 25, 50))
        found = plan(texts(hand), start, name, goal, letter_match=mode, double_blank=blank)
        check_legal(found, hand, mode, blank)
        assert found.proved
        assert result_of(found) == best_by_brute_force(hand, start, goal, mode, blank), (hand, start, goal, mode)


def test_larger_number_hands_by_brute_force() -> None:
    rng = random.Random(2)
    for index in range(300):
        top = rng.choice((6, 9, 12))
        numbers: list[Pair] = [(high, low) for high in range(top + 1) for low in range(high + 1)]
        hand, start = rng.sample(numbers, rng.randint(10, 14)), rng.randint(0, top)
        goal = GOALS[index % 3]
        found = plan(texts(hand), start, goal=goal)
        check_legal(found, hand)
        assert result_of(found) == best_by_brute_force(hand, start, goal, "train_only", 0), (hand, start, goal)


def test_counts_by_brute_force() -> None:
    rng = random.Random(3)
    for hand, start, name, mode in hands(1500, seed=8, most=5):
        goal = rng.choice(GOALS[:2])
        found = plan(texts(hand), start, name, goal, letter_match=mode, count=True)
        assert found.count == count_by_brute_force(hand, start, goal, mode), (hand, start, goal, mode)


def test_count_of_two_rings_through_the_start() -> None:
    assert plan("6-1 1-2 2-6 6-3 3-4 4-6", 6, count=True).count == 8
    assert plan("6-1 1-2 2-6 6-3 3-4 4-6", 6).count is None
    assert plan("", 6, count=True).count == 1


@pytest.mark.parametrize(
    ("hand", "chains"),
    [("0-2 0-5 1-5 1-3 5-5", 1), ("1-5 2-5 3-5 4-5 3-4", 2), ("0-5 1-5 2-5 3-5 4-5 3-4", 0)],
)
def test_full_chains_from_any_start(hand: str, chains: int) -> None:
    found = plan(hand, "*", tile_set="double-6", count=True)
    assert found.count is not None
    # Each chain is counted in both directions.
    assert (found.count // 2 if not found.left else 0) == chains


# Unfinished searches


def test_what_is_found_without_time_is_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(4)
    cases = []
    for _ in range(150):
        name = rng.choice(("double-12", "double-15", "double-18", "super"))
        hand = rng.sample([tile for tile in TileSet(name) if not tile.is_wild or rng.random() < 0.1], 18)
        cases.append((hand, rng.randint(0, 12), name, rng.choice(GOALS)))
    truths = [plan(hand, start, name, goal, time_limit=None) for hand, start, name, goal in cases]
    monkeypatch.setattr(planner, "_WORK", 1)
    unproved = 0
    for (hand, start, name, goal), truth in zip(cases, truths, strict=True):
        found = plan(hand, start, name, goal, time_limit=0)
        check_legal(found, [tile.halves for tile in hand])
        unproved += not found.proved
        assert result_of(found) <= result_of(truth)
        if goal == "longest":
            assert found.tiles <= truth.tiles <= found.bound
        elif goal == "heaviest":
            assert found.points <= truth.points <= found.bound
        else:
            assert found.bound <= truth.left_points <= found.left_points
        if found.proved:
            assert result_of(found) == result_of(truth)
        else:
            assert "unproven" in str(found)
    assert unproved > 20


def test_an_unfinished_count_is_none() -> None:
    hand = [tile for tile in TileSet("double-9") if tile != Tile(9, 9)]
    found = plan(hand, 9, count=True, time_limit=0.05)
    assert found.tiles == 50
    assert found.count is None


def test_random_hands_are_proven() -> None:
    rng = random.Random(5)
    for _ in range(600):
        name = rng.choice(("double-9", "double-12", "double-15", "double-18", "super"))
        most = 25 if name == "super" else min(60, len(TileSet(name)))
        hand = rng.sample(TileSet(name).tiles, rng.randint(10, most))
        start = rng.choice([half for tile in hand for half in tile.halves])
        found = plan(hand, start, name, rng.choice(GOALS))
        check_legal(found, [tile.halves for tile in hand])
        assert found.proved


# Batches and statistics


def held(state: np.void, tiles: TileSet, seat: int) -> list[Tile]:
    """The tiles that a seat holds in a STATE struct."""
    rows = state["hand"][seat]
    hand = [tile for tile in set(tiles) if rows[tiles.half_code(tile.high)] >> tiles.half_code(tile.low) & 1]
    return hand + [Tile("*", "A")] * (int(state["a_count"][seat]) - hand.count(Tile("*", "A")) if tiles.has_wild else 0)


@pytest.mark.parametrize(
    "rules", [RuleSet.mexican(4), RuleSet.mexican(13), RuleSet.super(5, letter_match="same_letter", double_blank=25)]
)
@pytest.mark.parametrize("goal", GOALS)
def test_batch_plans_the_dealt_hands(rules: RuleSet, goal: str) -> None:
    columns = first_hands(rules, 30, seed=3, first_game=7, goal=goal)
    states = new_states(1)
    engine = rules.tiles.half_code(rules.engines[0].high)
    for game in range(30):
        deal(states, 0, rules.record, np.uint64(3), np.uint64(7 + game), np.uint64(engine), np.uint64(0))
        for seat in range(rules.players):
            hand = held(states[0], rules.tiles, seat)
            found = plan(
                hand,
                rules.engines[0].high,
                rules.tile_set,
                goal,
                letter_match=rules.letter_match,
                double_blank=rules.double_blank,
            )
            assert columns[game, seat].tolist() == [found.tiles, found.points, found.left_points, 1]


@pytest.mark.parametrize(
    ("rules", "mean", "stuck"),
    [
        (RuleSet.mexican(2), 3.210, 0.20717),
        (RuleSet.mexican(4), 5.357, 0.15857),
        (RuleSet.mexican(8), 3.490, 0.21996),
        (RuleSet.mexican(4, hand_size=15), 8.958, None),
        (RuleSet.mexican(9), 3.063, 0.25936),
        (RuleSet.mexican(13), 2.275, 0.32213),
    ],
    ids=["9/8", "12/12", "12/10", "12/15", "15/11", "18/11"],
)
def test_statistics_of_first_hands(rules: RuleSet, mean: float, stuck: float | None) -> None:
    tiles = first_hands(rules, 300_000 // rules.players, seed=1)[..., 0]
    assert tiles.mean() == pytest.approx(mean, abs=0.02)
    if stuck is not None:
        assert (tiles == 0).mean() == pytest.approx(stuck, abs=0.0035)
    if rules == RuleSet.mexican(4):
        assert (tiles == 12).mean() == pytest.approx(0.0017, abs=0.0004)


# Any tiles


@pytest.mark.parametrize(
    ("pairs", "length"),
    [
        ([(0, -1), (1, -1), (0, 3), (3, 0), (3, 1), (-2, -1), (0, -1), (2, -2), (-1, 2), (3, -3)], 10),
        (
            [(17, -7), (4, -9), (12, -3), (-17, -17), (14, -10), (-6, 17), (-16, 5), (-3, -16), (-16, 19), (12, -8)],
            4,
        ),
        ([(1, 1)] * 7, 7),
        ([(0, 1), (2, 3), (4, 5), (6, 7), (8, 9), (10, 11)], 1),
        ([], 0),
        ([(0, 1)] * 4 + [(5, 5)], 4),
    ],
)
def test_longest_chain_of_any_tiles(pairs: list[tuple[int, int]], length: int) -> None:
    chain, proved = longest_chain(pairs)
    assert proved
    assert len(chain) == length
    check_chain(chain, pairs)


def check_chain(chain: list[tuple[int, int]], pairs: list[tuple[int, int]]) -> None:
    """Neighbours match, and every tile is one of `pairs`."""
    assert all(left[1] == right[0] for left, right in pairwise(chain))
    left = Counter(map(frozenset, pairs))
    left.subtract(map(frozenset, chain))
    assert min(left.values(), default=0) >= 0


def test_longest_chains_by_brute_force() -> None:
    rng = random.Random(6)
    for _ in range(1500):
        halves = [rng.randint(-9, 9) for _ in range(rng.randint(2, 5))]
        pairs = [(rng.choice(halves), rng.choice(halves)) for _ in range(rng.randint(0, 9))]
        chain, proved = longest_chain(pairs)
        check_chain(chain, pairs)
        best, seen = 0, set()
        todo = [(end, 0) for end in halves]
        while todo:
            end, used = todo.pop()
            if (end, used) not in seen:
                seen.add((end, used))
                best = max(best, used.bit_count())
                for index, (a, b) in enumerate(pairs):
                    if not used >> index & 1 and end in (a, b):
                        todo.append((b if end == a else a, used | 1 << index))
        assert (len(chain), proved) == (best, True), pairs


@pytest.mark.parametrize(
    ("pairs", "ring"),
    [
        ("1-2 2-3 3-1 2-4 2-4", True),
        ("1-1 2-2", False),
        ("1-2 2-1 3-4 4-3", False),
        ("1-2 2-3 3-1 4-4", False),
        ("1-2 5-3 3-1 1-2 2-4 1-6 2-3 3-4 5-6", True),
        ("", True),
    ],
)
def test_rings(pairs: str, ring: bool) -> None:
    tiles = [(int(a), int(b)) for a, b in (word.split("-") for word in pairs.split())]
    assert is_ring(tiles) is ring


# Errors, texts


@pytest.mark.parametrize(
    ("hand", "message"),
    [
        ("9-6 11-7 12-6 7-11", "11-7 is listed 2 times"),
        ("*-A *-A *-A *-A", r"\*-A is listed 4 times"),
        ("1-2-3", "1-2-3"),
        ("19-0", "19-0"),
        ("-1-2", "-1-2"),
        ("*-13", r"\*-13"),
        ("1-A", "1-A"),
    ],
)
def test_impossible_hands_are_named(hand: str, message: str) -> None:
    with pytest.raises(TileError, match=message):
        plan(hand, 12)


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(TileError, match="13-0 is not a tile of double-12"):
        plan("13-0", 0, tile_set="double-12")
    with pytest.raises(TileError, match="13"):
        plan("1-0", 13, tile_set="double-12")
    with pytest.raises(TileError, match="none"):
        plan("1-0", None)  # type: ignore[arg-type]
    with pytest.raises(TileError, match="double-20"):
        plan("1-0", 0, tile_set="double-20")
    with pytest.raises(MextrainError, match="'shortest'"):
        plan("1-0", 0, goal="shortest")
    with pytest.raises(MextrainError, match="not counted"):
        plan("1-0", 0, goal="finish", count=True)
    with pytest.raises(MextrainError, match="time_limit = -1"):
        plan("1-0", 0, time_limit=-1)
    with pytest.raises(MextrainError, match="time_limit = nan"):
        plan("1-0", 0, time_limit=float("nan"))
    with pytest.raises(RuleError, match="letter_match"):
        plan("1-0", 0, letter_match="always")
    with pytest.raises(RuleError, match="double_blank"):
        plan("1-0", 0, double_blank=-1)
    with pytest.raises(MextrainError, match="whole numbers"):
        longest_chain([(1, 2), (1.5, 2)])  # type: ignore[list-item]
    with pytest.raises(MextrainError, match="22 different numbers"):
        longest_chain([(n, n + 1) for n in range(21)])
    with pytest.raises(MextrainError, match="games"):
        first_hands(RuleSet.mexican(2), -1)


def test_default_set_is_the_smallest_usual_one() -> None:
    assert [plan(hand, 0).tile_set for hand in ("6-0", "9-0", "12-0", "13-0", "18-0", "*-0")] == [
        "double-6",
        "double-9",
        "double-12",
        "double-15",
        "double-18",
        "super",
    ]


def test_tiles_as_objects_and_iterables() -> None:
    assert plan([Tile(12, 5), "5-7"], "12").train == ("12-5", "5-7")


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--hand", "12-5 5-7 7-8 9-9", "--start", "12", "--json", "--count"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["train"] == ["12-5", "5-7", "7-8"]
    assert (found["tiles"], found["points"], found["left"], found["left_points"]) == (3, 44, ["9-9"], 18)
    assert (found["proved"], found["bound"], found["count"], found["mexican"]) == (True, 3, 1, [])
    assert main(["plan", "--hand", "12-5 12-7", "--start", "12", "--goal", "finish"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "train:    12-5",
        "mexican:  12-7",
        "laid:     2 tiles, 36 points",
        "left:     0 tiles, 0 points",
        "proven:   no better pair of trains is possible",
    ]
    assert main(["plan", "--hand", "12-5 5-12", "--start", "12"]) == 2
    assert "12-5 is listed 2 times" in capsys.readouterr().err
