"""`mextrain show` and `mextrain legal`: what they print, and one clear line for every wrong input."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from mextrain import Position, RuleSet
from tests.cli.run import fail, succeed

POSITION = Position.deal(RuleSet.mexican(3, tile_set="double-4", hand_size=3), seed=131, starter=1)
LINE = POSITION.line()


def give(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_show(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert succeed(capsys, "show", LINE) == POSITION.table() + "\n"
    give(monkeypatch, f"{LINE}\n".encode())
    assert succeed(capsys, "show", "-") == POSITION.table() + "\n"


def test_legal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert succeed(capsys, "legal", LINE) == "4-0@1\n4-2@1\n"
    ids = [POSITION.rules.actions.id(move) for move in POSITION.legal_moves()]
    assert succeed(capsys, "legal", LINE, "--ids") == f"{ids[0]} 4-0@1\n{ids[1]} 4-2@1\n"
    found = {"seat": 1, "owed": "required", "legal": ["4-0@1", "4-2@1"]}
    assert json.loads(succeed(capsys, "legal", LINE, "--json")) == found
    give(monkeypatch, LINE.encode())
    assert json.loads(succeed(capsys, "legal", "-", "--json", "--ids")) == found | {"ids": ids}


def test_nothing_is_legal_when_the_round_is_over(capsys: pytest.CaptureFixture[str]) -> None:
    position = POSITION.copy()
    while not position.over:
        position.play(position.legal_moves()[0])
    assert succeed(capsys, "legal", position.line()) == ""
    printed = json.loads(succeed(capsys, "legal", position.line(), "--json"))
    assert printed == {"seat": None, "owed": None, "legal": []}
    assert "points by seat" in succeed(capsys, "show", position.line())


@pytest.mark.parametrize("command", ["show", "legal"])
@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("", "'' is not a line of a position"),
        ("mextrain-position/9; x", "this version of mextrain reads mextrain-position/1"),
        (LINE.replace("plays=0", "plays=1"), "plays=1"),
        (LINE.replace("4-0", "4-9"), "'4-9'"),
        (LINE + "\n" + LINE, "expected one line"),
        (POSITION.line(for_seat=0), "must be determinized first"),
        ("x" * 30_000, "expected one line"),
    ],
)
def test_wrong_lines(command: str, line: str, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert word in fail(capsys, command, line)


@pytest.mark.parametrize("command", ["show", "legal", "beliefs"])
@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "stdin is empty"),
        ("mextrain-position/9; x", "stdin, line 1: 'mextrain-position/9' is not a line of a position"),
        (LINE.replace("plays=0", "plays=1"), "plays=1"),
        ("x" * 30_000, "is neither a record, which begins with {, nor a position"),
        ("{}", "line 1: format is none"),
    ],
)
def test_wrong_texts_on_stdin(
    command: str, text: str, word: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, text.encode())
    assert word in fail(capsys, command, "-")


@pytest.mark.parametrize("command", ["show", "legal"])
def test_wrong_input(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "LINE" in fail(capsys, command)
    give(monkeypatch, b"mextrain-position/1; \xff")
    assert "not UTF-8 (byte 21)" in fail(capsys, command, "-")


def test_show_draws_a_picture(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert succeed(capsys, "show", LINE, "--svg") == POSITION.svg()
    seen = POSITION.svg(for_seat=1, theme="dark", width=900)
    options = ("--for-seat", "1", "--theme", "dark", "--width", "900")
    assert succeed(capsys, "show", LINE, "--svg", *options) == seen
    file = tmp_path / "a.svg"
    assert succeed(capsys, "show", LINE, "-o", str(file), *options) == ""
    assert file.read_text(encoding="utf-8") == seen
    assert "only SVG is written" in fail(capsys, "show", LINE, "-o", str(tmp_path / "a.png"))
    assert "No such file" in fail(capsys, "show", LINE, "-o", str(tmp_path / "missing" / "a.svg"))
