"""Two fixed programs, to tell slow code from a slow machine: speeds are compared with theirs (docs/performance.md).

Each has a mix of instructions similar to that of a backend, shares no code with it, and works in the L1 cache:
``branchy`` for the scalar backend (loads, population counts, bit searches, unpredictable branches), ``wide`` for the
lockstep backend (vector arithmetic, comparisons, selections, loads and stores). They must never change: every figure in
steps of them would change too.
"""

import numpy as np

from mextrain_core.compiler.jit import helper, kernel

u64 = np.uint64
U0, U1, U2, U3, U4, U5, U6, U13, U15, U16, U32, U63 = map(u64, (0, 1, 2, 3, 4, 5, 6, 13, 15, 16, 32, 63))
FIRST, SECOND, STEP = map(u64, (0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0x9E3779B97F4A7C15))
PAIRS, FOURS, BYTES, SUM, FULL = map(
    u64, (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F, 0x0101010101010101, 0x1FFF)
)


@helper
def _count(x):
    """Population count, by arithmetic."""
    x -= (x >> U1) & PAIRS
    x = (x & FOURS) + ((x >> U2) & FOURS)
    return ((x + (x >> U4) & BYTES) * SUM) >> u64(56)


@kernel
def branchy(rows, ends, steps):
    """Run steps (int64) similar to a game: ``rows`` are uint64[64], of 13 bits each, ``ends`` uint64[5]."""
    random, total = U0, U0
    for step in range(steps):
        random += STEP
        word = (random ^ (random >> u64(30))) * FIRST
        word = (word ^ (word >> u64(27))) * SECOND
        word ^= word >> u64(31)
        hand = (u64(step) & U3) * U16
        found = U0
        for place in range(5):
            if word >> u64(place) & U1 != U0:
                found += _count(rows[hand + ends[place]])
        if found == U0:
            spot = hand + ((word >> U32) * U13 >> U32)
            rows[spot] |= U1 << ((word >> U16) % U13)
            total += U1
            continue
        k = (word >> U32) * found >> U32
        for place in range(5):
            if word >> u64(place) & U1 == U0:
                continue
            row = rows[hand + ends[place]]
            here = _count(row)
            if k >= here:
                k -= here
                continue
            while k != U0:
                row &= row - U1
                k -= U1
            new = _count((row & (~row + U1)) - U1)
            rows[hand + ends[place]] &= ~(U1 << new)
            rows[hand + new] |= (word >> U6) & FULL & ~(word >> U13)
            ends[place] = new
            break
    return total


@kernel
def wide(block, steps):
    """Run steps (int64) on vectors: ``block`` is uint64[24, 32]."""
    for step in range(steps):
        row = step % 20
        for lane in range(32):
            a, b, c = block[row, lane], block[row + 1, lane], block[row + 2, lane]
            mixed = (a ^ (b >> U3)) + (c & ~a)
            chosen = mixed if mixed < b else c + (b << U5)
            block[row + 3, lane] = chosen ^ (a >> U13)
            block[row, lane] = (c | mixed) if chosen < a else (b & mixed) + U1
    return block.sum()
