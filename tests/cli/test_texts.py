"""Errors about strange texts: one line of printable characters, however long or broken the text is."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from mextrain._support.files import whole_file
from tests.cli.run import fail, run, succeed

LONG = "x" * 10_000
BROKEN = [LONG, "a\nb", "a\x1b[31mb", "\ud800", "a\u2028b", ""]


@pytest.mark.parametrize("text", BROKEN, ids=["long", "lines", "escape", "surrogate", "separator", "empty"])
@pytest.mark.parametrize(
    "argv",
    [
        ["hands", "--goal"], ["hands", "--games"], ["stats", "--policy"], ["stats", "--rules"], ["stats", "--option"],
        ["stats", "--games", "1", "--seed"], ["show"], ["legal"], ["check"], ["check", "--verify"],
        ["stats", "--nonsense"], ["plan", "--start", "3", "--hand"], ["plan", "--hand", "3-2", "--start"],
        ["plan", "--hand", "3-2", "--set"],
        ["selfplay", "--games", "1", "--out", "x", "--policy"], ["record", "--games", "1", "--policy"],
        ["beliefs", "--event", "3"], ["tournament", "--policy"], ["stats", "--backend"], ["compare", "--with"],
        ["tournament", "--test"], ["tournament", "--until"], ["tournament", "--resume"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_one_line_of_every_text(argv: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    if (argv[0], text) == ("plan", "") and argv[-1] == "--hand":
        return  # An empty hand has an empty plan.
    line = fail(capsys, *argv, text)
    assert line[:-1].isprintable()


@pytest.mark.parametrize("argv", [["hands", "--goal", "--"], ["hands", "--goal", "--", "--"], ["plan", "--hand", "--"]])
def test_two_dashes_are_no_value(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert "expected one argument" in fail(capsys, *argv)


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are texts elsewhere")
def test_paths_that_are_not_utf_8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = os.fsdecode(b"r\xff")
    assert run("record", "--games", "1", "--option", "rounds=1", "-o", name).returncode == 0
    done = run("check", name)
    assert (done.returncode, done.stdout.startswith("r\ufffd: 1 round"), done.stderr) == (0, True, "")
    written = ["record", "--games", "1", "-o", f"{name}/x"]
    for argv in (["check", name + "nowhere"], ["check", "--verify", name], written):
        done = run(*argv)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_a_path_with_a_line_break_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a\nb"
    path.mkdir()
    assert "a b holds no archive" in fail(capsys, "check", str(path))


def test_errors_name_the_file_that_was_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And never the temporary file, which has been removed."""
    line = fail(capsys, "record", "--games", "1", "--out", str(tmp_path / "nowhere" / "r.jsonl"))
    assert line == f"mextrain record: {tmp_path / 'nowhere' / 'r.jsonl'}: No such file or directory\n"
    (tmp_path / "folder" / "inside").mkdir(parents=True)
    with pytest.raises(OSError, match="folder") as caught, whole_file(tmp_path / "folder") as file:
        file.write(b"x")
    assert "tmp-" not in str(caught.value)
    assert "None" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_tile_is_read_as_people_write_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert "12-5" in succeed(capsys, "plan", "--hand", "[5|12]; 5:7", "--start", "[12|12]")
