"""Scenario files: scripted rounds for testing any implementation of the game. README.md describes the format."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from tests.reference.page import value_of

HEADER_KEYS = ("section", "cites", "covers", "rules", "engine", "starter", "sizes", "boneyard", "refused", "end")
CHECK_KEYS = ("trains", "doubles", "seat", "opening")
REST = "rest"
HAND_SIZES = {  # for 2 to 14 players
    "mexican": (8, 8, 12, 12, 12, 10, 10, 11, 11, 11, 11, 11, 11),
    "super": (25, 23, 18, 16, 14, 12, 11, 10, 9, 8, 7, 6, 6),
    "tournament": (15, 15, 15, 12, 12, 10, 10, 11, 11, 11, 11, 11, 11),
    "puremco": (16, 15, 14, 12, 11, 10, 9, 11, 11, 11, 11, 11, 11),
    "cardinal": (15, 15, 15, 12, 12, 11, 11, 11, 11, 11, 11, 11, 11),
    "pagat": (15, 15, 15, 12, 12, 10, 10, 8, 8, 11, 11, 11, 11),
    "pressman": (15, 15, 15, 11, 11, 8, 8, 11, 11, 11, 11, 11, 11),
}
DOUBLE_12 = {"tournament": 8, "puremco": 8, "cardinal": 8, "pagat": 10, "pressman": 8}
"""Presets that play double-12 up to this number of players."""

_EVENT = re.compile(r"(\d+):(\S.*)")
_LEGAL = re.compile(r"(legal|illegal) (\d+):(.*)")
_HAND = re.compile(r"hand (\d+):(.*)")
_KEY = re.compile(r"([a-z]+):(.*)")
_FORCED = ("draw ", "forced-draw ", "open", "skip")


class ScenarioError(AssertionError):
    """A scenario file that cannot be read, or an implementation that deviates from it."""


class Adapter:
    """The interface to an implementation."""

    name = "none"

    def check_rules(self, rules: dict) -> None:
        """Only make a rules object; ValueError if the rules are refused."""
        raise NotImplementedError

    def start(self, rules: dict, engine: str, starter: int, hands: list, boneyard: list) -> None:
        """Begin a round and run it to its first decision."""
        raise NotImplementedError

    def seat(self) -> int:
        """The seat that has to decide."""
        raise NotImplementedError

    def legal(self) -> list:
        """The legal plays (and `stop`) as texts, each once."""
        raise NotImplementedError

    def play(self, text: str) -> None:
        """Play for the seat that has to decide; raise ValueError, and change nothing, if it is not legal."""
        raise NotImplementedError

    def events(self) -> list:
        """All events so far, as texts."""
        raise NotImplementedError

    def ends(self) -> list:
        """By train, M last: the list of its ends (halves as texts)."""
        raise NotImplementedError

    def open_trains(self) -> set:
        raise NotImplementedError

    def open_doubles(self) -> list:
        """Live open doubles, oldest first: (double, train, "inherited" or "new")."""
        raise NotImplementedError

    def opening(self) -> bool:
        """Whether the current turn is an opening turn."""
        raise NotImplementedError

    def over(self) -> bool:
        raise NotImplementedError

    def end(self) -> str | None:
        """`out`, `blocked`, or None while the round is running."""
        raise NotImplementedError

    def winner(self) -> int | None:
        raise NotImplementedError

    def points(self) -> list:
        raise NotImplementedError


@dataclass
class Scenario:
    path: Path
    section: str = ""
    cites: list = field(default_factory=list)
    covers: list = field(default_factory=list)
    rules: dict = field(default_factory=dict)
    engine: str = ""
    starter: int = 0
    sizes: str = ""
    hands: list = field(default_factory=list)
    boneyard: list = field(default_factory=list)
    script: list = field(default_factory=list)  # (line number, kind, value)
    end: tuple | None = None  # (line number, kind, winner, points)
    refused: list = field(default_factory=list)

    @property
    def tile_set(self) -> str:
        return set_name(self.rules)


def set_name(rules: dict) -> str:
    """The tile set that the rules play with, by the tables of docs/rules.md section 3."""
    if "tile_set" in rules:
        return rules["tile_set"]
    if rules["preset"] == "super":
        return "super"
    players = rules["players"]
    if players <= DOUBLE_12.get(rules["preset"], 0):
        return "double-12"
    return "double-" + str(9 if players <= 3 else 12 if players <= 8 else 15 if players <= 12 else 18)


def hand_size(rules: dict) -> int:
    """The number of tiles dealt to each seat, by the tables of docs/rules.md section 3."""
    if rules.get("hand_size") is not None:
        return rules["hand_size"]
    return HAND_SIZES[rules["preset"]][rules["players"] - 2]


def engine_is_dealt(rules: dict) -> bool:
    """Whether hand sizes differ, since one seat lays the engine from its hand."""
    usual = "holder" if rules["preset"] in ("cardinal", "pagat", "pressman") else "set_aside"
    return rules.get("engine_from", usual) != "set_aside"


def set_tiles(name: str) -> list:
    """All tiles of a set in index order (docs/rules.md section 2)."""
    top = 12 if name == "super" else int(name.removeprefix("double-"))
    tiles = [f"{high}-{low}" for high in range(top + 1) for low in range(high + 1)]
    if name == "super":
        tiles += [f"*-{low}" for low in range(13)] + ["*-*"]
        tiles += ["*-A", "*-A", "*-A", "*-D", "*-R", "*-S", "*-T"]
    return tiles


def parse(path: Path) -> Scenario:
    """Read a scenario file; every fault is a ScenarioError with file and line."""
    scenario = Scenario(path)
    hands: dict = {}
    seen: set = set()
    in_script = False
    has_deal = None

    for number, raw in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        line = raw.split("#", 1)[0].strip()
        if not line:
            continue

        def fail(message: str, number: int = number):
            raise ScenarioError(f"{path.name}:{number}: {message}")

        if line == "script:":
            in_script = True
            continue
        hand, legal, event = _HAND.fullmatch(line), _LEGAL.fullmatch(line), _EVENT.fullmatch(line)
        if hand and not in_script:
            seat = int(hand[1])
            if seat in hands:
                fail(f"hand {seat} twice")
            hands[seat] = hand[2].split()
            continue
        if legal or event:
            if not in_script:
                fail("a script line before 'script:'")
            if scenario.end:
                fail("a line after 'end:'")
            if legal:
                actions = legal[3].split()
                if len(set(actions)) != len(actions):
                    fail("an action is written twice")
                scenario.script.append((number, legal[1], (int(legal[2]), actions)))
            else:
                scenario.script.append((number, "event", (int(event[1]), event[2])))
            continue
        match = _KEY.fullmatch(line)
        if not match or match[1] not in HEADER_KEYS + CHECK_KEYS:
            fail(f"not understood: {line!r}")
        key, text = match[1], match[2].strip()
        if key in CHECK_KEYS:
            if not in_script or scenario.end:
                fail(f"'{key}:' belongs between 'script:' and 'end:'")
            scenario.script.append((number, key, text))
            continue
        if key in seen:
            fail(f"'{key}:' twice")
        seen.add(key)
        if (key == "end") != in_script:
            fail(f"'{key}:' in the wrong place")
        if key in ("section", "engine", "sizes"):
            setattr(scenario, key, text)
        elif key == "starter":
            scenario.starter = int(text)
        elif key in ("cites", "covers", "refused", "boneyard"):
            setattr(scenario, key, text.split())
        elif key == "rules":
            pairs = [word.partition("=") for word in text.split()]
            scenario.rules = {name: value_of(name, value) for name, _, value in pairs}
        elif key == "end":
            scenario.end = _parse_end(text, number, fail)

    def missing(message: str):
        raise ScenarioError(f"{path.name}: {message}")

    if not scenario.section:
        missing("no 'section:'")
    if "preset" not in scenario.rules:
        missing("'rules:' must begin with the preset")
    has_deal = bool(hands)
    if scenario.refused:
        if has_deal or scenario.script:
            missing("a 'refused:' scenario has neither hands nor a script")
        return scenario
    if not scenario.end:
        missing("no 'end:'")
    _deal(scenario, hands, missing)
    return scenario


def _parse_end(text: str, number: int, fail) -> tuple:
    words = text.split()
    if words == ["running"]:
        return (number, "running", None, None)
    values = dict(word.split("=", 1) for word in words[1:])
    if not words or words[0] not in ("out", "blocked") or "points" not in values:
        fail("'end:' is 'running', 'out winner=S points=A,B,...' or 'blocked points=A,B,...'")
    if (words[0] == "out") != ("winner" in values):
        fail("a winner is named exactly when a seat went out")
    winner = int(values["winner"]) if "winner" in values else None
    return (number, words[0], winner, [int(point) for point in values["points"].split(",")])


def _deal(scenario: Scenario, hands: dict, missing) -> None:
    """Fill up the places that say `rest`, and check that every tile is in exactly one place."""
    left = set_tiles(scenario.tile_set)

    def take(tile: str):
        if tile not in left:
            missing(f"{tile} is not in the set, or is placed twice (write the higher half first)")
        left.remove(tile)

    players = scenario.rules.get("players")
    if sorted(hands) != list(range(players)):
        missing(f"hands of the seats 0 to {players - 1} are wanted")
    take(scenario.engine)
    places = [hands[seat] for seat in range(players)] + [scenario.boneyard]
    for place in places:
        for index, tile in enumerate(place):
            if tile == REST and index + 1 == len(place):
                continue
            take(tile)
    size = hand_size(scenario.rules)
    for place in places:
        if place and place[-1] == REST:
            place.pop()
            if place is not scenario.boneyard:
                count = size - len(place)
            else:
                count = len(left)
            place += left[:count]
            del left[:count]
    if left:
        missing(f"{len(left)} tiles are nowhere, {left[0]} among them")
    scenario.hands = places[:-1]
    sizes = [len(hand) for hand in scenario.hands]
    # If the engine is dealt, the scenario begins when it has been laid.
    if set(sizes) != {size} and scenario.sizes != "uneven" and not engine_is_dealt(scenario.rules):
        missing(f"the hands have {sorted(set(sizes))} tiles, the rules say {size}")
    if sum(sizes) + len(scenario.boneyard) + 1 != len(set_tiles(scenario.tile_set)):
        missing("hands, boneyard and engine do not make up the set")


def run(scenario: Scenario, adapter: Adapter) -> None:
    """Run a scenario with an implementation; ScenarioError names file, line and what was expected."""
    if scenario.refused:
        _run_refused(scenario, adapter)
        return
    adapter.start(
        dict(scenario.rules),
        scenario.engine,
        scenario.starter,
        [list(hand) for hand in scenario.hands],
        list(scenario.boneyard),
    )
    done = 0  # events of the script so far
    for number, kind, value in scenario.script:

        def fail(message: str, number: int = number):
            tail = ", ".join(adapter.events()[-4:]) or "none"
            where = f"{scenario.path.name}:{number}: [{adapter.name}]"
            raise ScenarioError(f"{where} {message} (last events: {tail})")

        if kind == "event":
            _event(adapter, value, done, fail)
            done += 1
            continue
        events = adapter.events()
        if len(events) > done:
            fail(f"'{kind}:' wants a decision here, but the game already did {events[done]!r}")
        if adapter.over():
            fail(f"'{kind}:' wants a decision here, but the round is over ({adapter.end()})")
        _CHECKS[kind](adapter, value, fail)
    _finish(scenario, adapter, done)


def _run_refused(scenario: Scenario, adapter: Adapter) -> None:
    where = f"{scenario.path.name}: [{adapter.name}]"
    try:
        adapter.check_rules(dict(scenario.rules))
    except ValueError as error:
        words = re.findall(r"[\w*-]+", str(error))
        for word in scenario.refused:
            if word not in words:
                raise ScenarioError(f"{where} the refusal must name {word!r}, but says: {error}") from error
        return
    raise ScenarioError(f"{where} these rules must be refused")


def _event(adapter: Adapter, value: tuple, done: int, fail) -> None:
    seat, what = value
    text = f"{seat}:{what}"
    events = adapter.events()
    if len(events) > done:
        if events[done] != text:
            fail(f"expected the event {text!r}, but the game did {events[done]!r}")
        return
    if adapter.over():
        fail(f"expected the event {text!r}, but the round is over ({adapter.end()})")
    if what.startswith(_FORCED):
        fail(f"expected the event {text!r}, but the game waits for seat {adapter.seat()} to decide")
    if adapter.seat() != seat:
        fail(f"expected seat {seat} to decide, but the game waits for seat {adapter.seat()}")
    if what not in adapter.legal():
        fail(f"{text!r} is not legal, legal are: {' '.join(sorted(adapter.legal()))}")
    try:
        adapter.play(what)
    except ValueError as error:
        fail(f"{text!r} was refused: {error}")
    events = adapter.events()
    if len(events) <= done or events[done] != text:
        fail(f"the event {text!r} was not recorded")


def _check_legal(adapter: Adapter, value: tuple, fail) -> None:
    seat, actions = value
    if adapter.seat() != seat:
        fail(f"expected seat {seat} to decide, but the game waits for seat {adapter.seat()}")
    got = list(adapter.legal())
    if sorted(got) != sorted(actions):
        missing = " ".join(sorted(set(actions) - set(got))) or "none"
        extra = " ".join(sorted(set(got) - set(actions))) or "none"
        twice = "" if len(set(got)) == len(got) else ", and some actions twice"
        fail(f"legal set of seat {seat}: missing {missing}, not expected {extra}{twice}")


def _check_illegal(adapter: Adapter, value: tuple, fail) -> None:
    seat, actions = value
    if adapter.seat() != seat:
        fail(f"expected seat {seat} to decide, but the game waits for seat {adapter.seat()}")
    for action in actions:
        legal, events = list(adapter.legal()), list(adapter.events())
        if action in legal:
            fail(f"{action!r} must not be legal for seat {seat}")
        try:
            adapter.play(action)
        except ValueError:
            pass
        else:
            fail(f"{action!r} must be refused")
        if list(adapter.legal()) != legal or list(adapter.events()) != events or adapter.seat() != seat:
            fail(f"the refused action {action!r} changed the state")


def _check_trains(adapter: Adapter, text: str, fail) -> None:
    ends, open_trains = adapter.ends(), set(adapter.open_trains())
    for word in text.split():
        name, _, want = word.partition("=")
        is_open = want.endswith("+")
        train = len(ends) - 1 if name == "M" else int(name)
        got = list(ends[train])
        if sorted(got) != sorted(want.removesuffix("+").split(",")):
            fail(f"train {name} must end in {want.removesuffix('+')}, it ends in {','.join(got)}")
        if name != "M" and (train in open_trains) != is_open:
            fail(f"train {name} must be {'open' if is_open else 'closed'}")


def _check_doubles(adapter: Adapter, text: str, fail) -> None:
    got = [f"{double}@{train} {age}" for double, train, age in adapter.open_doubles()]
    want = [] if text == "none" else [" ".join(part.split()) for part in text.split(",")]
    if got != want:
        fail(f"open doubles: expected {', '.join(want) or 'none'}, got {', '.join(got) or 'none'}")


def _check_seat(adapter: Adapter, text: str, fail) -> None:
    if adapter.seat() != int(text):
        fail(f"expected seat {text} to decide, but the game waits for seat {adapter.seat()}")


def _check_opening(adapter: Adapter, text: str, fail) -> None:
    if text not in ("yes", "no"):
        fail("'opening:' is yes or no")
    if bool(adapter.opening()) != (text == "yes"):
        fail(f"opening turn: expected {text}")


_CHECKS = {
    "legal": _check_legal,
    "illegal": _check_illegal,
    "trains": _check_trains,
    "doubles": _check_doubles,
    "seat": _check_seat,
    "opening": _check_opening,
}


def _finish(scenario: Scenario, adapter: Adapter, done: int) -> None:
    number, kind, winner, points = scenario.end
    where = f"{scenario.path.name}:{number}: [{adapter.name}]"
    events = adapter.events()
    if len(events) > done:
        raise ScenarioError(f"{where} the script is at its end, but the game did {events[done]!r}")
    if kind == "running":
        if adapter.over():
            raise ScenarioError(f"{where} the round must go on, but it is over ({adapter.end()})")
        return
    if not adapter.over():
        raise ScenarioError(f"{where} the round must be over ({kind}), seat {adapter.seat()} is to decide")
    got = (adapter.end(), adapter.winner(), list(adapter.points()))
    if got != (kind, winner, points):
        raise ScenarioError(f"{where} expected {(kind, winner, points)}, got {got}")
