"""`Follower`: a round as one seat sees it happen, without a position that knows the other hands (docs/bots.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from mextrain.errors import PositionError, RecordError, shown
from mextrain.game.engine_deal import Beginning, callers, check_beginning, describe
from mextrain.game.events import KINDS, PLAY, Event, LogEntry
from mextrain.game.rules import RuleSet
from mextrain.game.seeding import check_seed
from mextrain.game.setup import Setup
from mextrain.game.tiles import Tile
from mextrain.hidden.knowledge import PublicRecord, Seen
from mextrain.hidden.placements import history_of
from mextrain.notation.course import Course
from mextrain.notation.snapshot import UNSEEN
from mextrain.position import Position
from mextrain_core.game.events import EVENT
from mextrain_core.hidden.sampler import count_places, next_placement, warm_up
from mextrain_core.hidden.worlds import WORLDS, Public, open_worlds
from mextrain_core.model.limits import NONE
from mextrain_core.model.state import PHASE_DECIDE, PHASE_TURN, new_states

CHECKS = 5
"""Hidden worlds in which events are replayed to check them."""


class Follower:
    """A round that `seat` follows: its own hand as dealt, and the events so far.

    Draws of others are written `2:draw ?`. `hand` may be tiles or texts. `sizes` has the number of tiles with which
    each seat began; by default they are those that the rules deal, and if they deal the engine, the starter laid it
    from its hand. Raises `PositionError` for a wrong seat, engine, hand or size, `TileError` for a text that is not a
    tile.
    """

    def __init__(
        self,
        rules: RuleSet,
        *,
        engine: Tile | str,
        starter: int,
        seat: int,
        hand: Sequence[Tile | str],
        sizes: Sequence[int] | None = None,
    ) -> None:
        self.rules = rules
        self.engine = engine if isinstance(engine, Tile) else rules.tiles.parse(engine)
        self.hand_dealt = tuple(tile if isinstance(tile, Tile) else rules.tiles.parse(tile) for tile in hand)
        if not self.engine.is_double:
            raise PositionError(f"the engine {self.engine} is not a double")
        for name, value in (("starter", starter), ("seat", seat)):
            if not 0 <= value < rules.players:
                raise PositionError(f"{name} = {shown(value)}: expected a seat 0 … {rules.players - 1}")
        if sizes is None:
            was_held = rules.engine_from != "set_aside"
            sizes = [rules.hand_size - (was_held and q == starter) for q in range(rules.players)]
        self.sizes = tuple(sizes)
        if len(self.sizes) != rules.players or len(self.hand_dealt) != self.sizes[seat]:
            expected = f"{self.sizes[seat]}" if len(self.sizes) == rules.players else f"sizes of {rules.players} hands"
            raise PositionError(f"the hand has {len(self.hand_dealt)} tiles: the rules deal {expected}")
        begun = Beginning(starter, self.sizes)
        if not callers(rules, begun):
            raise PositionError(f"the round begins with {describe(begun)}: the rules do not deal that")
        check_beginning(rules, self.engine, begun, {seat: self.hand_dealt})
        available = Counter(rules.tiles)
        available[self.engine] -= 1
        for tile, count in Counter(self.hand_dealt).items():
            if count > available[tile]:
                raise PositionError(f"the hand has {tile} {count} times: expected {max(available[tile], 0)} at most")
        self.starter, self.seat = starter, seat
        self.events: list[Event] = []

    def read(self, text: str) -> Event:
        """Return an event as this seat sees it. Raises `RecordError`."""
        what, _, tile = text.partition(" ")
        if tile != UNSEEN:
            event = Event.parse(text, self.rules.actions)
            if event.is_draw and event.seat != self.seat:
                return Event(event.seat, event.kind, None, None, f"{event.seat}:{event.kind} {UNSEEN}")
            return event
        drawn = Event.parse(f"{what} {self.engine}", self.rules.actions)
        if drawn.seat == self.seat:
            raise RecordError(f"{shown(text)} is a draw of the seat itself, which knows the tile: give it")
        return Event(drawn.seat, drawn.kind, None, None, text)

    def add(self, text: str) -> None:
        """Add an event. It is checked when a position is asked for. Raises `RecordError` if it is not an event."""
        self.events.append(self.read(text))

    @property
    def hand(self) -> tuple[Tile, ...]:
        """The tiles of the seat now, in the order of the set."""
        held = Counter(self.hand_dealt)
        for event in self.events:
            if event.seat == self.seat and event.tile is not None:
                held[event.tile] += -1 if event.is_decision else 1
        return tuple(sorted((+held).elements(), key=self.rules.tiles.index))

    def position(self, seed: int = 0, deciding: bool = True) -> Position:
        """Return the round with hidden tiles that fit all that was seen, sampled with `seed`; the caller draws.

        `deciding`: the seat itself has to decide now, and that nobody has to draw is known, too. Raises `PositionError`
        if the events contradict the rules.
        """
        worlds = self._worlds(seed, deciding)[0]
        hands, draws = history_of(worlds, self.rules.players)
        setup = Setup(self.rules, self.engine, self.starter, None, 0, hands, None)
        position = Position(setup, "explicit")
        drawn = iter(draws)
        texts = []
        for event in self.events:
            tile = next(drawn) if event.is_draw else None
            texts.append(event.text if tile is None else f"{event.seat}:{event.kind} {self.rules.tiles[tile]}")
        try:
            Course(position, texts, goes_on=True).run()
        except RecordError as error:
            at = "" if error.event is None else f" at event {error.event}"
            raise PositionError(f"the events contradict the rules{at}: {error.reason}") from None
        if deciding and (position.seat != self.seat or position.pending_draw):
            raise PositionError(f"by the events seat {position.seat} is to move, not seat {self.seat}")
        return position

    def check(self) -> None:
        """Raise `PositionError` if the events so far contradict the rules."""
        for seed in range(CHECKS):
            try:
                self.position(seed, deciding=False)
                return
            except PositionError as error:
                # In this world the next seat cannot play, which opens its train; in another it can.
                if "the events end, but" not in error.reason:
                    raise

    def places(self, count: int, seed: int = 0, deciding: bool = False) -> np.ndarray:
        """Return how often each tile was in each place in `count` samples: int64[tiles, players + 1], boneyard last."""
        worlds, states, log = self._worlds(seed, deciding)
        out = np.zeros((len(self.rules.tiles), self.rules.players + 1), np.int64)
        room = np.zeros(16, EVENT)
        if count_places(worlds, 0, self.rules.record, count, states, 1, room, log, len(log), out) != count:
            raise PositionError("no hidden tiles fit the events")
        return out

    def _worlds(self, seed: int, deciding: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        seed, rules = check_seed(seed), self.rules
        log = [self._entry(event) for event in self.events]
        seen = Seen(rules, self.engine, self.starter, self.sizes, log)
        phase, turns = (PHASE_DECIDE, 0) if deciding else (PHASE_TURN, 0)
        public = PublicRecord.of(seen, phase, turns)
        if deciding and int(public.tables["seat"][0]) != self.seat:
            # The turn of the seat before ended without an event, as when a chain finds no further tile.
            public = PublicRecord.of(seen, phase, int(public.tables["turns"][0]) + 1)
        which = 1 if deciding else 0
        states, worlds = new_states(2), np.zeros(1, WORLDS)
        states[0] = public.tables[which]
        states["phase"], states["turns"] = phase, public.tables["turns"][which]
        self._write_hand(states)
        known = Public(public.tables, public.evidence, which)
        who = np.uint64(self.seat), np.uint64(seed)
        where = public.log, len(public.log)
        fits = open_worlds(worlds, 0, rules.record, known, states, 0, *where, *who)
        if fits:
            warm_up(worlds, 0)
            fits = next_placement(worlds, 0, rules.record, states, 1, np.zeros(16, EVENT), *where)
        if not fits:
            raise PositionError("no hidden tiles fit the events")
        return worlds, states, public.log

    def _entry(self, event: Event) -> LogEntry:
        data = NONE
        if event.kind == PLAY and event.move is not None:
            data = event.move.code
        elif event.tile is not None:
            data = self.rules.tiles.index(event.tile)
        return KINDS.index(event.kind), event.seat, data, 0

    def _write_hand(self, states: np.ndarray) -> None:
        tiles = self.rules.tiles
        hand = states["hand"][0, self.seat]
        hand[:] = 0
        for tile in self.hand:
            index = tiles.index(tile)
            hi, lo = int(tiles.tables.hi[index]), int(tiles.tables.lo[index])
            hand[hi] |= np.uint64(1 << lo)
            hand[lo] |= np.uint64(1 << hi)
        states["a_count"][0, self.seat] = sum(str(tile) == "*-A" for tile in self.hand)
