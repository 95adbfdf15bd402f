"""Writes files that are either complete or absent, and reads files from other sources safely.

Everything that changes the disk goes through `DISK`, so that tests can simulate a power cut at any operation.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


class Disk:
    """The operations that decide what is on the disk after a crash. All of them raise `OSError`."""

    def create(self, path: Path) -> BinaryIO:
        """Open a new, empty file for writing."""
        return path.open("wb")

    def sync(self, file: BinaryIO) -> None:
        """Flush a file to the disk."""
        file.flush()
        os.fsync(file.fileno())

    def replace(self, source: Path, target: Path) -> None:
        """Rename a file, and replace an existing file of that name atomically."""
        source.replace(target)

    def unlink(self, path: Path) -> None:
        """Remove a file, if it exists."""
        path.unlink(missing_ok=True)

    def make_folder(self, path: Path) -> None:
        """Make a folder, unless it exists. Its parent must exist."""
        path.mkdir(exist_ok=True)

    def sync_folder(self, folder: Path) -> None:
        """Flush the names in a folder to the disk. Windows has no such call and does not need it."""
        if os.name == "posix":
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


DISK = Disk()
"""The disk that everything is written to. Tests replace it."""


def temporary_name(name: str) -> str:
    """Return the temporary name that this process uses for a file until it is complete.

    Processes on other machines may write into the same folder and have the same number, so the name also has a word
    that this process drew at random.
    """
    return f".{name}.tmp-{os.getpid()}-{_word_of(os.getpid())}"


@functools.cache
def _word_of(process: int) -> str:
    """Return the random word of this process; a child process has another number, and draws its own."""
    return secrets.token_hex(4)


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a new binary file that gets its name only when it is complete and on the disk; on failure it is removed.

    An existing file is replaced at that moment, and is untouched before. Raises an `OSError` that names `path`, never
    the temporary file.
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
            # The caller does not know the temporary file, and it no longer exists.
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        raise
    DISK.sync_folder(path.parent)


def is_uri(text: str) -> bool:
    """Whether a text is a URI, such as `s3://bucket/folder`, and not a path."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", text) is not None


def remove_file(path: Path) -> None:
    """Remove a file, if it exists. Raises `OSError`."""
    DISK.unlink(path)


def make_folder(path: Path) -> None:
    """Make a folder and its parents so that files in it survive a power cut. Raises `OSError`."""
    if not path.is_dir():
        make_folder(path.parent)
        DISK.make_folder(path)
        DISK.sync_folder(path.parent)


def read_file(path: Path, most: int) -> bytes:
    """Return the contents of a regular file of at most `most` bytes.

    Raises `OSError`, including for a larger file, a pipe, a device or a folder. It never blocks waiting for a writer.
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
def locked_folder(path: Path, *, shared: bool = False, wait: bool = False) -> Iterator[None]:
    """Hold a lock on a folder. Other calls fail with `BlockingIOError` until it is released; with `wait` they wait.

    Any number of `shared` locks can be held at once, but none beside one that is not. The system releases the lock when
    the process ends. If the system or the file system does not support such locks, every call succeeds.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        try:
            kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
            fcntl.flock(handle, kind if wait else kind | fcntl.LOCK_NB)
        except OSError as error:
            if isinstance(error, BlockingIOError):
                raise
        yield
    finally:
        os.close(handle)
