"""Observations: what a seat sees of a position, as bits for learners (docs/hidden-information.md).

An observation is packed into 64-bit words and expanded when needed. `Layout` describes its sections.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mextrain._support.integers import whole
from mextrain._support.lazy import cached_property
from mextrain.errors import MextrainError, shown
from mextrain.game.read_only import ReadOnlyPosition
from mextrain.game.rules import RuleSet, check_rules
from mextrain.hidden.knowledge import PublicRecord, check_seat
from mextrain_core.hidden.observe import SECTIONS, VERSION, expand_bits, expand_words, relative_mask, section_sizes
from mextrain_core.hidden.observe import observe as write_bits


@dataclass(frozen=True)
class Layout:
    """The positions of the sections of an observation under the given rules. Every change gets a new `version`."""

    rules: RuleSet

    def __post_init__(self) -> None:
        check_rules(self.rules)

    @property
    def version(self) -> int:
        """The version number of the layout."""
        return VERSION

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Number of bits in each section, in order."""
        tables, rules = self.rules.tiles.tables, self.rules
        sizes = section_sizes(tables.size, tables.halves, rules.players, rules.double_rule == "chicken_foot")
        return dict(zip((name for name, _, _ in SECTIONS), sizes, strict=True))

    @cached_property
    def slices(self) -> dict[str, slice]:
        """The bits of each section as a slice of an expanded observation."""
        ends = np.cumsum([*self.sizes.values()]).tolist()
        return {name: slice(end - size, end) for (name, size), end in zip(self.sizes.items(), ends, strict=True)}

    @cached_property
    def offsets(self) -> np.ndarray:
        """The first bit of each section, then the total number of bits: int64[sections + 1], for the kernels."""
        return np.cumsum([0, *self.sizes.values()])

    @property
    def bits(self) -> int:
        """Number of bits in an observation."""
        return int(self.offsets[-1])

    @property
    def words(self) -> int:
        """Number of 64-bit words in a packed observation."""
        return (self.bits + 63) // 64


def observe(standing: ReadOnlyPosition, seat: int) -> np.ndarray:
    """Return what `seat` sees, packed: uint64[`Layout(rules).words`]; bit b is bit `b & 63` of word `b >> 6`.

    Raises `PositionError` for a seat that does not exist, and for a position from a line without events.
    """
    seat = check_seat(standing, seat)
    layout = Layout(standing.rules)
    out = np.zeros(layout.words, np.uint64)
    evidence = PublicRecord(standing).evidence
    write_bits(standing._states, 0, standing.rules.record, evidence, 1, np.uint64(seat), layout.offsets, out)
    return out


def expand(words: np.ndarray, bits: int, dtype: type = np.uint8) -> np.ndarray:
    """Unpack bits into separate entries of 0 and 1: uint64[w] or uint64[n, w] in, `dtype` (uint8 or float32) out.

    The last axis of the result has the length `bits`. Raises `MextrainError` for other arrays and dtypes, and for more
    bits than the words hold.
    """
    if not isinstance(words, np.ndarray) or words.dtype != np.uint64 or words.ndim not in (1, 2):
        raise MextrainError(f"words = {shown(words)}: expected an array uint64[w] or uint64[n, w]")
    number = whole(bits)
    if number is None or not 0 <= number <= 64 * words.shape[-1]:
        raise MextrainError(f"bits = {shown(bits)}: expected 0 … {64 * words.shape[-1]}, the bits of the words")
    if not isinstance(dtype, type | np.dtype) or np.dtype(dtype) not in (np.uint8, np.float32):
        raise MextrainError(f"dtype = {shown(dtype)}: expected np.uint8 or np.float32")
    rows = np.atleast_2d(words)
    if np.dtype(dtype) == np.uint8:
        # Whole words are twice as fast; the bits wanted are the beginning of each row.
        padded = np.empty((len(rows), 8 * rows.shape[1]), np.uint64)
        expand_words(rows, padded)
        out: np.ndarray = padded.view(np.uint8)[:, :bits]
    else:
        out = np.empty((len(rows), bits), dtype)
        expand_bits(rows, out)
    return out if words.ndim == 2 else out[0]


def legal_mask(standing: ReadOnlyPosition, seat: int) -> np.ndarray:
    """Return the legal actions of `seat` as a packed mask of relative ids: uint64[(A + 63) // 64].

    All bits are 0 unless the seat has a decision to make. Raises `PositionError` for a seat that does not exist.
    """
    seat = check_seat(standing, seat)
    out = np.zeros((standing.rules.action_count + 63) // 64, np.uint64)
    moves = np.zeros(standing._get("legal_count") + 1, np.uint16)
    relative_mask(standing._states, 0, standing.rules.record, np.uint64(seat), moves, out)
    return out
