"""`Sidecar`: what is known of a complete shard. Its file is the mark that the shard is complete."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mextrain._support.files import whole_file
from mextrain.archive.job import Job
from mextrain.archive.layout import FORMAT
from mextrain.bulk.stats import Summary
from mextrain.errors import MextrainError


@dataclass(frozen=True)
class Sidecar:
    """What is known of a shard.

    `rows`: rounds; `bytes`, `sha256` (hex): size and digest of the file; `hash`: sum of the round hashes modulo 2**64,
    as `Simulation.hash`; `writer`: what wrote the file, as bytes are equal only for one version of it; `summary`:
    statistics of the games.
    """

    rows: int
    bytes: int
    sha256: str
    hash: int
    writer: str
    summary: Summary

    def write(self, folder: Path, job: Job, number: int) -> None:
        """Write the file beside shard `number` of the archive in `folder`. Raises `OSError`."""
        first, games = job.shard(number)
        text = json.dumps(
            {
                "format": FORMAT,
                "job": job.digest,
                "shard": number,
                "first_game": first,
                "games": games,
                "rows": self.rows,
                "bytes": self.bytes,
                "sha256": self.sha256,
                "hash": f"{self.hash:016x}",
                "writer": self.writer,
                "summary": self.summary.state(),
            }
        )
        with whole_file(folder / job.sidecar_path(number)) as file:
            file.write(text.encode() + b"\n")

    @classmethod
    def read(cls, folder: Path, job: Job, number: int) -> Sidecar | None:
        """Return what the sidecar of shard `number` says, None if there is none.

        Raises `MextrainError` if it cannot be read or is that of another job or shard.
        """
        path = folder / job.sidecar_path(number)
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
            if stored["job"] != job.digest or stored["shard"] != number:
                raise MextrainError(f"{path.name} belongs to another job or shard")
            return cls(
                rows=_whole(stored["rows"]),
                bytes=_whole(stored["bytes"]),
                sha256=str(stored["sha256"]),
                hash=int(stored["hash"], 16),
                writer=str(stored["writer"]),
                summary=Summary.from_state(job.rules, job.policies, stored["summary"]),
            )
        except FileNotFoundError:
            return None
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, MextrainError):
                raise
            raise MextrainError(f"{path.name} cannot be read ({type(error).__name__}: {error})") from None


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(f"{value!r} is no whole number")
    return value
