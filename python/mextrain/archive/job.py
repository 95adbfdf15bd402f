"""`Job`: the contents of an archive."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from mextrain import __version__
from mextrain._support.integers import whole
from mextrain.archive.layout import FIRST_FORMAT, FORMAT, FORMATS, shard_file, shard_folder, sidecar_file
from mextrain.bulk.seat_policies import Seats
from mextrain.bulk.simulate import check_games
from mextrain.errors import MextrainError, SeedError, shown
from mextrain.game.rules import RuleSet, check_rules
from mextrain.game.seeding import STREAM, check_game, check_seed

SHARD_ROUNDS = 1 << 18
"""Rounds of a full shard, about 25 MB."""

_KNOWN = {"format": FORMATS, "stream": (STREAM,)}
"""Format versions that this library reads; the first one is the one that it writes."""

_NUMBERS = ("seed", "first_game", "games", "shard_games")


@dataclass(frozen=True)
class Job:
    """The contents of an archive: games of `seed`, from `first_game` on, in shards of `shard_games` games each.

    The last shard may be smaller. `package` is the version of mextrain that plays the job, `format` the version of the
    file format. Use `Job.create` to build one.
    """

    rules: RuleSet
    seed: int
    first_game: int
    games: int
    policies: tuple[str, ...]
    shard_games: int
    package: str = __version__
    format: str = FORMAT

    @classmethod
    def create(
        cls,
        rules: RuleSet,
        *,
        games: int,
        seed: int = 0,
        policies: str | Sequence[str] = "random",
        first_game: int = 0,
        shard_games: int | None = None,
    ) -> Job:
        """Return the validated job; by default a shard holds about 262,144 rounds. Raises `MextrainError`."""
        check_rules(rules)
        if shard_games is None:
            shard_games = max(1, SHARD_ROUNDS // rules.rounds)
        names = Seats.of(policies, rules.players).stored_names()
        return cls(rules, *_checked(seed, first_game, games, shard_games), names, int(shard_games))

    @property
    def shards(self) -> int:
        """Number of shards."""
        return -(-self.games // self.shard_games)

    def shard(self, number: int) -> tuple[int, int]:
        """Return (first game, number of games) of shard `number`."""
        done = number * self.shard_games
        return self.first_game + done, min(self.shard_games, self.games - done)

    @property
    def folder(self) -> str:
        """The folder of the shards, relative to the archive's folder: `preset=mexican/players=4`."""
        return shard_folder(self.format, self.rules.preset_name, self.rules.players)

    def path(self, number: int) -> Path:
        """Return the path of shard `number`, relative to the archive's folder."""
        return Path(self.folder, shard_file(number))

    def sidecar_path(self, number: int) -> Path:
        """Return the path of the sidecar of shard `number`, relative to the archive's folder."""
        return Path(self.folder, sidecar_file(self.format, number))

    @property
    def has_sidecars(self) -> bool:
        """Whether a sidecar marks each complete shard; true for all formats but the first."""
        return self.format != FIRST_FORMAT

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of the job; a sidecar stores it to show which job it belongs to."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return the job as a JSON object."""
        return {
            "format": self.format,
            "stream": STREAM,
            "package": self.package,
            "rules": self.rules.to_dict(),
            "seed": self.seed,
            "first_game": self.first_game,
            "games": self.games,
            "policies": list(self.policies),
            "shard_games": self.shard_games,
        }

    @classmethod
    def from_dict(cls, job: Any) -> Job:
        """Return the job that `to_dict` wrote; unknown fields are ignored.

        Types must match exactly, and values that `create` rejects are rejected here too. Raises `MextrainError`, also
        for another format or stream version.
        """
        if not isinstance(job, dict):
            raise MextrainError("it does not describe a job")
        for name, known in _KNOWN.items():
            if job.get(name) not in known:
                raise MextrainError(
                    f"its {name} is {shown(job.get(name))}, and this version reads {' and '.join(known)}"
                )
        missing = [name for name in ("rules", *_NUMBERS, "policies", "package") if name not in job]
        if missing:
            raise MextrainError(f"it does not describe a job: {missing[0]} is missing")
        for name in _NUMBERS:
            if whole(job[name]) is None:
                raise MextrainError(f"its {name} is {shown(job[name])}: expected a whole number")
        rules = RuleSet.from_dict(job["rules"])
        package, policies = job["package"], job["policies"]
        if not isinstance(package, str):
            raise MextrainError(f"its package is {shown(package)}: expected a text")
        if not isinstance(policies, list) or not all(isinstance(name, str) and name for name in policies):
            raise MextrainError(f"its policies is {shown(policies)}: expected a list of names")
        if len(policies) != rules.players:
            raise MextrainError(f"it has {len(policies)} policies for {rules.players} players")
        numbers = _checked(*(job[name] for name in _NUMBERS))
        return cls(rules, *numbers, tuple(policies), job["shard_games"], package, job["format"])


def _checked(seed: object, first_game: object, games: object, shard_games: object) -> tuple[int, int, int]:
    """Return (seed, first game, games); raises `MextrainError` for values that no job can have."""
    first = _number("first_game", first_game)
    if _number("shard_games", shard_games) == 0:
        raise MextrainError("shard_games = 0: a shard holds at least 1 game")
    return check_seed(seed), first, check_games(_number("games", games), first)


def _number(name: str, value: object) -> int:
    """Return the number as an int; raises `SeedError` if it cannot be a number of games."""
    try:
        return check_game(value)
    except SeedError:
        raise SeedError(f"{name} = {shown(value)}: expected a whole number 0 … 2**59 - 1") from None
