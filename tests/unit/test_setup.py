"""How rounds begin: deals from the stream, given hands, and all errors in them."""

from __future__ import annotations

import pickle
from collections import Counter

import pytest
from hypothesis import given, settings

from mextrain import Position, PositionError, RuleError, RuleSet, SeedError, Tile
from tests.strategies import rounds

FOUR = RuleSet.mexican(4)
TWO = RuleSet.mexican(2, tile_set="double-2", hand_size=1)


@pytest.mark.parametrize(
    ("rules", "seed", "game", "engine", "starter", "first", "last"),
    [
        (
            FOUR, 1, 0, "12-12", 1,
            "9-8 10-2 12-7 12-2 7-6 2-0 2-1 7-1 10-4 12-0 9-9 8-0",
            "11-7 6-2 8-1 12-4 10-7 9-6 6-1 9-4 7-0 4-0 10-0 10-6",
        ),
        (
            RuleSet.mexican(2), 2**64 - 1, 5, "0-0", 1,
            "3-1 8-0 7-2 9-6 4-2 3-0 7-0 8-8",
            "8-4 9-1 7-4 8-5 5-3 9-5 2-0 3-2",
        ),
        (
            RuleSet.super(4), 7, 1_000_000, "*-*", 2,
            "6-4 3-3 11-5 4-2 9-9 11-9 4-1 11-10 10-2 8-8 *-R 10-0 10-9 2-2 1-0 7-7 2-1 8-5",
            "5-4 *-1 9-0 11-0 *-A 12-8 *-11 12-9 7-5 7-6 6-5 9-3 8-2 7-4 12-6 12-1 9-1 *-8",
        ),
    ],
)  # fmt: skip
def test_the_deals_of_the_documentation(
    rules: RuleSet, seed: int, game: int, engine: str, starter: int, first: str, last: str
) -> None:
    position = Position.deal(rules, seed=seed, game=game, engine=engine)
    assert position.starter == starter
    hands = position.start.hands
    assert " ".join(map(str, hands[0])) == first
    assert " ".join(map(str, hands[-1])) == last


@settings(max_examples=60)
@given(rounds())
def test_the_order_of_dealing_is_worked_out_rightly(this: tuple[RuleSet, int, int, str, int | None]) -> None:
    rules, seed, game, engine, starter = this
    position = Position.deal(rules, seed=seed, game=game, engine=engine, starter=starter, chance="explicit")
    assert tuple(tuple(sorted(hand)) for hand in position.start.hands) == position.hands
    tiles = Counter(tile for hand in position.hands for tile in hand) + Counter(position.boneyard)
    assert tiles + Counter([position.engine]) == Counter(rules.tiles)
    if rules.engine_from == "set_aside":
        assert {len(hand) for hand in position.hands} == {rules.hand_size}
        assert len(position.boneyard) == rules.boneyard_size


def test_a_given_boneyard_is_drawn_in_its_order() -> None:
    position = Position.setup(TWO, hands=["1-0", "1-1"], boneyard=["0-0", "2-0", Tile(1, 2)])
    assert [str(event) for event in position.events] == ["0:draw 0-0", "0:open", "1:draw 2-0"]
    assert position.legal_texts() == ("2-0@1",)
    assert [str(tile) for tile in position.drawn_order()] == ["0-0", "2-0", "2-1"]


def test_three_anywhere_tiles_can_lie_in_three_places() -> None:
    rules = RuleSet.super(2, hand_size=2)
    rest = [str(tile) for tile in rules.tiles if str(tile) not in ("12-12", "12-0", "12-1", "*-A")]
    position = Position.setup(rules, hands=["*-A 12-0", "12-1 *-A"], boneyard=[*rest, "*-A"])
    assert [hand.count(Tile("*", "A")) for hand in position.hands] == [1, 1]
    assert position.boneyard.count(Tile("*", "A")) == 1
    with pytest.raises(PositionError, match=r"the boneyard holds \*-A, which lies elsewhere already, or is there too"):
        Position.setup(rules, hands=["*-A *-A", "12-1 *-A"], boneyard=[*rest, "12-0", "*-A"])


def test_a_round_that_is_set_up_draws_by_its_seed() -> None:
    hands = ["1-0", "1-1"]
    draws = {Position.setup(TWO, hands=hands, seed=seed).events[0].text for seed in range(40)}
    assert draws == {"0:draw 0-0", "0:draw 2-0", "0:draw 2-1"}
    assert Position.setup(TWO, hands=hands) == Position.setup(TWO, hands=hands, seed=0)


def test_a_fixed_starter_is_the_default_of_a_deal() -> None:
    rules = RuleSet.mexican(4, starter=3)
    assert Position.deal(rules, seed=0).starter == 3
    assert Position.deal(rules, seed=0, starter=3).starter == 3
    with pytest.raises(PositionError, match="the starter 1 contradicts the rules, by which seat 3 starts"):
        Position.deal(rules, seed=0, starter=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"hands": ["1-0"]}, "1 hands are given, but 2 players need one each"),
        ({"hands": ["1-0", ""]}, "the hand of seat 1 is empty"),
        ({"hands": ["1-0", "1-0"]}, "the hand of seat 1 holds 1-0, which lies elsewhere already"),
        ({"hands": ["1-0", "2-2"]}, "the hand of seat 1 holds 2-2, which is the engine"),
        ({"hands": ["1-0", "3-1"]}, "the hand of seat 1 cannot be read: 3-1 is not a tile of double-2"),
        ({"hands": ["1-0", [Tile(3, 1)]]}, "the hand of seat 1 cannot be read: 3-1 is not a tile of double-2"),
        ({"hands": ["1-0", [4]]}, "the hand of seat 1 cannot be read"),
        ({"hands": ["1-0", None]}, "the hand of seat 1 cannot be read"),
        ({"hands": ["1-0", "1-2-3"]}, "'1-2-3'"),
        ({"boneyard": "0-0 2-0"}, "1 tiles are neither in a hand nor in the boneyard, 2-1 among them"),
        ({"boneyard": "0-0 2-0 2-1 1-0"}, "the boneyard holds 1-0, which lies elsewhere already"),
        ({"boneyard": "0-0 2-0 2-1", "seed": 3}, "a boneyard in its order leaves nothing"),
        ({"boneyard": "0-0 2-0 2-1", "chance": "explicit"}, "a boneyard in its order leaves nothing"),
        ({"chance": "luck"}, "chance = 'luck': expected 'stream' or 'explicit'"),
        ({"engine": "2-1"}, "the engine 2-1 is not a double of double-2: expected 2-2 … 0-0"),
        ({"engine": "5-5"}, "the engine '5-5' is not usable"),
        ({"starter": 2}, "the starter 2 is not a seat: expected 0 … 1"),
        ({"starter": True}, "the starter True is not a seat"),
        ({"starter": "0"}, "the starter '0' is not a seat"),
    ],
)
def test_what_cannot_be_set_up_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(PositionError) as error:
        Position.setup(TWO, **{"hands": ["1-0", "1-1"], **arguments})  # type: ignore[arg-type]
    assert message in str(error.value)


def test_wrong_deals_are_refused() -> None:
    with pytest.raises(SeedError):
        Position.deal(FOUR, seed=-1)
    with pytest.raises(SeedError):
        Position.deal(FOUR, seed=1.5)  # type: ignore[arg-type]
    with pytest.raises(SeedError):
        Position.deal(FOUR, seed=0, game=2**59)
    with pytest.raises(PositionError, match="engine 12-11 is not a double"):
        Position.deal(FOUR, seed=0, engine="12-11")
    with pytest.raises(PositionError, match="starter 4 is not a seat"):
        Position.deal(FOUR, seed=0, starter=4)
    with pytest.raises(PositionError, match="expected a RuleSet"):
        Position.deal({"players": 4}, seed=0, starter=1)  # type: ignore[arg-type]
    with pytest.raises(RuleError, match=r"14 players × 12 tiles \+ the engine = 169"):
        RuleSet.mexican(14, tile_set="double-12", hand_size=12)


def test_hand_and_set_can_be_chosen() -> None:
    rules = RuleSet.mexican(2, tile_set="double-12", hand_size=15)
    position = Position.deal(rules, seed=0)
    assert [len(hand) for hand in position.start.hands] == [15, 15]
    assert rules.boneyard_size == 60


def test_a_start_survives_pickling() -> None:
    start = Position.deal(FOUR, seed=3).start
    assert pickle.loads(pickle.dumps(start)) == start
