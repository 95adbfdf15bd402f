"""The trees that are drawn are the trains on the table: their tiles, their ends, the toes still owed."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from mextrain import Position, RuleSet, Tile
from mextrain.picture.trees import Tree, trees
from tests.strategies import rounds


def check(position: Position) -> None:
    """Compare the trees with what the rules say about the same position."""
    drawn = trees(position)
    assert list(drawn) == list(position.trains)
    laid = Counter(event.tile for event in position.events if event.kind == "play")
    known = Counter(Tile(n.near, n.far) for tree in drawn.values() for n in tree.nodes() if n.play)
    assert known == laid
    for train, tree in drawn.items():
        if train in position.started:
            assert sorted(map(str, ends(tree))) == sorted(map(str, position.ends(train))), (train, position.line())
        else:
            assert not tree.roots
    owed = sorted((str(n.far), str(t)) for t, tree in drawn.items() for n in tree.nodes() if n.is_owed)
    assert owed == sorted((str(double.tile.high), str(double.train)) for double in position.open_doubles)
    missing = [3 - len(double.toes) for double in position.open_doubles if position.rules.double_rule == "chicken_foot"]
    assert [n.missing for tree in drawn.values() for n in tree.nodes() if n.missing] == missing


def ends(tree: Tree) -> list[object]:
    """The halves at the ends of a tree."""
    return [end.far for end in tree.ends]


@settings(max_examples=60, deadline=None)
@given(rounds(), st.integers(0, 200), st.integers(0, 2**32), st.booleans())
def test_trees_are_the_trains(dealt: tuple, moves: int, dice: int, from_line: bool) -> None:
    rules, seed, game, engine, starter = dealt
    random = Random(dice)
    position = Position.deal(rules, seed=seed, game=game, engine=engine, starter=starter)
    for _ in range(moves):
        if position.over:
            break
        position.play(random.choice(position.legal_moves()))
    if from_line and not position.over:
        position = Position.from_line(position.line(key=True))
        for _ in range(random.randrange(12)):
            if not position.over:
                position.play(random.choice(position.legal_moves()))
    check(position)


def test_feet_at_every_decision() -> None:
    """Feet of both kinds, also when the round is read from a line with an unfinished foot."""
    feet = toes = 0
    for foot_ends in ("all", "center"):
        rules = RuleSet.mexican(players=4, double_rule="chicken_foot", foot_ends=foot_ends)
        for game in range(6):
            position, random = Position.deal(rules, seed=2, game=game), Random(game)
            while not position.over:
                check(position)
                if position.open_doubles:
                    check(Position.from_line(position.line(key=True)))
                    feet += 1
                    toes += bool(position.open_doubles[0].toes)
                position.play(random.choice(position.legal_moves()))
            check(position)
    assert feet > 30
    assert toes > 10


def test_a_suggested_tile_hangs_at_the_end_that_it_fits() -> None:
    position, random = Position.deal(RuleSet.super(players=4), seed=3), Random(3)
    for _ in range(40):
        for move in position.legal_moves():
            grown = [n for tree in trees(position, move).values() for n in tree.nodes() if n.is_suggested]
            assert len(grown) == (move != position.rules.actions.parse("stop"))
        position.play(random.choice(position.legal_moves()))


def test_a_position_with_no_events_shows_its_ends_only() -> None:
    position, random = Position.deal(RuleSet.mexican(players=3), seed=1), Random(1)
    for _ in range(20):
        position.play(random.choice(position.legal_moves()))
    nodes = [n for tree in trees(Position.from_line(position.line())).values() for n in tree.nodes()]
    assert len(nodes) == len(position.started)
    assert all(n.near is None or n.is_owed for n in nodes)
