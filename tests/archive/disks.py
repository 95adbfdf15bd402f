"""A simulated disk whose power can be cut at any operation, and its contents afterwards.

Data without fsync may or may not be lost: the contents of a file until the file is synced, its name until the folder
is. `AFTER` has the extreme cases and a random mixture.
"""

from __future__ import annotations

import errno
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from mextrain._support.files import Disk

AFTER = ("least", "names", "all", "mixed")
"""What a power cut leaves: only what was synced; all names but only synced contents; everything; any of it."""


class Cut(BaseException):
    """The process is gone: nothing that it would do afterwards happens."""


class SimulatedDisk(Disk):
    """Works in a real folder, counts operations, and knows what would survive a power cut.

    Operation number `fatal` fails with what `error` returns: a `Cut`, after which every operation fails, or an
    `OSError`, after which the disk works again. `log` has the names of all operations. `ignored` are names of syncs
    that do nothing, as if they had been forgotten.
    """

    def __init__(
        self, root: Path, fatal: int = -1, error: Callable[[], BaseException] = Cut, ignored: str = ""
    ) -> None:
        self.root, self.fatal, self.ignored = root, fatal, ignored
        self.log: list[str] = []
        self._error, self._dead = error, False
        self._files: dict[Path, int] = {}
        self._contents: dict[int, bytes] = {}
        self._next = 0
        for path in sorted(root.rglob("*")):
            if path.is_file():
                self._contents[self._new(path)] = path.read_bytes()
        # The names in an existing folder are on the disk.
        self._names = {folder: self._listing(folder) for folder in (root, *root.rglob("*")) if folder.is_dir()}

    def _new(self, path: Path) -> int:
        self._next += 1
        self._files[path] = self._next
        return self._next

    def _listing(self, folder: Path) -> dict[str, int]:
        """The names in a folder with the number of the file, 0 for a folder."""
        return {path.name: self._files.get(path, 0) for path in folder.iterdir()}

    def _count(self, operation: str) -> None:
        number = len(self.log)
        self.log.append(operation)
        if self._dead or number == self.fatal:
            error = self._error()
            self._dead = isinstance(error, Cut)
            raise error

    def create(self, path: Path) -> BinaryIO:
        self._count("create")
        self._new(path)
        return _File(path, self._files[path], self._count)  # type: ignore[return-value]

    def sync(self, file: BinaryIO) -> None:
        self._count("sync")
        file.flush()
        if self.ignored != "sync":
            self._contents[file.number] = file.path.read_bytes()  # type: ignore[attr-defined]

    def replace(self, source: Path, target: Path) -> None:
        self._count("replace")
        source.replace(target)
        self._files[target] = self._files.pop(source)

    def unlink(self, path: Path) -> None:
        self._count("unlink")
        path.unlink(missing_ok=True)
        self._files.pop(path, None)

    def make_folder(self, path: Path) -> None:
        self._count("make_folder")
        path.mkdir(exist_ok=True)

    def sync_folder(self, folder: Path) -> None:
        self._count("sync_folder")
        if self.ignored != "sync_folder":
            self._names[folder] = self._listing(folder)

    def cut(self, target: Path, after: str, seed: int = 0) -> None:
        """Write to `target` the contents after the power cut."""
        target.mkdir()
        self._survive(self.root, target, after, random.Random(seed))

    def _survive(self, folder: Path, target: Path, after: str, chance: random.Random) -> None:
        old, new = self._names.get(folder, {}), self._listing(folder)
        for name in sorted({*old, *new}):
            keep_new = {"least": False, "names": True, "all": True, "mixed": chance.random() < 0.5}[after]
            number = (new if keep_new else old).get(name)
            if number == 0:
                (target / name).mkdir()
                self._survive(folder / name, target / name, after, chance)
            elif number is not None:
                (target / name).write_bytes(self._content(folder / name, number, after, chance))

    def _content(self, path: Path, number: int, after: str, chance: random.Random) -> bytes:
        synced = self._contents.get(number, b"")
        if self._files.get(path) != number or after in ("least", "names"):
            return synced
        written = path.read_bytes()
        if after == "all" or written == synced:
            return written
        return chance.choice([synced, written, written[: len(written) // 2], bytes(len(written))])


class _File:
    """A file that counts its writes; a failing write writes half of the data."""

    def __init__(self, path: Path, number: int, count: Callable[[str], None]) -> None:
        self.path, self.number, self._count = path, number, count
        self._file = path.open("wb")

    def write(self, data: Any) -> int:
        try:
            self._count("write")
        except BaseException:
            self._file.write(bytes(data)[: len(data) // 2])
            raise
        return self._file.write(data)

    def flush(self) -> None:
        self._file.flush()

    def __enter__(self) -> _File:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def full() -> OSError:
    """The error of a full disk."""
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
