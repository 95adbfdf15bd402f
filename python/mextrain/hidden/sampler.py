"""Hidden worlds: the possible places of the tiles that a seat cannot see (docs/hidden-information.md).

A *history* is the outcome of all chance in a round: all hands as dealt, and every draw. It is consistent with what a
seat has seen if the seat's own tiles match, and if replaying the round with it gives the same public events.
`determinize` samples uniformly among consistent histories. `count_worlds` counts them exactly if there are few.
`beliefs` gives the probable place of each unseen tile.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from mextrain._support.integers import whole
from mextrain._support.memory import room_for
from mextrain.errors import InternalError, MextrainError, shown
from mextrain.game.seeding import check_seed
from mextrain.game.setup import Setup
from mextrain.hidden.knowledge import PublicRecord, check_seat
from mextrain.hidden.placements import Draws, Hands, history_of
from mextrain.hidden.view import sample_view
from mextrain.notation.read import read
from mextrain.position import Position
from mextrain_core.game.events import EVENT
from mextrain_core.hidden.sampler import count_places, next_placement, sample_worlds, warm_up
from mextrain_core.hidden.worlds import WORLDS, Public, open_worlds
from mextrain_core.model.state import new_states

MAX_COUNT = 10**12
"""The most samples that one call may take. They would take months."""


class WorldSampler:
    """Samples what `seat` cannot see in `position`. The same seed gives the same samples.

    Samples depend only on what the seat knows and on `seed`, not on the hidden tiles or the round key. Raises
    `PositionError` for a seat that does not exist, `SeedError` for a seed outside 0 … 2**64 - 1.
    """

    def __init__(self, position: Position, seat: int, seed: int) -> None:
        self._seat = check_seat(position, seat)
        # The caller may go on playing the position while taking samples.
        self._position = position.copy()
        self._worlds = np.zeros(1, WORLDS)
        # The round itself, and room for one sample.
        self._states = new_states(2)
        self._states[0] = position._states[0]
        public = PublicRecord(position)
        self._log = np.zeros(16, EVENT), public.log, len(public.log)
        seen = Public(public.tables, public.evidence, 1)
        who = np.uint64(self._seat), np.uint64(check_seed(seed))
        is_open = open_worlds(self._worlds, 0, self._record, seen, self._states, 0, *self._log[1:], *who)
        self._check(is_open)
        warm_up(self._worlds, 0)
        self._step()

    @property
    def _record(self) -> np.ndarray:
        return self._position.rules.record

    def _check(self, done: bool) -> None:
        if not done:
            seen = f"what seat {self._seat} has seen"
            raise InternalError(f"no hidden tiles fit {seen}: please report {self._position!r}")

    def _step(self) -> None:
        self._check(next_placement(self._worlds, 0, self._record, self._states, 1, *self._log))

    def history(self) -> tuple[Hands, Draws]:
        """Return the current sample as tile indices: the hands as dealt, and the draws in order.

        The three `*-A` are 105, 106 and 107, in no particular order.
        """
        return history_of(self._worlds, self._position.rules.players)

    def histories(self) -> Iterator[tuple[Hands, Draws]]:
        """Yield samples forever, each as `history` returns it."""
        while True:
            yield self.history()
            self._step()

    def states(self, count: int) -> np.ndarray:
        """Return `count` samples as a STATE array of that length: the position with other hands, boneyard and key.

        Raises `MextrainError` unless `count` is a whole number 0 … 10**12, and if so many samples do not fit into
        memory.
        """
        count = _count(count)
        with room_for("count", count, "ask for fewer samples"):
            states = new_states(count + 1)
        states[0] = self._states[0]
        self._check(sample_worlds(self._worlds, 0, self._record, states, 0, 1, count, *self._log) == count)
        return states[1:]

    def places(self, count: int) -> np.ndarray:
        """Count how often each tile is in each place in `count` samples: int64[tiles of the set, players + 1].

        The last column is the boneyard. Raises `MextrainError` unless `count` is a whole number 0 … 10**12.
        """
        count = _count(count)
        rules = self._position.rules
        out = np.zeros((len(rules.tiles), rules.players + 1), np.int64)
        self._check(count_places(self._worlds, 0, self._record, count, self._states, 1, *self._log, out) == count)
        return out

    def positions(self) -> Iterator[Position]:
        """Yield samples forever, as positions with the same public events (see `determinize`)."""
        for hands, draws in self.histories():
            yield replayed(self._position, self._seat, hands, draws, int(self._worlds["random"][0]))


def _count(count: object) -> int:
    number = whole(count)
    if number is None or not 0 <= number <= MAX_COUNT:
        raise MextrainError(f"count = {shown(count)}: expected a whole number of samples 0 … {MAX_COUNT:,}")
    return number


def replayed(position: Position, seat: int, hands: Hands, draws: Draws, key: int) -> Position:
    """Return the round of `position` replayed with another deal and other draws, given as tile indices.

    `key` decides the future draws. Raises `InternalError` if `seat` would have seen something else.
    """
    rules = position.rules
    known = {rules.tiles.index(position.engine), *draws, *(tile for hand in hands for tile in hand)}
    rest = [tile for tile in range(len(rules.tiles)) if tile not in known]
    random.Random(key).shuffle(rest)
    order = (*draws, *rest) if position.chance == "stream" else None
    sample = Position(Setup(rules, position.engine, position.starter, None, 0, hands, order), position.chance)
    for event in position.events:
        if event.move is not None:
            sample.play_unchecked(event.move)
        elif event.is_draw and order is None:
            sample.draw(rules.tiles[draws[sample.draws]])
    if not _same_seen(position, sample, seat):
        raise InternalError(f"a sampled world does not give what was seen: please report {position!r}")
    return sample


def _same_seen(a: Position, b: Position, seat: int) -> bool:
    """Whether `seat` has seen the same in both positions."""
    if a.hands[seat] != b.hands[seat] or len(a.events) != len(b.events):
        return False
    for ours, theirs in zip(a.events, b.events, strict=True):
        if (ours.seat, ours.kind) != (theirs.seat, theirs.kind):
            return False
        if ours.text != theirs.text and (not ours.is_draw or ours.seat == seat):
            return False
    return True


def determinize(position: Position | str, seat: int, seed: int) -> Position:
    """Return a position in which everything that `seat` cannot see is sampled, uniformly over consistent histories.

    The seat knows the same in both positions, and the public events are the same, except that the tiles drawn by others
    may differ. Future draws are new. Nothing of the true deal, draw order or round key remains. The same knowledge and
    seed give the same sample. To take many samples of one position, use `WorldSampler`, which is faster.

    `position` may be a line that was written with events, also as `seat` sees it: `line(for_seat=seat, events=True)`.

    Raises `PositionError` for a seat that does not exist, and for a line that does not have what the seat has seen;
    `SeedError` for a seed outside 0 … 2**64 - 1.
    """
    if isinstance(position, str):
        snapshot = read(position)
        if snapshot.hidden and snapshot.events is not None:
            return sample_view(snapshot, seat, seed)
        position = Position.from_line(position)
    return next(WorldSampler(position, seat, seed).positions())
