"""Tournaments that are saved: records that keep the rules, and runs that go on as if they had never ended."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mextrain import (
    Interrupted,
    MextrainError,
    PolicyError,
    RoundRecord,
    RuleSet,
    StopRule,
    replay,
    resume_tournament,
    tournament,
)
from mextrain.records import MatchOrder
from mextrain.study import tournament as module
from mextrain.study.saved_rounds import state_path

RULES = RuleSet.mexican(3, rounds=2)
JOB: dict[str, Any] = {"policies": "cautious,random", "seed": 5, "first_game": 7}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "rounds.jsonl"


@pytest.mark.parametrize("preset", ["mexican", "pagat", "pressman"])
def test_every_round_is_a_record(preset: str, file: Path) -> None:
    rules = RuleSet.preset(preset, players=3, rounds=2)
    found = tournament(rules, **JOB, deals=3, out=file)
    lines = file.read_text(encoding="utf-8").splitlines()
    assert len(lines) == found.games * rules.rounds
    order, points = MatchOrder(), {"cautious": 0, "random": 0}
    for line in lines:
        record = RoundRecord.from_json(line)
        replay(record)
        order.check(record)
        assert record.seed == 5
        assert record.game in (7, 8, 9)
        for policy, own in zip(json.loads(line)["policies"], record.points, strict=True):
            points[policy] += own
    assert [each.total for each in found.sums["points"]] == [points["cautious"], points["random"]]
    assert found == tournament(rules, **JOB, deals=3)


def test_more_deals_on_top_are_one_run(file: Path, tmp_path: Path) -> None:
    tournament(RULES, **JOB, deals=2, out=file)
    more = resume_tournament(file, deals=6, workers=2)
    whole = tmp_path / "whole.jsonl"
    assert more == tournament(RULES, **JOB, deals=6, out=whole)
    assert file.read_bytes() == whole.read_bytes()
    assert state_path(file).read_bytes() == state_path(whole).read_bytes()
    # Nothing is left to do.
    assert resume_tournament(file) == more
    with pytest.raises(MextrainError, match="deals = 5: the file has 6 deals already"):
        resume_tournament(file, deals=5)


@pytest.mark.parametrize("games", [1, 9, 40])
def test_after_ctrl_c_it_goes_on(games: int, file: Path, tmp_path: Path) -> None:
    def stop(done: int, _: int) -> None:
        if done >= games:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        tournament(RULES, **JOB, deals=20, out=file, progress=stop)
    for line in file.read_text(encoding="utf-8").splitlines():
        RoundRecord.from_json(line)
    whole = tmp_path / "whole.jsonl"
    assert resume_tournament(file) == tournament(RULES, **JOB, deals=20, out=whole)
    assert file.read_bytes() == whole.read_bytes()


def test_what_a_crash_left_behind_is_cut_off(file: Path, tmp_path: Path) -> None:
    tournament(RULES, **JOB, deals=2, out=file)
    with file.open("ab") as added:
        added.write(b'{"format": "mextrain-rou')
    whole = tmp_path / "whole.jsonl"
    assert resume_tournament(file, deals=3) == tournament(RULES, **JOB, deals=3, out=whole)
    assert file.read_bytes() == whole.read_bytes()


def test_a_crash_between_records_and_state(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK_SECONDS", 0.0)
    add, calls = module.SavedRounds._write_state, 0

    def fail(self: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 4:
            raise OSError("no power")
        add(self)

    monkeypatch.setattr(module.SavedRounds, "_write_state", fail)
    with pytest.raises(OSError, match="no power"):
        tournament(RULES, **JOB, deals=10, out=file)
    whole = tmp_path / "whole.jsonl"
    assert resume_tournament(file) == tournament(RULES, **JOB, deals=10, out=whole)
    assert file.read_bytes() == whole.read_bytes()


def test_a_rule_goes_on_too(file: Path) -> None:
    """Interrupted before the stop, it stops where one run does; a number of deals then takes its place."""
    rule = StopRule(until=5.0)
    whole = tournament(RULES, **JOB, deals=5000, stop=rule)

    def stop(done: int, _: int) -> None:
        if done > 60:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        tournament(RULES, **JOB, deals=5000, out=file, progress=stop, stop=rule)
    assert resume_tournament(file) == whole
    assert resume_tournament(file) == whole
    more = resume_tournament(file, deals=whole.deals + 3)
    assert more.sums == tournament(RULES, **JOB, deals=whole.deals + 3).sums


def test_what_cannot_be_saved_or_resumed_is_named(file: Path) -> None:
    with pytest.raises(PolicyError, match="cannot be stored"):
        tournament(RULES, {"mine": lambda decision: decision.legal[0], "other": "random"}, deals=1, out=file)
    assert not file.exists()
    with pytest.raises(MextrainError, match="there is no"):
        resume_tournament(file)
    tournament(RULES, **JOB, deals=1, out=file)
    with pytest.raises(MextrainError, match="it exists already; go on with it"):
        tournament(RULES, **JOB, deals=1, out=file)
    good = json.loads(state_path(file).read_text(encoding="utf-8"))
    for change in (
        {"format": "mextrain-tournament/2"},
        {"bytes": -1},
        {"bytes": 10**9},
        {"rules": {}},
        {"policies": "clever"},
        {"deals": "many"},
        {"sums": {}},
        {"orders": {"0:1:0": [1]}},
        {"forfeits": [0]},
        {"wanted": {}},
        {"seed": -1},
    ):
        state_path(file).write_text(json.dumps({**good, **change}), encoding="utf-8")
        with pytest.raises(MextrainError) as error:
            resume_tournament(file)
        assert "\n" not in str(error.value)
    for text in ("", "[]", "{", "{}"):
        state_path(file).write_text(text, encoding="utf-8")
        with pytest.raises(MextrainError, match="is not the state of a tournament"):
            resume_tournament(file)
    for path in (3, "a\0b", None, "", "."):
        with pytest.raises(MextrainError, match="expected the path"):
            resume_tournament(path)
    for name in ("nowhere/x", "x" * 10_000, "\ud800"):
        with pytest.raises(MextrainError, match="out = "):
            tournament(RULES, **JOB, deals=1, out=file.parent / name)
