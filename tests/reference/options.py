"""The options of a game, their defaults, and their checks (docs/rules.md sections 3 and 11)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .page import PRESETS, TABLE
from .tiles import doubles_of, parse_tile, tiles_of

# docs/rules.md section 3, 1: hand sizes (and, for mexican, sets) by the number of players.
MEXICAN_SETS = {
    players: tile_set
    for numbers, tile_set in (
        ((2, 3), "double-9"),
        ((4, 5, 6, 7, 8), "double-12"),
        ((9, 10, 11, 12), "double-15"),
        ((13, 14), "double-18"),
    )
    for players in numbers
}
HANDS: dict[str, dict[int, int]] = {
    "mexican": {2: 8, 3: 8, 4: 12, 5: 12, 6: 12, 7: 10, 8: 10, 9: 11, 10: 11, 11: 11, 12: 11, 13: 11, 14: 11},
    "super": {2: 25, 3: 23, 4: 18, 5: 16, 6: 14, 7: 12, 8: 11, 9: 10, 10: 9, 11: 8, 12: 7, 13: 6, 14: 6},
}
# The presets that play double-12 with these hands for 2, 3, ... players, and are dealt like mexican for more.
DOUBLE_12 = {
    "tournament": (15, 15, 15, 12, 12, 10, 10),
    "puremco": (16, 15, 14, 12, 11, 10, 9),
    "cardinal": (15, 15, 15, 12, 12, 11, 11),
    "pagat": (15, 15, 15, 12, 12, 10, 10, 8, 8),
    "pressman": (15, 15, 15, 11, 11, 8, 8),
}
HANDS |= {preset: HANDS["mexican"] | dict(enumerate(hands, start=2)) for preset, hands in DOUBLE_12.items()}


def set_by_players(preset: str, players: int) -> str:
    """The set that a preset plays with this number of players."""
    if preset == "super":
        return "super"
    return "double-12" if players - 2 < len(DOUBLE_12.get(preset, ())) else MEXICAN_SETS[players]


# docs/rules.md section 11, as printed there: the options whose values are a short list.
SPECIAL = ("players", "tile_set", "hand_size", "first_engine", "rounds", "starter", "double_blank")
CHOICES: dict[str, tuple[Any, ...]] = {name: row.choices for name, row in TABLE.items() if name not in SPECIAL}
STARTERS = TABLE["starter"].words
OPTIONS = tuple(name for name in TABLE if name != "players")
RESOLVED = ("tile_set", "hand_size", "first_engine", "rounds")  # None: by players / highest double / all


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


class Rules:
    """Every option of docs/rules.md section 11 with its resolved value, under its own name.

    ``Rules("mexican", 4, double_rule="cover")``. Leaving out ``tile_set``, ``hand_size``, ``first_engine`` or
    ``rounds`` (or giving None) means the default, which is resolved here. ValueError names what is refused.
    """

    def __init__(self, preset: str = "mexican", players: int = 4, **options: Any) -> None:
        if preset not in PRESETS:
            raise ValueError(f"preset {preset!r} is not one of {', '.join(PRESETS)}")
        if not _is_number(players) or not 2 <= players <= 14:
            raise ValueError(f"players must be 2 to 14, not {players!r}")
        unknown = sorted(set(options) - set(OPTIONS))
        if unknown:
            raise ValueError(f"unknown option {unknown[0]!r}")
        self.preset = preset
        self.players = players
        self._set_up_tiles(options)
        self._engines_of_match(options)
        self.starter = options.get("starter", self._default("starter"))
        if not (self.starter in STARTERS if isinstance(self.starter, str) else self._is_seat(self.starter)):
            raise ValueError(f"starter {self.starter!r} is not draw, rotate, winner or a seat of {players}")
        for name, choices in CHOICES.items():
            value = options.get(name, self._default(name))
            # True == 1 and 1.0 == 1 in Python, but neither is accepted as the value 1 of max_uncovered
            if not any(value == choice and type(value) is type(choice) for choice in choices):
                raise ValueError(f"{name} {value!r} is not one of {', '.join(map(str, choices))}")
            setattr(self, name, value)
        self.double_blank = options.get("double_blank", self._default("double_blank"))
        if not _is_number(self.double_blank) or self.double_blank < 0:
            raise ValueError(f"double_blank must be a whole number from 0 on, not {self.double_blank!r}")
        if self.double_rule == "chicken_foot" and self.tile_set == "super":
            raise ValueError("double_rule chicken_foot is refused with the set super")
        if self.double_rule == "chicken_foot" and self.opening == "together":
            raise ValueError("double_rule chicken_foot is refused with opening together")
        if (self.draw_limit, self.drawn_tile, self.dead_double) == ("until_it_fits", "own_train", "binds"):
            raise ValueError("draw_limit until_it_fits is refused with drawn_tile own_train and dead_double binds")
        if self.engine_from != "set_aside" and self.hand_size == 1:
            raise ValueError(f"hand_size 1 is refused with engine_from {self.engine_from}")
        if self.deal_decides_engine:
            refused = {
                f"tile_set {self.tile_set}": self.tile_set == "super",
                f"engine_order {self.engine_order}": self.engine_order != "down",
                f"first_engine {self.first_engine}": self.first_engine != doubles_of(self.tile_set)[0],
            }
            for what, is_refused in refused.items():
                if is_refused:
                    raise ValueError(f"{what} is refused with engine_from {self.engine_from}")

    def _set_up_tiles(self, options: Mapping[str, Any]) -> None:
        """docs/rules.md section 3, 1: set the tile set and the hand size; refuse a deal that needs too many tiles."""
        tile_set = options.get("tile_set")
        self.tile_set = self._default("tile_set") if tile_set is None else tile_set
        if not isinstance(self.tile_set, str):
            raise ValueError(f"tile_set {self.tile_set!r} is not a text")
        size = len(tiles_of(self.tile_set))
        hand_size = options.get("hand_size")
        self.hand_size = self._default("hand_size") if hand_size is None else hand_size
        if not _is_number(self.hand_size) or self.hand_size < 1:
            raise ValueError(f"hand_size must be a whole number from 1 on, not {self.hand_size!r}")
        needed = self.players * self.hand_size + 1
        if needed > size:
            raise ValueError(
                f"impossible deal: {self.players} players x {self.hand_size} tiles + 1 engine = {needed}, "
                f"but the set {self.tile_set} has {size} tiles"
            )

    def _engines_of_match(self, options: Mapping[str, Any]) -> None:
        """docs/rules.md section 3, 2: the engines of the match, counted down or up from ``first_engine``."""
        self.engine_order = options.get("engine_order", self._default("engine_order"))
        doubles = self.all_engines()
        first = options.get("first_engine")
        self.first_engine = doubles[0] if first is None else first
        if not isinstance(self.first_engine, str) or self.first_engine not in doubles:
            raise ValueError(f"first_engine {self.first_engine!r} is not a double of the set {self.tile_set}")
        possible = len(doubles) - doubles.index(self.first_engine)
        rounds = options.get("rounds")
        self.rounds = possible if rounds is None else rounds
        if not _is_number(self.rounds) or not 1 <= self.rounds <= possible:
            raise ValueError(f"rounds must be 1 to {possible} from {self.first_engine} on, not {rounds!r}")

    def _is_seat(self, value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < self.players

    def _default(self, name: str) -> Any:
        """The default of an option for this preset and number of players (and set and first engine)."""
        if name == "tile_set":
            return set_by_players(self.preset, self.players)
        if name == "hand_size":
            return HANDS[self.preset][self.players]
        if name == "first_engine":
            return self.all_engines()[0]
        if name == "rounds":
            doubles = self.all_engines()
            return len(doubles) - doubles.index(self.first_engine)
        return TABLE[name].defaults[self.preset]

    @property
    def deal_decides_engine(self) -> bool:
        """Whether no rule names the engine of a round before the deal."""
        return self.engine_from in ("highest", "own_highest")

    @property
    def engines(self) -> tuple[str, ...]:
        """The engines of the match, round by round."""
        doubles = self.all_engines()
        first = doubles.index(self.first_engine)
        return doubles[first : first + self.rounds]

    def all_engines(self) -> tuple[str, ...]:
        """Every engine of the set in the order of ``engine_order``; ``*-*`` is the last one in any case."""
        numbers = [double for double in doubles_of(self.tile_set) if double != "*-*"]
        wild = [double for double in doubles_of(self.tile_set) if double == "*-*"]
        return (*(numbers[::-1] if self.engine_order == "up" else numbers), *wild)

    def engine_of(self, text: object) -> str:
        """An engine of this set: any of its doubles; ValueError for anything else."""
        engine = parse_tile(text, self.tile_set)
        if engine not in doubles_of(self.tile_set):
            raise ValueError(f"the engine {engine} is not a double")
        return engine

    def as_struct(self) -> dict[str, Any]:
        """docs/formats.md: the preset, the players and every option that differs from the preset's default."""
        values = {name: getattr(self, name) for name in OPTIONS}
        differing = {name: value for name, value in values.items() if value != self._default(name)}
        return {"preset": self.preset, "players": self.players, **differing}

    @classmethod
    def from_record(cls, record: object) -> Rules:
        """The rules that a record names; "by players" and "all" (here also null) are never written."""
        if not isinstance(record, Mapping):
            raise ValueError("rules must be an object")
        for name in ("preset", "players"):
            if name not in record:
                raise ValueError(f"rules name no {name}")
        for name in RESOLVED:
            if name in record and record[name] is None:
                raise ValueError(f"{name} is never written as null")
        return cls(**{str(name): value for name, value in record.items()})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rules) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "Rules(" + ", ".join(f"{name}={value!r}" for name, value in self.as_struct().items()) + ")"
