"""Small idioms of lane code, written only with the operators of ``vectors``."""

from typing import Any

from mextrain_core.model.rng import GOLDEN, MIX_1, MIX_2


def any_of(values: list[Any]) -> Any:
    """The bitwise or of ``values`` (Vecs or Masks, at least one)."""
    total = values[0]
    for value in values[1:]:
        total = total | value
    return total


def total(values: list[Any]) -> Any:
    """The sum of the Vecs (at least one)."""
    result = values[0]
    for value in values[1:]:
        result = result + value
    return result


def below(high: Any, low: Any, n: Any) -> Any:
    """``rng.below`` of the 32-bit number with these halves: ``(high << 16 | low) * n >> 32``."""
    middle = high * n
    return high.high_product(n) - (middle + low.high_product(n) < middle).ones()


def index(one_hot: Any) -> Any:
    """Position of the only bit set."""
    return (one_hot - 1).count()


def kth_one(bits: Any, k: Any) -> Any:
    """The k-th set bit of ``bits``, one-hot; undefined unless ``k`` is below the number of set bits.

    A binary search in four steps.
    """
    for lower in (0x00FF, 0x0F0F, 0x3333, 0x5555):
        part = bits & lower
        members = part.count()
        beyond = k >= members
        k = beyond.pick(k - members, k)
        bits = beyond.pick(bits - part, part)
    return bits


def smear(bits: Any) -> Any:
    """All bits from the highest set bit downwards; 0 where none is set."""
    for shift in (1, 2, 4, 8):
        bits = bits | bits >> shift
    return bits


def highest(bits: Any) -> Any:
    """The highest set bit, one-hot; 0 where none is set."""
    below = smear(bits)
    return below - (below >> 1)


def look_up(table: list[Any], one_hot: Any) -> Any:
    """``table[i]`` where bit i is the set bit of ``one_hot``; i is below the length of the table."""
    odd = [one_hot.has(bits) for bits in (0xAAAA, 0xCCCC, 0xF0F0, 0xFF00)]

    def among(first: int, count: int, bit: int) -> Any:
        if count == 1:
            return table[first]
        half = 1 << (bit - 1)
        if count <= half:
            return among(first, count, bit - 1)
        return odd[bit - 1].pick(among(first + half, count - half, bit - 1), among(first, half, bit - 1))

    return among(0, len(table), 4)


def lowest(bits: Any) -> Any:
    """The lowest set bit, one-hot; 0 where none is set."""
    return bits & ~(bits - 1)


def next_words(w: Any, row: int, advance: Any = None) -> list[Any]:
    """The next word of each lane's stream in the rows ``row`` … ``row + 3``.

    The streams advance; with the mask ``advance``, only those of its lanes.
    """
    advance = advance.ones().words() if advance is not None else None
    words = []
    for q in range(4):
        old = w.load_words(row + q)
        new = old + int(GOLDEN)
        if advance is None:
            w.store_words(row + q, new)
        else:
            mine = (advance << (48 - 16 * q)).sign()
            w.store_words(row + q, old + (mine & int(GOLDEN)))
        x = (new ^ (new >> 30)) * int(MIX_1)
        x = (x ^ (x >> 27)) * int(MIX_2)
        words.append(x ^ (x >> 31))
    return words


def quarter(words: list[Any], shift: int) -> Any:
    """The 16 bits from bit ``shift`` on of each lane's word."""
    parts = []
    for q, word in enumerate(words):
        distance = shift - 16 * q
        moved = word >> distance if distance > 0 else word << -distance if distance < 0 else word
        parts.append(moved & (0xFFFF << (16 * q)))
    return any_of(parts).vec()


def upper_half(words: list[Any]) -> tuple[Any, Any]:
    """The upper 32 bits of each lane's word, as two halves."""
    return quarter(words, 48), quarter(words, 32)


def least(values: list[Any]) -> Any:
    """The smallest of the Vecs."""
    smallest = values[0]
    for value in values[1:]:
        smallest = value.min(smallest)
    return smallest


def greatest(values: list[Any]) -> Any:
    """The greatest of the Vecs."""
    largest = values[0]
    for value in values[1:]:
        largest = value.max(largest)
    return largest
