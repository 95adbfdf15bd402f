"""Printed tables: complete, within the requested width, and without anything that a seat cannot know."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mextrain import Position, PositionError, RuleSet
from tests.strategies import rounds

START = """\
mexican, 3 players, set double-4, engine 4-4; turn 1, 5 tiles in the boneyard
options: hand_size=3

  train  end
   0        4  not started
>  1        4  not started
   2        4  not started
   M        4  not started

  hand 0 ( 3): 2-0 4-1 4-3
> hand 1 ( 3): 0-0 4-0 4-2
  hand 2 ( 3): 1-0 2-1 3-0

opening turns to come: 0 2

seat 1 is on move; this is its opening turn; it owes a play
legal (2): 4-0@1 4-2@1"""

SMALL = RuleSet.mexican(3, tile_set="double-4", hand_size=3)


def advanced(rules: RuleSet, seed: int, moves: int, **deal: object) -> Position:
    position = Position.deal(rules, seed=seed, **deal)  # type: ignore[arg-type]
    dice = random.Random(seed)
    for _ in range(moves):
        if not position.over:
            position.play(dice.choice(position.legal_moves()))
    return position


def test_the_first_decision() -> None:
    assert str(Position.deal(SMALL, seed=131, starter=1)) == START


def test_the_end() -> None:
    position = Position.deal(SMALL, seed=131, starter=1)
    for play in ("4-0@1", "stop", "4-3@0", "0-0@1", "4-2@M"):
        position.play(play)
    text = position.table()
    assert text.endswith("seat 1 went out; points by seat: 7 0 11")
    assert "   1        0  4-0 0-0" in text
    assert "   2 open   4  not started" in text
    assert ">" not in text


@settings(max_examples=60)
@given(rounds(), st.integers(0, 80), st.sampled_from((60, 80, 100)))
def test_it_fits_and_is_complete(
    this: tuple[RuleSet, int, int, str, int | None], moves: int, width: int
) -> None:
    rules, seed, game, engine, starter = this
    position = advanced(rules, seed, moves, game=game, engine=engine, starter=starter)
    text = position.table(width=width)
    assert max(map(len, text.splitlines())) <= width
    assert not any(line != line.rstrip() for line in text.splitlines())
    words = text.replace(",", " ").split()
    for tile in (tile for hand in position.hands for tile in hand):
        assert str(tile) in words
    assert all(move in words for move in position.legal_texts())
    assert all(str(double) in words for double in position.open_doubles)
    for train in position.trains:
        ends = ",".join(map(str, position.ends(train)))
        assert any(line[1:5].strip() == str(train) and f" {ends}  " in line for line in text.splitlines())
    if position.over:
        assert " ".join(text.split()).endswith(" ".join(map(str, position.points)))


def test_a_long_train_keeps_its_first_and_its_last_tiles() -> None:
    position = advanced(RuleSet.mexican(4), 5, 999)
    laid = [str(event).partition(":")[2] for event in position.events if event.kind == "play"]
    train = max(position.trains, key=lambda train: sum(play.endswith(f"@{train}") for play in laid))
    tiles = [play.partition("@")[0] for play in laid if play.endswith(f"@{train}")]
    assert len(tiles) > 12
    line = next(line for line in position.table(width=60).splitlines() if f" {tiles[0]} … " in line)
    kept = line.partition(" … ")[2].split()
    assert kept == tiles[-len(kept) :]


@pytest.mark.parametrize("rules", [RuleSet.super(4), RuleSet.mexican(5)], ids=["super", "mexican"])
def test_a_seat_sees_its_own_hand_only(rules: RuleSet) -> None:
    """The text does not change when hidden tiles are swapped."""
    position = advanced(rules, 3, 30)
    seat = position.seat
    assert seat is not None
    for own in range(rules.players):
        text = position.table(for_seat=own)
        assert text.count("hidden") == sum(1 for at, hand in enumerate(position.hands) if hand and at != own)
        assert ("legal (" in text) == (own == seat)
        own_hand = next(line for line in text.splitlines() if f"hand {own} " in line)
        assert own_hand.split(": ")[1].split() == [str(tile) for tile in position.hands[own]]


def test_what_others_drew_is_hidden() -> None:
    rules = RuleSet.super(2)
    for seed in range(50):
        position = advanced(rules, seed, 40)
        if position.drawn and not position.over:
            other = 1 - (position.seat or 0)
            assert f"it drew {position.drawn}" in position.table()
            assert f"it drew {position.drawn}" in position.table(for_seat=position.seat)
            assert "it drew a tile" in position.table(for_seat=other)
            return
    pytest.fail("nobody drew")


def test_explicit_chance_says_what_is_due() -> None:
    position = Position.deal(RuleSet.mexican(4), seed=0, chance="explicit")
    while not position.pending_draw:
        position.play(position.legal_moves()[-1])
    assert "it draws a tile now, for want of a play" in position.table()


@pytest.mark.parametrize("seat", [-1, 4, True, 1.0, "0"])
def test_a_seat_that_does_not_exist_is_refused(seat: object) -> None:
    with pytest.raises(PositionError, match="there is no seat"):
        Position.deal(RuleSet.mexican(4), seed=0).table(for_seat=seat)  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [0, 59, 80.0, None])
def test_a_width_that_is_none_is_refused(width: object) -> None:
    with pytest.raises(PositionError, match="expected 60 or more"):
        Position.deal(RuleSet.mexican(4), seed=0).table(width=width)  # type: ignore[arg-type]
