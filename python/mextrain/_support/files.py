"""Files that are either complete or not there, and files of others that are read with care.

Everything that changes a disk goes through `DISK`, so that tests can cut the power at any of these operations.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


class Disk:
    """The operations that decide what is on the disk after a crash. All of them raise `OSError`."""

    def create(self, path: Path) -> BinaryIO:
        """Open a new, empty file to write to."""
        return path.open("wb")

    def sync(self, file: BinaryIO) -> None:
        """Put what was written into a file on the disk."""
        file.flush()
        os.fsync(file.fileno())

    def replace(self, source: Path, target: Path) -> None:
        """Give a file another name; a file that has it already is gone at that moment."""
        source.replace(target)

    def unlink(self, path: Path) -> None:
        """Remove a file, if it is there."""
        path.unlink(missing_ok=True)

    def make_folder(self, path: Path) -> None:
        """Make a folder, if it is not there, in one that is."""
        path.mkdir(exist_ok=True)

    def sync_folder(self, folder: Path) -> None:
        """Put the names in a folder on the disk; Windows has no such call and needs none."""
        if os.name == "posix":
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


DISK = Disk()
"""The disk that everything is written to; tests put another one in its place."""


def temporary_name(name: str) -> str:
    """Return the name under which this process writes a file until it is complete."""
    return f".{name}.tmp-{os.getpid()}"


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a new binary file that gets its name only when it is complete and on the disk, and vanishes if it fails.

    A file that is there already is replaced at that moment, and otherwise untouched. Raises `OSError`, which names
    `path` and never the temporary file.
    """
    temporary = path.with_name(temporary_name(path.name))
    try:
        with DISK.create(temporary) as file:
            yield file
            DISK.sync(file)
        DISK.replace(temporary, path)
    except BaseException as error:
        DISK.unlink(temporary)
        if isinstance(error, OSError) and error.filename == os.fspath(temporary):
            # Nobody asked for the temporary file, or could find it now.
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        raise
    DISK.sync_folder(path.parent)


def remove_file(path: Path) -> None:
    """Remove a file, if it is there. Raises `OSError`."""
    DISK.unlink(path)


def make_folder(path: Path) -> None:
    """Make a folder, and those above it, so that a power cut does not lose what is put into it. Raises `OSError`."""
    if not path.is_dir():
        make_folder(path.parent)
        DISK.make_folder(path)
        DISK.sync_folder(path.parent)


def read_file(path: Path, most: int) -> bytes:
    """Return what is in a regular file of at most `most` bytes.

    Raises `OSError`, also for a pipe, a device or a folder; it never waits for a writer.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(handle, "rb") as file:  # noqa: PTH123 - a handle has no path
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise OSError("it is not a regular file")
        if found.st_size > most:
            raise OSError(f"it has {found.st_size:,} bytes, and at most {most:,} are expected")
        return file.read()


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
