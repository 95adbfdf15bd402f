"""How functions are compiled: kernels, helpers and C functions, with these flags:

* ``cache``: the first game of a process must not wait for the compiler.
* ``nogil``: work is spread over threads by ranges of games; ``prange`` gains nothing and kills processes that fork.
* ``error_model='numpy'``: divisions have no hidden branch and no exception path.
"""

import ctypes
from typing import Any

import numpy as np
import numpy.ma  # Numba imports it at the first array; a fork waits only for imports made here.

from mextrain_core.compiler.cache import KernelCache, cache_folder
from mextrain_core.compiler.interrupts import pause, uninterrupted

# isort: split
import numba
from numba import _dynfunc, types
from numba.core import ccallback, codegen, compiler, config, sigutils, typed_passes
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher

from mextrain_core.compiler.lock import compiler_lock

_KERNELS: list[Any] = []


def kernel_counts() -> tuple[int, int]:
    """How many kernels this process has compiled, and how many it has loaded from the cache."""
    stats = [kernel.stats for kernel in _KERNELS]
    compiled = sum(sum(each.cache_misses.values()) for each in stats)
    return compiled, sum(sum(each.cache_hits.values()) for each in stats)


def has_code(compiled: Any, signature: tuple[Any, ...]) -> bool:
    """Whether a kernel has machine code for these argument types in this process or in the cache."""
    return signature in compiled.overloads or (
        isinstance(compiled._cache, KernelCache) and compiled._cache.has(signature)
    )


class _Kernel(CPUDispatcher):  # type: ignore[misc]
    """Numba's dispatcher, except that finished code is returned without a lock and that Ctrl-C is safe."""

    def compile(self, sig: Any) -> Any:
        """Compile for a signature, or load the code from the cache; returns the callable entry point."""
        arguments, _ = sigutils.normalize_signature(sig)
        # Numba checks this only under its lock, which a compiling thread may hold for seconds.
        found: Any = self.overloads.get(tuple(arguments))
        if found is not None:
            return found.entry_point
        with uninterrupted(), compiler_lock():
            return super().compile(sig)


def kernel(function: Any) -> Any:
    """Compile ``function`` for calls from Python and from kernels; cached, without the GIL."""
    if config.DISABLE_JIT:
        # Words wrap around on purpose. Compiled code does so silently; interpreted, NumPy would warn.
        return np.errstate(over="ignore")(function)
    compiled = numba.njit(nogil=True, error_model="numpy")(function)
    compiled.__class__ = _Kernel
    _cache(compiled, function)
    _KERNELS.append(compiled)
    return compiled


def _cache(compiled: Any, function: Any) -> None:
    """Attach our cache to a function."""
    if cache_folder() is not None:
        compiled._cache = KernelCache(function)


class _HelperLibrary(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The code of a helper as its callers need it: neither optimised nor translated into machine code."""

    def _optimize_final_module(self) -> None:
        """Do nothing: each kernel is optimised together with all of its helpers."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _HelperLowering(typed_passes.NativeLowering):  # type: ignore[misc]
    """Emits the code of a helper into a ``_HelperLibrary``."""

    _name = "helper_lowering"

    def run_pass(self, state: Any) -> bool:
        # A kernel has dozens of helpers, and an error between them ends compilation cleanly, so allow Ctrl-C here.
        pause()
        state.library = _HelperLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        # Numba needs an object as the compiled function; calling it from Python raises TypeError.
        refuse = ctypes.cast(ctypes.pythonapi.PyErr_BadArgument, ctypes.c_void_p).value
        lowered = state["cr"]
        module, name = lowered.fndesc.lookup_module(), state.func_id.func_name
        entry = _dynfunc.make_function(module, name, "", refuse, lowered.env, (state.library,))
        state.targetctx.insert_user_function(entry, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=entry)
        return True


class _HelperCompiler(compiler.CompilerBase):  # type: ignore[misc]
    """Numba's compiler with a pipeline for helpers.

    By default Numba optimises each helper with everything that it calls, translates it into machine code and adds a
    Python wrapper, and then does the same for its caller: most of a cold compile is spent on code that never runs.
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
    """The Numba type of a C type: ``uint64``, ``uint8*``, ``void``; a dtype stands for a pointer to the struct."""
    if isinstance(name, np.dtype):
        return types.CPointer(numba.from_dtype(name))
    if name.endswith("*"):
        return types.CPointer(getattr(types, name[:-1]))
    return getattr(types, name)


def c_function(result: Any, *arguments: Any) -> Any:
    """Compile a function that C can call; ``.address`` is its address. It must not raise."""

    def compile_it(function: Any) -> Any:
        if config.DISABLE_JIT:
            return function
        signature = sigutils.normalize_signature(c_type(result)(*map(c_type, arguments)))
        compiled = ccallback.CFunc(function, signature, locals={}, options={"error_model": "numpy"})
        _cache(compiled, function)
        with uninterrupted(), compiler_lock():
            compiled.compile()
        return compiled

    return compile_it


def as_struct(pointer: Any) -> Any:
    """The struct that a pointer argument of a C function points to."""
    return numba.carray(pointer, 1)[0]


def c_array(pointer: Any, count: Any) -> Any:
    """The array of ``count`` elements that a pointer argument of a C function points to."""
    return numba.carray(pointer, count)


if not config.DISABLE_JIT:
    as_struct = numba.njit(forceinline=True)(as_struct)
    c_array = numba.njit(forceinline=True)(c_array)
