"""`DecisionDataset`: the decisions of archives, replayed, in shuffled batches.

An archive holds moves alone. Whole rounds are replayed in random order into a pool of decisions, which is shuffled and
cut into batches. The rounds are drawn from a window of some row groups, which lie anywhere in the shards.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from mextrain._support.integers import whole
from mextrain.archive import Job, Shard, read_shards
from mextrain.archive.shards import group_of
from mextrain.errors import ArchiveError, MextrainError, shown
from mextrain.game.rules import RuleSet
from mextrain.game.seeding import check_seed
from mextrain.hidden.observation import Layout
from mextrain_core.bulk.replay import Recorded
from mextrain_core.bulk.samples import TABLE_SECTIONS, Samples, replay_decisions
from mextrain_core.model.state import new_states

READ_COLUMNS = ["game", "round", "starter", "actions", "points"]


@dataclass(frozen=True, eq=False)
class DecisionBatch:
    """Some decisions, an element of each array for each of them.

    `observation`: uint64[n, words], what the seat saw, packed (`DecisionDataset.layout` says where what lies).
    `mask`: uint64[n, (A + 63) // 64], one bit for each legal action. `action`: uint16[n], what was chosen. Actions are
    relative ids: the seat's own train is train 0. `points`: int64[n, players], what the round brought, the seat's own
    first, then clockwise. `seat`: uint8[n]; `game`: uint64[n]; `round`: uint8[n]; `step`: uint16[n], the number of the
    decision in its round, from 0. (seed of the archive, game, round, step) names a decision and never comes twice.
    """

    observation: np.ndarray
    mask: np.ndarray
    action: np.ndarray
    seat: np.ndarray
    points: np.ndarray
    game: np.ndarray
    round: np.ndarray
    step: np.ndarray

    def __len__(self) -> int:
        return len(self.action)

    def part(self, start: int, stop: int) -> DecisionBatch:
        """Return the decisions `start` … `stop` - 1, as views."""
        return DecisionBatch(*(getattr(self, field.name)[start:stop] for field in fields(self)))


class DecisionDataset:
    """The decisions of one or more archives, which must have the same rules.

    `rules`; `layout` of the observations, of which samples have the first `observation_bits`: the table and the own
    hand, without what others have shown; `rounds`: number of rounds in the complete shards; `missing_shards`: number
    of those that are not complete, which are left out.
    """

    def __init__(
        self,
        *folders: str | os.PathLike[str],
        batch_size: int = 4096,
        shuffle: bool = True,
        seed: int = 0,
        window: int = 8,
        pool: int = 1 << 15,
        drop_last: bool = False,
    ) -> None:
        """Look at the archives; nothing is read yet.

        `window`: row groups (32,768 rounds each, about 6 MB) from which rounds are drawn at random. `pool`: decisions
        of these rounds that are shuffled together (200 bytes each at four players), at least; more mix better, fewer
        are quicker. `drop_last` leaves out a last batch that is smaller than `batch_size`. Without `shuffle`,
        decisions come in their order.

        Raises `MextrainError` for a folder without an archive, archives of different rules or an argument out of
        range, and `MissingExtra` without pyarrow.
        """
        if not folders:
            raise MextrainError("name one or more folders of archives")
        self.batch_size = _at_least(1, "batch_size", batch_size)
        self.window = _at_least(1, "window", window)
        self.pool = max(self.batch_size, _at_least(1, "pool", pool))
        self.shuffle, self.drop_last = shuffle, drop_last
        self.seed = check_seed(seed)
        self._shards: list[tuple[Job, Shard]] = []
        self.missing_shards = 0
        jobs = []
        for folder in folders:
            job, shards = read_shards(folder)
            jobs.append(job)
            self._shards += [(job, shard) for shard in shards]
            self.missing_shards += job.shards - len(shards)
            if job.rules != jobs[0].rules:
                raise MextrainError(
                    f"{folder} has the rules {job.rules.to_dict()}, and {folders[0]} {jobs[0].rules.to_dict()}: "
                    "a data set needs archives of the same rules"
                )
        self.rules: RuleSet = jobs[0].rules
        self.layout = Layout(self.rules)
        self.observation_bits = int(self.layout.offsets[TABLE_SECTIONS])
        self.rounds = sum(shard.games for _, shard in self._shards) * self.rules.rounds

    def __iter__(self) -> Iterator[DecisionBatch]:
        return self.batches()

    def batches(self, epoch: int = 0, *, rank: int = 0, world_size: int = 1) -> Iterator[DecisionBatch]:
        """Return an iterator over the batches of one pass, each decision once.

        The order depends on `seed` and `epoch` alone, so it can be had again. Of `world_size` loader workers each
        takes its share by its `rank`; together they have every decision once. Memory is bounded by the window and the
        pool. Raises `ArchiveError` for rows that cannot be replayed, `MextrainError` for arguments out of range.
        """
        epoch, world_size = _at_least(0, "epoch", epoch), _at_least(1, "world_size", world_size)
        rank = _at_least(0, "rank", rank)
        if rank >= world_size:
            raise MextrainError(f"rank = {rank}: expected 0 … {world_size - 1}, as world_size is {world_size}")
        return self._batches(epoch, rank, world_size)

    def _batches(self, epoch: int, rank: int, world_size: int) -> Iterator[DecisionBatch]:
        units = self._units(world_size)
        if self.shuffle:
            # All workers shuffle alike, and then each takes its own.
            units = [units[k] for k in np.random.default_rng([self.seed, epoch]).permutation(len(units))]
        random = np.random.default_rng([self.seed, epoch, rank, world_size]) if self.shuffle else None
        mine = units[rank::world_size]
        pool = _Pool(self, random)
        for start in range(0, len(mine), self.window):
            yield from pool.batches(_Rounds.read(mine[start : start + self.window], self.rules))
        if len(pool.rest) and not self.drop_last:
            yield pool.rest

    def _units(self, world_size: int) -> list[_Unit]:
        """What is handed out to workers: row groups, or equal parts of their games where they are few."""
        groups = [(job, shard, group) for job, shard in self._shards for group in range(shard.row_groups())]
        parts = 1 if world_size == 1 else -(-4 * world_size // max(1, len(groups)))
        return [_Unit(job, shard, group, part, parts) for job, shard, group in groups for part in range(parts)]


@dataclass(frozen=True)
class _Unit:
    """The games of a row group whose place in it is `part` modulo `parts`."""

    job: Job
    shard: Shard
    group: int
    part: int
    parts: int

    def read(self) -> Any:
        """Return its rows as a `RowGroup`."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        rules = self.job.rules
        try:
            with pq.ParquetFile(self.shard.path) as file:
                table = file.read_row_group(self.group, READ_COLUMNS, use_threads=False)
            if self.parts > 1:
                place = np.arange(len(table)) // rules.rounds
                table = table.filter(pa.array(place % self.parts == self.part))
            return group_of(table, 0, rules.players)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise ArchiveError(f"it cannot be read ({error})", str(self.shard.path)) from None


@dataclass(frozen=True, eq=False)
class _Rounds:
    """The rounds of a window, as the kernel takes them."""

    seeds: np.ndarray
    games: np.ndarray
    numbers: np.ndarray
    engines: np.ndarray
    starters: np.ndarray
    offsets: np.ndarray
    actions: np.ndarray
    points: np.ndarray

    @classmethod
    def read(cls, units: list[_Unit], rules: RuleSet) -> _Rounds:
        groups = [unit.read() for unit in units]
        lengths = np.concatenate([np.diff(group.offsets) for group in groups])
        codes = np.array([rules.tiles.half_code(engine.high) for engine in rules.engines], np.uint8)
        numbers = np.concatenate([group.columns["round"] for group in groups])
        return cls(
            np.concatenate(
                [np.full(len(group), unit.job.seed, np.uint64) for unit, group in zip(units, groups, strict=True)]
            ),
            np.concatenate([group.columns["game"] for group in groups]),
            numbers,
            codes[numbers],
            np.concatenate([group.columns["starter"] for group in groups]),
            np.concatenate([[0], np.cumsum(lengths)]),
            np.concatenate([group.actions[group.offsets[0] : group.offsets[-1]] for group in groups]),
            np.concatenate([group.points for group in groups]),
        )


class _Pool:
    """Replays rounds into pools of decisions and cuts those into batches; `rest` waits for the next pool."""

    def __init__(self, dataset: DecisionDataset, random: np.random.Generator | None) -> None:
        self._rules = dataset.rules
        self._layout = dataset.layout.offsets
        self._words = (dataset.observation_bits + 63) // 64
        self._batch_size, self._size = dataset.batch_size, dataset.pool
        self._random = random
        self._states = new_states(1)
        self.rest = self._empty(0)

    def _empty(self, size: int) -> DecisionBatch:
        rules = self._rules
        return DecisionBatch(
            observation=np.empty((size, self._words), np.uint64),
            mask=np.empty((size, (rules.action_count + 63) // 64), np.uint64),
            action=np.empty(size, np.uint16),
            seat=np.empty(size, np.uint8),
            points=np.empty((size, rules.players), np.int64),
            game=np.empty(size, np.uint64),
            round=np.empty(size, np.uint8),
            step=np.empty(size, np.uint16),
        )

    def batches(self, rounds: _Rounds) -> Iterator[DecisionBatch]:
        """Yield the full batches that some rounds, and what was left before, make."""
        count = len(rounds.games)
        order = np.arange(count) if self._random is None else self._random.permutation(count)
        ends = np.cumsum(np.diff(rounds.offsets)[order])
        first = done = 0
        while first < count:
            last = int(np.searchsorted(ends, done + self._size)) + 1
            decisions = int(ends[min(last, count) - 1]) - done
            pool = self._replay(rounds, order[first:last], decisions)
            full = len(pool) - len(pool) % self._batch_size
            for start in range(0, full, self._batch_size):
                yield pool.part(start, start + self._batch_size)
            self.rest = pool.part(full, len(pool))
            first, done = last, done + decisions

    def _replay(self, rounds: _Rounds, rows: np.ndarray, decisions: int) -> DecisionBatch:
        """Return the decisions of some rounds together with those that were left, in random order."""
        size = len(self.rest) + decisions
        places = np.arange(size) if self._random is None else self._random.permutation(size)
        kept, places = places[: len(self.rest)], places[len(self.rest) :]
        pool = self._empty(size)
        sources = np.zeros(size, np.int64)
        done = replay_decisions(
            self._states,
            0,
            self._rules.record,
            rows,
            rounds.seeds,
            Recorded(rounds.games, rounds.engines, rounds.starters, rounds.offsets, rounds.actions),
            self._layout,
            places,
            Samples(pool.observation, pool.mask, pool.action, pool.seat, sources, pool.step),
        )
        if done < len(rows):
            row = rows[done]
            which = f"round {rounds.numbers[row]} of game {rounds.games[row]}, seed {rounds.seeds[row]}"
            raise ArchiveError(f"{which} cannot be replayed: mextrain check says why")
        np.take(rounds.games, sources, out=pool.game)
        np.take(rounds.numbers, sources, out=pool.round)
        seats = np.arange(self._rules.players)
        turned = (pool.seat[:, None] + seats) % self._rules.players
        pool.points[:] = rounds.points[sources[:, None], turned]
        for field in fields(pool):
            getattr(pool, field.name)[kept] = getattr(self.rest, field.name)
        return pool


def _at_least(least: int, name: str, value: object) -> int:
    number = whole(value)
    if number is None or number < least:
        raise MextrainError(f"{name} = {shown(value)}: expected a whole number from {least}")
    return number
