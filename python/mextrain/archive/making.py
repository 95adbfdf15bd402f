"""Makes shards: a shard is a function of the job and its number, whoever makes it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import BinaryIO

import numpy as np

from mextrain.archive import rows
from mextrain.archive.job import Job
from mextrain.archive.places import Place
from mextrain.archive.rows import arrow_rows
from mextrain.archive.schema import archive_schema
from mextrain.archive.sidecar import Sidecar
from mextrain.bulk.results import Rounds
from mextrain.bulk.seat_policies import Seats
from mextrain.bulk.simulate import Player
from mextrain.bulk.stats import Summary
from mextrain_core.model.limits import MAX_DECISIONS


class ShardMaker:
    """Makes shards of a job, one after another, on one thread. `backend` is what `choose_backend` returned."""

    def __init__(self, place: Place, job: Job, seats: Seats, backend: str) -> None:
        self._place, self._job = place, job
        self._player = Player(job.rules, seats, job.seed, backend)
        rules = job.rules
        games = min(max(1, rows.GROUP_ROUNDS // rules.rounds), job.shard_games)
        # Pages that no move reaches are never touched, so reserving space for the worst case costs nothing.
        self._actions = np.empty(games * rules.rounds * MAX_DECISIONS, np.uint16)
        self._table = Rounds.empty(games, rules.rounds, rules.players)

    def warm_up(self) -> None:
        """Compile the kernels, or load them from the cache."""
        self._player.warm_up()

    def make(self, number: int, played: Callable[[int], object]) -> Sidecar:
        """Make a shard and its sidecar. `played` is called with numbers of games just played, about every 0.05 s.

        If that raises, nothing is left behind. Two makers of the same shard write the same bytes, in any order.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        job, table = self._job, self._table
        first, games = job.shard(number)
        schema = archive_schema({"job": job.to_dict(), "shard": number})
        summary: Summary | None = None
        total = 0
        with self._place.whole_file(job.path(number).as_posix()) as opened:
            file = _Digest(opened)
            with pq.ParquetWriter(pa.PythonFile(file, "w"), schema, **rows.WRITER_OPTIONS) as writer:
                for start in range(0, games, table.games):
                    group = table.range(0, min(table.games, games - start))
                    part_hash, moves = self._play(first + start, group, played)
                    writer.write_table(arrow_rows(job, schema, first + start, group, self._actions[:moves]))
                    part = Summary.of(job.rules, job.policies, group)
                    summary = part if summary is None else summary + part
                    total += part_hash
        assert summary is not None
        sidecar = Sidecar(
            rows=games * job.rules.rounds,
            bytes=file.bytes,
            sha256=file.sha256.hexdigest(),
            hash=total & (2**64 - 1),
            writer=f"pyarrow {pa.__version__}",
            summary=summary,
        )
        sidecar.write(self._place, job, number)
        return sidecar

    def _play(self, first: int, group: Rounds, played: Callable[[int], object]) -> tuple[int, int]:
        """Play a row group in slices; returns (hash, number of moves)."""
        games = moves = total = 0
        while games < group.games:
            stop = min(games + self._player.slice, group.games)
            part_hash, more = self._player.play(first + games, group.range(games, stop), self._actions[moves:])
            total += int(part_hash)
            moves += more
            played(stop - games)
            games = stop
        return total, moves


class _Digest:
    """A writable file that tracks the size and the SHA-256 of what was written."""

    closed = False

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.sha256 = hashlib.sha256()
        self.bytes = 0

    def write(self, data: bytes) -> int:
        """Write the data and update size and digest."""
        written = self._file.write(data)
        self.sha256.update(data)
        self.bytes += written
        return written

    def tell(self) -> int:
        """Return the position of the next byte."""
        return self.bytes

    def flush(self) -> None:
        """Flush the buffer of the file."""
        self._file.flush()

    def close(self) -> None:
        """Do nothing: the caller closes the file once it is on disk."""
