"""Lines of what one seat sees, with events: hidden tiles are sampled from them as from the true round."""

from __future__ import annotations

import contextlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mextrain import Position, PositionError, RuleSet, WorldSampler, determinize, information_key, information_text
from tests.strategies import rounds
from tests.unit.test_courses import Named, reached

SMALL = RuleSet.mexican(3, tile_set="double-4", hand_size=3)


@settings(max_examples=60)
@given(rounds(), st.integers(0, 2**32 - 1), st.integers(0, 120), st.booleans())
def test_a_seat_cannot_tell_a_sample_from_the_truth(this: Named, seed: int, moves: int, explicit: bool) -> None:
    position = reached(this, seed, moves, explicit)
    for seat in range(position.rules.players):
        line = position.line(for_seat=seat, events=True)
        sample = determinize(line, seat, seed)
        assert sample.line(for_seat=seat, events=True) == line
        assert information_text(sample, seat) == information_text(position, seat)
        assert information_key(sample, seat) == information_key(position, seat)
        assert sample.legal_texts() == position.legal_texts() or position.seat != seat
        assert WorldSampler(sample, seat, 7).places(5).tolist() == WorldSampler(position, seat, 7).places(5).tolist()


def test_several_seats_may_end_without_a_tile() -> None:
    """With the opening `together` others may lay their last tiles after the round is decided."""
    rules = RuleSet.preset("pagat", players=11, hand_size=1, engine_from="set_aside")
    ended = [reached((rules, seed, 0, "7-7", 2), seed, 120) for seed in range(40)]
    several = [position for position in ended if position.hand_sizes.count(0) > 1]
    assert several
    for position in several:
        for seat in range(11):
            line = position.line(for_seat=seat, events=True)
            assert determinize(line, seat, 7).line(for_seat=seat, events=True) == line
        shown = position.hand_sizes.index(1)
        with pytest.raises(PositionError, match=f"what seat {shown} sees"):
            determinize(position.line(for_seat=shown, events=True), position.hand_sizes.index(0), 7)


def test_samples_differ_and_are_seeded() -> None:
    position = Position.deal(RuleSet.mexican(4), seed=3)
    line = position.line(for_seat=1, events=True)
    samples = [determinize(line, 1, seed).hands for seed in range(6)]
    assert samples == [determinize(line, 1, seed).hands for seed in range(6)]
    assert len(set(samples)) == 6
    assert {hands[1] for hands in samples} == {position.hands[1]}


def test_a_whole_line_can_be_given_too() -> None:
    position = Position.deal(SMALL, seed=2)
    assert determinize(position.line(events=True), 0, 5).line() == determinize(position, 0, 5).line()


@pytest.mark.parametrize(
    ("change", "seat", "said"),
    [
        (("", ""), 0, "what seat 1 sees, and not what seat 0 sees"),
        (("", ""), True, "and not what seat True sees"),
        (("", ""), "1", "and not what seat '1' sees"),
        (("hand 1: 0-0 4-2", "hand 1: ?2"), 1, "expected one hand with its tiles"),
        (("hand 0: ?2", "hand 0: 1-1 2-2"), 1, "expected one hand with its tiles"),
        (("draw ?", "draw 1-1"), 1, "? for a hidden hand"),
        (("position/2", "position/1"), 1, "begin the line with mextrain-position/2"),
        (("0:4-3@0", "0:4-1@0"), 1, "the tiles that the events lay"),
        (("1:stop ", ""), 1, "stands where seat 1 has to play"),
        (("0:4-3@0", "2:4-3@0"), 1, "contradict the rules"),
        (("turns=4", "turns=5"), 1, "counts"),
    ],
)
def test_wrong_views_are_named(change: tuple[str, str], seat: int, said: str) -> None:
    position = Position.deal(SMALL, seed=131, starter=1)
    for move in ("4-0@1", "stop", "4-3@0"):
        position.play(move)
    line = position.line(for_seat=1, events=True)
    assert change[0] in line
    with pytest.raises(PositionError) as error:
        determinize(line.replace(*change), seat, 0)
    assert said in str(error.value)


def test_a_view_without_events_is_not_enough() -> None:
    position = Position.deal(SMALL, seed=1)
    with pytest.raises(PositionError, match="must be determinized first"):
        determinize(position.line(for_seat=0), 0, 0)
    with pytest.raises(PositionError, match=r"line\(events=True\)"):
        determinize(position.line(), 0, 0)


def change_event(events: list[str], players: int, dice: random.Random) -> None:
    """Change one event so that the numbers of plays and draws stay what they are."""
    n = dice.randrange(len(events))
    seat, _, what = events[n].partition(":")
    kind = dice.randrange(6)
    if kind == 0:
        m = dice.randrange(len(events))
        events[n], events[m] = events[m], events[n]
    elif kind == 1:
        events[n] = f"{dice.randrange(players)}:{what}"
    elif kind == 2 and "@" in what:
        events[n] = f"{seat}:{what.partition('@')[0]}@{dice.choice(['M', '0', '1'])}"
    elif kind == 3:
        events.insert(n, f"{dice.randrange(players)}:{dice.choice(['stop', 'open', 'skip'])}")
    elif kind == 4 and what in ("stop", "open", "skip") and len(events) > 1:
        del events[n]
    elif kind == 5 and "@" in what:
        tile, _, train = what.partition("@")
        events[n] = f"{seat}:{'-'.join(reversed(tile.split('-')))}@{train}"


@settings(max_examples=60)
@given(rounds(), st.integers(0, 2**32 - 1), st.integers(1, 80))
def test_any_change_is_refused_or_gives_a_round(this: Named, seed: int, moves: int) -> None:
    """Wrong events reach the kernels that fold them, which trust their caller; they must not write beyond their room.

    Interpreted (`NUMBA_DISABLE_JIT=1`), such a write is an IndexError or OverflowError; compiled, it is silent.
    """
    position, dice = reached(this, seed, moves), random.Random(seed)
    seat = dice.randrange(position.rules.players)
    head, _, events = position.line(for_seat=seat, events=True).partition("; events ")
    for _ in range(10):
        words = [word.replace("draw_", "draw ") for word in events.replace("draw ", "draw_").split()]
        if words == ["none"]:
            continue
        for _ in range(dice.randint(1, 3)):
            change_event(words, position.rules.players, dice)
        with contextlib.suppress(PositionError):
            sample = determinize(f"{head}; events {' '.join(words)}", seat, 1)
            assert sample.line(for_seat=seat) == position.line(for_seat=seat)


def test_many_stops_are_refused() -> None:
    position = Position.deal(RuleSet.mexican(4), seed=1)
    position.play(position.legal_moves()[0])
    seat = position.seat or 0
    line = position.line(for_seat=seat, events=True)
    stops = " ".join(f"{number % 4}:stop" for number in range(200))
    with pytest.raises(PositionError):
        determinize(f"{line} {stops}", seat, 0)
