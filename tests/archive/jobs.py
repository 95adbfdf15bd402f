"""Small archives, and the contents of their folders."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mextrain import RuleSet
from mextrain.archive import JOB_FILE, Job, Sidecar, archive_schema
from mextrain.archive.places import as_place
from mextrain.archive.verify import sha256_of

Row = dict[str, Any]

RULES = RuleSet.super(3, rounds=3)
FOLDER = "preset=super/players=3"
ARCHIVES = Path(__file__).resolve().parents[1] / "golden" / "archives"
"""One folder for each format version, all with the same job of three games."""


def small_job() -> Job:
    """A job of four shards, the last one short, with extreme seed and game numbers."""
    return Job.create(RULES, games=100, seed=2**64 - 1, first_game=7, policies="random,heaviest,random", shard_games=30)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its relative path."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def names(*shards: int) -> list[str]:
    """The files of an archive of `RULES` with these shards, in order."""
    return [
        f"{FOLDER}/{JOB_FILE}",
        *(f"{FOLDER}/_part-{k:05}.parquet" for k in shards),
        *(f"{FOLDER}/part-{k:05}.parquet" for k in shards),
    ]


def rewrite_shard(
    archive: Path, job: Job, number: int, change: Callable[[list[Row]], object], **sidecar: Any
) -> None:
    """Change the rows of a shard and update its sidecar; `sidecar`: further values to set in it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = archive / job.path(number)
    listed = pq.read_table(path, partitioning=None).to_pylist()
    change(listed)
    schema = archive_schema({"job": job.to_dict(), "shard": number}, job.format)
    pq.write_table(pa.Table.from_pylist(listed, schema=schema), path)
    if job.has_sidecars:
        resign(archive, job, number, **sidecar)


def resign(archive: Path, job: Job, number: int, **sidecar: Any) -> None:
    """Update size and SHA-256 in the sidecar of a shard."""
    place, name = as_place(archive), job.path(number).as_posix()
    mark = Sidecar.read(place, job, number)
    assert mark is not None
    right = {"bytes": place.size(name), "sha256": sha256_of(place, name)}
    dataclasses.replace(mark, **right, **sidecar).write(place, job, number)
