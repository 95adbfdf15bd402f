"""The file of all rounds of a tournament, and beside it the state from which the tournament goes on (docs/formats.md).

Records are written in the order of deals, and reach the disk before the state that counts them. So after a crash the
file may only be longer than the state says; what is too much is cut off before the tournament goes on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mextrain._support.files import DISK, locked_folder, read_file, whole_file
from mextrain.errors import MextrainError, one_line, shown

STATE_FORMAT = "mextrain-tournament/1"
"""The version of the format of the state."""

MAX_STATE = 1 << 30
"""Bytes of the largest state that is read."""


class SavedRounds:
    """The two files. `state`: the last one that was written, without `format` and `bytes`."""

    def __init__(self, path: Path, state: dict[str, Any], size: int) -> None:
        self.path, self.state, self._size = path, state, size

    @classmethod
    def create(cls, path: object, state: dict[str, Any]) -> SavedRounds:
        """Begin new files. Raises `MextrainError` if there is such a file or none can be made, `OSError`."""
        named = _path(path, "out")
        try:
            named.open("xb").close()
        except FileExistsError:
            raise MextrainError(
                f"out = {shown(path)}: it exists already; go on with it (--resume), remove it, or name another file"
            ) from None
        except (OSError, ValueError) as error:
            raise MextrainError(f"out = {shown(path)}: {_reason(error)}") from None
        saved = cls(named, state, 0)
        saved._write_state()
        return saved

    @classmethod
    def open(cls, path: object) -> SavedRounds:
        """Open the files of an earlier run. Raises `MextrainError`, `OSError`."""
        named = _path(path, "file")
        what = f"file = {shown(path)}: {one_line(state_path(named).name)} is not the state of a tournament"
        try:
            state = json.loads(read_file(state_path(named), MAX_STATE))
            found = named.stat().st_size
        except FileNotFoundError as error:
            missing = one_line(str(error.filename))
            raise MextrainError(
                f"file = {shown(path)}: there is no {missing}; a tournament goes on only if it was saved with -o (out)"
            ) from None
        except OSError as error:
            raise MextrainError(f"file = {shown(path)}: {_reason(error)}") from None
        except ValueError as error:
            raise MextrainError(f"{what}: {one_line(str(error))}") from None
        if not isinstance(state, dict) or state.pop("format", None) != STATE_FORMAT:
            raise MextrainError(f"{what}: expected the format {STATE_FORMAT}")
        size = state.pop("bytes", None)
        if type(size) is not int or size < 0:
            raise MextrainError(f"{what}: bytes is {shown(size)}")
        if found < size:
            raise MextrainError(f"file = {shown(path)}: it has {found:,} bytes, but its state counts {size:,}")
        return cls(named, state, size)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep others from writing; at the end, and first, what the state does not count is cut off."""
        try:
            with locked_folder(self.path):
                self._cut()
                try:
                    yield
                finally:
                    self._cut()
        except BlockingIOError:
            raise MextrainError(f"{one_line(str(self.path))}: another tournament writes to it now") from None

    def add(self, lines: Iterable[str], state: dict[str, Any]) -> None:
        """Add records, and replace the state."""
        with self.path.open("ab") as file:
            for line in lines:
                file.write(line.encode() + b"\n")
            DISK.sync(file)
            size = file.tell()
        self.state, self._size = state, size
        self._write_state()

    def _cut(self) -> None:
        if self.path.stat().st_size > self._size:
            os.truncate(self.path, self._size)

    def _write_state(self) -> None:
        with whole_file(state_path(self.path)) as file:
            stored = {"format": STATE_FORMAT, "bytes": self._size, **self.state}
            file.write(json.dumps(stored, ensure_ascii=False).encode() + b"\n")


def state_path(path: Path) -> Path:
    """Return where the state of a file of rounds is."""
    return path.with_name(path.name + ".state")


def _path(path: object, name: str) -> Path:
    """Return a path that has a file name. Raises `MextrainError`."""
    if not isinstance(path, (str, os.PathLike)):
        raise MextrainError(f"{name} = {shown(path)}: expected the path of a file")
    text = os.fsdecode(path)
    if "\0" in text or not Path(text).name:
        raise MextrainError(f"{name} = {shown(path)}: expected the path of a file")
    return Path(text)


def _reason(error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) else None
    return one_line(reason or str(error))
