"""The memory and the calls of one thread that searches: worlds are sampled here, and rounds are played out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mextrain.errors import InternalError, PolicyError
from mextrain.game.rules import RuleSet
from mextrain.game.seeding import mix
from mextrain.searches.settings import Settings
from mextrain_core.bulk.rollout import ALL_RULES, COPIES_KERNELS, SeatPolicies, all_random, usual_rules
from mextrain_core.bulk.slots import look_at_slots
from mextrain_core.game.events import EVENT
from mextrain_core.game.movegen import legal_moves
from mextrain_core.hidden.sampler import sample_worlds, warm_up
from mextrain_core.hidden.view import view_state
from mextrain_core.hidden.worlds import WORLDS, Public, open_worlds
from mextrain_core.model.state import FAULT, new_states
from mextrain_core.search.flat import branch
from mextrain_core.search.leaves import MAX_VALUE, SCALE, settle_leaves, value_leaves
from mextrain_core.search.playout import play_copies_calling
from mextrain_core.search.prior import value_moves
from mextrain_core.search.utility import rate


class Knowledge(NamedTuple):
    """What a seat knows at its decision: its view of the round, and the public record.

    `states[place]`: the round, of which only the seat's view is read. `tables`, `evidence`: as in `PublicRecord`, whose
    entry 1 is concluded. `log[:end]`: the public events.
    """

    states: np.ndarray
    place: int
    tables: np.ndarray
    evidence: np.ndarray
    log: np.ndarray
    end: int
    seat: int


class Played(NamedTuple):
    """Results of play-outs, one row each: points and facts as `play_copies` writes them, and utilities by seat."""

    points: np.ndarray
    worth: np.ndarray
    facts: np.ndarray


class Bench:
    """Everything that one thread needs to play blocks for one set of rules."""

    def __init__(self, rules: RuleSet, settings: Settings) -> None:
        self._record = rules.record
        self._players = rules.players
        self._worlds = np.zeros(2, WORLDS)
        self._raw = self._worlds.view(np.uint8).reshape(2, -1)
        self._scratch, self._events = new_states(2), np.zeros(16, EVENT)
        self._most, self._value, self._address = settings.most_worlds, settings.value, settings.value_address
        self._prior = settings.prior
        self._wanted = settings.utility, settings.futures * settings.scale
        self._seats = settings.ids, settings.addresses
        usual = usual_rules(self._record)
        self._is_calling = bool(settings.addresses.any())
        self._play = COPIES_KERNELS[usual, usual != ALL_RULES and all_random(settings.ids)]
        self._log: tuple[np.ndarray, int] = (self._events, 0)
        self.states = new_states(1 + self._most)
        """STATE: entry 0 is the seat's view, entries 1 … `most_worlds` are the sampled worlds, and after them come the
        states to play out."""
        self._room = 0
        self._make_room(64)

    def _make_room(self, states: int) -> None:
        if states > self._room:
            self._room = 1 << (states - 1).bit_length()
            sampled, self.states = self.states, new_states(1 + self._most + self._room)
            self.states[: 1 + self._most] = sampled[: 1 + self._most]
            self._keys = np.empty(self._room, np.uint64)
            self._origins = np.arange(self._room, dtype=np.uint32)
            self._points, self._worth = np.empty((2, self._room, self._players), np.int64)
            self._facts = np.empty((self._room, 7), np.int32)

    def open(self, knowledge: Knowledge, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Set up the sampler for what a seat knows.

        Returns its legal moves as codes (uint16), and the prior of each: what `counting` thinks of it (int64, ties
        broken by `seed`) unless the settings have a prior (float64).
        """
        seat = np.uint64(knowledge.seat)
        view_state(self.states, 0, knowledge.states, knowledge.place, self._record, seat)
        self._log = knowledge.log, knowledge.end
        public = Public(knowledge.tables, knowledge.evidence, 1)
        if not open_worlds(self._worlds, 0, self._record, public, self.states, 0, *self._log, seat, np.uint64(0)):
            raise InternalError(f"no hidden tiles fit what seat {knowledge.seat} has seen: please report the position")
        count = int(self.states["legal_count"][0]) + 1
        moves, values = np.empty(count, np.uint16), np.empty(count, np.int64)
        count = legal_moves(self.states, 0, self._record, moves)
        if self._prior is not None:
            return moves[:count], self._prior(*self._look(np.zeros(1, np.int64)))
        value_moves(self.states, 0, self._record, np.uint64(mix(seed)), values)
        return moves[:count], values[:count]

    def share(self, other: Bench) -> None:
        """Take over what another bench was opened for."""
        self.states[0] = other.states[0]
        self._log = other._log
        self._raw[0] = other._raw[0]

    def sample(self, seed: int, count: int) -> None:
        """Sample the worlds of a block, at most `most_worlds`, into `states[1 : 1 + count]`."""
        self._raw[1] = self._raw[0]
        self._worlds["random"][1] = seed
        warm_up(self._worlds, 1)
        done = sample_worlds(self._worlds, 1, self._record, self.states, 0, 1, count, self._events, *self._log)
        if done != count:
            raise InternalError("no hidden tiles fit what a seat has seen: please report the position")

    def try_moves(self, moves: np.ndarray, live: np.ndarray, worlds: int) -> Played:
        """Play each live move in each of the sampled worlds, and the rounds to their end."""
        count = worlds * len(live)
        self._make_room(count)
        branch(self.states, self._record, 1, worlds, moves, live, 1 + self._most, self._keys)
        return self._play_out(1 + self._most, count)

    def play_out(self, worlds: int) -> Played:
        """Play the states of the block to the end of their rounds."""
        self._make_room(worlds)
        self._keys[:worlds] = self.states["key"][1 : 1 + worlds]
        return self._play_out(1, worlds)

    def _play_out(self, first: int, count: int) -> Played:
        played = Played(self._points[:count], self._worth[:count], self._facts[:count])
        if self._value is not None or self._address:
            self._value_leaves(first, played.points, played.facts)
        else:
            self._play_rounds(first, count, played.points, played.facts)
        rate(played.points, *self._wanted, played.worth)
        return played

    def _play_rounds(self, first: int, count: int, points: np.ndarray, facts: np.ndarray) -> None:
        where = self._origins[:count], self._keys[:count], self._scratch, points, facts
        if self._is_calling:
            play_copies_calling(self.states[first:], self._record, SeatPolicies(*self._seats), *where)
        else:
            self._play(self.states[first:], self._record, self._seats[0], *where)
        if facts[:, 0].max() >= FAULT:
            raise InternalError("a play-out did not end: please report the position")

    def _value_leaves(self, first: int, points: np.ndarray, facts: np.ndarray) -> None:
        """Let the function of the caller say what the leaves are worth. It sees views of the seats to move."""
        waiting = np.empty(len(points), np.int64)
        n = settle_leaves(self.states, first, len(points), self._record, points, facts, waiting)
        waiting = waiting[:n]
        if n and self._value is not None:
            points[waiting - first] = np.rint(self._value(*self._look(waiting)) * SCALE)
        elif n:
            address, guess = np.uint64(self._address), np.empty(self._players)
            done = value_leaves(self.states, waiting, self._record, self._scratch, address, first, points, guess)
            if done != n:
                raise PolicyError(
                    f"a compiled value function failed: expected points of all {self._players} seats, at most "
                    f"{MAX_VALUE:,}, and the result 0"
                )

    def _look(self, waiting: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return what the seats to move see in the states `waiting`, as `look_at_slots` writes it."""
        n = len(waiting)
        room = int(self.states["legal_count"][waiting].sum()) + n
        seen = (new_states(n), np.empty(n, np.uint8), np.empty(n, np.uint64), np.empty(n + 1, np.int64))
        moves = np.empty(room, np.uint16)
        look_at_slots(self.states, waiting, self._record, *seen, moves)
        return *seen, moves[: seen[3][-1]]
