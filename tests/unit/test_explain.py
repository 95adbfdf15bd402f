"""Why a move is refused: each rule has its own explanation, with similar legal moves (docs/rules.md, sections 5 to
8)."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mextrain import IllegalMove, Position, RuleSet
from tests.strategies import rounds

MEXICAN = RuleSet.mexican(3, opening="single", hand_size=4)


def position_of(rules: RuleSet, hands: list[str], plays: str = "", seed: int | None = 0, **more: object) -> Position:
    position = Position.setup(rules, hands=hands, seed=seed, **more)  # type: ignore[arg-type]
    for play in plays.split():
        position.play(play)
    return position


HANDS = ["9-5 5-5 9-1 5-2", "9-6 6-6 6-5 4-4", "9-8 8-8 7-7 8-5"]
ROUND = "9-5@0 9-6@1 9-8@2"


@pytest.mark.parametrize(
    ("rules", "hands", "plays", "move", "reason"),
    [
        (MEXICAN, HANDS, "", "9-6@0", "the seat does not hold 9-6"),
        (MEXICAN, HANDS, "", "9-5@M", "in its opening turn the seat uses its own train only, which is 0"),
        (MEXICAN, HANDS, "", "5-5@0", "train 0 ends in 9, which 5 does not join"),
        (MEXICAN, HANDS, "", "5-9@0", "train 0 ends in 9, which 5 does not join"),
        (MEXICAN, HANDS, "", "stop", "stop is not allowed now, a required play is owed"),
        (MEXICAN, HANDS, ROUND, "5-2@1", "train 1 is closed"),
        (MEXICAN, HANDS, f"{ROUND} 5-5@0 9-1@M", "6-6@1", "the play must cover 5-5@0"),
        (MEXICAN, HANDS, f"{ROUND} 5-5@0 9-1@M", "6-5@0", "6 does not join the 5 of the double that must be covered"),
        (
            MEXICAN.replace(mexican_start="after_own_train"),
            ["9-5 5-4 9-1 5-2", "8-6 6-6 6-5 9-4", "9-8 8-8 7-7 8-5"],
            "",
            "9-1@M",
            "in its opening turn",
        ),
        (
            MEXICAN.replace(mexican_start="only_if_stuck"),
            HANDS,
            ROUND,
            "9-1@M",
            "the Mexican Train may be used in any turn but the opening turn, and started only when nothing in the hand "
            "fits the own train (option mexican_start)",
        ),
    ],
)
def test_the_reason_is_named(rules: RuleSet, hands: list[str], plays: str, move: str, reason: str) -> None:
    position = position_of(rules, hands, plays)
    said = position.why_illegal(move)
    assert said is not None
    assert said.startswith(f"{move} is not legal for seat {position.seat}: {reason}")
    assert "; legal: " in said
    with pytest.raises(IllegalMove) as error:
        position.play(move)
    assert str(error.value) == said


def test_a_drawn_tile_is_the_only_one() -> None:
    rules = RuleSet.mexican(2, tile_set="double-3", hand_size=2, opening="single")
    position = Position.setup(rules, hands=["1-0 2-0", "2-1 1-1"], boneyard="3-0 0-0 2-2 3-1 3-2")
    assert str(position.drawn) == "3-0"
    assert "only the drawn tile 3-0 may be played" in str(position.why_illegal("1-0@0"))


def test_a_drawn_tile_may_be_for_the_own_train_only() -> None:
    rules = RuleSet.mexican(2, tile_set="double-3", hand_size=2, opening="single", drawn_tile="own_train")
    position = Position.setup(
        rules, hands=["3-1 0-0", "3-2 1-1"], boneyard="2-1 1-0 3-0 2-0 2-2"
    )
    for play in ("3-1@0", "3-2@1"):
        position.play(play)
    assert str(position.drawn) == "2-1"
    assert "a drawn tile may go on the own train only, which is 0" in str(position.why_illegal("2-1@1"))


def test_two_new_doubles_want_a_cover() -> None:
    rules = RuleSet.super(2, hand_size=6)
    position = Position.setup(
        rules, hands=["12-5 5-5 *-* *-3 4-0 4-1", "12-6 6-0 6-1 6-2 6-3 6-4"], seed=0
    )
    for play in ("12-5@0", "12-6@1", "5-5@0", "*-*@M"):
        position.play(play)
    assert "one of this turn's doubles must be covered first: 5-5@0 or *-*@M" in str(position.why_illegal("*-3@1"))
    assert position.why_illegal("*-3@0") is None


def test_after_the_end() -> None:
    rules = RuleSet.mexican(2, tile_set="double-2", hand_size=1, rounds=1)
    position = Position.setup(rules, hands=["2-0", "1-1"], boneyard="0-0 1-0 2-1")
    position.play("2-0@0")
    assert position.why_illegal("1-1@1") == "1-1@1 is not legal: the round is over"
    assert position.why_illegal("stop") == "stop is not legal: the round is over"


def test_before_a_draw_that_is_the_callers() -> None:
    rules = RuleSet.mexican(2, tile_set="double-2", hand_size=1, rounds=1)
    position = Position.setup(rules, hands=["1-0", "1-1"], chance="explicit")
    assert position.pending_draw == "draw"
    said = position.why_illegal("1-0@0")
    assert said == "1-0@0 is not legal for seat 0: the seat has to draw first (draw pending)"


@settings(max_examples=60)
@given(rounds(), st.integers(0, 2**32 - 1))
def test_every_refusal_has_a_reason(this: tuple[RuleSet, int, int, str, int | None], seed: int) -> None:
    rules, deal_seed, game, engine, starter = this
    position = Position.deal(rules, seed=deal_seed, game=game, engine=engine, starter=starter)
    dice = random.Random(seed)
    while not position.over:
        legal = set(position.legal_ids())
        for action in (dice.randrange(rules.action_count), rules.actions.stop):
            said = position.why_illegal(action)
            assert (said is None) == (action in legal)
            assert said is None or ": " in said
            # The answer if no rule explains the refusal.
            train = said and said.partition(": ")[2]
            assert not (train and train.startswith(f"train {position.seat} is closed"))
        position.play_unchecked(dice.choice(sorted(legal)))
