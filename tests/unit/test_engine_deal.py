"""The engine from a hand: who starts, and with how many tiles each seat begins (docs/rules.md, engine_from)."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mextrain import Match, Position, PositionError, RecordError, RuleError, RuleSet, replay, simulate
from mextrain.bulk.positions import play_rounds
from mextrain.game import seeding
from mextrain.game.engine_deal import Beginning, beginning, callers
from mextrain.game.starters import next_starter
from mextrain.records import MatchOrder, RoundRecord
from tests.reference import Rules as SlowRules
from tests.reference.match import play_match
from tests.reference.replay import first_fault
from tests.reference.stream import set_up

HUNTS = ("in_turn", "together")
FOUR = RuleSet.mexican(4, hand_size=15, engine_from="holder")
SMALL = RuleSet.mexican(3, tile_set="double-4", hand_size=2, engine_from="holder", starter="rotate")


@pytest.mark.parametrize(
    ("place", "caller", "in_turn", "together"),
    [
        (0, 2, (0, (14, 15, 15, 15)), (0, (14, 15, 15, 15))),
        (59, 0, (3, (15, 15, 15, 14)), (3, (15, 15, 15, 14))),
        (60, 2, (2, (15, 15, 15, 15)), (2, (16, 16, 15, 16))),
        (65, 2, (3, (16, 16, 17, 16)), (3, (17, 17, 17, 16))),
        (90, 0, (2, (23, 23, 22, 22)), (2, (23, 23, 22, 22))),
    ],
)
def test_the_engine_by_hand(place: int, caller: int, in_turn: Any, together: Any) -> None:
    for hunt, right in zip(HUNTS, (in_turn, together), strict=True):
        assert beginning(FOUR.replace(engine_hunt=hunt), place, caller) == right


@pytest.mark.parametrize("hunt", HUNTS)
@pytest.mark.parametrize(
    "rules", [FOUR, SMALL, RuleSet.super(5, engine_from="holder"), RuleSet.preset("cardinal", players=8)]
)
def test_the_slow_stream_hunts_the_same(rules: RuleSet, hunt: str) -> None:
    """Every place and caller; `callers` finds exactly the callers with which a round can begin so."""
    rules = rules.replace(engine_hunt=hunt)
    slow = SlowRules.from_record(rules.to_dict())
    found: dict[Beginning, set[int]] = {}
    for place in range(len(rules.tiles)):
        for caller in range(rules.players):
            begun = beginning(rules, place, caller)
            starter, sizes = set_up(slow, place, caller)
            assert begun == (starter, tuple(sizes))
            found.setdefault(begun, set()).add(caller)
    for begun, right in found.items():
        assert set(callers(rules, begun)) == right
        for seat in range(rules.players):
            wrong = Beginning(seat, begun.sizes)
            assert wrong in found or callers(rules, wrong) == ()
        for change in (-1, 1):
            other = Beginning(begun.starter, (begun.sizes[0] + change, *begun.sizes[1:]))
            assert other in found or callers(rules, other) == ()


def test_the_place_is_uniform() -> None:
    """The holder is each seat equally often, and nobody in (tiles - dealt) / tiles of the rounds."""
    rules = RuleSet.preset("cardinal", players=4)
    deals = 4000
    smaller = Counter[int | None]()
    for game in range(deals):
        position = Position.deal(rules, seed=1, game=game)
        begun = [len(hand) for hand in position.start.hands]
        smaller[begun.index(14) if 14 in begun else None] += 1
        assert position.starter == begun.index(14) if 14 in begun else True
    expected = dict.fromkeys(range(4), 15 / 91) | {None: 31 / 91}
    for holder, share in expected.items():
        assert abs(smaller[holder] / deals - share) < 5 * (share * (1 - share) / deals) ** 0.5


@pytest.mark.parametrize("hunt", HUNTS)
@pytest.mark.parametrize("starter", ["draw", "rotate", "winner", 1])
def test_matches_of_all_programs_agree(starter: str | int, hunt: str) -> None:
    rules = SMALL.replace(starter=starter, engine_hunt=hunt)
    played = simulate(rules, games=4, seed=9, record_actions=True)
    positions = iter(play_rounds(rules, games=4, seed=9))
    order, seen = MatchOrder(), set()
    for game in range(4):
        slow = play_match(SlowRules.from_record(rules.to_dict()), 9, game, "random")
        for number, one in enumerate(slow.rounds):
            position = next(positions)
            assert position.start.hands == tuple(tuple(map(rules.tiles.parse, hand)) for hand in one.dealt_hands)
            assert [event.text for event in position.events] == one.events
            assert (position.starter, position.points) == (one.starter, tuple(one.points or []))
            assert played.starter[game, number] == one.starter
            assert tuple(played.points[game, number].tolist()) == position.points
            record = position.record()
            assert first_fault(record) is None
            assert replay(json.loads(json.dumps(record))).points == position.points
            order.check(RoundRecord.from_dict(record))
            seen.add(sum(map(len, one.dealt_hands)) - 6)
    assert -1 in seen
    assert max(seen) > 3


def test_the_starter_of_a_deal_is_the_caller() -> None:
    """With `rotate` the seat after the last starter is asked first."""
    match = Match(SMALL, seed=4)
    for _ in match:
        position = match.position
        while not position.over:
            position.play(position.legal_moves()[0])
    for before, after in zip(match.rounds, match.rounds[1:], strict=False):
        caller = next_starter(SMALL, before.starter, before.winner)
        assert caller == (before.starter + 1) % 3
        assert after.start.starter == caller
        key = seeding.round_key(4, 0, after.engine)
        place = seeding.below(seeding.high(seeding.word(key, 126)), len(SMALL.tiles))
        begun = beginning(SMALL, place, (before.starter + 1) % 3)
        assert (after.starter, tuple(map(len, after.start.hands))) == begun


def test_altered_records_are_refused() -> None:
    """A tile that changes its owner before the first turn, another starter, another caller."""
    rules = SMALL.replace(starter=0, first_engine="4-4", rounds=1)
    refused = 0
    for position in play_rounds(rules, games=30, seed=2):
        record = position.record()
        for starter in range(3):
            altered = record | {"starter": starter}
            fits = set(callers(rules, Beginning(starter, tuple(map(len, record["hands"]))))) >= {0}
            if not fits:
                refused += 1
                with pytest.raises(RecordError, match=r"does not deal|draws first"):
                    replay(altered)
        hands = [list(hand) for hand in record["hands"]]
        hands[1].append(hands[0].pop())
        with pytest.raises(RecordError, match="engine_from=holder does not deal"):
            replay(record | {"hands": hands})
        assert first_fault(record | {"hands": hands}) is not None
    assert refused > 30


def test_a_round_out_of_order_is_noticed() -> None:
    rules = SMALL.replace(engine_hunt="in_turn")
    wrong = 0
    for game in range(40):
        played = list(play_rounds(rules, games=1, seed=3, first_game=game))
        first, second = (position.record() for position in played[:2])
        known = callers(rules, Beginning(second["starter"], tuple(map(len, second["hands"]))))
        if len(known) == 1:
            order = MatchOrder()
            order.check(replace(RoundRecord.from_dict(first), starter=(first["starter"] + 1) % 3))
            with pytest.raises(RecordError, match="is asked first for the engine"):
                order.check(RoundRecord.from_dict(second))
            wrong += 1
    assert wrong > 5


def test_what_cannot_be_dealt_is_refused() -> None:
    with pytest.raises(RuleError, match="2 or more with engine_from=holder"):
        RuleSet.mexican(4, hand_size=1, engine_from="holder")
    with pytest.raises(ValueError, match="hand_size 1"):
        SlowRules("mexican", 4, hand_size=1, engine_from="holder")
    made = Position.setup(SMALL, hands=["3-0 3-1 3-2", "2-0", "1-0 1-1"], engine="4-4", starter=1)
    while not made.over:
        made.play(made.legal_moves()[0])
    with pytest.raises(PositionError, match="a record needs rules that begin so"):
        made.record()
    fixed = SMALL.replace(starter=2)
    assert Position.setup(fixed, hands=["3-0 3-1", "2-0", "1-0 1-1"], engine="4-4", starter=1).starter == 1
    assert Position.setup(fixed, hands=["3-0 3-1", "2-0", "1-0 1-1"], engine="4-4").starter == 0
    with pytest.raises(PositionError, match="contradicts the rules"):
        Position.deal(fixed, seed=1, starter=1)


def test_the_boneyard_before_a_hunt() -> None:
    assert RuleSet.preset("cardinal", players=4).boneyard_size == 91 - 60
    sizes = np.array([len(Position.deal(FOUR, seed=1, game=game).boneyard) for game in range(60)])
    assert sizes.max() == 31
    assert 0 <= sizes.min() < 30
