"""The compile-time constants of a lockstep kernel, packed into one integer.

Each combination is a separate kernel. Sizes and points that do not change the code are run-time arguments.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from mextrain_core.model.limits import NONE
from mextrain_core.model.options import CODE, NUMBER, TABLE

MAX_NUMBERS = 16
"""A lane has 16 bits, so a set can have the halves 0 … 15 at most."""

WILD_NUMBERS = 13
"""Number of number halves of the set super; ``*`` is the half after them, then come the letters."""

SERVED: dict[str, tuple[str | int, ...]] = {
    "max_uncovered": (0, 1),
    "opening": ("chain", "single"),
    "mexican_start": ("after_opening", "any_turn", "only_if_stuck", "after_own_train"),
    "drawn_tile": ("anywhere", "own_train"),
    "draw_limit": ("per_play", "per_turn"),
    "drawn_play": ("must", "may"),
    "failed_cover": ("play_drawn", "mark"),
    "double_rule": ("anywhere", "cover"),
    "open_double_order": ("oldest", "newest", "any"),
    "open_double_binds": ("everyone", "nobody"),
    "dead_double": ("released", "binds"),
    "finish_on_double": ("ends", "must_cover"),
    "marker_off": ("own_train", "any_play"),
    "twice_bonus": ("must", "may"),
}
"""The values that lane code supports, by option; a newly supported value is added here. Of an option that is in none of
these tables, lockstep supports only the first value, which has no effect."""

A_NUMBER = "a number"
"""Stands for any number among the values."""

SERVED_BESIDES: dict[str, tuple[str | int, ...]] = {
    "tile_set": (*(f"double-{n}" for n in range(1, MAX_NUMBERS)), "super"),
    "starter": ("draw", "rotate", "winner", A_NUMBER),
    "foot_ends": ("all", "center"),
    "letter_match": ("train_only", "same_letter", "any_letter", "anywhere"),
}
"""Values that need no lane code: they concern the deal, letters, which number sets do not have, or chicken feet, which
the supported values of ``double_rule`` do not have."""

SERVED_IN_SUPER: dict[str, tuple[str | int, ...]] = {"letter_match": ("train_only",), "dead_double": ("released",)}
"""Values that are supported instead in the set super."""

ALL_SERVED = (
    *("players", "hand_size", "first_engine", "rounds", "double_blank", "engine_order", "tie_break"),
    "engine_hunt",  # It has no effect with the supported values of ``engine_from``.
)

POLICY_BITS = 5
"""The lane code knows policy ids below this."""

_BITS = (4, 5, 1, POLICY_BITS, *((len(values) - 1).bit_length() for values in SERVED.values()))
"""Width in bits of each field of ``Flags`` in the packed integer."""


@dataclass(frozen=True)
class Flags:
    """The compile-time constants."""

    players: int
    halves: int
    """Number of rows of a bit matrix: the numbers, and ``*`` in the set super."""
    wild: int
    """1 for the set super, else 0."""
    policies: int
    """Bit set of the ids of the policies at the table; which seat has which is a run-time argument."""
    values: tuple[int, ...]
    """The index of each option's value in ``SERVED``."""

    def is_set(self, option: str, value: str | int) -> bool:
        """Whether ``option`` has ``value``."""
        return self.values[_PLACES[option]] == SERVED[option].index(value)

    def has_policy(self, policy: int) -> bool:
        """Whether some seat has the policy with this id."""
        return bool(self.policies >> policy & 1)

    @property
    def max_uncovered(self) -> bool:
        """Whether a turn that leaves two doubles open must cover one."""
        return self.is_set("max_uncovered", 1)

    @property
    def trains(self) -> int:
        """Number of trains, M included."""
        return self.players + 1

    def pack(self) -> int:
        """All fields in one integer below 2**63."""
        packed, shift = 0, 0
        numbers = (self.players, self.halves, self.wild, self.policies, *self.values)
        for number, bits in zip(numbers, _BITS, strict=True):
            packed |= number << shift
            shift += bits
        return packed

    @classmethod
    def unpack(cls, packed: int) -> "Flags":
        """The fields of an integer from ``pack``."""
        numbers = []
        for bits in _BITS:
            numbers.append(packed & ((1 << bits) - 1))
            packed >>= bits
        players, halves, wild, policies, *values = numbers
        return cls(players, halves, wild, policies, tuple(values))


_PLACES = {name: place for place, name in enumerate(SERVED)}


def value_of(rules: Any, name: str) -> str | int:
    """The value of an option under ``rules`` (a RULES struct): a word or A_NUMBER; a number if it has numbers only."""
    row = TABLE[name]
    return int(rules[name]) if row.fills == NUMBER else (*row.words, A_NUMBER)[rules[name]]


def obstacle(rules: Any) -> str:
    """The first option whose value under ``rules`` (a RULES struct) lockstep does not support; "" if there is none."""
    served = SERVED | SERVED_BESIDES | (SERVED_IN_SUPER if rules["wild"] != NONE else {})
    for name, row in TABLE.items():
        usual = row.words[:1] if row.fills == CODE else (row.usual or 0,)
        if name not in ALL_SERVED and value_of(rules, name) not in served.get(name, usual):
            return name
    return ""


def flags_of(rules: Any, policies: Iterable[int]) -> Flags:
    """The flags for ``rules`` (a RULES struct), which must have no ``obstacle``, and policies (ids by seat)."""
    values = {name: served.index(value_of(rules, name)) for name, served in SERVED.items()}
    if value_of(rules, "open_double_binds") == "nobody":
        values["open_double_order"] = 0  # No open double outlives its turn, so their order does not matter.
    wild = int(rules["wild"] != NONE)
    if not wild:
        values["twice_bonus"] = 0
    return Flags(
        players=int(rules["players"]),
        halves=WILD_NUMBERS + 1 if wild else int(rules["halves"]),
        wild=wild,
        policies=sum(1 << policy for policy in {*map(int, policies)}),
        values=tuple(values.values()),
    )
