"""What a policy decides in one position: the same moves that `simulate` would make (docs/policies.md)."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from mextrain.bots.process import BotFault, BotProcess
from mextrain.bots.seat import BotSeat
from mextrain.bulk.callbacks import Batch
from mextrain.bulk.seat_policies import Seats
from mextrain.errors import PolicyError, shown
from mextrain.game.moves import Move
from mextrain.game.rules import RuleSet
from mextrain.game.seeding import FIRST_POLICY_WORD, one_way_word, word
from mextrain.hidden.knowledge import PublicRecord
from mextrain.position import Position
from mextrain.searches.bench import Knowledge
from mextrain.searches.outcome import decision_seed
from mextrain.searches.searcher import Searcher, searcher
from mextrain.searches.settings import Settings
from mextrain_core.bulk.policies import COUNTING, FOREIGN
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
        self._searchers: dict[tuple[str, int], Searcher] = {}
        self._bots: dict[int, BotSeat] = {}
        self.names = self._seats.names

    def move(self, position: Position) -> Move:
        """Return the move of the policy of the seat to move, which must have a decision; nothing changes.

        Raises `PolicyError` if the policy fails or returns an illegal move.
        """
        seat = position.seat
        assert seat is not None
        callback, address = self._seats.callbacks[seat], int(self._seats.addresses[seat])
        searches = self._seats.searches[seat]
        if searches is not None and len(position.legal_moves()) > 1:
            code = self._search(position, seat, searches)
        elif (command := self._seats.commands[seat]) is not None:
            return self._ask(position, seat, command)
        elif callback is None and not address:
            code = int(choose_at(position._states, 0, self._rules.record, np.uint64(self._seats.ids[seat])))
        else:
            batch = self._look(position)
            code = int(callback(batch)[0]) if callback is not None else self._call(position, seat, batch)
        move = Move.from_code(code) if 0 <= code <= 0xFFFF else None
        if move is None or not position._is_legal(move):
            raise PolicyError(f"the policy {shown(self.names[seat])} returned {code:#x}: expected a legal move")
        return move

    def _search(self, position: Position, seat: int, method: tuple[str, int]) -> int:
        """Search like a seat of `simulate` does: play-outs are played by `counting`."""
        if method not in self._searchers:
            policies = np.full(self._rules.players, COUNTING, np.uint8), np.zeros(self._rules.players, np.uint64)
            self._searchers[method] = searcher(self._rules, Settings(*method, *policies))
        public = PublicRecord(position)
        log = public.log, len(public.log)
        knowledge = Knowledge(position._states, 0, public.tables, public.evidence, *log, seat)
        random = one_way_word(int(position._states["key"][0]), FIRST_POLICY_WORD + position.attempts - 1)
        outcome = self._searchers[method].run(knowledge, decision_seed(random, seat))
        return int(outcome.moves[outcome.best])

    def _ask(self, position: Position, seat: int, command: str) -> Move:
        """Ask the bot of a seat; after a move was taken back, a new process is told the round from its beginning."""
        bot = self._bots.get(seat)
        if bot is not None and not bot.follows(position):
            bot.bot.kill()
            bot = None
        if bot is None:
            bot = self._bots[seat] = BotSeat(BotProcess(command), seat)
        bot.follow(position)
        try:
            return bot.move(position)
        except BotFault as fault:
            bot.bot.kill()
            del self._bots[seat]
            raise PolicyError(f"the bot {command} of seat {seat} failed: {fault}") from None

    def end(self) -> None:
        """End the bots."""
        for bot in self._bots.values():
            bot.bot.quit()
        self._bots.clear()

    def _look(self, position: Position) -> Batch:
        room = position._get("legal_count") + 1
        batch = Batch(
            self._rules, new_states(1), np.empty(1, np.uint8), np.empty(1, np.uint64), np.empty(2, np.int64),
            np.empty(room, np.uint16),
        )  # fmt: skip
        written = (batch.views, batch.seats, batch.words, batch.offsets, batch.moves)
        look_at_slots(position._states, _HERE, self._rules.record, *written)
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
