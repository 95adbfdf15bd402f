"""Plays games side by side and asks the seats that Python decides for: callbacks and searches (docs/policies.md)."""

from __future__ import annotations

import numpy as np

from mextrain.bulk.callbacks import Batch, BatchPolicy
from mextrain.bulk.results import Rounds
from mextrain.bulk.searching_seats import SearchingSeats
from mextrain.bulk.seat_policies import Seats
from mextrain.errors import IllegalMove
from mextrain.game.moves import Move
from mextrain.game.rules import RuleSet
from mextrain_core.bulk.rollout import Games, Results, SeatPolicies
from mextrain_core.bulk.slots import SLOT, look_at_slots, play_in_slots, run_slots
from mextrain_core.model.limits import MAX_DECISIONS
from mextrain_core.model.state import new_states

MOST_SLOTS = 1024
"""Number of games played side by side; larger batches are no faster."""

SEARCH_SLOTS = 4
"""The same if nobody but searches is asked, who take one game at a time."""


class CallbackPlayer:
    """Plays ranges of games in which callbacks or searches decide for some of the seats."""

    def __init__(self, rules: RuleSet, seats: Seats, seed: int) -> None:
        self._rules, self._seats, self._seed = rules, seats, seed
        self._slots = MOST_SLOTS if any(seats.callbacks) else SEARCH_SLOTS
        self._searching = SearchingSeats(rules, seats, self._slots) if any(seats.searches) else None
        self._logs = None if self._searching is None else self._searching.logs

    def warm_up(self) -> None:
        """Compile the kernels of searches."""
        if self._searching is not None:
            self._searching.warm_up()

    def play(self, first_game: int, rounds: Rounds, actions: np.ndarray) -> tuple[int, int]:
        """Play `rounds.games` games; arguments and result are the same as for `simulate.Player.play`."""
        games = rounds.games
        slots = np.zeros(min(games, self._slots), SLOT)
        if self._searching is not None:
            self._searching.begin()
        states = new_states(len(slots) + 1)
        waiting = np.empty(len(slots), np.int64)
        # Each round has its own part of the array, since the rounds of different slots end in any order.
        kept = np.empty(games * rounds.rounds * MAX_DECISIONS if actions.size else 0, np.uint16)
        seats = SeatPolicies(self._seats.ids, self._seats.addresses)
        asked = Games(np.uint64(self._seed), np.uint64(first_game), games)
        results = Results(rounds.points, rounds.facts, kept)
        begun = total = 0
        while True:
            where = states, slots, self._rules.record
            count, begun, part = run_slots(*where, seats, asked, begun, results, waiting, self._logs)
            total += int(part)
            if not count:
                break
            self._decide(states, slots, waiting[:count], rounds, kept, first_game)
        moves = int(rounds.decisions.sum())
        if actions.size:
            used = np.arange(MAX_DECISIONS) < rounds.decisions.reshape(-1, 1)
            actions[:moves] = kept.reshape(-1, MAX_DECISIONS)[used]
        return total, moves

    def _decide(
        self, states: np.ndarray, slots: np.ndarray, waiting: np.ndarray, rounds: Rounds, kept: np.ndarray, first: int
    ) -> None:
        """Call each callback once for all of its waiting seats, let the others search, and play their moves."""
        to_move = states["seat"][waiting]
        for callback in {id(c): c for c in self._seats.callbacks if c is not None}.values():
            its_seats = np.array([c is callback for c in self._seats.callbacks])
            chosen = waiting[its_seats[to_move]]
            if len(chosen):
                batch = self._look(states, chosen)
                self._play(states, slots, chosen, batch, callback, rounds, kept, first)
        if self._searching is not None:
            searches = waiting[self._searching.logs.searches[to_move] != 0]
            moves = np.empty(len(searches), np.uint16)
            for k, slot in enumerate(searches.tolist()):
                moves[k] = self._searching.choose(states, slot, (int(slots["game"][slot]), int(slots["played"][slot])))
            play_in_slots(states, slots, searches, self._rules.record, moves, rounds.facts, kept, self._logs)

    def _look(self, states: np.ndarray, chosen: np.ndarray) -> Batch:
        n = len(chosen)
        room = int(states["legal_count"][chosen].sum()) + n
        batch = Batch(
            self._rules, new_states(n), np.empty(n, np.uint8), np.empty(n, np.uint64), np.empty(n + 1, np.int64),
            np.empty(room, np.uint16),
        )
        look_at_slots(
            states, chosen, self._rules.record, batch.views, batch.seats, batch.words, batch.offsets, batch.moves
        )
        return batch

    def _play(
        self,
        states: np.ndarray,
        slots: np.ndarray,
        chosen: np.ndarray,
        batch: Batch,
        callback: BatchPolicy,
        rounds: Rounds,
        kept: np.ndarray,
        first: int,
    ) -> None:
        moves = callback(batch)
        wrong = play_in_slots(states, slots, chosen, self._rules.record, moves, rounds.facts, kept, self._logs)
        if wrong >= 0:
            slot = slots[chosen[wrong]]
            legal = batch.moves[batch.offsets[wrong] : batch.offsets[wrong + 1]]
            texts = ", ".join(self._rules.actions.text(Move.from_code(int(code))) for code in legal[:8])
            raise IllegalMove(
                f"the policy of seat {batch.seats[wrong]} returned the move {moves[wrong]:#06x} "
                f"in round {slot['played']} of game {first + int(slot['game'])}: "
                f"expected one of {len(legal)} legal moves ({texts}"
                f"{', …' if len(legal) > 8 else ''})"
            )
