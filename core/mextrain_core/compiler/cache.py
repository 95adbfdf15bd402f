"""Compiled code on disk.

The cache is keyed by a stamp over every source file of this package and the compile switches, because Numba checks only
the file of the function that it loads: after an edit or an upgrade of a callee it would run old code.
``MEXTRAIN_CACHE_DIR``, ``NUMBA_CACHE_DIR`` or the user's cache folder holds it. If none of them can be written, each
process compiles its kernels again, after one warning.
"""

import contextlib
import hashlib
import os
import re
import shutil
import tempfile
import time
import warnings
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

try:
    import numba
except ImportError as error:
    raise ImportError(
        f"mextrain compiles its engine with Numba, which cannot be imported here ({error}): "
        "install it and what it needs with pip install --upgrade mextrain"
    ) from error
from numba.core import caching, config
from numba.misc.appdirs import AppDirs

PACKAGE = Path(__file__).resolve().parents[1]
"""The folder of the package; the stamp covers its sources."""

KEPT_FOLDERS = 4
"""Number of stamp folders to keep besides the one in use: the most recently used ones."""

KEPT_SECONDS = 24 * 3600
"""A stamp folder that was used in this time is always kept: somebody may be switching between versions."""


def _sources(folder: Any, prefix: str = "") -> Iterator[bytes]:
    """Name and text of every source file, in order; the package may lie in a zip file."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        name = f"{prefix}{entry.name}"
        if entry.is_dir():
            yield from _sources(entry, f"{name}/")
        elif name.endswith(".py"):
            yield name.encode() + b"\0" + entry.read_bytes() + b"\0"


@cache
def package_stamp() -> str | None:
    """SHA-256 (hex) over this package's sources and the switches that change the compiled code.

    None if the sources cannot be read, as in some frozen programs: then stale code cannot be detected.
    """
    digest = hashlib.sha256()
    found = False
    for source in _sources(resources.files("mextrain_core")):
        digest.update(source)
        found = True
    digest.update(repr((numba.__version__, config.BOUNDSCHECK, config.OPT, config.DEBUGINFO_DEFAULT)).encode())
    return digest.hexdigest() if found else None


@cache
def cache_folder() -> str | None:
    """The folder of this stamp's compiled code, created on first use; None where no folder can be used.

    A read-only folder is used if it already has compiled code, as in a container image that was warmed up.
    """
    stamp = package_stamp()
    users = AppDirs(appname="mextrain", appauthor=False).user_cache_dir
    # For a user without a home directory, expanduser() leaves "~" in the path.
    bases = (os.environ.get("MEXTRAIN_CACHE_DIR"), config.CACHE_DIR, users if Path(users).is_absolute() else None)
    for base in bases:
        if base and stamp and _usable(folder := Path(base) / f"mextrain-{stamp[:16]}"):
            return str(folder)
    why = "cannot write a cache folder" if stamp else "cannot read its own sources, so compiled code cannot be kept"
    warnings.warn(
        f"mextrain {why}: kernels are compiled in each process; set MEXTRAIN_CACHE_DIR to a writable folder",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


def _usable(folder: Path) -> bool:
    """Whether compiled code can be kept in ``folder``, or is there already."""
    try:
        is_new = not folder.is_dir()
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        os.utime(folder)
        if is_new:
            _remove_old(folder)
    except OSError:
        return any(folder.glob("*.nbi"))
    return True


def _remove_old(folder: Path) -> None:
    """Remove the folders of other stamps that nobody has used for a while.

    No locking is needed: a process that still uses one finds nothing there, compiles again, and recreates the folder.
    """
    used = {}
    for other in folder.parent.iterdir():
        if re.fullmatch(r"mextrain-[0-9a-f]{16}", other.name) and other != folder:
            with contextlib.suppress(OSError):
                used[other] = other.stat().st_mtime
    for other in sorted(used, key=lambda other: -used[other])[KEPT_FOLDERS:]:
        if used[other] < time.time() - KEPT_SECONDS:
            shutil.rmtree(other, ignore_errors=True)


class _Locator(caching._CacheLocator):  # type: ignore[misc]
    """Numba's cache for our own files, in ``cache_folder()`` under the package stamp."""

    def __init__(self, function: Any, path: str):
        self._py_file = path
        module = Path(path).resolve().relative_to(PACKAGE).with_suffix("")
        self._disambiguator = f"{'.'.join(module.parts)}-{function.__code__.co_firstlineno}"

    def get_cache_path(self) -> str:
        return cache_folder() or ""

    def ensure_cache_path(self) -> None:
        """The folder existed at the start; if it has become unusable, code is not stored (``_CacheFile.save``)."""
        with contextlib.suppress(OSError):
            Path(self.get_cache_path()).mkdir(parents=True, exist_ok=True)

    def get_source_stamp(self) -> str:
        return package_stamp() or ""

    def get_disambiguator(self) -> str:
        return self._disambiguator

    @classmethod
    def from_function(cls, function: Any, path: str) -> "_Locator | None":
        inside = Path(path).resolve().is_relative_to(PACKAGE)
        return cls(function, path) if inside and cache_folder() else None


class _CacheFile(caching.IndexDataCacheFile):  # type: ignore[misc]
    """A cache file that treats damaged files as absent, and names its data files after their contents.

    Numba numbers its data files, so two processes that compile two signatures at the same time can overwrite each
    other's files; and a truncated file (from a killed process or a full disk) makes every later start fail.
    """

    def _load_index(self) -> dict[Any, str]:
        try:
            return super()._load_index()
        except Exception:
            return {}

    def load(self, key: Any) -> Any:
        try:
            return super().load(key)
        except Exception:
            return None

    def save(self, key: Any, data: Any) -> None:
        name = self._data_name_pattern.format(number=int(hashlib.sha256(repr(key).encode()).hexdigest()[:12], 16))
        # If the folder is full or unwritable, the next start is slower, but this call must still return its result.
        with contextlib.suppress(OSError):
            self._save_data(name, data)
            self._save_index({**self._load_index(), key: name})


caching.CacheImpl._locator_classes.insert(0, _Locator)


def tolerant(compiled: Any) -> Any:
    """Let the function's cache treat damaged files as absent."""
    cache_file = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if cache_file is not None:
        cache_file.__class__ = _CacheFile
    return compiled
