"""`mextrain bench`: plausible figures in the documented format, and the signature."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mextrain import OPTIONS, InternalError, MextrainError, RuleSet, simulate
from mextrain.benchmark import STANDARD, Effort, Job, environment, measure, report, runs, twin
from mextrain.benchmark.signature import first_rule_sets, rule_sets, signature
from mextrain.game.options import PLAYERS_TABLE
from mextrain_core.lockstep.player import accepts
from tests.cli.run import fail, succeed

FIRST_SIGNATURE = "833f64f07fbd6002"
"""Of the first part. It changes only if the kernels play something else than before; then CHANGELOG.md must say so."""

SIGNATURE = "3f214ef071138e73"
"""Of everything: it also changes if rules are added."""


def test_the_signature(capsys: pytest.CaptureFixture[str]) -> None:
    assert succeed(capsys, "bench", "--signature") == f"{SIGNATURE}\n"
    assert signature() == SIGNATURE
    assert signature(first_rule_sets()) == FIRST_SIGNATURE


def test_the_signature_covers_everything() -> None:
    rules = list(rule_sets())
    assert rules == list(rule_sets())
    for preset, players in PLAYERS_TABLE.items():
        assert {each.players for each in rules if each.preset_name == preset} >= set(players)
    for name, option in OPTIONS.items():
        seen = {getattr(each, name) for each in rules}
        # Every named value; a few first engines stand for all.
        assert seen >= set(option.words) or name == "first_engine"
        assert len(seen) >= 2
        assert None in seen or not option.none
    assert {"*-*", "5-5", "0-0"} <= {each.first_engine for each in rules}


def test_the_signature_sees_every_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mextrain.benchmark.signature.GAMES", 1)
    monkeypatch.setattr("mextrain.benchmark.signature.rule_sets", lambda: [RuleSet.mexican(2, rounds=1)])
    before = signature()
    for array in ("points", "facts", "actions"):

        def changed(*arguments: Any, array: str = array, **more: Any) -> Any:
            played = simulate(*arguments, **more)
            getattr(played, array).flat[-1] += 1
            return played

        monkeypatch.setattr("mextrain.benchmark.signature.simulate", changed)
        assert signature() != before


FIELDS = {
    *("preset", "players", "tile_set", "policy", "backend", "workers", "turns_per_second", "ratio_to_c", "hash"),
    *("rounds", "turns", "plays", "decisions", "games", "ns_per_turn", "seconds", "clock", "repeats", "hash_checked"),
    *("ratio_note", "compile_seconds", "first_call_seconds", "peak_memory_bytes", "bytes_per_game"),
}
TINY = Effort(processes=1, repeats=2, seconds=0.005, cold=False)


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    """Every backend plays the same games, and so does the C twin, which was written from the page of rules alone."""
    effort = ("--processes", "2", "--repeats", "2", "--milliseconds", "5", "--no-cold")
    found = json.loads(succeed(capsys, "bench", "--json", "--rules", "mexican", "--players", "3", *effort))
    assert {"cpu", "python", "numba", "numpy", "mextrain", "usable_processors"} <= set(found["environment"])
    assert 0 < found["starts"]["python_seconds"] < found["starts"]["one_game_seconds"]
    assert found["method"]
    runs = {run["backend"]: run for run in found["runs"]}
    assert set(runs) == ({"scalar", "lockstep", "c"} if lockstep_plays() else {"scalar", "c"})
    for one in runs.values():
        assert set(one) >= FIELDS
        assert (one["preset"], one["players"], one["tile_set"], one["policy"]) == ("mexican", 3, "double-9", "random")
        assert (one["workers"], one["processes"], one["repeats"], one["hash_checked"]) == (1, 2, 4, True)
        played = simulate(RuleSet.mexican(3), games=one["games"], seed=one["seed"])
        assert one["hash"] == f"{played.hash:016x}"
        assert (one["turns"], one["plays"]) == (played.turns.sum(), played.plays.sum())
        assert one["turns_per_second"] == pytest.approx(one["turns"] / one["seconds"])
        assert one["ns_per_turn"] == pytest.approx(1e9 / one["turns_per_second"])
        assert one["ns_per_decision"] == pytest.approx(one["seconds"] * 1e9 / played.decisions.sum())
        assert one["ratio_to_c"] == pytest.approx(runs["c"]["seconds"] / one["seconds"])
        assert one["seconds"] <= one["seconds_median"]
        assert one["compile_seconds"] is one["ratio_note"] is None
        assert one["first_call_seconds"] > 0


def lockstep_plays() -> bool:
    """Whether this machine has vector code."""
    return accepts(RuleSet.mexican(3).record, [0, 0, 0])


@pytest.mark.parametrize(
    ("job", "compiler", "reason"),
    [
        (Job(RuleSet.mexican(2), "heaviest"), "gcc", "the C twin plays the policy random only"),
        (Job(RuleSet.mexican(2, rounds=1)), "gcc", "the C twin plays the presets without other options"),
        (Job(RuleSet.mexican(2)), "no-such-compiler", "'no-such-compiler' cannot be run(.*)name your compiler in CC"),
    ],
    ids=["policy", "rules", "compiler"],
)
def test_without_a_twin_the_ratio_is_explained(
    job: Job, compiler: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", compiler)
    found = measure([job], TINY)
    for run in found:
        assert (run.backend != "c", run.ratio_to_c) == (True, None)
        assert re.search(reason, run.ratio_note or "")
    starting = dict.fromkeys(("python_seconds", "import_seconds", "one_game_seconds"), 0.0)
    assert re.search(f"no ratio to C: (.*){reason}", " ".join(report.text(environment(), starting, found).split()))


def test_without_its_sources_the_ratio_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(twin, "PLACES", (Path("nowhere"),))
    twin._builder.cache_clear()
    with pytest.raises(twin.NoTwin, match="sources of the C twin are missing: expected them in nowhere"):
        twin.load_twin(RuleSet.mexican(4), ("random",) * 4)


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    """Everything needed to interpret the figures, cold and warm separately, in 100 columns."""
    effort = ("--processes", "1", "--repeats", "1", "--milliseconds", "5", "--cold")
    rules = ("--players", "2", "--option", "double_rule=cover", "--backend", "scalar")
    text = succeed(capsys, "bench", *rules, *effort)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 100
    assert "numba" in text
    assert "method: " in text
    start = next(number for number, line in enumerate(lines) if line.startswith("backend"))
    assert lines[start - 2].startswith("mexican, 2 players, double-9, double_rule=cover; policy random; 1 worker")
    assert lines[start].endswith("ns/decision    rounds/s cold s warm s")
    backend, *_, cold, warm = lines[start + 1].split()
    assert backend == "scalar"
    assert float(cold) > 2 * float(warm) > 0


def test_the_standard_set() -> None:
    """The four games of the published figures, all at random, and one with a slower policy."""
    assert [str(job) for job in STANDARD] == [
        "mexican, 4 players, random, 1 worker",
        "mexican, 2 players, random, 1 worker",
        "mexican, 8 players, random, 1 worker",
        "super, 4 players, random, 1 worker",
        "mexican, 4 players, heaviest, 1 worker",
    ]


def test_all_backends_play_the_standard_set() -> None:
    runs = measure(STANDARD, TINY)
    by_backend = {(run.preset, run.players, run.policy, run.backend) for run in runs}
    asked = {(job.rules.preset_name, job.rules.players, job.names[0]) for job in STANDARD}
    assert {job[:3] for job in by_backend} == asked
    assert {backend for *_, policy, backend in by_backend if policy == "random"} >= {"scalar", "c"}


def test_several_workers_use_the_wall_clock() -> None:
    for one in measure([Job(RuleSet.mexican(2), workers=2)], TINY):
        assert (one.clock, one.workers) == ("wall clock", 2)
        assert one.hash == f"{simulate(RuleSet.mexican(2), games=one.games, seed=one.seed).hash:016x}"


@pytest.mark.parametrize("backend", ["scalar", "lockstep"])
def test_one_backend_alone(backend: str) -> None:
    if backend == "scalar" or lockstep_plays():
        assert {run.backend for run in measure([Job(RuleSet.mexican(2), backend=backend)], TINY)} == {backend, "c"}


def test_a_backend_that_does_not_play_this_is_refused() -> None:
    with pytest.raises(MextrainError, match="it does not play double_rule=chicken_foot"):
        Job(RuleSet.mexican(2, double_rule="chicken_foot"), backend="lockstep")


def test_a_policy_of_the_users_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text("def first(decision):\n    return decision.legal[0]\n")
    monkeypatch.syspath_prepend(tmp_path)
    (one,) = measure([Job(RuleSet.mexican(2, rounds=1), "mine:first")], TINY)
    assert (one.backend, one.ratio_note) == ("scalar", "the C twin plays the policy random only")


def test_backends_that_disagree_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(job: Job, *_: Any, **__: Any) -> dict[str, Any]:
        backends = {name: {"hashes": [value]} for name, value in (("scalar", "0a"), ("c", "0b"))}
        return {"backends": backends, "games": 1}

    monkeypatch.setattr(runs, "_sample", other)
    with pytest.raises(InternalError, match=r"different hashes(.*)0a(.*)0b(.*)please report"):
        measure([Job(RuleSet.mexican(2))], TINY)


def test_a_process_that_fails_is_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InternalError, match="status 1; its message is above"):
        runs._run(("-c", "raise SystemExit('no memory left')"))
    assert "no memory left" in capfd.readouterr().err


def test_searches_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    effort = ("--processes", "1", "--repeats", "2", "--milliseconds", "2")
    table = ("--rules", "mexican", "--players", "2", "--option", "tile_set=double-9")
    found = json.loads(succeed(capsys, "bench", "--search", "--json", *table, *effort))
    kinds = {(one["method"], one["policy"]) for one in found["runs"]}
    assert kinds == {(method, policy) for method in ("flat", "tree") for policy in ("random", "counting")}
    assert "CPU" in found["method"]
    for one in found["runs"]:
        assert (one["preset"], one["players"], one["repeats"]) == ("mexican", 2, 2)
        assert one["playouts"] % one["moves"] == 0
        assert one["playouts_per_second"] == pytest.approx(one["playouts"] / one["seconds"])
    lines = succeed(capsys, "bench", "--search", *table, *effort).splitlines()
    assert len(lines) == 5
    assert max(map(len, lines)) <= 80
    assert "leave out" in fail(capsys, "bench", "--search", "--policy", "random")
