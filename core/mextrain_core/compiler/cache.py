"""Compiled code on disk.

The cache is keyed by a stamp over every source file of this package and the compile switches, because Numba checks only
the file of the function that it loads: after an edit or an upgrade of a callee it would run old code.
``MEXTRAIN_CACHE_DIR``, ``NUMBA_CACHE_DIR`` or the user's cache folder holds it. If none of them can be used, each
process compiles its kernels again, after one warning.

A file of compiled code begins with a checksum over the code and everything that it depends on. It is verified before
anything else in the file is used, because the rest is a pickle and machine code, which runs unchecked.
"""

import contextlib
import hashlib
import os
import pickle
import re
import shutil
import sys
import tempfile
import time
import uuid
import warnings
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from mextrain_core.compiler.interrupts import uninterrupted
from mextrain_core.compiler.trust import distrust, is_trusted_file

try:
    with uninterrupted():
        import numba
        from numba.core import caching, compiler, config, registry, serialize
        from numba.misc.appdirs import AppDirs
except ImportError as error:
    raise ImportError(
        f"mextrain compiles its kernels with Numba, which cannot be imported here ({error}): "
        "install it and what it needs with pip install --upgrade mextrain"
    ) from error

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
    """The folder of this stamp's compiled code, created on first use; None if no folder can be used.

    A read-only folder is used if it already has compiled code, as in a container image that was warmed up. A folder
    that other users can write to is refused with a warning. A folder named in Numba's own configuration file is
    ignored: that file is read from the current folder, which may belong to anybody.
    """
    stamp = package_stamp()
    users = AppDirs(appname="mextrain", appauthor=False).user_cache_dir
    bases = [os.environ.get("MEXTRAIN_CACHE_DIR"), os.environ.get("NUMBA_CACHE_DIR")]
    # For a user without a home directory, expanduser() leaves "~" in the path.
    bases += [users] if Path(users).is_absolute() else []
    found, refused = None, []
    for base in filter(None, bases if stamp else []):
        folder = Path(os.path.realpath(Path(base) / f"mextrain-{str(stamp)[:16]}"))
        # Check before creating anything there, and again afterwards, because another user may have been faster.
        why = distrust(folder)
        if why is None and _usable(folder) and (why := distrust(folder)) is None:
            found = str(folder)
            break
        if why:
            refused.append(f"{base} is not used: {why}")
    if found is None:
        problem = "cannot write a cache folder" if stamp else "cannot read its own sources, so code cannot be kept"
        refused.append(f"{problem}: kernels are compiled in each process; set MEXTRAIN_CACHE_DIR to a writable folder")
    if refused:
        warnings.warn("mextrain " + "; ".join(refused), RuntimeWarning, stacklevel=2)
    return found


def _usable(folder: Path) -> bool:
    """Whether compiled code can be kept in ``folder``, or is there already."""
    try:
        is_new = not folder.is_dir()
        _make(folder)
        tempfile.TemporaryFile(dir=folder).close()
        os.utime(folder)
        if is_new:
            _remove_old(folder)
    except OSError:
        return any(folder.glob("*.nbc"))
    return True


def _make(folder: Path) -> None:
    """Create a folder and its parents, writable only by this user whatever the umask of this process."""
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(mode=0o755, exist_ok=True)


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


@cache
def target() -> tuple[str, str, str]:
    """The target that kernels are compiled for: LLVM's triple, processor and features.

    It is fixed when this package is imported, and queried only once: LLVM answers only while no thread compiles.
    """
    found: tuple[str, str, str] = registry.cpu_target.target_context.codegen().magic_tuple()
    return found


def _captured(function: Any) -> tuple[tuple[str, int], ...]:
    """Names and values of what a function made inside another one has from there: its code depends on them.

    Only whole numbers, since nothing else is sure to be the same in every process.
    """
    values = [cell.cell_contents for cell in function.__closure__ or ()]
    if not all(isinstance(value, int) for value in values):
        raise TypeError(f"{function.__qualname__} cannot be kept on disk: it has {values} from outside, not numbers")
    return tuple(zip(function.__code__.co_freevars, values, strict=True))


class KernelCache(caching._Cache):  # type: ignore[misc]
    """The compiled code of one function in ``cache_folder()``. Numba asks it for code before it compiles.

    Each signature has its own file, named after everything that the code depends on. So processes that compile at the
    same time write the same files, and there is no index that could lose one. A damaged file counts as absent.
    """

    def __init__(self, function: Any):
        module = Path(function.__code__.co_filename).resolve().relative_to(PACKAGE).with_suffix("")
        place = f"{'.'.join(module.parts)}-{function.__code__.co_firstlineno}"
        python = f"py{sys.version_info[0]}{sys.version_info[1]}{getattr(sys, 'abiflags', '')}"
        self._base = f"{function.__qualname__}-{place}.{python}".replace("<", "").replace(">", "")
        self._settled = (package_stamp(), target(), _captured(function))

    @property
    def cache_path(self) -> str:
        """The folder."""
        return cache_folder() or ""

    def enable(self) -> None:
        """Part of Numba's interface."""

    def disable(self) -> None:
        """Part of Numba's interface."""

    def flush(self) -> None:
        """Part of Numba's interface."""

    def has(self, signature: Any) -> bool:
        """Whether there is valid code for a signature."""
        return self._read(signature) is not None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled code for a signature, ready to run; None if there is none."""
        code = self._read(sig)
        if code is None:
            return None
        target_context.refresh()
        try:
            return compiler.CompileResult._rebuild(target_context, *pickle.loads(code))
        except Exception:
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store compiled code, if possible."""
        if data.lifted or data.library.has_dynamic_globals:
            return
        path, seed = self._file(sig)
        code = serialize.dumps(data._reduce())
        # If the folder is full or unwritable, the next start is slower, but this call must still return its result.
        with contextlib.suppress(OSError):
            _make(path.parent)
            _write(path, hashlib.sha256(seed + code).digest() + code)

    def _file(self, signature: Any) -> tuple[Path, bytes]:
        """The file for a signature, and what the checksum covers besides the code."""
        seed = repr((self._base, signature, self._settled)).encode()
        return Path(self.cache_path) / f"{self._base}.{hashlib.sha256(seed).hexdigest()[:16]}.nbc", seed

    def _read(self, signature: Any) -> bytes | None:
        """The pickled code for a signature, if it exists, is valid, and cannot have been written by another user."""
        path, seed = self._file(signature)
        try:
            with path.open("rb") as file:
                if not is_trusted_file(file.fileno()):
                    return None
                data = file.read()
        except OSError:
            return None
        checksum, code = data[: hashlib.sha256().digest_size], data[hashlib.sha256().digest_size :]
        return code if hashlib.sha256(seed + code).digest() == checksum else None


def _write(path: Path, data: bytes) -> None:
    """Write a file atomically that only this user can change."""
    draft = path.with_name(f"{path.name}.{uuid.uuid4().hex[:16]}.tmp")
    try:
        with open(draft, "xb", opener=lambda name, flags: os.open(name, flags, 0o644)) as file:
            file.write(data)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
