"""The files of an archive, and the columns of their rows."""

from __future__ import annotations

import re

FORMAT = "mextrain-archive/3"
"""The name of this layout of files and columns; any change that readers would notice gets a new version."""

SECOND_FORMAT = "mextrain-archive/2"
"""Manifest and sidecars as JSON files, no page checksums, a column `end`. It is read, but no longer written."""

FIRST_FORMAT = "mextrain-archive/1"
"""Like the second format, but with the shards beside the manifest and without sidecars."""

FORMATS = (FORMAT, SECOND_FORMAT, FIRST_FORMAT)

JOB_FILE = "_job.parquet"
"""The manifest, beside the shards. The underscore makes Arrow skip it; other readers open it and find no rows."""

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
"""Name and type of every column. No value is ever null, texts are dictionary-encoded, and no name is an SQL keyword."""

TEMPORARY = re.compile(r"\.(part-\d{5,}\.parquet|_part-\d{5,}\.parquet|_job\.parquet)\.tmp-\d+(-[0-9a-f]+)?")
"""Names of temporary files that a killed run leaves behind."""

NUMBERED = re.compile(r"_?part-(\d{5,20})\.(?:parquet|json)")
"""Names of shards and sidecars; this library never writes a name with too many zeros."""

FOLDERS = ("preset=", "players=")
"""How the names of the folders begin in which the manifest and the shards are, from the archive's folder down."""


def column_name(file_format: str, name: str) -> str:
    """Return the name in the files of a format for a column of `COLUMNS`."""
    return "end" if name == "ending" and file_format != FORMAT else name


def shard_folder(file_format: str, preset: str, players: int) -> str:
    """Return the folder of the shards, relative to the archive's folder; `.` for the first format.

    The names follow the convention of Hive partitions: Parquet readers turn them into columns `preset` and `players`.
    """
    return "." if file_format == FIRST_FORMAT else f"preset={preset}/players={players}"


def shard_file(number: int) -> str:
    """Return the file name of shard `number`."""
    return f"part-{number:05}.parquet"


def sidecar_file(file_format: str, number: int) -> str:
    """Return the file name of the sidecar of shard `number`."""
    return f"_part-{number:05}.{'parquet' if file_format == FORMAT else 'json'}"


def number_in(file_name: str) -> int | None:
    """Return the number in the name of a shard or sidecar of any format, or None for any other name."""
    found = NUMBERED.fullmatch(file_name)
    return None if found is None else int(found[1])
