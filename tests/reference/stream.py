"""The random numbers of docs/determinism.md, ``mextrain-stream/1``: keys, words, deal, starter, draws, policy words."""

from __future__ import annotations

from .options import Rules
from .tiles import WILD, halves, tiles_of

MODULUS = 1 << 64
GOLDEN = 0x9E3779B97F4A7C15
STARTER_WORD = 127
FIRST_DRAW_WORD = 128
FIRST_POLICY_WORD = 1 << 16
MOST_ATTEMPTS = 1 << 16


def mix(z: int) -> int:
    """SplitMix64's finaliser."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % MODULUS
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % MODULUS
    return z ^ (z >> 31)


def round_key(seed: int, game: int, engine: str) -> int:
    """The key of a round: one for each seed, game and engine (docs/determinism.md)."""
    for name, value, limit in (("seed", seed, MODULUS), ("game", game, 1 << 59)):
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < limit:
            raise ValueError(f"{name} must be 0 to {limit - 1}, not {value!r}")
    half = halves(engine)[0]
    code = 13 if half == WILD else int(half)
    start = mix((seed + GOLDEN) % MODULUS)
    return mix((start + (32 * game + code) * 0xD1342543DE82EF95) % MODULUS)


def word(key: int, counter: int) -> int:
    """W(c)."""
    return mix((key + (counter + 1) * GOLDEN) % MODULUS)


def hi(w: int) -> int:
    """The high 32 bits of a word."""
    return w >> 32


def lo(w: int) -> int:
    """The low 32 bits of a word."""
    return w & 0xFFFFFFFF


def below(r: int, n: int) -> int:
    """A number 0 ... n-1 from a 32-bit r."""
    return (r * n) >> 32


def deal(rules: Rules, key: int, engine: str) -> tuple[list[list[str]], list[str]]:
    """Hands in picking order and the boneyard in index order (docs/determinism.md)."""
    members = list(tiles_of(rules.tile_set))
    members.remove(engine)
    hands: list[list[str]] = []
    pick = 0
    for _ in range(rules.players):
        hand = []
        for _ in range(rules.hand_size):
            w = word(key, pick >> 1)
            r = hi(w) if pick % 2 == 0 else lo(w)
            hand.append(members.pop(below(r, len(members))))
            pick += 1
        hands.append(hand)
    return hands, members


def drawn_starter(key: int, players: int) -> int:
    """The starter when it is drawn (docs/determinism.md)."""
    return below(hi(word(key, STARTER_WORD)), players)


def draw_position(key: int, draw: int, size: int) -> int:
    """The index, from the smallest, of the member of the boneyard that draw n takes (docs/determinism.md)."""
    return below(hi(word(key, FIRST_DRAW_WORD + draw)), size)


def policy_word(key: int, attempt: int) -> int:
    """A policy's number for an attempt (docs/determinism.md)."""
    return word(key, FIRST_POLICY_WORD + attempt)
