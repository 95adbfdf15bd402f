"""Archives in object stores, through `pyarrow.fs`.

An object appears as a whole when its upload ends, so nothing needs temporary names, renames or syncs. Nor are there
locks: two writers of the same shard write the same bytes.
"""

from __future__ import annotations

import mmap
import re
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from mextrain._support.optional import need
from mextrain.archive.places import FileSystem, Kind, LocalPlace, Place
from mextrain.archive.schema import arrow_says
from mextrain.errors import MextrainError, shown


class StorePlace(Place):
    """A folder in a `pyarrow.fs.FileSystem`."""

    has_locks = False

    def __init__(self, files: Any, text: str) -> None:
        self._files = files
        self.text = self.folder = text

    def address(self) -> Any:
        """Return the file system, which can be pickled unless it lives in this process."""
        return self._files

    def kind(self, name: str = "") -> Kind | None:
        """See `Place`."""
        import pyarrow.fs as fs

        kinds: dict[Any, Kind | None] = {
            fs.FileType.File: "file",
            fs.FileType.Directory: "folder",
            fs.FileType.NotFound: None,
        }
        return kinds.get(self._files.get_file_info(name).type, "other")

    def names(self, folder: str = "") -> list[str]:
        """See `Place`."""
        return sorted(info.base_name for info in self._listed(folder, recursive=False))

    def parquet_files(self) -> Iterator[str]:
        """See `Place`."""
        for info in self._listed("", recursive=True):
            if info.base_name.endswith(".parquet"):
                yield info.path.strip("/")

    def _listed(self, folder: str, recursive: bool) -> list[Any]:
        import pyarrow.fs as fs

        found: list[Any] = self._files.get_file_info(
            fs.FileSelector("" if folder == "." else folder, allow_not_found=True, recursive=recursive)
        )
        return found

    def size(self, name: str) -> int:
        """See `Place`."""
        return int(self._files.get_file_info(name).size)

    def read(self, name: str, most: int) -> bytes:
        """See `Place`."""
        with self._files.open_input_file(name) as file:
            if file.size() > most:
                raise OSError(f"it has {file.size():,} bytes, and at most {most:,} are expected")
            return bytes(file.read())

    def opened(self, name: str) -> AbstractContextManager[Any]:
        """See `Place`."""
        return cast(AbstractContextManager[Any], self._files.open_input_file(name))

    @contextmanager
    def whole_file(self, name: str) -> Iterator[BinaryIO]:
        """See `Place`.

        The contents are collected in a temporary file of this machine and uploaded in one call: an upload cannot be
        taken back, and half an object must not replace a complete one.
        """
        with tempfile.TemporaryFile() as file:
            yield cast(BinaryIO, file)
            file.flush()
            contents = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            try:
                with self._files.open_output_stream(name) as upload:
                    upload.write(contents)
            except BaseException:
                with suppress(OSError):
                    self._withdraw(name, len(contents))
                raise

    def _withdraw(self, name: str, size: int) -> None:
        """Remove what an upload that failed may have left; another writer's object is as large as ours was to be."""
        if self.kind(name) == "file" and self.size(name) != size:
            self.remove(name)

    def remove(self, name: str) -> None:
        """See `Place`."""
        self._files.delete_file(name)

    def make_folder(self, name: str = "") -> None:
        """See `Place`. Object stores do not need folders; other file systems behind this interface do."""
        if name:
            self._files.create_dir(name, recursive=True)

    def locked(
        self, name: str = "", *, shared: bool = False, wait: bool = False
    ) -> AbstractContextManager[None]:
        """Do nothing: there are no locks."""
        return nullcontext()


def place_in_store(folder: Any) -> Place:
    """Return the place that a URI or a `pyarrow.fs.FileSystem` names; a folder on a disk is a `LocalPlace`.

    Raises `MextrainError` if it cannot be used, and `MissingExtra` without pyarrow.
    """
    need("pyarrow", "io")
    import pyarrow as pa
    import pyarrow.fs as fs

    if isinstance(folder, str):
        try:
            files, base = fs.FileSystem.from_uri(folder)
        except (pa.ArrowException, OSError, ValueError) as error:
            why = arrow_says(error).replace(folder, _public(folder))
            raise MextrainError(
                f"folder = {shown(_public(folder))}: pyarrow cannot open it ({why}); "
                "expected a path, or a URI such as s3://bucket/folder"
            ) from None
        text = _public(folder)
    else:
        files, base, text = folder, "", _text_of(folder)
    local = _local_path(files, base)
    if local is not None:
        return LocalPlace(local)
    return StorePlace(fs.SubTreeFileSystem(base, files) if base else files, text)


def _public(uri: str) -> str:
    """Return a URI without the keys that it may hold: the part before the host, and the options at the end."""
    return re.sub(r"\?.*", "", re.sub(r"(?<=://)[^/]*@", "", uri))


def _text_of(files: FileSystem) -> str:
    """Return how messages name a file system."""
    base, kind = "", files
    while getattr(kind, "base_fs", None) is not None:
        base, kind = kind.base_path + base, kind.base_fs  # type: ignore[attr-defined]
    return f"{kind.type_name}://{base.rstrip('/')}"


def _local_path(files: Any, base: str) -> Path | None:
    """Return the path of a folder that is on a disk of this machine, else None.

    There the same guarantees hold as for a folder that is named by its path.
    """
    import pyarrow.fs as fs

    while isinstance(files, fs.SubTreeFileSystem):
        base, files = f"{files.base_path.rstrip('/')}/{base}", files.base_fs
    if not isinstance(files, fs.LocalFileSystem):
        return None
    if not base:
        raise MextrainError("folder is a LocalFileSystem, which is all disks: name a path, or a SubTreeFileSystem")
    return Path(base)
