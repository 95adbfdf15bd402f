"""The complete shards of an archive."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mextrain._support.optional import need
from mextrain.archive.job import Job
from mextrain.archive.manifest import read_job
from mextrain.archive.places import Folder, Place, as_place
from mextrain.archive.schema import arrow_says, schema_problems
from mextrain.archive.sidecar import Sidecar
from mextrain.archive.verify import digest_problems, shard_problems, shards_there, strangers
from mextrain.errors import ArchiveError


@dataclass(frozen=True)
class Shard:
    """A complete shard: its file, number, games `first_game` … `first_game + games - 1`, and its sidecar.

    `place` is the archive's folder, and `name` the path in it. Shards of the first format have no sidecar.
    """

    place: Place
    name: str
    job: Job
    number: int
    first_game: int
    games: int
    sidecar: Sidecar | None

    @property
    def path(self) -> Path | str:
        """The file: a `Path`, or a text for an archive in an object store."""
        folder = self.place.folder
        return folder / self.name if isinstance(folder, Path) else f"{folder}/{self.name}"

    @property
    def rounds(self) -> int:
        """Number of rounds, which equals the number of rows."""
        return self.games * self.job.rules.rounds

    def check_digest(self) -> None:
        """Compare the SHA-256 of the file with the sidecar. Raises `ArchiveError`."""
        with readable(self.name):
            if self.sidecar and (problems := digest_problems(self.place, self.name, self.sidecar)):
                raise ArchiveError(problems[0].removeprefix(f"{self.name} "), self.name)

    @contextmanager
    def opened(self) -> Iterator[Any]:
        """Open the file as a `pyarrow.parquet.ParquetFile`, and check its schema and page checksums.

        Raises `ArchiveError`, also for pyarrow errors while the file is open.
        """
        import pyarrow.parquet as pq

        with readable(self.name):
            if self.place.kind(self.name) != "file":
                raise ArchiveError("it is not a regular file", self.name)
            with (
                self.place.opened(self.name) as source,
                pq.ParquetFile(source, page_checksum_verification=True) as file,
            ):
                if problems := schema_problems(file.schema_arrow, self.job.format):
                    raise ArchiveError(f"it {problems[0]}", self.name)
                if file.metadata.num_rows != self.rounds:
                    raise ArchiveError(f"it has {file.metadata.num_rows:,} rows, expected {self.rounds:,}", self.name)
                yield file

    def group_rows(self) -> list[int]:
        """Return the number of rows of each row group; every group holds whole games. Raises `ArchiveError`."""
        with self.opened() as file:
            rows = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
        if sum(rows) != self.rounds or any(count < 1 or count % self.job.rules.rounds for count in rows):
            raise ArchiveError("its row groups do not hold whole games", self.name)
        return rows


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Convert every exception that pyarrow raises for a damaged file into an `ArchiveError` about the shard `name`."""
    import pyarrow as pa

    try:
        yield
    except ArchiveError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError, IndexError, TypeError, OverflowError) as error:
        raise ArchiveError(f"it cannot be read ({arrow_says(error)})", name) from None


def read_shards(folder: Folder) -> tuple[Job, list[Shard]]:
    """Return the job of an archive and its complete shards, in order; missing or unfinished shards are left out.

    Raises `ArchiveError` for files that are damaged (as far as sizes and sidecars show) or that belong to another job,
    `MextrainError` for a folder without an archive or with another version, and `MissingExtra` without pyarrow.
    """
    need("pyarrow", "io")
    place = as_place(folder)
    job = read_job(place)
    there = frozenset(place.names(job.folder))
    shards = []
    for number in shards_there(place, job):
        path, mark = job.path(number), job.sidecar_path(number)
        if path.name in there and job.has_sidecars and mark.name not in there:
            continue
        # Without a sidecar only the file itself shows whether it is complete.
        sidecar, problems = shard_problems(place, job, number, read=not job.has_sidecars)
        if problems:
            raise ArchiveError(problems[0])
        shards.append(Shard(place, path.as_posix(), job, number, *job.shard(number), sidecar))
    if others := strangers(place, job):
        raise ArchiveError(others[0])
    return job, shards
