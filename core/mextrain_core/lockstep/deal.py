"""The deal of 32 rounds at once, written as lane code (docs/rules.md section 3; ``deal.deal_round`` for one round).

The driver writes each lane's engine and round key into a pool and calls ``begin``; for every seat it calls ``pick`` for
each tile and then ``seat_done``; at the end it calls ``finish`` and, for every seat, ``points``.
"""

from itertools import pairwise
from typing import Any

from mextrain_core.compiler.vectors import emitted
from mextrain_core.lockstep import lanes
from mextrain_core.lockstep.flags import Flags
from mextrain_core.lockstep.layout import (
    DEALING,
    LEFT,
    LETTER_BIT,
    LETTERS,
    POINTS,
    WILD_BIT,
    WILD_VALUE,
    Layout,
    layout,
)


def start_bit(high: int, group: list[int]) -> int:
    """Position of tile {high, 0} in its word of the boneyard."""
    return (high * (high + 1) - group[0] * (group[0] + 1)) // 2


def whole_set(w: Any, at: Layout) -> list[Any]:
    """The words of a boneyard with all tiles of the set except each lane's engine."""
    engine = w.load(at.engine)
    words = []
    for group in at.groups:
        word = w.const((1 << sum(high + 1 for high in group)) - 1)
        for high in group:
            word = word - engine.has(1 << high).pick(1 << (start_bit(high, group) + high), 0)
        words.append(word)
    if at.wild:
        words.append(w.const((1 << len(LETTERS)) - 1))
    return words


def matrix_of(w: Any, at: Layout, words: list[Any]) -> list[Any]:
    """The bit matrix of a tile set in words: bit l of row h and bit h of row l for the tile {h, l}, no letters."""
    rows = [w.const(0)] * at.halves
    for group, word in zip(at.groups, words[: len(at.groups)], strict=True):
        for high in group:
            triangle = (word >> start_bit(high, group)) & ((2 << high) - 1)
            rows[high] = rows[high] | triangle
            for low in range(high):
                rows[low] = rows[low] | (triangle & (1 << low)) << (high - low)
    return rows


def in_words(beyond: list[Any]) -> list[Any]:
    """A mask for each word i: whether the member is in it; there are at least two words."""
    inner = [a & ~b for a, b in pairwise(beyond)]
    return [~beyond[0], *inner, beyond[-1]]


def take_member(w: Any, at: Layout, counts: list[Any], k: Any) -> tuple[Any, list[Any]]:
    """The k-th smallest member of the boneyard as a bit of its word, and masks that tell beyond which words it is."""
    word, base = w.load(at.bone), w.const(0)
    beyond = [k >= upto for upto in counts[: at.words - 1]]
    for i, past in enumerate(beyond):
        word, base = past.pick(w.load(at.bone + i + 1), word), past.pick(counts[i], base)
    return lanes.kth_one(word, k - base), beyond


def remove_member(w: Any, at: Layout, taken: Any, beyond: list[Any]) -> None:
    """Clear the bit ``taken`` in its word of the boneyard."""
    here = in_words(beyond) if beyond else [taken.has(0xFFFF)]
    for i, mask in enumerate(here):
        old = w.load(at.bone + i)
        w.store(at.bone + i, mask.pick(old - taken, old))


def halves_of(at: Layout, taken: Any, beyond: list[Any]) -> tuple[Any, Any]:
    """High and low half (one-hot) of the tile from ``take_member``; with a letter WILD_BIT and LETTER_BIT."""
    high, low = split_word(at.groups[0], taken)
    if at.wild:
        *beyond, is_letter = beyond
    for i, past in enumerate(beyond):
        group = at.groups[i + 1]
        high_here, low_here = split_word(group, taken)
        high = past.pick(high_here, high)
        if len(group) > 1 or len(at.groups[i]) > 1:
            low = past.pick(low_here, low)
    if at.wild:
        return is_letter.pick(WILD_BIT, high), is_letter.pick(LETTER_BIT, low)
    return high, low


def split_word(group: list[int], taken: Any) -> tuple[Any, Any]:
    """High and low half (one-hot) of the tile with the bit ``taken`` in the word of ``group``."""
    high, low = 1 << group[0], taken
    for row in group[1:]:
        start = start_bit(row, group)
        above = taken >= 1 << start
        high, low = above.pick(1 << row, high), above.pick(taken >> start, low)
    return high, low


def write_begin(w: Any, flags: int, argument: Any) -> None:
    """Reset the round: all tiles of the set except each lane's engine are in the boneyard, and the hands are empty.

    ``argument``: size of the boneyard after the deal.
    """
    rules = Flags.unpack(flags)
    at = layout(rules)
    for row in range(LEFT, at.rows):
        w.store(row, w.const(0))
    w.store(LEFT, w.splat(argument))
    w.store(at.opening_to_come, w.const((1 << rules.players) - 1))
    if at.age is not None and at.no_double:
        for train in range(rules.trains):
            w.store(at.age + train, w.const(at.no_double))
    upto = w.const(0)
    for i, word in enumerate(whole_set(w, at)):
        upto = upto + word.count()
        w.store(at.bone + i, word)
        w.store(at.before + i, word)
        w.store(at.upto + i, upto)
        for z in range(at.seat_bits):
            w.store(at.owner_words + z * at.words + i, w.const(0))
    engine = w.load(at.engine)
    for z in range(at.count_bits):
        # The engine is on the table: one tile less shows its half.
        usual = sum((tiles >> z & 1) << half for half, tiles in enumerate(at.tiles_with))
        changes = sum(((tiles ^ (tiles - 1)) >> z & 1) << half for half, tiles in enumerate(at.tiles_with))
        w.store(at.off + z, (engine & changes) ^ usual)
    for train in range(rules.trains):
        w.store(at.end + train, engine)


def write_random(w: Any, flags: int, argument: Any) -> None:
    """Draw the next word of the deal's stream, which is enough for two picks."""
    at = layout(Flags.unpack(flags))
    words = lanes.next_words(w, DEALING)
    for q in range(4):
        w.store(at.random + q, lanes.quarter(words, 48 - 16 * q))


def write_pick(w: Any, flags: int, argument: Any) -> None:
    """Take one tile out of the boneyard.

    ``argument``: tiles in the boneyard << 8 | 0 for the upper half of the word, 2 for the lower half.
    """
    at = layout(Flags.unpack(flags))
    size, half = w.splat(w.field(argument, 8, 8)), w.field(argument, 0, 8)
    k = lanes.below(w.load(at.random, half), w.load(at.random + 1, half), size)
    counts = [w.load(at.upto + i) for i in range(at.words - 1)]
    taken, beyond = take_member(w, at, counts, k)
    for i, past in enumerate(beyond):
        w.store(at.upto + i, past.pick(counts[i], counts[i] - 1))
    remove_member(w, at, taken, beyond)


def write_seat_done(w: Any, flags: int, argument: Any) -> None:
    """Give the tiles picked since the last call to the seat ``argument``."""
    at = layout(Flags.unpack(flags))
    mine = [w.const(0) - w.splat(w.field(argument, z, 1)) for z in range(at.seat_bits)]
    for i in range(at.words):
        bone = w.load(at.bone + i)
        picked = w.load(at.before + i) ^ bone
        w.store(at.before + i, bone)
        for z in range(at.seat_bits):
            row = at.owner_words + z * at.words + i
            w.store(row, w.load(row) | picked & mine[z])


def write_finish(w: Any, flags: int, argument: Any) -> None:
    """Convert the words to the bit matrices ``held`` and ``owner``."""
    at = layout(Flags.unpack(flags))
    held = [whole ^ w.load(at.bone + i) for i, whole in enumerate(whole_set(w, at))]
    for half, row in enumerate(matrix_of(w, at, held)):
        w.store(at.held + half, row)
    for z in range(at.seat_bits):
        words = [w.load(at.owner_words + z * at.words + i) for i in range(at.words)]
        for half, row in enumerate(matrix_of(w, at, words)):
            w.store(at.owner + z * at.halves + half, row)
        if at.wild:
            w.store(at.letter_owner + z, words[-1])
    if at.wild:
        w.store(at.letters, held[-1])


def write_points(w: Any, flags: int, argument: Any) -> None:
    """Write the row of points, and that of tiles, of the seat ``argument``."""
    at = layout(Flags.unpack(flags))
    mine = [w.const(0) - w.splat(w.field(argument, z, 1)) for z in range(at.seat_bits)]
    total, doubles, sides = w.const(0), w.const(0), w.const(0)
    for half in range(at.halves):
        row = w.load(at.held + half)
        for z in range(at.seat_bits):
            row = row & ~(w.load(at.owner + z * at.halves + half) ^ mine[z])
        count = row.count()
        sides = sides + count
        total = total + count * (2 * at.value(half))
        doubles = doubles | row & (1 << half)
    # A double is a single bit of its row, but its half counts twice.
    for j in range(4):
        halves = sum(1 << half for half in range(at.halves) if at.value(half) >> j & 1)
        total = total + ((doubles & halves).count() << (j + 1))
    if at.wild:
        letters = w.load(at.letters)
        for z in range(at.seat_bits):
            letters = letters & ~(w.load(at.letter_owner + z) ^ mine[z])
        count = letters.count()
        sides = sides + (count << 1)
        total = total + count * (4 * WILD_VALUE)
    w.store(POINTS, total + (doubles & 1), argument)
    if at.tiles is not None:
        w.store(at.tiles, (sides + doubles.count()) >> 1, argument)


begin = emitted(write_begin)
random = emitted(write_random)
pick = emitted(write_pick)
seat_done = emitted(write_seat_done)
finish = emitted(write_finish)
points = emitted(write_points)
