"""One way to name a position: lines, files, stdin, `--line`, `--event` and `--for-seat`, for all commands."""

from __future__ import annotations

import io
import json
import random
import sys
from pathlib import Path

import pytest

from mextrain import Position, RuleSet, beliefs
from tests.cli.run import fail, succeed

RULES = RuleSet.mexican(3, tile_set="double-6", hand_size=6)
COMMANDS = ("show", "legal", "beliefs")


def played(seed: int, moves: int = 1000) -> Position:
    position, dice = Position.deal(RULES, seed=seed), random.Random(seed)
    while not position.over and moves:
        position.play(dice.choice(position.legal_moves()))
        moves -= 1
    return position


ROUNDS = [played(1), played(2), played(3, 9)]


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A file with two whole rounds, one that goes on, and a position."""
    lines = [json.dumps(position.record(partial=True)) for position in ROUNDS]
    file = tmp_path / "rounds.jsonl"
    file.write_text("\n".join([*lines, ROUNDS[2].line(events=True)]) + "\n", encoding="utf-8")
    return str(file)


def decisions(position: Position) -> list[int]:
    return [number for number, event in enumerate(position.events) if event.is_decision]


def back(position: Position, events: int) -> Position:
    """The round when only so many events had happened."""
    position = position.copy()
    while len(position.events) > events:
        position.undo()
    assert len(position.events) == events
    return position


def test_every_decision_of_a_record(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    for number in decisions(ROUNDS[1])[::4]:
        wanted = back(ROUNDS[1], number)
        ask = (path, "--line", "2", "--event", str(number))
        assert succeed(capsys, "show", *ask) == wanted.table() + "\n"
        assert succeed(capsys, "show", *ask, "--for-seat", "2") == wanted.table(for_seat=2) + "\n"
        assert succeed(capsys, "legal", *ask).split() == list(wanted.legal_texts())
        from_the_end = str(number - len(ROUNDS[1].events))
        assert succeed(capsys, "show", path, "--line", "-3", "--event", from_the_end) == wanted.table() + "\n"
    wanted = back(ROUNDS[1], decisions(ROUNDS[1])[-4])
    ask = (path, "--line", "2", "--event", str(len(wanted.events)), "--samples", "20")
    assert wanted.seat is not None
    assert succeed(capsys, "beliefs", *ask) == f"{beliefs(wanted, wanted.seat, 20)}\n"


@pytest.mark.parametrize("line", [1, 2, 3, -1, -2, -4])
def test_without_an_event_it_is_the_end(line: int, path: str, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = [*ROUNDS, ROUNDS[2]][line - (line > 0)]
    assert succeed(capsys, "show", path, "--line", str(line)) == wanted.table() + "\n"
    ask = (path, "--line", str(line), "--event", str(len(wanted.events)))
    assert succeed(capsys, "show", *ask) == wanted.table() + "\n"


def test_a_line_with_events_has_all_points_of_the_round(capsys: pytest.CaptureFixture[str]) -> None:
    number = decisions(ROUNDS[2])[3]
    wanted = back(ROUNDS[2], number)
    for line in (ROUNDS[2].line(events=True), ROUNDS[2].line(events=True, key=True)):
        assert succeed(capsys, "show", line, "--event", str(number)) == wanted.table() + "\n"
    seat = wanted.seat
    assert seat is not None
    ask = ("beliefs", ROUNDS[2].line(events=True), "--event", str(number), "--samples", "20")
    assert succeed(capsys, *ask) == f"{beliefs(wanted, seat, 20)}\n"


def test_stdin_may_have_records_or_lines(
    path: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for line, wanted in ((2, ROUNDS[1]), (4, ROUNDS[2])):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(path).read_bytes())))
        assert succeed(capsys, "show", "-", "--line", str(line)) == wanted.table() + "\n"


def test_the_list_of_events(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    listed = succeed(capsys, "show", path, "--events").splitlines()
    assert [line[7:] for line in listed] == [event.text for event in ROUNDS[0].events]
    assert [int(line[:4]) for line in listed] == list(range(len(listed)))
    assert [line[5] == ">" for line in listed] == [event.is_decision for event in ROUNDS[0].events]
    number = decisions(ROUNDS[0])[5]
    assert succeed(capsys, "show", path, "--events", "--event", str(number)).splitlines() == listed[:number]
    for line, event in zip(
        succeed(capsys, "show", path, "--events", "--for-seat", "1").splitlines(), ROUNDS[0].events, strict=True
    ):
        assert line.endswith(" ?") == (event.is_draw and event.seat != 1)


def test_show_as_json(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    printed = json.loads(succeed(capsys, "show", path, "--json", "--line", "3"))
    position = ROUNDS[2]
    assert printed["line"] == position.line(events=True)
    assert (printed["seat"], printed["owed"], printed["end"]) == (position.seat, position.owed, None)
    assert printed["legal"] == list(position.legal_texts())
    assert printed["events"] == [event.text for event in position.events]
    other = (position.seat or 0) + 1
    seen = json.loads(succeed(capsys, "show", path, "--json", "--line", "3", "--for-seat", str(other % 3)))
    assert seen["line"] == position.line(events=True, for_seat=other % 3)
    assert (seen["legal"], seen["points"]) == (None, None)
    plain = json.loads(succeed(capsys, "show", position.line(), "--json"))
    assert (plain["line"], plain["events"]) == (position.line(), None)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere.jsonl",), "nowhere.jsonl"),
        ((".",), "."),
        (("", "--line", "1"), "'' is not a line of a position"),
        (("FILE", "--line", "5"), "there is no line 5: expected 1 … 4"),
        (("FILE", "--line", "0"), "there is no line 0"),
        (("FILE", "--line", "x"), "--line"),
        (("FILE", "--event", "x"), "--event"),
        (("FILE", "--event", "99999"), "no seat decides at event 99999: expected a play or stop, such as event"),
        (("FILE", "--event", "0", "--for-seat", "3"), "there is no seat 3: expected 0 … 2"),
        (("PLAIN", "--event", "0"), "the line has no events: --event needs a record"),
        (("PLAIN", "--line", "2"), "--line chooses a line of a file"),
    ],
)
def test_wrong_names(
    command: str, arguments: tuple[str, ...], said: str, path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {"FILE": path, "PLAIN": ROUNDS[2].line()}
    assert said in fail(capsys, command, *(given.get(text, text) for text in arguments))


def test_a_file_with_one_line(path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = tmp_path / "one.jsonl"
    one.write_text(Path(path).read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    assert "there is no line 2: expected 1, or -1 from the end" in fail(capsys, "show", str(one), "--line", "2")


def test_what_commands_cannot_answer(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    position = ROUNDS[2]
    other = str(((position.seat or 0) + 1) % 3)
    line = position.line()
    assert f"seat {position.seat} has the move" in fail(capsys, "legal", line, "--for-seat", other)
    assert "the round is over" in fail(capsys, "legal", path, "--for-seat", other)
    assert "write the line with `line(events=True)`" in fail(capsys, "beliefs", line)
    assert "continues from a line without them" in fail(capsys, "show", line, "--events")
    untouched = Position.setup(RULES, hands=["6-5 6-4", "6-3 6-2", "6-1 6-0"]).line(events=True)
    assert "nothing has happened yet" in fail(capsys, "show", untouched, "--events")


def test_a_bad_record_is_named_by_line_and_event(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = Path(path).read_text(encoding="utf-8").splitlines()
    record = json.loads(text[1])
    record["events"][3] = "0:stop"
    Path(path).write_text("\n".join([text[0], json.dumps(record)]), encoding="utf-8")
    for command in COMMANDS:
        assert f"mextrain {command}: line 2, event 3: " in fail(capsys, command, path, "--line", "2")
    Path(path).write_bytes(b"{\xff\n")
    assert "line 1: " in fail(capsys, "show", path)


def test_check_accepts_rounds_that_go_on(path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "saved.jsonl"
    file.write_text("\n".join(Path(path).read_text(encoding="utf-8").splitlines()[:3]), encoding="utf-8")
    events = sum(len(position.events) for position in ROUNDS)
    assert succeed(capsys, "check", str(file)) == f"{file}: 3 rounds (1 of them not over), {events} events, no fault\n"
