"""Checks the files of an archive: all present, intact, and as their sidecars describe them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from mextrain._support.optional import need
from mextrain.archive.job import Job
from mextrain.archive.layout import JOB_FILE, number_in, shard_file, sidecar_file
from mextrain.archive.manifest import read_job
from mextrain.archive.places import Folder, Place, as_place
from mextrain.archive.schema import arrow_says, schema_problems
from mextrain.archive.sidecar import Sidecar
from mextrain.bulk.simulate import Progress, check_progress
from mextrain.errors import MextrainError

CHUNK = 1 << 20
"""Bytes read in one call."""

MOST_PROBLEMS = 20
"""Maximum number of problems that are listed individually."""


def verify_archive(folder: Folder, progress: Progress | None = None) -> list[str]:
    """Return the problems with the files of an archive, one text for each; an empty list if there are none.

    Every shard must be there with its sidecar and have the size and SHA-256 in it, and the columns, rows and metadata
    that the job requires. There must be no other shards. After the first 20 problems, one more text gives the number of
    the remaining ones. `progress` is called with (shards checked, shards). The rows are not replayed; use
    `check_archive` for that. Raises `MextrainError` for a folder without an archive or with another version,
    `MissingExtra` without pyarrow, `OSError` for a file that cannot be read.
    """
    need("pyarrow", "io")
    check_progress(progress)
    place = as_place(folder)
    job = read_job(place)
    problems = _Problems()
    looked = 0
    for number in shards_there(place, job):
        problems.missing(job, looked, number)
        problems.add(shard_problems(place, job, number, read=True)[1])
        looked = number + 1
        if progress:
            progress(looked, job.shards)
    problems.missing(job, looked, job.shards)
    problems.add(strangers(place, job))
    return problems.told()


@dataclass
class _Problems:
    """The first problems, and the total number."""

    texts: list[str] = field(default_factory=list)
    count: int = 0

    def add(self, texts: list[str]) -> None:
        self.count += len(texts)
        self.texts += texts[: MOST_PROBLEMS - len(self.texts)]

    def missing(self, job: Job, start: int, stop: int) -> None:
        """Note that the shards `start` … `stop` - 1 are missing; there may be too many to loop over."""
        self.count += stop - start
        told = range(start, min(stop, start + MOST_PROBLEMS - len(self.texts)))
        self.texts += [missing_text(job, number) for number in told]

    def told(self) -> list[str]:
        more = self.count - len(self.texts)
        return [*self.texts, f"and {more:,} more problem{'' if more == 1 else 's'}"] if more else self.texts


def missing_text(job: Job, number: int) -> str:
    """Return the text that says that a shard is missing."""
    return f"{job.path(number).as_posix()} is missing"


def shards_there(place: Place, job: Job) -> list[int]:
    """Return the numbers of the job's shards that have a file or a sidecar, in order."""
    names = place.names(job.folder)
    return sorted({number for name in names if (number := _shard_of(job, name)) is not None})


def _shard_of(job: Job, name: str) -> int | None:
    """Return the number of the job's shard to which a file name belongs, or None for any other file."""
    number = number_in(name)
    if number is None or number >= job.shards or name not in (shard_file(number), sidecar_file(job.format, number)):
        return None
    return number


def shard_problems(place: Place, job: Job, number: int, *, read: bool) -> tuple[Sidecar | None, list[str]]:
    """Return the sidecar of shard `number`, and the problems with the shard.

    With `read` the file is read and everything is checked. Otherwise only the sidecar and the size of the file are
    checked. The first format has no sidecars.
    """
    name = job.path(number).as_posix()
    kind = place.kind(name)
    if kind is None:
        return None, [missing_text(job, number)]
    if kind != "file":
        return None, [f"{name} is not a regular file"]
    try:
        sidecar = Sidecar.read(place, job, number) if job.has_sidecars else None
    except MextrainError as error:
        return None, [f"{name}: {error}"]
    if sidecar is None and job.has_sidecars:
        return None, [f"{name} has no sidecar, so it may be unfinished"]
    problems = []
    if sidecar is not None:
        size = place.size(name)
        if size != sidecar.bytes:
            return sidecar, [f"{name} has {size:,} bytes, and its sidecar says {sidecar.bytes:,}"]
        if read:
            problems += digest_problems(place, name, sidecar)
    if read:
        problems += [f"{name} {text}" for text in parquet_problems(place, job, number)]
    return sidecar, problems


def digest_problems(place: Place, name: str, sidecar: Sidecar) -> list[str]:
    """Return the problems that the SHA-256 of a file shows. Raises `OSError`."""
    digest = sha256_of(place, name)
    if digest == sidecar.sha256:
        return []
    return [f"{name} was changed: its SHA-256 is {digest}, and its sidecar says {sidecar.sha256}"]


def parquet_problems(place: Place, job: Job, number: int) -> list[str]:
    """Return the reasons in the footer of a Parquet file why it cannot be shard `number` of `job`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with place.opened(job.path(number).as_posix()) as source:
            footer = pq.read_metadata(source)
        schema = footer.schema.to_arrow_schema()
    except (pa.ArrowException, OSError, ValueError) as error:
        return [f"is not a Parquet file that can be read ({arrow_says(error)})"]
    problems = schema_problems(schema, job.format)
    rows = job.shard(number)[1] * job.rules.rounds
    if footer.num_rows != rows:
        problems.append(f"has {footer.num_rows:,} rows, expected {rows:,}")
    try:
        stored = json.loads((footer.metadata or {})[b"mextrain"])
    except (KeyError, ValueError, RecursionError):
        stored = None
    if stored != {"job": job.to_dict(), "shard": number}:
        problems.append("belongs to another job or shard, as its metadata say")
    return problems


def strangers(place: Place, job: Job) -> list[str]:
    """Return a text for each file that readers would mistake for a shard of the job."""
    return [f"{name} is not a shard of this job" for name in sorted(_others(place, job))]


def _others(place: Place, job: Job) -> Iterator[str]:
    for name in place.parquet_files():
        folder, _, file = name.rpartition("/")
        if (folder or ".") != job.folder or (file != JOB_FILE and _shard_of(job, file) is None):
            yield name


def sha256_of(place: Place, name: str) -> str:
    """Return the SHA-256 (hex) of a file. Raises `OSError`."""
    digest = hashlib.sha256()
    with place.opened(name) as file:
        while data := file.read(CHUNK):
            digest.update(data)
    return digest.hexdigest()
