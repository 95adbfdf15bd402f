"""Lines with events: they keep the whole course of a round, and are refused if the events lead elsewhere."""

from __future__ import annotations

import contextlib
import pickle
import random
import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mextrain import Position, PositionError, RuleSet, WorldSampler, beliefs, determinize, information_text
from tests.strategies import rounds

SMALL = RuleSet.mexican(3, tile_set="double-4", hand_size=3)

Named = tuple[RuleSet, int, int, str, int | None]


def step(position: Position, dice: random.Random) -> None:
    if position.pending_draw:
        position.draw(dice.choice(position.boneyard))
    else:
        position.play(dice.choice(position.legal_moves()))


def reached(this: Named, seed: int, moves: int, explicit: bool = False) -> Position:
    """A round after some random moves."""
    rules, number, game, engine, starter = this
    chance = "explicit" if explicit else "stream"
    position = Position.deal(rules, seed=number, game=game, engine=engine, starter=starter, chance=chance)
    dice = random.Random(seed)
    for _ in range(moves):
        if not position.over:
            step(position, dice)
    return position


@settings(max_examples=120)
@given(rounds(), st.integers(0, 2**32 - 1), st.integers(0, 120), st.booleans())
def test_the_whole_course_survives(this: Named, seed: int, moves: int, explicit: bool) -> None:
    position = reached(this, seed, moves, explicit)
    for key in (True, False):
        line = position.line(events=True, key=key)
        again = Position.from_line(line)
        assert again.line(events=True, key=key) == line
        assert again.events == position.events
        assert again.line(key=key) == position.line(key=key)
        assert [sorted(hand) for hand in again.start.hands] == [sorted(hand) for hand in position.start.hands]
        assert (again == position) or not key
        for seat in range(position.rules.players):
            assert information_text(again, seat) == information_text(position, seat)
        assert pickle.loads(pickle.dumps(again)) == again


@settings(max_examples=40)
@given(rounds(), st.integers(0, 2**32 - 1), st.integers(0, 60))
def test_a_line_without_draws_goes_on_as_the_plain_line_does(this: Named, seed: int, moves: int) -> None:
    """Draws that a line does not decide come from the stream of seed 0, with or without events."""
    position = reached(this, seed, moves)
    plain, full = Position.from_line(position.line()), Position.from_line(position.line(events=True))
    dice = random.Random(seed)
    while not plain.over:
        move = dice.choice(plain.legal_moves())
        plain.play(move)
        full.play(move)
    assert full.line() == plain.line()


def test_the_form_of_the_field() -> None:
    position = Position.deal(SMALL, seed=131, starter=1)
    assert position.line(events=True) == position.line().replace("position/1", "position/2") + "; events none"
    for move in ("4-0@1", "stop", "4-3@0"):
        position.play(move)
    line = position.line(events=True)
    assert line.endswith("chance hidden; events 1:4-0@1 1:stop 2:draw 3-1 2:open 0:4-3@0")
    assert position.line(events=True, for_seat=0).endswith("; events 1:4-0@1 1:stop 2:draw ? 2:open 0:4-3@0")
    assert position.line(events=True, for_seat=2).endswith("; events 1:4-0@1 1:stop 2:draw 3-1 2:open 0:4-3@0")
    assert position.line() == line.replace("position/2", "position/1").partition("; events")[0]
    assert Position.from_line(line).restart().line() == Position.deal(SMALL, seed=131, starter=1).line()


GOLDEN = (
    "mextrain-position/2; rules mexican players=3 tile_set=double-4 hand_size=3; engine 4-4; starter 1; "
    "counts turns=4 plays=2 draws=1 attempts=6; seat 1 clockwise; phase decision; owes required; drew none; "
    "opening no; openings none; trains 0:3 1:0 2:-,open M:-; doubles none; toes none; pending none; hand 0: 2-0 4-1; "
    "hand 1: 0-0 4-2; hand 2: 1-0 2-1 3-0 3-1; boneyard rest; laid 4-0 4-3; chance hidden; "
    "events 1:4-0@1 1:stop 2:draw 3-1 2:open 0:4-3@0"
)
"""A line of the first version that had events; it must stay readable."""


def test_the_golden_line() -> None:
    position = Position.from_line(GOLDEN)
    assert position.legal_texts() == ("0-0@1", "4-2@2", "4-2@M")
    assert len(position.events) == 5
    hands = [" ".join(hand) for hand in position.record(partial=True)["hands"]]
    assert hands == ["2-0 4-1 4-3", "0-0 4-0 4-2", "1-0 2-1 3-0"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("1:4-0@1 1:stop", "1:4-0@1 1:pass", "is not an event"),
        ("1:stop", "7:stop", "names a seat that does not exist"),
        ("draw 3-1", "draw 1-3", "is not written as records write it"),
        ("draw 3-1", "draw 2-0", "2:draw 2-0"),
        ("draw 3-1", "draw ?", "the tile, as the hand is known"),
        ("draw 3-1", "draw", "events"),
        ("1:stop ", "", "stands where"),
        ("2:open ", "", "stands where the rules force '2:open'"),
        ("0:4-3@0", "0:4-1@0", "the hand of seat 0 holds 4-1, which"),
        ("0:4-3@0", "0:4-3@M", "4-3@M is not legal for seat 0"),
        ("events 1:4-0@1", "events", "'plays=2': expected 1, as in events"),
        ("plays=2 draws=1", "plays=2 draws=0", "'draws=0': expected 1, as in events"),
        ("attempts=6", "attempts=7", "attempts=6, to which the events lead"),
        ("2:-,open", "2:-", "2:-,open M:-, to which the events lead"),
        ("; events", "; event", "did you mean events"),
        ("position/2", "position/1", "begin the line with mextrain-position/2"),
        ("; events 1:4-0@1 1:stop 2:draw 3-1 2:open 0:4-3@0", "", "add `events …`"),
        ("chance hidden", "chance mextrain-stream/1 0123456789abcdef", "stands where the rules force '2:draw"),
    ],
)
def test_wrong_events_are_named(old: str, new: str, said: str) -> None:
    assert old in GOLDEN
    with pytest.raises(PositionError) as error:
        Position.from_line(GOLDEN.replace(old, new, 1))
    assert said in str(error.value), str(error.value)


def change_words(words: list[str], dice: random.Random) -> None:
    n = dice.randrange(len(words))
    what = dice.randrange(4)
    if what == 0:
        del words[n]
    elif what == 1:
        words.insert(n, dice.choice(words))
    elif what == 2:
        words[n] = dice.choice(words)
    else:
        m = dice.randrange(len(words))
        words[n], words[m] = words[m], words[n]


@settings(max_examples=60)
@given(rounds(), st.integers(0, 2**32 - 1), st.integers(1, 60))
def test_changed_events_are_refused_or_lead_to_the_same(this: Named, seed: int, moves: int) -> None:
    position, dice = reached(this, seed, moves), random.Random(seed)
    head, _, events = position.line(events=True).partition("; events ")
    for _ in range(10):
        words = events.split()
        change_words(words, dice)
        with contextlib.suppress(PositionError):
            again = Position.from_line(f"{head}; events {' '.join(words) or 'none'}")
            assert again.line() == position.line()


# -- what it is for


def asked(position: Position, seat: int) -> list[object]:
    return [
        determinize(position, seat, 3).hands,
        str(beliefs(position, seat, 40)),
        WorldSampler(position, seat, 5).places(20).tolist(),
    ]


@settings(max_examples=15)
@given(rounds(), st.integers(0, 2**32 - 1), st.integers(0, 60))
def test_hidden_tiles_can_be_sampled_from_the_line(this: Named, seed: int, moves: int) -> None:
    position = reached(this, seed, moves)
    again = Position.from_line(position.line(events=True))
    for seat in (0, position.rules.players - 1):
        assert asked(again, seat) == asked(position, seat)


@pytest.mark.parametrize(
    "ask",
    [
        lambda position: determinize(position, 0, 1),
        lambda position: WorldSampler(position, 0, 1),
        lambda position: beliefs(position, 0),
        lambda position: information_text(position, 0),
    ],
)
def test_what_a_plain_line_lacks_is_named(ask: Callable[[Position], object]) -> None:
    position = Position.from_line(Position.deal(SMALL, seed=1).line())
    with pytest.raises(PositionError, match=re.escape("line(events=True)")):
        ask(position)
    with pytest.raises(PositionError, match="it continues from a line without them"):
        position.line(events=True)
