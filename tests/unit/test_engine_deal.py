"""The engine from a hand: who starts, and with how many tiles each seat begins (docs/rules.md, engine_from)."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mextrain import Match, Position, PositionError, RecordError, RuleError, RuleSet, Tile, replay, simulate
from mextrain.bulk.positions import play_rounds
from mextrain.game import seeding
from mextrain.game.engine_deal import Beginning, beginning, callers, check_beginning, lay
from mextrain.game.starters import next_starter
from mextrain.records import MatchOrder, RoundRecord
from tests.reference import Rules as SlowRules
from tests.reference.match import play_match
from tests.reference.replay import first_fault
from tests.reference.stream import beginnings, set_up

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


def played_by_all(rules: RuleSet, games: int) -> Iterator[tuple[list[list[str]], dict[str, Any]]]:
    """Play matches by kernels, positions, records and the slow program, which must agree; yields hands and records."""
    played = simulate(rules, games=games, seed=9, record_actions=True)
    positions = iter(play_rounds(rules, games=games, seed=9))
    order = MatchOrder()
    for game in range(games):
        slow = play_match(SlowRules.from_record(rules.to_dict()), 9, game, "random")
        for number, one in enumerate(slow.rounds):
            position = next(positions)
            assert position.start.hands == tuple(tuple(map(rules.tiles.parse, hand)) for hand in one.dealt_hands)
            assert [event.text for event in position.events] == one.events
            assert (str(position.engine), position.starter) == (one.engine, one.starter)
            assert played.starter[game, number] == one.starter
            assert position.points == tuple(one.points or []) == tuple(played.points[game, number].tolist())
            record = position.record()
            assert record["round"] == number
            assert first_fault(record) is None
            assert replay(json.loads(json.dumps(record))).points == position.points
            order.check(RoundRecord.from_dict(record))
            yield one.dealt_hands, record


@pytest.mark.parametrize("hunt", HUNTS)
@pytest.mark.parametrize("starter", ["draw", "rotate", "winner", 1])
def test_matches_of_all_programs_agree(starter: str | int, hunt: str) -> None:
    rules = SMALL.replace(starter=starter, engine_hunt=hunt)
    seen = {sum(map(len, hands)) - 6 for hands, _ in played_by_all(rules, 4)}
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


def hands(*texts: str) -> list[list[Tile]]:
    return [[Tile.parse(word) for word in text.split()] for text in texts]


def test_the_highest_double_by_hand() -> None:
    """The positions of the rules: 2-2 is the highest double of all hands, 1-1 that of seat 1."""
    dealt = hands("3-1 2-2 1-0", "1-1 3-0 2-1")
    engine = Tile.parse("3-3")
    highest = RuleSet.mexican(2, tile_set="double-3", hand_size=3, engine_from="highest")
    laid = lay(highest, engine, 1, dealt, [])
    assert laid == (Tile.parse("2-2"), 0, (tuple(hands("3-1 1-0")[0]), tuple(dealt[1])))
    laid = lay(highest.replace(engine_from="own_highest"), engine, 1, dealt, [])
    assert laid == (Tile.parse("1-1"), 1, (tuple(dealt[0]), tuple(hands("3-0 2-1")[0])))


@pytest.mark.parametrize(
    ("engine_from", "dealt", "drawn", "right"),
    [
        ("highest", ("3-0", "2-1", "1-0"), "3-2 2-0 0-0", ("0-0", 1, (3, 2, 3))),
        ("highest", ("3-0", "2-1", "1-0"), "3-2 2-0 3-1 1-1", ("1-1", 2, (3, 3, 3))),
        ("own_highest", ("3-0", "2-1", "1-0"), "1-1", ("1-1", 2, (2, 2, 2))),
        ("own_highest", ("3-3", "2-1", "1-0"), "2-0", ("3-3", 0, (1, 2, 3))),
        ("own_highest", ("3-3", "2-1", "1-0"), "1-1", ("1-1", 2, (2, 2, 2))),
        ("own_highest", ("3-0", "1-1", "2-2"), "", ("2-2", 2, (2, 2, 1))),
        ("own_highest", ("3-0", "2-1", "1-0"), "2-0 3-2 3-1 0-0", ("0-0", 2, (3, 3, 3))),
    ],
)
def test_hunts_by_hand(engine_from: str, dealt: tuple[str, ...], drawn: str, right: Any) -> None:
    """Seat 2 is asked first. Each seat also holds a tile that changes nothing."""
    rules = RuleSet.mexican(3, tile_set="double-4", hand_size=2, engine_from=engine_from)
    full = hands(*(f"{tile} {more}" for tile, more in zip(dealt, ("4-0", "4-1", "4-2"), strict=True)))
    tiles = hands(drawn)[0]
    for count in range(len(tiles)):
        assert lay(rules, rules.engines[0], 2, full, tiles[:count]) is None
    laid = lay(rules, rules.engines[0], 2, full, tiles)
    assert laid is not None
    assert (str(laid.engine), laid.starter, tuple(map(len, laid.hands))) == right


def test_an_empty_boneyard_does_not_end_the_asking() -> None:
    """One tile is left after the deal: seat 0 draws it, seat 1 has nothing to draw, and seat 2 lays its double."""
    rules = RuleSet.mexican(7, tile_set="double-4", hand_size=2, engine_from="own_highest")
    dealt = hands("4-0 3-0", "2-0 1-0", "4-4 4-1", "3-3 2-2", "1-1 0-0", "4-2 3-1", "2-1 3-2")
    assert lay(rules, rules.engines[0], 0, dealt, []) is None
    laid = lay(rules, rules.engines[0], 0, dealt, hands("4-3")[0])
    assert laid is not None
    assert (str(laid.engine), laid.starter, list(map(len, laid.hands))) == ("4-4", 2, [3, 2, 1, 2, 2, 2, 2])
    assert callers(rules, Beginning(2, tuple(map(len, laid.hands)))) == (0,)
    assert Position.setup(rules, hands=laid.hands, engine="4-4", starter=2).starter == 2
    wrong = [laid.hands[0], *hands("2-0 1-1"), *laid.hands[2:4], *hands("1-0 0-0"), *laid.hands[5:]]
    with pytest.raises(PositionError, match="seat 1 begins with 1-1, but the engine is 4-4"):
        Position.setup(rules, hands=wrong, engine="4-4", starter=2)


FOUND = ("highest", "own_highest")


@pytest.mark.parametrize("engine_from", FOUND)
@pytest.mark.parametrize(("players", "hand"), [(2, 2), (3, 2), (4, 2), (3, 3), (2, 4)])
def test_callers_and_doubles_of_every_beginning(engine_from: str, players: int, hand: int) -> None:
    """The slow program lists all ways to begin; a round can be set up just with the doubles that they allow."""
    rules = RuleSet.mexican(players, tile_set="double-3", hand_size=hand, engine_from=engine_from)
    listed = list(beginnings(SlowRules.from_record(rules.to_dict())))
    found: dict[Beginning, set[int]] = {}
    for place, (starter, sizes, without, lower) in enumerate(listed):
        begun = Beginning(starter, tuple(sizes))
        found.setdefault(begun, set()).add(place // (len(listed) // players))
        for engine in rules.tiles.doubles:
            for seat, tile in itertools.product(range(players), rules.tiles.doubles):
                right = seat not in without and (seat not in lower or tile < engine)
                plain = iter(tile for tile in rules.tiles if not tile.is_double)
                if sum(sizes) > 6 or tile == engine:
                    continue
                made = [[next(plain) for _ in range(size - (seat == q))] for q, size in enumerate(sizes)]
                made[seat].append(tile)
                if right:
                    check_beginning(rules, engine, begun, dict(enumerate(made)))
                    continue
                with pytest.raises(PositionError, match=f"begins with {tile}"):
                    check_beginning(rules, engine, begun, dict(enumerate(made)))
    for begun, right_callers in found.items():
        assert set(callers(rules, begun)) == right_callers
        for seat, change in itertools.product(range(players), (-1, 1)):
            sizes = list(begun.sizes)
            sizes[seat] += change
            other = Beginning(begun.starter, tuple(sizes))
            assert other in found or callers(rules, other) == ()


@pytest.mark.parametrize("engine_from", FOUND)
@pytest.mark.parametrize("starter", ["draw", "rotate", "winner", 1])
def test_matches_agree_if_the_deal_decides(starter: str | int, engine_from: str) -> None:
    """Kernels, positions, records and the slow program; altered records are refused."""
    rules = RuleSet.mexican(3, tile_set="double-6", hand_size=2, rounds=4, engine_from=engine_from, starter=starter)
    seen, refused = set(), 0
    for hands, record in played_by_all(rules, 6):
        seen.add(sum(map(len, hands)) - 6)
        refused += altered(record)
    assert {-1, 0} <= seen
    assert refused > 20


def altered(record: dict[str, Any]) -> int:
    """Alter who holds what before the first turn; both programs must say the same. Returns how often they refuse."""
    refused = 0
    hands = [list(hand) for hand in record["hands"]]
    doubles = [tile for tile in record["boneyard"] if len({*tile.split("-")}) == 1]
    changes: list[dict[str, Any]] = [{"starter": (record["starter"] + 1) % 3}]
    for seat, double in itertools.product(range(3), doubles[:2]):
        swapped = [*hands[:seat], [double, *hands[seat][1:]], *hands[seat + 1 :]]
        boneyard = [hands[seat][0] if tile == double else tile for tile in record["boneyard"]]
        changes.append({"hands": swapped, "boneyard": boneyard})
    for change in changes:
        reason = refusal(record | change)
        assert (reason == "") == (first_fault(record | change) is None), (change, reason)
        refused += "begins with" in reason or "does not deal" in reason
    return refused


def refusal(record: dict[str, Any]) -> str:
    """Why a record is refused, or nothing."""
    try:
        replay(record)
    except RecordError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    "options", [{"tile_set": "super"}, {"engine_order": "up"}, {"first_engine": "5-5"}], ids=str
)
@pytest.mark.parametrize("engine_from", FOUND)
def test_no_option_names_an_engine_that_the_deal_decides(engine_from: str, options: dict[str, Any]) -> None:
    (name,) = options
    with pytest.raises(RuleError, match=f"{name} = .*engine_from={engine_from}"):
        RuleSet.mexican(4, engine_from=engine_from, **options)
    with pytest.raises(ValueError, match=name):
        SlowRules("mexican", 4, engine_from=engine_from, **options)
    with pytest.raises(RuleError, match=r"rounds = 14"):
        RuleSet.mexican(4, engine_from=engine_from, rounds=14)


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
