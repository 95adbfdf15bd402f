"""Is every file of an archive there, whole, and what its sidecar says?"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from mextrain._support.optional import need
from mextrain.archive.job import Job, read_job
from mextrain.archive.layout import FIRST_FORMAT, SHARD_FILE
from mextrain.archive.rows import archive_schema
from mextrain.archive.sidecar import Sidecar
from mextrain.bulk.simulate import Progress
from mextrain.errors import MextrainError

CHUNK = 1 << 20
"""Bytes read at a time."""


def verify_archive(folder: str | os.PathLike[str], progress: Progress | None = None) -> list[str]:
    """Return everything that is wrong with the files of an archive, one text each: an empty list if all is well.

    Every shard must be there with its sidecar, of its size and SHA-256, with the columns, rows and metadata that the
    job asks for, and no other shard may lie beside them. `progress` is called with (shards read, shards). The rows
    are not replayed; `check_archive` does that. Raises `MextrainError` for a folder without an archive or of another
    version, `MissingExtra` without pyarrow, `OSError` for a file that cannot be read.
    """
    need("pyarrow", "io")
    job, root = read_job(folder), Path(folder)
    found = []
    for number in range(job.shards):
        found += shard_problems(root, job, number, read=True)[1]
        if progress:
            progress(number + 1, job.shards)
    return found + strangers(root, job)


def shard_problems(root: Path, job: Job, number: int, *, read: bool) -> tuple[Sidecar | None, list[str]]:
    """Return the sidecar of shard `number`, and what is wrong with the shard: everything if it is to be `read`.

    Otherwise only what the sidecar and the size of the file tell. The first format has no sidecars.
    """
    path = root / job.path(number)
    name = job.path(number).as_posix()
    if not path.is_file():
        return None, [f"{name} is missing"]
    try:
        sidecar = Sidecar.read(root, job, number)
    except MextrainError as error:
        return None, [f"{name}: {error}"]
    if sidecar is None and job.format != FIRST_FORMAT:
        return None, [f"{name} has no sidecar, so it may be unfinished"]
    rows = job.shard(number)[1] * job.rules.rounds
    problems = []
    if sidecar is not None:
        size = path.stat().st_size
        if size != sidecar.bytes:
            problems.append(f"{name} has {size:,} bytes, and its sidecar says {sidecar.bytes:,}")
        elif read and (digest := sha256_of(path)) != sidecar.sha256:
            problems.append(f"{name} was changed: its SHA-256 is {digest}, and its sidecar says {sidecar.sha256}")
        if sidecar.rows != rows:
            problems.append(f"{name}: its sidecar says {sidecar.rows:,} rows, and the job {rows:,}")
    if read:
        problems += [f"{name} {text}" for text in parquet_problems(path, job, number, rows)]
    return sidecar, problems


def parquet_problems(path: Path, job: Job, number: int, rows: int) -> list[str]:
    """Return what the footer of a Parquet file tells against its being shard `number` of `job`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        footer = pq.read_metadata(path)
        schema = footer.schema.to_arrow_schema()
    except (pa.ArrowException, OSError) as error:
        return [f"is no Parquet file that can be read ({error})"]
    problems = []
    wanted = archive_schema()
    names = [field.name for field in schema]
    if names != wanted.names:
        problems.append(f"has the columns {', '.join(names)}, expected {', '.join(wanted.names)}")
    else:
        problems += [
            f"has {schema.field(name).type} in the column {name}, expected {wanted.field(name).type}"
            for name in names
            if not same_type(schema.field(name).type, wanted.field(name).type)
        ]
    if footer.num_rows != rows:
        problems.append(f"has {footer.num_rows:,} rows, expected {rows:,}")
    try:
        stored = json.loads((footer.metadata or {})[b"mextrain"])
    except (KeyError, ValueError):
        stored = None
    if stored != {"job": job.to_dict(), "shard": number}:
        problems.append("belongs to another job or shard, as its metadata say")
    return problems


def same_type(one: object, other: object) -> bool:
    """Whether two Arrow types are the same, but for the name of a list's elements and whether they may be null.

    The first format left that open.
    """
    import pyarrow as pa

    if pa.types.is_list(one) and pa.types.is_list(other):
        return bool(one.value_type == other.value_type)  # type: ignore[attr-defined]
    return one == other


def strangers(root: Path, job: Job) -> list[str]:
    """Return a text for each file that readers would take for a shard of the job and that is none."""
    mine = {root / job.path(number) for number in range(job.shards)}
    return [
        f"{path.relative_to(root).as_posix()} is no shard of this job"
        for path in sorted(root.rglob("part-*.parquet"))
        if SHARD_FILE.fullmatch(path.name) and path not in mine
    ]


def sha256_of(path: Path) -> str:
    """Return the SHA-256 (hex) of a file. Raises `OSError`."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while data := file.read(CHUNK):
            digest.update(data)
    return digest.hexdigest()
