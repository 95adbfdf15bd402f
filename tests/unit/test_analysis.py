"""`analyse`: losses and luck of a round against independent calculations, and what it refuses."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest

from mextrain import (
    Analysis,
    MextrainError,
    PolicyError,
    Position,
    PositionError,
    RecordError,
    RoundRecord,
    RuleSet,
    SeedError,
    analyse,
    search,
)
from mextrain.study.luck import Luck

SMALL = RuleSet.mexican(3, tile_set="double-6", hand_size=6)
FEW: dict[str, Any] = {"playouts": 64, "luck_playouts": 20}


def played(rules: RuleSet, seed: int) -> Position:
    position, dice = Position.deal(rules, seed=seed), random.Random(seed)
    while not position.over:
        position.play(dice.choice(position.legal_moves()))
    return position


def test_every_decision_has_its_row() -> None:
    end = played(SMALL, 5)
    found = analyse(end, **FEW)
    decisions = [(number, event) for number, event in enumerate(end.events) if event.is_decision]
    assert [(row.event, row.seat) for row in found.decisions] == [(number, event.seat) for number, event in decisions]
    assert [row.move for row in found.decisions] == [event.text.partition(":")[2] for _, event in decisions]
    position = end.restart()
    for row in found.decisions:
        legal = position.legal_texts()
        assert row.choices == len(legal)
        assert {row.move, row.best} <= set(legal)
        assert row.grade in ("best", "fine", "doubtful", "mistake", "blunder")
        assert (row.grade == "best") == (row.move == row.best)
        assert row.loss is not None
        if row.grade == "best":
            assert (row.loss, row.loss_error) == (0.0, 0.0)
        else:
            limits = {"fine": (-1e9, 1), "doubtful": (1, 3), "mistake": (3, 8), "blunder": (8, 1e9)}
            low, high = limits[str(row.grade)]
            assert low <= row.loss < high
        position.play(row.move)
    for seat, total in enumerate(found.seats):
        own = [row for row in found.decisions if row.seat == seat]
        assert (total.seat, total.decisions) == (seat, len(own))
        assert total.choices == sum(row.choices > 1 for row in own)
        assert total.loss_sum == pytest.approx(sum(row.loss or 0 for row in own))
        assert total.loss * len(own) == pytest.approx(total.loss_sum)


def test_the_best_move_is_that_of_the_search() -> None:
    end = played(SMALL, 6)
    rows = {row.event: row for row in analyse(end, **FEW, seed=3, utility="points").decisions}
    position = end.restart()
    for number, event in enumerate(end.events):
        if event.move is not None:
            found = search(position, playouts=64, seed=3, drop=3.0, utility="points")
            assert rows[number].best == found.best_text
            position.play(event.move)


def test_a_loss_agrees_with_a_long_search() -> None:
    """A loss is measured in other worlds than those in which the best move was chosen, so it is right on average."""
    end = played(SMALL, 7)
    rows = [row for row in analyse(end, playouts=2000, luck_playouts=20).decisions if row.grade != "best"]
    compared = 0
    for row in rows[:6]:
        position = end.restart()
        for event in end.events[: row.event]:
            if event.move is not None:
                position.play(event.move)
        found = search(position, playouts=20_000, seed=99, drop=None)
        right = (found[row.best].loss or 0.0, found[row.move].loss or 0.0)
        error = (row.loss_error or 0.0) + (found[row.move].loss_error or 0.0) + (found[row.best].loss_error or 0.0)
        assert row.loss is not None
        assert abs(row.loss - (right[1] - right[0])) <= 4.5 * error
        compared += 1
    assert compared >= 3


def test_it_is_the_same_for_equal_arguments_in_every_form() -> None:
    end = played(SMALL, 8)
    record = end.record()
    found = analyse(record, **FEW, seed=1)
    for other in (end, RoundRecord.from_dict(record), Position.from_line(end.line(events=True))):
        assert analyse(other, **FEW, seed=1).to_dict() == found.to_dict()
    assert analyse(record, **FEW, seed=1, workers=2).to_dict() == found.to_dict()
    assert analyse(record, **FEW, seed=2).to_dict() != found.to_dict()


def test_a_round_that_goes_on_and_explicit_chance() -> None:
    end = played(SMALL, 9)
    begun = end.copy()
    while len(begun.events) > len(end.events) // 2:
        begun.undo()
    found, whole = analyse(begun.record(partial=True), **FEW), analyse(end, **FEW)
    assert found.decisions == whole.decisions[: len(found.decisions)]
    explicit = Position.from_line(begun.line(events=True).replace("chance hidden", "chance explicit"))
    assert analyse(explicit, **FEW).decisions == found.decisions


@pytest.mark.parametrize("method", ["flat:64", "tree:64", "improve:64"])
@pytest.mark.parametrize("rules", [SMALL, RuleSet.super(2)], ids=["mexican", "super"])
def test_all_searches_and_both_presets(method: str, rules: RuleSet) -> None:
    found = analyse(played(rules, 3), method=method, luck_playouts=10)
    assert json.loads(json.dumps(found.to_dict()))["method"] == method.partition(":")[0]
    assert max(map(len, str(found).splitlines())) <= 80


# -- luck


def test_draws_are_neither_lucky_nor_unlucky_on_average() -> None:
    """Before a draw, what a seat can expect is the mean of what it can expect after it. 80 rounds, 5 errors."""
    sums = []
    for seed in range(80):
        end = played(SMALL, 100 + seed)
        sums.append(_luck(end, 60).sums)
    means, errors = np.mean(sums, axis=0), np.std(sums, axis=0, ddof=1) / np.sqrt(len(sums))
    assert (abs(means) < 5 * errors).all()
    assert np.std(sums) > 3


def _luck(end: Position, playouts: int) -> Luck:
    luck, position = Luck(end, "random", 4, playouts), end.restart()
    for event in end.events:
        if event.move is not None:
            before = position.copy()
            position.play(event.move)
            luck.add(before, event.move, position)
    return luck


def test_the_luck_of_a_round_without_choices() -> None:
    """Where nobody has a choice, the luck of all draws is the mean of all endings less the one that came."""
    rules = RuleSet.mexican(2, tile_set="double-2", hand_size=1, opening="single")
    ends = []
    for boneyard in ("1-0 0-0 2-1", "0-0 1-0 2-1", "2-1 1-0 0-0", "2-1 0-0 1-0", "1-0 2-1 0-0", "0-0 2-1 1-0"):
        position = Position.setup(rules, engine="2-2", hands=["2-0", "1-1"], starter=1, boneyard=boneyard)
        while not position.over:
            position.play(position.legal_moves()[0])
        ends.append(position)
    mean = np.mean([end.points for end in ends], axis=0)
    assert len({end.points for end in ends}) > 1
    for end in ends:
        luck = _luck(end, 4000)
        assert abs(luck.sums - (mean - np.array(end.points))).max() <= 5 * np.sqrt(luck.variances.max()) + 0.1


# -- what it prints and refuses


def test_the_table_and_the_object() -> None:
    found = analyse(played(SMALL, 5), **FEW)
    lines = str(found).splitlines()
    assert lines[0].startswith("mexican, 3 players, engine 6-6: ")
    assert max(map(len, lines)) <= 80
    assert sum(row.choices > 1 for row in found.decisions) == sum(line.endswith(GRADES) for line in lines)
    assert repr(found) == f"<Analysis mexican, 3 players, engine 6-6: {len(found.decisions)} decisions>"
    first = found.to_dict()["decisions"][0]
    assert list(first) == ["event", "seat", "move", "best", "choices", "loss", "loss_error", "class"]
    part = found.of(1)
    assert isinstance(part, Analysis)
    assert {row.seat for row in part.decisions} == {1}
    assert [row.seat for row in part.seats] == [1]
    with pytest.raises(PositionError, match="there is no seat 3"):
        found.of(3)


GRADES = (" best", " fine", " doubtful", " mistake", " blunder")


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"record": 7}, RecordError, "record = 7: expected a RoundRecord"),
        ({"record": {}}, RecordError, "format is none"),
        ({"record": "plain line"}, PositionError, "without events"),
        ({"playouts": 0}, MextrainError, "playouts = 0"),
        ({"method": "flatt"}, PolicyError, "did you mean flat?"),
        ({"policy": "planer"}, PolicyError, "planner"),
        ({"policy": lambda decision: 0}, PolicyError, "cannot play rounds out"),
        ({"utility": "money"}, MextrainError, "utility = 'money'"),
        ({"seed": -1}, SeedError, "seed = -1"),
        ({"workers": 0}, MextrainError, "workers"),
        ({"luck_playouts": 1}, MextrainError, "luck_playouts = 1: expected 2 …"),
        ({"progress": 3}, MextrainError, "progress = 3"),
    ],
)
def test_what_is_refused(arguments: dict[str, Any], error: type[Exception], said: str) -> None:
    given = {"record": played(SMALL, 5)} | arguments
    if given["record"] == "plain line":
        given["record"] = Position.from_line(Position.deal(SMALL, seed=1).line())
    with pytest.raises(error) as caught:
        analyse(**given)
    assert said in str(caught.value)
