"""What is frozen while a lockstep kernel is compiled, packed into one integer.

Every combination of these is a kernel of its own; sizes and points that change nothing in the code stay arguments.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mextrain_core.limits import NONE
from mextrain_core.policies import HEAVIEST, RANDOM
from mextrain_core.rules import CHICKEN_FOOT, OPTION_CODES

MAX_NUMBERS = 16
"""A lane has 16 bits, so the halves of a set are 0 … 15 at most."""

ALL_RANDOM, ALL_HEAVIEST, MIXED = 0, 1, 2

_BITS = {"players": 4, "halves": 5, "policies": 2, "max_uncovered": 1}
_UNUSED = ("foot_ends", "letter_match", "twice_bonus")
"""Options that change nothing in a number set without chicken feet."""


@dataclass(frozen=True)
class Flags:
    """The frozen facts; options carry their code in ``OPTION_CODES``."""

    players: int
    halves: int
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


def flags_of(rules: Any, policies: Sequence[int]) -> Flags | None:
    """The flags that play under ``rules`` (a RULES record), or None where lockstep does not serve them."""
    if rules["wild"] != NONE or rules["halves"] > MAX_NUMBERS or rules["double_rule"] == CHICKEN_FOOT:
        return None
    kinds = {int(policy) for policy in policies}
    if not kinds or not kinds <= {RANDOM, HEAVIEST}:
        return None
    options = {name: int(rules[name]) for name in OPTION_CODES if name not in _UNUSED}
    if options["open_double_binds"] == OPTION_CODES["open_double_binds"].index("nobody"):
        options["open_double_order"] = 0  # No double outlives its turn, so there is no order among them.
    return Flags(
        players=int(rules["players"]),
        halves=int(rules["halves"]),
        policies=MIXED if len(kinds) > 1 else (ALL_RANDOM if kinds == {RANDOM} else ALL_HEAVIEST),
        max_uncovered=int(rules["max_uncovered"] != 0),
        **options,
    )
