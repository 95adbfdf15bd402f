"""`RoundRecord`: one played round as text, `mextrain-round/1` (docs/formats.md).

This module handles the form: the fields of a record, their types, and that its tiles make up the set.
`mextrain.records.replay` checks whether the recorded round is possible.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from mextrain.errors import MextrainError, PositionError, RecordError, shown
from mextrain.game.engine_deal import Beginning, callers, describe
from mextrain.game.read_only import ReadOnlyPosition
from mextrain.game.rules import RuleSet
from mextrain.game.seeding import check_game, check_seed
from mextrain.game.setup import Setup, tile_indices
from mextrain.game.tiles import Tile

FORMAT = "mextrain-round/1"
"""The version of the format that this library reads and writes."""

Texts = tuple[str, ...]


@dataclass(frozen=True)
class RoundRecord:
    """A played round. The attributes are the fields of the format; all but `rules` have the same values as in JSON.

    `hands` are by seat as dealt, `boneyard` is in drawing order, and `events` are texts. `legal` is None or lists the
    legal moves of each decision. `end` is `out` or `blocked`, `winner` a seat or None, and `points` are by seat.
    `seed`, `game` and `number` (the field `round`) are None if the record does not give them. A round has no number if
    its engine is not one that the rules use.

    If the round goes on (`partial`), `end` and `winner` are None and `points` is empty; `boneyard` still has the tiles
    to come in drawing order, if something decides it.

    Make one with `from_dict`, `from_json` or `Position.record`.
    """

    rules: RuleSet
    engine: str
    starter: int
    hands: tuple[Texts, ...]
    boneyard: Texts
    events: Texts
    end: str | None
    winner: int | None
    points: tuple[int, ...]
    legal: tuple[Texts, ...] | None = None
    seed: int | None = None
    game: int | None = None
    number: int | None = None

    @property
    def partial(self) -> bool:
        """Whether the round goes on."""
        return self.end is None

    @classmethod
    def of(
        cls,
        standing: ReadOnlyPosition,
        legal: Sequence[Sequence[str]] | None = None,
        to_come: Sequence[Tile] | None = None,
    ) -> RoundRecord:
        """Return the record of a round. `legal` may list the legal moves at each decision.

        If the round goes on, `to_come` must have the tiles of the boneyard in drawing order.

        Raises `PositionError` if the round goes on and `to_come` is None, and if the hands were set up in sizes that
        the rules do not deal, because such a round could not be replayed.
        """
        if standing.end is None and to_come is None:
            raise PositionError(
                "only a round that is over has a whole record, and this one goes on: partial=True writes it so far"
            )
        start, rules = standing.start, standing.rules
        begun = Beginning(standing.starter, tuple(len(hand) for hand in start.hands))
        if not callers(rules, begun):
            raise PositionError(
                f"the round was set up with {describe(begun)}, but the rules deal {rules.hand_size}: "
                "a record needs rules that begin so"
            )
        from_stream = start.given is None
        boneyard = standing.drawn_order()
        if to_come is not None:
            boneyard = boneyard[: standing.draws] + tuple(to_come)
        return cls(
            rules=rules,
            engine=str(standing.engine),
            starter=standing.starter,
            hands=tuple(tuple(map(str, hand)) for hand in start.hands),
            boneyard=tuple(map(str, boneyard)),
            events=tuple(event.text for event in standing.events),
            end=standing.end,
            winner=standing.winner,
            points=() if standing.end is None else standing.points,
            legal=None if legal is None else tuple(map(tuple, legal)),
            seed=start.seed if from_stream else None,
            game=start.game if from_stream else None,
            number=start.number,
        )

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> RoundRecord:
        """Return the record in a JSON object.

        Types are exact: True is not 1, 1.0 is not 1, and tiles must be in canonical form. Unknown fields are ignored.
        Without `end`, `winner` and `points` it is the record of a round that goes on.
        Raises `RecordError` for missing or wrong fields, for another version of the format, for rules that cannot be
        played, and if a hand has the wrong size or a tile is not one of the set.
        """
        if not isinstance(record, Mapping):
            raise RecordError(f"a record is a JSON object, not {shown(record)}")
        _check_format(record.get("format"))
        rules = _rules(_field(record, "rules", dict, "an object"))
        hands = _field(record, "hands", list, "a list of hands")
        goes_on = not {"end", "winner", "points"} & record.keys()
        read = cls(
            rules=rules,
            engine=_field(record, "engine", str, "a text"),
            starter=_seat(record, "starter", rules),
            hands=tuple(_texts(hand, f"the hand of seat {seat}") for seat, hand in enumerate(hands)),
            boneyard=_texts(_get(record, "boneyard"), "boneyard"),
            events=_texts(_get(record, "events"), "events"),
            end=None if goes_on else _field(record, "end", str, "a text"),
            winner=None if goes_on or _get(record, "winner") is None else _seat(record, "winner", rules),
            points=() if goes_on else _points(record, rules),
            legal=_legal(record),
            seed=_optional(record, "seed", check_seed),
            game=_optional(record, "game", check_game),
            number=_optional(record, "round", _check_number),
        )
        if read.end not in (None, "out", "blocked"):
            raise RecordError(f"end is {shown(read.end)}: expected 'out' or 'blocked'")
        read._check_tiles()
        return read

    @classmethod
    def from_json(cls, line: str) -> RoundRecord:
        """Return the record in one line of a file. Raises `RecordError` like `from_dict`, and for invalid JSON."""
        if not isinstance(line, str):
            raise RecordError(f"the line is {shown(line)}: expected a text")
        try:
            record = json.loads(line, object_pairs_hook=_object, parse_constant=_no_constant)
        except RecursionError:
            raise RecordError("the line is nested too deeply to be a record") from None
        except json.JSONDecodeError as error:
            raise RecordError(f"the line is no JSON: {error.msg} at column {error.colno}") from None
        except RecordError:
            raise
        except ValueError as error:
            raise RecordError(f"the line is no JSON that can be read: {error}") from None
        return cls.from_dict(record)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as an object for JSON, with the fields in the order of docs/formats.md."""
        record: dict[str, Any] = {"format": FORMAT, "rules": self.rules.to_dict()}
        numbers = {"seed": self.seed, "game": self.game, "round": self.number}
        record.update((name, value) for name, value in numbers.items() if value is not None)
        record |= {
            "engine": self.engine,
            "starter": self.starter,
            "hands": [list(hand) for hand in self.hands],
            "boneyard": list(self.boneyard),
            "events": list(self.events),
        }
        if self.legal is not None:
            record["legal"] = [list(texts) for texts in self.legal]
        if self.partial:
            return record
        return record | {"end": self.end, "winner": self.winner, "points": list(self.points)}

    def to_json(self) -> str:
        """Return the record as one line of JSON, without a newline."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def start(self) -> Setup:
        """Return the setup of the round. Raises `RecordError` if no round can begin like this."""
        try:
            return Setup.set_up(self.rules, self.engine, self.starter, self.hands, self.boneyard, None, 0)
        except MextrainError as error:
            raise RecordError(str(error)) from None

    def _check_tiles(self) -> None:
        known = tile_indices(self.rules.tiles)
        size = self.rules.hand_size
        places = [(f"the hand of seat {seat}", hand) for seat, hand in enumerate(self.hands)]
        if self.rules.engine_from == "set_aside":
            for place, hand in places:
                if len(hand) != size:
                    raise RecordError(f"{place} has {len(hand)} tiles, but the rules deal {size}")
        elif len(places) == self.rules.players:
            begun = Beginning(self.starter, tuple(len(hand) for _, hand in places))
            if not callers(self.rules, begun):
                option = f"engine_from={self.rules.engine_from}"
                raise RecordError(f"the round begins with {describe(begun)}, which {option} does not deal")
        for place, texts in (("engine", (self.engine,)), *places, ("boneyard", self.boneyard)):
            for text in texts:
                if text not in known:
                    raise RecordError(f"{place} holds {shown(text)}, {self._what_is_wrong_with(text)}")

    def _what_is_wrong_with(self, text: str) -> str:
        try:
            return f"which records write {self.rules.tiles.parse(text)}"
        except MextrainError as error:
            return f"which is not a tile here: {error}"


def _check_format(name: object) -> None:
    if name != FORMAT:
        raise RecordError(f"format is {shown(name)}: this version of mextrain reads {FORMAT!r} only")


def _get(record: Mapping[str, Any], name: str) -> Any:
    if name not in record:
        raise RecordError(f"{name} is missing")
    return record[name]


def _field(record: Mapping[str, Any], name: str, kind: type, expected: str) -> Any:
    value = _get(record, name)
    # Not isinstance, because in Python True is an int.
    if type(value) is not kind:
        raise RecordError(f"{name} is {shown(value)}: expected {expected}")
    return value


def _rules(rules: dict[str, Any]) -> RuleSet:
    try:
        # The JSON text is the cache key: it tells True from 1, and the records of a file share few rules.
        return _rules_of(json.dumps(rules, sort_keys=True))
    except (MextrainError, TypeError) as error:
        raise RecordError(str(error)) from None


@lru_cache(maxsize=256)
def _rules_of(text: str) -> RuleSet:
    return RuleSet.from_dict(json.loads(text))


def _texts(value: object, name: str) -> Texts:
    if type(value) is not list or not all(type(text) is str for text in value):
        raise RecordError(f"{name} is {shown(value)}: expected a list of texts")
    return tuple(value)


def _seat(record: Mapping[str, Any], name: str, rules: RuleSet) -> int:
    seat: int = _field(record, name, int, f"a seat 0 … {rules.players - 1}")
    if not 0 <= seat < rules.players:
        raise RecordError(f"{name} is {shown(seat)}: expected a seat 0 … {rules.players - 1}")
    return seat


def _points(record: Mapping[str, Any], rules: RuleSet) -> tuple[int, ...]:
    points = _field(record, "points", list, "a list of numbers")
    if len(points) != rules.players or not all(type(number) is int for number in points):
        raise RecordError(f"points is {shown(points)}: expected {rules.players} whole numbers")
    return tuple(points)


def _legal(record: Mapping[str, Any]) -> tuple[Texts, ...] | None:
    if "legal" not in record:
        return None
    lists = _field(record, "legal", list, "a list of lists")
    return tuple(_texts(texts, f"list {number} of legal") for number, texts in enumerate(lists))


def _optional(record: Mapping[str, Any], name: str, check: Any) -> int | None:
    if name not in record:
        return None
    try:
        number: int = check(_field(record, name, int, "a whole number"))
    except MextrainError as error:
        raise RecordError(str(error)) from None
    return number


def _check_number(number: int) -> int:
    if number < 0:
        raise RecordError(f"round is {number}: rounds are counted from 0")
    return number


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object with unique names. A repeated name is an error, as it would hide the earlier value."""
    result = dict(pairs)
    if len(result) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise RecordError(f"{shown(twice)} is named twice in one object")
    return result


def _no_constant(name: str) -> None:
    raise RecordError(f"the line holds {name}, which is no JSON number")
