"""All operations on a `Position`, in any order, by a Hypothesis state machine.

The machine keeps the bytes of earlier states and the events, and checks the invariants of the state after every step.
Moves are chosen by index, so that a failure shrinks to a short list of them.
"""

from __future__ import annotations

import pickle

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from mextrain import IllegalMove, Position, PositionError, RuleSet, replay
from mextrain_core.game.invariants import BROKEN, broken_invariant
from tests.strategies import rounds

NUMBERS = st.integers(0, 2**16)


def state_of(position: Position) -> tuple[bytes, list[tuple[int, int, int, int]]]:
    """The bytes of a position, and its log."""
    return position._raw.tobytes(), list(position.log)


class PositionMachine(RuleBasedStateMachine):
    """A position, its states before each step, and copies."""

    position: Position

    @initialize(this=rounds(), explicit=st.booleans())
    def begin(self, this: tuple[RuleSet, int, int, str, int | None], explicit: bool) -> None:
        rules, seed, game, engine, starter = this
        chance = "explicit" if explicit else "stream"
        self.position = Position.deal(rules, seed=seed, game=game, engine=engine, starter=starter, chance=chance)
        self.past: list[tuple[bytes, list[tuple[int, int, int, int]]]] = []
        self.aside: list[tuple[Position, tuple[bytes, list[tuple[int, int, int, int]]]]] = []

    def legal(self) -> tuple[int, ...]:
        return self.position.legal_ids()

    def remember(self) -> None:
        self.past.append(state_of(self.position))

    @precondition(lambda self: self.legal())
    @rule(number=NUMBERS, how=st.sampled_from(("id", "move", "text", "try", "unchecked")))
    def play(self, number: int, how: str) -> None:
        self.remember()
        position, at = self.position, number % len(self.legal())
        if how == "id":
            position.play(position.legal_ids()[at])
        elif how == "move":
            position.play(position.legal_moves()[at])
        elif how == "text":
            position.play(position.legal_texts()[at])
        elif how == "try":
            assert position.try_play(position.legal_ids()[at])
        else:
            position.play_unchecked(position.legal_ids()[at])

    @precondition(lambda self: self.legal())
    @rule(numbers=st.lists(NUMBERS, min_size=5, max_size=30))
    def play_on(self, numbers: list[int]) -> None:
        """Make many moves at once, so that rounds reach their end."""
        for number in numbers:
            if self.legal():
                self.play(number, "id")
                self.check()

    @precondition(lambda self: self.position.pending_draw)
    @rule(number=NUMBERS)
    def draw(self, number: int) -> None:
        self.remember()
        boneyard = self.position.boneyard
        tile = boneyard[number % len(boneyard)]
        before = self.position.draws
        self.position.draw(tile)
        assert self.position.draws == before + 1

    @rule(number=NUMBERS)
    def try_something_illegal(self, number: int) -> None:
        action = number % self.position.rules.action_count
        if action in self.legal():
            return
        before = state_of(self.position)
        assert not self.position.try_play(action)
        assert not self.position.is_legal(action)
        with pytest.raises(IllegalMove):
            self.position.play(action)
        assert state_of(self.position) == before

    @rule(number=NUMBERS)
    def draw_something_impossible(self, number: int) -> None:
        tiles = self.position.rules.tiles
        tile = tiles[number % len(tiles)]
        if self.position.pending_draw and tile in self.position.boneyard:
            return
        before = state_of(self.position)
        with pytest.raises(IllegalMove):
            self.position.draw(tile)
        assert state_of(self.position) == before

    @rule(times=st.integers(1, 4))
    def undo(self, times: int) -> None:
        for _ in range(times):
            if self.past:
                self.position.undo()
                assert state_of(self.position) == self.past.pop()
            else:
                with pytest.raises(PositionError):
                    self.position.undo()

    @rule(pickled=st.booleans(), swap=st.booleans())
    def put_a_copy_aside(self, pickled: bool, swap: bool) -> None:
        twin = pickle.loads(pickle.dumps(self.position)) if pickled else self.position.copy()
        assert twin == self.position
        assert twin.identity() == self.position.identity()
        assert state_of(twin) == state_of(self.position)
        if swap:
            self.position, twin = twin, self.position
        self.aside = [*self.aside[-3:], (twin, state_of(twin))]

    @rule()
    def start_again(self) -> None:
        again = self.position.restart()
        assert again.start == self.position.start
        if not self.past:
            assert again == self.position

    @precondition(lambda self: self.position.over)
    @rule()
    def write_and_replay(self) -> None:
        again = replay(self.position.record(legal=True))
        assert again.events == self.position.events
        assert again.points == self.position.points

    @invariant()
    def check(self) -> None:
        position = self.position
        assert BROKEN[broken_invariant(position._states, 0, position.rules.record)] == BROKEN[0]
        assert (position.seat is None) == position.over == (position.end is not None)
        assert bool(self.legal()) == (not position.over and position.pending_draw is None)
        for twin, state in self.aside:
            assert state_of(twin) == state


PositionMachine.TestCase.settings = settings(
    max_examples=60, stateful_step_count=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
TestPosition = PositionMachine.TestCase
