"""Plays a job into a folder, so that no finished work is lost and no file is left half-written."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from mextrain._support.optional import need
from mextrain.archive.job import Job
from mextrain.archive.layout import FORMAT, TEMPORARY, number_in, sidecar_file
from mextrain.archive.making import ShardMaker
from mextrain.archive.manifest import find_job, read_job, write_manifest
from mextrain.archive.places import Folder, Place, as_place
from mextrain.archive.portion import portion
from mextrain.archive.sidecar import Sidecar
from mextrain.archive.tasks import check_sight, make_shard
from mextrain.archive.verify import shard_problems, shards_there
from mextrain.bulk.backend import choose_backend
from mextrain.bulk.seat_policies import Seats
from mextrain.bulk.simulate import Interrupted, Progress, check_progress, check_workers, interruptible, run_threads
from mextrain.bulk.stats import Summary
from mextrain.cluster import Cluster, check_cluster, connected
from mextrain.errors import MextrainError, one_line, shown


@dataclass(frozen=True)
class Archive:
    """The complete shards of a job in `folder`, with summary statistics of their games.

    `folder`: a `Path`, or a text for a place that has none. `wanted`: the numbers of the shards that the call was to
    make, which are all unless it named some. `shards`: the numbers of those that are complete. `made`: the shards that
    this call made. `remade`: how many of those replaced a damaged file. `seconds`: the time that took, without loading
    the kernels or starting a cluster. `bytes`: size of all complete shards. `summary`: statistics of all their games,
    None if there are none.
    """

    folder: Path | str
    job: Job
    shards: tuple[int, ...]
    made: tuple[int, ...]
    remade: int
    seconds: float
    bytes: int
    summary: Summary | None
    wanted: range

    @property
    def is_complete(self) -> bool:
        """Whether every shard that was wanted is there."""
        return len(self.shards) == len(self.wanted)

    def games(self, shards: Sequence[int]) -> int:
        """Return the number of games in the shards with these numbers."""
        return sum(self.job.shard(number)[1] for number in shards)


@interruptible()
def write_archive(
    folder: Folder,
    job: Job,
    *,
    workers: int | None = 1,
    resume: bool = False,
    verify: bool = False,
    progress: Progress | None = None,
    backend: str = "auto",
    shards: str | range | None = None,
    cluster: str | None = None,
) -> Archive:
    """Play `job` into `folder`, on `workers` threads (None: one for each usable processor).

    `folder` is a path, a URI such as `s3://bucket/folder`, or a `pyarrow.fs.FileSystem`, whose root is meant. It is
    created if necessary. It must be empty or hold this same job: complete, or, with `resume`, in part. Other files are
    refused and left alone. A job that is already complete is not played again. Existing shards are recognised by their
    sidecars; with `verify` they are read, and a shard that does not match its sidecar counts as missing.

    `shards` names the shards to make: `"0-99"`, `range(100)`, or one of N parts, `"7/100"` (docs/scaling.md). Then any
    number of processes on any machines may write into the folder at once, `resume` is implied, and nobody removes a
    file. `cluster`, `"ray"` or `"ray://ADDRESS"`, plays on a Ray cluster, a shard in a task on one processor; `workers`
    is not used then, and every node must see the folder under the same name.

    Memory does not grow with the number of games: each worker holds about 32,768 rounds. `backend` is the same as for
    `simulate`; the files depend on none of these arguments. Ctrl-C raises `Interrupted` with the `Archive` of the
    complete shards. Raises `MissingExtra` without pyarrow or Ray, `MextrainError` for a folder that cannot be used or
    that another process is writing to, and for a cluster that cannot be used, `OSError` for errors of the file system.
    """
    need("pyarrow", "io")
    if not isinstance(job, Job):
        raise MextrainError(f"job = {shown(job)}: expected a Job, as Job.create makes it")
    if job.format != FORMAT:
        raise MextrainError(f"the job is of the older format {job.format}: make one with Job.create")
    workers = check_workers(workers)
    check_progress(progress)
    check_cluster(cluster)
    wanted = range(job.shards) if shards is None else portion(shards, job)
    seats = Seats.of(job.policies, job.rules.players)
    player = choose_backend(backend, job.rules, seats, _games(job, wanted) * job.rules.rounds // workers)
    place = as_place(folder)
    if place.kind() not in ("folder", None):
        raise MextrainError(f"{one_line(place.text)} is a file: the archive needs a folder")
    place.make_folder()
    writer = _Writer(place, job, wanted, is_alone=shards is None and place.has_locks)
    try:
        with place.locked(shared=shards is not None):
            writer.prepare(resume or shards is not None, verify)
            if cluster is None:
                return writer.on_threads(_Team(workers, seats, player), progress)
            with connected(cluster) as nodes:
                return writer.on_cluster(nodes, backend, progress)
    except Interrupted:
        raise
    except KeyboardInterrupt:
        raise Interrupted(writer.archive()) from None
    except BlockingIOError:
        writing = f"another process is writing into {one_line(place.text)}"
        raise MextrainError(f"{writing}: let it finish, or name another folder") from None


def _games(job: Job, wanted: range) -> int:
    """Return the number of games in shards that follow each other."""
    return min(wanted.stop * job.shard_games, job.games) - wanted.start * job.shard_games if wanted else 0


class _Team(NamedTuple):
    """The threads that make shards: their number, the policies by seat, and the backend that plays."""

    threads: int
    seats: Seats
    backend: str


class _Writer:
    """Makes the missing ones of the wanted shards; `_work` runs on several threads at once.

    `is_alone`: whether no other process writes into the folder, so that what is left over there can be removed.
    """

    def __init__(self, place: Place, job: Job, wanted: range, is_alone: bool) -> None:
        self.place, self.job, self.wanted = place, job, wanted
        self._is_alone = is_alone
        self._stop = threading.Event()
        self._games = _games(job, wanted)
        self._done = 0
        self.sidecars: dict[int, Sidecar] = {}
        self._kept: set[int] = set()
        self._damaged: set[int] = set()
        self._missing: Iterator[int] = iter(())
        self._lock = threading.Lock()
        self._began = 0.0

    def prepare(self, resume: bool, verify: bool) -> None:
        """Prepare the folder and find the existing shards."""
        theirs = find_job(self.place)
        if theirs is not None:
            self._compare(theirs)
        elif strange := self._stranger():
            raise MextrainError(f"{self.place} holds other files ({strange}): name an empty folder, or a new one")
        self._look(verify)
        if len(self.sidecars) < len(self.wanted) and theirs is not None and not resume:
            raise MextrainError(
                f"{self.place} holds {len(self.sidecars)} of the {self.job.shards} shards of this job: "
                "resume it (--resume) to make the others"
            )
        self._done = sum(self.job.shard(number)[1] for number in self.sidecars)
        if self._is_alone:
            self._clean()
        if theirs is None:
            self._begin()
        kept = frozenset(self.sidecars)
        self._kept = set(kept)
        self._missing = (number for number in self.wanted if number not in kept)

    def on_threads(self, team: _Team, progress: Progress | None) -> Archive:
        """Make the missing shards on threads of this process."""
        threads = min(team.threads, len(self.wanted) - len(self._kept))
        if not threads:
            return self.archive()
        makers = [ShardMaker(self.place, self.job, team.seats, team.backend) for _ in range(threads)]
        makers[0].warm_up()
        self._began = time.perf_counter()
        interrupted = run_threads(
            lambda: self._work(makers.pop()), threads, self._stop, lambda: self._tell(progress)
        )
        return self._ended(interrupted, progress)

    def on_cluster(self, cluster: Cluster, backend: str, progress: Progress | None) -> Archive:
        """Make the missing shards on a cluster, each in a task of its own."""
        address = self.place.address()
        if len(self.wanted) == len(self._kept):
            return self.archive()
        check_sight(cluster, address, self.job)
        self._began = time.perf_counter()
        calls = ((address, self.job, number, backend) for number in self._missing)
        interrupted = False
        try:
            with closing(cluster.run(make_shard, calls, lambda: self._tell(progress))) as results:
                for number, sidecar in results:
                    self.sidecars[number] = sidecar
                    self._done += self.job.shard(number)[1]
        except KeyboardInterrupt:
            interrupted = True
        return self._ended(interrupted, progress)

    def _tell(self, progress: Progress | None) -> None:
        if progress:
            progress(self._done, self._games)

    def _ended(self, interrupted: bool, progress: Progress | None) -> Archive:
        archive = self.archive(time.perf_counter() - self._began)
        if interrupted and not archive.is_complete:
            raise Interrupted(archive)
        if progress:
            progress(self._games, self._games)
        return archive

    def _begin(self) -> None:
        """Write the manifest, unless another process has done so in the meantime."""
        self.place.make_folder(self.job.folder)
        with self.place.locked(self.job.folder, wait=True):
            if find_job(self.place) is None:
                write_manifest(self.place, self.job)
        # Where there are no locks, another process may have written the manifest of another job.
        self._compare(read_job(self.place))

    def _stranger(self) -> str | None:
        """Return the name of an entry that a run of this job cannot have left before it wrote the manifest, or None."""
        folder = ""
        for below in (*Path(self.job.folder).parts, None):
            for name in self.place.names(folder):
                if name != below and not TEMPORARY.fullmatch(name):
                    return f"{folder}{name}"
            folder = f"{folder}{below}/"
        return None

    def _compare(self, theirs: Job) -> None:
        """Refuse a folder that holds a different job, or a job in an older layout."""
        if theirs.format != FORMAT:
            raise MextrainError(
                f"{self.place} is of the older format {theirs.format}, which can be read and not continued: "
                "name an empty folder, or a new one"
            )
        stored = theirs.to_dict()
        for name, value in self.job.to_dict().items():
            if stored[name] != value:
                raise MextrainError(
                    f"{self.place} holds another job: its {name} is {_compact(stored[name])}, not {_compact(value)}; "
                    "name an empty folder, or a new one"
                )

    def _look(self, verify: bool) -> None:
        """Find the complete shards among the wanted ones, and the damaged ones."""
        there = frozenset(self.place.names(self.job.folder))
        for number in shards_there(self.place, self.job):
            # A shard without a sidecar was unfinished when the run was killed; that is not damage.
            names = self.job.path(number).name, self.job.sidecar_path(number).name
            if number in self.wanted and there.issuperset(names):
                sidecar, problems = shard_problems(self.place, self.job, number, read=verify)
                if sidecar is not None and not problems:
                    self.sidecars[number] = sidecar
                else:
                    self._damaged.add(number)

    def _clean(self) -> None:
        """Remove the leftovers of a killed run, and sidecars that are not valid."""
        for folder in ("", f"{self.job.folder}/"):
            for name in self.place.names(folder):
                number = number_in(name)
                is_mark = number is not None and name == sidecar_file(FORMAT, number)
                if TEMPORARY.fullmatch(name) or (is_mark and number not in self.sidecars):
                    self.place.remove(f"{folder}{name}")

    def _work(self, maker: ShardMaker) -> None:
        """Make shards until none are missing or a stop is requested."""
        while not self._stop.is_set():
            with self._lock:
                number = next(self._missing, None)
            if number is None:
                return
            if self._is_made(number):
                continue
            try:
                sidecar = maker.make(number, self._played)
            except _Stopped:
                return
            with self._lock:
                self.sidecars[number] = sidecar

    def _is_made(self, number: int) -> bool:
        """Whether another process has made a missing shard since this one looked."""
        if self._is_alone or number in self._damaged:
            return False
        sidecar, problems = shard_problems(self.place, self.job, number, read=False)
        if sidecar is None or problems:
            return False
        with self._lock:
            self.sidecars[number] = sidecar
            self._kept.add(number)
            self._done += self.job.shard(number)[1]
        return True

    def _played(self, games: int) -> None:
        """Count games that were played; raises `_Stopped` if a stop is requested."""
        with self._lock:
            self._done += games
        if self._stop.is_set():
            raise _Stopped

    def archive(self, seconds: float = 0.0) -> Archive:
        """Return the current contents of the folder."""
        shards = tuple(sorted(self.sidecars))
        made = tuple(number for number in shards if number not in self._kept)
        summary: Summary | None = None
        for number in shards:
            part = self.sidecars[number].summary
            summary = part if summary is None else summary + part
        size = sum(sidecar.bytes for sidecar in self.sidecars.values())
        remade = len(self._damaged.intersection(made))
        return Archive(self.place.folder, self.job, shards, made, remade, seconds, size, summary, self.wanted)


class _Stopped(Exception):
    """A shard was abandoned before it was complete."""


def _compact(value: object) -> str:
    return json.dumps(value) if not isinstance(value, str) else value
