"""Plays a job into a folder, so that no finished work is lost and no file is left half-written."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from mextrain._support.files import locked_folder, make_folder, remove_file, whole_file
from mextrain._support.optional import need
from mextrain.archive import rows
from mextrain.archive.job import Job
from mextrain.archive.layout import FORMAT, TEMPORARY, number_in, sidecar_file
from mextrain.archive.manifest import as_folder, find_job, write_manifest
from mextrain.archive.rows import arrow_rows
from mextrain.archive.schema import archive_schema
from mextrain.archive.sidecar import Sidecar
from mextrain.archive.verify import shard_problems, shards_there
from mextrain.bulk.backend import choose_backend
from mextrain.bulk.results import Rounds
from mextrain.bulk.seat_policies import Seats
from mextrain.bulk.simulate import (
    Interrupted,
    Player,
    Progress,
    check_progress,
    check_workers,
    interruptible,
    run_threads,
)
from mextrain.bulk.stats import Summary
from mextrain.errors import MextrainError, one_line, shown
from mextrain_core.model.limits import MAX_DECISIONS


@dataclass(frozen=True)
class Archive:
    """The complete shards of a job in `folder`, with summary statistics of their games.

    `shards`: their numbers. `made`: the shards that this call made. `remade`: how many of those replaced a damaged
    file. `seconds`: the time that took, without loading the kernels. `bytes`: size of all shards. `summary`: statistics
    of all their games, None if there are none.
    """

    folder: Path
    job: Job
    shards: tuple[int, ...]
    made: tuple[int, ...]
    remade: int
    seconds: float
    bytes: int
    summary: Summary | None

    @property
    def is_complete(self) -> bool:
        """Whether every shard of the job is there."""
        return len(self.shards) == self.job.shards

    def games(self, shards: Sequence[int]) -> int:
        """Return the number of games in the shards with these numbers."""
        return sum(self.job.shard(number)[1] for number in shards)


@interruptible()
def write_archive(
    folder: str | os.PathLike[str],
    job: Job,
    *,
    workers: int | None = 1,
    resume: bool = False,
    verify: bool = False,
    progress: Progress | None = None,
    backend: str = "auto",
) -> Archive:
    """Play `job` into `folder`, on `workers` threads (None: one for each usable processor).

    The folder is created if necessary. It must be empty or hold this same job: complete, or, with `resume`, in part.
    Other files are refused and left alone. A job that is already complete is not played again. Existing shards are
    recognised by their sidecars; with `verify` they are read, and a shard that does not match its sidecar counts as
    missing.

    Memory does not grow with the number of games: each worker holds about 32,768 rounds. `backend` is the same as for
    `simulate`; the files do not depend on it. Ctrl-C raises `Interrupted` with the `Archive` of the complete shards.
    Raises `MissingExtra` without pyarrow, `MextrainError` for a folder that cannot be used or that another process is
    writing to, `OSError` for errors of the file system.
    """
    need("pyarrow", "io")
    if not isinstance(job, Job):
        raise MextrainError(f"job = {shown(job)}: expected a Job, as Job.create makes it")
    if job.format != FORMAT:
        raise MextrainError(f"the job is of the older format {job.format}: make one with Job.create")
    workers = check_workers(workers)
    check_progress(progress)
    seats = Seats.of(job.policies, job.rules.players)
    backend = choose_backend(backend, job.rules, seats, job.games * job.rules.rounds // workers)
    root = as_folder(folder)
    if root.exists() and not root.is_dir():
        raise MextrainError(f"{one_line(str(root))} is a file: the archive needs a folder")
    make_folder(root)
    writer = _Writer(root, job, seats, backend)
    try:
        with locked_folder(root):
            return writer.run(workers, resume, verify, progress)
    except Interrupted:
        raise
    except KeyboardInterrupt:
        raise Interrupted(writer.archive()) from None
    except BlockingIOError:
        writing = f"another process is writing into {one_line(str(root))}"
        raise MextrainError(f"{writing}: let it finish, or name another folder") from None


class _Writer:
    """Makes the missing shards of a job; `_work` runs on several threads at once."""

    def __init__(self, folder: Path, job: Job, seats: Seats, backend: str) -> None:
        self.folder, self.job = folder, job
        self._seats, self._backend = seats, backend
        self._stop = threading.Event()
        self._done = 0
        self.sidecars: dict[int, Sidecar] = {}
        self._kept: set[int] = set()
        self._missing: Iterator[int] = iter(())
        self._lock = threading.Lock()

    def run(self, workers: int, resume: bool, verify: bool, progress: Progress | None) -> Archive:
        """Do the work of `write_archive`, in a folder that no other process writes to."""
        damaged = self._prepare(resume, verify)
        self._kept = set(self.sidecars)
        threads = min(workers, self.job.shards - len(self._kept))
        if not threads:
            return self.archive()
        self._player().warm_up()
        began = time.perf_counter()
        interrupted = run_threads(
            self._work, threads, self._stop, lambda: progress and progress(self._done, self.job.games)
        )
        archive = self.archive(damaged, time.perf_counter() - began)
        if interrupted and not archive.is_complete:
            raise Interrupted(archive)
        if progress:
            progress(self.job.games, self.job.games)
        return archive

    def _prepare(self, resume: bool, verify: bool) -> int:
        """Prepare the folder and find the existing shards; returns the number of damaged ones."""
        theirs = find_job(self.folder)
        if theirs is not None:
            self._compare(theirs)
        elif strange := self._stranger():
            raise MextrainError(f"{self.folder} holds other files ({strange}): name an empty folder, or a new one")
        damaged = self._look(verify)
        if len(self.sidecars) < self.job.shards and theirs is not None and not resume:
            raise MextrainError(
                f"{self.folder} holds {len(self.sidecars)} of the {self.job.shards} shards of this job: "
                "resume it (--resume) to make the others"
            )
        self._done = sum(self.job.shard(number)[1] for number in self.sidecars)
        self._clean()
        if theirs is None:
            make_folder(self.folder / self.job.folder)
            write_manifest(self.folder, self.job)
        kept = frozenset(self.sidecars)
        self._missing = (number for number in range(self.job.shards) if number not in kept)
        return damaged

    def _stranger(self) -> str | None:
        """Return the name of an entry that a run of this job cannot have left before it wrote the manifest, or None."""
        folder = self.folder
        for below in (*Path(self.job.folder).parts, None):
            for path in sorted(folder.iterdir()):
                if path.name != below and not TEMPORARY.fullmatch(path.name):
                    return path.relative_to(self.folder).as_posix()
            folder = folder / (below or "")
            if not folder.is_dir():
                break
        return None

    def _compare(self, theirs: Job) -> None:
        """Refuse a folder that holds a different job, or a job in an older layout."""
        if theirs.format != FORMAT:
            raise MextrainError(
                f"{self.folder} is of the older format {theirs.format}, which can be read and not continued: "
                "name an empty folder, or a new one"
            )
        stored = theirs.to_dict()
        for name, value in self.job.to_dict().items():
            if stored[name] != value:
                raise MextrainError(
                    f"{self.folder} holds another job: its {name} is {_compact(stored[name])}, not {_compact(value)}; "
                    "name an empty folder, or a new one"
                )

    def _look(self, verify: bool) -> int:
        """Find the complete shards; returns the number of damaged ones."""
        damaged = 0
        for number in shards_there(self.folder, self.job):
            # A shard without a sidecar was unfinished when the run was killed; that is not damage.
            if all((self.folder / path(number)).exists() for path in (self.job.path, self.job.sidecar_path)):
                sidecar, problems = shard_problems(self.folder, self.job, number, read=verify)
                if sidecar is not None and not problems:
                    self.sidecars[number] = sidecar
                else:
                    damaged += 1
        return damaged

    def _clean(self) -> None:
        """Remove the leftovers of a killed run, and sidecars that are not valid."""
        for folder in (self.folder, self.folder / self.job.folder):
            for path in sorted(folder.iterdir()) if folder.is_dir() else ():
                number = number_in(path.name)
                is_mark = number is not None and path.name == sidecar_file(FORMAT, number)
                if TEMPORARY.fullmatch(path.name) or (is_mark and number not in self.sidecars):
                    remove_file(path)

    def _player(self) -> Player:
        """Return a player of the job's games, for one thread."""
        return Player(self.job.rules, self._seats, self.job.seed, self._backend)

    def _work(self) -> None:
        """Make shards until none are missing or a stop is requested."""
        player = self._player()
        rules = self.job.rules
        group_games = min(max(1, rows.GROUP_ROUNDS // rules.rounds), self.job.shard_games)
        # Pages that no move reaches are never touched, so reserving space for the worst case costs nothing.
        actions = np.empty(group_games * rules.rounds * MAX_DECISIONS, np.uint16)
        table = Rounds.empty(group_games, rules.rounds, rules.players)
        while not self._stop.is_set():
            with self._lock:
                number = next(self._missing, None)
            if number is None:
                return
            try:
                sidecar = self._make(number, player, table, actions)
            except _Stopped:
                return
            with self._lock:
                self.sidecars[number] = sidecar

    def _make(self, number: int, player: Player, table: Rounds, actions: np.ndarray) -> Sidecar:
        """Make one shard; raises `_Stopped` if a stop is requested, and then leaves nothing behind."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        job = self.job
        first, games = job.shard(number)
        schema = archive_schema({"job": job.to_dict(), "shard": number})
        summary: Summary | None = None
        total = 0
        with whole_file(self.folder / job.path(number)) as opened:
            file = _Digest(opened)
            with pq.ParquetWriter(pa.PythonFile(file, "w"), schema, **rows.WRITER_OPTIONS) as writer:
                for start in range(0, games, table.games):
                    group = table.range(0, min(table.games, games - start))
                    part_hash, moves = self._play(player, first + start, group, actions)
                    writer.write_table(arrow_rows(job, schema, first + start, group, actions[:moves]))
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
        sidecar.write(self.folder, job, number)
        return sidecar

    def _play(self, player: Player, first: int, group: Rounds, actions: np.ndarray) -> tuple[int, int]:
        """Play a row group in slices; returns (hash, number of moves). Raises `_Stopped` if a stop is requested."""
        games = moves = total = 0
        while games < group.games:
            if self._stop.is_set():
                raise _Stopped
            stop = min(games + player.slice, group.games)
            part_hash, played = player.play(first + games, group.range(games, stop), actions[moves:])
            total += int(part_hash)
            moves += played
            with self._lock:
                self._done += stop - games
            games = stop
        return total, moves

    def archive(self, remade: int = 0, seconds: float = 0.0) -> Archive:
        """Return the current contents of the folder."""
        shards = tuple(sorted(self.sidecars))
        made = tuple(number for number in shards if number not in self._kept)
        summary: Summary | None = None
        for number in shards:
            part = self.sidecars[number].summary
            summary = part if summary is None else summary + part
        size = sum(sidecar.bytes for sidecar in self.sidecars.values())
        return Archive(self.folder, self.job, shards, made, remade, seconds, size, summary)


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


class _Stopped(Exception):
    """A shard was abandoned before it was complete."""


def _compact(value: object) -> str:
    return json.dumps(value) if not isinstance(value, str) else value
