"""`mextrain bench`: honest numbers in the agreed shape, and the signature."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mextrain import OPTIONS, EngineError, RuleSet, benchmark
from mextrain.benchmark import cold_start, measure
from mextrain.options import PLAYERS_TABLE
from mextrain.signature import rule_sets, signature
from mextrain.simulation import simulate
from tests.cli.run import succeed

SIGNATURE = "e4a32f433c944687"
"""Changes exactly when the engine plays something else than before: then say so in CHANGELOG.md."""


def test_the_signature(capsys: pytest.CaptureFixture[str]) -> None:
    assert succeed(capsys, "bench", "--signature") == f"{SIGNATURE}\n"
    assert signature() == SIGNATURE


def test_the_signature_covers_everything() -> None:
    rules = list(rule_sets())
    assert rules == list(rule_sets())
    for preset, players in PLAYERS_TABLE.items():
        assert {each.players for each in rules if each.preset_name == preset} >= set(players)
    for name, option in OPTIONS.items():
        seen = {getattr(each, name) for each in rules}
        # Every named value; of the wild double's 19 fellows as first engine, a few stand for all.
        assert seen >= set(option.words) or name == "first_engine"
        assert len(seen) >= 2
        assert None in seen or not option.none
    assert {"*-*", "5-5", "0-0"} <= {each.first_engine for each in rules}


def test_the_signature_sees_every_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mextrain.signature.GAMES", 1)
    monkeypatch.setattr("mextrain.signature.rule_sets", lambda: [RuleSet.mexican(2, rounds=1)])
    before = signature()
    for array in ("points", "facts", "actions"):

        def changed(*arguments: Any, array: str = array, **more: Any) -> Any:
            played = simulate(*arguments, **more)
            getattr(played, array).flat[-1] += 1
            return played

        monkeypatch.setattr("mextrain.signature.simulate", changed)
        assert signature() != before


FIELDS = {
    *("preset", "players", "tile_set", "policy", "engine", "workers", "turns_per_second", "ratio_to_c", "hash"),
    *("rounds", "turns", "plays", "games", "ns_per_turn", "seconds", "clock", "repeats", "hash_checked"),
}


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["bench", "--json", "--rules", "super", "--players", "3", "--milliseconds", "5", "--repeats", "2"]
    found = json.loads(succeed(capsys, *argv))
    assert {"cpu", "python", "numba", "numpy", "mextrain", "usable_processors"} <= set(found["environment"])
    assert found["cold"]["first_call_seconds"] > 0
    assert found["cold"]["compiled_code"] in ("compiled", "loaded from the cache")
    assert found["method"]
    (one,) = found["runs"]
    assert set(one) >= FIELDS
    assert (one["preset"], one["players"], one["tile_set"], one["policy"]) == ("super", 3, "super", "random")
    assert (one["engine"], one["workers"], one["ratio_to_c"]) == ("scalar", 1, None)
    played = simulate(RuleSet.super(3), games=one["games"], seed=one["seed"])
    assert one["hash"] == f"{played.hash:016x}"
    assert (one["turns"], one["plays"]) == (played.turns.sum(), played.plays.sum())
    assert one["turns_per_second"] == pytest.approx(one["turns"] / one["seconds"])
    assert one["ns_per_turn"] == pytest.approx(1e9 / one["turns_per_second"])
    assert one["seconds"] <= one["seconds_median"]


def test_the_standard_set(capsys: pytest.CaptureFixture[str]) -> None:
    text = succeed(capsys, "bench", "--milliseconds", "2", "--repeats", "2")
    lines = text.splitlines()
    assert "cold: first game" in text
    assert "numba" in lines[0]
    table = lines[lines.index("") + 2 :]
    assert [line.split()[:4] for line in table[:4]] == [
        ["mexican", "4", "double-12", "random"],
        ["mexican", "2", "double-9", "random"],
        ["mexican", "8", "double-12", "random"],
        ["super", "4", "super", "random"],
    ]


def test_several_workers_use_the_wall_clock() -> None:
    one = measure(RuleSet.mexican(2), workers=2, seconds=0.01, repeats=2)
    assert (one.clock, one.workers) == ("wall clock", 2)
    assert one.hash == f"{simulate(RuleSet.mexican(2), games=one.games, seed=one.seed).hash:016x}"


def test_runs_that_disagree_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other:
        hash = 1

    monkeypatch.setattr(benchmark, "simulate", lambda *_, **__: Other())
    with pytest.raises(EngineError, match="please report"):
        measure(RuleSet.mexican(2), seconds=0.01, repeats=2)


def test_cold_and_warm_starts() -> None:
    """A process with an empty cache compiles; the next one does not."""
    times = cold_start()
    assert times["process_warm_cache_seconds"] < times["process_empty_cache_seconds"]
