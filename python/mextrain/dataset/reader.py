"""`DecisionDataset`: the decisions of archives, replayed, in shuffled batches.

An archive stores only moves. Whole rounds are replayed in random order into a pool of decisions, which is shuffled and
cut into batches. The rounds are drawn from a window of several row groups, which may be anywhere in the shards.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mextrain.archive.places import Folder, as_place
from mextrain.dataset.batch import DecisionBatch
from mextrain.dataset.pool import Order, Pool, Rounds
from mextrain.dataset.selection import Part, Selection, at_least
from mextrain.errors import MextrainError
from mextrain.game.rules import RuleSet
from mextrain.game.seeding import check_seed
from mextrain.hidden.observation import Layout
from mextrain_core.bulk.samples import TABLE_SECTIONS


class DecisionDataset:
    """The decisions of one or more archives, which must have the same rules.

    `rules`: the rules. `layout`: that of the observations; samples have its first `observation_bits` bits: the table
    and the seat's own hand, without what the others have shown. `rounds`: number of rounds in the complete shards.
    `missing_shards`: number of incomplete shards, which are left out. `len(dataset)` is the number of batches per pass.
    """

    def __init__(
        self,
        *folders: Folder,
        games: range | None = None,
        batch_size: int = 4096,
        shuffle: bool = True,
        seed: int = 0,
        window: int = 8,
        pool: int = 1 << 15,
        drop_last: bool = False,
    ) -> None:
        """Open the archives; no row is read yet.

        `games`: a range of game numbers, such as `range(0, 900)`; only these games of each archive are read. `window`:
        number of row groups (32,768 rounds each, about 6 MB) from which rounds are drawn at random. `pool`: minimum
        number of decisions that are shuffled together (200 bytes each with four players); a larger pool mixes better, a
        smaller one is faster. `drop_last` leaves out a last batch that is smaller than `batch_size`. Without `shuffle`,
        decisions come in their original order.

        Raises `MextrainError` for a folder without an archive, archives with different rules, an empty range of games
        or an argument out of range, `ArchiveError` for damaged files, and `MissingExtra` without pyarrow.
        """
        self.batch_size = at_least(1, "batch_size", batch_size)
        self.window = at_least(1, "window", window)
        self.pool = max(self.batch_size, at_least(1, "pool", pool))
        self.shuffle, self.drop_last = shuffle, drop_last
        self.seed = check_seed(seed)
        self._selection = Selection(folders, games)
        self._decisions: int | None = None
        jobs = self._selection.jobs
        for folder, job in zip(folders, jobs, strict=True):
            if job.rules != jobs[0].rules:
                raise MextrainError(
                    f"{as_place(folder)} has the rules {job.rules.to_dict()}, and {as_place(folders[0])} "
                    f"{jobs[0].rules.to_dict()}: "
                    "a data set needs archives of the same rules"
                )
        self.rules: RuleSet = jobs[0].rules
        self.layout = Layout(self.rules)
        self.observation_bits = int(self.layout.offsets[TABLE_SECTIONS])
        self.rounds = self._selection.rounds
        self.missing_shards = self._selection.missing_shards

    @property
    def decisions(self) -> int:
        """Number of decisions in one pass.

        It comes from the sidecars. If only some games of a shard are read, or for archives in older formats, the rounds
        are replayed once to count them.
        """
        if self._decisions is None:
            told = self._selection.decisions()
            # Only a replay shows whether all moves of a round are present.
            self._decisions = sum(len(batch) for batch in self._all(0, 0, 1)) if told is None else told
        return self._decisions

    def __len__(self) -> int:
        return self.decisions // self.batch_size if self.drop_last else -(-self.decisions // self.batch_size)

    def __iter__(self) -> Iterator[DecisionBatch]:
        return self.batches()

    def batches(self, epoch: int = 0, *, rank: int = 0, world_size: int = 1) -> Iterator[DecisionBatch]:
        """Return an iterator over the batches of one pass, each decision once.

        The order depends only on `seed` and `epoch`, so it is reproducible. Each of `world_size` loader workers takes
        its share according to its `rank`; together they yield every decision once. The window and the pool bound the
        memory. Raises `ArchiveError` for rows that cannot be replayed, `MextrainError` for arguments out of range.
        """
        epoch, world_size = at_least(0, "epoch", epoch), at_least(1, "world_size", world_size)
        rank = at_least(0, "rank", rank)
        if rank >= world_size:
            raise MextrainError(f"rank = {rank}: expected 0 … {world_size - 1}, as world_size is {world_size}")
        return self._batches(epoch, rank, world_size)

    def _batches(self, epoch: int, rank: int, world_size: int) -> Iterator[DecisionBatch]:
        for batch in self._all(epoch, rank, world_size):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def _all(self, epoch: int, rank: int, world_size: int) -> Iterator[DecisionBatch]:
        """Yield all batches, including the last one even if it is to be dropped."""
        parts = self._parts(world_size)
        if self.shuffle:
            # All workers shuffle in the same way, and then each takes its own share.
            parts = [parts[k] for k in np.random.default_rng([self.seed, epoch]).permutation(len(parts))]
        random = np.random.default_rng([self.seed, epoch, rank, world_size]) if self.shuffle else None
        mine = parts[rank::world_size]
        words = (self.observation_bits + 63) // 64
        pool = Pool(self.rules, Order(self.batch_size, self.pool, self.layout.offsets, words, random))
        for start in range(0, len(mine), self.window):
            yield from pool.batches(Rounds.read(self._selection, mine[start : start + self.window], self.rules))
        if len(pool.rest):
            yield pool.rest

    def _parts(self, world_size: int) -> list[Part]:
        """Return the units that workers share: row groups, or equal parts of their games if there are few groups."""
        groups = list(self._selection.parts())
        parts = 1 if world_size == 1 else -(-4 * world_size // max(1, len(groups)))
        return [part for group in groups for part in group.split(parts)]
