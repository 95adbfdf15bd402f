"""`mextrain play`, in a pipe, in this process, and at a pseudo-terminal."""

from __future__ import annotations

import io
import json
import os
import re
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mextrain import RecordError, RuleSet
from mextrain.cli import main
from mextrain.play import advice, screen
from mextrain.play.colours import coloured, wants_colours
from mextrain.play.game import HUMAN, Table
from mextrain.play.keyboard import Keyboard
from mextrain.play.session import Session
from tests import limits
from tests.cli.run import fail, run, without_notice

ONE_ROUND = RuleSet.mexican(4, rounds=1)


def played(answers: str, table: Table | None = None, path: Path | None = None, hints: bool = True) -> tuple[Table, str]:
    """The table and the transcript after these answers, separated by blanks; `_` stands for a blank."""
    table = table or Table.new(ONE_ROUND, 5, [0], "cautious", [])
    typed = "".join(f"{answer.replace('_', ' ')}\n" for answer in answers.split())
    target = io.StringIO()
    session = Session(table, Keyboard(io.StringIO(typed), target), path, hints)
    try:
        session.run()
    except EOFError:
        session.save()
    return table, target.getvalue()


def test_a_whole_round_in_a_pipe(tmp_path: Path) -> None:
    """With move 1 every time; the transcript has 80 columns and the record is a good one."""
    file = tmp_path / "game.jsonl"
    argv = ["play", "--seed", "5", "--rounds", "1", "--policy", "cautious", "-o", str(file)]
    done = run(*argv, stdin="1\n" * 200)
    assert (done.returncode, without_notice(done.stderr)) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "\x1b" not in done.stdout
    assert "Round 1 is over: " in done.stdout
    assert run("check", str(file)).returncode == 0
    record = json.loads(file.read_text())
    assert record["play"] == {"policies": [HUMAN] + ["cautious"] * 3, "names": ["you", "cautious 1", "cautious 2",
                              "cautious 3"], "undone": 0}  # fmt: skip
    assert record["seed"] == 5


@pytest.mark.parametrize("players", [2, 14])
@pytest.mark.parametrize("preset", ["mexican", "super"])
def test_nothing_is_wider_than_80_columns(preset: str, players: int) -> None:
    rules = RuleSet.preset(preset, players=min(players, 8) if preset == "super" else players, rounds=1)
    table = Table.new(rules, 3, [1], "random", ["A name that is longer than any column"])
    _, text = played("1 t b p 1 1 1 1 h 1 1 1 1 b_3 1 1 t 1 1 1 1 1 1 1 1", table)
    assert max(map(len, text.splitlines())) <= 80


def test_no_hidden_tile_is_printed() -> None:
    """Only tiles that the person holds or that lie on the table are named, except where possibilities are listed."""
    table, text = played("1 1 1 t 1 1 1 1 1")
    position = table.position
    seen = {str(tile) for tile in position.hands[0]} | {str(position.engine)}
    seen |= {str(event.tile) for event in position.events if event.is_decision or event.seat == 0}
    named = {str(ONE_ROUND.tiles.parse(tile)) for tile in re.findall(r"\d+-\d+", text)}
    assert len(named) > 12
    assert named <= seen


def test_what_can_be_typed() -> None:
    table, text = played("? h p b b_12 why why_9-9@M t zzz 99")
    for word in ("u            take back", "loses", "longest from", "where they probably are", "tile     s1",
                 "which move? For example", "seat does not hold 9-9", "the Mexican Train: not started"):  # fmt: skip
        assert word in text
    assert not any(event.is_decision and event.seat == 0 for event in table.position.events)
    assert text.count("? tells what can be typed") == 2


def test_hints_can_be_off() -> None:
    _, text = played("h b", hints=False)
    assert text.count("hints are off in this game") == 2


def test_moves_as_people_write_them() -> None:
    table = Table.new(ONE_ROUND, 5, [0], "cautious", [])
    position = table.position
    legal = position.legal_texts()
    assert len(legal) > 1
    for number, move in enumerate(legal, 1):
        tile, _, train = move.partition("@")
        near, far = tile.split("-")
        for text in (str(number), move, f"{near} {far} {train}", f"{far}-{near}@{train.lower()}", f"{tile} {train}"):
            assert advice.meant(position, text) == [move]
    assert advice.meant(position, "0-0") == advice.meant(position, "") == advice.meant(position, "99") == []


def test_undo_goes_back_to_the_own_decision() -> None:
    table, _ = played("1")
    before = [event.text for event in table.position.events if event.seat == 0 and event.is_decision]
    first, _ = played("")
    again, text = played("1 u")
    assert again.position == first.position
    assert (again.undone, len(before)) == (1, 1)
    _, text = played("u")
    assert "there is no move of yours in this round to take back" in text
    assert json.loads(again.lines()[-1])["play"]["undone"] == 1


@pytest.mark.parametrize("rounds", [1, 2])
def test_save_and_resume_at_every_move(rounds: int, tmp_path: Path) -> None:
    """A game that is interrupted after each move goes on as if nothing had happened."""
    rules = RuleSet.mexican(3, rounds=rounds, tile_set="double-6", hand_size=5)
    file = tmp_path / "game.jsonl"
    whole, _ = played("1 " * 200, Table.new(rules, 9, [1], "cautious,random", ["Ann"]))
    assert whole.match.over
    table, _ = played("1", Table.new(rules, 9, [1], "cautious,random", ["Ann"]), file)
    while not table.match.over:
        table, _ = played("1", Table.load(file), file)
    assert table.lines() == whole.lines()
    assert Table.load(file).lines() == whole.lines()
    assert table.names[1] == "Ann"


def test_files_that_are_no_games(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    table, _ = played("1 1", path=file)
    good = table.lines()[0]
    for text, reason in (
        ("", "is empty"),
        ("{}\n", "format"),
        (json.dumps({**json.loads(good), "play": {}}), "expected the policies and names"),
        (json.dumps({**json.loads(good), "seed": 6}), "not round 0 of this seed"),
        (f"{good}\n{good}\n", "stands after one that goes on"),
    ):
        file.write_text(text)
        with pytest.raises(RecordError, match=reason):
            Table.load(file)
    file.write_bytes(b"\xff")
    with pytest.raises(RecordError, match="UTF-8"):
        Table.load(file)


@pytest.mark.parametrize(
    ("argv", "word"),
    [
        (["--seat", "4"], "no seat 4"),
        (["--hot-seat", "0,x"], "--hot-seat"),
        (["--hot-seat", "0,9"], "no seat 9"),
        (["--seat", "1", "--hot-seat", "0"], "give one of them"),
        (["--policy", "cautious,random"], "2 policies for 3 seats"),
        (["--policy", "nobody"], "'nobody'"),
        (["--names", "A,B"], "2 names for 1 people"),
        (["--resume", "nowhere.jsonl"], "nowhere.jsonl"),
        (["--resume", "x", "--players", "3"], "--players is decided by the saved game"),
        (["-o", "nowhere/game.jsonl"], "nowhere"),
        (["--rounds", "0"], "1 … 19"),
    ],
)
def test_wrong_arguments(
    argv: list[str], word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert main(["play", *argv]) == 2 if argv[0] != "--rounds" else True
    if argv[0] == "--rounds":
        assert word in fail(capsys, "play", *argv)
    else:
        err = without_notice(capsys.readouterr().err)
        assert word in err
        assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_several_people(tmp_path: Path) -> None:
    """Each sees only the own hand, and the transcript says whose turn it is."""
    table = Table.new(ONE_ROUND, 5, [0, 2], "cautious", ["Ann", "Bob"])
    assert table.policies == (HUMAN, "cautious", HUMAN, "cautious")
    table, text = played("1 1 1 1", table)
    assert "-- Ann --" in text
    assert "-- Bob --" in text
    assert table.position.events[0].seat in (0, 1, 2, 3)


def test_colours() -> None:
    text = "hand  12-4  0-0  *-A  *-3 moves 1 12-4@M saved 2026-11-30-x"
    plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured(text))
    assert plain == text
    assert coloured("12-4") != "12-4"
    assert coloured("2026-11-30") == "2026-11-30"


def test_when_there_are_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = type("Terminal", (io.StringIO,), {"isatty": lambda self: True})()
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert wants_colours("auto", terminal)
    assert not wants_colours("never", terminal)
    assert wants_colours("always", io.StringIO())
    assert not wants_colours("auto", io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colours("auto", terminal)


def test_events_in_words() -> None:
    rules = RuleSet.super(3)
    events = ["0:12-5@0", "0:draw 7-3", "0:open", "1:forced-draw 9-9", "1:5-1@0", "1:stop", "2:skip", "0:5-2@M"]
    from mextrain.game.events import Event

    parsed = [Event.parse(text, rules.actions) for text in events]
    assert list(screen.told(parsed, ("you", "B", "C"), 0)) == [
        "  you: 12-5 on own train, draws 7-3, cannot play, train open",
        "  B: draws because of a D tile, 5-1 on your train, stop",
        "  C: is skipped",
        "  you: 5-2 on the Mexican Train",
    ]


class Terminal:
    """The other end of a pseudo-terminal: what the program printed, and what is typed."""

    def __init__(self, handle: int, child: int) -> None:
        self.handle, self.child, self.text = handle, child, ""

    def wait_for(self, word: str, seconds: float = 300.0) -> str:
        """Read until `word` has been printed; returns everything before it, and forgets it."""
        while word not in self.text:
            ready = any(select.select([self.handle], [], [], wait)[0] for wait in limits.patience(seconds))
            assert ready, f"{word!r} did not come; so far:\n{self.text}"
            try:
                self.text += os.read(self.handle, 4096).decode(errors="replace")
            except OSError:
                break
        before, found, self.text = self.text.partition(word)
        assert found, before
        return before

    def type(self, text: str) -> None:
        """Type a line."""
        os.write(self.handle, f"{text}\r".encode())

    def exit_code(self) -> int:
        """Wait for the end of the program; returns its exit code, 128 plus the number of a signal."""
        return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])


@contextmanager
def terminal(*argv: str, **environment: str) -> Iterator[Terminal]:
    """Run `mextrain` at a pseudo-terminal of 80 × 24."""
    import pty

    child, handle = pty.fork()
    if child == 0:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.environ.update({"TERM": "xterm", "COLUMNS": "80", "LINES": "24"} | environment)
        os.execv(sys.executable, [sys.executable, "-m", "mextrain", *argv])
    try:
        yield Terminal(handle, child)
    finally:
        os.close(handle)
        try:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        except (ProcessLookupError, ChildProcessError):
            pass


at_a_terminal = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")


@at_a_terminal
def test_at_a_terminal(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    with terminal("play", "--seed", "5", "--policy", "cautious", "--rounds", "1", "-o", str(file)) as screen_:
        first = screen_.wait_for("moves")
        assert "\x1b[38;5;" in first
        screen_.wait_for("> ")
        screen_.type("1")
        screen_.wait_for("moves")
        screen_.type("q")
        screen_.wait_for("mextrain play --resume")
        assert screen_.exit_code() == 0
    assert json.loads(file.read_text())["events"]


@at_a_terminal
@pytest.mark.parametrize("flags", [["--color", "never"], []])
def test_no_colours_at_a_terminal(flags: list[str], tmp_path: Path) -> None:
    environment = {} if flags else {"NO_COLOR": "1"}
    with terminal("play", "--seed", "5", "--policy", "cautious", *flags, **environment) as screen_:
        assert "\x1b[38;5;" not in screen_.wait_for("moves")
        screen_.type("q")
        assert screen_.exit_code() == 0


@at_a_terminal
def test_ctrl_c_saves(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    with terminal("play", "--seed", "5", "--policy", "cautious", "-o", str(file)) as screen_:
        screen_.wait_for("moves")
        screen_.type("1")
        screen_.wait_for("moves")
        os.write(screen_.handle, b"\x03")
        screen_.wait_for("goes on with it")
        assert screen_.exit_code() == 130
    assert Table.load(file).position.events


@at_a_terminal
def test_people_hand_over_the_keyboard() -> None:
    flags = ["--hot-seat", "0,1,2,3", "--names", "Ann,Bob,Cy,Di", "--seed", "5"]
    with terminal("play", *flags) as screen_:
        screen_.wait_for("press Enter when only you can see the screen")
        screen_.type("")
        screen_.wait_for("moves")
        screen_.type("1")
        screen_.wait_for("\x1b[2J")
        screen_.type("")
        screen_.wait_for("moves")
        # End of input at a terminal.
        os.write(screen_.handle, b"\x04")
        assert screen_.exit_code() == 0


def test_bots_are_called_by_their_program() -> None:
    table = Table.new(ONE_ROUND, 5, [0], "cmd:python bots/heavy.py -x/first,cautious,cautious", [])
    assert table.names == ("you", "first", "cautious 2", "cautious 3")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("99", "there is no move 99: expected 1 … "),
        ("0", "there is no move 0: expected 1 … "),
        ("zzz", "'zzz' is not a move"),
        ("9-9", "you do not hold 9-9"),
        ("9_9", "you do not hold 9-9"),
        ("why_9-9", "you do not hold 9-9"),
        ("why_9_9_M", "seat does not hold 9-9"),
        ("why_zzz", "'zzz' is not a move"),
    ],
)
def test_what_is_not_a_move_is_answered_with_the_reason(answer: str, told: str) -> None:
    """Not with how moves are written in files."""
    _, text = played(answer)
    assert told in text
    assert "names no train" not in text


def test_a_tile_that_is_held_is_answered_with_its_places() -> None:
    table, _ = played("")
    position = table.position
    assert position.seat is not None
    actions = position.rules.actions
    places = {str(actions.tile(move)): actions.text(move) for move in position.legal_moves()}
    for tile in map(str, position.hands[position.seat]):
        told = advice.why_not(position, tile)
        assert told.startswith(f"{tile} is legal: {places[tile]}" if tile in places else f"{tile} fits no end")
