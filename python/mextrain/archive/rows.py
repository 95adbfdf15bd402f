"""The rows of a shard: rounds as the engine plays them, as Arrow tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from mextrain.archive.job import Job
from mextrain.archive.layout import COLUMNS
from mextrain.bulk.results import ENDS, Rounds

GROUP_ROUNDS = 1 << 15
"""Rounds of a row group: what a worker holds in memory at a time."""

# Measured on random play (4 players, double-12), moves alone, a round: byte-stream split and zstd 1 take 81 bytes and
# 510 ns; zstd 3 takes as much and 920 ns; a dictionary and zstd 1, 79 bytes and 820 ns; lz4, 119 bytes and 510 ns.
# Without any compression or encoding 360 ns are left.
WRITER_OPTIONS: dict[str, Any] = {
    "compression": "zstd",
    "compression_level": 1,
    # Columns of few different values take a dictionary.
    "use_dictionary": [name for name in COLUMNS if name not in ("game", "actions", "points")],
    "column_encoding": {
        "game": "DELTA_BINARY_PACKED",
        "actions.list.element": "BYTE_STREAM_SPLIT",
        "points.list.element": "BYTE_STREAM_SPLIT",
    },
    # Readers skip row groups by these; of the others minimum and maximum say nothing.
    "write_statistics": ["seed", "game", "round"],
    # Readers that look at them find a flipped bit; they cost nothing that can be measured.
    "write_page_checksum": True,
}


def arrow_rows(job: Job, schema: Any, first_game: int, group: Rounds, actions: np.ndarray) -> Any:
    """Return the `pyarrow.Table` of the games `first_game` … of a job.

    `actions`: uint16, the moves of all rounds one after the other. Buffers of NumPy become Arrow arrays, nothing is
    looped over.
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
    games = np.arange(first_game, first_game + group.games, dtype=np.uint64)
    columns = {
        "seed": np.full(rows, job.seed, np.uint64),
        "game": np.repeat(games, rounds),
        "round": np.tile(np.arange(rounds, dtype=np.uint8), group.games),
        "rules": few(same, [rules_text(job)]),
        "policies": few(same, [policies_text(job)]),
        "engine": few(np.tile(np.arange(rounds), group.games), [str(engine) for engine in job.rules.engines]),
        "starter": group.starter.ravel().astype(np.uint8),
        "winner": group.winner.ravel(),
        "ending": few(group.end.ravel(), ENDS),
        **{name: getattr(group, name).ravel().astype(np.uint32) for name in ("turns", "plays", "draws")},
        "actions": lists("actions", np.cumsum(group.decisions), actions),
        "points": lists("points", np.arange(players, rows * players + 1, players), group.points.ravel()),
    }
    return pa.table([columns[name] for name in schema.names], schema=schema)


def rules_text(job: Job) -> str:
    """Return what the column `rules` says."""
    return json.dumps(job.rules.to_dict())


def policies_text(job: Job) -> str:
    """Return what the column `policies` says."""
    return ",".join(job.policies)
