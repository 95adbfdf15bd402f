"""The text line of a position: round trips from any point, refused lines, and old lines that must stay readable."""

from __future__ import annotations

import contextlib
import pickle
import random
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mextrain import OpenDouble, Position, PositionError, RuleSet
from mextrain.notation.read import read
from mextrain.notation.snapshot import FIELDS, OWES, PHASES, Chance, Counts, Hidden, Snapshot, TrainState
from mextrain_core.game.invariants import BROKEN, broken_invariant
from tests.scenarios.position_adapter import PositionAdapter
from tests.scenarios.scenario import parse, run
from tests.strategies import rounds
from tests.tidy.tree import ROOT

Named = tuple[RuleSet, int, int, str, int | None]
SCENARIOS = sorted((ROOT / "tests" / "scenarios").glob("*.txt"))
SMALL = RuleSet.mexican(3, tile_set="double-4", hand_size=3)


def dealt(this: Named, explicit: bool = False) -> Position:
    rules, seed, game, engine, starter = this
    chance: Any = "explicit" if explicit else "stream"
    return Position.deal(rules, seed=seed, game=game, engine=engine, starter=starter, chance=chance)


def step(position: Position, dice: random.Random) -> None:
    if position.pending_draw:
        position.draw(dice.choice(position.boneyard))
    else:
        position.play(dice.choice(position.legal_moves()))


def facts(position: Position) -> dict[str, Any]:
    """Everything that can be read from a position, except its history."""
    names = [
        "rules", "seat", "owed", "must_cover", "drawn", "opening", "opening_to_come", "skip_pending", "draw_pending",
        "direction", "pending_draw", "engine", "starter", "started", "open_doubles", "hands", "boneyard", "over", "end",
        "winner", "points", "turns", "plays", "draws", "attempts",
    ]  # fmt: skip
    found = {name: getattr(position, name) for name in names}
    found["types"] = {name: type(value) for name, value in found.items()}
    found["legal"] = position.legal_texts()
    found["ends"] = [position.ends(train) for train in position.trains]
    found["open"] = [position.is_open(train) for train in position.trains]
    return found


def loaded(position: Position) -> Position:
    """The position after a round trip through its line, which must change nothing."""
    line = position.line(key=True)
    again = Position.from_line(line)
    assert again == position, line
    assert again.identity() == position.identity()
    assert again.line(key=True) == line
    assert facts(again) == facts(position), line
    assert BROKEN[broken_invariant(again._states, 0, again.rules.record)] == BROKEN[0]
    without = Position.from_line(position.line())
    assert facts(without) == facts(position)
    assert without.line() == position.line()
    return again


# -- round trips


@settings(max_examples=120)
@given(rounds(), st.integers(0, 2**32 - 1), st.booleans())
def test_any_point_of_a_round_survives(this: Named, seed: int, explicit: bool) -> None:
    position, dice = dealt(this, explicit), random.Random(seed)
    while not position.over:
        if dice.random() < 0.15:
            loaded(position)
        step(position, dice)
    loaded(position)


@settings(max_examples=80)
@given(rounds(), st.integers(0, 2**32 - 1), st.booleans(), st.integers(0, 80))
def test_all_later_play_is_equal(this: Named, seed: int, explicit: bool, moves: int) -> None:
    position, dice = dealt(this, explicit), random.Random(seed)
    for _ in range(moves):
        if not position.over:
            step(position, dice)
    twin, before = loaded(position), len(position.events)
    assert twin.events == ()
    dice, its_dice = random.Random(seed), random.Random(seed)
    while not position.over:
        assert twin.legal_moves() == position.legal_moves()
        step(position, dice)
        step(twin, its_dice)
        assert twin == position
    assert twin.events == position.events[before:]
    assert twin.points == position.points


class RoundTrips(PositionAdapter):
    """Adapter for scenarios that also loads the line of every position and plays the script on the loaded position."""

    def start(self, rules: Any, engine: Any, starter: Any, hands: Any, boneyard: Any) -> None:
        super().start(rules, engine, starter, hands, boneyard)
        self.twin = loaded(self.position)

    def play(self, text: str) -> None:
        super().play(text)
        self.twin.play(text)
        assert self.twin == self.position
        self.twin = loaded(self.position)


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenarios_survive_at_each_decision(path: Any) -> None:
    scenario = parse(path)
    if not scenario.refused:
        run(scenario, RoundTrips())


@settings(max_examples=40)
@given(rounds(), st.integers(0, 2**32 - 1), st.integers(0, 60))
def test_what_one_seat_sees(this: Named, seed: int, moves: int) -> None:
    position, dice = dealt(this), random.Random(seed)
    for _ in range(moves):
        if not position.over:
            step(position, dice)
    whole = read(position.line())
    for seat in range(position.rules.players):
        line = position.line(for_seat=seat)
        view = read(line)
        assert str(view) == line
        assert view.hands[seat] == position.hands[seat]
        for other, hand in enumerate(view.hands):
            assert other == seat or hand == (Hidden(len(position.hands[other])) if position.hands[other] else ())
        assert view.boneyard == (Hidden(len(position.boneyard)) if position.boneyard else ())
        assert (view.laid, view.trains, view.doubles) == (whole.laid, whole.trains, whole.doubles)
        if view.hidden:
            with pytest.raises(PositionError, match="must be determinized first"):
                Position.from_line(line)


def test_a_view_does_not_depend_on_what_it_hides() -> None:
    """Positions that differ only in hidden tiles and in the key look the same, character by character."""
    mine, other, third = "9-5 5-5 9-1 5-2", "9-6 6-6 6-5 4-4", "9-8 8-8 7-7 8-5"
    deals = [(mine, other, third), (mine, third, other), (mine, other, "3-2 3-1 3-0 1-1")]
    rules = RuleSet.mexican(3, hand_size=4)
    lines = {Position.setup(rules, hands=hands, seed=n).line(for_seat=0) for n, hands in enumerate(deals)}
    assert len(lines) == 1


def test_what_will_be_drawn_is_written_on_request_only() -> None:
    position = Position.deal(SMALL, seed=1)
    key = f"{int(position._states['key'][0]):016x}"
    assert position.line(key=True).endswith(f"chance mextrain-stream/1 {key}")
    for line in (position.line(), position.line(for_seat=0), position.line(for_seat=position.seat)):
        assert line.endswith("chance hidden")
        assert key not in line
    with pytest.raises(PositionError, match="give key or for_seat, not both"):
        position.line(for_seat=0, key=True)
    for seat in (3, -1, True, "0", 1.0):
        with pytest.raises(PositionError, match="there is no seat"):
            position.line(for_seat=seat)  # type: ignore[arg-type]


def test_an_order_of_drawing() -> None:
    rules = RuleSet.mexican(2, tile_set="double-3", hand_size=2)
    order = "2-0 1-1 0-0 2-2 1-0"
    position = Position.setup(rules, hands=["3-0 2-1", "3-1 3-2"], boneyard=order)
    assert f"boneyard {order};" in position.line(key=True)
    assert position.line(key=True).endswith("chance order")
    assert "boneyard 0-0 1-0 1-1 2-0 2-2;" in position.line()
    while not position.over:
        twin = loaded(position)
        assert twin.drawn_order() == position.boneyard_in_order()
        step(position, random.Random(2))


def test_what_a_position_from_a_line_can_do() -> None:
    position = Position.deal(RuleSet.super(4), seed=5)
    dice = random.Random(5)
    for _ in range(20):
        step(position, dice)
    twin = Position.from_line(position.line(key=True))
    with pytest.raises(PositionError, match="nothing can be taken back"):
        twin.undo()
    before = twin.copy()
    step(twin, dice)
    twin.undo()
    assert twin == before == position
    step(twin, dice)
    assert twin.restart() == before
    again = pickle.loads(pickle.dumps(twin))
    assert again == twin
    assert again.restart() == before
    assert again.table() == twin.table()
    while not twin.over:
        step(twin, dice)
    with pytest.raises(PositionError, match="does not know how it was dealt"):
        twin.record()


def test_the_table_says_that_trains_were_begun_before() -> None:
    position = Position.from_line(GOLDEN["cover"][0])
    position.play("2-3@0")
    rows = position.table().splitlines()
    assert rows[4] == "   0        3  … 2-3"
    assert rows[5].endswith("1        4  not started")


# -- lines that must stay readable


GOLDEN = {
    "first": (
        "mextrain-position/1; rules mexican players=3 tile_set=double-4 hand_size=3; engine 4-4; starter 1; "
        "counts turns=1 plays=0 draws=0 attempts=1; seat 1 clockwise; phase decision; owes required; drew none; "
        "opening yes; openings 0 2; trains 0:- 1:- 2:- M:-; doubles none; toes none; pending none; "
        "hand 0: 2-0 4-1 4-3; hand 1: 0-0 4-0 4-2; hand 2: 1-0 2-1 3-0; boneyard 1-1 2-2 3-1 3-2 3-3; laid none; "
        "chance mextrain-stream/1 f9f7bc1bf09c84dc",
        ("4-0@1", "4-2@1"),
    ),
    "cover": (
        "mextrain-position/1; rules mexican players=2 tile_set=double-4 hand_size=3; engine 4-4; starter 0; "
        "counts turns=1 plays=2 draws=1 attempts=3; seat 0 clockwise; phase decision; owes required after 2-2@0; "
        "drew 3-2; opening yes; openings 1; trains 0:2 1:- M:-; doubles 2-2@0,new; toes none; pending none; "
        "hand 0: 1-0 3-2; hand 1: 1-1 3-0 4-3; boneyard 0-0 2-1 3-1 2-0 4-0 4-1 3-3; laid 2-2 4-2; chance order",
        ("2-3@0",),
    ),
    "foot": (
        "mextrain-position/1; rules mexican players=2 tile_set=double-4 hand_size=4 opening=single "
        "double_rule=chicken_foot; engine 4-4; starter 0; counts turns=7 plays=5 draws=3 attempts=8; "
        "seat 0 clockwise; phase decision; owes required; drew 2-0; opening no; openings none; "
        "trains 0:2,open 1:3,open M:-; doubles 2-2@0; toes 1 3; pending none; hand 0: 1-0 2-0 4-0; "
        "hand 1: 1-1 3-0 3-3; boneyard 0-0 3-1 4-1; laid 2-1 2-2 3-2 4-2 4-3; chance hidden",
        ("2-0@0",),
    ),
    "several ends": (
        "mextrain-position/1; rules mexican players=2 tile_set=double-4 hand_size=4 opening=single "
        "double_rule=chicken_foot; engine 4-4; starter 0; counts turns=8 plays=6 draws=3 attempts=9; "
        "seat 1 clockwise; phase decision; owes required; drew none; opening no; openings none; "
        "trains 0:0,1,3 1:3,open M:-; doubles none; toes none; pending none; hand 0: 1-0 4-0; hand 1: 1-1 3-0 3-3; "
        "boneyard 0-0 3-1 4-1; laid 2-0 2-1 2-2 3-2 4-2 4-3; chance hidden",
        ("3-0@1", "3-3@1"),
    ),
    "chain": (
        "mextrain-position/1; rules super players=3 hand_size=5 opening=chain; engine 12-12; starter 0; "
        "counts turns=1 plays=2 draws=0 attempts=3; seat 0 counterclockwise; phase decision; owes chain; drew none; "
        "opening yes; openings 1 2; trains 0:D 1:- 2:- M:-; doubles none; toes none; pending draw; "
        "hand 0: 5-4 12-5 *-S; hand 1: 3-1 6-3 12-6 *-* *-A; hand 2: 1-0 7-0 12-1 *-A *-T; boneyard rest; "
        "laid *-D *-R; chance hidden",
        ("*-S@0", "stop"),
    ),
    "forced draw": (
        "mextrain-position/1; rules super players=3 hand_size=5 opening=chain; engine 12-12; starter 0; "
        "counts turns=2 plays=3 draws=0 attempts=4; seat 1 counterclockwise; phase forced-draw; owes required; "
        "drew none; opening yes; openings 2; trains 0:S 1:- 2:- M:-; doubles none; toes none; pending none; "
        "hand 0: 5-4 12-5; hand 1: 3-1 6-3 12-6 *-* *-A; hand 2: 1-0 7-0 12-1 *-A *-T; boneyard rest; "
        "laid *-D *-R *-S; chance explicit",
        (),
    ),
    "out": (
        "mextrain-position/1; rules mexican players=2 tile_set=double-4 hand_size=3; engine 4-4; starter 0; "
        "counts turns=1 plays=2 draws=0 attempts=2; seat 0 clockwise; phase out; owes nothing; drew none; "
        "opening no; openings 1; trains 0:1 1:- M:-; doubles none; toes none; pending none; hand 0: none; "
        "hand 1: 1-1 3-0 4-3; boneyard 0-0 1-0 2-0 2-2 3-1 3-2 3-3 4-0 4-1; laid 2-1 4-2; chance hidden",
        (),
    ),
}


@pytest.mark.parametrize(("line", "legal"), GOLDEN.values(), ids=GOLDEN)
def test_golden_lines(line: str, legal: tuple[str, ...]) -> None:
    position = Position.from_line(line)
    assert position.legal_texts() == legal
    assert "rest" in line or position.line(key="hidden" not in line) == line


def test_zeros_and_empty_places_keep_their_meaning() -> None:
    """Seat 0 to move, no points, an empty hand, an empty boneyard: all are written explicitly."""
    rules = RuleSet.mexican(2, tile_set="double-1", hand_size=1)
    position = Position.setup(rules, engine="1-1", hands=["0-0", "1-0"], boneyard="")
    for _ in range(2):
        again = loaded(position)
        assert (again.end, again.seat, again.winner) == (position.end, position.seat, position.winner)
        assert again.boneyard == ()
        assert "boneyard none; " in again.line()
        if not position.over:
            step(position, random.Random(0))
    assert position.over
    assert "hand 1: none;" in position.line()
    assert position.points == (0, 0)


# -- how lines may be written


def test_what_people_write() -> None:
    line = GOLDEN["cover"][0]
    version, *fields = line.replace("chance order", "chance hidden").split("; ")
    plain = read("; ".join([version, *fields]))
    assert read("; ".join([version, *reversed(fields)])) == plain
    assert read(f"  {version};{'  ;  '.join(fields)} ;\n") == plain
    assert read("; ".join([version, *fields]).replace("hand 1: 1-1 3-0 4-3", "hand 1: 3-4 0-3 1-1")) == plain
    for place in ("hand 0: 1-0 3-2", "boneyard 0-0 2-1 3-1 2-0 4-0 4-1 3-3", "laid 2-2 4-2"):
        name = place.partition(" ")[0] if "hand" not in place else "hand 0:"
        assert read("; ".join([version, *fields]).replace(place, f"{name} rest")) == plain


# -- what is refused


def changed(name: str, *changes: tuple[str, str]) -> str:
    line = GOLDEN[name][0]
    for old, new in changes:
        assert old in line, old
        line = line.replace(old, new, 1)
    return line


def problems(text: str) -> list[str]:
    """The problems of a line, each as `name = value: ...`."""
    with pytest.raises(PositionError) as caught:
        Position.from_line(text)
    assert caught.value.problems
    for problem in caught.value.problems:
        assert problem.expected
        assert problem.remedy
        assert str(problem) in str(caught.value)
    return list(map(str, caught.value.problems))


REFUSED: list[tuple[str, list[tuple[str, str]], str]] = [
    # rules and numbers
    ("cover", [("rules mexican", "rules mexicn")], "preset = 'mexicn': .*did you mean mexican"),
    ("cover", [("rules mexican players=2", "rules mexican")], "players = none"),
    ("cover", [("rules mexican players=2 tile_set=double-4 hand_size=3", "rules")], "preset = ''"),
    ("cover", [("hand_size=3", "hand_size=3 opening=chian")], "opening = 'chian'"),
    ("cover", [("engine 4-4", "engine 4-3")], "engine = '4-3': expected a double of double-4"),
    ("cover", [("engine 4-4", "engine 5-5")], "engine = '5-5': expected a tile of double-4"),
    ("cover", [("starter 0", "starter 2")], "starter = '2': expected a seat 0 … 1"),
    ("cover", [("starter 0", "starter 00")], "starter = '00': expected a seat"),
    ("cover", [("starter 0", "starter")], "starter = '': expected a seat"),
    ("cover", [("starter 0", "starter 1")], "seat = 0: expected the starter 1 in turn 1"),
    ("cover", [("seat 0", "seat 2")], "seat = '2': expected a seat 0 … 1"),
    ("cover", [("seat 0 clockwise", "seat 0")], "seat = '0': expected a seat and clockwise"),
    ("cover", [("clockwise", "counterclockwise")], "seat = 'counterclockwise': .*two players"),
    ("cover", [("turns=1", "turns=0")], "counts = 'turns=0': expected 1 or more"),
    ("cover", [("plays=2", "plays=3")], "counts = 'plays=3': expected 2, the number of tiles laid"),
    ("cover", [("attempts=3", "attempts=2")], "counts = 'attempts=2': expected 3 … 65536"),
    ("cover", [("attempts=3", "attempts=65537")], "counts = 'attempts=65537'"),
    ("cover", [("draws=1", "draws=0")], "counts = 'draws=0': expected 1 … 5"),
    ("cover", [("draws=1", "draws=9")], "counts = 'draws=9': expected 1 … 5"),
    ("cover", [("draws=1 ", "")], "counts = .*: expected turns=N plays=N draws=N attempts=N"),
    ("cover", [("draws=1", "draws=-1")], "counts = "),
    ("cover", [("draws=1", "draws=true")], "counts = "),
    # tiles
    ("cover", [("hand 0: 1-0 3-2", "hand 0: 1-0 3-2 3-0")], "hand 1 = '3-0': expected it once, but it is in hand 0"),
    ("cover", [("laid 2-2 4-2", "laid 2-2 4-2 4-4")], "laid = '4-4': expected it once, but it is in engine, laid"),
    ("cover", [("boneyard 0-0 ", "boneyard ")], "missing tiles = '0-0': expected all tiles of double-4"),
    ("cover", [("hand 0: 1-0", "hand 0: 5-0")], "hand 0 = '5-0': expected a tile of double-4"),
    ("cover", [("hand 0: 1-0", "hand 0: one")], "hand 0 = 'one': expected a tile"),
    ("cover", [("hand 0: 1-0 3-2", "hand 0:")], "hand 0 = '': expected tiles, none or rest, or none"),
    ("cover", [("hand 0: 1-0 3-2", "hand 0: none")], "hand 0 = 'none': expected a tile or more"),
    ("cover", [("hand 1: 1-1 3-0 4-3", "hand 1: none")], "hand 1 = 'none': expected a tile or more while"),
    ("cover", [("laid 2-2 4-2", "laid ?2")], "laid = '\\?2': expected a tile"),
    ("cover", [("laid 2-2 4-2", "laid rest"), ("hand 0: 1-0 3-2", "hand 0: rest")], "laid = 'rest': expected at most"),
    ("cover", [("hand 1: 1-1 3-0 4-3", "hand 1: ?4")], "hidden tiles = 4: expected 3"),
    ("cover", [("hand 1: 1-1 3-0 4-3", "hand 1: ?3"), ("laid 2-2 4-2", "laid rest")], "laid = 'rest': .*at most"),
    ("chain", [("hand 1: 3-1", "hand 1: 3-1 *-A *-A")], "= '\\*-A': expected it 3 times, but it is in hand 1, hand 1"),
    # trains
    ("cover", [("0:2 1:-", "0:2")], "trains = '0:2 M:-': expected every train; add 1:-"),
    ("cover", [("0:2 1:-", "0:2 0:2 1:-")], "trains = '0:2': expected each train once"),
    ("cover", [("0:2", "0=2")], "trains = '0=2': expected a train 0 … 1 or M"),
    ("cover", [("0:2", "0:")], "trains = '0:': expected TRAIN:ENDS"),
    ("cover", [("1:-", "2:-")], "trains = '2': expected a train 0 … 1 or M"),
    ("cover", [("M:-", "M:-,open")], "trains = 'M:-,open': expected M without a marker"),
    ("cover", [("0:2", "0:7")], "trains = '7': expected a half, 0 … 4"),
    ("cover", [("0:2", "0:2,2")], "trains = '0:2,2': expected one end"),
    ("cover", [("M:-", "M:3")], "trains = '3 ends M': expected no more ends of 3 than tiles laid that show it"),
    ("out", [("0:1", "0:2")], "trains = 'unpaired 1 2': expected ends that the tiles laid lead to"),
    ("out", [("laid 2-1 4-2", "laid 2-1 3-0"), ("3-0 4-3", "4-2 4-3")], "laid = .*lead to the engine|unpaired"),
    ("out", [("0:1", "0:-")], "trains = '0 started, 2 tiles laid'"),
    ("out", [("0:1 1:- M:-", "0:1 1:2 M:4")], "trains = '3 started, 2 tiles laid'"),
    # open doubles and feet
    ("cover", [("2-2@0,new", "2-1@0,new")], "doubles = '2-1@0,new': expected a double"),
    ("cover", [("2-2@0,new", "2-2")], "doubles = '2-2': expected a double and its train"),
    ("cover", [("2-2@0,new", "2-2@5")], "doubles = '5': expected a train"),
    ("cover", [("2-2@0,new", "2-2@M,new")], "doubles = '2-2@M': expected an end of train M, which has no tile"),
    ("cover", [("2-2@0,new", "3-3@0,new")], "doubles = '3-3@0': expected a double that is laid"),
    ("cover", [("2-2@0,new", "2-2@0,new 2-2@0,new")], "doubles = '2-2@0': expected one open double a train"),
    ("cover", [("2-2@0,new", "2-2@0,new 2-2@0")], "doubles = '2-2@0': expected inherited doubles before"),
    ("cover", [("hand_size=3", "hand_size=3 open_double_binds=nobody"), (",new", "")], "doubles = .*binds=nobody"),
    ("cover", [("2-2@0,new", "none")], "owes = 'after 2-2@0': expected an open double"),
    ("cover", [("2-2@0,new", "2-2@0")], "owes = 'after 2-2@0': expected the last double of this turn"),
    ("cover", [("after 2-2@0", "after 3-3@0")], "owes = 'after 3-3@0': expected a double that is laid"),
    ("cover", [("required after 2-2@0", "required")], "owes = 'required': expected required after a double"),
    ("cover", [("toes none", "toes 3")], "toes = '3': expected none, as there is no unfinished chicken foot"),
    ("foot", [("toes 1 3", "toes 1 0")], "toes = '0': expected the other half of a tile that is laid and touches"),
    ("foot", [("toes 1 3", "toes 1 2")], "toes = '2': expected the other half"),
    ("foot", [("toes 1 3", "toes 1 1")], "toes = '1': expected the other half"),
    ("foot", [("toes 1 3", "toes 1 3 4")], "toes = '1 3 4': expected two at most"),
    ("foot", [("toes 1 3", "toes 1 9")], "toes = '9': expected a half"),
    ("foot", [("2-2@0", "none")], "toes = '1 3': expected none"),
    ("foot", [("doubles 2-2@0", "doubles 2-2@0 4-4@1")], "doubles = '2-2@0 4-4@1': expected one unfinished foot"),
    ("foot", [("doubles 2-2@0", "doubles 2-2@0,new"), ("required;", "required after 2-2@0;")], "'1 3': expected none"),
    # the turn
    ("cover", [("phase decision", "phase waiting")], "phase = 'waiting': expected decision, draw, forced-draw"),
    ("cover", [("phase decision", "phase out")], "owes = 'required': expected nothing once the round is over"),
    ("cover", [("phase decision", "phase out")], "hand 0 = '1-0 3-2': expected none, as the seat went out"),
    ("cover", [("phase decision", "phase draw")], "chance = 'order': expected explicit, as the draw is the caller's"),
    ("cover", [("phase decision", "phase draw")], "drew = '3-2': expected none at the phase draw"),
    ("out", [("phase out", "phase blocked")], "boneyard = .*: expected none in a blocked round"),
    ("out", [("phase out", "phase blocked")], "phase = 'blocked': expected no tile that fits the 1 of train 0"),
    ("out", [("phase out", "phase blocked")], "trains = '0': expected the train of the last seat open"),
    ("out", [("phase out", "phase decision")], "owes = 'nothing'"),
    ("cover", [("1-0 3-2", "1-0 3-1"), ("2-1 3-1", "2-1 3-2"), ("drew 3-2", "drew none")], "'decision': .*it draws"),
    ("first", [("drew none", "drew 0-0"), ("draws=0", "draws=1")], "phase = 'decision': .*neither play nor draw"),
    ("cover", [("drew 3-2", "drew 4-3")], "drew = '4-3': expected a tile of hand 0"),
    ("cover", [("drew 3-2", "drew ?")], "drew = '\\?': expected the tile, as the hand is known"),
    ("cover", [("drew 3-2", "drew 3")], "drew = '3': expected a tile of double-4"),
    ("first", [("drew none", "drew earlier")], "drew = 'earlier': expected none, as the turn owes its first play"),
    ("chain", [("drew none", "drew 12-5"), ("draws=0", "draws=1")], "drew = '12-5': expected a draw for a"),
    ("cover", [("opening yes", "opening maybe")], "opening = 'maybe': expected yes, no"),
    ("first", [("openings 0 2", "openings 0 1 2")], "opening = 'yes': expected a turn that goes on"),
    ("first", [("opening yes", "opening no"), ("openings 0 2", "openings 0 1 2")], "opening = 'no': .* seat 1"),
    ("cover", [("openings 1", "openings 0 1")], "openings = '0': expected seats whose train is not started"),
    ("cover", [("openings 1", "openings 5")], "openings = '5': expected a seat"),
    ("chain", [("opening yes", "opening no")], "owes = 'chain': expected an opening turn under opening=chain"),
    ("chain", [("owes chain", "owes bonus")], "owes = 'bonus': expected a \\*-T that is laid"),
    ("chain", [("owes chain", "owes play")], "owes = 'play': expected required, bonus, chain, nothing or "),
    ("chain", [("owes chain", "owes required")], "opening = 'yes': expected train 0 not started before"),
    ("chain", [("pending draw", "pending skip")], "pending = 'skip': expected \\*-S laid in an opening chain"),
    ("chain", [("pending draw", "pending draw draw")], "pending = 'draw draw': expected none, skip, draw"),
    ("cover", [("pending none", "pending draw")], "pending = 'draw': expected \\*-D laid"),
    ("cover", [("chance order", "chance mextrain-stream/2 f9f7bc1bf09c84dc")], "chance = .*: expected hidden"),
    ("first", [("f9f7bc1bf09c84dc", "f9f7")], "chance = .*: expected hidden, explicit"),
    ("forced draw", [("chance explicit", "chance hidden")], "chance = 'hidden': expected explicit"),
    ("forced draw", [("owes required", "owes chain")], "owes = 'chain': expected a required play at a forced-draw"),
    # fields
    ("cover", [("starter 0; ", "")], "starter = none: expected every field; add `starter …`"),
    ("cover", [("hand 1: 1-1 3-0 4-3; ", "")], "hand 1 = none: expected every field"),
    ("cover", [("starter 0", "starter 0; starter 0")], "starter = 'starter 0': expected each field once"),
    ("cover", [("starter 0", "startre 0")], "field = 'startre 0': .*did you mean starter"),
    ("cover", [("hand 1:", "hand 2:")], "hand 2 = .*: expected hands of the seats 0 … 1"),
    ("cover", [("hand 1:", "hand:")], "field = .*write a hand as in"),
]


@pytest.mark.parametrize(("name", "changes", "said"), REFUSED, ids=lambda value: str(value)[:60])
def test_what_is_wrong_is_named(name: str, changes: list[tuple[str, str]], said: str) -> None:
    found = problems(changed(name, *changes))
    assert any(re.search(said, problem) for problem in found), found


@pytest.mark.parametrize("name", [name for name in FIELDS if name != "hand"])
def test_every_field_is_needed(name: str) -> None:
    version, *fields = GOLDEN["cover"][0].split("; ")
    line = "; ".join([version, *(field for field in fields if field.partition(" ")[0] != name)])
    assert any(problem.startswith(f"{name} = none: ") for problem in problems(line))


def test_all_that_is_wrong_is_told_at_once() -> None:
    line = changed(
        "cover", ("starter 0", "starter 7"), ("plays=2", "plays=5"), ("1-0 3-2", "1-0 9-9 8-8"), ("M:-", "M:x")
    )
    names = [problem.partition(" =")[0] for problem in problems(line)]
    assert names == ["starter", "trains", "hand 0", "hand 0"]
    line = changed("cover", ("turns=1 plays=2", "turns=0 plays=5"), ("4-0 ", ""), ("2-2@0,new", "2-2@M,new"))
    names = [problem.partition(" =")[0] for problem in problems(line)]
    assert names == ["missing tiles", "counts", "counts", "counts", "doubles", "owes"]


def test_dead_doubles_are_not_open() -> None:
    """All tiles with a 0 are on the table; docs/rules.md, section 7."""
    line = (
        "mextrain-position/1; rules mexican players=2 tile_set=double-2 hand_size=1; engine 2-2; starter 0; "
        "counts turns=2 plays=3 draws=0 attempts=4; seat 1 clockwise; phase decision; owes required; drew none; "
        "opening no; openings none; trains 0:0,open 1:0 M:-; doubles 0-0@0; toes none; pending none; "
        "hand 0: 1-1; hand 1: 2-1; boneyard none; laid 0-0 1-0 2-0; chance hidden"
    )
    assert any("doubles = '0-0@0': expected a double that some tile can still join" in text for text in problems(line))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "'' is not a line of a position: expected a text that begins with mextrain-position/1"),
        ("mextrain-position/3; rules", "this version of mextrain reads mextrain-position/1 and mextrain-position/2"),
        ("mextrain-position/1\nrules", "expected one line"),
        ("x" * 50_000, "expected one line"),
        (None, "none is not a line"),
        (b"mextrain-position/1", "is not a line"),
        (7, "7 is not a line"),
    ],
)
def test_what_is_no_line(text: Any, said: str) -> None:
    with pytest.raises(PositionError, match=re.escape(said)) as caught:
        Position.from_line(text)
    assert caught.value.problems == ()
    assert len(str(caught.value)) < 300


def test_a_hand_that_must_be_kept_is_no_decision() -> None:
    """Under failed_cover=mark the drawn tile stays in the hand; docs/rules.md, section 7."""
    line = changed("foot", ("double_rule=chicken_foot", "double_rule=chicken_foot failed_cover=mark"))
    assert any("must keep what it drew (failed_cover=mark)" in problem for problem in problems(line))


MARKED = (
    "mextrain-position/1; rules mexican players=2 tile_set=double-6 hand_size=4 opening=single double_rule=cover "
    "failed_cover=mark_and_play; engine 6-6; starter 0; counts turns=5 plays=5 draws=1 attempts=6; seat 0 clockwise; "
    "phase decision; owes required after 4-4@M; drew 5-4 marked for 4-4@M; opening no; openings none; "
    "trains 0:5,open 1:2 M:4; doubles 4-4@M,new; toes none; pending none; hand 0: 1-0 5-4; hand 1: 2-1 3-1; "
    "boneyard rest; laid 3-2 4-4 6-3 6-4 6-5; chance hidden"
)
"""Seat 0 has laid 4-4 on M, had nothing for it, and drew 5-4, which fits the double and the own train."""


def test_a_train_that_was_opened_before_the_drawn_tile_is_played() -> None:
    """Under failed_cover=mark_and_play; docs/rules.md, section 11."""
    position = Position.from_line(MARKED)
    assert position.legal_texts() == ("5-4@0", "4-5@M")
    assert position.must_cover == ()
    assert " drew 5-4 marked for 4-4@M;" in position.line()
    assert " drew ? marked for 4-4@M;" in position.line(for_seat=1)
    assert "it drew a tile and opened its train" in position.table(for_seat=1)
    position = Position.from_line(MARKED.replace("chance hidden", "chance explicit"))
    position.play("5-4@0")
    assert ([event.text for event in position.events], position.pending_draw) == (["0:5-4@0"], "draw")
    assert not position.is_open(0)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (" marked for 4-4@M", "", "write drew 5-4 marked for 4-4@M"),
        (" for 4-4@M", "", "write drew 5-4 marked for 4-4@M"),
        ("for 4-4@M", "for 5-5@0", "write drew 5-4 marked for 4-4@M"),
        ("for 4-4@M", "on 4-4@M", "a tile, or a tile and `marked for DOUBLE@TRAIN`"),
        ("for 4-4@M", "for 4-1@M", "only doubles are covered"),
        ("0:5,open", "0:5", "the train of seat 0 open"),
        ("mark_and_play", "play_drawn", "leave marked out"),
        ("hand 0: 1-0 5-4", "hand 0: 5-4 1-0 2-0", "missing"),
    ],
)
def test_what_is_said_of_an_opened_train(old: str, new: str, said: str) -> None:
    if said == "missing":  # Another tile that was drawn: it fits nowhere, so the turn would be over.
        line = MARKED.replace(old, new).replace("drew 5-4", "drew 2-0")
        said = "can neither play nor draw"
    else:
        line = MARKED.replace(old, new)
    with pytest.raises(PositionError, match=re.escape(said)):
        Position.from_line(line)


# -- lines that somebody broke

WORDS = [
    "none", "rest", "?", "?3", "-", "0", "1", "2", "9", "yes", "no", "draw", "skip", "earlier", "required", "chain",
    "bonus", "after", "out", "blocked", "decision", "forced-draw", "explicit", "hidden", "order", "0-0", "2-2", "*-*",
    "*-A", "2-2@0", "2-2@0,new", "0:0", "0:-,open", "M:2", "turns=2", "attempts=9", ";", ":", "=", "@", ",", "\u0663",
    "NaN", "clockwise", "counterclockwise", "double_rule=cover", "dead_double=binds", "hand", "hand 0:", "1e3",
    "99999999999",
]  # fmt: skip


@st.composite
def broken_lines(draw: Any) -> str:
    """Lines of real positions with some words left out, doubled, swapped, or replaced."""
    rules = draw(st.sampled_from([SMALL, RuleSet.mexican(2, tile_set="double-3", hand_size=2), FEET, RuleSet.super(3)]))
    position, dice = Position.deal(rules, seed=draw(st.integers(0, 50))), random.Random(draw(st.integers(0, 50)))
    for _ in range(draw(st.integers(0, 25))):
        if not position.over:
            step(position, dice)
    words = position.line(key=draw(st.booleans())).split(" ")
    for _ in range(draw(st.integers(1, 3))):
        at, other = draw(st.integers(0, len(words) - 1)), draw(st.integers(0, len(words) - 1))
        match draw(st.sampled_from(("leave out", "double", "swap", "replace", "letter"))):
            case "leave out":
                del words[at]
            case "double":
                words.insert(other, words[at])
            case "swap":
                words[at], words[other] = words[other], words[at]
            case "replace":
                semicolon = ";" if words[at].endswith(";") else ""
                words[at] = draw(st.sampled_from(WORDS)) + semicolon
            case _:
                letters = list(words[at])
                letters[draw(st.integers(0, len(letters) - 1))] = draw(st.characters(codec="utf-8"))
                words[at] = "".join(letters)
    return " ".join(words)


FEET = RuleSet.mexican(3, tile_set="double-5", hand_size=4, double_rule="chicken_foot")


def refused_or_played(line: str) -> None:
    """Only `PositionError` is raised; an accepted position keeps all invariants and plays to the end of the round."""
    try:
        position = Position.from_line(line)
    except PositionError:
        return
    assert BROKEN[broken_invariant(position._states, 0, position.rules.record)] == BROKEN[0]
    loaded(position)
    dice = random.Random(1)
    while not position.over:
        step(position, dice)
    loaded(position)


@settings(max_examples=1500)
@given(broken_lines())
def test_broken_lines_are_refused_or_can_be_played(line: str) -> None:
    refused_or_played(line)


@st.composite
def other_snapshots(draw: Any) -> Snapshot:
    """Snapshots of real positions with some values changed to other valid ones."""
    rules = draw(st.sampled_from([SMALL, FEET, RuleSet.super(3, hand_size=5, opening="chain"), BINDS]))
    position, dice = Position.deal(rules, seed=draw(st.integers(0, 50))), random.Random(draw(st.integers(0, 50)))
    for _ in range(draw(st.integers(0, 25))):
        if not position.over:
            step(position, dice)
    snapshot = read(position.line())
    halves = [rules.tiles.half(code) for code in range(len(rules.tiles.tables.half_names))]
    seats = st.integers(0, rules.players - 1)
    trains = st.sampled_from(position.trains)
    toes = st.just(()) | st.lists(st.sampled_from(halves), max_size=3).map(tuple)
    doubles = st.builds(OpenDouble, st.sampled_from(rules.tiles.doubles), trains, st.booleans(), toes)
    counts = st.builds(Counts, *[st.integers(0, 40)] * 4)
    values: dict[str, st.SearchStrategy[Any]] = {
        "seat": seats,
        "direction": st.sampled_from((1, -1)),
        "counts": counts,
        "phase": st.sampled_from(PHASES),
        "owed": st.sampled_from(OWES),
        "after": st.none() | doubles,
        "drew": st.sampled_from((None, "earlier", *rules.tiles)),
        "opening": st.booleans(),
        "openings": st.frozensets(seats),
        "doubles": st.lists(doubles, max_size=2).map(tuple) | st.just(tuple(reversed(snapshot.doubles))),
        "skip": st.booleans(),
        "penalty": st.booleans(),
        "chance": st.just(Chance("explicit")) | st.just(Chance("order")),
    }
    for _ in range(draw(st.integers(1, 3))):
        what = draw(st.sampled_from(("tile", "train", "counts", *values)))
        if what == "tile":
            places = [list(place) for place in (*snapshot.hands, snapshot.boneyard, snapshot.laid)]  # type: ignore[arg-type]
            source, target = draw(st.sampled_from(places)), draw(st.sampled_from(places))
            if source:
                target.append(source.pop(draw(st.integers(0, len(source) - 1))))
            *hands, boneyard, laid = map(tuple, places)
            plays = snapshot.counts._replace(plays=len(laid))
            snapshot = replace(snapshot, hands=tuple(hands), boneyard=boneyard, laid=laid, counts=plays)
        elif what == "train":
            states = list(snapshot.trains)
            at = draw(st.integers(0, len(states) - 1))
            ends = draw(st.lists(st.sampled_from(halves), max_size=2))
            states[at] = draw(st.sampled_from((states[at], TrainState(tuple(ends), False))))
            states[at] = states[at]._replace(open=at < rules.players and draw(st.booleans()))
            snapshot = replace(snapshot, trains=tuple(states))
        else:
            snapshot = replace(snapshot, **{what: draw(values[what])})
    return snapshot


BINDS = RuleSet.mexican(2, tile_set="double-3", hand_size=3, dead_double="binds", double_rule="cover")


@settings(max_examples=1500)
@given(other_snapshots())
def test_other_values_are_refused_or_can_be_played(snapshot: Snapshot) -> None:
    refused_or_played(str(snapshot))


@given(st.text())
def test_any_text_is_refused(text: str) -> None:
    for line in (text, f"mextrain-position/1; {text}", GOLDEN["foot"][0] + text):
        with contextlib.suppress(PositionError):
            read(line)
