"""`mextrain score`: what can be, what cannot, and that nothing is lost."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from mextrain import MextrainError, RuleSet
from mextrain.play.scores import Scores
from tests.cli.run import fail, succeed


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def score(capsys: pytest.CaptureFixture[str], line: str) -> str:
    """What `mextrain score` prints."""
    return succeed(capsys, "score", *line.split())


def test_a_match(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score(capsys, "start Ann Bob Cy --option starter=winner --first Bob")
    assert "round 1 of 10, engine 9-9; Bob starts" in score(capsys, "show")
    assert "engine 8-8; Ann starts" in score(capsys, "add 0 31 12")
    assert "engine 7-7; Cy starts" in score(capsys, "add cy=0 Ann=20 BOB=7")
    table = score(capsys, "add 5 40 12 blocked")
    assert "who starts is drawn" in table
    assert "b: blocked" in table
    assert "1. Cy; 2. Ann; 3. Bob" in table
    table = score(capsys, "edit 1 0 3 13")
    assert "1. Ann, Cy; 3. Bob" in table.replace("25", "25")
    assert json.loads(score(capsys, "show --json"))["totals"] == [25, 50, 25]
    score(capsys, "undo")
    found = json.loads(score(capsys, "--json"))
    assert (found["totals"], found["rounds"][2]) == ([25, 78, 24], {"points": [5, 40, 12], "out": None})
    for _ in range(3):
        score(capsys, "undo")
    assert "nothing to take back" in fail(capsys, "score", "undo")
    assert [path.name for path in folder.iterdir()] == ["scores.json"]


def test_other_programs_read_it(capsys: pytest.CaptureFixture[str]) -> None:
    score(capsys, "start A|b Bob")
    score(capsys, "add 0 31")
    rows = list(csv.reader(score(capsys, "csv").splitlines()))
    assert rows[0] == ["round", "engine", "A|b", "Bob", "out"]
    assert rows[1:] == [["1", "9-9", "0", "31", "A|b"], ["total", "", "0", "31", ""]]
    assert score(capsys, "markdown").splitlines()[0] == "| round | engine | A\\|b | Bob | out |"


def test_the_end_and_ties() -> None:
    scores = Scores.new(RuleSet.mexican(3, rounds=2), ["Ann", "Bob", "Cy"])
    scores.add([0, 5, 9])
    scores.add([5, 0, 9])
    assert scores.next_line() == "the match is over; fewest points: Ann and Bob (a tie)"
    assert scores.places() == [(1, ("Ann", "Bob")), (3, ("Cy",))]
    with pytest.raises(MextrainError, match="all 2 rounds are played"):
        scores.add([0, 1, 2])


def test_who_starts_when_it_rotates() -> None:
    scores = Scores.new(RuleSet.mexican(3, starter="rotate"), ["Ann", "Bob", "Cy"], "Cy")
    starters = []
    for _ in range(4):
        starters.append(scores.starter())
        scores.add([0, 5, 9])
    assert starters == [2, 0, 1, 2]


@pytest.mark.parametrize(
    ("points", "blocked", "reason"),
    [
        ([0, 5], False, "2 points for 3 players"),
        ([0, -1, 5], False, "Bob has -1 points"),
        ([4, 5, 6], False, "nobody went out"),
        ([0, 0, 0], False, "only 2 can"),
        ([0, 0, 5], True, "only 1 can"),
        ([0, 1, 1], False, "no hands have 0, 1, 1 points"),
        ([0, 2, 2], False, None),  # 2-0 and 1-1
        ([2, 2, 2], True, None),  # 2-0 and 1-1, and 0-0 does not help: but 1-0 …
        ([0, 400, 400], False, "add up to 800, but all tiles but the engine have only 477"),
        ([0, 200, 200], False, None),
        ([0, 0, 12], False, None),  # the 0-0 has no points
        ([0, 31, 12], False, None),
    ],
)
def test_what_is_possible(points: list[int], blocked: bool, reason: str | None) -> None:
    """Double-9 with the engine 9-9: 54 tiles of 477 points."""
    scores = Scores.new(RuleSet.mexican(3), ["Ann", "Bob", "Cy"])
    if points == [2, 2, 2]:
        # Only 2-0 and 1-1 have two points, and 1-0 is the only tile of one.
        reason = "no hands have"
    if reason is None:
        scores.add(points, blocked)
        assert scores.rounds[0].points == tuple(points)
    else:
        with pytest.raises(MextrainError, match=reason):
            scores.add(points, blocked)
        assert scores.rounds == []


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("show", "mextrain score start"), ("start Ann", "players = 1"), ("start Ann ann", "same name"),
        ("start Ann Bob --players 3", "leave --players out"), ("start Ann Bob --first Cy", "'Cy' does not play"),
        ("shuw", "did you mean show?"),
    ],
)  # fmt: skip
def test_wrong_arguments(line: str, word: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert word in fail(capsys, "score", *line.split())
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("add 0", "points of Bob are missing"), ("add 0 x", "'x' is not a number of points"),
        ("add Ann=0 Ann=3", "has points twice"), ("add Anne=0 Bob=3", "did you mean Ann?"), ("edit", "edit needs"),
        ("edit 1 0 3", "no round has been added"), ("show 3", "takes no values"), ("start A B", "exists already"),
    ],
)  # fmt: skip
def test_wrong_entries_change_nothing(line: str, word: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score(capsys, "start Ann Bob")
    before = (folder / "scores.json").read_bytes()
    assert word in fail(capsys, "score", *line.split())
    assert (folder / "scores.json").read_bytes() == before


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": "mextrain-score/1"}', '{"format": "x"}', "\xff"])
def test_files_that_are_none(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "scores.json").write_bytes(text.encode("latin-1"))
    assert "scores.json is not a file of mextrain score" in fail(capsys, "score")


def test_fourteen_players_fit_80_columns() -> None:
    scores = Scores.new(RuleSet.mexican(14), [f"Player {number}" for number in range(14)])
    scores.add([0, *range(20, 33)])
    assert max(map(len, scores.table().splitlines()[:3])) <= 80
