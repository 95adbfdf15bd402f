"""`mextrain beliefs`: the table of a recorded round, and one clear line for every wrong input."""

from __future__ import annotations

import io
import json
import random
import sys
from pathlib import Path

import pytest

from mextrain import Position, RuleSet, beliefs
from tests.cli.run import fail, succeed


def rounds(folder: Path) -> tuple[str, list[Position]]:
    """A file with two records, and the rounds, played to the end."""
    positions = []
    for seed in (1, 2):
        position = Position.deal(RuleSet.mexican(4), seed=seed)
        dice = random.Random(seed)
        while not position.over:
            position.play(dice.choice(position.legal_moves()))
        positions.append(position)
    path = folder / "rounds.jsonl"
    path.write_text("".join(json.dumps(position.record()) + "\n" for position in positions), encoding="utf-8")
    return str(path), positions


def test_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, (_, second) = rounds(tmp_path)
    while len(second.events) > 30:
        second.undo()
    event, mover = str(len(second.events)), second.seat
    assert mover is not None
    other = (mover + 1) % 4
    ask = ("beliefs", path, "--line", "2", "--event", event, "--samples", "40")
    assert succeed(capsys, *ask) == f"{beliefs(second, mover, 40)}\n"
    assert succeed(capsys, *ask, "--seat", str(other), "--seed", "5") == f"{beliefs(second, other, 40, 5)}\n"
    printed = json.loads(succeed(capsys, *ask, "--json"))
    assert printed == json.loads(json.dumps(beliefs(second, mover, 40).to_dict()))
    assert (printed["seat"], printed["samples"], len(printed["tiles"])) == (mover, 40, len(printed["errors"]))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(path).read_bytes())))
    assert json.loads(succeed(capsys, "beliefs", "-", *ask[2:], "--json")) == printed


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (("--event", "100000"), "no seat decides at event 100000"),
        (("--line", "3"), "there is no line 3: expected 1 … 2"),
        (("--seat", "4"), "there is no seat 4: expected 0 … 3"),
        (("--samples", "19"), "expected a whole number, 20 or more"),
        (("--event", "-100000"), "no seat decides at event -"),
        (("--line", "0"), "there is no line 0: expected 1 … 2"),
        (("--line", "-3"), "there is no line -3: expected 1 … 2, or -1 … -2"),
        (("--seed", "x"), "--seed"),
    ],
)
def test_wrong_questions(
    change: tuple[str, str], word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, _ = rounds(tmp_path)
    assert word in fail(capsys, "beliefs", path, "--event", "0", *change)


def test_draws_are_no_decisions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, (first, _) = rounds(tmp_path)
    number = next(number for number, event in enumerate(first.events) if event.is_draw)
    following = next(n for n, event in enumerate(first.events) if n > number and event.is_decision)
    message = fail(capsys, "beliefs", path, "--event", str(number))
    before = max(n for n, event in enumerate(first.events) if n < number and event.is_decision)
    near = f"expected a play or stop, such as event {before} or {following}"
    assert f"line 1: no seat decides at event {number}: {near}" in message


def test_wrong_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "missing.jsonl" in fail(capsys, "beliefs", str(tmp_path / "missing.jsonl"), "--event", "0")
    path, (first, _) = rounds(tmp_path)
    Path(path).write_text(json.dumps(first.record() | {"winner": None}), encoding="utf-8")
    assert "winner is" in fail(capsys, "beliefs", path, "--event", "0")
    Path(path).write_text(json.dumps(first.record()), encoding="utf-8")
    assert "the round is over, so nobody has the move: add --for-seat or --event" in fail(capsys, "beliefs", path)
