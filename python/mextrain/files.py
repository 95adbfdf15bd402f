"""Files that are either complete or not there."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


def temporary_name(name: str) -> str:
    """Return the name under which this process writes a file until it is complete."""
    return f".{name}.tmp-{os.getpid()}"


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a new binary file that gets its name only when it is complete and on the disk, and vanishes if it fails.

    A file that is there already is replaced at that moment, and otherwise untouched. Raises `OSError`.
    """
    temporary = path.with_name(temporary_name(path.name))
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def make_folder(path: Path) -> None:
    """Make a folder, and those above it, so that a power cut does not lose what is put into it. Raises `OSError`."""
    if not path.is_dir():
        make_folder(path.parent)
        path.mkdir(exist_ok=True)
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Put a rename on the disk; Windows has no such call and needs none."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
