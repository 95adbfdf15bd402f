"""Reads a `Snapshot` from a line, field by field, and reports all problems at once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

from mextrain.errors import PositionError, Problem, RecordError, RuleError, TileError, nearest, shown
from mextrain.game.events import DRAW, FORCED_DRAW, Event
from mextrain.game.moves import MEXICAN_TRAIN
from mextrain.game.read_only import OpenDouble, Train
from mextrain.game.rules import RuleSet
from mextrain.game.seeding import STREAM
from mextrain.game.tiles import Half, Tile, parse_half
from mextrain.notation.check import problems_of
from mextrain.notation.snapshot import (
    COUNTS,
    DIRECTIONS,
    EARLIER,
    EVENTS,
    EVENTS_FORMAT,
    FIELDS,
    FORMAT,
    OWES,
    PHASES,
    UNSEEN,
    Chance,
    Counts,
    Hidden,
    Place,
    Snapshot,
    TrainState,
)

T = TypeVar("T")

MAX_CHARACTERS = 20_000
"""The longest text that is read. No position needs this much; longer texts are rejected without being parsed."""

_WRONG = "the line describes no position"
_REST = "rest"
_NAME = re.compile(r"(hand)\s+([^\s:]+)\s*:|([^\s:]+)")


def read(text: str) -> Snapshot:
    """Return the snapshot that a line describes. Raises a `PositionError` that lists everything wrong with the line.

    Fields may be in any order, and the halves of a tile too. A line with hidden places is checked as far as possible.
    """
    if not isinstance(text, str):
        raise PositionError(f"{shown(text)} is not a line of a position: expected a text that begins with {FORMAT}")
    line = text.strip()
    if len(line) > MAX_CHARACTERS or len(line.splitlines()) > 1:
        expected = "expected one line as `Position.line` writes it"
        raise PositionError(f"{shown(line)} is not a line of a position: {expected}")
    version, *parts = (part.strip() for part in line.split(";"))
    if version not in (FORMAT, EVENTS_FORMAT):
        other = version.startswith(FORMAT.partition("/")[0])
        known = f"this version of mextrain reads {FORMAT} and {EVENTS_FORMAT}"
        known = known if other else f"expected a text that begins with {FORMAT};"
        raise PositionError(f"{shown(version)} is not a line of a position: {known}")
    reader = _Reader(list(filter(None, parts)), FIELDS if version == FORMAT else (*FIELDS, EVENTS))
    problems = reader.problems or list(problems_of(reader.values))
    if problems:
        raise PositionError(_WRONG, problems)
    return Snapshot(**reader.values)


class _Wrong(Exception):
    """The faults of a field, at least one, each as (value, expected, remedy)."""

    def __init__(self, *faults: tuple[str, str, str]) -> None:
        super().__init__(*faults)
        self.faults = faults


class _Reader:
    """Reads fields into `values`, keyed by the names of `Snapshot`, and collects faults in `problems`."""

    def __init__(self, parts: list[str], fields: tuple[str, ...]) -> None:
        self.fields = fields
        self.problems: list[Problem] = []
        self.values: dict[str, Any] = {}
        self._texts: dict[str, str] = {}
        for part in parts:
            self._sort(part)
        self._take("rules", _rules, "rules")
        if "rules" not in self.values:
            return  # Without rules, seats, tiles and trains have no meaning.
        self.rules: RuleSet = self.values["rules"]
        self._check_names()
        self._read_numbers()
        self._read_turn()
        self._read_table()
        self._take("chance", _chance, "chance")
        self._take(EVENTS, self._events, EVENTS)
        self._read_tiles()
        self.problems += problems_of(self.values) if self.problems else ()

    # -- fields

    def _sort(self, part: str) -> None:
        match = _NAME.match(part)
        name, seat = (match[1] or match[3], match[2]) if match else (part, None)
        label = name if seat is None else f"{name} {seat}"
        if (name not in self.fields) or (name == "hand") != (seat is not None):
            remedy = nearest(name, self.fields) or "leave it out"
            remedy = f"begin the line with {EVENTS_FORMAT}" if name == EVENTS else remedy
            remedy = "write a hand as in `hand 0: 12-5 9-1`" if name == "hand" else remedy
            self._wrong("field", part, "the name of a field", remedy)
        elif label in self._texts:
            self._wrong(label, part, "each field once", "leave one of them out")
        else:
            self._texts[label] = part[match.end() :].strip() if match else ""

    def _check_names(self) -> None:
        wanted = [label for name in self.fields if name != "rules" for label in self._labels(name)]
        for label in wanted:
            if label not in self._texts:
                self._wrong(label, None, "every field", f"add `{label} …`")
        for label in self._texts.keys() - {"rules", *wanted}:
            self._wrong(label, self._texts[label], f"hands of the seats 0 … {self.rules.players - 1}", "leave it out")

    def _labels(self, name: str) -> list[str]:
        return [f"hand {seat}" for seat in range(self.rules.players)] if name == "hand" else [name]

    def _wrong(self, name: str, value: object, expected: str, remedy: str) -> None:
        self.problems.append(Problem(name, value, expected, remedy))

    def _take(self, label: str, read_field: Callable[[list[str]], Any], *names: str) -> None:
        """Read a field that holds one or more values of the snapshot."""
        if label not in self._texts:
            if label == "rules":
                self._wrong(label, None, "every field", "add `rules mexican players=4`, or what is played")
            return
        try:
            found = read_field(self._texts[label].split())
        except _Wrong as wrong:
            self.problems += [Problem(label, *fault) for fault in wrong.faults]
        except RuleError as error:
            self.problems += error.problems
        else:
            self.values.update(zip(names, found if len(names) > 1 else (found,), strict=True))

    def _read_numbers(self) -> None:
        self._take("engine", lambda words: self._engine(_one(words, "a double")), "engine")
        self._take("starter", lambda words: self._seat(_one(words, "a seat")), "starter")
        self._take("counts", _counts, "counts")
        self._take("seat", self._seat_and_direction, "seat", "direction")

    def _read_turn(self) -> None:
        self._take("phase", lambda words: _word(words, PHASES), "phase")
        self._take("owes", self._owes, "owed", "after")
        self._take("drew", self._drew, "drew", "marked")
        self._take("opening", lambda words: _word(words, ("yes", "no")) == "yes", "opening")
        self._take("openings", lambda words: frozenset(_each(self._seat, _items(words, "seats"))), "openings")
        self._take("pending", _pending, "skip", "penalty")

    def _read_table(self) -> None:
        self._take("trains", self._trains, "trains")
        self._take("doubles", lambda words: tuple(_each(self._double, _items(words, "open doubles"))), "doubles")
        self._take("toes", lambda words: tuple(_each(self._half, _items(words, "halves"))), "toes")
        toes, doubles = self.values.pop("toes", None), self.values.get("doubles")
        if toes and doubles is not None:
            # There is at most one foot. That the toes belong to it is checked together with the doubles.
            if self.rules.double_rule != "chicken_foot" or not doubles:
                self._wrong("toes", self._texts["toes"], "none, as there is no unfinished chicken foot", "write none")
            self.values["doubles"] = tuple(double._replace(toes=toes) for double in doubles)

    def _read_tiles(self) -> None:
        labels = [*self._labels("hand"), "boneyard", "laid"]
        places: dict[str, Any] = {}
        for label in labels:
            self._take(label, partial(self._place, label), label)
            if label in self.values:
                places[label] = self.values.pop(label)
        if len(places) < len(labels) or "engine" not in self.values or not self._fill_up(places):
            return
        self.values["laid"] = self._sorted(places.pop("laid"))
        boneyard = places.pop("boneyard")
        in_order = self.values.get("chance") == Chance("order")
        self.values["boneyard"] = boneyard if in_order else self._sorted(boneyard)
        self.values["hands"] = tuple(map(self._sorted, places.values()))

    def _sorted(self, place: Place) -> Place:
        return place if isinstance(place, Hidden) else tuple(sorted(place, key=self.rules.tiles.index))

    # -- values of fields

    def _engine(self, text: str) -> Tile:
        tile = self._tile(text)
        if tile not in self.rules.tiles.doubles:
            raise _Wrong((text, f"a double of {self.rules.tile_set}", "an engine has two equal halves"))
        return tile

    def _tile(self, text: str) -> Tile:
        try:
            return self.rules.tiles.parse(text)
        except TileError:
            raise _Wrong((text, f"a tile of {self.rules.tile_set}", "write its halves, as in 5-2")) from None

    def _half(self, text: str) -> Half:
        try:
            half = parse_half(text)
            self.rules.tiles.half_code(half)
        except TileError:
            names = self.rules.tiles.tables.half_names
            raise _Wrong((text, f"a half, {names[0]} … {names[-1]}", f"{self.rules.tile_set} has no other")) from None
        return half

    def _seat(self, text: str) -> int:
        number = _number(text)
        if number is None or number >= self.rules.players:
            raise _Wrong((text, f"a seat 0 … {self.rules.players - 1}", "seats are counted from 0"))
        return number

    def _train(self, text: str) -> Train:
        if text == MEXICAN_TRAIN:
            return text
        number = _number(text)
        if number is None or number >= self.rules.players:
            raise _Wrong((text, f"a train 0 … {self.rules.players - 1} or M", "trains are counted from 0"))
        return number

    def _seat_and_direction(self, words: list[str]) -> tuple[int, int]:
        if len(words) != 2 or words[1] not in DIRECTIONS:
            raise _Wrong((" ".join(words), "a seat and clockwise or counterclockwise", "as in `seat 0 clockwise`"))
        if words[1] != "clockwise" and self.rules.players == 2:
            raise _Wrong((words[1], "clockwise, the only way round with two players", "write clockwise"))
        return self._seat(words[0]), DIRECTIONS[words[1]]

    def _owes(self, words: list[str]) -> tuple[str, OpenDouble | None]:
        if len(words) == 3 and words[:2] == ["required", "after"]:
            return words[0], self._double(f"{words[2]},new")
        return _word(words, OWES, " or required after TILE@TRAIN"), None

    def _drew(self, words: list[str]) -> tuple[Tile | str | None, tuple[OpenDouble, ...] | None]:
        marked = None
        if words[1:2] == ["marked"] and words[2:3] in ([], ["for"]):
            marked = tuple(_each(self._double, words[3:]))
            words = words[:1]
        word = _one(words, "a tile, or a tile and `marked for DOUBLE@TRAIN`")
        if word in (EARLIER, UNSEEN):
            return word, marked
        return None if word == "none" else self._tile(word), marked

    def _double(self, word: str) -> OpenDouble:
        match = re.fullmatch(r"([^@,]+)@([^@,]+)(,new)?", word)
        if match is None:
            raise _Wrong((word, "a double and its train", "write it as in 5-5@2, or 5-5@2,new if laid in this turn"))
        tile = self._tile(match[1])
        if not tile.is_double:
            raise _Wrong((word, "a double", "only doubles are covered"))
        return OpenDouble(tile, self._train(match[2]), match[3] is None)

    def _trains(self, words: list[str]) -> tuple[TrainState, ...]:
        found: dict[Train, TrainState] = {}

        def add(word: str) -> None:
            name, colon, state = word.partition(":")
            train = self._train(name)
            if not colon or not state or train in found:
                again = "each train once" if train in found else "TRAIN:ENDS"
                raise _Wrong((word, again, "write it as in 0:5, 1:-,open (not started, marker up) or M:-"))
            parts = state.split(",")
            is_open = len(parts) > 1 and parts[-1] == "open"
            if is_open and train == MEXICAN_TRAIN:
                raise _Wrong((word, "M without a marker", "the Mexican Train is always open: leave `open` out"))
            ends = parts[: len(parts) - is_open]
            # The order of several ends has no meaning. Sorting them gives each position exactly one text.
            halves = [] if ends == ["-"] else sorted(map(self._half, ends), key=self.rules.tiles.half_code)
            found[train] = TrainState(tuple(halves), is_open)

        _each(add, words)
        missing = [str(train) for train in (*range(self.rules.players), MEXICAN_TRAIN) if train not in found]
        if missing:
            raise _Wrong((" ".join(words), "every train", f"add {' '.join(f'{name}:-' for name in missing)}"))
        return tuple(found[train] for train in (*range(self.rules.players), MEXICAN_TRAIN))

    def _events(self, words: list[str]) -> tuple[str, ...]:
        texts: list[str] = []
        for word in _items(words, "events"):
            # The tile of a draw is a word of its own.
            if texts and texts[-1].partition(":")[2] in (DRAW, FORCED_DRAW):
                texts[-1] += f" {word}"
            else:
                texts.append(word)
        return tuple(_each(self._event, texts))

    def _event(self, text: str) -> str:
        seat, _, what = text.partition(":")
        if what in (f"{DRAW} {UNSEEN}", f"{FORCED_DRAW} {UNSEEN}"):
            return f"{self._seat(seat)}:{what}"
        try:
            return Event.parse(text, self.rules.actions).text
        except RecordError as error:
            expected = "an event as records write it, such as 2:12-5@2, 3:draw 7-3 or 3:draw ?"
            raise _Wrong((text, expected, error.reason)) from None

    def _place(self, label: str, words: list[str]) -> Place | str:
        if words == [_REST]:
            return _REST
        match = re.fullmatch(r"\?([0-9]{1,3})", words[0]) if len(words) == 1 else None
        if match and label != "laid":
            return Hidden(int(match[1])) if int(match[1]) else ()
        return tuple(_each(self._tile, _items(words, "tiles, none or rest")))

    def _fill_up(self, places: dict[str, Any]) -> bool:
        """Give all tiles that are not named to the place that says `rest`. Returns False if that is not possible."""
        resting = [label for label, place in places.items() if place == _REST]
        if not resting:
            return True
        hidden = [label for label, place in places.items() if isinstance(place, Hidden)]
        if len(resting) > 1 or hidden:
            remedy = f"write out all but one: {', '.join(resting + hidden)}"
            self._wrong(resting[-1], _REST, "at most one place that is not written out", remedy)
            return False
        named = Counter([self.values["engine"]])
        for place in places.values():
            named.update(() if place == _REST else place)
        rest = Counter(self.rules.tiles) - named
        places[resting[0]] = tuple(sorted(rest.elements(), key=self.rules.tiles.index))
        return True


def _rules(words: list[str]) -> RuleSet:
    preset = words[0] if words else ""
    return RuleSet.from_texts(preset, None, words[1:])


def _counts(words: list[str]) -> Counts:
    names = [word.partition("=")[0] for word in words]
    numbers = [_number(word.partition("=")[2]) for word in words]
    if sorted(names) != sorted(COUNTS) or None in numbers:
        example = " ".join(f"{name}=N" for name in COUNTS)
        raise _Wrong((" ".join(words), example, "write each of them once, with a whole number"))
    return Counts(**dict(zip(names, numbers, strict=True)))  # type: ignore[arg-type]


def _pending(words: list[str]) -> tuple[bool, bool]:
    items = _items(words, "skip, draw or both")
    if not set(items) <= {"skip", "draw"} or len(set(items)) < len(items):
        raise _Wrong((" ".join(words), "none, skip, draw or skip draw", "name what an S or D tile will do to others"))
    return "skip" in items, "draw" in items


def _chance(words: list[str]) -> Chance:
    if len(words) == 2 and words[0] == STREAM and re.fullmatch(r"[0-9a-f]{16}", words[1]):
        return Chance("stream", int(words[1], 16))
    expected = f"hidden, explicit, order, or {STREAM} and a key of 16 hexadecimal digits"
    if len(words) == 1 and words[0] in ("hidden", "explicit", "order"):
        return Chance(words[0])
    raise _Wrong((" ".join(words), expected, "write hidden if you do not know what will be drawn"))


def _each(parse: Callable[[str], T], words: list[str]) -> list[T]:
    """The result of `parse` for each word. The faults of all words are raised together."""
    found: list[T] = []
    faults: list[tuple[str, str, str]] = []
    for word in words:
        try:
            found.append(parse(word))
        except _Wrong as wrong:
            faults += wrong.faults
    if faults:
        raise _Wrong(*faults)
    return found


def _number(text: str) -> int | None:
    """The whole number in `text`; None unless it has at most nine digits, no sign and no leading zeros."""
    return int(text) if re.fullmatch(r"0|[1-9][0-9]{0,8}", text) else None


def _one(words: list[str], what: str) -> str:
    if len(words) != 1:
        raise _Wrong((" ".join(words), what, "write one word"))
    return words[0]


def _word(words: list[str], known: Iterable[str], more: str = "") -> str:
    if len(words) == 1 and words[0] in known:
        return words[0]
    raise _Wrong((" ".join(words), ", ".join(known) + more, "write one of these"))


def _items(words: list[str], what: str) -> list[str]:
    """The words of a list. An empty list is written `none`."""
    if not words:
        raise _Wrong(("", f"{what}, or none", "write none if there are none"))
    return [] if words == ["none"] else words
