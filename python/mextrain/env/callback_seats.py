"""Seats of an environment that Python callbacks play (docs/policies.md)."""

from __future__ import annotations

import numpy as np

from mextrain.bulk.callbacks import Batch, BatchPolicy
from mextrain.bulk.seat_policies import Seats
from mextrain.env.spec import Spec
from mextrain.errors import IllegalMove
from mextrain.game.moves import Move
from mextrain_core.bulk.slots import look_at_slots
from mextrain_core.env import envs
from mextrain_core.model.state import new_states


class CallbackSeats:
    """Asks the callbacks of the environments that wait for them."""

    def __init__(self, spec: Spec, seats: Seats) -> None:
        self._rules = spec.rules
        callbacks = {seat: c for seat, c in enumerate(seats.callbacks) if c is not None and seat not in spec.outside}
        self._seats: dict[BatchPolicy, np.ndarray] = {
            each: np.array([callbacks.get(seat) is each for seat in range(spec.rules.players)])
            for each in dict.fromkeys(callbacks.values())
        }

    def __bool__(self) -> bool:
        return bool(self._seats)

    def choose(self, batch: envs.Batch, moves: np.ndarray) -> bool:
        """Write into `moves` what the callbacks choose, LEAVE elsewhere; returns whether any environment waits for one.

        Raises `IllegalMove` for a move that is not legal, and `PolicyError` for an answer of another form.
        """
        moves[:] = envs.LEAVE
        to_move = batch.states["seat"][: len(moves)]
        plays = batch.envs["status"] == envs.PLAYING
        waits = False
        for callback, its_seats in self._seats.items():
            waiting = np.flatnonzero(its_seats[to_move] & plays)
            if len(waiting):
                moves[waiting] = self._ask(batch, callback, waiting)
                waits = True
        return waits

    def _ask(self, batch: envs.Batch, callback: BatchPolicy, waiting: np.ndarray) -> np.ndarray:
        n = len(waiting)
        room = int(batch.states["legal_count"][waiting].sum()) + n
        seen = Batch(
            self._rules, new_states(n), np.empty(n, np.uint8), np.empty(n, np.uint64), np.empty(n + 1, np.int64),
            np.empty(room, np.uint16),
        )  # fmt: skip
        look_at_slots(batch.states, waiting, batch.rules, seen.views, seen.seats, seen.words, seen.offsets, seen.moves)
        chosen = callback(seen)
        legal = np.repeat(chosen, seen.counts) == seen.moves[: seen.offsets[-1]]
        is_legal = np.logical_or.reduceat(legal, seen.offsets[:-1])
        if not is_legal.all():
            k = int(np.argmin(is_legal))
            i = int(waiting[k])
            record = batch.envs[i]
            codes = seen.moves[seen.offsets[k] : seen.offsets[k + 1]].tolist()
            texts = [self._rules.actions.text(Move.from_code(code)) for code in codes]
            raise IllegalMove(
                f"the policy of seat {seen.seats[k]} returned the move {chosen[k]:#06x} in round {record['number']} of "
                f"game {record['game']}, seed {record['seed']}, environment {i}: expected one of {len(texts)} legal "
                f"moves ({', '.join(texts[:8])}{', …' if len(texts) > 8 else ''})"
            )
        return chosen
