"""Reading shards: the complete ones of an archive, and their rows as arrays."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mextrain._support.optional import need
from mextrain.archive.job import Job, read_job
from mextrain.archive.sidecar import Sidecar
from mextrain.archive.verify import shard_problems
from mextrain.errors import ArchiveError


@dataclass(frozen=True)
class Shard:
    """A complete shard: its file, number, games `first_game` … `first_game + games - 1`, and its sidecar.

    Shards of the first format have no sidecar.
    """

    path: Path
    number: int
    first_game: int
    games: int
    sidecar: Sidecar | None

    def row_groups(self) -> int:
        """Return the number of row groups. Raises `ArchiveError` for a file that cannot be read."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            return int(pq.read_metadata(self.path).num_row_groups)
        except (pa.ArrowException, OSError) as error:
            raise ArchiveError(f"it cannot be read ({error})", str(self.path)) from None


def read_shards(folder: str | os.PathLike[str]) -> tuple[Job, list[Shard]]:
    """Return the job of an archive and its complete shards, in order; what is unfinished is left out.

    Raises `MextrainError` for a folder without an archive or of another version, and `MissingExtra` without pyarrow.
    """
    need("pyarrow", "io")
    job, root = read_job(folder), Path(folder)
    shards = []
    for number in range(job.shards):
        # Without a sidecar only the file itself can tell that it is whole.
        sidecar, problems = shard_problems(root, job, number, read=False)
        if sidecar is None and not problems:
            problems = shard_problems(root, job, number, read=True)[1]
        if not problems:
            shards.append(Shard(root / job.path(number), number, *job.shard(number), sidecar))
    return job, shards


@dataclass(frozen=True, eq=False)
class RowGroup:
    """Rounds of a shard, as arrays with a row for each.

    `first_row`: their place in the shard. `columns`: the columns with a number in each row, by name. `texts`: those
    with texts, each as (codes, texts). `offsets`: int64[rows + 1], where the moves of each round begin in `actions`,
    uint16. `points`: int64[rows, players].
    """

    first_row: int
    columns: dict[str, np.ndarray]
    texts: dict[str, tuple[np.ndarray, list[str]]]
    offsets: np.ndarray
    actions: np.ndarray
    points: np.ndarray

    def __len__(self) -> int:
        return len(self.points)

    def part(self, start: int, stop: int) -> RowGroup:
        """Return the rows `start` … `stop` - 1, or those that there are, as views."""
        return RowGroup(
            self.first_row + start,
            {name: column[start:stop] for name, column in self.columns.items()},
            {name: (codes[start:stop], texts) for name, (codes, texts) in self.texts.items()},
            self.offsets[start : stop + 1],
            self.actions,
            self.points[start:stop],
        )


def read_groups(path: Path, players: int) -> Iterator[RowGroup]:
    """Yield the row groups of a shard, one in memory at a time.

    Raises `OSError` or `pyarrow.ArrowException` for a damaged file, `ValueError` for lists of another length.
    """
    import pyarrow.parquet as pq

    first = 0
    with pq.ParquetFile(path) as file:
        for number in range(file.num_row_groups):
            group = group_of(file.read_row_group(number, use_threads=False), first, players)
            first += len(group)
            yield group


def group_of(table: Any, first_row: int, players: int) -> RowGroup:
    """Return the arrays of a `pyarrow.Table` with the columns `actions`, `points` and any others of an archive.

    They are copies: Arrow's own memory cannot be written, for which kernels would be compiled once more.

    Raises `ValueError` if a row has points for another number of seats, or anything is null.
    """
    import pyarrow as pa

    columns, texts, lists = {}, {}, {}
    for name in table.column_names:
        column = table.column(name).combine_chunks()
        if pa.types.is_list(column.type):
            # A list of nothing has no offsets of its own.
            offsets = column.offsets.to_numpy() if len(column) else np.zeros(1, np.int32)
            lists[name] = offsets.astype(np.int64), column.values.to_numpy(zero_copy_only=True).copy()
        elif pa.types.is_dictionary(column.type):
            texts[name] = column.indices.to_numpy(zero_copy_only=True), column.dictionary.to_pylist()
        else:
            columns[name] = column.to_numpy(zero_copy_only=True).copy()
    ends, points = lists["points"]
    if (np.diff(ends) != players).any():
        raise ValueError(f"a row has points for another number of seats than {players}")
    offsets, actions = lists["actions"]
    return RowGroup(first_row, columns, texts, offsets, actions, points.reshape(-1, players))
