"""The seats of a game that search: they keep its public record and decide (docs/search.md)."""

from __future__ import annotations

import numpy as np

from mextrain.bulk.seat_policies import Seats
from mextrain.errors import InternalError
from mextrain.game.rules import RuleSet
from mextrain.game.seeding import FIRST_POLICY_WORD, one_way_word
from mextrain.hidden.knowledge import PublicRecord
from mextrain.position import Position
from mextrain.searches.bench import Knowledge
from mextrain.searches.outcome import decision_seed
from mextrain.searches.searcher import Searcher, searcher
from mextrain.searches.settings import BLOCK, Settings, usual_drop
from mextrain_core.bulk.policies import COUNTING
from mextrain_core.bulk.slots import EVENTS, Logs
from mextrain_core.game.events import EVENT
from mextrain_core.hidden.evidence import EVIDENCE, begin_evidence, conclude_events, fold_events
from mextrain_core.model.state import new_states


class SearchingSeats:
    """Decides for the seats that search in games side by side; play-outs are played by `counting`."""

    def __init__(self, rules: RuleSet, seats: Seats, slots: int) -> None:
        self._record = rules.record
        flags = np.array([search is not None for search in seats.searches], np.uint8)
        self.logs = Logs(np.empty((slots, EVENTS), EVENT), np.zeros((slots, rules.players), np.uint8), flags)
        self._policies = np.full(rules.players, COUNTING, np.uint8), np.zeros(rules.players, np.uint64)
        found: dict[tuple[str, int], Searcher] = {}
        for search in seats.searches:
            if search is not None and search not in found:
                found[search] = searcher(rules, Settings(*search, *self._policies, drop=usual_drop(search[1])))
        self._rules, self._found = rules, found
        self._searchers = [None if search is None else found[search] for search in seats.searches]
        self._tables = [new_states(2) for _ in range(slots)]
        self._evidence = [np.zeros(2, EVIDENCE) for _ in range(slots)]
        self._folded = [0] * slots
        self._rounds = [(-1, -1)] * slots

    def begin(self) -> None:
        """Forget the rounds of all slots: other games follow."""
        self._rounds = [(-1, -1)] * len(self._rounds)

    def warm_up(self) -> None:
        """Compile the kernels, by short searches in some round."""
        position = Position.deal(self._rules, seed=0)
        while not position.over and len(position.legal_moves()) == 1:
            position.play(position.legal_moves()[0])
        if position.seat is None:
            return
        public = PublicRecord(position)
        log = public.log, len(public.log)
        knowledge = Knowledge(position._states, 0, public.tables, public.evidence, *log, position.seat)
        for method, _ in self._found:
            searcher(self._rules, Settings(method, 2 * BLOCK, *self._policies)).run(knowledge, 0)

    def choose(self, states: np.ndarray, slot: int, number: tuple[int, int]) -> int:
        """Return the code of the move for the seat to move in `states[slot]`; `number`: game and round of the slot."""
        seat, end = int(states["seat"][slot]), int(states["events"][slot])
        if end > EVENTS:
            raise InternalError(f"game {number[0]} has {end} events in round {number[1]}: please report it")
        public = self._tables[slot], self._evidence[slot], 0, self._record
        log = self.logs.events[slot]
        if self._rounds[slot] != number:
            engine, starter = np.uint64(states["engine"][slot]), np.uint64(states["starter"][slot])
            begin_evidence(*public, engine, starter, self.logs.sizes[slot])
            self._rounds[slot], self._folded[slot] = number, 0
        self._folded[slot] = fold_events(*public, log, self._folded[slot], end)
        if self._folded[slot] != end:
            raise InternalError(f"events of game {number[0]}, round {number[1]} contradict the rules: please report it")
        conclude_events(*public, states["phase"][slot], states["turns"][slot])
        knowledge = Knowledge(states, slot, *public[:2], log, end, seat)
        word = one_way_word(int(states["key"][slot]), FIRST_POLICY_WORD + int(states["attempts"][slot]) - 1)
        found = self._searchers[seat]
        assert found is not None
        outcome = found.run(knowledge, decision_seed(word, seat))
        return int(outcome.moves[outcome.best])
