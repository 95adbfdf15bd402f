"""Positions for the tests of searches, and exact values of small ones."""

from __future__ import annotations

import random

import numpy as np

from mextrain import Position, RuleSet
from mextrain.game.moves import Move
from mextrain.hidden.exact import Histories
from mextrain.hidden.sampler import replayed

TABLES = {
    "mexican-2": RuleSet.mexican(2, rounds=1),
    "mexican-4": RuleSet.mexican(4, rounds=1),
    "super-3": RuleSet.super(3, rounds=1),
    "cover-2": RuleSet.mexican(2, double_rule="cover", failed_cover="mark_and_play", rounds=1),
    "foot-2": RuleSet.mexican(2, tile_set="double-9", double_rule="chicken_foot", rounds=1),
}


def with_choice(rules: RuleSet, seed: int, moves: int, least: int = 2) -> Position:
    """A position of random play after about so many moves, with at least `least` legal moves."""
    dice = random.Random(seed)
    for game in range(1000):
        position = Position.deal(rules, seed=seed, game=game)
        for _ in range(moves):
            if not position.over:
                position.play(dice.choice(position.legal_moves()))
        while not position.over and len(position.legal_moves()) < least:
            position.play(dice.choice(position.legal_moves()))
        if not position.over:
            return position
    raise AssertionError(f"no position of {rules} has {least} legal moves")


def poisoned(position: Position, seed: int) -> Position:
    """The position with rubbish wherever the seat to move cannot see."""
    noise = np.random.default_rng(seed)
    other = position.copy()
    state = other._states[0]
    state["key"] = noise.integers(2**64, dtype=np.uint64)
    state["boneyard"] = noise.integers(2**64, size=3, dtype=np.uint64)
    for seat in range(position.rules.players):
        if seat != position.seat:
            state["hand"][seat] = noise.integers(2**32, size=20, dtype=np.uint32)
            state["a_count"][seat] = noise.integers(4)
    other._log = [
        (kind, who, int(noise.integers(90)) if kind in (2, 3) and who != position.seat else data, ends)
        for kind, who, data, ends in position.log
    ]
    return other


def expected_points(position: Position) -> np.ndarray:
    """The expected points of each seat if everybody plays at random; draws are explicit."""
    if position.over:
        return np.array(position.points, float)
    total = np.zeros(position.rules.players)
    if position.pending_draw:
        outcomes = position.chance_outcomes()
        for tile, chance in outcomes:
            after = position.copy()
            after.draw(tile)
            total += chance * expected_points(after)
        return total
    moves = position.legal_moves()
    for move in moves:
        total += expected_points(played(position, move)) / len(moves)
    return total


def played(position: Position, move: Move) -> Position:
    """The position after a move."""
    after = position.copy()
    after.play(move)
    return after


def exact_values(position: Position) -> dict[Move, np.ndarray]:
    """The expected points of each seat after each legal move, over all histories that the seat to move cannot exclude,
    if everybody plays at random from then on."""
    seat = position.seat
    assert seat is not None
    tiles = position.rules.tiles
    totals = {move: np.zeros(position.rules.players) for move in position.legal_moves()}
    weights = 0
    for (hands, draws), count in Histories(position, seat).histories().items():
        dealt = tuple(tuple(tiles.index(tile) for tile in hand) for hand in hands)
        world = replayed(position, seat, dealt, tuple(tiles.index(tile) for tile in draws), 0)
        for move in totals:
            totals[move] += count * expected_points(played(world, move))
        weights += count
    return {move: total / weights for move, total in totals.items()}


def explicit_position(seed: int) -> Position:
    """A position of a tiny round with explicit chance, several legal moves and several possible worlds."""
    dice = random.Random(seed)
    rules = RuleSet.mexican(2, tile_set="double-3", hand_size=3)
    while True:
        position = Position.deal(
            rules, seed=dice.getrandbits(32), engine=dice.choice(rules.tiles.doubles), chance="explicit"
        )
        for _ in range(dice.randint(2, 6)):
            if position.pending_draw:
                position.draw(dice.choice(position.chance_outcomes())[0])
            elif not position.over:
                position.play(dice.choice(position.legal_moves()))
        if position.over or position.pending_draw or len(position.legal_moves()) < 2:
            continue
        assert position.seat is not None
        if 2 <= len(Histories(position, position.seat).worlds()) <= 40:
            return position
