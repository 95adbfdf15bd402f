"""`Sidecar`: facts about a complete shard. The presence of its file marks the shard as complete."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from mextrain.archive.job import Job
from mextrain.archive.layout import FORMAT
from mextrain.archive.places import Folder, as_place
from mextrain.archive.side_files import read_json_file, read_side_file, write_side_file
from mextrain.bulk.stats import Summary
from mextrain.errors import MextrainError, shown


@dataclass(frozen=True)
class Sidecar:
    """Facts about a shard.

    `rows`: number of rounds. `bytes`, `sha256` (hex): size and digest of the file. `hash`: sum of the round hashes
    modulo 2**64, like `Simulation.hash`. `writer`: the software that wrote the file, since the bytes are reproducible
    only with the same version. `summary`: statistics of the games.
    """

    rows: int
    bytes: int
    sha256: str
    hash: int
    writer: str
    summary: Summary

    def write(self, folder: Folder, job: Job, number: int) -> None:
        """Write the file beside shard `number` of the archive in `folder`. Raises `OSError`."""
        says = {
            **_identity(job, number),
            "rows": self.rows,
            "bytes": self.bytes,
            "sha256": self.sha256,
            "hash": f"{self.hash:016x}",
            "writer": self.writer,
            "summary": self.summary.state(),
        }
        write_side_file(as_place(folder), job.sidecar_path(number).as_posix(), says)

    @classmethod
    def read(cls, folder: Folder, job: Job, number: int) -> Sidecar | None:
        """Return the sidecar of shard `number`, or None if there is none.

        Raises `MextrainError` if it cannot be read, belongs to another job or shard, or has impossible values.
        """
        path = job.sidecar_path(number)
        read = read_side_file if job.format == FORMAT else read_json_file
        try:
            return cls._from(job, number, read(as_place(folder), path.as_posix()))
        except FileNotFoundError:
            return None
        except (MextrainError, OSError) as error:
            raise MextrainError(f"{path.name} cannot be used: {error}") from None

    @classmethod
    def _from(cls, job: Job, number: int, says: Any) -> Sidecar:
        if not isinstance(says, dict):
            raise MextrainError("it does not describe a shard")
        for name, right in _identity(job, number).items():
            if type(says.get(name)) is not type(right) or says[name] != right:
                raise MextrainError(f"its {name} is {shown(says.get(name))}, so it belongs to another job or shard")
        rows, size = (_at_least(1, says, name) for name in ("rows", "bytes"))
        sha256, word = (_digits(says, name, count) for name, count in (("sha256", 64), ("hash", 16)))
        if not isinstance(says.get("writer"), str):
            raise MextrainError(f"its writer is {shown(says.get('writer'))}: expected a text")
        summary = Summary.from_state(job.rules, job.policies, says.get("summary"))
        games = job.shard(number)[1]
        if (rows, summary.games) != (games * job.rules.rounds, games):
            told = f"{summary.games:,} games and {rows:,} rounds"
            raise MextrainError(f"it tells of {told}, and the job of {games:,} games")
        return cls(rows, size, sha256, int(word, 16), says["writer"], summary)


def _identity(job: Job, number: int) -> dict[str, Any]:
    """Return the fields that identify a shard."""
    first, games = job.shard(number)
    return {"format": job.format, "job": job.digest, "shard": number, "first_game": first, "games": games}


def _at_least(least: int, says: dict[str, Any], name: str) -> int:
    value = says.get(name)
    if type(value) is not int or value < least:
        raise MextrainError(f"its {name} is {shown(value)}: expected a whole number from {least}")
    return value


def _digits(says: dict[str, Any], name: str, count: int) -> str:
    value = says.get(name)
    if not isinstance(value, str) or not re.fullmatch(rf"[0-9a-f]{{{count}}}", value):
        raise MextrainError(f"its {name} is {shown(value)}: expected {count} hexadecimal digits")
    return value
