"""How functions are compiled: kernels, helpers and C functions, with these flags:

* ``cache``: the first game of a process must not wait for the compiler.
* ``nogil``: work is spread over threads by ranges of games; ``prange`` gains nothing and kills processes that fork.
* ``error_model='numpy'``: divisions have no hidden branch and no exception path.
"""

import ctypes
from typing import Any

import numpy as np

from mextrain_core.compiler.cache import cache_folder, tolerant

# isort: split
import numba
from numba import _dynfunc, types
from numba.core import codegen, compiler, config, typed_passes
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import register_pass

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
    # The refresh must not run in one thread while another one compiles.
    with global_compiler_lock:
        compiled.targetctx.refresh()
        return compiled._cache._index_key(signature, compiled.targetctx.codegen()) in cache_file._load_index()


def kernel(function: Any) -> Any:
    """Compile ``function`` for calls from Python and from kernels; cached, without the GIL."""
    if config.DISABLE_JIT:
        # Words wrap around on purpose. Compiled code does so silently; interpreted, NumPy would warn.
        return np.errstate(over="ignore")(function)
    compiled = tolerant(numba.njit(cache=cache_folder() is not None, nogil=True, error_model="numpy")(function))
    _KERNELS.append(compiled)
    return compiled


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
        signature = c_type(result)(*map(c_type, arguments))
        cached = cache_folder() is not None
        return tolerant(numba.cfunc(signature, cache=cached, error_model="numpy")(function))

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
