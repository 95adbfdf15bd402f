"""The source of a seat's picture contains no tile that the seat cannot see, wherever it might be written."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from mextrain import Position, RuleSet, Tile
from tests.picture.drawing import texts

RULES = [
    RuleSet.mexican(players=2),
    RuleSet.mexican(players=6, double_rule="chicken_foot"),
    RuleSet.mexican(players=14),
    RuleSet.super(players=2),
    RuleSet.super(players=7),
]


def unseen(position: Position, seat: int) -> set[Tile]:
    """The tiles that are neither on the table nor in the hand of the seat, no copy of them."""
    seen = Counter([position.engine, *position.hands[seat]])
    seen.update(event.tile for event in position.events if event.kind == "play" and event.tile)
    return set(position.rules.tiles) - set(seen)


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: f"{rules.preset_name}-{rules.players}")
def test_no_unseen_tile_is_in_the_source(rules: RuleSet) -> None:
    random, looked, drawn = Random(1), 0, 0
    for game in range(2 if rules.players > 6 else 5):
        position = Position.deal(rules, seed=1, game=game)
        while True:
            # Look at every position in which a seat has just drawn, and at some others.
            if position.drawn is not None or position.over or random.random() < 0.05:
                seat = random.randrange(rules.players)
                source = str(position.svg(for_seat=seat))
                leaks = {str(tile) for tile in unseen(position, seat) if texts(source, tile)}
                assert leaks == set(), (game, seat, position.line(key=True))
                looked += 1
                drawn += position.drawn is not None and seat != position.seat
            if position.over:
                break
            position.play(random.choice(position.legal_moves()))
    assert looked > 20
    assert drawn > 5


def test_the_detector_sees() -> None:
    position = Position.deal(RuleSet.super(players=4), seed=1)
    source = str(position.svg())
    assert all(texts(source, tile) for hand in position.hands for tile in hand)
    assert not texts("M11-1 5-60", Tile(1, 1))


def test_glyphs_of_unseen_halves_are_missing() -> None:
    """A number that only others hold is not even defined."""
    rules = RuleSet.mexican(players=2, tile_set="double-3", hand_size=1)
    position = Position.setup(rules, engine="0-0", hands=["1-0", "3-3"], boneyard="2-0 3-0 1-1 2-1 3-1 2-2 3-2")
    assert "_3n" in position.svg()
    assert "_3n" not in position.svg(for_seat=0)
