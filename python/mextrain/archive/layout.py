"""Which files an archive consists of, and what their rows hold."""

from __future__ import annotations

import re

FORMAT = "mextrain-archive/3"
"""The name of this layout of files and columns; any change that a reader would notice is a new version."""

SECOND_FORMAT = "mextrain-archive/2"
"""Manifest and sidecars as JSON files, no page checksums, a column `end`: it is read, and no longer written."""

FIRST_FORMAT = "mextrain-archive/1"
"""As the second one, with the shards beside the manifest and without sidecars."""

FORMATS = (FORMAT, SECOND_FORMAT, FIRST_FORMAT)

JOB_FILE = "_job.parquet"
"""The manifest, beside the shards. The underscore tells Arrow that it holds no rows; others read it and find none."""

OLD_JOB_FILE = "_job.json"
"""The manifest of the older formats, in the folder of the archive."""

COLUMNS = {
    "seed": "uint64",
    "game": "uint64",
    "round": "uint8",
    "rules": "text",
    "policies": "text",
    "engine": "text",
    "starter": "uint8",
    "winner": "int8",
    "ending": "text",
    "turns": "uint32",
    "plays": "uint32",
    "draws": "uint32",
    "actions": "list of uint16",
    "points": "list of int64",
}
"""Name and type of every column; none is ever null, and texts are stored as dictionaries. None is a word of SQL."""

TEMPORARY = re.compile(r"\.(part-\d{5,}\.parquet|_part-\d{5,}\.parquet|_job\.parquet)\.tmp-\d+")
"""Names of the files that a run which was killed leaves behind."""

NUMBERED = re.compile(r"_?part-(\d{5,20})\.(?:parquet|json)")
"""Names of shards and sidecars; a name with zeros too many is not one that this library writes."""

MANIFESTS = f"preset=*/players=*/{JOB_FILE}"
"""Where the manifest lies below the folder of the archive."""


def column_name(file_format: str, name: str) -> str:
    """Return the name that a column of `COLUMNS` has in the files of a format."""
    return "end" if name == "ending" and file_format != FORMAT else name


def shard_folder(file_format: str, preset: str, players: int) -> str:
    """Return the folder of the shards below that of the archive, `.` for the first format.

    The names are those of Hive partitions: readers of Parquet make the columns `preset` and `players` of them.
    """
    return "." if file_format == FIRST_FORMAT else f"preset={preset}/players={players}"


def shard_file(number: int) -> str:
    """Return the file name of shard `number`."""
    return f"part-{number:05}.parquet"


def sidecar_file(file_format: str, number: int) -> str:
    """Return the file name of the sidecar of shard `number`."""
    return f"_part-{number:05}.{'parquet' if file_format == FORMAT else 'json'}"


def number_in(file_name: str) -> int | None:
    """Return the number in the name of a shard or sidecar of any format, None for any other name."""
    found = NUMBERED.fullmatch(file_name)
    return None if found is None else int(found[1])
