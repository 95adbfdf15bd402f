"""Archives of self-play: Parquet files with a row for each round, which hold everything needed to replay it.

A folder holds one job: `_job.json`, which says what is played, and the shards `part-00000.parquet`, …. A shard is a
pure function of the job and its number, whatever the number of workers, so an unfinished job can be resumed: complete
shards are kept and the others made. A shard gets its name only when it is complete and on the disk; a process that is
killed leaves temporary files (`.part-…`), never a cut shard.

Each row has seed, game, round, rules (JSON, as in a round record), policies (by seat, joined by commas), engine,
starter, winner (-1 in a blocked round), end, turns, plays, draws, actions (16-bit moves, docs/actions.md) and points by
seat. The deal follows from seed, game and engine, the draws too (docs/determinism.md). The metadata of every file name
the format, the stream and package version, the job and the exact sums that its statistics are made of.
"""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mextrain import __version__
from mextrain.engines import choose_engine
from mextrain.errors import MextrainError, shown
from mextrain.extras import need
from mextrain.files import whole_file
from mextrain.rounds import ENDS, Rounds
from mextrain.rules import RuleSet
from mextrain.seats import Seats
from mextrain.seeding import STREAM, check_game, check_seed
from mextrain.simulation import Interrupted, Player, Progress, check_games, check_workers, run_threads
from mextrain.stats import Summary
from mextrain_core.limits import MAX_DECISIONS

FORMAT = "mextrain-archive/1"
"""The name of this layout of files and columns; any change that a reader would notice is a new version."""

JOB_FILE = "_job.json"
"""The leading underscore keeps Parquet readers from taking it for a shard."""

SHARD_ROUNDS = 1 << 18
"""Rounds of a full shard, about 25 MB."""

GROUP_ROUNDS = 1 << 15
"""Rounds of a row group: what a worker holds in memory at a time."""

_TEMPORARY = re.compile(r"\.(part-\d{5,}\.parquet|_job\.json)\.tmp-\d+")

# Measured on random play (4 players, double-12): byte-stream split and zstd 1 take 81 bytes a round for the moves and
# write 1.9 M rounds/s; a dictionary and zstd 3 take 79 bytes and write 1.1 M; plain and zstd 3, 103 bytes and 0.7 M.
_WRITER_OPTIONS: dict[str, Any] = {
    "compression": "zstd",
    "compression_level": 1,
    # Columns of few different values take a dictionary.
    "use_dictionary": [
        *(
            "seed",
            "round",
            "rules",
            "policies",
            "engine",
            "starter",
            "winner",
            "end",
            "turns",
            "plays",
            "draws",
        )
    ],
    "column_encoding": {
        "game": "DELTA_BINARY_PACKED",
        "actions.list.element": "BYTE_STREAM_SPLIT",
        "points.list.element": "BYTE_STREAM_SPLIT",
    },
    # Readers skip row groups by these; of the others minimum and maximum say nothing.
    "write_statistics": ["seed", "game", "round"],
}


@dataclass(frozen=True)
class Job:
    """What an archive holds: games `first_game` … of `seed`, in shards of `shard_games` games (the last may have less).

    `package` is the version of mextrain that plays it. Build one with `Job.create`.
    """

    rules: RuleSet
    seed: int
    first_game: int
    games: int
    policies: tuple[str, ...]
    shard_games: int
    package: str = __version__

    @classmethod
    def create(
        cls,
        rules: RuleSet,
        *,
        games: int,
        seed: int = 0,
        policies: str | Sequence[str] = "random",
        first_game: int = 0,
        shard_games: int | None = None,
    ) -> Job:
        """Return the checked job; by default a shard holds about 262,144 rounds. Raises `MextrainError`."""
        first_game = check_game(first_game)
        shard_games = max(1, SHARD_ROUNDS // rules.rounds) if shard_games is None else check_game(shard_games)
        if shard_games == 0:
            raise MextrainError("shard_games = 0: a shard holds at least 1 game")
        return cls(
            rules,
            check_seed(seed),
            first_game,
            check_games(games, first_game),
            Seats.of(policies, rules.players).names,
            shard_games,
        )

    @property
    def shards(self) -> int:
        """Number of shards."""
        return -(-self.games // self.shard_games)

    def shard(self, number: int) -> tuple[int, int]:
        """Return (first game, number of games) of shard `number`."""
        done = number * self.shard_games
        return self.first_game + done, min(self.shard_games, self.games - done)

    def name(self, number: int) -> str:
        """Return the file name of shard `number`."""
        return f"part-{number:05}.parquet"

    def to_dict(self) -> dict[str, Any]:
        """Return the job as the JSON object of `_job.json`."""
        return {
            "format": FORMAT,
            "stream": STREAM,
            "package": self.package,
            "rules": self.rules.to_dict(),
            "seed": self.seed,
            "first_game": self.first_game,
            "games": self.games,
            "policies": list(self.policies),
            "shard_games": self.shard_games,
        }

    @classmethod
    def from_dict(cls, job: Any) -> Job:
        """Return the job that `to_dict` wrote; raises `MextrainError` for another format or stream version."""
        if not isinstance(job, dict):
            raise MextrainError("it does not describe a job")
        for name, known in (("format", FORMAT), ("stream", STREAM)):
            if job.get(name) != known:
                raise MextrainError(f"its {name} is {shown(job.get(name))}, and this version reads {known}")
        try:
            rules, policies = RuleSet.from_dict(job["rules"]), tuple(job["policies"])
            seed, first_game, games, shard_games = (
                int(job[name]) for name in ("seed", "first_game", "games", "shard_games")
            )
            return cls(rules, seed, first_game, games, policies, shard_games, str(job["package"]))
        except (KeyError, TypeError) as error:
            raise MextrainError(f"it does not describe a job ({error})") from None


@dataclass(frozen=True)
class Archive:
    """The complete shards of a job in `folder`, and what their games amount to.

    `shards`: their numbers; `made`: those that this call made; `remade`: how many of those replaced a damaged file;
    `seconds`: how long that took, without loading the kernels; `bytes`: size of all shards; `summary`: statistics of
    all their games, None without any.
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
        """Return the number of games in shards with these numbers."""
        return sum(self.job.shard(number)[1] for number in shards)


def write_archive(
    folder: str | os.PathLike[str],
    job: Job,
    *,
    workers: int | None = 1,
    resume: bool = False,
    progress: Progress | None = None,
    engine: str = "auto",
) -> Archive:
    """Play `job` into `folder`, on `workers` threads (None: one for each usable processor).

    The folder is made if need be; it must be empty, or hold this very job: complete, or with `resume` in part. Files
    of anything else are refused and left alone. A job that is complete already is not played again.

    Memory does not grow with the number of games: each worker holds about 32,768 rounds. `engine` is that of
    `simulate`; the files do not depend on it. Ctrl-C raises `Interrupted`
    with the `Archive` of the shards that are complete. Raises `MissingExtra` without pyarrow, `MextrainError` for a
    folder that cannot be used, `OSError` for what the disk says.
    """
    need("pyarrow", "io")
    workers = check_workers(workers)
    seats = Seats.of(job.policies, job.rules.players)
    engine = choose_engine(engine, job.rules, seats, job.games * job.rules.rounds // workers)
    writer = _Writer(Path(folder), job, seats, engine)
    damaged = writer.prepare(resume)
    kept = set(writer.summaries)
    threads = min(workers, job.shards - len(writer.summaries))
    if not threads:
        return writer.archive(kept)
    writer.player().warm_up()
    began = time.perf_counter()
    interrupted = run_threads(
        writer.work, threads, writer.stop, lambda: progress and progress(writer.done, job.games)
    )
    archive = writer.archive(kept, damaged, time.perf_counter() - began)
    if interrupted and not archive.is_complete:
        raise Interrupted(archive)
    if progress:
        progress(job.games, job.games)
    return archive


class _Writer:
    """Makes the missing shards of a job; `work` runs on several threads at once."""

    def __init__(self, folder: Path, job: Job, seats: Seats, engine: str) -> None:
        self.folder, self.job = folder, job
        self._seats, self._engine = seats, engine
        self.stop = threading.Event()
        self.done = 0
        self.summaries: dict[int, Summary] = {}
        self._missing: list[int] = []
        self._lock = threading.Lock()

    def prepare(self, resume: bool) -> int:
        """Make the folder ready and find the shards that are there; returns the number of damaged ones."""
        if self.folder.exists() and not self.folder.is_dir():
            raise MextrainError(f"{self.folder} is a file: the archive needs a folder")
        self.folder.mkdir(parents=True, exist_ok=True)
        names = sorted(path.name for path in self.folder.iterdir())
        if JOB_FILE in names:
            self._compare(self.folder / JOB_FILE)
        elif strange := [name for name in names if not _TEMPORARY.fullmatch(name)]:
            raise MextrainError(
                f"{self.folder} holds other files ({strange[0]}): name an empty folder, or a new one"
            )
        wanted = [self.job.name(number) for number in range(self.job.shards)]
        damaged = 0
        for number, name in enumerate(wanted):
            summary = read_summary(self.folder / name, self.job, number) if name in names else None
            if summary is not None:
                self.summaries[number] = summary
                continue
            damaged += name in names
            self._missing.append(number)
        self.done = sum(self.job.shard(number)[1] for number in self.summaries)
        if self._missing and JOB_FILE in names and not resume:
            raise MextrainError(
                f"{self.folder} holds {len(self.summaries)} of the {self.job.shards} shards of this job: "
                "resume it (--resume) to make the others"
            )
        for name in filter(_TEMPORARY.fullmatch, names):
            (self.folder / name).unlink(missing_ok=True)
        if JOB_FILE not in names:
            text = json.dumps(self.job.to_dict(), indent=1) + "\n"
            with whole_file(self.folder / JOB_FILE) as file:
                file.write(text.encode())
        self._missing.reverse()
        return damaged

    def _compare(self, path: Path) -> None:
        """Refuse a folder that holds another job than ours."""
        mine = self.job.to_dict()
        try:
            stored = json.loads(path.read_text())
            theirs = Job.from_dict(stored).to_dict()
        except (MextrainError, ValueError) as error:
            raise MextrainError(f"{path} cannot be used: {error}") from None
        for name, value in mine.items():
            if theirs[name] != value:
                raise MextrainError(
                    f"{self.folder} holds another job: its {name} is {_compact(theirs[name])}, not {_compact(value)}; "
                    "name an empty folder, or a new one"
                )

    def player(self) -> Player:
        """A player of the job's games, for one thread."""
        return Player(self.job.rules, self._seats, self.job.seed, self._engine)

    def work(self) -> None:
        """Make shards until none is missing, or somebody asks to stop."""
        player = self.player()
        rules = self.job.rules
        group_games = min(max(1, GROUP_ROUNDS // rules.rounds), self.job.shard_games)
        # Pages that no move reaches are never touched, so the room for the worst case costs nothing.
        actions = np.empty(group_games * rules.rounds * MAX_DECISIONS, np.uint16)
        table = Rounds.empty(group_games, rules.rounds, rules.players)
        while not self.stop.is_set():
            with self._lock:
                if not self._missing:
                    return
                number = self._missing.pop()
            try:
                summary = self._make(number, player, table, actions)
            except _Stopped:
                return
            with self._lock:
                self.summaries[number] = summary

    def _make(self, number: int, player: Player, table: Rounds, actions: np.ndarray) -> Summary:
        """Make one shard; raises `_Stopped` if somebody asks to stop, which leaves nothing behind."""
        import pyarrow.parquet as pq

        first, games = self.job.shard(number)
        schema = archive_schema({"job": self.job.to_dict(), "shard": number})
        summary: Summary | None = None
        path = self.folder / self.job.name(number)
        with whole_file(path) as file, pq.ParquetWriter(file, schema, **_WRITER_OPTIONS) as writer:
            for start in range(0, games, table.games):
                group = table.range(0, min(table.games, games - start))
                moves = self._play(player, first + start, group, actions)
                writer.write_table(_rows(self.job, schema, first + start, group, actions[:moves]))
                part = Summary.of(self.job.rules, self.job.policies, group)
                summary = part if summary is None else summary + part
            assert summary is not None
            writer.add_key_value_metadata({"mextrain.summary": json.dumps(summary.state())})
        return summary

    def _play(self, player: Player, first: int, group: Rounds, actions: np.ndarray) -> int:
        """Play a row group in slices; returns the number of moves. Raises `_Stopped` if somebody asks to stop."""
        games = moves = 0
        while games < group.games:
            if self.stop.is_set():
                raise _Stopped
            stop = min(games + player.slice, group.games)
            moves += player.play(first + games, group.range(games, stop), actions[moves:])[1]
            with self._lock:
                self.done += stop - games
            games = stop
        return moves

    def archive(self, kept: set[int], remade: int = 0, seconds: float = 0.0) -> Archive:
        """What is in the folder now; the shards `kept` were there before."""
        shards = tuple(sorted(self.summaries))
        made = tuple(number for number in shards if number not in kept)
        summary: Summary | None = None
        for number in shards:
            part = self.summaries[number]
            summary = part if summary is None else summary + part
        size = sum((self.folder / self.job.name(number)).stat().st_size for number in shards)
        return Archive(self.folder, self.job, shards, made, remade, seconds, size, summary)


def archive_schema(metadata: Mapping[str, Any] | None = None) -> Any:
    """Return the `pyarrow.Schema` of a shard; `metadata` is stored as JSON under the key `mextrain`."""
    import pyarrow as pa

    few = pa.dictionary(pa.int32(), pa.string())
    types = {
        "seed": pa.uint64(),
        "game": pa.uint64(),
        "round": pa.uint8(),
        "rules": few,
        "policies": few,
        "engine": few,
        "starter": pa.uint8(),
        "winner": pa.int8(),
        "end": few,
        "turns": pa.uint32(),
        "plays": pa.uint32(),
        "draws": pa.uint32(),
        "actions": pa.list_(pa.uint16()),
        "points": pa.list_(pa.int64()),
    }
    schema = pa.schema([pa.field(name, kind, nullable=False) for name, kind in types.items()])
    return schema.with_metadata({"mextrain": json.dumps(metadata)}) if metadata is not None else schema


def _rows(job: Job, schema: Any, first_game: int, group: Rounds, actions: np.ndarray) -> Any:
    """The `pyarrow.Table` of a group of games: buffers of NumPy become Arrow arrays, nothing is looped over."""
    import pyarrow as pa

    rounds, players = group.rounds, group.players
    rows = group.games * rounds

    def few(codes: np.ndarray, texts: Sequence[str]) -> Any:
        return pa.DictionaryArray.from_arrays(codes.astype(np.int32), pa.array(texts, pa.string()))

    def lists(ends: np.ndarray, values: np.ndarray) -> Any:
        return pa.ListArray.from_arrays(np.concatenate([[0], ends]).astype(np.int32), pa.array(values))

    same = np.zeros(rows, np.int32)
    games = np.arange(first_game, first_game + group.games, dtype=np.uint64)
    columns = {
        "seed": np.full(rows, job.seed, np.uint64),
        "game": np.repeat(games, rounds),
        "round": np.tile(np.arange(rounds, dtype=np.uint8), group.games),
        "rules": few(same, [json.dumps(job.rules.to_dict())]),
        "policies": few(same, [",".join(job.policies)]),
        "engine": few(np.tile(np.arange(rounds), group.games), [str(engine) for engine in job.rules.engines]),
        "starter": group.starter.ravel().astype(np.uint8),
        "winner": group.winner.ravel(),
        "end": few(group.end.ravel(), ENDS),
        **{name: getattr(group, name).ravel().astype(np.uint32) for name in ("turns", "plays", "draws")},
        "actions": lists(np.cumsum(group.decisions), actions),
        "points": lists(np.arange(players, rows * players + 1, players), group.points.ravel()),
    }
    return pa.table([columns[name] for name in schema.names], schema=schema)


def read_job(folder: str | os.PathLike[str]) -> Job:
    """Return the job of the archive in `folder`.

    Raises `MextrainError` for a folder that holds no archive, or one of another format or stream version.
    """
    path = Path(folder) / JOB_FILE
    try:
        return Job.from_dict(json.loads(path.read_text()))
    except FileNotFoundError:
        raise MextrainError(f"{folder} holds no archive: there is no {JOB_FILE} in it") from None
    except (MextrainError, ValueError) as error:
        raise MextrainError(f"{path} cannot be read: {error}") from None


def read_summary(path: Path, job: Job, number: int) -> Summary | None:
    """Return the statistics that shard `number` of `job` stores about itself; None if the file is not that shard."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        stored = pq.read_metadata(path)
        metadata = stored.metadata or {}
        rows = job.shard(number)[1] * job.rules.rounds
        if (
            json.loads(metadata[b"mextrain"]) != {"job": job.to_dict(), "shard": number}
            or stored.num_rows != rows
        ):
            return None
        return Summary.from_state(job.rules, job.policies, json.loads(metadata[b"mextrain.summary"]))
    except (pa.ArrowException, OSError, KeyError, ValueError, TypeError):
        return None


class _Stopped(Exception):
    """A shard was given up half-way."""


def _compact(value: object) -> str:
    return json.dumps(value) if not isinstance(value, str) else value
