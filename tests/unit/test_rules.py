"""Rule sets: docs/rules.md, sections 3, 9, 10 and 11, and the `rules` object of docs/formats.md."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mextrain import OPTIONS, RuleError, RuleSet, Tile
from mextrain.errors import shown
from mextrain.game.options import PLAYERS_TABLE
from mextrain_core.model import rules as core_rules
from tests.reference import Rules as SlowRules
from tests.reference.options import CHOICES
from tests.reference.page import PRESETS
from tests.reference.page import TABLE as PRINTED

# Section 3: set and hand size by players; section 10: the boneyard right after the deal.
MEXICAN = {
    2: ("double-9", 8, 38), 3: ("double-9", 8, 30),
    4: ("double-12", 12, 42), 5: ("double-12", 12, 30), 6: ("double-12", 12, 18),
    7: ("double-12", 10, 20), 8: ("double-12", 10, 10),
    9: ("double-15", 11, 36), 10: ("double-15", 11, 25), 11: ("double-15", 11, 14), 12: ("double-15", 11, 3),
    13: ("double-18", 11, 46), 14: ("double-18", 11, 35),
}  # fmt: skip
SUPER = {
    2: (25, 61), 3: (23, 42), 4: (18, 39), 5: (16, 31), 6: (14, 27), 7: (12, 27), 8: (11, 23),
    9: (10, 21), 10: (9, 21), 11: (8, 23), 12: (7, 27), 13: (6, 33), 14: (6, 27),
}  # fmt: skip

# Section 11's table as printed: options with their values, mexican's default first.
TABLE: dict[str, tuple[Any, ...]] = {
    **CHOICES,
    "starter": ("draw", "rotate", "winner", 0, 1),
    "double_blank": (0, 25, 50, 1_000_000_000),
}


@st.composite
def rule_sets(draw: st.DrawFn) -> RuleSet:
    """Any rules that can be played."""
    preset = draw(st.sampled_from(PRESETS))
    options: dict[str, Any] = {"players": draw(st.integers(2, 14))}
    for name, values in TABLE.items():
        if draw(st.booleans()):
            options[name] = draw(st.sampled_from(values))
    if draw(st.booleans()):
        options["tile_set"] = draw(st.sampled_from(["double-1", "double-3", "double-12", "double-18", "super"]))
    if draw(st.booleans()):
        options["hand_size"] = draw(st.integers(1, 14))
    if draw(st.booleans()):
        options["first_engine"] = draw(st.sampled_from(["0-0", "1-1", "9-9", "12-12", "*-*"]))
    if draw(st.booleans()):
        options["rounds"] = draw(st.integers(1, 4))
    try:
        return RuleSet.preset(preset, **options)
    except RuleError:
        assume(False)
        raise


def test_players_must_be_said_whatever_else_is() -> None:
    for options in ({}, {"hand_size": 3}, {"tile_set": "double-4", "hand_size": 3}, {"starter": 3}, {"rounds": 99}):
        with pytest.raises(RuleError) as caught:
            RuleSet.from_dict({"preset": "mexican", **options})
        assert "players" in [problem.name for problem in caught.value.problems]


@pytest.mark.parametrize("players", MEXICAN)
def test_case_30_mexican_deals(players: int) -> None:
    rules = RuleSet.mexican(players)
    assert (rules.tile_set, rules.hand_size, rules.boneyard_size) == MEXICAN[players]


@pytest.mark.parametrize("players", SUPER)
def test_case_32_super_deals(players: int) -> None:
    rules = RuleSet.super(players)
    assert rules.tile_set == "super"
    assert (rules.hand_size, rules.boneyard_size) == SUPER[players]
    assert str(rules.engines[-1]) == "*-*"
    assert rules.rounds == len(rules.engines) == 14


@pytest.mark.parametrize("players", [-1, 0, 1, 15, 2**70])
@pytest.mark.parametrize("preset", ["mexican", "super"])
def test_other_numbers_of_players_are_refused(preset: str, players: int) -> None:
    with pytest.raises(RuleError, match="expected a whole number 2 … 14") as caught:
        RuleSet.preset(preset, players=players)
    assert [problem.name for problem in caught.value.problems] == ["players"]


@pytest.mark.parametrize("preset", PRESETS)
def test_defaults_are_those_of_the_table(preset: str) -> None:
    rules = RuleSet.preset(preset, players=4)
    for name in TABLE:
        assert getattr(rules, name) == PRINTED[name].defaults[preset], name
    assert rules.to_dict() == {"preset": preset, "players": 4}


def test_every_option_has_an_attribute_and_a_line() -> None:
    assert list(OPTIONS) == list(PRINTED)
    assert [field.name for field in fields(RuleSet)] == ["preset_name", *OPTIONS]
    for option in OPTIONS.values():
        for text in (option.meaning, option.section, *option.lines.values()):
            assert text
            assert "\n" not in text
        assert option.shapes in ("deal", "turn", "points", "match")


def test_ranges_are_honest() -> None:
    """Both ends of every range of numbers are accepted in some rules, and nothing beyond them."""
    ends: dict[str, list[dict[str, Any]]] = {
        "players": [{"players": 2}, {"players": 14}],
        "hand_size": [{"hand_size": 1}, {"players": 2, "tile_set": "double-18", "hand_size": 94}],
        "rounds": [{"rounds": 1}, {"tile_set": "double-18", "rounds": 19}],
        "starter": [{"starter": 0}, {"players": 14, "starter": 13}],
        "max_uncovered": [{"max_uncovered": 1}],
        "double_blank": [{"double_blank": 0}, {"double_blank": 1_000_000_000}],
    }
    assert set(ends) == {name for name, row in PRINTED.items() if row.numbers}
    for name, choices in ends.items():
        numbers = [RuleSet.preset("mexican", **{"players": 4, **options}).options()[name] for options in choices]
        assert (numbers[0], numbers[-1]) == PRINTED[name].numbers
        for beyond in (numbers[0] - 1, numbers[-1] + 1):  # type: ignore[operator]
            for options in choices:
                with pytest.raises(RuleError):
                    RuleSet.preset("mexican", **{"players": 4, **options, name: beyond})


@pytest.mark.parametrize("name", TABLE)
def test_every_value_of_the_table_can_be_chosen(name: str) -> None:
    for value in TABLE[name]:
        rules = RuleSet.mexican(4, **{name: value})
        assert getattr(rules, name) == value
        assert type(getattr(rules, name)) is type(value)
        assert RuleSet.mexican(4).replace(**{name: value}) == rules


def test_the_codes_are_the_places_on_the_page() -> None:
    """Structs, C programs and compiled kernels use the codes, so a value must keep its code."""
    for name, words in core_rules.OPTION_CODES.items():
        assert words == PRINTED[name].words
    assert PRINTED["starter"].words == core_rules.STARTERS
    other = {"players", "tile_set", "hand_size", "first_engine", "rounds", "starter", "max_uncovered", "double_blank"}
    assert set(PRINTED) == other | set(core_rules.OPTION_CODES)


def test_case_55_engines_count_down() -> None:
    for players, count in [(2, 10), (4, 13), (9, 16), (13, 19)]:
        engines = RuleSet.mexican(players).engines
        assert [str(engine) for engine in engines] == [f"{n}-{n}" for n in range(count - 1, -1, -1)]
    # Section 3, 2: the last round with *-* follows from the set, whatever the preset.
    mixed = RuleSet.mexican(4, tile_set="super")
    assert (mixed.first_engine, mixed.rounds, str(mixed.engines[-1])) == ("12-12", 14, "*-*")
    later = RuleSet.super(4, first_engine="1-1")
    assert [str(engine) for engine in later.engines] == ["1-1", "0-0", "*-*"]
    assert [str(engine) for engine in RuleSet.super(4, first_engine="*-*").engines] == ["*-*"]
    single = RuleSet.mexican(4, first_engine="7-7", rounds=1)
    assert single.engines == (Tile(7, 7),)


def test_case_46_hand_size_and_set_can_be_chosen() -> None:
    rules = RuleSet.mexican(2, hand_size=15, tile_set="double-12")
    assert (rules.hand_size, rules.boneyard_size) == (15, 60)
    assert RuleSet.mexican(4, tile_set="double-9").hand_size == 12  # by number of players, also with another set
    assert RuleSet.mexican(9, tile_set="double-12", hand_size=10).boneyard_size == 0  # allowed
    assert RuleSet.mexican(2, tile_set="double-1", hand_size=1).boneyard_size == 0


@pytest.mark.parametrize(
    ("players", "options", "numbers"),
    [
        (14, {"tile_set": "double-12", "hand_size": 12}, ("14", "12", "169", "91", "hand_size 6")),
        (4, {"tile_set": "double-6"}, ("4", "12", "49", "28", "hand_size 6")),
        (14, {"tile_set": "double-1"}, ("14", "11", "155", "3", "larger tile_set")),
        (2, {"hand_size": 28}, ("2", "28", "57", "55", "hand_size 27")),
    ],
)
def test_case_46_impossible_deals_are_refused_with_the_numbers(
    players: int, options: dict[str, Any], numbers: tuple[str, ...]
) -> None:
    with pytest.raises(RuleError) as caught:
        RuleSet.mexican(players, **options)
    (problem,) = caught.value.problems
    assert problem.name == "hand_size"
    for number in numbers:
        assert number in str(problem)


WRONG: dict[str, list[object]] = {
    "tile_set": ["double-19", "double-0", "by players", None, 12],
    "hand_size": [0, -3, 191, True, 12.0, "12", None],
    "first_engine": ["12-11", "13-13", "*-*", "12", 12, ""],
    "rounds": [0, 14, "all", None, True],
    "starter": [4, -1, "0", False, None, "loser"],
    "opening": ["Chain", "", None, 0],
    "double_rule": ["chickenfoot"],
    "max_uncovered": [0, 2, True, "1", "none", 1.0],
    "double_blank": [-1, True, 0.0, 1_000_000_001, None, "25"],
    "players": [4.0, "4", None, True],
    "twice_bonus": [["must"]],
    "letter_match": [{}],
    "marker_off": [b"own_train"],
    "no_such": [1],
    "Opening": ["chain"],
    "preset_name": ["mexican"],
}
WRONG_PAIRS = [(name, value) for name, values in WRONG.items() for value in values]


@pytest.mark.parametrize(("name", "value"), WRONG_PAIRS, ids=[f"{n}={shown(v)}"[:40] for n, v in WRONG_PAIRS])
def test_wrong_values_are_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(RuleError) as caught:
        RuleSet.from_dict({"preset": "mexican", "players": 4, name: value})
    (problem,) = caught.value.problems
    assert problem.name == name
    assert problem.expected
    assert problem.remedy
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(RuleError) as caught:
        RuleSet.preset("mexicn", players=15, opning="chain", opening="chian", hand_size=True, starter=20, rounds=0)
    names = {problem.name: problem.remedy for problem in caught.value.problems}
    assert set(names) == {"preset", "players", "opning", "opening", "hand_size", "starter", "rounds"}
    assert "mexican" in names["preset"]
    assert "opening" in names["opning"]
    assert "chain" in names["opening"]
    assert all(name in str(caught.value) for name in names)


def test_conflicts_are_listed_together_too() -> None:
    with pytest.raises(RuleError) as caught:
        RuleSet.super(4, first_engine="13-13", starter=4, double_rule="chicken_foot", hand_size=28)
    assert [problem.name for problem in caught.value.problems] == [
        "hand_size",
        "first_engine",
        "starter",
        "double_rule",
    ]


def test_rounds_are_counted_from_the_first_engine() -> None:
    assert RuleSet.mexican(4, first_engine="5-5").rounds == 6
    assert RuleSet.super(4, first_engine="5-5", rounds=7).rounds == 7
    with pytest.raises(RuleError, match="at most 6, the engines from 5-5 to 0-0"):
        RuleSet.mexican(4, first_engine="5-5", rounds=7)


def test_chicken_foot_is_refused_with_the_set_super_only() -> None:
    with pytest.raises(RuleError, match="feet on feet"):
        RuleSet.super(4, double_rule="chicken_foot")
    with pytest.raises(RuleError, match="feet on feet"):
        RuleSet.mexican(4, tile_set="super", double_rule="chicken_foot")
    assert RuleSet.super(4, tile_set="double-12", hand_size=12, double_rule="chicken_foot").max_uncovered == 1


def test_options_without_effect_are_allowed() -> None:
    """Section 11 says that these have no effect, so they are accepted."""
    RuleSet.mexican(4, double_rule="chicken_foot", open_double_order="any", open_double_binds="nobody", max_uncovered=1)
    RuleSet.mexican(4, letter_match="anywhere", twice_bonus="may", foot_ends="center")


def test_the_rules_object_of_a_record() -> None:
    rules = RuleSet.mexican(4, double_rule="cover", starter=2, max_uncovered=None)
    assert rules.to_dict() == {"preset": "mexican", "players": 4, "starter": 2, "double_rule": "cover"}
    assert RuleSet.super(5, max_uncovered=None).to_dict() == {"preset": "super", "players": 5, "max_uncovered": None}
    assert json.loads(json.dumps(RuleSet.super(5, max_uncovered=None).to_dict()))["max_uncovered"] is None
    # A reader also accepts default values, and the values that they resolve to.
    full = {"preset": "mexican", **RuleSet.mexican(4).options()}
    assert RuleSet.from_dict(full) == RuleSet.mexican(4)


INCOMPLETE = [None, [], "mexican", {}, {"players": 4}, {"preset": "mexican"}, {"preset": None, "players": 4}]


@pytest.mark.parametrize("rules", INCOMPLETE)
def test_incomplete_rules_objects_are_refused(rules: Any) -> None:
    with pytest.raises(RuleError):
        RuleSet.from_dict(rules)


@given(rule_sets())
def test_rules_survive_their_forms(rules: RuleSet) -> None:
    assert RuleSet.from_dict(rules.to_dict()) == rules
    assert RuleSet.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules
    texts = [f"{name}={'none' if value is None else value}" for name, value in rules.options().items()]
    assert RuleSet.from_texts(rules.preset_name, None, texts) == rules
    assert pickle.loads(pickle.dumps(rules)) == copy.deepcopy(rules) == copy.copy(rules) == rules
    assert hash(RuleSet.from_dict(rules.to_dict())) == hash(rules)
    assert rules.replace() == rules
    assert RuleSet(rules.preset_name, **rules.options()) == rules  # type: ignore[arg-type]
    engine_is_aside = rules.engine_from == "set_aside"
    assert len(rules.tiles) == engine_is_aside + rules.players * rules.hand_size + rules.boneyard_size
    assert len(rules.engines) == rules.rounds


@given(rule_sets())
def test_the_slow_rulebook_resolves_the_same(rules: RuleSet) -> None:
    slow = SlowRules.from_record(rules.to_dict())
    assert {name: getattr(slow, name) for name in OPTIONS} == rules.options()
    assert slow.as_struct() == rules.to_dict()
    assert list(slow.engines) == [str(engine) for engine in rules.engines]


@given(rule_sets())
def test_the_record_holds_every_option(rules: RuleSet) -> None:
    assert rules.record is rules.record
    assert rules.record.shape == (1,)
    assert rules.record.dtype == core_rules.RULES
    struct = rules.record[0]
    assert struct["players"] == rules.players
    assert struct["hand_size"] == rules.hand_size
    assert struct["tiles"] == len(rules.tiles)
    assert struct["rounds"] == rules.rounds
    assert struct["double_blank"] == rules.double_blank
    assert struct["action_count"] == rules.action_count
    assert struct["max_uncovered"] == (rules.max_uncovered or 0)
    for name, words in core_rules.OPTION_CODES.items():
        assert words[struct[name]] == getattr(rules, name)


@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_makes_other_rules(name: str) -> None:
    other: dict[str, object] = {
        "players": 5, "tile_set": "double-15", "hand_size": 11, "first_engine": "9-9", "rounds": 2,
    }  # fmt: skip
    value = other[name] if name in other else TABLE[name][1]
    plain = RuleSet.mexican(4)
    changed = plain.replace(**{name: value})
    assert changed != plain
    assert changed.record.tobytes() != plain.record.tobytes()
    assert changed.to_dict()[name] == value


def test_replace_lets_defaults_follow() -> None:
    assert RuleSet.mexican(4).replace(players=2) == RuleSet.mexican(2)
    assert RuleSet.mexican(4, hand_size=5).replace(players=2) == RuleSet.mexican(2, hand_size=5)
    assert RuleSet.mexican(4).replace(preset="super") == RuleSet.super(4)
    assert RuleSet.mexican(4).replace(tile_set="double-15").first_engine == "15-15"
    with pytest.raises(RuleError):
        RuleSet.mexican(4, hand_size=22).replace(players=14)


def test_rules_are_checked_however_they_are_built() -> None:
    values: dict[str, Any] = {**RuleSet.mexican(4).options(), "hand_size": 40}
    with pytest.raises(RuleError, match="hand_size"):
        RuleSet("mexican", **values)
    with pytest.raises(AttributeError):
        RuleSet.mexican(4).players = 5  # type: ignore[misc]
    assert RuleSet.mexican(4) != RuleSet.super(4)
    assert RuleSet.mexican(4) != 4


def test_numbers_of_numpy_and_tiles_are_taken() -> None:
    rules = RuleSet.mexican(np.int64(4), hand_size=np.uint8(7), first_engine=Tile(5, 5))  # type: ignore[arg-type]
    assert rules == RuleSet.mexican(4, hand_size=7, first_engine="5-5")
    assert type(rules.players) is int
    assert type(rules.hand_size) is int
    json.dumps(rules.to_dict())
    with pytest.raises(RuleError):
        RuleSet.mexican(4, hand_size=np.bool_(True))
    with pytest.raises(RuleError):
        RuleSet.mexican(4, hand_size=np.float64(7))


def test_options_from_a_command_line() -> None:
    rules = RuleSet.from_texts("super", 5, ["max_uncovered=none", "starter=3", "opening=chain", "double_blank=25"])
    assert rules == RuleSet.super(5, max_uncovered=None, starter=3, opening="chain", double_blank=25)
    assert RuleSet.from_texts("mexican", None, ["players=3"]) == RuleSet.mexican(3)
    assert RuleSet.from_texts("mexican", 3, ["players=3", "rounds=1", "rounds=1"]) == RuleSet.mexican(3, rounds=1)
    assert RuleSet.from_texts("super", 4, ["max_uncovered=1"]) == RuleSet.super(4)


@pytest.mark.parametrize(
    ("texts", "word"),
    [
        (["opening"], "KEY=VALUE"),
        (["=chain"], "name of an option"),
        (["opening="], "chain"),
        (["opening=chain", "opening=single"], "came before"),
        (["players=3"], "came before"),
        (["hand_size=1e1"], "whole number"),
        (["hand_size=" + "9" * 5000], "whole number"),
        (["double_blank=0x19"], "whole number"),
        (["double_blank=-1"], "whole number"),
        (["double_blank=1_0"], "whole number"),
        (["starter=none"], "draw, rotate"),
        (["opning=chain"], "did you mean opening"),
    ],
)
def test_wrong_options_on_a_command_line(texts: list[str], word: str) -> None:
    with pytest.raises(RuleError, match=word) as caught:
        RuleSet.from_texts("mexican", 4, texts)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(("blank", "points"), [(0, 34), (25, 59), (50, 84)])
def test_case_53_double_blank(blank: int, points: int) -> None:
    rules = RuleSet.mexican(4, double_blank=blank)
    assert rules.points(rules.tiles.parse_all("0-0 12-12 3-7")) == points


def test_case_53_wild_halves() -> None:
    rules = RuleSet.super(4)
    assert rules.points(rules.tiles.parse_all("*-3 *-* *-A 12-12")) == 77
    assert rules.points([]) == 0


def test_descriptions_say_what_differs() -> None:
    text = RuleSet.super(5, opening="chain", max_uncovered=None).describe()
    summary = "super, 5 players: super, 16 tiles each, 31 in the boneyard, 14 rounds from 12-12 to *-*"
    assert text.splitlines()[0] == summary
    assert "opening = chain" in text
    assert "max_uncovered = none" in text
    assert len(RuleSet.mexican(4).describe().splitlines()) == 1
    assert "1 round with the engine 0-0" in RuleSet.mexican(4, first_engine="0-0").describe()


def test_errors_survive_a_process_border() -> None:
    with pytest.raises(RuleError) as caught:
        RuleSet.mexican(1)
    twin = pickle.loads(pickle.dumps(caught.value))
    assert type(twin) is RuleError
    assert twin.problems == caught.value.problems
    assert str(twin) == str(caught.value)


def test_the_table_of_players_is_complete() -> None:
    for preset in PRESETS:
        assert list(PLAYERS_TABLE[preset]) == list(range(2, 15))
