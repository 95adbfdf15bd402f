"""Places: where the files of an archive are. `LocalPlace` is a folder on a disk; `stores` has those in object stores.

All other modules of this room name files relative to the place, with slashes: `preset=mexican/players=4/part-00000…`.
"""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol, cast

from mextrain._support.files import is_uri, locked_folder, make_folder, read_file, remove_file, whole_file
from mextrain.errors import MextrainError, shown

Kind = Literal["file", "folder", "other"]


class FileSystem(Protocol):
    """A `pyarrow.fs.FileSystem`."""

    @property
    def type_name(self) -> str:
        """The name of its kind."""


class Place(ABC):
    """A folder with the files of an archive. All names are relative to it; its methods raise `OSError`.

    `text`: how messages name it. `folder`: a `Path`, or the text for a place that has none. `has_locks`: whether
    writers can lock each other out; such a place also holds temporary files.
    """

    text: str
    folder: Path | str
    has_locks: bool

    def __str__(self) -> str:
        return self.text

    @abstractmethod
    def address(self) -> Any:
        """Return what `as_place` turns into this place in any process on any machine that has the folder."""

    @abstractmethod
    def kind(self, name: str = "") -> Kind | None:
        """Return what the name stands for; None if there is nothing. Links are followed."""

    @abstractmethod
    def names(self, folder: str = "") -> list[str]:
        """Return the names in a folder, sorted; none if it is not a folder."""

    @abstractmethod
    def parquet_files(self) -> Iterator[str]:
        """Yield the names of all Parquet files below the folder."""

    @abstractmethod
    def size(self, name: str) -> int:
        """Return the size of a file in bytes."""

    @abstractmethod
    def read(self, name: str, most: int) -> bytes:
        """Return the contents of a regular file of at most `most` bytes; raises `OSError` for anything else."""

    @abstractmethod
    def opened(self, name: str) -> AbstractContextManager[Any]:
        """Open a file for reading at any position."""

    @abstractmethod
    def whole_file(self, name: str) -> AbstractContextManager[BinaryIO]:
        """Open a new file that gets its name, and replaces an existing file, when the block ends without an error."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Remove a file, if it exists."""

    @abstractmethod
    def make_folder(self, name: str = "") -> None:
        """Make a folder and its parents, unless they exist."""

    @abstractmethod
    def locked(
        self, name: str = "", *, shared: bool = False, wait: bool = False
    ) -> AbstractContextManager[None]:
        """Lock a folder, as `locked_folder` does; a place without locks does nothing."""


class LocalPlace(Place):
    """A folder on a disk."""

    has_locks = True

    def __init__(self, folder: Path) -> None:
        self.folder: Path = folder
        self.text = str(folder)

    def address(self) -> Path:
        """Return the absolute path."""
        return self.folder.absolute()

    def kind(self, name: str = "") -> Kind | None:
        """See `Place`."""
        path = self.folder / name
        if path.is_file():
            return "file"
        if path.is_dir():
            return "folder"
        return "other" if os.path.lexists(path) else None

    def names(self, folder: str = "") -> list[str]:
        """See `Place`."""
        path = self.folder / folder
        return sorted(os.listdir(path)) if path.is_dir() else []  # noqa: PTH208 - names are wanted, not paths

    def parquet_files(self) -> Iterator[str]:
        """See `Place`."""
        for path in self.folder.rglob("*.parquet"):
            yield path.relative_to(self.folder).as_posix()

    def size(self, name: str) -> int:
        """See `Place`."""
        return (self.folder / name).stat().st_size

    def read(self, name: str, most: int) -> bytes:
        """See `Place`."""
        return read_file(self.folder / name, most)

    def opened(self, name: str) -> AbstractContextManager[Any]:
        """See `Place`. It is an open file, because pyarrow takes no paths that are not UTF-8."""
        return (self.folder / name).open("rb")

    def whole_file(self, name: str) -> AbstractContextManager[BinaryIO]:
        """See `Place`."""
        return whole_file(self.folder / name)

    def remove(self, name: str) -> None:
        """See `Place`."""
        remove_file(self.folder / name)

    def make_folder(self, name: str = "") -> None:
        """See `Place`."""
        make_folder(self.folder / name)

    def locked(
        self, name: str = "", *, shared: bool = False, wait: bool = False
    ) -> AbstractContextManager[None]:
        """See `Place`."""
        return locked_folder(self.folder / name, shared=shared, wait=wait)


Folder = str | os.PathLike[str] | FileSystem | Place
"""How a caller names the folder of an archive: a path, a URI, or a `pyarrow.fs.FileSystem`, which is its root."""


def as_place(folder: Folder) -> Place:
    """Return the place that an argument names. Raises `MextrainError` if it cannot be one."""
    kind = type(folder)  # Not isinstance, which asks the object.
    if issubclass(kind, Place):
        return cast(Place, folder)
    if (issubclass(kind, str) and is_uri(cast(str, folder))) or _is_file_system(kind):
        from mextrain.archive.stores import place_in_store

        return place_in_store(folder)
    return LocalPlace(as_path(folder))


def _is_file_system(kind: type) -> bool:
    """Whether `kind` is a subclass of `pyarrow.fs.FileSystem`; False if that module has not been imported."""
    fs = sys.modules.get("pyarrow.fs")
    return fs is not None and issubclass(kind, fs.FileSystem)


def as_path(folder: object) -> Path:
    """Return an argument that names a folder on a disk as a `Path`. Raises `MextrainError` if it cannot be one."""
    try:
        path = Path(folder) if isinstance(folder, str | os.PathLike) and folder != "" else None
        if path is not None:
            path.lstat()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        pass
    except Exception:  # A name that no file can have, or an object whose path cannot be read.
        path = None
    if path is None:
        raise MextrainError(f"folder = {shown(folder)}: expected the path of a folder")
    return path
