"""The rows of a shard: rounds as Arrow tables, and the options of the Parquet writer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from mextrain.archive.engines import engines_of, named_starters
from mextrain.archive.job import Job
from mextrain.archive.layout import COLUMNS
from mextrain.bulk.results import ENDS, Rounds

GROUP_ROUNDS = 1 << 15
"""Rounds per row group; this is how much a worker holds in memory at a time."""

# Measured on random play (4 players, double-12), per round, for the moves alone: byte-stream split with zstd 1 takes
# 81 bytes and 510 ns; with zstd 3 the same size and 920 ns; a dictionary with zstd 1, 79 bytes and 820 ns; lz4, 119
# bytes and 510 ns. Without any compression or encoding, writing takes 360 ns.
WRITER_OPTIONS: dict[str, Any] = {
    "compression": "zstd",
    "compression_level": 1,
    # Columns with few different values get a dictionary.
    "use_dictionary": [name for name in COLUMNS if name not in ("game", "actions", "points")],
    "column_encoding": {
        "game": "DELTA_BINARY_PACKED",
        "actions.list.element": "BYTE_STREAM_SPLIT",
        "points.list.element": "BYTE_STREAM_SPLIT",
    },
    # Readers skip row groups by these statistics; for the other columns minimum and maximum are useless.
    "write_statistics": ["seed", "game", "round"],
    # Readers that check them detect flipped bits; the cost is too small to measure.
    "write_page_checksum": True,
}


def arrow_rows(job: Job, schema: Any, first_game: int, group: Rounds, actions: np.ndarray) -> Any:
    """Return the `pyarrow.Table` of the games of a job from `first_game` on.

    `actions`: uint16, the moves of all rounds, concatenated. NumPy buffers become Arrow arrays directly, without a loop
    over the rows.
    """
    import pyarrow as pa

    rounds, players = group.rounds, group.players
    rows = group.games * rounds

    def few(codes: np.ndarray, texts: Sequence[str]) -> Any:
        return pa.DictionaryArray.from_arrays(codes.astype(np.int32), pa.array(texts, pa.string()))

    def lists(name: str, ends: np.ndarray, values: np.ndarray) -> Any:
        offsets = np.concatenate([[0], ends]).astype(np.int32)
        return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values), type=schema.field(name).type)

    same = np.zeros(rows, np.int32)
    games = np.repeat(np.arange(first_game, first_game + group.games, dtype=np.uint64), rounds)
    numbers = np.tile(np.arange(rounds), group.games)
    starters, winners = group.starter.ravel(), group.winner.ravel()
    named = named_starters(job.rules, np.arange(rows), starters, winners)
    columns = {
        "seed": np.full(rows, job.seed, np.uint64),
        "game": games,
        "round": numbers.astype(np.uint8),
        "rules": few(same, [rules_text(job)]),
        "policies": few(same, [policies_text(job)]),
        "engine": few(*engines_of(job.rules, job.seed, games, numbers, named)),
        "starter": starters.astype(np.uint8),
        "winner": winners,
        "ending": few(group.end.ravel(), ENDS),
        **{name: getattr(group, name).ravel().astype(np.uint32) for name in ("turns", "plays", "draws")},
        "actions": lists("actions", np.cumsum(group.decisions), actions),
        "points": lists("points", np.arange(players, rows * players + 1, players), group.points.ravel()),
    }
    return pa.table([columns[name] for name in schema.names], schema=schema)


def rules_text(job: Job) -> str:
    """Return the text for the column `rules`."""
    return json.dumps(job.rules.to_dict())


def policies_text(job: Job) -> str:
    """Return the text for the column `policies`."""
    return ",".join(job.policies)
