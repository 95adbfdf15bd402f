"""`mextrain record` and `mextrain check`: records can be replayed, and a change is found where it was made."""

from __future__ import annotations

import copy
import io
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mextrain import Match, PolicyError, Position, PositionError, RuleSet, SeedError, replay, simulate
from mextrain.bulk.positions import play_rounds
from mextrain.cli import main
from tests.cli.interrupting import default_interrupt
from tests.cli.run import fail, succeed, without_notice
from tests.limits import communicate
from tests.reference.replay import first_fault

GAMES = {
    "mexican": ["--rules", "mexican", "--players", "4", "--games", "2"],
    "mexican-2": ["--rules", "mexican", "--players", "2", "--games", "3"],
    "super": ["--rules", "super", "--players", "5", "--games", "2"],
    "super-2": ["--rules", "super", "--players", "2", "--games", "1", "--option", "letter_match=anywhere"],
    "foot": ["--players", "3", "--games", "1", "--option", "double_rule=chicken_foot", "--option", "drawn_play=may"],
    "cover": ["--games", "1", "--option", "double_rule=cover", "--option", "failed_cover=mark"],
    "mark": ["--games", "2", "--option", "double_rule=cover", "--option", "failed_cover=mark_and_play"],
    "winner": ["--games", "1", "--option", "starter=winner", "--option", "double_blank=50", "--policy", "heaviest"],
    "bonus": ["--rules", "super", "--games", "1", "--option", "twice_bonus=may", "--option", "max_uncovered=none"],
    "end": ["--games", "1", "--option", "finish_on_double=must_cover", "--option", "rounds=3", "--players", "14"],
}


def written(capsys: pytest.CaptureFixture[str], *argv: str) -> list[dict[str, Any]]:
    """The records that a command prints."""
    return [json.loads(line) for line in succeed(capsys, "record", *argv).splitlines()]


@pytest.mark.parametrize("name", GAMES)
def test_round_trip(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of records passes the check, and the slow rulebook agrees with every word of it."""
    path = tmp_path / "rounds.jsonl"
    assert succeed(capsys, "record", *GAMES[name], "--seed", "3", "--legal", "-o", str(path)) == ""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    events = sum(len(record["events"]) for record in records)
    assert succeed(capsys, "check", str(path)) == f"{path}: {len(records)} rounds, {events:,} events, no fault\n"
    assert [first_fault(record) for record in records] == [None] * len(records)
    for record in records:
        decisions = [event for event in record["events"] if "@" in event or event.endswith(":stop")]
        assert len(record["legal"]) == len(decisions)
        for event, legal in zip(decisions, record["legal"], strict=True):
            assert legal == sorted(set(legal))
            assert event.partition(":")[2] in legal


def test_records_are_the_simulated_games(capsys: pytest.CaptureFixture[str]) -> None:
    records = written(capsys, *GAMES["super"], "--seed", "8", "--first-game", "4", "--policy", "cautious")
    played = simulate(RuleSet.super(5), games=2, seed=8, first_game=4, policies="cautious")
    assert [(record["game"], record["round"]) for record in records] == [(g, k) for g in (4, 5) for k in range(14)]
    assert [record["points"] for record in records] == played.points.reshape(-1, 5).tolist()
    assert [record["starter"] for record in records] == played.starter.ravel().tolist()
    assert [
        -1 if record["winner"] is None else record["winner"] for record in records
    ] == played.winner.ravel().tolist()
    assert all("legal" not in record and record["seed"] == 8 for record in records)
    assert list(records[0])[:3] == ["format", "rules", "seed"]


def test_more_games_than_fit_into_memory_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = RuleSet.mexican(2, rounds=2)
    whole = [position.record() for position in play_rounds(rules, games=7, seed=1, first_game=9)]
    monkeypatch.setattr("mextrain.bulk.positions.CHUNK_GAMES", 3)
    assert [position.record() for position in play_rounds(rules, games=7, seed=1, first_game=9)] == whole
    assert [record["game"] for record in whole] == [game for game in range(9, 16) for _ in range(2)]


def test_wrong_arguments_are_refused_at_once() -> None:
    """They are refused before the first round is requested."""
    with pytest.raises(PolicyError):
        play_rounds(RuleSet.mexican(2), games=1, policies="nobody")
    with pytest.raises(SeedError):
        play_rounds(RuleSet.mexican(2), games=1, seed=-1)


Change = Callable[[dict[str, Any]], None]


def event_number(record: dict[str, Any], kind: str, skip: int = 0) -> int:
    """The number of an event that contains `kind`."""
    return [number for number, event in enumerate(record["events"]) if kind in event][skip]


def set_event(kind: str, text: str | None, skip: int = 0) -> Change:
    """Replace the first event that contains `kind` by `text`, or leave it out."""

    def change(record: dict[str, Any]) -> None:
        number = event_number(record, kind, skip)
        record["events"][number : number + 1] = [] if text is None else [text]

    return change


def set_field(name: str, value: Any) -> Change:
    """Set a field of the record."""
    return lambda record: record.__setitem__(name, value)


def swap_hands(record: dict[str, Any]) -> None:
    """Give two seats each other's hands."""
    record["hands"][0], record["hands"][1] = record["hands"][1], record["hands"][0]


def first_legal(record: dict[str, Any]) -> None:
    """Leave out a legal move of the third decision."""
    del record["legal"][2][0]


# The change, the event at fault (by kind; None: no event), and a word of the reason.
TAMPERED: dict[str, tuple[Change, str | None, str]] = {
    "move": (set_event("@", "0:0-0@M", 3), "0:0-0@M", "0-0@M"),
    "word": (set_event(":draw ", "nonsense"), "nonsense", "nonsense"),
    "drawn tile": (set_event(":draw ", "1:draw 12-12"), "1:draw 12-12", "12-12"),
    "no open": (lambda record: record["events"].remove(next(e for e in record["events"] if ":open" in e)), None, ""),
    "surplus": (lambda record: record["events"].append("0:open"), "last", "after the end"),
    "cut": (lambda record: record["events"].pop(), "after", "the events end"),
    "points": (lambda record: record["points"].__setitem__(1, 999), None, "points"),
    "winner": (set_field("winner", None), None, "winner"),
    "end": (set_field("end", "blocked"), None, "end"),
    "end word": (set_field("end", "over"), None, "end"),
    "format": (set_field("format", "mextrain-round/2"), None, "mextrain-round/2"),
    "hands": (swap_hands, None, ""),
    "tile twice": (lambda record: record["boneyard"].append("0-0"), None, "0-0"),
    "tile order": (lambda record: record["hands"][0].__setitem__(0, "0-1"), None, ""),
    "rules": (set_field("rules", {"preset": "mexican", "players": 4, "opening": "chian"}), None, "did you mean chain"),
    "no rules": (lambda record: record.pop("rules"), None, "rules"),
    "legal": (first_legal, None, "legal"),
    "type": (set_field("starter", True), None, "starter"),
}


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    """Rounds of Mexican Train with four players, legal lists included, all with draws and openings."""
    rounds = [position.record(legal=True) for position in play_rounds(RuleSet.mexican(4), games=1, seed=5)]
    return [each for each in rounds if any(":draw" in event for event in each["events"])][:4]


def check(records: list[dict[str, Any]], folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Exit code and output of `mextrain check` on a file of these records."""
    path = folder / "rounds.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    code = main(["check", str(path)])
    captured = capsys.readouterr()
    assert without_notice(captured.err) == ""
    return code, captured.out.removeprefix(f"{path}: ")


@pytest.mark.parametrize("name", TAMPERED)
@pytest.mark.parametrize("line", [1, 3])
def test_a_change_is_found_where_it_is(
    name: str, line: int, records: list[dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change, at, word = TAMPERED[name]
    changed = copy.deepcopy(records)
    record = changed[line - 1]
    length = len(record["events"])
    change(record)
    code, text = check(changed, tmp_path, capsys)
    assert code == 1
    assert text.startswith(f"line {line}")
    assert text.count("\n") == 1
    assert word in text
    if at == "last":
        assert text.startswith(f"line {line}, event {length}: ")
    elif at == "after":
        assert text.startswith(f"line {line}, event {length - 1}: ")
    elif at is not None:
        assert text.startswith(f"line {line}, event {record['events'].index(at)}: ")
    # The slow rulebook finds the same fault, at the same event.
    fault = first_fault(record)
    assert fault is not None
    number, _ = fault
    assert text.startswith(f"line {line}: " if number is None else f"line {line}, event {number}: ")


def test_every_event_matters(records: list[dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing or repeated event is found, at the same event as by the slow rulebook."""
    record = records[0]
    for number in range(len(record["events"])):
        for copies in (0, 2):
            changed = copy.deepcopy(record)
            changed["events"][number : number + 1] = [record["events"][number]] * copies
            code, text = check([record, changed], tmp_path, capsys)
            fault = first_fault(changed)
            assert fault is not None
            assert code == 1
            assert text.startswith(f"line 2, event {fault[0]}: ")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"nonsense\n", "line 1: "),
        (b"\n", "line 1: "),
        (b"[]\n", "line 1: "),
        (b"{}\n", "line 1: format"),
        (b"null\n", "line 1: "),
        (b'{"format": "mextrain-round/1"}\n', "line 1: rules"),
        (b"\xff\xfe\n", "line 1: the line is not UTF-8"),
        (b"[" * 100_000 + b"\n", "line 1: "),
        (b'{"format": "mextrain-round/1", "points": ' + b"9" * 5000 + b"}\n", "line 1: "),
    ],
    ids=["word", "empty", "list", "object", "null", "no rules", "bytes", "deep", "digits"],
)
def test_lines_that_are_no_records(data: bytes, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rounds.jsonl"
    path.write_bytes(data)
    assert main(["check", str(path)]) == 1
    captured = capsys.readouterr()
    assert without_notice(captured.err) == ""
    assert captured.out.startswith(f"{path}: {text}")
    assert captured.out.count("\n") == 1
    assert len(captured.out) < 400 + len(str(path))


def test_files_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "nowhere" in fail(capsys, "check", str(tmp_path / "nowhere"))
    assert "holds no archive" in fail(capsys, "check", str(tmp_path))
    assert "FILE" in fail(capsys, "check")


def test_from_a_pipe(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    text = succeed(capsys, "record", "--games", "1", "--option", "rounds=1")
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
    assert succeed(capsys, "check", "-").startswith("stdin: 1 round, ")


def test_ctrl_c_leaves_no_half_file(tmp_path: Path) -> None:
    out = tmp_path / "rounds.jsonl"
    argv = [sys.executable, "-m", "mextrain", "record", "--games", "100000", "-o", str(out)]
    running = subprocess.Popen(argv, stderr=subprocess.PIPE, text=True, preexec_fn=default_interrupt)
    while not list(tmp_path.iterdir()) or not next(tmp_path.iterdir()).stat().st_size:
        assert running.poll() is None
    running.send_signal(signal.SIGINT)
    _, stderr = communicate(running)
    assert running.returncode == 130
    assert stderr == "mextrain record: interrupted\n"
    assert list(tmp_path.iterdir()) == []


def matches(rules: RuleSet, games: int = 2) -> list[dict[str, Any]]:
    """The records of whole matches, one after the other; `game` counts from 0."""
    found = []
    for game in range(games):
        match = Match(rules, seed=5, game=game)
        for position in match:
            while not position.over:
                position.play(position.legal_moves()[0])
        found += match.records()
    return found


SMALL = {"tile_set": "double-2", "hand_size": 2}
STARTERS = ("draw", "rotate", "winner", 1)


def checked(path: Path, records: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Exit code and output of a check of these records."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    code = main(["check", str(path)])
    return code, capsys.readouterr().out


@pytest.mark.parametrize("starter", STARTERS)
def test_whole_matches_and_parts_of_them_pass(starter: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = matches(RuleSet.mexican(2, starter=starter, **SMALL))
    for part in (records, records[1:], records[::2], records[3:4], records + records):
        code, said = checked(tmp_path / "all.jsonl", part, capsys)
        assert code == 0, said


@pytest.mark.parametrize("starter", STARTERS)
def test_rounds_out_of_order_are_a_fault(starter: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = matches(RuleSet.mexican(2, starter=starter, **SMALL))
    code, said = checked(tmp_path / "r.jsonl", [records[1], records[0]], capsys)
    assert (code, "line 2: round is 0, but round 1 of game 0 stands before it" in said) == (1, True)
    code, said = checked(tmp_path / "r.jsonl", [records[0], records[1], records[1]], capsys)
    assert (code, "line 3: round is 1, but round 1 of game 0" in said) == (1, True)


def with_starter(rules: RuleSet, records: list[dict[str, Any]], line: int) -> list[dict[str, Any]]:
    """The records with one round replayed from the same deal with the other starter."""
    record = records[line]
    position = Position.deal(rules, seed=5, game=record["game"], engine=record["engine"], starter=1 - record["starter"])
    while not position.over:
        position.play(position.legal_moves()[0])
    return [*records[:line], position.record(), *records[line + 1 :]]


@pytest.mark.parametrize("starter", ["rotate", "winner"])
def test_the_starter_follows_from_the_round_before(
    starter: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = RuleSet.mexican(2, starter=starter, **SMALL)
    records = matches(rules)
    line = next(n for n in range(1, 3) if starter == "rotate" or records[n - 1]["winner"] is not None)
    code, said = checked(tmp_path / "r.jsonl", with_starter(rules, records, line), capsys)
    right = records[line]["starter"]
    assert code == 1
    assert f"line {line + 1}: starter is {1 - right}, but by the option starter={starter} seat {right} starts" in said
    # The first round of a file may be any, because the previous one is unknown.
    code, said = checked(tmp_path / "r.jsonl", with_starter(rules, records[line:], 0)[:1], capsys)
    assert code == 0, said


def test_a_round_that_the_rules_do_not_have_is_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = matches(RuleSet.mexican(2, starter=1, **SMALL), games=1)
    for change, words in (
        ({"starter": 0}, "starter is 0, but the rules say that seat 1 starts"),
        ({"round": 7}, "round is 7, but a match of these rules has the rounds 0 … 2"),
        ({"round": 2}, "engine is 2-2, but round 2 has the engine 0-0"),
        ({"rules": records[0]["rules"] | {"starter": 0}}, "starter is 1, but the rules say that seat 0 starts"),
        ({"round": 1, "rules": records[0]["rules"] | {"rounds": 1}}, "round is 1, but a match of these rules"),
        ({"rules": records[0]["rules"] | {"first_engine": "1-1"}}, "engine is 2-2, but round 0 has the engine 1-1"),
    ):
        code, said = checked(tmp_path / "r.jsonl", [records[0] | change], capsys)
        assert (code, words in said) == (1, True), (change, said)


def test_what_we_write_is_a_round_of_the_rules() -> None:
    """An engine that the rules do not play has no round number, and a fixed starter cannot be changed."""
    rules = RuleSet.mexican(2, starter=1, rounds=1, **SMALL)
    for engine, number in (("2-2", 0), ("1-1", None), ("0-0", None)):
        position = Position.deal(rules, seed=1, engine=engine)
        while not position.over:
            position.play(position.legal_moves()[0])
        record = position.record()
        assert (record.get("round"), record["starter"]) == (number, 1)
        replay(record)
    hands = ["1-0 2-0", "1-1 2-1"]
    assert Position.setup(rules, hands=hands).starter == 1
    assert Position.setup(rules, hands=hands, starter=1).starter == 1
    assert Position.setup(rules.replace(starter="draw"), hands=hands).starter == 0
    refused = "the starter 0 contradicts the rules, by which seat 1 starts"
    with pytest.raises(PositionError, match=refused):
        Position.setup(rules, hands=hands, starter=0)
    with pytest.raises(PositionError, match=refused):
        Position.deal(rules, seed=1, starter=0)
    line = Position.setup(rules, hands=hands).line()
    with pytest.raises(PositionError, match="starter = 0: expected seat 1, as the rules say"):
        Position.from_line(line.replace("starter 1;", "starter 0;"))


def test_an_empty_input_is_nothing_to_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.jsonl").touch()
    assert "empty.jsonl is empty: there is nothing to check" in fail(capsys, "check", str(tmp_path / "empty.jsonl"))
