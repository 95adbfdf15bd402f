"""Every argument of every public function with every kind of wrong value: a result or one clear error.

The tests of each function define what it accepts. Here it may accept or refuse a strange value, but it must not end in
a traceback of ours or hang, and its error must have at least the name of the argument and its value.
"""

from __future__ import annotations

import inspect
import math
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest

import mextrain
from mextrain import (
    Beliefs,
    Event,
    Layout,
    Match,
    MextrainError,
    Position,
    RoundRecord,
    RuleSet,
    StopRule,
    Tile,
    TileSet,
    WorldSampler,
    analyse,
    beliefs,
    compare_rules,
    count_worlds,
    determinize,
    information_key,
    information_text,
    observe,
    plan,
    replay,
    replay_page,
    resume_tournament,
    search,
    simulate,
    survey,
    survey_hands,
    tournament,
    warmup,
)
from mextrain.archive import Job
from mextrain.bulk.policies import check_policies
from mextrain.bulk.positions import play_rounds
from mextrain.bulk.seat_policies import Seats
from mextrain.game.seeding import check_game, check_seed, parse_seed, round_key
from mextrain.game.tiles import parse_half
from mextrain.hidden.observation import expand, legal_mask
from mextrain.study.hands import cannot_start
from mextrain.study.planner import first_hands, longest_chain

MAX_MESSAGE = 2000
"""Maximum length of a message in characters."""


class Rude:
    """An object whose repr fails."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


BAD: dict[str, Any] = {
    "none": None,
    "true": True,
    "minus": -1,
    "fraction": 1.5,
    "nan": math.nan,
    "infinite": math.inf,
    "huge": 10**30,
    "too-many": 2**64,
    "digits": "3",
    "letter": "a",
    "empty": "",
    "lines": "a\nb",
    "surrogate": "\ud800",
    "long": "x" * 10_000,
    "bytes": b"x",
    "list": [],
    "nested": [[[]]],
    "nones": [None],
    "dict": {"a": 1},
    "set": frozenset({1}),
    "object": object(),
    "rude": Rude(),
    "type": int,
    "array": np.array([1, 2]),
    "floats": np.array([0.5]),
    "float64": np.float64(2),
    "function": lambda *given: given[99],
    "generator": "a generator",
}

RULES = RuleSet.mexican(players=2, tile_set="double-3", hand_size=3, rounds=2)
POSITION = Position.deal(RULES, seed=1)
VIEW = POSITION.line(for_seat=0, events=True)
LEGAL = POSITION.legal_ids()[0]
SET = TileSet("super")
ACTIONS = RULES.actions


def finished() -> Position:
    """A round that is over."""
    position = Position.deal(RULES, seed=1)
    while not position.over:
        position.play(position.legal_moves()[0])
    return position


RECORD = RoundRecord.from_dict(finished().record())
PLAYED = simulate(RULES, games=2, record_actions=True)
FOLDER = tempfile.TemporaryDirectory()
SAVED = str(Path(FOLDER.name) / "rounds.jsonl")
tournament(RULES, "random,heaviest", deals=1, out=SAVED)
EXPLICIT = Position.deal(RULES, seed=1, chance="explicit")
BELIEFS = beliefs(POSITION, 0)
HANDS = ["3-3 3-2 3-1", "2-2 2-1 2-0"]


class Door(NamedTuple):
    """A function with good arguments. `free`: arguments that take anything, such as switches."""

    function: Callable[..., Any]
    good: dict[str, Any]
    free: tuple[str, ...] = ()
    called: Mapping[str, str] = MappingProxyType({})
    """The names of arguments in messages, if different."""


PLAY = {"rules": RULES, "games": 1, "seed": 0, "policies": "random", "workers": 1, "first_game": 0, "progress": None}
SEEN = {"standing": POSITION, "seat": 0}
SEATED = {"position": POSITION, "seat": 0}

DOORS = {
    "Tile": Door(Tile, {"high": 1, "low": 2}, called={"high": "half", "low": "half"}),
    "Tile.parse": Door(Tile.parse, {"text": "1-2"}, called={"text": "tile"}),
    "parse_half": Door(parse_half, {"text": "1"}, called={"text": "half"}),
    "TileSet": Door(TileSet, {"name": "super"}, called={"name": "tile set"}),
    "TileSet.parse": Door(SET.parse, {"text": "1-2"}, called={"text": "tile"}),
    "TileSet.parse_all": Door(SET.parse_all, {"text": "1-2"}, called={"text": "tile"}),
    "TileSet.index": Door(SET.index, {"tile": Tile(1, 2)}),
    "TileSet.count": Door(SET.count, {"tile": Tile(1, 2)}, free=("tile",)),
    "TileSet.half_code": Door(SET.half_code, {"half": 1}, called={"half": "shows"}),
    "TileSet.half": Door(SET.half, {"code": 1}),
    "RuleSet.preset": Door(RuleSet.preset, {"players": 2, "name": "mexican"}, called={"name": "preset"}),
    "RuleSet.mexican": Door(RuleSet.mexican, dict(RULES.options())),
    "RuleSet.from_dict": Door(RuleSet.from_dict, {"rules": {"preset": "mexican", "players": 2}}),
    "RuleSet.from_texts": Door(
        RuleSet.from_texts,
        {"preset": "mexican", "players": 2, "texts": ["rounds=1"]},
        called={"texts": "option"},
    ),
    "RuleSet.replace": Door(RULES.replace, {"players": 3, "starter": 1}),
    "RuleSet.points": Door(RULES.points, {"tiles": [Tile(1, 2)]}, called={"tiles": "tile"}),
    "Actions.id": Door(ACTIONS.id, {"move": mextrain.STOP}),
    "Actions.move": Door(ACTIONS.move, {"action": 0}),
    "Actions.text": Door(ACTIONS.text, {"move": 0}, called={"move": "action id"}),
    "Actions.tile": Door(ACTIONS.tile, {"move": 0}, called={"move": "action id"}),
    "Actions.parse": Door(ACTIONS.parse, {"text": "3-2@0"}, called={"text": ""}),
    "Actions.codes": Door(ACTIONS.codes, {"ids": np.array([0])}, called={"ids": "action id"}),
    "Actions.ids": Door(ACTIONS.ids, {"codes": np.array([0x3FFF])}, called={"codes": "code"}),
    "Actions.relative": Door(ACTIONS.relative, {"action": 0, "seat": 1}),
    "Actions.absolute": Door(ACTIONS.absolute, {"action": 0, "seat": 1}),
    "Event.parse": Door(Event.parse, {"text": "0:3-2@0", "actions": ACTIONS}, called={"text": "event"}),
    "check_seed": Door(check_seed, {"seed": 0}),
    "check_game": Door(check_game, {"game": 0}),
    "parse_seed": Door(parse_seed, {"text": "0"}, called={"text": "seed"}),
    "round_key": Door(round_key, {"seed": 0, "game": 0, "engine": "3-3"}, called={"engine": "tile"}),
    "Position.deal": Door(
        Position.deal, {"rules": RULES, "seed": 0, "game": 0, "engine": None, "starter": None, "chance": "stream"}
    ),
    "Position.setup": Door(
        Position.setup,
        {
            "rules": RULES, "hands": HANDS, "engine": "0-0", "starter": 0, "boneyard": None, "seed": 1, "game": 0,
            "chance": "stream",
        },
        called={"hands": "hand"},
    ),
    "Position.from_line": Door(Position.from_line, {"text": POSITION.line()}, called={"text": "line"}),
    "Position.line": Door(
        POSITION.line,
        {"for_seat": None, "key": False, "events": False},
        free=("key", "events"),
        called={"for_seat": "seat"},
    ),
    "Position.record": Door(POSITION.record, {"legal": False, "partial": True}, free=("legal", "partial")),
    "determinize, a line": Door(determinize, {"position": VIEW, "seat": 0, "seed": 0}),
    "Position.table": Door(
        POSITION.table, {"for_seat": None, "width": 80}, called={"for_seat": "seat", "width": "wide"}
    ),
    "Position.svg": Door(
        POSITION.svg,
        {"for_seat": None, "width": 720, "theme": "auto", "suggest": None, "names": None, "hands": True},
        called={"for_seat": "seat", "suggest": ""},
    ),
    "Plan.svg": Door(plan("1-2 2-3", 1).svg, {"width": 720, "theme": "auto"}),
    "Beliefs.svg": Door(beliefs(POSITION, 0).svg, {"width": 720, "theme": "auto"}),
    "replay_page": Door(
        replay_page,
        {
            "record": RECORD, "for_seat": None, "names": None, "beliefs": False, "worlds": 20, "seed": 0,
            "analysis": None, "event": None,
        },
        called={"record": "", "for_seat": "seat"},
    ),
    "Position.play": Door(lambda action: POSITION.copy().play(action), {"action": LEGAL}, called={"action": ""}),
    "Position.try_play": Door(lambda action: POSITION.copy().try_play(action), {"action": 0}, called={"action": ""}),
    "Position.play_unchecked": Door(
        lambda action: POSITION.copy().play_unchecked(action), {"action": LEGAL}, called={"action": ""}
    ),
    "Position.is_legal": Door(POSITION.is_legal, {"action": 0}, called={"action": ""}),
    "Position.why_illegal": Door(POSITION.why_illegal, {"action": 0}, called={"action": ""}),
    "Position.draw": Door(lambda tile: EXPLICIT.copy().draw(tile), {"tile": "3-2"}, called={"tile": "draw"}),
    "Position.is_open": Door(POSITION.is_open, {"train": 0}),
    "Position.ends": Door(POSITION.ends, {"train": 0}),
    "Match": Door(Match, {"rules": RULES, "seed": 0, "game": 0, "chance": "stream"}),
    "RoundRecord.from_dict": Door(RoundRecord.from_dict, {"record": RECORD.to_dict()}, called={"record": ""}),
    "RoundRecord.from_json": Door(RoundRecord.from_json, {"line": RECORD.to_json()}, called={"line": ""}),
    "replay": Door(replay, {"record": RECORD}, called={"record": ""}),
    "information_key": Door(information_key, SEEN, called={"standing": "position"}),
    "information_text": Door(information_text, SEEN, called={"standing": "position"}),
    "observe": Door(observe, SEEN, called={"standing": "position"}),
    "legal_mask": Door(legal_mask, SEEN, called={"standing": "position"}),
    "Layout": Door(lambda rules: Layout(rules).bits, {"rules": RULES}),
    "expand": Door(expand, {"words": observe(POSITION, 0), "bits": 64, "dtype": np.uint8}),
    "determinize": Door(determinize, {**SEATED, "seed": 0}),
    "WorldSampler": Door(WorldSampler, {**SEATED, "seed": 0}),
    "WorldSampler.states": Door(WorldSampler(POSITION, 0, 0).states, {"count": 1}),
    "WorldSampler.places": Door(WorldSampler(POSITION, 0, 0).places, {"count": 1}),
    "count_worlds": Door(count_worlds, {**SEATED, "most": 100_000}),
    "beliefs": Door(beliefs, {**SEATED, "samples": 20, "seed": 0}),
    "Beliefs.of": Door(BELIEFS.of, {"tile": BELIEFS.tiles[0], "seat": None}),
    "simulate": Door(
        simulate,
        {**PLAY, "record_actions": False, "backend": "scalar"},
        free=("record_actions",),
        called={"policies": "polic"},
    ),
    "survey": Door(survey, {**PLAY, "backend": "scalar", "cluster": None}, called={"policies": "polic"}),
    "play_rounds": Door(
        lambda **given: next(play_rounds(**given)),
        {name: PLAY[name] for name in PLAY if name not in ("workers", "progress")},
        called={"policies": "polic"},
    ),
    "search": Door(
        search,
        {
            "position": POSITION, "seat": None, "playouts": 4, "seconds": None, "until": None, "method": "flat",
            "policy": "random", "utility": "margin", "seed": 0, "workers": 1, "drop": 1.0, "trees": 1,
            "block": 16, "value": None, "prior": None, "totals": None,
        },
        called={"method": "search", "policy": "polic"},
    ),
    "analyse": Door(
        analyse,
        {
            "record": RECORD, "playouts": 4, "seconds": None, "method": "flat", "policy": "random",
            "utility": "margin", "seed": 0, "workers": 1, "luck_playouts": 2, "progress": None,
        },
        called={"record": "", "method": "search", "policy": "polic"},
    ),
    "Analysis.of": Door(analyse(RECORD, playouts=4, luck_playouts=2).of, {"seat": 0}),
    "Simulation.actions_of": Door(PLAYED.actions_of, {"game": 0, "number": 0}),
    "check_policies": Door(partial(check_policies, players=2), {"policies": "random"}, called={"policies": "polic"}),
    "Seats.of": Door(partial(Seats.of, players=2), {"policies": "random"}, called={"policies": "polic"}),
    "tournament": Door(
        tournament,
        {
            "rules": RULES, "policies": "random,heaviest", "deals": 1, "seed": 0, "format": "pairs", "workers": 1,
            "first_game": 0, "progress": None, "stop": None, "out": None,
        },
        called={"policies": "polic"},
    ),
    "resume_tournament": Door(
        resume_tournament,
        {"file": SAVED, "deals": None, "stop": None, "workers": 1, "progress": None},
    ),
    "StopRule": Door(StopRule, {"until": None, "test": None, "error": 0.05}),
    "compare_rules": Door(
        compare_rules,
        {
            "base": RULES, "variants": [RULES], "games": 1, "seed": 0, "policies": "random", "workers": 1,
            "first_game": 0, "progress": None,
        },
        called={"base": "rules", "policies": "polic"},
    ),
    "plan": Door(
        plan,
        {
            "hand": "3-2", "start": 3, "tile_set": None, "goal": "longest", "letter_match": "train_only",
            "double_blank": 0, "time_limit": 1.0, "count": False,
        },
        free=("count",), called={"tile_set": "tile set", "hand": ""},
    ),
    "first_hands": Door(first_hands, {"rules": RULES, "games": 1, "seed": 0, "first_game": 0, "goal": "longest"}),
    "longest_chain": Door(longest_chain, {"pairs": [(1, 2)], "time_limit": 1.0}),
    "survey_hands": Door(
        survey_hands,
        {"rules": RULES, "games": 1, "seed": 0, "goal": "longest", "workers": 1, "first_game": 0, "progress": None},
    ),
    "cannot_start": Door(cannot_start, {"rules": RULES}),
    "Job.create": Door(
        Job.create,
        {"rules": RULES, "games": 1, "seed": 0, "policies": "random", "first_game": 0, "shard_games": 1},
        called={"policies": "polic"},
    ),
    "BatchEnv": Door(
        mextrain.BatchEnv,
        {
            "rules": RULES, "n": 2, "seed": 0, "first_game": 0, "stride": None, "outside": 0, "others": "random",
            "episode": "round", "observe": "table", "masks": True, "legal": None, "actions": "ids",
            "illegal": "raise", "reward": "zero_sum", "autoreset": "same", "final": False, "keep": False, "threads": 1,
        },
        called={"others": "polic"},
    ),
    "warmup": Door(lambda tell: None if tell is None or callable(tell) else warmup(tell), {"tell": None}),
}

CASES = [(door, argument) for door, (_, good, _, _) in DOORS.items() for argument in good]


def call(name: str, arguments: Mapping[str, Any]) -> Any:
    """Call a function; one argument of `RuleSet.preset` has no name that a caller may use."""
    door = DOORS[name]
    if name != "RuleSet.preset":
        return door.function(**arguments)
    named = dict(arguments)
    return door.function(named.pop("name"), **named)


def test_the_good_arguments_are_good() -> None:
    for name, door in DOORS.items():
        if name != "Position.draw":  # No draw is due there.
            call(name, door.good)


@pytest.mark.parametrize(("name", "argument"), CASES, ids=[f"{door}-{argument}" for door, argument in CASES])
def test_a_wrong_argument_is_one_clear_error(
    name: str, argument: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Some of the wrong values are good names of files.
    monkeypatch.chdir(tmp_path)
    refuses_each(DOORS[name], argument, partial(call, name))


def refuses_each(door: Door, argument: str, call_with: Callable[[Mapping[str, Any]], Any]) -> None:
    """Call with each wrong value for one argument: a result or one clear error."""
    refused = []
    for kind, value in BAD.items():
        if argument in door.free and isinstance(value, np.ndarray):
            continue  # NumPy itself refuses the truth value of such an array.
        given = door.good | {argument: (x for x in (1, "a")) if kind == "generator" else value}
        try:
            call_with(given)
        except MextrainError as error:
            text = str(error)
            assert "\n" not in text, (kind, text)
            assert len(text) <= MAX_MESSAGE, (kind, text)
            assert door.called.get(argument, argument).lower() in text.lower(), (kind, text)
            refused.append(kind)
        except Exception:
            # A function of the caller may raise anything, and the caller gets that error.
            assert argument in ("policies", "progress", "value", "prior"), kind
            assert kind in ("type", "function"), kind
    if argument not in door.free:
        assert {"object", "rude"} <= set(refused), refused


def test_every_public_function_has_a_door() -> None:
    """Every public function is listed above, except classes that users do not instantiate."""
    made_for_people = {
        "Batch", "BatchPolicy", "Beliefs", "Decision", "HandSummary", "Interrupted", "Move", "MoveResult", "OpenDouble",
        "Option", "Page", "Plan", "Problem", "RuleComparison", "SearchResult", "Simulation", "Tournament", "Warmup",
        "WorldCount", "Actions",
    }
    doors = {name.partition(".")[0] for name in DOORS}
    for name in mextrain._HOMES:
        thing = getattr(mextrain, name)
        is_error = inspect.isclass(thing) and issubclass(thing, BaseException)
        if callable(thing) and not is_error and name not in made_for_people:
            assert name in doors, name
    assert isinstance(BELIEFS, Beliefs)


TOO_MANY = {
    "simulate": ("games", lambda count: simulate(RULES, games=count)),
    "simulate, recorded": ("games", lambda count: simulate(RULES, games=count, record_actions=True)),
    "first_hands": ("games", lambda count: first_hands(RULES, count)),
    "WorldSampler.states": ("count", lambda count: WorldSampler(POSITION, 0, 0).states(count)),
}


@pytest.mark.parametrize("name", TOO_MANY)
@pytest.mark.parametrize("count", [10**12, 10**11])
def test_more_than_memory_holds_is_one_clear_error(name: str, count: int) -> None:
    argument, function = TOO_MANY[name]
    with pytest.raises(MextrainError, match=rf"{argument} = {count:,}: so many do not fit into memory, \w+"):
        function(count)
