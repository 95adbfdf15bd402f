"""How functions are compiled: kernels, helpers and C functions, with these flags:

* ``cache``: the first game of a process must not wait for the compiler.
* ``nogil``: threads over game ranges are how work is spread; ``prange`` gains nothing and kills processes that fork.
* ``error_model='numpy'``: no hidden branch and no exception path on a division.
"""

import ctypes
from typing import Any

import numpy as np
import numpy.ma  # Numba does when it first sees an array; a fork waits for imports that are made here.

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
    """Numba's dispatcher, but what is compiled is handed out without a lock, and Ctrl-C breaks nothing."""

    def compile(self, sig: Any) -> Any:
        """Compile for a signature, or load that from the cache; returns what can be called."""
        arguments, _ = sigutils.normalize_signature(sig)
        # Numba asks only behind its lock, which another thread that compiles may hold for seconds.
        found: Any = self.overloads.get(tuple(arguments))
        if found is not None:
            return found.entry_point
        with uninterrupted(), compiler_lock():
            return super().compile(sig)


def kernel(function: Any) -> Any:
    """Compile ``function`` for calls from Python and from kernels; cached, without the GIL."""
    if config.DISABLE_JIT:
        # Words wrap around on purpose; the compiled code says nothing about it, and NumPy would warn.
        return np.errstate(over="ignore")(function)
    compiled = numba.njit(nogil=True, error_model="numpy")(function)
    compiled.__class__ = _Kernel
    _cache(compiled, function)
    _KERNELS.append(compiled)
    return compiled


def _cache(compiled: Any, function: Any) -> None:
    """Let the code of a function be kept, in a cache of ours."""
    if cache_folder() is not None:
        compiled._cache = KernelCache(function)


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
        # A kernel has dozens of helpers, and an error in one ends it cleanly, so Ctrl-C may come between them.
        pause()
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
    """The Numba type of a C type: ``uint64``, ``uint8*``, ``void``; a dtype stands for a pointer to the struct."""
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
