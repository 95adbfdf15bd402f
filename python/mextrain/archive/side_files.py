"""Side files: metadata of an archive, stored beside its rows so that readers of the rows are not affected.

A side file is a Parquet file with the columns of a shard and no rows; its content is JSON in the metadata. A program
that reads all files of the folder gets no rows from it, and a program that skips names with an underscore skips it.
The older formats use JSON files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from mextrain.archive.places import Place
from mextrain.archive.schema import archive_schema, arrow_says
from mextrain.errors import MextrainError

MOST_BYTES = 1 << 26
"""Largest possible size of a side file: a sidecar with every possible turn count has two megabytes."""

TEXT, DIGEST = b"mextrain", b"mextrain.sha256"
"""Keys of the metadata: the JSON text, and its SHA-256 in hexadecimal digits."""


def write_side_file(place: Place, name: str, says: Mapping[str, Any]) -> None:
    """Write a side file. Raises `OSError`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    text = json.dumps(says).encode()
    sink = pa.BufferOutputStream()
    schema = archive_schema().with_metadata({TEXT: text, DIGEST: hashlib.sha256(text).hexdigest()})
    pq.ParquetWriter(sink, schema).close()
    with place.whole_file(name) as file:
        file.write(sink.getvalue().to_pybytes())


def read_side_file(place: Place, name: str) -> Any:
    """Return the content of a side file.

    Raises `MextrainError` for a file that cannot be read or whose text is not what was written, `FileNotFoundError`
    or `NotADirectoryError` if there is none.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = _bytes(place, name)
    try:
        found = pq.read_metadata(pa.BufferReader(data)).metadata or {}
    except (pa.ArrowException, OSError, ValueError) as error:
        raise MextrainError(f"it is not a Parquet file that can be read ({arrow_says(error)})") from None
    text = found.get(TEXT, b"")
    if hashlib.sha256(text).hexdigest().encode() != found.get(DIGEST):
        raise MextrainError("it was changed: its text and its SHA-256 do not belong together")
    return _json(text)


def read_json_file(place: Place, name: str) -> Any:
    """Return the content of a side file of the older formats; raises the same errors as `read_side_file`."""
    return _json(_bytes(place, name))


def _bytes(place: Place, name: str) -> bytes:
    try:
        return place.read(name, MOST_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        raise MextrainError(error.strerror or str(error)) from None


def _json(text: bytes) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise MextrainError("its JSON is nested too deeply") from None
    except ValueError as error:
        raise MextrainError(f"it is not JSON ({error})") from None
