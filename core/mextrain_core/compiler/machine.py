"""Machine instructions that Python cannot express, each with an equivalent Python function."""

import ctypes
import platform
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from mextrain_core.compiler.cache import target


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


_ARCHITECTURES = {"x86_64": "x86-64", "amd64": "x86-64", "aarch64": "aarch64", "arm64": "aarch64"}


def architecture() -> str:
    """The architecture that kernels are compiled for: ``x86-64`` or ``aarch64``, else an empty string."""
    return _ARCHITECTURES.get(platform.machine().lower(), "")


def target_has(feature: str) -> bool:
    """Whether the target that kernels are compiled for has a feature, given by LLVM's name."""
    return f"+{feature}" in target()[2].split(",")


@intrinsic
def _struct_bytes(typingctx: Any, target: Any, source: Any, size: Any) -> Any:
    """memcpy of ``size`` bytes between two structs."""

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
        structs = [builder.bitcast(struct, pointer) for struct in args[1:3]]
        return builder.call(function, [*structs, args[3]])

    return types.int32(types.uint64, state, rules, types.uint64), codegen


@intrinsic
def _call_value(typingctx: Any, address: Any, state: Any, rules: Any, out: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = ir.IntType(8).as_pointer()
        function_type = ir.FunctionType(ir.IntType(32), [pointer, pointer, pointer])
        function = builder.inttoptr(args[0], function_type.as_pointer())
        structs = [builder.bitcast(struct, pointer) for struct in args[1:3]]
        return builder.call(function, [*structs, builder.inttoptr(args[3], pointer)])

    return types.int32(types.uint64, state, rules, types.uint64), codegen


def call_value(address: np.uint64, state: Any, rules: Any, out: np.uint64) -> int:
    """Call the C function ``int32_t value(const state *, const rules *, double *points)`` at ``address``.

    ``out``: the address that it gets as ``points``.
    """
    function = ctypes.CFUNCTYPE(ctypes.c_int32, *3 * [ctypes.c_void_p])(int(address))
    return function(*(struct.reshape(1).ctypes.data for struct in (state, rules)), int(out))


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


def copy_struct(target: Any, source: Any, size: np.uint64) -> None:
    """Copy the first ``size`` bytes of one struct over another of the same dtype."""
    as_bytes = target.reshape(1).view(np.uint8), source.reshape(1).view(np.uint8)
    as_bytes[0][: int(size)] = as_bytes[1][: int(size)]


def deposit(x: np.uint64, mask: np.uint64) -> np.uint64:
    """The i-th set bit of ``mask``, where bit i is the one set in ``x``; 0 if there is none, or if ``x`` is 0."""
    rest = int(mask)
    for _ in range(int(x).bit_length() - 1):
        rest &= rest - 1
    return np.uint64(rest & -rest if x else 0)


# Numba requires the parameters of these to equal those of their implementations, annotations included.
@overload(call_value)
def _call_value_at(address, state, rules, out):  # type: ignore[no-untyped-def]
    return lambda address, state, rules, out: _call_value(address, state, rules, out)


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


@overload(copy_struct, inline="always")
def _copy_struct(target, source, size):  # type: ignore[no-untyped-def]
    return lambda target, source, size: _struct_bytes(target, source, size)
