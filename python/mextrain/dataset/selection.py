"""Selects the rounds to read: folders, a range of games, and the row groups that contain them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mextrain._support.integers import whole
from mextrain.archive import FORMAT, Job, Shard, read_shards
from mextrain.archive.places import Folder, Place
from mextrain.archive.read_rows import RowGroup, read_group
from mextrain.errors import MextrainError, shown
from mextrain.game.seeding import MAX_GAME

READ_COLUMNS = ("game", "round", "starter", "winner", "ending", "actions", "points")


@dataclass(frozen=True)
class Part:
    """Some games of a row group: of the games `first` … `stop` - 1, every `parts`-th one.

    `first_row`: the index of the group's first row in the shard. The games are those whose index in the group is
    `part` modulo `parts`.
    """

    shard: Shard
    group: int
    first_row: int
    rows: int
    first: int
    stop: int
    part: int = 0
    parts: int = 1

    def split(self, parts: int) -> list[Part]:
        """Return the games in equal parts, at most one for each game of the group."""
        parts = min(parts, self.rows // self.shard.job.rules.rounds)
        return [
            Part(self.shard, self.group, self.first_row, self.rows, self.first, self.stop, part, parts)
            for part in range(parts)
        ]

    def read(self) -> RowGroup:
        """Return the rows of the part. Raises `ArchiveError`."""
        rounds = self.shard.job.rules.rounds
        places = np.arange(self.rows) // rounds
        games = places + (self.shard.first_game + self.first_row // rounds)
        keep = np.flatnonzero((games >= self.first) & (games < self.stop) & (places % self.parts == self.part))
        # Selecting rows copies all moves once more.
        wanted = keep if len(keep) < self.rows else None
        return read_group(self.shard, self.group, self.first_row, READ_COLUMNS, wanted)


class Selection:
    """The rounds of some archives: all of them, or those of a range of games.

    `jobs`: the jobs of the archives. `shards`: the complete shards with games in the range. `missing_shards`: number of
    incomplete ones. `rounds`: number of rounds.
    """

    def __init__(self, folders: Sequence[Folder], games: range | None) -> None:
        """Open the archives. Raises `MextrainError`, and `MissingExtra` without pyarrow."""
        if not folders:
            raise MextrainError("name one or more folders of archives")
        self.first, self.stop = _range_of(games)
        self.jobs: list[Job] = []
        self.shards: list[Shard] = []
        self.missing_shards = 0
        for folder in folders:
            job, shards = read_shards(folder)
            self.jobs.append(job)
            mine = [shard for shard in shards if self._games(shard.first_game, shard.games)]
            self.shards += mine
            self.missing_shards += self._wanted(job) - len(mine)
        if games is not None and not any(self._games(job.first_game, job.games) for job in self.jobs):
            raise MextrainError(f"games = {games}: the archives have none of these games")
        rounds = (self._games(shard.first_game, shard.games) * shard.job.rules.rounds for shard in self.shards)
        self.rounds = sum(rounds)
        self._sound: set[tuple[Place, str]] = set()

    def _games(self, first_game: int, games: int) -> int:
        """Return how many of the `games` games from `first_game` on are in the range."""
        return max(0, min(first_game + games, self.stop) - max(first_game, self.first))

    def _wanted(self, job: Job) -> int:
        """Return the number of shards with games in the range that the complete job has."""
        if not self._games(job.first_game, job.games):
            return 0
        first = max(job.first_game, self.first) - job.first_game
        last = min(job.first_game + job.games, self.stop) - 1 - job.first_game
        return last // job.shard_games - first // job.shard_games + 1

    def parts(self) -> Iterator[Part]:
        """Yield the selected games of each row group. Raises `ArchiveError`."""
        for shard in self.shards:
            yield from self._parts_of(shard)

    def _parts_of(self, shard: Shard) -> Iterator[Part]:
        row, rounds = 0, shard.job.rules.rounds
        for group, rows in enumerate(shard.group_rows()):
            if self._games(shard.first_game + row // rounds, rows // rounds):
                yield Part(shard, group, row, rows, self.first, self.stop)
            row += rows

    def read(self, part: Part) -> RowGroup:
        """Return the rows of a part; the first read from a file also verifies the digest of the whole file.

        Raises `ArchiveError`.
        """
        file = part.shard.place, part.shard.name
        if file not in self._sound:
            part.shard.check_digest()
            self._sound.add(file)
        return part.read()

    def decisions(self) -> int | None:
        """Return the number of decisions if the sidecars give it, else None.

        They do not give it for some games of a shard. In the older formats nothing protects their sums, so those are
        not used.
        """
        count = 0
        for shard in self.shards:
            is_whole = self._games(shard.first_game, shard.games) == shard.games
            if shard.sidecar is None or not is_whole or shard.job.format != FORMAT:
                return None
            count += shard.sidecar.summary.sums["decisions"][0].total
        return count


def _range_of(games: range | None) -> tuple[int, int]:
    """Return the first game and the one after the last."""
    if games is None:
        return 0, MAX_GAME + 1
    if not isinstance(games, range) or games.step != 1 or games.start < 0 or not games:
        raise MextrainError(f"games = {shown(games)}: expected a range of game numbers such as range(0, 900)")
    return games.start, games.stop


def at_least(least: int, name: str, value: object) -> int:
    """Return an argument as an int; raises `MextrainError` unless it is a whole number of at least `least`."""
    number = whole(value)
    if number is None or number < least:
        raise MextrainError(f"{name} = {shown(value)}: expected a whole number from {least}")
    return number
