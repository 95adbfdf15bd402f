"""What the engine shows if the deal decides it: every deal of a small set is tried (docs/rules.md, engine_from)."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable
from math import factorial

import pytest

from mextrain import Position, RuleSet, Tile, WorldSampler, beliefs, count_worlds, information_key
from mextrain.hidden.exact import Histories
from tests.hidden.games import distance, exact_law, sampled_law
from tests.reference import Rules
from tests.reference.stream import lay_first
from tests.reference.tiles import tiles_of

RULES = [
    RuleSet.mexican(players, tile_set="double-2", hand_size=2, engine_from=engine_from, opening="single", starter=0)
    for players, engine_from in itertools.product((2,), ("highest", "own_highest"))
]
ORDERS = list(itertools.permutations(tiles_of("double-2")))
MOST_DISTANCE = 0.02

Hands = tuple[tuple[str, ...], ...]


def deals(rules: RuleSet) -> dict[tuple[str, int, Hands], int]:
    """How many of the 720 orders of the tiles lead to each engine, starter and (sorted) hands."""
    slow = Rules.from_record(rules.to_dict())
    found: Counter[tuple[str, int, Hands]] = Counter()
    for order in ORDERS:
        engine, starter, hands, _ = lay_first(slow, list(order), 0)
        found[engine, starter, tuple(tuple(sorted(hand)) for hand in hands)] += 1
    assert sum(found.values()) == factorial(6)
    return dict(found)


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.engine_from)
def test_samples_follow_the_deals(rules: RuleSet) -> None:
    """Before the first turn: the worlds of a seat are those of the deals that look the same to it, equally likely."""
    looks: dict[tuple[object, ...], dict[Hands, int]] = defaultdict(dict)
    for (engine, starter, hands), count in deals(rules).items():
        for seat in range(2):
            looks[engine, starter, tuple(map(len, hands)), seat, hands[seat]][hands] = count
    told = 0
    for (engine, starter, sizes, seat, _), worlds in looks.items():
        assert len(set(worlds.values())) == 1
        unseen = factorial(5 - sizes[seat]) // factorial(sizes[1 - seat]) // factorial(5 - sum(sizes))
        told += len(worlds) < unseen
        # Whether the starter can play, or has to draw, is seen too.
        alike: dict[bytes, list[Position]] = defaultdict(list)
        for hands in worlds:
            position = Position.setup(rules, hands=hands, engine=engine, starter=starter, chance="explicit")
            alike[information_key(position, seat)].append(position)
        for positions in alike.values():
            check(positions, seat)
    assert told > 10


def check(positions: list[Position], seat: int) -> None:
    """The worlds of one of these positions are all of them, and samples find each equally often."""
    found = Histories(positions[0], seat)
    assert {names(hands) for hands, _ in found.worlds()} == {names(position.start.hands) for position in positions}
    assert count_worlds(positions[0], seat) == (len(positions), len(positions))
    law = sampled_law(WorldSampler(positions[0], seat, 1), found, max(4000, 1500 * len(positions)))
    assert distance(exact_law(found), law) <= MOST_DISTANCE


def names(hands: Iterable[Iterable[Tile]]) -> Hands:
    """The hands as sorted texts."""
    return tuple(tuple(sorted(map(str, hand))) for hand in hands)


def test_beliefs_know_that_no_higher_double_was_dealt() -> None:
    rules = RuleSet.preset("pressman", players=4)
    seen = 0
    for game in range(40):
        position = Position.deal(rules, seed=5, game=game, chance="explicit")
        higher = [tile for tile in rules.tiles.doubles if tile > position.engine]
        was_held = sum(len(hand) for hand in position.start.hands) < 60
        if position.seat is None or position.events or not higher or not was_held:
            continue
        found = beliefs(position, position.seat, samples=20)
        assert all(found.of(tile, None) == 1 for tile in higher)
        seen += 1
    assert seen > 3
