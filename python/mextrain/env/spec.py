"""The arguments of an environment, checked at the door."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np

from mextrain._support.integers import whole
from mextrain.bulk.seat_policies import Seats
from mextrain.bulk.simulate import check_games
from mextrain.errors import MextrainError, nearest, shown
from mextrain.game.rules import RuleSet, check_rules
from mextrain.game.seeding import MAX_GAME, check_game, check_seed
from mextrain.hidden.observation import Layout
from mextrain_core.bulk.samples import TABLE_SECTIONS
from mextrain_core.bulk.slots import OUTSIDE
from mextrain_core.env import envs

ENDS = ("", "out", "blocked", "", "", "illegal")
"""How an episode ended, by the numbers in `BatchEnv.end`; `illegal` exists with `illegal="end"` only."""

AUTORESETS = ("same", "next", "off")
REWARDS = ("zero_sum", "points", "win")
"""In the order of the core's numbers, like AUTORESETS."""

WORDS: dict[str, tuple[str | None, ...]] = {
    "episode": ("round", "match"),
    "observe": (None, "table", "full"),
    "legal": (None, "rows"),
    "actions": ("ids", "rows"),
    "illegal": ("raise", "end"),
    "reward": REWARDS,
    "autoreset": AUTORESETS,
}
"""The values of options that take a word."""

DEFAULTS: dict[str, Any] = {
    "seed": 0, "first_game": 0, "stride": None, "outside": "all", "others": "cautious", "episode": "round",
    "observe": "table", "masks": True, "legal": None, "actions": "ids", "illegal": "raise", "reward": "zero_sum",
    "autoreset": "same", "final": False, "keep": False, "threads": 1,
}  # fmt: skip
"""The options of `BatchEnv`."""


class Options(TypedDict, total=False):
    """The options of `BatchEnv`, for type checkers; `BatchEnv` says what they mean."""

    seed: int
    first_game: int
    stride: int | None
    outside: Any
    others: Any
    episode: str
    observe: str | None
    masks: bool
    legal: str | None
    actions: str
    illegal: str
    reward: str
    autoreset: str
    final: bool
    keep: bool
    threads: int


MOST = 1 << 24
"""The most environments of a batch."""


def _one_of(name: str, value: object, known: Sequence[str | None]) -> Any:
    """Return `value` if it is one of `known`. Raises `MextrainError`."""
    if not (value is None or isinstance(value, str)) or value not in known:
        words = ", ".join("None" if word is None else f'"{word}"' for word in known)
        hint = nearest(value, [word for word in known if word])
        raise MextrainError(f"{name} = {shown(value)}: expected one of {words}{hint and '; '}{hint}")
    return value


def _switch(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise MextrainError(f"{name} = {shown(value)}: expected True or False")
    return value


def _count(name: str, value: object, most: int) -> int:
    number = whole(value)
    if number is None or not 1 <= number <= most:
        raise MextrainError(f"{name} = {shown(value)}: expected a whole number 1 … {most:,}")
    return number


def outside_seats(outside: object, players: int) -> tuple[int, ...]:
    """Return the seats that `outside` names, ascending: `"all"`, one seat, or several. Raises `MextrainError`."""
    if isinstance(outside, str) and outside == "all":
        return tuple(range(players))
    given = [outside] if whole(outside) is not None else outside
    seats = [whole(seat) for seat in given] if isinstance(given, Iterable) and not isinstance(given, str) else []
    known = [seat for seat in seats if seat is not None and 0 <= seat < players]
    if not seats or len(set(known)) != len(seats):
        raise MextrainError(f'outside = {shown(outside)}: expected "all", or different seats from 0 … {players - 1}')
    return tuple(sorted(known))


@dataclass(frozen=True)
class Spec:
    """What a `BatchEnv` was made with; the arguments are those of `BatchEnv`."""

    rules: RuleSet
    n: int
    seed: int
    first_game: int
    stride: int
    outside: tuple[int, ...]
    others: Any
    episode: str
    observe: str | None
    masks: bool
    legal: str | None
    actions: str
    illegal: str
    reward: str
    autoreset: str
    final: bool
    keep: bool
    threads: int

    @classmethod
    def of(cls, rules: RuleSet, n: int, options: Mapping[str, Any]) -> Spec:
        """Return checked arguments. Raises `RuleError`, `SeedError` or `MextrainError`."""
        check_rules(rules)
        for name in options:
            if name not in DEFAULTS:
                hint = nearest(name, DEFAULTS)
                expected = f"expected one of {', '.join(DEFAULTS)}{hint and '; '}{hint}"
                raise MextrainError(f"the option {shown(name)} is unknown: {expected}")
        given = {**DEFAULTS, **options}
        n = _count("n", n, MOST)
        given["seed"], given["first_game"] = check_seed(given["seed"]), check_game(given["first_game"], "first_game")
        check_games(n, given["first_game"], "n")
        stride = n if given["stride"] is None else _count("stride", given["stride"], MAX_GAME)
        if stride < n:
            raise MextrainError(f"stride = {stride}: expected None or a number of games from n = {n} on")
        for name, known in WORDS.items():
            _one_of(name, given[name], known)
        for name in ("masks", "final", "keep"):
            _switch(name, given[name])
        _count("threads", given["threads"], 1024)
        if given["final"] and given["observe"] is None:
            raise MextrainError("final = True: there is no observation to write; set observe to table or full")
        given |= {"stride": stride, "outside": outside_seats(given["outside"], rules.players)}
        return cls(rules, n, **given)

    def seats(self) -> Seats:
        """Return the policies by seat; those of outside seats are placeholders. Raises `PolicyError`."""
        inside = [seat for seat in range(self.rules.players) if seat not in self.outside]
        named = dict(zip(inside, Seats.of(self.others, len(inside)).owners, strict=True)) if inside else {}
        return Seats.of([named.get(seat, "random") for seat in range(self.rules.players)], self.rules.players)

    @property
    def layout(self) -> Layout:
        """The positions of the sections in an observation."""
        return Layout(self.rules)

    @property
    def bits(self) -> int:
        """Number of bits in an observation; 0 without one."""
        if self.observe is None:
            return 0
        return self.layout.bits if self.observe == "full" else int(self.layout.offsets[TABLE_SECTIONS])

    @property
    def most_legal(self) -> int:
        """An upper bound for the number of legal actions of a decision."""
        tables = self.rules.tiles.tables
        if self.rules.double_rule == "chicken_foot" or tables.wild != 255:
            return self.rules.action_count
        return (self.rules.players + 1) * tables.halves + 1

    def config(self, seats: Seats) -> np.ndarray:
        """Return the CONFIG struct of the kernels, shape (1,)."""
        config = np.zeros(1, envs.CONFIG)
        record = config[0]
        record["stride"] = self.stride
        record["layout"] = self.layout.offsets
        record["addresses"][: self.rules.players] = seats.addresses
        record["policies"][: self.rules.players] = seats.ids
        record["policies"][list(self.outside)] = OUTSIDE
        record["addresses"][list(self.outside)] = 0
        record["outside"] = sum(1 << seat for seat in self.outside)
        record["autoreset"] = AUTORESETS.index(self.autoreset)
        record["reward"] = REWARDS.index(self.reward)
        record["worst"] = self.worst
        bits = {
            envs.MASKS: self.masks, envs.TABLE: self.observe == "table", envs.FULL: self.observe == "full",
            envs.BY_ROW: self.actions == "rows", envs.FINAL: self.final, envs.MATCHES: self.episode == "match",
            envs.END_IF_ILLEGAL: self.illegal == "end", envs.KEEP: self.keep,
        }  # fmt: skip
        record["what"] = sum(bit for bit, is_set in bits.items() if is_set)
        return config

    @property
    def worst(self) -> float:
        """What an illegal action costs: no episode that ends by the rules is worse."""
        if self.reward == "win":
            return 1.0
        return self.worst_match if self.episode == "match" else self.worst_match / self.rules.rounds

    @property
    def worst_match(self) -> float:
        """More points than a seat can have in a match: all tiles in every round."""
        return float(self.rules.rounds * self.rules.points(self.rules.tiles))
