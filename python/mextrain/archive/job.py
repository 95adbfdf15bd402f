"""`Job`: what an archive holds, and its manifest `_job.json`."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mextrain import __version__
from mextrain._support.files import whole_file
from mextrain.archive.layout import COLUMNS, FIRST_FORMAT, FORMAT, JOB_FILE, shard_file, shard_folder, sidecar_file
from mextrain.bulk.seat_policies import Seats
from mextrain.bulk.simulate import check_games
from mextrain.errors import MextrainError, shown
from mextrain.game.rules import RuleSet, check_rules
from mextrain.game.seeding import STREAM, check_game, check_seed

SHARD_ROUNDS = 1 << 18
"""Rounds of a full shard, about 25 MB."""

_KNOWN = {"format": (FORMAT, FIRST_FORMAT), "stream": (STREAM,)}
"""Versions that this library reads, the one that it writes first."""


@dataclass(frozen=True)
class Job:
    """What an archive holds: games `first_game` … of `seed`, in shards of `shard_games` games (the last may have less).

    `package` is the version of mextrain that plays it, `format` that of the files. Build one with `Job.create`.
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
        """Return the checked job; by default a shard holds about 262,144 rounds. Raises `MextrainError`."""
        check_rules(rules)
        first_game = check_game(first_game, "first_game")
        usual = max(1, SHARD_ROUNDS // rules.rounds)
        shard_games = usual if shard_games is None else check_game(shard_games, "shard_games")
        if shard_games == 0:
            raise MextrainError("shard_games = 0: a shard holds at least 1 game")
        return cls(
            rules,
            check_seed(seed),
            first_game,
            check_games(games, first_game),
            Seats.of(policies, rules.players).stored_names(),
            shard_games,
        )

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
        """The folder of the shards, below that of the archive: `preset=mexican/players=4`."""
        return shard_folder(self.format, self.rules.preset_name, self.rules.players)

    def path(self, number: int) -> Path:
        """Return the path of shard `number` below the folder of the archive."""
        return Path(self.folder, shard_file(number))

    def sidecar_path(self, number: int) -> Path:
        """Return the path of the sidecar of shard `number` below the folder of the archive."""
        return Path(self.folder, sidecar_file(number))

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the job: what a sidecar says to belong to this job and to no other."""
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
        """Return the job that `to_dict` wrote; raises `MextrainError` for another format or stream version."""
        if not isinstance(job, dict):
            raise MextrainError("it does not describe a job")
        for name, known in _KNOWN.items():
            if job.get(name) not in known:
                raise MextrainError(
                    f"its {name} is {shown(job.get(name))}, and this version reads {' and '.join(known)}"
                )
        try:
            rules, policies = RuleSet.from_dict(job["rules"]), tuple(job["policies"])
            seed, first_game, games, shard_games = (
                int(job[name]) for name in ("seed", "first_game", "games", "shard_games")
            )
            package = str(job["package"])
        except (KeyError, TypeError) as error:
            raise MextrainError(f"it does not describe a job ({error})") from None
        return cls(rules, seed, first_game, games, policies, shard_games, package, job["format"])


def read_job(folder: str | os.PathLike[str]) -> Job:
    """Return the job of the archive in `folder`.

    Raises `MextrainError` for a folder that holds no archive, or one of another format or stream version.
    """
    path = Path(folder) / JOB_FILE
    try:
        return Job.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError):
        raise MextrainError(f"{folder} holds no archive: there is no {JOB_FILE} in it") from None
    except (MextrainError, ValueError) as error:
        raise MextrainError(f"{path} cannot be read: {error}") from None


def write_manifest(folder: Path, job: Job) -> None:
    """Write the manifest of a new archive: the job, and what the columns of its files are. Raises `OSError`."""
    text = json.dumps({**job.to_dict(), "columns": COLUMNS}, indent=1) + "\n"
    with whole_file(folder / JOB_FILE) as file:
        file.write(text.encode())
