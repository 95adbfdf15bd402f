"""Seeds and the random words of a round, in plain Python: `mextrain-stream/1` (docs/determinism.md).

A game depends only on (seed, game, rules, policies). Every round has a key, and every random number is a word of that
key, selected by a counter. The kernels compute the same words. These functions are for people who want to follow a
deal by hand, or to write or check an implementation in another language.

The key of a round is hidden information: it determines every hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from mextrain._support.integers import whole
from mextrain.errors import SeedError, shown
from mextrain.game.tiles import WILD, Half, Tile

STREAM = "mextrain-stream/1"
"""The name of this random-number scheme. Any change to the scheme gets a new version."""

MAX_SEED = 2**64 - 1
MAX_GAME = 2**59 - 1

STARTER_WORD = 127
"""Counter of the word that decides the starter."""

FIRST_DRAW_WORD = 128
"""Counter of the word for draw 0 of the round; draw n uses this counter plus n."""

FIRST_POLICY_WORD = 2**16
"""Counter of the word for attempt 0 of the round; attempt a uses this counter plus a (docs/determinism.md)."""

_MASK = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15


def check_seed(seed: object) -> int:
    """Return `seed` as an int. Raises `SeedError` unless it is an integer 0 … 2**64 - 1; bools are rejected."""
    return _whole(seed, "seed", MAX_SEED, "2**64 - 1")


def check_game(game: object, name: str = "game") -> int:
    """Return a game number, or a number of games, as an int. `name` is the argument's name, for the message.

    Raises `SeedError` unless it is an integer 0 … 2**59 - 1.
    """
    return _whole(game, name, MAX_GAME, "2**59 - 1")


def parse_seed(text: str) -> int:
    """Return the seed given as decimal digits on a command line. Raises `SeedError` for anything else."""
    if not isinstance(text, str) or not re.fullmatch(r"[0-9]{1,20}", text):
        raise SeedError(f"seed = {shown(text)}: expected a whole number 0 … 2**64 - 1 in digits")
    return check_seed(int(text))


def mix(x: int) -> int:
    """Apply the SplitMix64 finaliser to the 64-bit `x`."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & _MASK
    return x ^ x >> 31


def round_key(seed: int, game: int, engine: Tile | str) -> int:
    """Return the 64-bit key of the round with `engine` (such as `12-12` or `*-*`) in game `game` of `seed`.

    A round has the same key whether it is played alone or in its match. Raises `SeedError` for a seed or game out of
    range or an engine that is not a double, `TileError` for a text that is not a tile.
    """
    tile = engine if isinstance(engine, Tile) else Tile.parse(engine)
    half: Half = tile.high
    if not tile.is_double:
        raise SeedError(f"{tile} is not an engine: expected a double such as 12-12 or *-*")
    code = 13 if half == WILD else int(half)
    stream = mix(check_seed(seed) + _GOLDEN & _MASK)
    return mix(stream + (32 * check_game(game) + code) * 0xD1342543DE82EF95 & _MASK)


def word(key: int, counter: int) -> int:
    """Return word number `counter` (from 0) of the round key `key`, as 64 bits."""
    return mix(key + (counter + 1) * _GOLDEN & _MASK)


def one_way_word(key: int, counter: int) -> int:
    """Return word number `counter` in the form given to users' code, from which `key` cannot be recovered.

    `mix` is invertible, so a plain word and its number would reveal the key.
    """
    x = key + (counter + 1) * _GOLDEN & _MASK
    return mix(x) ^ x


def words(key: int, first: int = 0) -> Iterator[int]:
    """Yield the words of `key` from number `first` on, forever."""
    while True:
        yield word(key, first)
        first += 1


def high(w: int) -> int:
    """Return the upper 32 bits of a word."""
    return w >> 32


def low(w: int) -> int:
    """Return the lower 32 bits of a word."""
    return w & 0xFFFFFFFF


def below(r: int, n: int) -> int:
    """Return the 32-bit `r` scaled to 0 … n - 1, without rejection (the bias is below n / 2**32)."""
    return r * n >> 32


def drawing_order(key: int, draws: int, boneyard: Iterable[Tile]) -> tuple[Tile, ...]:
    """Return `boneyard`, given in tile-number order, in the order in which the stream of `key` will draw it.

    `draws` is the number of tiles drawn so far in the round.
    """
    left = list(boneyard)
    order: list[Tile] = []
    while left:
        order.append(left.pop(below(high(word(key, FIRST_DRAW_WORD + draws + len(order))), len(left))))
    return tuple(order)


def _whole(value: object, name: str, most: int, most_text: str) -> int:
    number = whole(value)
    if number is None:
        raise SeedError(f"{name} = {shown(value)}: expected an int 0 … {most_text}, not a bool, float or text")
    if not 0 <= number <= most:
        raise SeedError(f"{name} = {shown(number)} is out of range: expected 0 … {most_text}")
    return number
