"""Which files an archive consists of, and what their rows hold."""

from __future__ import annotations

import re

FORMAT = "mextrain-archive/2"
"""The name of this layout of files and columns; any change that a reader would notice is a new version."""

FIRST_FORMAT = "mextrain-archive/1"
"""Shards beside the manifest, without sidecars: it is read, and no longer written."""

JOB_FILE = "_job.json"
"""The manifest. The leading underscore keeps Parquet readers from taking it for a shard."""

COLUMNS = {
    "seed": "uint64",
    "game": "uint64",
    "round": "uint8",
    "rules": "text",
    "policies": "text",
    "engine": "text",
    "starter": "uint8",
    "winner": "int8",
    "end": "text",
    "turns": "uint32",
    "plays": "uint32",
    "draws": "uint32",
    "actions": "list of uint16",
    "points": "list of int64",
}
"""Name and type of every column; none is ever null, and texts are stored as dictionaries."""

TEMPORARY = re.compile(r"\.(part-\d{5,}\.parquet|_part-\d{5,}\.json|_job\.json)\.tmp-\d+")
"""Names of the files that a run which was killed leaves behind."""

SHARD_FILE = re.compile(r"part-(\d{5,})\.parquet")


def shard_folder(file_format: str, preset: str, players: int) -> str:
    """Return the folder of the shards below that of the archive, `.` for the first format.

    The names are those of Hive partitions: readers of Parquet make the columns `preset` and `players` of them.
    """
    return "." if file_format == FIRST_FORMAT else f"preset={preset}/players={players}"


def shard_file(number: int) -> str:
    """Return the file name of shard `number`."""
    return f"part-{number:05}.parquet"


def sidecar_file(number: int) -> str:
    """Return the file name of the sidecar of shard `number`."""
    return f"_part-{number:05}.json"
