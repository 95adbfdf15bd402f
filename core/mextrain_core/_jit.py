"""The only door to Numba: compile flags, the cache and the machine instructions that Python cannot name (floor 0).

Flags, and why:

* ``cache``: the first game of a process must not wait for the compiler.
* ``nogil``: threads over game ranges are how work is spread; ``prange`` gains nothing and kills processes that fork.
* ``error_model='numpy'``: no hidden branch and no exception path on a division.

The cache is keyed by a stamp over every source file of this package and the compile switches, because Numba by itself
looks only at the file of the function that it loads: after an edit or an upgrade of a callee it would run old code.
``MEXTRAIN_CACHE_DIR``, ``NUMBA_CACHE_DIR`` or the user's cache folder holds it; where none can be written, kernels are
compiled anew in each process after one warning.
"""

import contextlib
import ctypes
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
import numpy as np
from llvmlite import ir
from numba import _dynfunc, types
from numba.core import caching, codegen, compiler, config, typed_passes
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import register_pass
from numba.extending import intrinsic, overload
from numba.misc.appdirs import AppDirs

PACKAGE = Path(__file__).resolve().parent


KEPT_FOLDERS = 4
"""Stamp folders that are kept besides the one in use: those used last."""

KEPT_SECONDS = 24 * 3600
"""A stamp folder that was used so lately is kept in any case: somebody may be switching between versions."""


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

    None where the sources cannot be read, as in some frozen programs: then nothing tells old code from new.
    """
    digest = hashlib.sha256()
    found = False
    for source in _sources(resources.files(__package__)):
        digest.update(source)
        found = True
    digest.update(repr((numba.__version__, config.BOUNDSCHECK, config.OPT, config.DEBUGINFO_DEFAULT)).encode())
    return digest.hexdigest() if found else None


@cache
def cache_folder() -> str | None:
    """The folder of this stamp's compiled code, created on first use; None where no folder can be used.

    A folder that cannot be written is used if compiled code is there already, as in a container that was warmed up.
    """
    stamp = package_stamp()
    users = AppDirs(appname="mextrain", appauthor=False).user_cache_dir
    # A user without a home has a folder called "~" there.
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

    A process that still uses one finds nothing there, compiles, and makes it again; so nobody needs to be asked.
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
        """The folder was there at the start; if it cannot be used now, code is not kept (``_CacheFile.save``)."""
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
    """A cache file that treats damage as absence, and whose data files are named after what they hold.

    Numba numbers its data files, so two processes that compile two signatures at once can overwrite each other's;
    and it lets a truncated file (a killed process, a full disk) end every later start.
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
        # A folder that became full or unwritable costs time at the next start, and must not cost the result now.
        with contextlib.suppress(OSError):
            self._save_data(name, data)
            self._save_index({**self._load_index(), key: name})


caching.CacheImpl._locator_classes.insert(0, _Locator)


def _tolerant(compiled: Any) -> Any:
    """Let the function's cache treat damaged files as absent."""
    cache_file = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if cache_file is not None:
        cache_file.__class__ = _CacheFile
    return compiled


_KERNELS: list[Any] = []


def kernel_counts() -> tuple[int, int]:
    """How many kernels this process has compiled, and how many it has loaded from the cache."""
    stats = [kernel.stats for kernel in _KERNELS]
    compiled = sum(sum(each.cache_misses.values()) for each in stats)
    return compiled, sum(sum(each.cache_hits.values()) for each in stats)


def has_code(compiled: Any, signature: tuple[Any, ...]) -> bool:
    """Whether a kernel has machine code for these argument types in this process or in the cache."""
    if signature in compiled.overloads:
        return True
    cache_file = getattr(compiled._cache, "_cache_file", None)
    if cache_file is None:
        return False
    # What one thread brings up to date here, another must not meet half-way in the compiler.
    with global_compiler_lock:
        compiled.targetctx.refresh()
        return compiled._cache._index_key(signature, compiled.targetctx.codegen()) in cache_file._load_index()


def kernel(function: Any) -> Any:
    """Compile ``function`` for calls from Python and from kernels; cached, without the GIL."""
    if config.DISABLE_JIT:
        # Words wrap around on purpose; the compiled code says nothing about it, and NumPy would warn.
        return np.errstate(over="ignore")(function)
    compiled = _tolerant(numba.njit(cache=cache_folder() is not None, nogil=True, error_model="numpy")(function))
    _KERNELS.append(compiled)
    return compiled


class _HelperLibrary(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The code of a helper, as its callers want it: not optimised, and not made machine code of."""

    def _optimize_final_module(self) -> None:
        """The kernels do that, for all that they contain at once."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _HelperLowering(typed_passes.NativeLowering):  # type: ignore[misc]
    """Writes the code of a helper into a ``_HelperLibrary``."""

    _name = "helper_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _HelperLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        # What Numba knows a compiled function by; called from Python it raises TypeError.
        refuse = ctypes.cast(ctypes.pythonapi.PyErr_BadArgument, ctypes.c_void_p).value
        lowered = state["cr"]
        module, name = lowered.fndesc.lookup_module(), state.func_id.func_name
        entry = _dynfunc.make_function(module, name, "", refuse, lowered.env, (state.library,))
        state.targetctx.insert_user_function(entry, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=entry)
        return True


class _HelperCompiler(compiler.CompilerBase):  # type: ignore[misc]
    """Numba's way of compiling, but for helpers.

    Left to itself Numba optimises each helper with all that it calls, translates it into machine code and adds a
    wrapper for Python, and then its caller again: most of a cold compile is for code that nobody runs.
    """

    def define_pipelines(self) -> list[Any]:
        builder = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        builder.passes = [
            (_HelperLowering if step is typed_passes.NativeLowering else step, text) for step, text in builder.passes
        ]
        builder.finalize()
        return [builder]


def helper(function: Any) -> Any:
    """Compile ``function`` for calls from kernels only: it is optimised inside its callers and cached with them."""
    if config.DISABLE_JIT:
        return function
    unwrapped: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    options = {"nogil": True, "error_model": "numpy", "forceinline": True, **unwrapped}
    return numba.njit(pipeline_class=_HelperCompiler, **options)(function)


def c_type(name: Any) -> Any:
    """The Numba type of a C type: ``uint64``, ``uint8*``, ``void``; a dtype stands for a pointer to the record."""
    if isinstance(name, np.dtype):
        return types.CPointer(numba.from_dtype(name))
    if name.endswith("*"):
        return types.CPointer(getattr(types, name[:-1]))
    return getattr(types, name)


def c_function(result: Any, *arguments: Any) -> Any:
    """Compile a function that C can call; ``.address`` is where it is. It must not raise."""

    def compile_it(function: Any) -> Any:
        if config.DISABLE_JIT:
            return function
        signature = c_type(result)(*map(c_type, arguments))
        cached = cache_folder() is not None
        return _tolerant(numba.cfunc(signature, cache=cached, error_model="numpy")(function))

    return compile_it


def as_record(pointer: Any) -> Any:
    """The record that a pointer argument of a C function points to."""
    return numba.carray(pointer, 1)[0]


def c_array(pointer: Any, count: Any) -> Any:
    """The array of ``count`` elements that a pointer argument of a C function points to."""
    return numba.carray(pointer, count)


if not config.DISABLE_JIT:
    as_record = numba.njit(forceinline=True)(as_record)
    c_array = numba.njit(forceinline=True)(c_array)


@intrinsic
def _ctpop(typingctx: Any, x: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def _cttz(typingctx: Any, x: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), codegen


@intrinsic
def _deposit(typingctx: Any, x: Any, mask: Any) -> Any:
    """BMI2's pdep."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        i64 = ir.IntType(64)
        name = "llvm.x86.bmi.pdep.64"
        function_type = ir.FunctionType(i64, [i64, i64])
        function = builder.module.globals.get(name) or ir.Function(builder.module, function_type, name)
        return builder.call(function, args)

    return types.uint64(types.uint64, types.uint64), codegen


def target_has(feature: str) -> bool:
    """Whether the target that kernels are compiled for is known to have a feature, by LLVM's name."""
    from numba.core.registry import cpu_target

    with global_compiler_lock:
        return f"+{feature}" in cpu_target.target_context.codegen().magic_tuple()[2].split(",")


@intrinsic
def _record_bytes(typingctx: Any, target: Any, source: Any, size: Any) -> Any:
    """memcpy of ``size`` bytes between two records."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        i8 = ir.IntType(8).as_pointer()
        to, origin = builder.bitcast(args[0], i8), builder.bitcast(args[1], i8)
        name = "llvm.memcpy.p0i8.p0i8.i64"
        arguments = [i8, i8, ir.IntType(64), ir.IntType(1)]
        function_type = ir.FunctionType(ir.VoidType(), arguments)
        function = builder.module.globals.get(name) or ir.Function(builder.module, function_type, name)
        builder.call(function, [to, origin, args[2], ir.Constant(ir.IntType(1), 0)])
        return context.get_dummy_value()

    return types.none(target, source, types.uint64), codegen


@intrinsic
def call_policy(typingctx: Any, address: Any, state: Any, rules: Any, random: Any) -> Any:
    """Call the C function ``int32_t policy(const state *, const rules *, uint64_t word)`` at ``address`` (uint64)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = ir.IntType(8).as_pointer()
        function_type = ir.FunctionType(ir.IntType(32), [pointer, pointer, ir.IntType(64)])
        function = builder.inttoptr(args[0], function_type.as_pointer())
        records = [builder.bitcast(record, pointer) for record in args[1:3]]
        return builder.call(function, [*records, args[3]])

    return types.int32(types.uint64, state, rules, types.uint64), codegen


def popcount(x: np.uint64) -> np.uint64:
    """Number of set bits of a uint64."""
    return np.uint64(int(x).bit_count())


def lowest(x: np.uint64) -> np.uint64:
    """Index of the lowest set bit of a uint64 that is not 0."""
    return np.uint64((int(x) & -int(x)).bit_length() - 1)


def kth_bit(x: np.uint64, k: np.uint64) -> np.uint64:
    """Index of the k-th set bit (k = 0 is the lowest) of a uint64 with more than k bits set."""
    rest = int(x)
    for _ in range(int(k)):
        rest &= rest - 1
    return np.uint64((rest & -rest).bit_length() - 1)


def copy_record(target: Any, source: Any, size: np.uint64) -> None:
    """Copy the first ``size`` bytes of one record over another of the same dtype."""
    as_bytes = target.reshape(1).view(np.uint8), source.reshape(1).view(np.uint8)
    as_bytes[0][: int(size)] = as_bytes[1][: int(size)]


def deposit(x: np.uint64, mask: np.uint64) -> np.uint64:
    """The bit i that ``x`` has, moved to the i-th set bit of ``mask``; 0 if there is none, or if ``x`` is 0."""
    rest = int(mask)
    for _ in range(int(x).bit_length() - 1):
        rest &= rest - 1
    return np.uint64(rest & -rest if x else 0)


# Numba compares the parameters of these with their implementations to the letter, annotations included.
@overload(popcount, inline="always")
def _popcount(x):  # type: ignore[no-untyped-def]
    return lambda x: _ctpop(x)


@overload(lowest, inline="always")
def _lowest(x):  # type: ignore[no-untyped-def]
    return lambda x: _cttz(x)


@overload(kth_bit)
def _kth_bit(x, k):  # type: ignore[no-untyped-def]
    one = np.uint64(1)
    if target_has("bmi2"):
        return lambda x, k: _cttz(_deposit(one << k, x))

    def by_clearing(x, k):  # type: ignore[no-untyped-def]
        while k > 0:
            x &= x - one
            k -= one
        return _cttz(x)

    return by_clearing


@overload(deposit)
def _deposit_one(x, mask):  # type: ignore[no-untyped-def]
    zero, one = np.uint64(0), np.uint64(1)
    if target_has("bmi2"):
        return lambda x, mask: _deposit(x, mask)

    def by_clearing(x, mask):  # type: ignore[no-untyped-def]
        if x == zero:
            return zero
        while x != one:
            mask &= mask - one
            x >>= one
        return mask & (zero - mask)

    return by_clearing


@overload(copy_record, inline="always")
def _copy_record(target, source, size):  # type: ignore[no-untyped-def]
    return lambda target, source, size: _record_bytes(target, source, size)
