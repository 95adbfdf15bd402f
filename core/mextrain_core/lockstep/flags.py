"""What is frozen while a lockstep kernel is compiled, packed into one integer.

Every combination of these is a kernel of its own; sizes and points that change nothing in the code stay arguments.
"""

from dataclasses import dataclass
from typing import Any

from mextrain_core.model.limits import NONE
from mextrain_core.model.rules import CHICKEN_FOOT, OPTION_CODES

MAX_NUMBERS = 16
"""A lane has 16 bits, so the halves of a set are 0 … 15 at most."""

WILD_NUMBERS = 13
"""Numbers of the set super; ``*`` is the half after them, and then come the letters."""

NO_OBSTACLE, SET_TOO_LARGE, CHICKEN_FEET, JOINING_LETTERS, WILD_BINDS = 0, 1, 2, 3, 4
"""What keeps lockstep from playing (``obstacle``)."""

TRAIN_ONLY = OPTION_CODES["letter_match"].index("train_only")
BINDS = OPTION_CODES["dead_double"].index("binds")

ALL_RANDOM, ALL_HEAVIEST, MIXED = 0, 1, 2

_BITS = {"players": 4, "halves": 5, "wild": 1, "policies": 2, "max_uncovered": 1}
_UNUSED = ("foot_ends", "letter_match")
"""Options that change nothing where lockstep plays."""


@dataclass(frozen=True)
class Flags:
    """The frozen facts; options carry their code in ``OPTION_CODES``."""

    players: int
    halves: int
    """Rows of a bit matrix: the numbers, and ``*`` in the set super."""
    wild: int
    """1: the set super."""
    policies: int
    max_uncovered: int
    opening: int
    mexican_start: int
    drawn_tile: int
    draw_limit: int
    drawn_play: int
    failed_cover: int
    double_rule: int
    open_double_order: int
    open_double_binds: int
    dead_double: int
    finish_on_double: int
    marker_off: int
    twice_bonus: int

    def is_set(self, option: str, value: str) -> bool:
        """Whether ``option`` has ``value``."""
        return bool(getattr(self, option) == OPTION_CODES[option].index(value))

    @property
    def trains(self) -> int:
        """Number of trains, M included."""
        return self.players + 1

    def pack(self) -> int:
        """All fields in one integer below 2**63."""
        packed, shift = 0, 0
        for name, bits in _widths():
            packed |= getattr(self, name) << shift
            shift += bits
        return packed

    @classmethod
    def unpack(cls, packed: int) -> "Flags":
        """The fields of an integer from ``pack``."""
        values = {}
        for name, bits in _widths():
            values[name] = packed & ((1 << bits) - 1)
            packed >>= bits
        return cls(**values)


def _widths() -> list[tuple[str, int]]:
    return [(name, _BITS.get(name, 2)) for name in Flags.__dataclass_fields__]


def obstacle(rules: Any) -> int:
    """What keeps lockstep from playing under ``rules`` (a RULES record)."""
    if rules["wild"] != NONE:
        if rules["letter_match"] != TRAIN_ONLY:
            return JOINING_LETTERS
        return WILD_BINDS if rules["dead_double"] == BINDS else NO_OBSTACLE
    if rules["halves"] > MAX_NUMBERS:
        return SET_TOO_LARGE
    return CHICKEN_FEET if rules["double_rule"] == CHICKEN_FOOT else NO_OBSTACLE


def flags_of(rules: Any, heavy: int) -> Flags:
    """The flags under ``rules`` (a RULES record), to which there is no obstacle.

    ``heavy``: bit set of the seats that play ``heaviest``; the others play ``random``.
    """
    options = {name: int(rules[name]) for name in OPTION_CODES if name not in _UNUSED}
    if options["open_double_binds"] == OPTION_CODES["open_double_binds"].index("nobody"):
        options["open_double_order"] = 0  # No double outlives its turn, so there is no order among them.
    wild = int(rules["wild"] != NONE)
    if not wild:
        options["twice_bonus"] = 0
    players = int(rules["players"])
    return Flags(
        players=players,
        halves=WILD_NUMBERS + 1 if wild else int(rules["halves"]),
        wild=wild,
        policies=ALL_RANDOM if not heavy else ALL_HEAVIEST if heavy + 1 == 1 << players else MIXED,
        max_uncovered=int(rules["max_uncovered"] != 0),
        **options,
    )
