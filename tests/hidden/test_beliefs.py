"""Probabilities of the places of unseen tiles: exact where possible, otherwise sampled, with correct standard
errors."""

from __future__ import annotations

import itertools
import random
import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

from mextrain import Position, PositionError, RuleSet, WorldSampler, beliefs, count_worlds
from mextrain.hidden.exact import Histories
from tests.hidden.games import counted_game, distance, exact_law, number_game, play, positions, sampled_law, super_game


def middle_game() -> Position:
    return play(Position.deal(RuleSet.mexican(4), seed=5), random.Random(5), 25)


@pytest.mark.parametrize("game", [number_game, super_game])
def test_exact_numbers_are_those_of_the_worlds(game: object) -> None:
    for seed in range(4):
        found = counted_game(seed, game, {})
        position, seat = found.position, found.seat
        result = beliefs(position, seat)
        if result.samples:
            continue
        worlds = found.worlds()
        for tile, copies in zip(result.tiles, result.copies, strict=True):
            for place in (*(q for q in range(position.rules.players) if q != seat), None):
                held = [(boneyard if place is None else hands[place]).count(tile) for hands, boneyard in worlds]
                share = np.average(held, weights=list(worlds.values()))
                assert result.of(tile, place) == pytest.approx(share / copies)
        assert not result.errors.any()
        assert np.allclose(result.probabilities.sum(axis=1), 1)


def test_sampled_numbers_are_near_the_exact_ones() -> None:
    within = total = 0
    for seed in range(5):
        found = counted_game(seed, number_game, {}, most=60)
        exact = beliefs(found.position, found.seat)
        places = WorldSampler(found.position, found.seat, seed).places(20_000)
        for row, tile in enumerate(exact.tiles):
            sampled = places[found.position.rules.tiles.index(tile)] / 20_000
            assert np.abs(sampled - exact.probabilities[row]).max() < 0.02
            within += 1
        total += len(exact.tiles)
    assert within == total > 0


def test_a_sampled_game() -> None:
    position = middle_game()
    result = beliefs(position, 0, samples=2000, seed=3)
    assert result.samples == 2000
    assert np.allclose(result.probabilities.sum(axis=1), 1)
    assert sum(result.copies) == len(position.boneyard) + sum(len(hand) for hand in position.hands[1:])
    sizes = [0, *(len(hand) for hand in position.hands[1:]), len(position.boneyard)]
    assert np.allclose(result.probabilities.sum(axis=0), sizes)
    assert not result.probabilities[:, 0].any()
    # The estimates of different seeds vary as the standard errors say: the mean square is about one.
    others = [beliefs(position, 0, samples=2000, seed=seed) for seed in range(4, 10)]
    error = np.array([other.errors for other in others]).mean(axis=0)
    spread = np.array([other.probabilities for other in others]).std(axis=0, ddof=1)
    assert 0.8 < (spread[error > 0] / error[error > 0]).mean() < 1.2
    again = beliefs(position, 0, samples=2000, seed=3)
    assert np.array_equal(again.probabilities, result.probabilities)


@settings(max_examples=30)
@given(positions())
def test_any_game(position: Position) -> None:
    """However much is hidden, the answer is fast: counting gives up after a number of placements."""
    result = beliefs(position, 0, samples=20)
    assert sum(result.copies) == len(position.boneyard) + sum(map(len, position.hands[1:]))
    sizes = [0, *map(len, position.hands[1:]), len(position.boneyard)]
    assert np.allclose(np.array(result.copies) @ result.probabilities, sizes)


def test_the_table() -> None:
    position = middle_game()
    result = beliefs(position, 2, samples=200)
    lines = str(result).splitlines()
    assert lines[0] == "where seat 2 should expect the unseen tiles, in % (200 samples, ± standard error)"
    assert lines[1].split() == ["seat", "0", "seat", "1", "seat", "3", "boneyard"]
    assert len(lines) == 2 + len(result.tiles)
    assert max(map(len, lines)) <= 100
    small = counted_game(1, number_game, {})
    assert "(exact)" in str(beliefs(small.position, small.seat))


def test_what_is_not_hidden_is_refused() -> None:
    position = middle_game()
    with pytest.raises(PositionError, match="is not a tile that is hidden from seat 0"):
        beliefs(position, 0, samples=20).of(position.hands[0][0], None)
    with pytest.raises(PositionError, match="expected a whole number from 20 on"):
        beliefs(position, 0, samples=19)


def test_the_law_of_first_samples() -> None:
    """Single samples from many seeds follow the exact distribution as well as many samples of one seed do."""
    for game in (number_game, super_game):
        found = counted_game(9, game, {}, most=16)
        exact = exact_law(found)
        count = 3000
        counts: dict[bytes, float] = {}
        for seed in range(count):
            (key,) = sampled_law(WorldSampler(found.position, found.seat, seed), found, 1)
            counts[key] = counts.get(key, 0) + 1 / count
        noise = sum((2 * p * (1 - p) / np.pi / count) ** 0.5 for p in exact.values()) / 2
        assert distance(exact, counts) < 0.01 + 2 * noise


def test_seats_with_nothing_hidden() -> None:
    rules = RuleSet.mexican(2, tile_set="double-1", hand_size=1)
    position = Position.setup(rules, engine="1-1", hands=["1-0", "0-0"], boneyard="")
    result = beliefs(position, 0)
    assert [(str(tile), result.of(tile, 1)) for tile in result.tiles] == [("0-0", 1.0)]
    assert len(set(itertools.islice(WorldSampler(position, 0, 1).histories(), 3))) == 1


def placements(found: Histories) -> int:
    """Every way to put the tiles into the cells, one by one; a tile that was laid comes from the seat that laid it."""
    position = found.position
    laid = {event.tile: event.seat for event in position.events if event.is_decision and event.tile}
    single = {tile for tile in position.rules.tiles if list(position.rules.tiles).count(tile) == 1}
    rooms = Counter[tuple[int | None, int | None]]()
    for seat, draw in found.cells:
        dealt = len(position.boneyard) if seat is None else len(position.start.hands[seat])
        rooms[seat, draw] = 1 if draw is not None else dealt

    def ways(at: int) -> int:
        if at == len(found.tiles):
            return 1
        tile, total = position.rules.tiles[found.tiles[at]], 0
        for cell in found.cells:
            if rooms[cell] and (tile not in laid or tile not in single or cell[0] == laid[tile]):
                rooms[cell] -= 1
                total += ways(at + 1)
                rooms[cell] += 1
        return total

    return ways(0)


@pytest.mark.parametrize("game", [number_game, super_game])
def test_the_limit_of_placements_is_exact(game: object) -> None:
    """With one placement less than there are, counting is refused, before anything is tried."""
    for seed in range(6):
        found = counted_game(seed, game, {}, most=40)
        number = placements(found)
        assert number >= len(found.rows)
        assert count_worlds(found.position, found.seat, most=number).histories == found.count
        with pytest.raises(PositionError, match="placements would have to be tried"):
            count_worlds(found.position, found.seat, most=number - 1)


def test_a_refusal_and_a_few_samples_take_no_time() -> None:
    """A hundred samples in the middle of a game take about a millisecond; the count of placements gives up at once."""
    position = middle_game()
    beliefs(position, 0, samples=100)
    fewest = float("inf")
    for _ in range(20):
        began = time.process_time()
        for _ in range(200):
            position.copy()
        copies = time.process_time() - began
        began = time.process_time()
        beliefs(position, 0, samples=100)
        fewest = min(fewest, (time.process_time() - began) / copies)
    # About 2.3; trying 20,000 placements took 70.
    assert fewest < 8
