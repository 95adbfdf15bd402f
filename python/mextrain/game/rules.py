"""`RuleSet`: the rules of a game, checked once and then trusted everywhere (docs/rules.md).

A `RuleSet` holds a value for every option of docs/rules.md, section 11. Rules that cannot be played cannot be built.
A `RuleSet` is frozen, hashable and picklable. It converts to the `rules` object of a record, and to the RULES struct
that the kernels read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from mextrain._support.html import html_table
from mextrain._support.integers import whole
from mextrain._support.lazy import cached_property
from mextrain.errors import Problem, RuleError, nearest, shown
from mextrain.game.moves import Actions
from mextrain.game.options import OPTIONS, PLAYERS_TABLE, PRESETS, Option
from mextrain.game.tiles import Tile, TileSet, parse_each, parse_words, shared_set
from mextrain_core.model.options import Options, Value

__all__ = ["OPTIONS", "PRESETS", "Option", "RuleSet"]


@dataclass(frozen=True)
class RuleSet(Options):
    """The rules of a game: a preset's name, and the resolved value of every option.

    Build one with `RuleSet.mexican(players=4)`, `RuleSet.super(players=4)` or `RuleSet.preset(name, ...)`, and name
    only the options that differ from the preset. Raises `RuleError`, which lists everything that is wrong.

    The attributes are `preset_name` and the options of docs/rules.md, section 11, by name. `max_uncovered` is None or
    an int, `starter` a word or a seat, and `first_engine` a text such as `12-12`. Numbers are ints; all other values
    are texts.
    """

    def __post_init__(self) -> None:
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        resolved = _resolve(given.pop("preset_name"), given)
        for name, value in resolved.items():
            object.__setattr__(self, name, value)

    @classmethod
    def preset(cls, name: str, /, *, players: int, **options: object) -> RuleSet:
        """Return the rules of the preset `name`, one of `PRESETS`, with the given options changed.

        Raises a `RuleError` that lists every unknown option, wrong value and impossible combination.
        """
        resolved: dict[str, Any] = _resolve(name, {"players": players, **options})
        return cls(preset_name=name, **resolved)

    @classmethod
    def mexican(cls, players: int, **options: object) -> RuleSet:
        """Return the rules of Mexican Train for `players` seats, with the given options changed."""
        return cls.preset("mexican", players=players, **options)

    @classmethod
    def super(cls, players: int, **options: object) -> RuleSet:
        """Return the rules of Super Train for `players` seats, with the given options changed."""
        return cls.preset("super", players=players, **options)

    @classmethod
    def from_dict(cls, rules: Mapping[str, object]) -> RuleSet:
        """Return the rules that a record's `rules` object describes: `preset`, `players` and any other options.

        Types are exact, as in JSON: True is not 1, "4" is not 4, and `max_uncovered` none is null. Raises a `RuleError`
        that lists everything that is wrong.
        """
        if not isinstance(rules, Mapping):
            raise RuleError([Problem("rules", rules, "an object with preset and players", "write one")])
        options = dict(rules)
        preset = options.pop("preset", None)
        resolved: dict[str, Any] = _resolve(preset, options)
        return cls(preset_name=str(preset), **resolved)

    @classmethod
    def from_texts(cls, preset: str, players: int | None, texts: Iterable[str]) -> RuleSet:
        """Return the rules given on a command line; `texts` holds `KEY=VALUE` for each option that differs.

        The text `none` stands for None. `players` may be None if one of `texts` sets it. Raises `RuleError`.
        """
        options: dict[str, object] = {} if players is None else {"players": players}
        problems = []
        if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
            raise RuleError([Problem("options", texts, "a list of texts", "write each as in opening=single")])
        for text in texts:
            key, equals, value = text.partition("=") if isinstance(text, str) else ("", "", "")
            if not equals:
                problems.append(Problem("option", text, "KEY=VALUE", "write it as in opening=single"))
                continue
            parsed: object = OPTIONS[key].parse(value) if key in OPTIONS else value
            if key in options and options[key] != parsed:
                problems.append(Problem(key, value, f"one value, but {shown(options[key])} came before", "drop one"))
            options[key] = parsed
        if problems:
            raise RuleError(problems)
        return cls.from_dict({"preset": preset, **options})

    def replace(self, **changes: object) -> RuleSet:
        """Return these rules with `changes` made; `preset` may be changed too.

        Options at the preset's default stay at the default. For example, another number of `players` also changes the
        tile set and hand size, unless these rules override them. Raises `RuleError`.
        """
        return RuleSet.from_dict({**self.to_dict(), **changes})

    def options(self) -> dict[str, Value]:
        """Return the resolved value of every option, in the order of docs/rules.md, section 11."""
        return {name: getattr(self, name) for name in OPTIONS}

    def to_dict(self) -> dict[str, Value]:
        """Return the `rules` object of a record: preset, players, and the options that differ from the defaults.

        `RuleSet.from_dict(rules.to_dict()) == rules` always holds, also after a round trip through JSON.
        """
        return dict(self._changed)

    @cached_property
    def _changed(self) -> dict[str, Value]:
        options = self.options()
        kept = {
            name: value
            for name, value in options.items()
            if name == "players" or value != _default(name, self.preset_name, options)
        }
        return {"preset": self.preset_name, **kept}

    def __repr__(self) -> str:
        preset, *options = self.to_dict().items()
        return f"RuleSet.{preset[1]}({', '.join(f'{name}={value!r}' for name, value in options)})"

    def _repr_html_(self) -> str:
        changed = self.to_dict()
        rows = ((name, value, "" if name in changed else "default") for name, value in self.options().items())
        return html_table(self.describe(), ("option", "value", ""), rows)

    @cached_property
    def tiles(self) -> TileSet:
        """The tile set."""
        return shared_set(self.tile_set)

    @cached_property
    def engines(self) -> tuple[Tile, ...]:
        """The engine of every round, in order.

        If the deal decides the engine (`engines_are_known` is false), these are the engines that the rounds would have
        otherwise. They name the rounds: a round's number and its random stream follow from them.
        """
        listed = _engines(self.tiles, self.engine_order)
        first = listed.index(Tile.parse(self.first_engine))
        return listed[first : first + self.rounds]

    @property
    def engines_are_known(self) -> bool:
        """Whether the rules name the engine of each round. If not, the deal decides it (option `engine_from`)."""
        return self.engine_from in ("set_aside", "holder")

    @property
    def boneyard_size(self) -> int:
        """Number of tiles in the boneyard right after the deal.

        Unless `engine_from` is `set_aside`, the engine is one of the tiles dealt, or of those in the boneyard; if it is
        in the boneyard, tiles are drawn before the first turn.
        """
        return len(self.tiles) - (self.engine_from == "set_aside") - self.players * self.hand_size

    @cached_property
    def actions(self) -> Actions:
        """The moves of these rules: ids, codes and texts (docs/actions.md)."""
        return Actions(self.tiles, self.players)

    @property
    def action_count(self) -> int:
        """Number of action ids, including `stop`."""
        return self.actions.count

    @cached_property
    def record(self) -> np.ndarray:
        """The RULES struct that the kernels read: shape (1,), dtype `mextrain_core.model.rules.RULES`, read-only."""
        from mextrain_core.model.rules import encode

        return encode(self.options())

    def points(self, tiles: str | Iterable[Tile | str]) -> int:
        """Return the points of a hand of `tiles` at the end of a round (docs/rules.md, section 9).

        Raises `TileError` for anything but a list of tiles or of their texts.
        """
        listed = parse_each(parse_words(tiles))
        return sum(tile.points + (self.double_blank if tile == _DOUBLE_BLANK else 0) for tile in listed)

    def describe(self) -> str:
        """Return these rules as text for people: a summary line, and a line for each option that is not the default."""
        engines = self.engines
        span = f"with the engine {engines[0]}" if len(engines) == 1 else f"from {engines[0]} to {engines[-1]}"
        if not self.engines_are_known:
            span = "with an engine from a hand"
        lines = [
            f"{self.preset_name}, {self.players} players: {self.tile_set}, {self.hand_size} tiles each, "
            f"{self.boneyard_size} in the boneyard, {self.rounds} round{'s' if self.rounds > 1 else ''} {span}"
        ]
        for name, value in self.to_dict().items():
            if name not in ("preset", "players"):
                means = OPTIONS[name].meaning if type(value) is int else OPTIONS[name].explain(value)
                lines.append(f"  {name} = {'none' if value is None else value}: {means}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        # Cached values are not pickled; they are rebuilt when needed.
        return RuleSet.from_dict, ({"preset": self.preset_name, **self.options()},)


_DOUBLE_BLANK = Tile(0, 0)


def check_rules(rules: object) -> None:
    """Raise `RuleError` if `rules` is not a `RuleSet`."""
    if not isinstance(rules, RuleSet):
        raise RuleError([Problem("rules", rules, "a RuleSet", "build one, as in RuleSet.mexican(players=4)")])


def _default(name: str, preset: str, options: Mapping[str, Any]) -> Value:
    """The default of an option, given the resolved values of the options that it depends on."""
    if not OPTIONS[name].follows:
        return OPTIONS[name].default(preset)
    if name in ("tile_set", "hand_size"):
        tile_set, hand_size = PLAYERS_TABLE[preset][options["players"]]
        return tile_set if name == "tile_set" else hand_size
    engines = _engines_of(preset, options)
    if name == "first_engine":
        return str(engines[0])
    return len(engines) - engines.index(Tile.parse(options["first_engine"]))


def _engines(tiles: TileSet, order: str) -> tuple[Tile, ...]:
    """All engines of a set in the order in which rounds use them; in super the red double is always the last."""
    numbers = tuple(tile for tile in tiles.doubles if not tile.is_wild)
    return (numbers if order == "down" else numbers[::-1]) + tiles.doubles[len(numbers) :]


def _engines_of(preset: str, options: Mapping[str, Any]) -> tuple[Tile, ...]:
    """`_engines` for options of which `tile_set` is resolved, and perhaps no other."""
    order = options.get("engine_order", OPTIONS["engine_order"].default(preset))
    return _engines(shared_set(options["tile_set"]), str(order))


def _resolve(preset: object, given: Mapping[str, object]) -> dict[str, Value]:
    """The value of every option. Raises a `RuleError` that lists everything wrong with `given`."""
    problems: dict[str, Problem] = {}
    named = preset if type(preset) is str and preset in PRESETS else ""
    if not named:
        problems["preset"] = Problem("preset", preset, " or ".join(PRESETS), _nearest(preset, PRESETS))
    values: dict[str, Any] = {}
    for name, raw in given.items():
        if name not in OPTIONS:
            remedy = _nearest(name, OPTIONS, "`mextrain rules` lists all of them")
            problems[f"unknown {name}"] = Problem(str(name), raw, "the name of an option", remedy)
        elif OPTIONS[name].accepts(value := _plain(raw)):
            values[name] = value
        else:
            problems[name] = Problem(name, raw, OPTIONS[name].accepted, _remedy(OPTIONS[name], raw))
    if "players" not in given:
        problems["players"] = Problem("players", None, OPTIONS["players"].accepted, "say how many play")
    for name in OPTIONS:
        if name not in given and not problems.keys() & {"preset", name, *OPTIONS[name].follows}:
            values[name] = _default(name, named, values)
        if name not in problems and (problem := _conflict(name, named, values)):
            problems[name] = problem
    if problems:
        raise RuleError(problems.values())
    return {name: values[name] for name in OPTIONS}


def _conflict(name: str, preset: str, values: Mapping[str, Any]) -> Problem | None:
    """How the value of `name` conflicts with the options before it; None if it does not, or if values are missing."""
    value = values.get(name)
    players, tile_set = values.get("players"), values.get("tile_set")
    if name == "hand_size" and None not in (value, players, tile_set):
        held, dealt = len(shared_set(str(tile_set))), int(players or 0) * int(value or 0) + 1
        most = (held - 1) // int(players or 1)
        if dealt > held:
            remedy = f"take hand_size {most} or less, or a larger tile_set" if most else "take a larger tile_set"
            fits = (
                f"a deal that fits {tile_set}, which has {held} tiles, "
                f"but {players} players × {value} tiles + the engine = {dealt}"
            )
            return Problem(name, value, fits, remedy)
    if name == "first_engine" and None not in (value, tile_set) and value not in shared_set(str(tile_set)):
        doubles = shared_set(str(tile_set)).doubles
        return Problem(name, value, f"a double of {tile_set}", f"choose one of {doubles[0]} … {doubles[-1]}")
    if name == "rounds" and preset in PRESETS and None not in (value, tile_set, values.get("first_engine")):
        engines = _engines_of(preset, values)
        first = Tile.parse(values["first_engine"])
        if first in engines and values["rounds"] > (most := len(engines) - engines.index(first)):
            counted = f"at most {most}, the engines from {first} to {engines[-1]}"
            earlier = "a higher" if engines[0] == shared_set(str(tile_set)).doubles[0] else "a lower"
            return Problem(name, value, counted, f"play fewer rounds, or begin with {earlier} first_engine")
    if name == "starter" and type(value) is int and players is not None and value >= players:
        return Problem(name, value, f"a seat 0 … {players - 1}", "seats are counted from 0")
    if name == "double_rule" and value == "chicken_foot" and tile_set == "super":
        remedy = "wild doubles would grow feet on feet, so take another double_rule or a number set"
        return Problem(name, value, "anywhere or cover with the set super", remedy)
    if name == "double_rule" and value == "chicken_foot" and values.get("opening") == "together":
        remedy = "a foot would bind the others in the opening, so take another double_rule or opening"
        return Problem(name, value, "another value with opening=together", remedy)
    draws = (values.get("draw_limit"), values.get("drawn_tile"))
    if name == "dead_double" and value == "binds" and draws == ("until_it_fits", "own_train"):
        remedy = "what was drawn before the last tile would have to be remembered, so change one of the three"
        return Problem(name, value, "released with draw_limit=until_it_fits and drawn_tile=own_train", remedy)
    if name == "engine_from" and value not in (None, "set_aside") and values.get("hand_size") == 1:
        remedy = "whoever lays the engine would begin without tiles, so deal more"
        return Problem("hand_size", 1, f"2 or more with engine_from={value}", remedy)
    if name == "engine_from" and value in ("highest", "own_highest"):
        return _engine_before_the_deal(str(value), values)
    return None


def _engine_before_the_deal(engine_from: str, values: Mapping[str, Any]) -> Problem | None:
    """Which other option names an engine although the deal decides it; None if none does."""
    tile_set, first = values.get("tile_set"), values.get("first_engine")
    remedy = "the deal decides the engine, so leave it out, or take another engine_from"
    if tile_set == "super":
        return Problem("tile_set", tile_set, f"a number set with engine_from={engine_from}", remedy)
    if values.get("engine_order") == "up":
        return Problem("engine_order", "up", f"down with engine_from={engine_from}", remedy)
    if tile_set is not None and first is not None and first != (highest := str(TileSet(tile_set).doubles[0])):
        return Problem("first_engine", first, f"{highest} with engine_from={engine_from}", remedy)
    return None


def _plain(value: object) -> object:
    """`value` with NumPy integers as ints and tiles as texts. A bool stays a bool, so that it is rejected."""
    if isinstance(value, (Tile, np.str_)):
        return str(value)
    number = whole(value)
    return value if number is None else number


def _remedy(option: Option, value: object) -> str:
    if isinstance(value, bool):
        return "a bool is not a value of any option; write the number or the word"
    if isinstance(value, float):
        return "write a whole number without a decimal point"
    if isinstance(value, str) and option.accepts(number := option.parse(value)):
        if isinstance(number, str):
            return f"write {number}"
        return "write None (null in JSON), not a text" if number is None else f"write the number {number}, not a text"
    if value is None and not option.none:
        return "leave the option out to get the preset's default"
    return _nearest(value, option.words, "choose one of these" if option.words else "choose a number in this range")


def _nearest(value: object, known: Iterable[str], otherwise: str = "choose one of these") -> str:
    return nearest(value, known) or otherwise
