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
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename == os.fspath(temporary):
            # Nobody asked for the temporary file, or could find it now.
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        raise
    _sync_folder(path.parent)


@contextlib.contextmanager
def locked_folder(path: Path) -> Iterator[None]:
    """Hold a folder while others that ask in this way are refused with `BlockingIOError`; the system ends it with us.

    Where the system or the file system knows no such locks, nobody is refused.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if isinstance(error, BlockingIOError):
                raise
        yield
    finally:
        os.close(handle)


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
