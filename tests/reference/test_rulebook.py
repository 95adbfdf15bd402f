"""The reference compared with the pages: numbers of docs/determinism.md, facts of docs/rules.md, options, records."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from math import sqrt
from statistics import fmean, pvariance
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import (
    RecordFault,
    Round,
    Rules,
    first_fault,
    play_match,
    play_round,
    record_of,
    replay,
)
from tests.reference.actions import (
    HALF_CODES,
    STOP_MOVE,
    action_id,
    action_of,
    ids_per_train,
    move_of,
    number_of_ids,
    pair_ranks,
)
from tests.reference.match import starter_of_round, winners_of
from tests.reference.options import CHOICES, OPTIONS
from tests.reference.page import TABLE
from tests.reference.stream import deal, draw_position, drawn_starter, round_key, word
from tests.reference.tiles import (
    HIGHEST_NUMBER,
    doubles_of,
    ends_joined_by,
    half_texts,
    halves,
    is_double,
    joins,
    parse_tile,
    tile_points,
    tiles_of,
)


def table(
    engine: str,
    hands: Sequence[str],
    draws: str = "",
    starter: int = 0,
    preset: str = "mexican",
    **options: Any,
) -> Round:
    """A round with these hands; the boneyard is ``draws`` and then the rest of the set in index order."""
    rules = Rules(preset, len(hands), hand_size=1, **options)
    dealt = [hand.split() for hand in hands]
    first = draws.split()
    rest = Counter(tiles_of(rules.tile_set))
    rest.subtract([engine, *first, *(tile for hand in dealt for tile in hand)])
    assert min(rest.values()) >= 0
    return Round(rules, engine, starter, dealt, [*first, *rest.elements()])


def play(this: Round, actions: str) -> Round:
    """Play these actions in turn."""
    for action in actions.split():
        this.play(action)
    return this


# -- docs/determinism.md --------------------------------------------------------------------------------

VECTORS = [
    (
        ("mexican", 4, 1, 0, "12-12"),
        (0xA5079CED69D943C0, 0x9758BAACA34360B2, 1),
        "9-8 10-2 12-7 12-2 7-6 2-0 2-1 7-1 10-4 12-0 9-9 8-0",
        "11-7 6-2 8-1 12-4 10-7 9-6 6-1 9-4 7-0 4-0 10-0 10-6",
        "4-1 9-3 11-4 8-7",
    ),
    (
        ("mexican", 4, 4294967297, 0, "12-12"),
        (0xE76C89B50EC34806, 0x8683FF5A5FC30BF8, 2),
        "9-2 7-5 12-9 1-0 7-1 11-7 11-9 4-1 5-2 8-2 11-3 8-7",
        "9-0 12-11 7-0 8-8 12-2 9-1 8-6 6-5 11-0 10-4 8-1 11-8",
        "2-1 10-2 2-2 12-10",
    ),
    (
        ("mexican", 2, 18446744073709551615, 5, "0-0"),
        (0xB21ABB72E4159745, 0x20D55725A5C4A811, 1),
        "3-1 8-0 7-2 9-6 4-2 3-0 7-0 8-8",
        "8-4 9-1 7-4 8-5 5-3 9-5 2-0 3-2",
        "8-6 9-2 6-2 9-8",
    ),
    (
        ("super", 4, 7, 1000000, "*-*"),
        (0x61E64A5348159442, 0x3BB87A1115ECF0D3, 2),
        "6-4 3-3 11-5 4-2 9-9 11-9 4-1 11-10 10-2 8-8 *-R 10-0 10-9 2-2 1-0 7-7 2-1 8-5",
        "5-4 *-1 9-0 11-0 *-A 12-8 *-11 12-9 7-5 7-6 6-5 9-3 8-2 7-4 12-6 12-1 9-1 *-8",
        "0-0 11-7 4-0 11-1",
    ),
]


@pytest.mark.parametrize(("which", "numbers", "first_hand", "last_hand", "draws"), VECTORS)
def test_vectors(
    which: tuple[str, int, int, int, str],
    numbers: tuple[int, int, int],
    first_hand: str,
    last_hand: str,
    draws: str,
) -> None:
    preset, players, seed, game, engine = which
    rules = Rules(preset, players)
    key = round_key(seed, game, engine)
    assert (key, word(key, 0), drawn_starter(key, players)) == numbers
    hands, boneyard = deal(rules, key, engine)
    assert hands[0] == first_hand.split()
    assert hands[-1] == last_hand.split()
    drawn = [boneyard.pop(draw_position(key, draw, len(boneyard))) for draw in range(4)]
    assert drawn == draws.split()
    this = Round.dealt(rules, seed, game, engine)
    assert this.dealt_hands == hands
    assert this.starter == numbers[2]


def test_a_dealt_round_draws_as_the_stream_says() -> None:
    rules = Rules("mexican", 4)
    played = play_round(rules, 1, 0, "12-12", None, "random")
    assert played.draws > 4
    assert played.drawn_tiles[:4] == ["4-1", "9-3", "11-4", "8-7"]
    drawn = [event.split()[1] for event in played.events if "draw " in event]
    assert drawn == played.drawn_tiles
    assert len(drawn) == played.draws


NO_SEED_OR_GAME = [(-1, 0), (1 << 64, 0), (True, 0), (0, -1), (0, 1 << 59), ("1", 0)]


@pytest.mark.parametrize(("seed", "game"), NO_SEED_OR_GAME)
def test_numbers_that_are_no_seed_or_game(seed: Any, game: Any) -> None:
    with pytest.raises(ValueError, match=r"seed|game"):
        round_key(seed, game, "5-5")


def test_number_of_action_ids() -> None:
    expected = [301, 401, 846, 1015, 1184, 1353, 1522, 2561, 2817, 3073, 3329, 5055, 5416]
    assert [number_of_ids(Rules("mexican", p).tile_set, p) for p in range(2, 15)] == expected
    assert [number_of_ids("super", p) for p in (2, 4, 8, 14)] == [619, 1031, 1855, 3091]
    assert ids_per_train("super") == 206 == 13 * 14 + 19 + 5
    assert all(ids_per_train(f"double-{n}") == (n + 1) ** 2 for n in range(1, 19))


@pytest.mark.parametrize(("tile_set", "players"), [("double-3", 2), ("double-18", 14), ("super", 3)])
def test_ids_and_moves_rise_together(tile_set: str, players: int) -> None:
    actions = [action_of(number, tile_set, players) for number in range(number_of_ids(tile_set, players))]
    assert [action_id(action, tile_set, players) for action in actions] == list(range(len(actions)))
    moves = [move_of(action, players) for action in actions[:-1]]
    assert moves == sorted(set(moves))
    assert max(moves) < STOP_MOVE == move_of(actions[-1], players)
    with pytest.raises(ValueError, match="not an action id"):
        action_of(len(actions), tile_set, players)


def test_some_ids_by_hand() -> None:
    assert action_id("12-5@0", "double-12", 4) == 12 * 13 + 5
    assert action_id("5-12@M", "double-12", 4) == 4 * 169 + 5 * 13 + 12
    assert move_of("5-12@M", 4) == 4 << 10 | 5 << 5 | 12
    assert action_id("0-*@1", "super", 4) == 206 + 13
    assert action_id("*-0@0", "super", 4) == 13 * 14
    assert action_id("*-T@0", "super", 4) == 13 * 14 + 18
    assert action_id("A-*@0", "super", 4) == 13 * 14 + 19
    assert action_id("stop", "super", 4) == 5 * 206
    assert [HALF_CODES[half] for half in half_texts("super")] == list(range(19))
    assert len(pair_ranks("super")) == 206


# -- docs/rules.md sections 2, 3, 9 and 10: tiles, deals, points ----------------------------------------


def test_tile_sets() -> None:
    sizes = {"double-9": 55, "double-12": 91, "double-15": 136, "double-18": 190, "super": 112}
    pips = {"double-9": 495, "double-12": 1092, "double-15": 2040, "double-18": 3420, "super": 1460}
    shown = {"double-9": 10, "double-12": 13, "double-15": 16, "double-18": 19, "super": 14}
    rounds = {"double-9": 10, "double-12": 13, "double-15": 16, "double-18": 19, "super": 14}
    for name, size in sizes.items():
        tiles = tiles_of(name)
        assert len(tiles) == size
        assert sum(tile_points(tile) for tile in tiles) == pips[name]
        assert sum("3" in halves(tile) for tile in tiles) == shown[name]
        assert len(doubles_of(name)) == rounds[name]
    assert len(HIGHEST_NUMBER) == 19
    for n in range(2, 19):
        assert tiles_of(f"double-{n}")[: n * (n + 1) // 2] == tiles_of(f"double-{n - 1}")
        assert len(set(tiles_of(f"double-{n}"))) == (n + 1) * (n + 2) // 2
    special = tiles_of("super")[91:]
    assert special == (*(f"*-{n}" for n in range(13)), "*-*", *["*-A"] * 3, "*-D", "*-R", "*-S", "*-T")
    assert doubles_of("super") == (*(f"{n}-{n}" for n in range(12, -1, -1)), "*-*")


def test_boneyards_right_after_the_deal() -> None:
    expected = {
        "mexican": [38, 30, 42, 30, 18, 20, 10, 36, 25, 14, 3, 46, 35],
        "super": [61, 42, 39, 31, 27, 27, 23, 21, 21, 23, 27, 33, 27],
    }
    for preset, sizes in expected.items():
        for players, size in zip(range(2, 15), sizes, strict=True):
            rules = Rules(preset, players)
            hands, boneyard = deal(rules, 1, rules.first_engine)
            assert len(boneyard) == size
            assert {len(hand) for hand in hands} == {rules.hand_size}
            there = [rules.first_engine, *(tile for hand in hands for tile in hand), *boneyard]
            assert Counter(there) == Counter(tiles_of(rules.tile_set))


def test_points() -> None:
    def points(hand: str, blank: int = 0) -> int:
        return sum(tile_points(tile, blank) for tile in hand.split())

    assert [points("0-0 12-12 7-3", blank) for blank in (0, 25, 50)] == [34, 59, 84]
    assert points("*-3 *-* *-A 12-12") == 77


NO_TILES = ["", "1-2-3", "13-0", "12", "-", "a-b", "12 -3", "*-3", "03-1", None, 7, "*-A"]


@pytest.mark.parametrize("text", NO_TILES)
def test_what_is_no_tile_of_double_12(text: object) -> None:
    with pytest.raises(ValueError, match="is not a tile of the set double-12"):
        parse_tile(text, "double-12")


def test_tiles_are_read_in_either_order() -> None:
    for tile in tiles_of("super"):
        first, second = halves(tile)
        assert parse_tile(tile, "super") == parse_tile(f"{second}-{first}", "super") == tile
    assert is_double("*-*")
    assert not is_double("12-2")


# -- options --------------------------------------------------------------------------------------------

REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("players must be 2 to 14, not 1", {"players": 1}),
    ("players must be 2 to 14, not 15", {"players": 15}),
    ("preset 'cuban'", {"preset": "cuban"}),
    ("tile_set 'double-19'", {"tile_set": "double-19"}),
    ("tile_set 'double-0'", {"tile_set": "double-0"}),
    ("14 players x 12 tiles . 1 engine = 169, but the set double-12 has 91 tiles", {
        "players": 14, "hand_size": 12, "tile_set": "double-12"}),
    ("4 players x 12 tiles . 1 engine = 49, but the set double-6 has 28 tiles", {"tile_set": "double-6"}),
    ("hand_size", {"hand_size": 0}),
    ("hand_size", {"hand_size": "12"}),
    ("first_engine '13-13'", {"first_engine": "13-13"}),
    ("first_engine '12-11'", {"first_engine": "12-11"}),
    ("first_engine '...'", {"first_engine": "*-*"}),
    ("rounds must be 1 to 13", {"rounds": 14}),
    ("rounds must be 1 to 6", {"rounds": 7, "first_engine": "5-5"}),
    ("rounds", {"rounds": 0}),
    ("starter 4", {"starter": 4}),
    ("starter 'first'", {"starter": "first"}),
    ("starter True", {"starter": True}),
    ("opening 'double'", {"opening": "double"}),
    ("max_uncovered 2", {"max_uncovered": 2}),
    ("max_uncovered True", {"max_uncovered": True}),
    ("max_uncovered 'none'", {"max_uncovered": "none"}),
    ("double_blank", {"double_blank": -1}),
    ("chicken_foot is refused with the set super", {"preset": "super", "double_rule": "chicken_foot"}),
    ("chicken_foot is refused with the set super", {"tile_set": "super", "double_rule": "chicken_foot"}),
    ("unknown option 'doubles'", {"doubles": "cover"}),
]  # fmt: skip


@pytest.mark.parametrize(("message", "options"), REFUSED)
def test_refused_rules(message: str, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=message):
        Rules(**options)


def test_defaults_and_records_of_rules() -> None:
    assert Rules("mexican", 4).as_struct() == {"preset": "mexican", "players": 4}
    assert Rules("super", 5).as_struct() == {"preset": "super", "players": 5}
    assert (Rules("super", 5).opening, Rules("super", 5).max_uncovered) == ("single", 1)
    changes: dict[str, Any] = {"tile_set": "double-12", "rounds": 2, "first_engine": "5-5", "starter": 3}
    rules = Rules("super", 4, max_uncovered=None, **changes)
    assert rules.as_struct() == {
        "preset": "super", "players": 4, "max_uncovered": None, "tile_set": "double-12", "rounds": 2,
        "first_engine": "5-5", "starter": 3,
    }  # fmt: skip
    assert Rules.from_record(rules.as_struct()) == rules != Rules("super", 4)
    assert rules.engines == ("5-5", "4-4")
    assert rules.hand_size == 18
    assert Rules("mexican", 4, tile_set="super").engines[-1] == "*-*"
    assert Rules("mexican", 4, tile_set="double-12", hand_size=12, rounds=13).as_struct() == {
        "preset": "mexican", "players": 4}  # fmt: skip
    assert set(OPTIONS) < set(vars(rules))
    for wrong in (
        {"players": 4},
        {"preset": "mexican"},
        {"preset": "mexican", "players": 4, "rounds": None},
        7,
    ):
        with pytest.raises(ValueError, match=r"name|never|object"):
            Rules.from_record(wrong)


def test_refused_rounds() -> None:
    rules = Rules("mexican", 2, tile_set="double-2", hand_size=1)
    good = (rules, "2-2", 1, [["1-0"], ["2-0"]], ["0-0", "1-1", "2-1"])
    assert Round(*good).legal() == ["2-0@1"]
    for message, wrong in [
        ("2-1 is there 0 times", (rules, "2-2", 0, [["1-0"], ["2-0"]], ["0-0", "1-1"])),
        ("2-2 is there 2 times", (rules, "2-2", 0, [["1-0"], ["2-0"]], ["0-0", "1-1", "2-1", "2-2"])),
        ("3-1", (rules, "2-2", 0, [["1-0"], ["2-0"]], ["0-0", "1-1", "3-1"])),
        ("2-1 is not a double", (rules, "2-1", 0, [["1-0"], ["2-0"]], ["0-0", "1-1", "2-2"])),
        ("hands", (rules, "2-2", 0, [["1-0", "2-0"], []], ["0-0", "1-1", "2-1"])),
        ("starter 2", (rules, "2-2", 2, [["1-0"], ["2-0"]], ["0-0", "1-1", "2-1"])),
    ]:
        with pytest.raises(ValueError, match=message):
            Round(*wrong)


# -- the opening turn, section 8 ------------------------------------------------------------------------


def test_chain_and_stop() -> None:
    this = table("6-6", ["6-5 5-4 4-1 3-2", "6-4 1-1"], tile_set="double-6")
    assert this.opening
    assert this.legal() == ["6-5@0"]
    assert play(this, "6-5@0").legal() == ["5-4@0", "stop"]
    assert this.owed == "chain"
    play(this, "5-4@0 stop")
    assert (this.seat, this.turns, this.plays, this.attempts) == (1, 2, 2, 4)
    assert this.events == ["0:6-5@0", "0:5-4@0", "0:stop"]


def test_chain_ends_by_itself_and_single_is_one_tile() -> None:
    this = play(table("6-6", ["6-5 3-2", "6-4 1-1"], tile_set="double-6"), "6-5@0")
    assert (this.seat, this.attempts, this.events) == (1, 3, ["0:6-5@0"])
    this = play(table("6-6", ["6-5 5-3 3-2", "6-4 1-1"], tile_set="double-6", opening="single"), "6-5@0")
    assert (this.seat, this.attempts) == (1, 2)


def test_no_starter_draw_then_marker_and_others_may_start_the_train() -> None:
    this = table("6-6", ["3-2 4-2", "6-4 6-1 1-1"], "5-2 5-3", tile_set="double-6", opening="single")
    assert this.events == ["0:draw 5-2", "0:open"]
    assert (this.seat, this.open_trains, this.started) == (1, {0}, set())
    assert this.legal() == ["6-1@1", "6-4@1"]  # in the opening turn the own train only
    play(this, "6-1@1")
    assert this.events[3:] == ["0:draw 5-3", "0:open"]
    assert this.legal() == ["1-1@1", "6-4@0", "6-4@M"]
    play(this, "6-4@0")
    assert (this.started, this.open_trains) == ({0, 1}, {0})
    assert this.legal() == ["4-2@0"]


def test_drawn_starter_may_be_continued() -> None:
    this = table("6-6", ["3-2 5-2", "6-4 1-1"], "6-5", tile_set="double-6")
    assert (this.events, this.drawn, this.legal()) == (["0:draw 6-5"], "6-5", ["6-5@0"])
    assert play(this, "6-5@0").legal() == ["5-2@0", "stop"]
    assert this.drawn is None


def test_no_stop_right_after_a_chain_double_and_its_failure_binds_at_once() -> None:
    this = table("6-6", ["6-5 5-5 4-1", "6-4 5-1 1-1"], "3-2", tile_set="double-6")
    play(this, "6-5@0 5-5@0")
    assert this.events[-3:] == ["0:5-5@0", "0:draw 3-2", "0:open"]
    assert this.open_doubles == [("5-5", 0, "inherited")]
    assert this.legal() == ["5-1@0"]
    assert not this.opening
    assert this.opening_to_come == {1}
    play(this, "5-1@0")  # no chain after it, because it was an ordinary turn; the train of seat 0 stays open
    assert this.open_trains == {0}
    assert this.open_doubles == []
    assert this.seat == 0


def test_no_opening_turn_for_a_train_that_somebody_started() -> None:
    this = table("6-6", ["*-A 6-1 2-2", "6-5 5-4 3-3 3-1"], preset="super", opening="chain")
    assert this.legal() == ["*-A@0", "*-A@1", "*-A@M", "6-1@0"]
    play(this, "*-A@1")  # the chain goes on after it, on the own train
    assert this.opening_to_come == set()
    assert this.legal() == ["6-1@0", "stop"]
    play(this, "6-1@0")
    assert (this.seat, this.opening) == (1, False)  # the A takes only a red train, so M is what is left
    assert this.legal() == ["6-5@M"]


def test_mexican_start() -> None:
    hands = ["6-5 6-4 5-5 5-3 3-3", "6-2 2-1 6-1 2-2 1-1"]

    def after(start: str, actions: str, hands: list[str] = hands, **options: Any) -> list[str]:
        this = table("6-6", hands, tile_set="double-6", opening="single", mexican_start=start, **options)
        return play(this, actions).legal()

    assert after("after_opening", "") == ["6-4@0", "6-5@0"]
    assert after("any_turn", "") == ["6-4@0", "6-4@M", "6-5@0", "6-5@M"]
    assert after("after_opening", "6-5@0 6-2@1") == ["5-3@0", "5-5@0", "6-4@M"]
    assert after("only_if_stuck", "6-5@0 6-2@1") == ["5-3@0", "5-5@0"]
    assert after("only_if_stuck", "6-4@0 6-2@1") == ["6-5@M"]  # nothing fits the 4
    assert after("after_own_train", "6-5@0 6-2@1") == ["5-3@0", "5-5@0", "6-4@M"]
    # after a failed opening turn the own train is not started; then M only after it
    stuck = ["5-4 4-3 3-3", "6-2 2-1 6-1 2-2 1-1"]
    for start, legal in (("after_opening", ["6-0@0", "6-0@M"]), ("after_own_train", ["6-0@0"])):
        this = table("6-6", stuck, "5-5 6-0", tile_set="double-6", opening="single", mexican_start=start)
        assert play(this, "6-2@1").legal() == legal
    # a chain under any_turn goes on after a tile on M, on both trains
    this = table("6-6", hands, tile_set="double-6", mexican_start="any_turn")
    assert play(this, "6-4@M 6-5@0").legal() == ["5-3@0", "5-5@0", "stop"]
    assert play(this, "5-5@0").legal() == ["5-3@0"]


# -- turns, sections 5 and 6 ----------------------------------------------------------------------------


def test_draw_one_then_play_it_or_open() -> None:
    def at(draws: str, **options: Any) -> Round:
        hands = ["6-5 4-3 4-2 1-1", "6-2 2-1 6-4 3-0"]
        this = table("6-6", hands, draws, tile_set="double-6", opening="single", **options)
        return play(this, "6-5@0 6-2@1")

    this = at("5-1 4-1")  # the drawn tile fits the own train
    assert (this.events[-1], this.legal()) == ("0:draw 5-1", ["5-1@0"])
    this = at("6-1 4-1")  # the drawn tile fits M only
    assert this.legal() == ["6-1@M"]
    assert at("6-1 4-1", drawn_tile="own_train").events[-2:] == ["0:draw 6-1", "0:open"]
    this = at("5-1 4-1", drawn_play="may")
    assert this.legal() == ["5-1@0", "stop"]
    play(this, "stop")
    assert this.events[-2:] == ["0:stop", "0:open"]
    assert (this.seat, this.open_trains) == (1, {0})
    this = at("4-1")  # it fits nothing
    assert this.events[-2:] == ["0:draw 4-1", "0:open"]
    assert (len(this.hands[0]), this.seat) == (4, 1)
    assert this.legal() == ["2-1@1", "6-4@M"]


def test_draw_limit() -> None:
    for limit, events in (("per_play", ["0:draw 4-1", "0:open"]), ("per_turn", ["0:open"])):
        hands = ["6-5 4-3 4-2 1-0", "6-2 5-1 6-4 3-0"]
        this = table("6-6", hands, "5-5 4-1", tile_set="double-6", opening="single", draw_limit=limit)
        play(this, "6-5@0 6-2@1 5-5@0")
        assert this.events[2:] == ["0:draw 5-5", "0:5-5@0", *events]
        assert this.open_doubles == [("5-5", 0, "inherited")]
        assert this.legal() == ["5-1@0"]


def test_marker_off() -> None:
    for option, still_open in (("own_train", {0}), ("any_play", set())):
        hands = ["6-5 4-3 4-2", "6-2 2-1 2-2 1-1"]
        this = table("6-6", hands, "3-1 6-4", tile_set="double-6", opening="single", marker_off=option)
        play(this, "6-5@0 6-2@1")
        assert (this.events[-1], this.open_trains) == ("0:open", {0})
        play(this, "2-1@1")
        assert (this.events[-1], this.legal()) == ("0:draw 6-4", ["6-4@M"])
        play(this, "6-4@M")
        assert (this.seat, this.open_trains) == (1, still_open)


def test_a_play_on_the_own_train_closes_it() -> None:
    hands = ["4-3 4-2 1-0", "6-2 2-1 2-2"]
    this = table("6-6", hands, "3-3 6-1", tile_set="double-6", opening="single")
    play(this, "6-2@1")
    assert (this.open_trains, this.legal()) == ({0}, ["6-1@0", "6-1@M"])
    other = this.copy()
    assert play(this, "6-1@0").open_trains == set()
    assert play(other, "6-1@M").open_trains == {0}


# -- doubles, section 7 ---------------------------------------------------------------------------------

TWO_DOUBLES = ["6-5 6-4 5-5 4-4 0-0", "6-1 1-0 5-1 4-1 3-1"]


def two_doubles(**options: Any) -> Round:
    this = table("6-6", TWO_DOUBLES, "3-2 2-0 2-1", tile_set="double-6", opening="single", **options)
    return play(this, "6-5@0 6-1@1 6-4@M 1-0@1 5-5@0 4-4@M")


def test_open_double_order() -> None:
    this = two_doubles()
    assert this.open_doubles == [("5-5", 0, "inherited"), ("4-4", 2, "inherited")]
    assert this.events[-2:] == ["0:draw 3-2", "0:open"]
    assert this.legal() == ["5-1@0"]
    assert two_doubles(open_double_order="newest").legal() == ["4-1@M"]
    assert two_doubles(open_double_order="any").legal() == ["4-1@M", "5-1@0"]
    play(this, "5-1@0")  # one required play, then the turn ends; the other double binds seat 0
    assert this.events[-2:] == ["0:draw 2-0", "0:open"]
    assert (this.seat, this.legal()) == (1, ["4-1@M"])
    play(this, "4-1@M")
    assert this.open_doubles == []
    assert this.open_trains == {0}


def test_open_double_binds_nobody() -> None:
    this = two_doubles(open_double_binds="nobody")
    assert (this.open_doubles, this.legal()) == ([], ["4-1@M", "5-1@0"])  # train 0 is open
    for binds, legal in (
        ("everyone", ["5-1@0"]),
        ("nobody", ["1-0@1", "1-3@1", "1-4@1", "1-5@1", "4-1@M"]),
    ):
        this = table("6-6", TWO_DOUBLES, tile_set="double-6", opening="single", open_double_binds=binds)
        assert play(this, "6-5@0 6-1@1 5-5@0 6-4@M").legal() == legal


def test_covering_on_a_closed_train() -> None:
    hands = ["6-5 5-5 6-4 2-1", "6-1 5-1 1-0 6-3"]
    this = table("6-6", hands, tile_set="double-6", opening="single")
    play(this, "6-5@0 6-1@1 5-5@0")
    assert this.owed == "required"
    assert this.legal() == ["6-4@M"]  # anywhere: the play after the double may go on M
    play(this, "6-4@M")
    assert (this.open_doubles, this.open_trains) == ([("5-5", 0, "inherited")], set())
    assert this.legal() == ["5-1@0"]
    play(this, "5-1@0")
    assert (this.open_trains, this.open_doubles, this.seat) == (set(), [], 0)


def test_cover() -> None:
    hands = ["6-5 5-5 6-4 5-4 3-2", "6-1 5-1 1-0 6-3"]
    for rule, legal in (("anywhere", ["5-4@0", "6-4@M"]), ("cover", ["5-4@0"])):
        this = table("6-6", hands, tile_set="double-6", opening="single", double_rule=rule)
        assert play(this, "6-5@0 6-1@1 5-5@0").legal() == legal


def test_failed_cover() -> None:
    def bound(**options: Any) -> Round:
        hands = ["6-5 5-5 6-4 3-2", "6-1 1-0 6-3"]
        this = table("6-6", hands, "5-2", tile_set="double-6", opening="single", **options)
        return play(this, "6-5@0 6-1@1 5-5@0 6-4@M")

    this = bound()
    assert (this.events[4:], this.legal(), this.open_trains) == (["1:draw 5-2"], ["5-2@0"], set())
    this = bound(drawn_tile="own_train")  # the double on which the play must go may be covered all the same
    assert this.legal() == ["5-2@0"]
    this = bound(failed_cover="mark")
    assert this.events[4:6] == ["1:draw 5-2", "1:open"]
    assert "5-2" in this.hands[1]
    this = bound(failed_cover="mark_and_play")
    assert (this.events[4:], this.legal(), this.open_trains) == (["1:draw 5-2", "1:open"], ["5-2@0"], {1})
    assert play(this, "5-2@0").open_trains == {1}
    this = bound(failed_cover="mark_and_play", drawn_play="may")
    assert play(this, "stop").events[4:7] == ["1:draw 5-2", "1:open", "1:stop"]
    # not meant: a free play, such as the one after a chain double
    hands = ["6-5 5-5 1-0 2-0", "6-1 5-1 4-4"]
    this = table("6-6", hands, "5-4", tile_set="double-6", failed_cover="mark")
    assert play(this, "6-5@0 5-5@0").legal() == ["5-4@0"]
    # meant: the same under cover
    this = table("6-6", hands, "5-4", tile_set="double-6", failed_cover="mark", double_rule="cover")
    assert play(this, "6-5@0 5-5@0").events[2:] == ["0:draw 5-4", "0:open"]


def test_nobody_can_cover() -> None:
    hands = ["6-5 5-5 6-2 3-2 3-1", "6-1 1-0 4-1", "6-3 3-0 4-3", "6-4 4-0 4-2"]
    this = table("6-6", hands, "2-0 3-3 1-1 2-1 2-2 5-1", tile_set="double-6", opening="single")
    play(this, "6-5@0 6-1@1 6-3@2 6-4@3 5-5@0 6-2@M")
    assert this.events[6:] == [
        "1:draw 2-0", "1:open", "2:draw 3-3", "2:open", "3:draw 1-1", "3:open",
        "0:draw 2-1", "0:open", "1:draw 2-2", "1:open", "2:draw 5-1",
    ]  # fmt: skip
    assert this.legal() == ["5-1@0"]
    assert this.open_trains == {0, 1, 2, 3}


LAST_ONE = ["3-1 1-0 3-0 2-2", "3-2 2-1 1-1 2-0"]  # 1-1 is the last 1 to be laid


def last_one(hands: list[str] = LAST_ONE, draws: str = "0-0", **options: Any) -> Round:
    this = table("3-3", hands, draws, tile_set="double-3", opening="single", **options)
    return play(this, "3-1@0 3-2@1 1-0@0 2-1@1 3-0@M 1-1@1")


def test_dead_double() -> None:
    for rule in ("anywhere", "cover"):
        this = last_one(double_rule=rule)  # released at once; the extra play is owed and free
        assert (this.open_doubles, this.owed, this.legal()) == ([], "required", ["0-2@M"])
    assert last_one(dead_double="binds").open_doubles == [("1-1", 1, "new")]
    # the draw of the last tile releases it, and the play owed is free: first for the drawn tile
    this = last_one(dead_double="binds", double_rule="cover")
    assert (this.events[-1], this.open_doubles, this.legal()) == ("1:draw 0-0", [], ["0-0@M"])
    # and for the rest of the hand if the drawn tile has no play; then stop is not offered
    other = ["3-1 1-0 3-0 0-0", "3-2 2-1 1-1 2-0"]
    this = last_one(other, "2-2", dead_double="binds", double_rule="cover", drawn_play="may")
    assert (this.drawn, this.legal()) == ("2-2", ["0-2@M"])
    # the drawn tile is bound to the own train, the rest of the hand is not
    this = last_one(dead_double="binds", double_rule="cover", drawn_tile="own_train")
    assert (this.drawn, this.legal()) == ("0-0", ["0-2@M"])
    # literal S1.24 is decided before the draw
    this = last_one(dead_double="binds", double_rule="cover", failed_cover="mark")
    assert this.events[6:] == ["1:draw 0-0", "1:open", "0:open"]
    assert (this.open_doubles, this.legal()) == ([], ["0-0@0", "0-0@M", "0-2@0", "0-2@M"])


def test_finish_on_double() -> None:
    hands = ["6-5 5-5", "6-1 1-0 2-0"]
    this = play(table("6-6", hands, "4-4", tile_set="double-6", opening="single"), "6-5@0 6-1@1 5-5@0")
    assert (this.end, this.winner, this.points, this.seat) == ("out", 0, [0, 3], None)
    assert this.legal() == []
    with pytest.raises(ValueError, match="over"):
        this.play("stop")
    this = table("6-6", hands, "4-4", tile_set="double-6", opening="single", finish_on_double="must_cover")
    play(this, "6-5@0 6-1@1 5-5@0")
    assert this.events[2:5] == ["0:5-5@0", "0:draw 4-4", "0:open"]
    assert not this.over
    this = table("6-6", hands, "5-4", tile_set="double-6", opening="single", finish_on_double="must_cover")
    play(this, "6-5@0 6-1@1 5-5@0 5-4@0")
    assert (this.end, this.winner) == ("out", 0)
    # with nothing to draw it stays in the round without tiles, also when somebody else covers
    small = ["2-0 0-0", "1-1 2-1 1-0"]
    this = table("2-2", small, tile_set="double-2", opening="single", finish_on_double="must_cover")
    play(this, "2-0@0 2-1@1 0-0@0")
    assert this.events[3:] == ["0:open"]
    assert this.legal() == ["0-1@0"]
    play(this, "0-1@0")
    assert this.events[5:] == ["0:open"]
    assert this.legal() == ["1-1@0", "1-1@1"]
    play(this, "1-1@0")
    assert this.events[6:] == ["1:1-1@0", "1:open"]
    assert (this.end, this.winner, this.points) == ("blocked", None, [0, 0])


def test_max_uncovered() -> None:
    hands = ["6-5 6-4 5-5 4-4 5-3 *-A 0-0", "6-1 1-0 2-1 3-1"]
    for option, legal in (
        (1, ["*-A@0", "*-A@M", "5-3@0"]),
        (None, ["*-A@0", "*-A@1", "*-A@M", "5-3@0"]),
    ):
        this = table("6-6", hands, preset="super", max_uncovered=option)
        play(this, "6-5@0 6-1@1 6-4@M 1-0@1 5-5@0 4-4@M")
        assert this.legal() == legal
    # with one of them only it is free
    this = table("6-6", hands, preset="super")
    play(this, "6-5@0 6-1@1 6-4@M 1-0@1 5-5@0")
    assert this.legal() == ["*-A@0", "*-A@1", "*-A@M", "4-4@M", "5-3@0"]


# -- special tiles --------------------------------------------------------------------------------------


def special(hands: list[str], actions: str, draws: str = "", **options: Any) -> Round:
    return play(table("6-6", hands, draws, preset="super", **options), actions)


THREE = ["*-{} 1-1 2-2", "6-1 1-0 2-1", "6-2 3-2 4-2"]


def three(letter: str) -> list[str]:
    return [THREE[0].format(letter), *THREE[1:]]


def test_reverse_skip_draw() -> None:
    this = special(three("R"), "*-R@0")
    assert (this.seat, this.direction, this.ends[0]) == (2, -1, ["R"])
    assert play(this, "6-2@2").seat == 1
    this = special(three("S"), "*-S@0")
    assert (this.seat, this.turns, this.events[-1], this.opening_to_come) == (2, 2, "1:skip", {1})
    this = special(three("D"), "*-D@0", "9-9")
    assert (this.seat, this.events[-1], this.hands[1][-1], this.drawn) == (
        1,
        "1:forced-draw 9-9",
        "9-9",
        None,
    )
    assert (this.draws, this.opening) == (1, True)


def test_skip_and_reverse_with_two_players() -> None:
    this = special(["*-S 6-5 5-5", "6-1 1-0"], "*-S@0")
    assert (this.seat, this.turns, this.events[-1], this.opening) == (0, 2, "1:skip", False)
    assert "6-5@M" in this.legal()
    this = special(["*-R 6-5 5-5", "6-1 1-0"], "*-R@0")
    assert (this.seat, this.direction) == (1, -1)


def test_twice() -> None:
    hands = ["*-T 6-5 5-5 9-8", "6-1 1-0"]
    this = special(hands, "*-T@0")
    assert (this.seat, this.owed) == (
        1,
        "required",
    )  # opening: T is the end, nothing fits it; no draw, no marker
    assert (this.draws, this.open_trains) == (0, set())
    this = special(hands, "6-5@0 6-1@1 *-T@M")
    assert (this.seat, this.owed, this.legal()) == (0, "bonus", ["5-5@0"])
    this = special(hands, "6-5@0 6-1@1 *-T@M", twice_bonus="may")
    assert this.legal() == ["5-5@0", "stop"]
    assert play(this, "stop").seat == 1
    # the bonus play is free although the turn's own double is open
    this = special(["*-T 6-5 5-5 6-4 *-3 9-8", "6-1 1-0"], "6-5@0 6-1@1 5-5@0 *-T@M")
    assert (this.owed, this.legal()) == ("bonus", ["*-3@0", "*-3@M"])
    # a bonus play that fails: no draw, no marker; the double binds the next seat
    this = special(["*-T 6-5 5-5 6-4 9-8", "6-1 5-0"], "6-5@0 6-1@1 5-5@0 *-T@M")
    assert (this.seat, this.draws, this.open_trains, this.legal()) == (1, 0, set(), ["5-0@0"])


def test_letter_match() -> None:
    hands = ["*-A *-A *-R 6-5 5-4 9-8", "6-1 *-T 1-0 8-8"]
    for option, plays in (
        ("train_only", set()),
        ("same_letter", {"A-*@M"}),
        ("any_letter", {"A-*@M", "R-*@M"}),
        ("anywhere", {"A-*@0", "A-*@1", "A-*@M", "R-*@0", "R-*@M"}),
    ):
        this = special(hands, "6-5@0 6-1@1 *-A@M 1-0@1", letter_match=option)
        assert {action for action in this.legal() if action[0] in "AR"} == plays
        assert "5-4@M" not in this.legal()


def test_joins() -> None:
    values = CHOICES["letter_match"]
    expected = {  # (laid, end): for each value of letter_match
        ("5", "5"): "yyyy", ("5", "4"): "nnnn", ("*", "5"): "yyyy", ("5", "*"): "yyyy", ("*", "*"): "yyyy",
        ("*", "A"): "yyyy", ("A", "*"): "yyyy", ("A", "A"): "nyyy", ("A", "T"): "nnyy", ("T", "A"): "nnyy",
        ("A", "5"): "nnny", ("5", "A"): "nnnn",
    }  # fmt: skip
    for (laid, end), answers in expected.items():
        assert "".join("ny"[joins(laid, end, value)] for value in values) == answers, (laid, end)


def test_wild_orientations_and_the_wild_engine() -> None:
    this = table("*-*", ["3-2 *-3 4-4", "6-1 1-0"], preset="super")
    assert this.legal() == ["*-3@0", "2-3@0", "3-*@0", "3-2@0", "4-4@0"]
    this = table("3-3", ["*-3 3-2", "6-1 1-0"], preset="super")
    assert this.legal() == ["*-3@0", "3-*@0", "3-2@0"]


# -- chicken foot ---------------------------------------------------------------------------------------

FOOT = ["6-5 5-5 5-1 5-2 5-3 5-4 4-3", "6-0 5-0 2-0 3-0"]


def foot(actions: str, hands: list[str] = FOOT, draws: str = "", **options: Any) -> Round:
    options |= {"tile_set": "double-6", "double_rule": "chicken_foot"}
    return play(table("6-6", hands, draws, **options), actions)


def test_chicken_foot_in_the_chain() -> None:
    this = foot("6-5@0 5-5@0")
    assert (this.owed, this.legal()) == ("required", ["5-1@0", "5-2@0", "5-3@0", "5-4@0"])
    play(this, "5-1@0")  # after a first toe the chain may stop
    assert this.legal() == ["5-2@0", "5-3@0", "5-4@0", "stop"]
    assert (this.ends[0], this.open_doubles) == (["5"], [("5-5", 0, "new")])
    play(this, "5-4@0 5-2@0")
    assert (this.ends[0], this.open_doubles) == (["1", "2", "4"], [])
    assert this.legal() == ["4-3@0", "stop"]
    this = foot("6-5@0 5-5@0 5-1@0 5-4@0 5-2@0", foot_ends="center")
    assert this.ends[0] == ["2"]


def test_chicken_foot_freezes_the_table_and_toes_come_from_several_seats() -> None:
    this = foot("6-5@0 5-5@0 5-1@0 stop")
    assert (this.open_doubles, this.opening, this.legal()) == ([("5-5", 0, "inherited")], False, ["5-0@0"])
    play(this, "5-0@0")
    assert this.legal() == ["5-2@0", "5-3@0", "5-4@0"]
    play(this, "5-2@0")
    assert (this.open_doubles, this.ends[0], this.opening) == ([], ["0", "1", "2"], True)
    assert this.legal() == ["6-0@1"]


def test_a_foot_that_gets_no_more_toes() -> None:
    # the 1s: 3-1 and 2-1 before the double, 1-0 after it
    hands = ["3-1 1-1 1-0 2-2", "3-2 2-1 2-0 3-0"]

    def play_to(actions: str, **options: Any) -> Round:
        return play(
            table("3-3", hands, tile_set="double-3", opening="single", double_rule="chicken_foot", **options),
            actions,
        )

    this = play_to("3-1@0 3-2@1 1-1@0 1-0@0")
    assert (this.seat, this.legal()) == (1, ["1-2@0"])
    play(this, "1-2@0")
    assert (this.open_doubles, this.ends[0]) == ([], ["0", "2"])
    assert play_to("3-1@0 3-2@1 1-1@0 1-0@0 1-2@0", foot_ends="center").ends[0] == ["2"]
    # under binds it freezes the table until the boneyard is empty, here at once by the last draw
    this = play_to("3-1@0 3-2@1 1-1@0 1-0@0 1-2@0", dead_double="binds")
    assert this.events[5:] == ["0:draw 0-0"]
    assert (this.ends[0], this.legal()) == (["0", "2"], ["0-0@0"])
    # a double that is dead when it is laid: an end that nothing fits, and the play owed is free
    this = last_one(double_rule="chicken_foot")
    assert (this.ends[1], this.open_doubles, this.legal()) == (["1"], [], ["0-2@M"])


# -- the end, section 9 ---------------------------------------------------------------------------------


def test_blocked() -> None:
    hands = ["0-0", "2-0 1-0 2-1 1-1"]
    this = table("2-2", hands, tile_set="double-2", opening="single", double_blank=25)
    # nobody can start for seat 0: its train opens, which is not the end
    assert (this.events, this.legal()) == (["0:open"], ["2-0@1", "2-1@1"])
    play(this, "2-0@1 0-1@1 1-2@1")
    assert this.ends == [["2"], ["2"], ["2"]]
    assert (this.events[-1], this.end, this.winner, this.points) == ("0:open", "blocked", None, [25, 2])
    assert this.turns == 7


def test_out_ends_at_once() -> None:
    this = table("6-6", ["6-5 *-T", "6-1 1-0"], preset="super", max_uncovered=None)
    play(this, "6-5@0 6-1@1 *-T@0")
    assert (this.end, this.winner, this.points) == ("out", 0, [0, 1])
    assert (this.turns, this.plays, this.draws, this.attempts) == (3, 3, 0, 3)


def test_illegal_actions_change_nothing() -> None:
    this = table("6-6", ["6-5 5-4 4-1 3-2", "6-4 1-1"], tile_set="double-6")
    before = state(this)
    for wrong in ("5-6@0", "6-5@1", "6-5@M", "stop", "6-4@0", "", "6-5", "6-5@0 ", "6-5@00"):
        with pytest.raises(ValueError, match="not legal"):
            this.play(wrong)
        assert state(this) == before


def state(this: Round) -> dict[str, Any]:
    return {
        "hands": [list(hand) for hand in this.hands],
        "boneyard": list(this.boneyard),
        "table": (this.ends, set(this.open_trains), set(this.started), this.open_doubles, this.direction),
        "turn": (this.seat, this.legal(), this.owed, this.drawn, this.opening, set(this.opening_to_come)),
        "counters": (this.turns, this.plays, this.draws, this.attempts, list(this.events)),
    }


# -- whole rounds and matches ---------------------------------------------------------------------------


def some_rules(source: random.Random) -> Rules:
    """Random options of any kind, mostly with small sets, where everything happens sooner."""
    while True:
        preset = source.choice(["mexican", "super"])
        options: dict[str, Any] = {
            name: source.choice(values) for name, values in CHOICES.items() if source.random() < 0.5
        }
        if source.random() < 0.7:
            options["tile_set"] = source.choice([f"double-{n}" for n in range(1, 10)] + ["super"] * 6)
        if source.random() < 0.8:
            options["hand_size"] = source.randint(1, 12)
        options["double_blank"] = source.choice([0, 25, 50])
        players = source.randint(2, 14) if source.random() < 0.3 else source.randint(2, 5)
        try:
            return Rules(preset, players, **options)
        except ValueError:
            continue


def check_state(this: Round, laid: list[str]) -> None:
    """What holds at every decision and at the end."""
    tile_set, players = this.rules.tile_set, this.players
    there = Counter([this.engine, *laid, *this.boneyard])
    for hand in this.hands:
        there.update(hand)
    assert there == Counter(tiles_of(tile_set))
    assert (this.plays, this.draws) == (len(laid), len(this.drawn_tiles))
    assert (this.seat is None) == this.over
    assert all(tile in tiles_of(tile_set) for hand in this.hands for tile in hand)
    assert len(this.open_doubles) == len({train for _, train, _ in this.open_doubles})
    order = [age for _, _, age in this.open_doubles]
    assert order == sorted(order)  # inherited before new
    for double, train, _ in this.open_doubles:
        assert halves(double)[0] in this.ends[train]
    for train in range(players + 1):
        assert train in this.started or this.ends[train] == [halves(this.engine)[0]]
    assert not this.opening_to_come & this.started
    legal = this.legal()
    assert legal == sorted(set(legal))
    assert legal != ["stop"]
    ids = this.legal_ids()
    assert ids == sorted(set(ids)) == [action_id(action, tile_set, players) for action in this.legal_by_id()]
    assert {action_of(number, tile_set, players) for number in ids} == set(legal)
    assert bool(legal) != this.over
    # Where there is no Mexican Train, its end does not count.
    trains = this.ends[:players] if this.rules.mexican_start == "never" else this.ends
    ends = {end for train in trains for end in train}
    off_table = {tile for tiles in (*this.hands, this.boneyard) for tile in tiles}
    joined = ends_joined_by(tile_set, this.rules.letter_match)
    could_join = {end for tile in off_table for end in joined[tile]}
    if this.rules.dead_double == "released" or not this.boneyard:
        assert all(halves(double)[0] in could_join for double, _, _ in this.open_doubles)
    if this.end == "blocked":
        assert not this.boneyard
        assert not this.open_doubles
        # With `own_train_first` seats cannot use every end.
        assert this.rules.own_train_first != "no" or not ends & could_join
    if this.over:
        assert (this.winner is not None) == (this.end == "out")
        assert this.winner is None or this.hands[this.winner] == []
        blank = this.rules.double_blank
        assert this.points == [sum(tile_points(tile, blank) for tile in hand) for hand in this.hands]


def check_round(rules: Rules, seed: int, engine: str) -> Round:
    """Play a round at random and check every step, then its record."""
    this = Round.dealt(rules, seed, 0, engine)
    source = random.Random(seed)
    laid: list[str] = []
    check_state(this, laid)
    while not this.over:
        action = source.choice(this.legal())
        if source.random() < 0.02:
            twin = this.copy()
            twin.play(source.choice(twin.legal()))
            check_state(this, laid)
        seat, events = this.seat, len(this.events)
        this.play(action)
        assert this.events[events] == f"{seat}:{action}"
        if action != "stop":
            laid.append(parse_tile(action.partition("@")[0], rules.tile_set))
        check_state(this, laid)
    record = record_of(this, legal=True)
    assert first_fault(record) is None
    again = replay(record)
    assert record_of(again, seed=seed, game=0, legal=True) == record
    assert (again.turns, again.attempts, again.ends) == (this.turns, this.attempts, this.ends)
    return this


@settings(max_examples=250, deadline=None, database=None)
@given(st.integers(0, 2**32), st.integers(0, 2**64 - 1))
def test_any_options_at_every_step(options: int, seed: int) -> None:
    source = random.Random(options)
    rules = some_rules(source)
    check_round(rules, seed, source.choice(doubles_of(rules.tile_set)))


def test_every_number_of_players() -> None:
    for preset in ("mexican", "super"):
        for players in range(2, 15):
            rules = Rules(preset, players)
            check_round(rules, players, rules.engines[players % len(rules.engines)])


def test_every_set() -> None:
    for name in HIGHEST_NUMBER:
        check_round(Rules("mexican", 2, tile_set=name, hand_size=1), 3, doubles_of(name)[-1])


def test_a_seat_with_a_wild_tile_never_draws_for_want_of_a_play() -> None:
    rules = Rules("super", 4)
    for game in range(20):
        this = Round.dealt(rules, 11, game, rules.engines[game % 14])
        hands = [list(hand) for hand in this.dealt_hands]
        source = random.Random(game)
        while not this.over:
            this.play(source.choice(this.legal()))
        for event in this.events:
            seat, _, what = event.partition(":")
            wild = any("*" in tile for tile in hands[int(seat)])
            if what.startswith(("draw", "forced-draw")):
                assert not (wild and what.startswith("draw"))
                hands[int(seat)].append(what.split()[1])
            elif what == "open":
                assert not wild
            elif what != "skip":
                hands[int(seat)].remove(parse_tile(what.partition("@")[0], "super"))


MEANS = [
    ("mexican", 2, 40.6, 0.237, 21.1),
    ("mexican", 4, 66.5, 0.011, 28.4),
    ("mexican", 8, 70.2, 0.0, 30.6),
    ("super", 2, 109.6, 0.479, 44.8),
    ("super", 4, 97.3, 0.132, 31.8),
    ("super", 8, 91.1, 0.003, 30.6),
]


@pytest.mark.parametrize(("preset", "players", "turns", "blocked", "points"), MEANS)
def test_means_of_random_play(preset: str, players: int, turns: float, blocked: float, points: float) -> None:
    rules = Rules(preset, players)
    in_turn = [(game, rules.engines[game % len(rules.engines)]) for game in range(600)]
    rounds = [play_round(rules, 20, game, engine, None, "random") for game, engine in in_turn]

    def agrees(values: list[float], expected: float, rounding: float) -> bool:
        # the expected means come from 4,000 rounds, so they have an error of their own
        error = sqrt(pvariance(values) * (1 / len(values) + 1 / 4000))
        return abs(fmean(values) - expected) < 4 * error + rounding

    assert agrees([float(played.turns) for played in rounds], turns, 0.05)
    assert agrees([sum(played.points or []) / players for played in rounds], points, 0.05)
    share = [float(played.end == "blocked") for played in rounds]
    assert abs(fmean(share) - blocked) < 4 * sqrt((blocked * (1 - blocked) + 0.002) / 520) + 0.0005


def test_heaviest() -> None:
    rules = Rules("super", 3, double_blank=50)
    this = play_round(rules, 3, 0, "12-12", None, "heaviest")
    assert "stop" not in "".join(this.events)
    again = replay(record_of(this))
    assert again.events == this.events
    follow = Round.dealt(rules, 3, 0, "12-12")
    while not follow.over:
        best = max(tile_points(follow.tile_of(action), 50) for action in follow.legal() if action != "stop")
        taken = next(event for event in this.events[len(follow.events) :] if "@" in event).partition(":")[2]
        assert tile_points(follow.tile_of(taken), 50) == best
        follow.play(taken)
    chain = play_round(Rules("mexican", 2), 3, 0, "9-9", None, ["heaviest", "heaviest"])
    assert not any(event.endswith("stop") for event in chain.events)
    with pytest.raises(ValueError, match="policy 'best'"):
        play_round(rules, 3, 0, "12-12", None, "best")


def test_matches() -> None:
    for preset, players in (("mexican", 3), ("super", 4)):
        rules = Rules(preset, players)
        match = play_match(rules, 5, 2, "random")
        assert [played.engine for played in match.rounds] == list(rules.engines)
        points = [played.points or [] for played in match.rounds]
        assert match.totals == [sum(column) for column in zip(*points, strict=True)]
        assert all(match.totals[seat] == min(match.totals) for seat in match.winners)
        for played in match.rounds[::5]:  # a round played alone is the round of its match
            assert play_round(rules, 5, 2, played.engine, None, "random").events == played.events
    assert winners_of(Rules("mexican", 4), [[3, 1, 2, 1]]) == [1, 3]


def test_ties() -> None:
    zeros = Rules("mexican", 2, tie_break="zeros")
    assert winners_of(zeros, [[0, 0], [0, 7], [14, 7]]) == [0]
    assert winners_of(zeros, [[1, 2], [13, 12]]) == [0]
    assert winners_of(zeros, [[3, 4], [4, 3]]) == [0, 1]
    assert winners_of(zeros, [[0, 0], [0, 0]]) == [0, 1]
    assert winners_of(zeros, [[0, 5], [6, 0]]) == [1]


def test_engines_go_up() -> None:
    assert Rules("mexican", 4, engine_order="up", first_engine="10-10").engines == ("10-10", "11-11", "12-12")
    wild = Rules("super", 4, engine_order="up").engines
    assert wild == (*(f"{n}-{n}" for n in range(13)), "*-*")


def test_starters() -> None:
    def starters(starter: str | int, **options: Any) -> tuple[list[int], list[int | None]]:
        match = play_match(Rules("mexican", 3, starter=starter, **options), 8, 0, "random")
        return [played.starter for played in match.rounds], [played.winner for played in match.rounds]

    drawn, _ = starters("draw")
    assert drawn == [drawn_starter(round_key(8, 0, f"{n}-{n}"), 3) for n in range(9, -1, -1)]
    rotated, _ = starters("rotate")
    assert rotated == [(drawn[0] + number) % 3 for number in range(10)]
    assert starters(2, rounds=3)[0] == [2, 2, 2]
    seats, winners = starters("winner")
    assert None in winners  # drawn after a blocked round
    expected = [drawn[k] if k == 0 or winners[k - 1] is None else winners[k - 1] for k in range(10)]
    assert seats == expected
    assert starter_of_round(Rules("mexican", 3, starter="winner"), []) is None


# -- records --------------------------------------------------------------------------------------------


def good_record(legal: bool = True) -> dict[str, Any]:
    return record_of(play_round(Rules("mexican", 3), 4, 0, "9-9", 1, "random"), legal=legal)


def test_record_shape() -> None:
    record = good_record()
    assert list(record) == [
        "format", "rules", "seed", "game", "round", "engine", "starter", "hands", "boneyard", "events",
        "legal", "end", "winner", "points",
    ]  # fmt: skip
    assert record["rules"] == {"preset": "mexican", "players": 3}
    decisions = [event for event in record["events"] if "@" in event or event.endswith("stop")]
    assert len(record["legal"]) == len(decisions)
    for event, legal in zip(decisions, record["legal"], strict=True):
        assert event.partition(":")[2] in legal
    assert "legal" not in good_record(legal=False)


def test_replay_finds_the_first_fault() -> None:
    record = good_record()
    events = record["events"]
    draw = next(number for number, event in enumerate(events) if "draw" in event)
    deed = next(number for number, event in enumerate(events) if "@" in event and number > 20)
    seat = events[deed].partition(":")[0]

    def fault_at(number: int | None, reason: str, **changes: Any) -> None:
        fault = first_fault(record | changes)
        assert fault is not None
        assert fault[0] == number
        assert reason in fault[1]

    def events_with(number: int, *instead: str) -> list[str]:
        return [*events[:number], *instead, *events[number + 1 :]]

    fault_at(deed, "not legal", events=events_with(deed, f"{seat}:9-9@M"))
    fault_at(deed, "not legal", events=events_with(deed, f"{seat}:stop"))
    fault_at(deed, "has to play", events=events_with(deed, f"{seat}:open"))
    stranger = f"{(int(seat) + 1) % 3}{events[deed][1:]}"
    fault_at(deed, "which has the move", events=events_with(deed, stranger))
    fault_at(draw, "the rules force", events=events_with(draw))
    fault_at(draw, "the rules force", events=events_with(draw, events[draw] + "0"))
    fault_at(len(events) - 1, "the round goes on", events=events[:-1])
    fault_at(draw, "is due", events=events[:draw])
    fault_at(len(events), "after the end", events=[*events, "0:open"])
    decision = next(number for number, event in enumerate(events) if "@" in event)
    fault_at(decision, "legal says", legal=[["stop"], *record["legal"][1:]])
    fault_at(None, "lists for", legal=[*record["legal"], ["stop"]])
    fault_at(None, "end is", end="blocked" if record["end"] == "out" else "out")
    fault_at(None, "winner is", winner=True)
    fault_at(None, "points is", points=[1, 1, 1])
    fault_at(None, "format is", format="mextrain-round/2")
    fault_at(None, "rules: ", rules={"preset": "mexican", "players": 3, "double_rule": "both"})
    fault_at(None, "the hands have", hands=[hand[1:] for hand in record["hands"]])
    fault_at(None, "starter", starter=3)
    fault_at(None, "not a double", engine="9-8")
    fault_at(None, "instead of", boneyard=record["boneyard"][1:])
    fault_at(None, "not a list of texts", events=None)
    first = record["hands"][0][0]
    turned = "-".join(reversed(halves(first)))
    if turned != first:
        fault_at(None, "is not written as", hands=[[turned, *record["hands"][0][1:]], *record["hands"][1:]])
    with pytest.raises(RecordFault, match="event 0: "):
        replay(record | {"events": []})
    assert first_fault([]) == (None, "a record is an object")


def test_every_option_changes_the_game() -> None:
    """With the same random numbers, every value of every option changes some round."""
    for name, values in CHOICES.items():
        for value in values[1:] if TABLE[name].shapes not in ("deal", "match") else ():
            options: dict[str, Any] = {name: value}
            base: dict[str, Any] = {}
            if name == "foot_ends":
                base = {"double_rule": "chicken_foot"}
            elif name in ("max_uncovered", "letter_match", "twice_bonus"):
                base = {"tile_set": "super"}
            elif name == "open_double_order":
                base = {"opening": "single"}
            differs = False
            for seed in range(200):
                one = play_round(Rules("mexican", 4, **base), seed, 0, "6-6", None, "random")
                other = play_round(Rules("mexican", 4, **base, **options), seed, 0, "6-6", None, "random")
                if one.events != other.events:
                    differs = True
                    break
            assert differs, (name, value)
