"""Random numbers of stream version 1: counter-based words from a key (docs/determinism.md).

A game is a function of (seed, game, rules, policies) and of nothing else. There is no generator state: every number
of a round is ``word(key, counter)``, so deals, draws and policies cannot disturb each other.
"""

import numpy as np

from mextrain_core.compiler.jit import helper, kernel

u64 = np.uint64

GOLDEN = u64(0x9E3779B97F4A7C15)
ROUND_STEP = u64(0xD1342543DE82EF95)
MIX_1 = u64(0xBF58476D1CE4E5B9)
MIX_2 = u64(0x94D049BB133111EB)
U1, U27, U30, U31, U32 = u64(1), u64(27), u64(30), u64(31), u64(32)
LOW_32 = u64(0xFFFFFFFF)

ENGINE_WORD = u64(126)
STARTER_WORD = u64(127)
DRAW_WORDS = u64(128)
"""Counter of the word of draw 0."""
POLICY_WORDS = u64(1 << 16)
"""Counter of the word of attempt 0."""


@helper
def mix(x):
    """SplitMix64's finaliser, a bijection of uint64."""
    x = (x ^ (x >> U30)) * MIX_1
    x = (x ^ (x >> U27)) * MIX_2
    return x ^ (x >> U31)


@helper
def word(key, counter):
    """The uint64 word number ``counter`` (uint64) of the stream with ``key``."""
    return mix(key + (counter + U1) * GOLDEN)


@helper
def one_way_word(key, counter):
    """Like ``word``, but the key cannot be recovered from it: for foreign code.

    ``mix`` is invertible, so a plain word and its counter reveal the key, and with it every hidden tile.
    """
    x = key + (counter + U1) * GOLDEN
    return mix(x) ^ x


@helper
def below(random, n):
    """A number in 0 … n-1 from a 32-bit ``random`` (both uint64); the bias is below n / 2**32."""
    return (random * n) >> U32


@kernel
def round_key(seed, game, engine):
    """Key of the round that (seed, game) plays from ``engine`` (half code); all uint64, game < 2**59."""
    return mix(mix(seed + GOLDEN) + (U32 * game + engine) * ROUND_STEP)
