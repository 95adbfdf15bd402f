"""`mextrain analyse`: a table of moves for a position, a row for each decision of a record, and the names in JSON."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from mextrain import Position, RuleSet, analyse, search
from tests.cli.run import fail, succeed

RULES = RuleSet.mexican(3, tile_set="double-6", hand_size=6)


def played(seed: int, moves: int = 1000) -> Position:
    position, dice = Position.deal(RULES, seed=seed), random.Random(seed)
    while not position.over and moves:
        position.play(dice.choice(position.legal_moves()))
        moves -= 1
    return position


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "rounds.jsonl"
    lines = [json.dumps(played(1).record()), json.dumps(played(2, 12).record(partial=True))]
    file.write_text("\n".join(lines), encoding="utf-8")
    return str(file)


def stands(events: int) -> Position:
    position = played(1)
    while len(position.events) > events:
        position.undo()
    return position


CHOICE = next(
    number
    for number, event in enumerate(played(1).events)
    if event.is_decision and len(stands(number).legal_moves()) > 2 and number > 8
)


def test_a_position(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    position = stands(CHOICE)
    wanted = search(position, playouts=100, seed=4, drop=3.0)
    settings = ("--playouts", "100", "--seed", "4")
    seat = position.seat or 0
    for named in (
        (path, "--event", str(CHOICE)),
        (position.line(events=True),),
        (position.line(events=True, for_seat=seat),),
        (played(1).line(events=True), "--event", str(CHOICE)),
    ):
        assert succeed(capsys, "analyse", *named, *settings) == f"{wanted}\n"
        printed = json.loads(succeed(capsys, "analyse", *named, *settings, "--json"))
        expected = json.loads(json.dumps(wanted.to_dict()))
        assert {**printed, "seconds": 0} == {**expected, "seconds": 0}
    assert {"seat", "best", "moves", "playouts", "seed"} <= printed.keys()
    whole = analyse(played(1), playouts=100, seed=4).rows()
    assert printed["best"] == next(row["best"] for row in whole if row["event"] == CHOICE)
    for move in printed["moves"]:
        assert {"move", "playouts", "points", "error", "loss", "loss_error"} <= move.keys()
        assert len(move["points"]) == RULES.players
    assert printed["moves"][0]["loss"] == 0


def test_a_record(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    for line, end in (("1", played(1)), ("-1", played(2, 12))):
        ask = ("analyse", path, "--line", line, "--policy", "flat:64")
        wanted = analyse(end, method="flat:64")
        assert succeed(capsys, *ask) == f"{wanted}\n"
        *rows, total = map(json.loads, succeed(capsys, *ask, "--json").splitlines())
        assert rows == json.loads(json.dumps(wanted.rows()))
        assert [row["event"] for row in rows] == [n for n, event in enumerate(end.events) if event.is_decision]
        for row in rows:
            assert {"event", "seat", "move", "best", "loss", "loss_error", "class"} <= row.keys()
        assert [seat.keys() >= {"decisions", "loss", "luck"} for seat in total["seats"]] == [True] * 3
        only = [json.loads(text) for text in succeed(capsys, *ask, "--json", "--for-seat", "1").splitlines()]
        assert only[:-1] == [row for row in rows if row["seat"] == 1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("PLAIN",), "write the line with `line(events=True)`"),
        (("FILE", "--event", "FIRST", "--for-seat", "OTHER"), "has no decision to search"),
        (("FILE", "--policy", "flatt"), "did you mean flat?"),
        (("FILE", "--policy", "flat:0"), "play-outs 1 …"),
        (("FILE", "--policy", "flat:10", "--playouts", "10"), "give one number of play-outs"),
        (("FILE", "--rollout", "planer"), "planner"),
        (("FILE", "--utility", "money"), "utility = 'money'"),
        (("FILE", "--playouts", "0"), "--playouts"),
        (("FILE", "--seconds", "-1"), "expected seconds above 0"),
        (("FILE", "--seconds", "soon"), "'soon' is not usable"),
        (("FILE", "--seed", "x"), "--seed"),
        (("OVER",), "the round is over"),
    ],
)
def test_what_is_refused(
    arguments: tuple[str, ...], said: str, path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    position = stands(CHOICE)
    first = next(number for number, event in enumerate(played(1).events) if event.is_decision)
    other = ((stands(first).seat or 0) + 1) % 3
    given = {"FILE": path, "PLAIN": position.line(), "OVER": played(1).line(events=True)}
    given |= {"OTHER": str(other), "FIRST": str(first)}
    assert said in fail(capsys, "analyse", *(given.get(word, word) for word in arguments))
