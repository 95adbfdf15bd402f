"""Lane code on plain lists of numbers: the slow counterpart of ``mextrain_core.compiler.vectors``.

A part of the lockstep backend is a Python function that gets a writer and uses the operators of the values that it
loads. With this writer it computes, one lane after the other, instead of emitting code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

LANES = 32
NARROW = 2**16 - 1
BROAD = 2**64 - 1


class Vec:
    """32 numbers below 2**16."""

    def __init__(self, lanes: Sequence[int]):
        self.lanes = [lane & NARROW for lane in lanes]
        assert len(self.lanes) == LANES

    def _with(self, other: Vec | int, operation: Callable[[int, int], int]) -> list[int]:
        others = other.lanes if isinstance(other, Vec) else [other & NARROW] * LANES
        return [operation(a, b) for a, b in zip(self.lanes, others, strict=True)]

    def __add__(self, other: Vec | int) -> Vec:
        return Vec(self._with(other, lambda a, b: a + b))

    def __sub__(self, other: Vec | int) -> Vec:
        return Vec(self._with(other, lambda a, b: a - b))

    def __mul__(self, other: Vec | int) -> Vec:
        return Vec(self._with(other, lambda a, b: a * b))

    def __and__(self, other: Vec | int) -> Vec:
        return Vec(self._with(other, lambda a, b: a & b))

    def __or__(self, other: Vec | int) -> Vec:
        return Vec(self._with(other, lambda a, b: a | b))

    def __xor__(self, other: Vec | int) -> Vec:
        return Vec(self._with(other, lambda a, b: a ^ b))

    def __invert__(self) -> Vec:
        return Vec([~a for a in self.lanes])

    def __lshift__(self, other: Vec | int) -> Vec:
        return Vec(self._with(other, _shift(lambda a, b: a << b)))

    def __rshift__(self, other: Vec | int) -> Vec:
        return Vec(self._with(other, _shift(lambda a, b: a >> b)))

    def __lt__(self, other: Vec | int) -> Mask:
        return Mask([bool(x) for x in self._with(other, lambda a, b: a < b)])

    def __ge__(self, other: Vec | int) -> Mask:
        return Mask([bool(x) for x in self._with(other, lambda a, b: a >= b)])

    def equals(self, other: Vec | int) -> Mask:
        return Mask([bool(x) for x in self._with(other, lambda a, b: a == b)])

    def differs(self, other: Vec | int) -> Mask:
        return ~self.equals(other)

    def has(self, bits: Vec | int) -> Mask:
        return (self & bits).differs(0)

    def min(self, other: Vec | int) -> Vec:
        return Vec(self._with(other, min))

    def max(self, other: Vec | int) -> Vec:
        return Vec(self._with(other, max))

    def count(self) -> Vec:
        return Vec([a.bit_count() for a in self.lanes])

    def high_product(self, other: Vec | int) -> Vec:
        return Vec(self._with(other, lambda a, b: a * b >> 16))

    def wide(self) -> Wide:
        return Wide(self.lanes)

    def signed(self) -> Wide:
        return Wide([a - (a >> 15 << 16) for a in self.lanes])

    def reciprocal(self) -> Wide:
        assert all(self.lanes), "the result of a division by zero means something else on every machine"
        return Wide([65536 // a for a in self.lanes])

    def words(self) -> Words:
        return Words(np.array(self.lanes, np.uint16).view(np.uint64).tolist())


class Mask:
    """A boolean for each lane."""

    def __init__(self, lanes: Sequence[bool]):
        self.lanes = list(lanes)

    def __and__(self, other: Mask) -> Mask:
        return Mask([a and b for a, b in zip(self.lanes, other.lanes, strict=True)])

    def __or__(self, other: Mask) -> Mask:
        return Mask([a or b for a, b in zip(self.lanes, other.lanes, strict=True)])

    def __xor__(self, other: Mask) -> Mask:
        return Mask([a != b for a, b in zip(self.lanes, other.lanes, strict=True)])

    def __invert__(self) -> Mask:
        return Mask([not a for a in self.lanes])

    def pick(self, yes: Vec | int, no: Vec | int) -> Vec:
        values = [value.lanes if isinstance(value, Vec) else [value] * LANES for value in (yes, no)]
        return Vec([a if chosen else b for chosen, a, b in zip(self.lanes, *values, strict=True)])

    def pick_wide(self, yes: Wide, no: Wide) -> Wide:
        return Wide([a if chosen else b for chosen, a, b in zip(self.lanes, yes.lanes, no.lanes, strict=True)])

    def ones(self) -> Vec:
        return self.pick(NARROW, 0)

    def bits(self) -> int:
        return sum(1 << lane for lane, chosen in enumerate(self.lanes) if chosen)


class Wide:
    """32 numbers of 32 bits, with a sign."""

    def __init__(self, lanes: Sequence[int]):
        self.lanes = [(lane + 2**31) % 2**32 - 2**31 for lane in lanes]
        assert len(self.lanes) == LANES

    def _with(self, other: Wide | int, operation: Callable[[int, int], int]) -> Wide:
        others = other.lanes if isinstance(other, Wide) else [other] * LANES
        return Wide([operation(a, b) for a, b in zip(self.lanes, others, strict=True)])

    def __add__(self, other: Wide | int) -> Wide:
        return self._with(other, lambda a, b: a + b)

    def __mul__(self, other: Wide | int) -> Wide:
        return self._with(other, lambda a, b: a * b)

    def __or__(self, other: Wide | int) -> Wide:
        return self._with(other, lambda a, b: a | b)

    def __lshift__(self, bits: int) -> Wide:
        return Wide([a << bits for a in self.lanes])

    def __rshift__(self, bits: int) -> Wide:
        return Wide([a % 2**32 >> bits for a in self.lanes])

    def scaled_down(self, bits: int) -> Wide:
        return Wide([a >> bits for a in self.lanes])

    def exceeds(self, other: Wide | int) -> Mask:
        others = other.lanes if isinstance(other, Wide) else [other] * LANES
        return Mask([a > b for a, b in zip(self.lanes, others, strict=True)])


class Words:
    """Eight numbers below 2**64."""

    def __init__(self, words: Sequence[int]):
        self.numbers = [word & BROAD for word in words]
        assert len(self.numbers) == LANES // 4

    def _with(self, other: Words | int, operation: Callable[[int, int], int]) -> Words:
        others = other.numbers if isinstance(other, Words) else [other & BROAD] * len(self.numbers)
        return Words([operation(a, b) for a, b in zip(self.numbers, others, strict=True)])

    def __add__(self, other: Words | int) -> Words:
        return self._with(other, lambda a, b: a + b)

    def __mul__(self, other: Words | int) -> Words:
        return self._with(other, lambda a, b: a * b)

    def __and__(self, other: Words | int) -> Words:
        return self._with(other, lambda a, b: a & b)

    def __or__(self, other: Words | int) -> Words:
        return self._with(other, lambda a, b: a | b)

    def __xor__(self, other: Words | int) -> Words:
        return self._with(other, lambda a, b: a ^ b)

    def __lshift__(self, bits: int) -> Words:
        return Words([a << bits for a in self.numbers])

    def __rshift__(self, bits: int) -> Words:
        return Words([a >> bits for a in self.numbers])

    def sign(self) -> Words:
        return Words([BROAD if a >> 63 else 0 for a in self.numbers])

    def vec(self) -> Vec:
        return Vec(np.array(self.numbers, np.uint64).view(np.uint16).tolist())


def _shift(operation: Callable[[int, int], int]) -> Callable[[int, int], int]:
    def checked(a: int, b: int) -> int:
        assert b < 16, f"a shift by {b} means something else on every machine"
        return operation(a, b)

    return checked


class Writer:
    """Rows of a uint16 array, from row ``base`` on."""

    def __init__(self, work: NDArray[np.uint16], base: int = 0):
        self.rows = work.reshape(-1, LANES)[base:]

    def const(self, value: int) -> Vec:
        return Vec([value] * LANES)

    def splat(self, scalar: int) -> Vec:
        return Vec([int(scalar)] * LANES)

    def load(self, row: int, further: int = 0) -> Vec:
        return Vec(self.rows[row + int(further)].tolist())

    def store(self, row: int, value: Vec, further: int = 0) -> None:
        self.rows[row + int(further)] = value.lanes

    def load_words(self, row: int) -> Words:
        return Words(self.rows[row].view(np.uint64).tolist())

    def store_words(self, row: int, value: Words) -> None:
        self.rows[row].view(np.uint64)[:] = value.numbers

    def loop(self, values: list[Any], running: Callable[[Any], Mask], body: Callable[[Any], Any]) -> list[Any]:
        while any(running(values).lanes):
            values = body(values)
        return values

    def forget(self) -> None:
        """Do nothing: the model has no registers."""

    def field(self, scalar: int, shift: int, bits: int) -> int:
        return int(scalar) >> shift & ((1 << bits) - 1)

    def pair(self, low: int, high: int) -> int:
        return low | high << 32
