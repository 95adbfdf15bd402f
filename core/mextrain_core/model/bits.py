"""Bit sets of tiles in three words."""

import numpy as np

from mextrain_core.compiler.jit import helper
from mextrain_core.compiler.machine import deposit, lowest

u64 = np.uint64

U0, U1, U63, U64, U128 = (u64(n) for n in (0, 1, 63, 64, 128))


@helper
def find_member(first, second, third, in_first, in_second, words, k):
    """Find the k-th smallest member of a set; ``in_first`` and ``in_second`` count the members of its first two words.

    Returns (index, bit in word 0, bit in word 1, bit in word 2). Only the first ``words`` words can have members. Every
    word computes its candidate, and masks select the right one: without branches, a series of picks has shorter
    latency.
    """
    if words == 1:
        only_bit = deposit(U1 << k, first)
        return lowest(only_bit), only_bit, U0, U0
    here = U0 - u64(k < in_first)
    bit_1 = deposit((U1 << (k & U63)) & here, first)
    k -= in_first
    if words == 2:
        bit_2 = deposit((U1 << (k & U63)) & ~here, second)
        return lowest(bit_1 | bit_2) + (U64 & ~here), bit_1, bit_2, U0
    in_two = U0 - u64(k < in_second)
    here_2, beyond = ~here & in_two, ~here & ~in_two
    bit_2 = deposit((U1 << (k & U63)) & here_2, second)
    bit_3 = deposit((U1 << ((k - in_second) & U63)) & beyond, third)
    return lowest(bit_1 | bit_2 | bit_3) + (U64 & here_2) + (U128 & beyond), bit_1, bit_2, bit_3
