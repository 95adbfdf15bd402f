"""Users' own policies: compiled functions, batch callbacks and plain Python functions (docs/policies.md).

A policy sees only what its seat can see. Every decision comes with a random word for the attempt, which does not reveal
the round's key. A policy that uses no other source of randomness plays the same game for the same seed, on any number
of slots and workers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mextrain._support.lazy import cached_property
from mextrain.errors import PolicyError, shown
from mextrain.game.moves import Move
from mextrain.game.rules import RuleSet
from mextrain.game.tiles import Tile
from mextrain_core.model.limits import LETTER_A, WILD


@dataclass(frozen=True, eq=False)
class Batch:
    """Decisions of many games at once, all for seats of one `BatchPolicy`.

    `views`: STATE[n] structs, each with only what its seat sees. `seats`: uint8[n]. `words`: uint64[n], one random word
    for each decision. The legal moves of decision k are `moves[offsets[k]:offsets[k + 1]]` (uint16, ascending, stop
    last), with `offsets` int64[n + 1]. The policy may keep the arrays.
    """

    rules: RuleSet
    views: np.ndarray
    seats: np.ndarray
    words: np.ndarray
    offsets: np.ndarray
    moves: np.ndarray

    def __len__(self) -> int:
        return len(self.seats)

    @property
    def counts(self) -> np.ndarray:
        """Return the number of legal moves of each decision: int64[n]."""
        counts: np.ndarray = np.diff(self.offsets)
        return counts

    def random_moves(self) -> np.ndarray:
        """Return legal moves chosen uniformly by the random words: uint16[n].

        These are not the moves of the built-in policy `random`, which uses different random words.
        """
        high, counts = self.words >> np.uint64(32), self.counts.astype(np.uint64)
        chosen: np.ndarray = self.moves[self.offsets[:-1] + (high * counts >> np.uint64(32)).astype(np.int64)]
        return chosen


@dataclass(frozen=True)
class BatchPolicy:
    """A policy that decides for many games at once: `function(batch)` returns uint16[n], a legal move for each."""

    function: Callable[[Batch], np.ndarray]

    def __call__(self, batch: Batch) -> np.ndarray:
        answer = self.function(batch)
        try:
            chosen = np.asarray(answer)
        except Exception as error:
            raise PolicyError(f"a batch policy returned {shown(answer)}: expected {len(batch)} moves") from error
        if chosen.shape != (len(batch),) or chosen.dtype.kind not in "ui":
            raise PolicyError(
                f"a batch policy returned {chosen.dtype} {chosen.shape}: expected {len(batch)} moves as uint16"
            )
        if chosen.size and (int(chosen.min()) < 0 or int(chosen.max()) > 0xFFFF):
            raise PolicyError("a batch policy returned numbers outside 0 … 65535: expected 16-bit moves")
        return chosen.astype(np.uint16)


class Decision:
    """What the seat to move sees at one decision. A plain Python policy gets one of these."""

    def __init__(self, rules: RuleSet, view: np.ndarray, word: int, moves: np.ndarray) -> None:
        self.rules = rules
        self.view = view
        self.word = word
        self.codes = moves
        self.seat = int(view["seat"])

    @cached_property
    def legal(self) -> tuple[Move, ...]:
        """The legal moves, ascending by id, stop last."""
        return tuple(Move.from_code(int(code)) for code in self.codes)

    @cached_property
    def hand(self) -> tuple[Tile, ...]:
        """The tiles in the seat's hand, in index order."""
        rows, tables = self.view["hand"][self.seat].tolist(), self.rules.tiles.tables
        copies_left = int(self.view["a_count"][self.seat])
        found = []
        for tile, hi, lo in zip(self.rules.tiles, tables.hi.tolist(), tables.lo.tolist(), strict=True):
            if rows[hi] >> lo & 1:
                if hi == WILD and lo == LETTER_A:
                    copies_left -= 1
                    if copies_left < 0:
                        continue
                found.append(tile)
        return tuple(found)

    @property
    def hand_counts(self) -> tuple[int, ...]:
        """Number of tiles in each seat's hand."""
        return tuple(self.view["hand_count"][: self.rules.players].tolist())

    @property
    def boneyard_size(self) -> int:
        """Number of tiles that can still be drawn."""
        return int(self.view["boneyard_size"])

    def random(self, n: int) -> int:
        """Return a number in 0 … n-1, taken from the decision's random word."""
        return (self.word >> 32) * n >> 32


def for_each(function: Callable[[Decision], Any]) -> BatchPolicy:
    """Make a batch policy from a plain function that gets a `Decision` and returns one of its legal moves.

    The function may return a `Move`, its text, or its 16-bit code.
    """

    def decide(batch: Batch) -> np.ndarray:
        chosen = np.empty(len(batch), np.uint16)
        for k in range(len(batch)):
            moves = batch.moves[batch.offsets[k] : batch.offsets[k + 1]]
            decision = Decision(batch.rules, batch.views[k], int(batch.words[k]), moves)
            chosen[k] = _code(function(decision), batch.rules)
        return chosen

    return BatchPolicy(decide)


def _code(move: Any, rules: RuleSet) -> int:
    """Return the 16-bit code of the move that a plain policy returned."""
    if isinstance(move, Move):
        return move.code
    if isinstance(move, str):
        return rules.actions.parse(move).code
    if isinstance(move, (int, np.integer)) and not isinstance(move, bool) and 0 <= move <= 0xFFFF:
        return int(move)
    raise PolicyError(f"a policy returned {shown(move)}: expected a Move, its text or its 16-bit code")
