"""The Arrow schema of the rows in every format, and short texts for Arrow's error messages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mextrain.archive.layout import COLUMNS, FORMAT, column_name
from mextrain.errors import one_line


def archive_schema(metadata: Mapping[str, Any] | None = None, file_format: str = FORMAT) -> Any:
    """Return the `pyarrow.Schema` of a shard; `metadata` is stored as JSON under the key `mextrain`."""
    import pyarrow as pa

    def lists(element: Any) -> Any:
        return pa.list_(pa.field("element", element, nullable=False))

    types = {
        "text": pa.dictionary(pa.int32(), pa.string()),
        "list of uint16": lists(pa.uint16()),
        "list of int64": lists(pa.int64()),
    }
    fields = [
        pa.field(column_name(file_format, name), types.get(kind) or pa.type_for_alias(kind), nullable=False)
        for name, kind in COLUMNS.items()
    ]
    return pa.schema(fields, {"mextrain": json.dumps(metadata)} if metadata is not None else None)


def schema_problems(schema: Any, file_format: str) -> list[str]:
    """Return what is wrong with the schema of a shard of this format, one text for each problem."""
    wanted = archive_schema(file_format=file_format)
    if schema.names != wanted.names:
        return [f"has the columns {one_line(', '.join(schema.names))}, expected {', '.join(wanted.names)}"]
    return [
        f"has {schema.field(name).type} in the column {name}, expected {wanted.field(name).type}"
        for name in wanted.names
        if not _same_type(schema.field(name).type, wanted.field(name).type)
    ]


def _same_type(one: Any, other: Any) -> bool:
    """Whether two types are equal, ignoring the name of a list's elements and whether they may be null.

    The first format did not specify those.
    """
    import pyarrow as pa

    if pa.types.is_list(one) and pa.types.is_list(other):
        return bool(one.value_type == other.value_type)
    return bool(one == other)


def arrow_says(error: BaseException) -> str:
    """Return an Arrow error message as one short line; the original may have several lines and contain file bytes."""
    text = "".join(letter if letter.isprintable() else " " for letter in str(error))
    return " ".join(text.split())[:200]
