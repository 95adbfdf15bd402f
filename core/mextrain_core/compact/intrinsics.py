"""Compact states: the representation in which rounds are played fastest.

Kernels are written once, for the STATE struct. They also accept a compact state, a type with the same fields:

* Its scalar fields live in registers. In a struct, the compiler must assume that a store to an array may change any
  scalar field, so it loads these fields from memory again and again.
* A hand is packed into 32 bytes: the low bytes of sixteen rows, then the high bytes. The ends of the trains are one
  vector. One byte shuffle therefore looks up the rows at the ends of all trains. These rows, four trains to a word, are
  the legal plays in ascending order.
* With the set super, bit 13 in the row of a number stands for ``*``. Row 13 stays empty, for ends that are not numbers.
  The row of ``*`` is a separate word; the rows of letters follow from it.

The helpers that differ are in ``plays``. This module has what kernels cannot express: the type and the machine
instructions. ``by_form`` makes one helper for both representations. With compilation off there are no compact states.
"""

from inspect import signature
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, lower_setattr_generic, overload
from numba.np.arrayobj import record_getattr

from mextrain_core.compiler.machine import architecture, target_has
from mextrain_core.model.limits import MAX_PLAYERS, NONE, TILE_WORDS
from mextrain_core.model.tiles import tables

_I1, _I8, _I16, _I32, _I64 = (ir.IntType(bits) for bits in (1, 8, 16, 32, 64))
_BYTES, _HAND, _WORDS = ir.VectorType(_I8, 16), ir.VectorType(_I8, 32), ir.VectorType(_I64, 4)
_FOUR = types.UniTuple(types.uint64, 4)

_PARTS = {
    "boneyard": TILE_WORDS,  # as in the struct, but without the tile ``ahead``
    "ahead": 1,  # the tile of the next draw, if there is one
    "ends": 2,  # the row to look up for each train, a byte each
    "hands": 4 * MAX_PLAYERS,
    "found": 4,  # the plays found: sixteen bits for each train
    "wild_rows": MAX_PLAYERS,  # by seat: the row of ``*``
    "wild_ends": 1,  # bit set of the trains that end in ``*``
    "wild_plays": 16,  # by train: the plays found if ``*`` is involved; those that touch with ``*`` from bit 16 on
    "before": 16,  # by train: number of plays on earlier trains
}
"""The parts of a compact state besides its scalar fields, with their sizes in words."""


def supported() -> bool:
    """Whether kernels can be compiled for compact states: x86-64 with SSSE3, POPCNT and BMI2, and compilation is on."""
    if config.DISABLE_JIT or architecture() != "x86-64":  # type: ignore[attr-defined]
        return False
    return all(map(target_has, ("ssse3", "popcnt", "bmi2")))


class Compact(types.Type):
    """A compact state, with a STATE struct of the Numba type ``struct`` for the arrays that are not parts.

    ``words``: number of words for the plays and the boneyard: 1, 2 or 4; ``is_super``: whether the set is super.
    """

    def __init__(self, struct: Any, words: int, is_super: bool):
        super().__init__(name=f"Compact({words}, {is_super})")
        self.struct, self.words, self.is_super = struct, words, is_super


@register_default(Compact)
class _Model(models.StructModel):
    def __init__(self, manager: Any, kind: Any):
        parts = [(name, types.voidptr) for name in ("numbers", *_PARTS)]
        super().__init__(manager, kind, [("struct", kind.struct), *parts])


def _is_array(kind: Any, field: str) -> bool:
    return isinstance(kind.struct.typeof(field), types.NestedArray)


@infer_getattr
class _Fields(AttributeTemplate):
    key = Compact

    def generic_resolve(self, kind: Any, field: str) -> Any:  # type: ignore[override]
        """Scalar fields are uint64, which needs no truncation or extension, except ``phase`` (for small constants)."""
        return kind.struct.typeof(field) if _is_array(kind, field) or field == "phase" else types.uint64


def _number(builder: Any, kind: Any, parts: Any, field: str) -> Any:
    return builder.gep(builder.bitcast(parts.numbers, _I64.as_pointer()), [_I32(list(kind.struct.fields).index(field))])


@lower_getattr_generic(Compact)
def _get(context: Any, builder: Any, kind: Any, state: Any, field: str) -> Any:
    parts = cgutils.create_struct_proxy(kind)(context, builder, value=state)
    if not _is_array(kind, field):
        word = builder.load(_number(builder, kind, parts, field))
        return context.cast(builder, word, types.uint64, kind.struct.typeof(field)) if field == "phase" else word
    struct = parts.struct
    if field in _PARTS:
        # Address of a struct that would have this part as its field.
        struct = builder.bitcast(builder.gep(getattr(parts, field), [_I64(-kind.struct.offset(field))]), struct.type)
    return record_getattr(context, builder, kind.struct, struct, field)


@lower_setattr_generic(Compact)
def _set(context: Any, builder: Any, signature: Any, args: Any, field: str) -> Any:
    kind, given = signature.args
    parts = cgutils.create_struct_proxy(kind)(context, builder, value=args[0])
    return builder.store(context.cast(builder, args[1], given, types.uint64), _number(builder, kind, parts, field))


class _State:
    """A compact state during code generation."""

    def __init__(self, context: Any, builder: Any, kind: Any, value: Any):
        self.builder, self.kind = builder, kind
        self.parts = cgutils.create_struct_proxy(kind)(context, builder, value=value)

    def part(self, name: str, kind: Any) -> Any:
        """Pointer to a part, cast to a pointer to ``kind``."""
        return self.builder.bitcast(getattr(self.parts, name), kind.as_pointer())

    def hand(self, seat: Any) -> Any:
        """Pointer to a packed hand."""
        return self.builder.gep(self.part("hands", _HAND), [seat])

    def tile(self, tile: Any) -> Any:
        """Pointer to a packed hand that holds only the tile with this index."""
        packed = _packed_tiles("super" if self.kind.is_super else "double-15")
        return self.builder.gep(_table(self.builder, "packed_tiles", packed), [tile])

    def hand_or_tile(self, seat: Any, tile: Any) -> Any:
        """Pointer to the seat's packed hand, or to that of the tile if it is not NONE."""
        whole = self.builder.icmp_unsigned("==", tile, _I64(NONE))
        return self.builder.select(whole, self.hand(seat), self.tile(tile))


def _packed_tiles(name: str) -> list[bytes]:
    """A packed hand for each single tile of a set; for tiles with a ``*`` only the row of their number."""
    table = tables(name)
    packed = []
    for hi, lo in zip(table.hi.tolist(), table.lo.tolist(), strict=True):
        rows = [0] * 16
        if hi != table.wild:
            rows[hi] |= 1 << lo
        if lo < table.wild:
            rows[lo] |= 1 << hi
        packed.append(bytes([row & 255 for row in rows] + [row >> 8 for row in rows]))
    return packed


def _tile_indices(name: str) -> list[bytes]:
    """Tile indices by one half and then by the other; the first of equal tiles."""
    table = tables(name)
    indices = [bytearray(32) for _ in range(table.halves)]
    for tile in reversed(range(table.size)):
        hi, lo = int(table.hi[tile]), int(table.lo[tile])
        indices[hi][lo] = indices[lo][hi] = tile
    return [bytes(row) for row in indices]


def _table(builder: Any, name: str, rows: list[bytes]) -> Any:
    """Pointer to the first row of a constant table of bytes in the compiled code."""
    kind = ir.VectorType(_I8, len(rows[0]))
    constant = ir.Constant(ir.ArrayType(kind, len(rows)), [ir.Constant(kind, list(row)) for row in rows])
    table = cgutils.global_constant(builder, name, constant)
    table.align = len(rows[0])
    return builder.bitcast(table, kind.as_pointer())


def _splat(builder: Any, value: Any) -> Any:
    undefined = ir.Constant(_BYTES, ir.Undefined)
    one = builder.insert_element(undefined, value, _I32(0))
    return builder.shuffle_vector(one, undefined, ir.Constant(ir.VectorType(_I32, 16), [0] * 16))


def _call(builder: Any, name: str, result: Any, *args: Any) -> Any:
    function = builder.module.globals.get(name)
    if function is None:
        function = ir.Function(builder.module, ir.FunctionType(result, [arg.type for arg in args]), name)
    return builder.call(function, args)


def _for_compact_states(result: Any, *arguments: Any) -> Any:
    """An intrinsic of a compact state and ``arguments``: ``write(s, *arguments)`` emits its code and returns its value.

    Numba may also type helpers of compact states for structs; that code is never reached, and its value is undefined.
    """

    def define(write: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kind = signature.args[0]
            value = None
            if isinstance(kind, Compact):
                value = write(_State(context, builder, kind, args[0]), *args[1:])
            if result is types.void:
                return context.get_dummy_value()
            if value is None:
                return ir.Constant(context.get_value_type(result), ir.Undefined)
            return context.make_tuple(builder, result, value) if result is _FOUR else value

        # Numba reads the parameters of an intrinsic from its signature.
        if len(arguments) == 0:
            return intrinsic(lambda typingctx, s: (result(s), codegen))
        if len(arguments) == 1:
            return intrinsic(lambda typingctx, s, a: (result(s, *arguments), codegen))
        if len(arguments) == 2:
            return intrinsic(lambda typingctx, s, a, b: (result(s, *arguments), codegen))
        return intrinsic(lambda typingctx, s, a, b, c: (result(s, *arguments), codegen))

    return define


_word = types.uint64


@intrinsic(prefer_literal=True)
def compact(typingctx: Any, state: Any, words: Any, is_super: Any) -> Any:
    """A compact state, all zero, with its STATE struct. The other arguments are those of ``Compact``, as literals."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        parts = cgutils.create_struct_proxy(signature.return_type)(context, builder)
        parts.struct = args[0]
        for name, size in {"numbers": len(state.fields), **_PARTS}.items():
            part = cgutils.alloca_once(builder, ir.ArrayType(_I64, size), zfill=True)
            part.align = 32 if name == "hands" else 16
            setattr(parts, name, builder.bitcast(part, _I8.as_pointer()))
        return parts._getvalue()

    kind = Compact(state, words.literal_value, bool(is_super.literal_value))
    return kind(state, words, is_super), codegen


def by_form(of_compact: Any, of_struct: Any) -> Any:
    """One helper from two with the same parameters, the state first: one for compact states, one for STATE structs.

    The type of the state selects one of them while a kernel is compiled, and only that one is compiled. With
    compilation off there are no compact states.
    """
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return of_struct

    def ask(*arguments: Any) -> Any:
        raise TypeError("helpers are called from kernels only")

    # Numba reads the parameters of an overload from its signature.
    count = len(signature(of_struct.py_func).parameters)
    if count == 1:

        @overload(ask, inline="always")
        def choose_1(s):  # type: ignore[no-untyped-def]
            chosen = of_compact if isinstance(s, Compact) else of_struct
            return lambda s: chosen(s)

    elif count == 2:

        @overload(ask, inline="always")
        def choose_2(s, a):  # type: ignore[no-untyped-def]
            chosen = of_compact if isinstance(s, Compact) else of_struct
            return lambda s, a: chosen(s, a)

    elif count == 3:

        @overload(ask, inline="always")
        def choose_3(s, a, b):  # type: ignore[no-untyped-def]
            chosen = of_compact if isinstance(s, Compact) else of_struct
            return lambda s, a, b: chosen(s, a, b)

    elif count == 4:

        @overload(ask, inline="always")
        def choose_4(s, a, b, c):  # type: ignore[no-untyped-def]
            chosen = of_compact if isinstance(s, Compact) else of_struct
            return lambda s, a, b, c: chosen(s, a, b, c)

    else:

        @overload(ask, inline="always")
        def choose_5(s, a, b, c, d):  # type: ignore[no-untyped-def]
            chosen = of_compact if isinstance(s, Compact) else of_struct
            return lambda s, a, b, c, d: chosen(s, a, b, c, d)

    return ask


def words_of(state: Any) -> int:
    """Number of words of a compact state for plays and boneyard, a compile-time constant: 1, 2 or 4; 4 for a struct."""
    return 4


@intrinsic
def _words_of(typingctx: Any, state: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _I64(getattr(state, "words", 4))

    return types.intp(state), codegen


@overload(words_of, inline="always")
def _ask_words(state):  # type: ignore[no-untyped-def]
    return lambda state: _words_of(state)


def _cells(part: str) -> Any:
    """The getter and the setter of a word of a part: (state, index) and (state, index, value)."""

    def read(s: _State, index: Any) -> Any:
        return s.builder.load(s.builder.gep(s.part(part, _I64), [index]))

    def write(s: _State, index: Any, value: Any) -> None:
        s.builder.store(value, s.builder.gep(s.part(part, _I64), [index]))

    return _for_compact_states(_word, _word)(read), _for_compact_states(types.void, _word, _word)(write)


ahead, put_ahead = _cells("ahead")
found, put_found = _cells("found")
wild_row, put_wild_row = _cells("wild_rows")
wild_ends, put_wild_ends = _cells("wild_ends")
wild_plays, put_wild_plays = _cells("wild_plays")
before, put_before = _cells("before")


@_for_compact_states(types.void, _word)
def clear_hand(s: _State, seat: Any) -> None:
    """Empty the seat's packed hand."""
    s.builder.store(ir.Constant(_HAND, [0] * 32), s.hand(seat))


@_for_compact_states(types.void, _word, _word)
def toggle_tile(s: _State, seat: Any, tile: Any) -> None:
    """Toggle the tile with this index in the seat's packed hand."""
    hand = s.hand(seat)
    s.builder.store(s.builder.xor(s.builder.load(hand), s.builder.load(s.tile(tile))), hand)


@_for_compact_states(_word, _word, _word)
def tile_index(s: _State, a: Any, b: Any) -> Any:
    """Index of the tile {a, b}; of the three ``*-A`` the first."""
    rows = _tile_indices("super" if s.kind.is_super else "double-15")
    table = s.builder.bitcast(_table(s.builder, "tile_indices", rows), _I8.as_pointer())
    place = s.builder.or_(s.builder.shl(a, _I64(5)), b)
    return s.builder.zext(s.builder.load(s.builder.gep(table, [place])), _I64)


@_for_compact_states(types.void, _word, _word)
def put_row_to_look_up(s: _State, train: Any, row: Any) -> None:
    """Set the row in which plays on ``train`` are looked up."""
    b, ends = s.builder, s.part("ends", _BYTES)
    trains = ir.Constant(_BYTES, list(range(16)))
    here = b.icmp_unsigned("==", _splat(b, b.trunc(train, _I8)), trains)
    b.store(b.select(here, _splat(b, b.trunc(row, _I8)), b.load(ends)), ends)


@_for_compact_states(_FOUR, _word, _word, _word)
def rows_at_ends(s: _State, seat: Any, only: Any, trains: Any) -> Any:
    """The rows of the seat's hand, or of the tile ``only``, at the ends of ``trains`` (bit set): four words."""
    b, count = s.builder, 4 * s.kind.words
    hand, ends = b.load(s.hand_or_tile(seat, only)), b.load(s.part("ends", _BYTES))
    nothing = ir.Constant(_HAND, ir.Undefined)
    looked_up = []
    for first in (0, 16):
        half = b.shuffle_vector(hand, nothing, ir.Constant(ir.VectorType(_I32, 16), list(range(first, first + 16))))
        looked_up.append(_call(b, "llvm.x86.ssse3.pshuf.b.128", _BYTES, half, ends))
    side_by_side = ir.Constant(ir.VectorType(_I32, 2 * count), [k // 2 + 16 * (k % 2) for k in range(2 * count)])
    kind = ir.VectorType(_I16, count)
    rows = b.bitcast(b.shuffle_vector(*looked_up, side_by_side), kind)
    chosen = b.bitcast(b.trunc(trains, ir.IntType(count)), ir.VectorType(_I1, count))
    words = b.bitcast(b.select(chosen, rows, ir.Constant(kind, [0] * count)), ir.VectorType(_I64, s.kind.words))
    return [b.extract_element(words, _I32(k)) if k < s.kind.words else _I64(0) for k in range(4)]


@_for_compact_states(_word, _word)
def row_found(s: _State, train: Any) -> Any:
    """The sixteen bits of ``train`` in the stored plays."""
    return s.builder.zext(s.builder.load(s.builder.gep(s.part("found", _I16), [train])), _I64)


@_for_compact_states(_word, _word, _word)
def count_rows(s: _State, seat: Any, only: Any) -> Any:
    """Number of set bits in the packed hand of the seat, or of the tile ``only``."""
    b = s.builder
    words = b.bitcast(b.load(s.hand_or_tile(seat, only)), _WORDS)
    counts = [b.ctpop(b.extract_element(words, _I32(k))) for k in range(4)]
    return b.add(b.add(counts[0], counts[1]), b.add(counts[2], counts[3]))


@_for_compact_states(_word, _word, _word, _word)
def row_of_number(s: _State, seat: Any, only: Any, half: Any) -> Any:
    """The row of a number in the packed hand of the seat, or of the tile ``only``."""
    b = s.builder
    base = b.bitcast(s.hand_or_tile(seat, only), _I8.as_pointer())
    low, high = (b.zext(b.load(b.gep(base, [place])), _I64) for place in (half, b.add(half, _I64(16))))
    return b.or_(low, b.shl(high, _I64(8)))


@_for_compact_states(_word, _word)
def pips(s: _State, seat: Any) -> Any:
    """The sum of the numbers that the seat's packed hand shows."""
    b = s.builder
    hand = b.load(s.hand(seat))
    diagonal = [1 << half % 8 if half // 8 == plane else 0 for plane in (0, 1) for half in range(16)]
    doubles = b.and_(hand, ir.Constant(_HAND, diagonal))
    is_double = b.zext(b.icmp_unsigned("!=", doubles, ir.Constant(_HAND, [0] * 32)), _HAND)
    shown = b.add(_call(b, "llvm.ctpop.v32i8", _HAND, hand), is_double)
    # At most nine per byte, times fifteen, is below 256.
    weighed = b.zext(b.mul(shown, ir.Constant(_HAND, [*range(16), *range(16)])), ir.VectorType(_I16, 32))
    return b.zext(_call(b, "llvm.vector.reduce.add.v32i16", _I16, weighed), _I64)
