"""The rows of shards as arrays, validated on reading: every number that may be used as an index is in range."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mextrain.archive.engines import named_starters
from mextrain.archive.layout import COLUMNS, FORMATS, column_name
from mextrain.archive.shards import Shard, readable
from mextrain.errors import ArchiveError
from mextrain.game.rules import RuleSet
from mextrain_core.model.limits import NONE


@dataclass(frozen=True, eq=False)
class RowGroup:
    """Rounds of a shard, as arrays with one row per round.

    `places`: int64[rows], the index of each row in the shard. `columns`: the numeric columns, by name. `texts`: the
    text columns, each as (codes, texts). `offsets`: int64[rows + 1], where the moves of each round begin in `actions`,
    uint16. `points`: int64[rows, players]. Names are those of `COLUMNS`, whatever the format.
    """

    places: np.ndarray
    columns: dict[str, np.ndarray]
    texts: dict[str, tuple[np.ndarray, list[str]]]
    offsets: np.ndarray
    actions: np.ndarray
    points: np.ndarray

    def __len__(self) -> int:
        return len(self.points)

    def part(self, start: int, stop: int) -> RowGroup:
        """Return the rows `start` … `stop` - 1 as views; rows past the end are left out."""
        return RowGroup(
            self.places[start:stop],
            {name: column[start:stop] for name, column in self.columns.items()},
            {name: (codes[start:stop], texts) for name, (codes, texts) in self.texts.items()},
            self.offsets[start : stop + 1],
            self.actions,
            self.points[start:stop],
        )

    def codes(self, column: str, texts: Sequence[str]) -> np.ndarray:
        """Return the index in `texts` of each row's text: int64[rows], -1 for a text that is not in the list."""
        codes, known = self.texts[column]
        places = np.array([texts.index(text) if text in texts else -1 for text in known], np.int64)
        found: np.ndarray = places[codes]
        return found


def read_group(shard: Shard, group: int, first_row: int, columns: Sequence[str], keep: np.ndarray | None) -> RowGroup:
    """Return a row group of a shard that begins with row `first_row`: the given columns, including points and moves.

    `keep`: int64, indices in the group of the rows to keep, None for all. Raises `ArchiveError` for rows that cannot be
    read or whose numbers do not match their place.
    """
    with shard.opened() as file, readable(shard.name):
        names = [column_name(shard.job.format, name) for name in columns]
        rows = group_of(file.read_row_group(group, names, use_threads=False), first_row, shard.job.rules.players, keep)
    check_ranges(rows, shard)
    check_places(rows, shard)
    return rows


def read_groups(shard: Shard) -> Iterator[RowGroup]:
    """Yield the row groups of a shard, one in memory at a time. Their ranges are not checked yet.

    Raises `ArchiveError` for a damaged file.
    """
    first = 0
    for group, count in enumerate(shard.group_rows()):
        with shard.opened() as file, readable(shard.name):
            rows = group_of(file.read_row_group(group, use_threads=False), first, shard.job.rules.players)
        first += count
        yield rows


def group_of(table: Any, first_row: int, players: int, keep: np.ndarray | None = None) -> RowGroup:
    """Return the arrays of a `pyarrow.Table` with the columns `actions`, `points` and any others of an archive.

    The arrays are copies: Arrow's own memory is read-only, and the kernels would need another compile for that.

    Raises `ValueError` if a row has points for a wrong number of seats, if a value is null, or if Arrow finds an error.
    """
    import pyarrow as pa

    table.validate(full=True)
    places = first_row + np.arange(len(table))
    if keep is not None:
        table, places = table.take(pa.array(keep)), places[keep]
    names = {column_name(file_format, name): name for name in COLUMNS for file_format in FORMATS}
    columns, texts, lists = {}, {}, {}
    for stored in table.column_names:
        name, column = names.get(stored, stored), table.column(stored).combine_chunks()
        if column.null_count:
            raise ValueError(f"the column {stored} has a row with nothing in it")
        if pa.types.is_list(column.type):
            # An empty list array has no offsets buffer.
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
    return RowGroup(places, columns, texts, offsets, actions, points[ends[0] : ends[-1]].reshape(-1, players))


def first_out_of_range(rows: RowGroup, rules: RuleSet) -> tuple[int, str] | None:
    """Return the first row with a number that is impossible under these rules, and what is wrong; None if all are fine.

    These numbers are seats and list indices, and later code relies on them.
    """
    ranges = {"starter": (0, rules.players - 1), "winner": (-1, rules.players - 1), "round": (0, rules.rounds - 1)}
    found = []
    for name, (least, most) in ranges.items():
        if name in rows.columns:
            column = rows.columns[name]
            wrong = (column < least) | (column > most)
            if wrong.any():
                row = int(wrong.argmax())
                found.append((row, f"{name} is {column[row]}, expected {least} … {most}"))
    return min(found, default=None)


def check_ranges(rows: RowGroup, shard: Shard) -> None:
    """Raise `ArchiveError` for a number that is impossible under the rules."""
    if fault := first_out_of_range(rows, shard.job.rules):
        raise ArchiveError(fault[1], shard.name, int(rows.places[fault[0]]))


def check_places(rows: RowGroup, shard: Shard) -> None:
    """Raise `ArchiveError` for a row that is not the game and round expected at its place."""
    games, numbers = divmod(rows.places, shard.job.rules.rounds)
    right = {"game": np.uint64(shard.first_game) + games.astype(np.uint64), "round": numbers}
    for name, expected in right.items():
        wrong = rows.columns[name] != expected
        if wrong.any():
            row = int(wrong.argmax())
            reason = f"{name} is {rows.columns[name][row]}, expected {expected[row]}"
            raise ArchiveError(reason, shard.name, int(rows.places[row]))


def starters_of(rows: RowGroup, rules: RuleSet) -> np.ndarray:
    """Return the starter of each row if the rules name it, NONE if the stream draws it (section 3).

    uint8[rows]. All rows of a game must be present, one after another, and their numbers in range.
    """
    return named_starters(rules, rows.places, rows.columns["starter"], rows.columns["winner"])


def starter_to_deal(rows: RowGroup, rules: RuleSet, row: int) -> int | None:
    """Return the starter to name when the round of a row is dealt: its own, or if the rules deal the engine the seat
    that is asked first for it (None: the stream draws it). See `starters_of` for the rows."""
    if rules.engine_from == "set_aside":
        return int(rows.columns["starter"][row])
    starter = int(starters_of(rows, rules)[row])
    return None if starter == NONE else starter
