"""What a policy decides in one position: the same moves that `simulate` would make (docs/policies.md)."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from mextrain.bulk.callbacks import Batch
from mextrain.bulk.seat_policies import Seats
from mextrain.errors import PolicyError, shown
from mextrain.game.moves import Move
from mextrain.game.rules import RuleSet
from mextrain.game.seeding import FIRST_POLICY_WORD, word
from mextrain.position import Position
from mextrain_core.bulk.policies import FOREIGN
from mextrain_core.bulk.rollout import choose_at
from mextrain_core.bulk.slots import look_at_slots
from mextrain_core.model.state import new_states

_HERE = np.zeros(1, np.int64)


class Deciders:
    """The policies of a table, which decide one move at a time. `names`: by seat.

    `policies` is what `simulate` takes. Raises `PolicyError`.
    """

    def __init__(self, rules: RuleSet, policies: Any) -> None:
        self._rules = rules
        self._seats = Seats.of(policies, rules.players)
        self.names = self._seats.names

    def move(self, position: Position) -> Move:
        """Return the move of the policy of the seat to move, which must have a decision; nothing changes.

        Raises `PolicyError` if the policy fails or returns an illegal move.
        """
        seat = position.seat
        assert seat is not None
        callback, address = self._seats.callbacks[seat], int(self._seats.addresses[seat])
        if callback is None and not address:
            code = int(choose_at(position._states, 0, self._rules.record, np.uint64(self._seats.ids[seat])))
        else:
            batch = self._look(position)
            code = int(callback(batch)[0]) if callback is not None else self._call(position, seat, batch)
        move = Move.from_code(code) if 0 <= code <= 0xFFFF else None
        if move is None or not position._is_legal(move):
            raise PolicyError(f"the policy {shown(self.names[seat])} returned {code:#x}: expected a legal move")
        return move

    def _look(self, position: Position) -> Batch:
        room = position._get("legal_count") + 1
        batch = Batch(
            self._rules, new_states(1), np.empty(1, np.uint8), np.empty(1, np.uint64), np.empty(2, np.int64),
            np.empty(room, np.uint16),
        )  # fmt: skip
        look_at_slots(
            position._states, _HERE, self._rules.record, batch.views, batch.seats, batch.words, batch.offsets, batch.moves
        )
        return batch

    def _call(self, position: Position, seat: int, batch: Batch) -> int:
        """Call the compiled function of a seat; only a function of the user gets the one-way word."""
        is_foreign = int(self._seats.ids[seat]) == FOREIGN
        key, attempt = int(position._states["key"][0]), FIRST_POLICY_WORD + position.attempts - 1
        random = int(batch.words[0]) if is_foreign else word(key, attempt)
        function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64)
        answer = function(int(self._seats.addresses[seat]))(
            batch.views.ctypes.data, self._rules.record.ctypes.data, random
        )
        return int(answer)
