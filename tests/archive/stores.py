"""An object store in memory, whose uploads can fail at any operation."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.fs as fs

from tests.archive.disks import Cut


class MemoryStore(fs.FileSystemHandler):  # type: ignore[misc]
    """Has objects and no folders. An object appears as a whole when its upload is closed.

    Operation number `fatal` fails with what `error` returns: a `Cut`, after which every operation fails, or an
    `OSError`, after which the store works again: it then keeps what was uploaded before. `log` has all operations.
    """

    def __init__(self, fatal: int = -1, error: Callable[[], BaseException] = Cut) -> None:
        self.objects: dict[str, bytes] = {}
        self.log: list[str] = []
        self._fatal, self._error, self._dead = fatal, error, False

    def count(self, operation: str) -> None:
        number = len(self.log)
        self.log.append(operation)
        if self._dead or number == self._fatal:
            error = self._error()
            self._dead = isinstance(error, Cut)
            raise error

    def get_type_name(self) -> str:
        return "memory"

    def normalize_path(self, path: str) -> str:
        return path

    def _info(self, path: str) -> fs.FileInfo:
        if path in self.objects:
            return fs.FileInfo(path, fs.FileType.File, size=len(self.objects[path]))
        is_folder = any(name.startswith(f"{path}/" if path else "") for name in self.objects)
        return fs.FileInfo(path, fs.FileType.Directory if is_folder else fs.FileType.NotFound)

    def get_file_info(self, paths: list[str]) -> list[fs.FileInfo]:
        return [self._info(path) for path in paths]

    def get_file_info_selector(self, selector: fs.FileSelector) -> list[fs.FileInfo]:
        base = selector.base_dir.strip("/")
        begin = f"{base}/" if base else ""
        below = [name.removeprefix(begin) for name in self.objects if name.startswith(begin)]
        found = below if selector.recursive else {name.partition("/")[0] for name in below}
        return [self._info(f"{begin}{name}") for name in sorted(found)]

    def open_input_file(self, path: str) -> Any:
        if path not in self.objects:
            raise FileNotFoundError(path)
        return pa.PythonFile(io.BytesIO(self.objects[path]), mode="r")

    def open_output_stream(self, path: str, metadata: Any) -> Any:
        self.count("create")
        return pa.PythonFile(_Upload(self, path), mode="w")

    def delete_file(self, path: str) -> None:
        self.count("delete")
        self.objects.pop(path, None)

    def create_dir(self, path: str, recursive: bool) -> None:
        pass

    def _unused(self, *_: Any) -> Any:
        raise NotImplementedError

    open_input_stream = open_append_stream = move = copy_file = _unused
    delete_dir = delete_dir_contents = delete_root_dir_contents = _unused


class _Upload(io.BytesIO):
    def __init__(self, store: MemoryStore, path: str) -> None:
        super().__init__()
        self._store, self._path = store, path

    def write(self, data: Any) -> int:
        self._store.count("write")
        return super().write(data)

    def close(self) -> None:
        if not self.closed:
            data = self.getvalue()
            super().close()
            self._store.count("close")
            self._store.objects[self._path] = data


def objects(files: fs.FileSystem) -> dict[str, bytes]:
    """All files of a file system, by path."""
    found = files.get_file_info(fs.FileSelector("", recursive=True))
    result = {}
    for info in found:
        if info.type == fs.FileType.File:
            with files.open_input_file(info.path) as file:
                result[info.path.strip("/")] = bytes(file.read())
    return result
