"""Vector code with 32 lanes of 16 bits, written as LLVM IR by operators.

Numba widens every small integer to 64 bits, so a loop over 16-bit numbers never becomes good vector code; each operator
here emits exactly one LLVM vector instruction. A kernel part is a Python function that is called once, while a kernel
is compiled, with a ``Writer`` and an integer, the flags; an option is then a Python ``if``. Only generic LLVM
operations are used, no target-specific intrinsics: LLVM splits a vector of 32 lanes into the registers that the target
has.

``Vec``, ``Wide``, ``Mask``, ``Words`` and ``Writer`` are the whole language; the tests replace them with a model on
plain lists of numbers (``tests/lockstep/model.py``).
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core import config
from numba.core.errors import TypingError
from numba.extending import intrinsic

from mextrain_core.compiler.jit import has_code
from mextrain_core.compiler.machine import architecture, target_has

LANES = 32
ROW_BYTES = 2 * LANES
"""A row is one vector in memory, 64-byte aligned."""

_I1, _I8, _I16, _I32, _I64 = (ir.IntType(bits) for bits in (1, 8, 16, 32, 64))
_FLOATS = ir.VectorType(ir.FloatType(), LANES)
_VEC, _WIDE, _MASK = ir.VectorType(_I16, LANES), ir.VectorType(_I32, LANES), ir.VectorType(_I1, LANES)
_WORDS = ir.VectorType(_I64, LANES // 4)


def supported() -> bool:
    """Whether vector code is supported: on an x86-64 or AArch64 processor with compilation on.

    Every such processor works; wide vectors only make it faster.
    """
    return architecture() in ("x86-64", "aarch64") and not config.DISABLE_JIT  # type: ignore[attr-defined]


def is_fast() -> bool:
    """Whether lane code is the fastest choice here: AVX2 has vectors of 16 lanes and the instructions for them."""
    return supported() and target_has("avx2")


def _splat(kind: ir.VectorType, value: int) -> ir.Constant:
    return ir.Constant(kind, [value & ((1 << kind.element.width) - 1)] * kind.count)


def _splat_float(value: float) -> ir.Constant:
    return ir.Constant(_FLOATS, [value] * LANES)


class Vec:
    """32 numbers of 16 bits, modulo 2**16; an int operand stands for the same number in every lane."""

    __slots__ = ("b", "x")

    def __init__(self, b: ir.IRBuilder, x: Any):
        self.b, self.x = b, x

    def _of(self, other: "Vec | int") -> Any:
        return other.x if isinstance(other, Vec) else _splat(_VEC, other)

    def __add__(self, other: "Vec | int") -> "Vec":
        return Vec(self.b, self.b.add(self.x, self._of(other)))

    def __sub__(self, other: "Vec | int") -> "Vec":
        return Vec(self.b, self.b.sub(self.x, self._of(other)))

    def __mul__(self, other: "Vec | int") -> "Vec":
        return Vec(self.b, self.b.mul(self.x, self._of(other)))

    def __and__(self, other: "Vec | int") -> "Vec":
        return Vec(self.b, self.b.and_(self.x, self._of(other)))

    def __or__(self, other: "Vec | int") -> "Vec":
        return Vec(self.b, self.b.or_(self.x, self._of(other)))

    def __xor__(self, other: "Vec | int") -> "Vec":
        return Vec(self.b, self.b.xor(self.x, self._of(other)))

    def __invert__(self) -> "Vec":
        return Vec(self.b, self.b.not_(self.x))

    def __lshift__(self, other: "Vec | int") -> "Vec":
        """Shifts must be below 16."""
        return Vec(self.b, self.b.shl(self.x, self._of(other)))

    def __rshift__(self, other: "Vec | int") -> "Vec":
        """Shifts must be below 16."""
        return Vec(self.b, self.b.lshr(self.x, self._of(other)))

    def _compare(self, how: str, other: "Vec | int") -> "Mask":
        return Mask(self.b, self.b.icmp_unsigned(how, self.x, self._of(other)))

    def __lt__(self, other: "Vec | int") -> "Mask":
        return self._compare("<", other)

    def __ge__(self, other: "Vec | int") -> "Mask":
        return self._compare(">=", other)

    def equals(self, other: "Vec | int") -> "Mask":
        """Where the numbers are equal."""
        return self._compare("==", other)

    def differs(self, other: "Vec | int") -> "Mask":
        """Where they are not."""
        return self._compare("!=", other)

    def has(self, bits: "Vec | int") -> "Mask":
        """Where at least one of ``bits`` is set."""
        return (self & bits).differs(0)

    def min(self, other: "Vec | int") -> "Vec":
        """The smaller number (unsigned)."""
        return (self < other).pick(self, other)

    def max(self, other: "Vec | int") -> "Vec":
        """The larger number (unsigned)."""
        return (self < other).pick(other, self)

    def count(self) -> "Vec":
        """The number of set bits."""
        name = f"llvm.ctpop.v{LANES}i16"
        function = self.b.module.globals.get(name) or ir.Function(self.b.module, ir.FunctionType(_VEC, [_VEC]), name)
        return Vec(self.b, self.b.call(function, [self.x]))

    def high_product(self, other: "Vec | int") -> "Vec":
        """The upper 16 bits of the 32-bit product."""
        product = self.b.mul(self.b.zext(self.x, _WIDE), self.b.zext(self._of(other), _WIDE))
        return Vec(self.b, self.b.trunc(self.b.lshr(product, _splat(_WIDE, 16)), _VEC))

    def wide(self) -> "Wide":
        """The same numbers with 32 bits."""
        return Wide(self.b, self.b.zext(self.x, _WIDE))

    def signed(self) -> "Wide":
        """The same numbers, taken as -2**15 … 2**15 - 1, with 32 bits."""
        return Wide(self.b, self.b.sext(self.x, _WIDE))

    def reciprocal(self) -> "Wide":
        """2**16 divided by the number, which is 1 … 255, rounded down.

        Vectors have no division of integers. The quotient of floats is rounded to 24 bits, so that only one within
        2**-9 of the next whole number could be wrong, and these are at least 1/255 away from it.
        """
        quotient = self.b.fdiv(_splat_float(65536.0), self.b.uitofp(self.x, _FLOATS))
        return Wide(self.b, self.b.fptoui(quotient, _WIDE))

    def words(self) -> "Words":
        """The same 64 bytes as eight 64-bit words: word j holds the lanes 4j … 4j + 3, the first in its low bits."""
        return Words(self.b, self.b.bitcast(self.x, _WORDS))


class Mask:
    """A boolean for each lane."""

    __slots__ = ("b", "x")

    def __init__(self, b: ir.IRBuilder, x: Any):
        self.b, self.x = b, x

    def __and__(self, other: "Mask") -> "Mask":
        return Mask(self.b, self.b.and_(self.x, other.x))

    def __or__(self, other: "Mask") -> "Mask":
        return Mask(self.b, self.b.or_(self.x, other.x))

    def __xor__(self, other: "Mask") -> "Mask":
        return Mask(self.b, self.b.xor(self.x, other.x))

    def __invert__(self) -> "Mask":
        return Mask(self.b, self.b.not_(self.x))

    def pick(self, yes: Vec | int, no: Vec | int) -> Vec:
        """``yes`` where the mask holds, else ``no``."""
        values = [v.x if isinstance(v, Vec) else _splat(_VEC, v) for v in (yes, no)]
        return Vec(self.b, self.b.select(self.x, *values))

    def pick_wide(self, yes: "Wide", no: "Wide") -> "Wide":
        """``pick`` for numbers of 32 bits."""
        return Wide(self.b, self.b.select(self.x, yes.x, no.x))

    def ones(self) -> Vec:
        """0xFFFF where the mask holds, else 0."""
        return Vec(self.b, self.b.sext(self.x, _VEC))

    def bits(self) -> Any:
        """A scalar uint64: bit i is lane i."""
        return self.b.zext(self.b.bitcast(self.x, _I32), _I64)


class Wide:
    """32 numbers of 32 bits, modulo 2**32; an int operand stands for the same number in every lane."""

    __slots__ = ("b", "x")

    def __init__(self, b: ir.IRBuilder, x: Any):
        self.b, self.x = b, x

    def _of(self, other: "Wide | int") -> Any:
        return other.x if isinstance(other, Wide) else _splat(_WIDE, other)

    def __add__(self, other: "Wide | int") -> "Wide":
        return Wide(self.b, self.b.add(self.x, self._of(other)))

    def __mul__(self, other: "Wide | int") -> "Wide":
        return Wide(self.b, self.b.mul(self.x, self._of(other)))

    def __or__(self, other: "Wide | int") -> "Wide":
        return Wide(self.b, self.b.or_(self.x, self._of(other)))

    def __lshift__(self, bits: int) -> "Wide":
        return Wide(self.b, self.b.shl(self.x, self._of(bits)))

    def __rshift__(self, bits: int) -> "Wide":
        return Wide(self.b, self.b.lshr(self.x, self._of(bits)))

    def scaled_down(self, bits: int) -> "Wide":
        """Divided by 2**bits and rounded down, as a number with a sign."""
        return Wide(self.b, self.b.ashr(self.x, self._of(bits)))

    def exceeds(self, other: "Wide | int") -> Mask:
        """Where the number is larger; numbers have a sign."""
        return Mask(self.b, self.b.icmp_signed(">", self.x, self._of(other)))


class Words:
    """Eight numbers of 64 bits, modulo 2**64."""

    __slots__ = ("b", "x")

    def __init__(self, b: ir.IRBuilder, x: Any):
        self.b, self.x = b, x

    def _of(self, other: "Words | int") -> Any:
        return other.x if isinstance(other, Words) else _splat(_WORDS, other)

    def __add__(self, other: "Words | int") -> "Words":
        return Words(self.b, self.b.add(self.x, self._of(other)))

    def __mul__(self, other: "Words | int") -> "Words":
        return Words(self.b, self.b.mul(self.x, self._of(other)))

    def __and__(self, other: "Words | int") -> "Words":
        return Words(self.b, self.b.and_(self.x, self._of(other)))

    def __or__(self, other: "Words | int") -> "Words":
        return Words(self.b, self.b.or_(self.x, self._of(other)))

    def __xor__(self, other: "Words | int") -> "Words":
        return Words(self.b, self.b.xor(self.x, self._of(other)))

    def __lshift__(self, bits: int) -> "Words":
        return Words(self.b, self.b.shl(self.x, self._of(bits)))

    def __rshift__(self, bits: int) -> "Words":
        return Words(self.b, self.b.lshr(self.x, self._of(bits)))

    def sign(self) -> "Words":
        """All bits equal to the highest one."""
        return Words(self.b, self.b.ashr(self.x, self._of(63)))

    def vec(self) -> Vec:
        """The same 64 bytes as 32 lanes (see ``Vec.words``)."""
        return Vec(self.b, self.b.bitcast(self.x, _VEC))


class Writer:
    """Emits code that works on rows: ``row`` is an int, the offset from the base in rows of 64 bytes."""

    def __init__(self, b: ir.IRBuilder, base: Any):
        self.b, self._base = b, base

    def _row(self, row: int, kind: ir.VectorType, further: Any = None) -> Any:
        offset = ir.Constant(_I64, row * ROW_BYTES)
        if further is not None:
            offset = self.b.add(offset, self.b.mul(further, ir.Constant(_I64, ROW_BYTES)))
        address = self.b.gep(self._base, [offset], source_etype=_I8)
        return self.b.bitcast(address, kind.as_pointer())

    def const(self, value: int) -> Vec:
        """The same number in every lane."""
        return Vec(self.b, _splat(_VEC, value))

    def splat(self, scalar: Any) -> Vec:
        """A scalar uint64 (its low 16 bits) in every lane."""
        narrow = self.b.trunc(scalar, _I16)
        first = self.b.insert_element(ir.Constant(_VEC, ir.Undefined), narrow, ir.Constant(_I32, 0))
        return Vec(self.b, self.b.shuffle_vector(first, ir.Constant(_VEC, ir.Undefined), _splat(_WIDE, 0)))

    def load(self, row: int, further: Any = None) -> Vec:
        """Row ``row``; with a scalar uint64 ``further``, row ``row + further``."""
        return Vec(self.b, self.b.load(self._row(row, _VEC, further), typ=_VEC, align=ROW_BYTES))

    def store(self, row: int, value: Vec, further: Any = None) -> None:
        """Write a row (see ``load``)."""
        self.b.store(value.x, self._row(row, _VEC, further), align=ROW_BYTES)

    def load_words(self, row: int) -> Words:
        """A row as eight 64-bit words."""
        return Words(self.b, self.b.load(self._row(row, _WORDS), typ=_WORDS, align=ROW_BYTES))

    def store_words(self, row: int, value: Words) -> None:
        """Write a row of eight 64-bit words."""
        self.b.store(value.x, self._row(row, _WORDS), align=ROW_BYTES)

    def loop(self, values: list[Any], running: Any, body: Any) -> list[Any]:
        """Replace ``values`` by ``body(values)`` as long as the Mask ``running(values)`` holds in some lane.

        ``values``: Vecs and Wides. All lanes take part in every repetition, so ``body`` must leave the values of those
        that are no longer running as they are. Returns the values after the last repetition.
        """
        b = self.b
        before, head = b.block, b.append_basic_block("loop")
        inside, after = b.append_basic_block("body"), b.append_basic_block("after")
        b.branch(head)
        b.position_at_end(head)
        phis = [b.phi(value.x.type) for value in values]
        carried = [type(value)(b, phi) for value, phi in zip(values, phis, strict=True)]
        b.cbranch(b.icmp_unsigned("!=", running(carried).bits(), ir.Constant(_I64, 0)), inside, after)
        b.position_at_end(inside)
        results = body(carried)
        for phi, value, result in zip(phis, values, results, strict=True):
            phi.add_incoming(value.x, before)
            phi.add_incoming(result.x, b.block)
        b.branch(head)
        b.position_at_end(after)
        return carried

    def forget(self) -> None:
        """Make the compiler load rows from memory again when they are needed again.

        LLVM knows that our rows do not overlap, so it would keep every row that it has loaded in a register. There are
        not enough registers, so it would spill rows to the stack, which costs more than loading them twice.
        """
        self.b.fence("seq_cst", "singlethread")

    def field(self, scalar: Any, shift: int, bits: int) -> Any:
        """The scalar ``(scalar >> shift) & (2**bits - 1)``."""
        moved = self.b.lshr(scalar, ir.Constant(_I64, shift))
        return self.b.and_(moved, ir.Constant(_I64, (1 << bits) - 1))

    def pair(self, low: Any, high: Any) -> Any:
        """The scalar with ``low`` (below 2**32) in its lower and ``high`` in its upper half."""
        return self.b.or_(low, self.b.shl(high, ir.Constant(_I64, 32)))


def emitted(write: Any) -> Any:
    """A part of a kernel whose code ``write(writer, flags, argument)`` emits while the kernel is compiled.

    The kernel calls it as ``part(flags, work, row, argument)``: ``flags`` is a compile-time integer, ``work`` a 64-byte
    aligned uint16 array whose row ``row`` (uint64) is the writer's base, ``argument`` a uint64. The part returns the
    scalar that ``write`` returns, or 0 for None.
    """

    def part(typingctx: Any, flags: Any, work: Any, row: Any, argument: Any) -> Any:
        if not isinstance(flags, types.IntegerLiteral):
            raise TypingError("the flags of a kernel are a compile-time integer")

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            # Vectors that are spilled to the stack then lie on one cache line each, not across two.
            builder.function.attributes.alignstack = ROW_BYTES
            builder.function.attributes.add("nounwind")  # llvmlite prints no attributes without a plain one
            data = context.make_array(signature.args[1])(context, builder, args[1]).data
            start = builder.bitcast(data, _I8.as_pointer())
            offset = builder.mul(args[2], ir.Constant(_I64, ROW_BYTES))
            base = builder.gep(start, [offset], source_etype=_I8)
            result = write(Writer(builder, base), flags.literal_value, args[3])
            return ir.Constant(_I64, 0) if result is None else result

        return types.uint64(flags, work, types.uint64, types.uint64), codegen

    return intrinsic(part)


def specialized(kernel: Any, flags: int, *arguments: Any) -> Any:
    """The machine code of ``kernel`` for the compile-time integer ``flags`` and arguments of these types.

    It is called with ``flags`` and the arguments, whose types are not checked again. The compiled code is cached on
    disk by flags, like that of any kernel.
    """
    return kernel.compile((types.literal(flags), *map(typeof, arguments)))


def is_compiled(kernel: Any, flags: int, *arguments: Any) -> bool:
    """Whether machine code for ``specialized`` with these arguments is in this process or in the cache."""
    return has_code(kernel, (types.literal(flags), *map(typeof, arguments)))


def aligned_rows(count: int) -> np.ndarray:
    """``count`` zeroed rows as a 64-byte aligned uint16 array of ``count * LANES`` numbers."""
    raw = np.zeros((count + 1) * ROW_BYTES, np.uint8)
    skip = -raw.ctypes.data % ROW_BYTES
    return raw[skip : skip + count * ROW_BYTES].view(np.uint16)
