"""The gate fails if a backend plays something else, allocates, loads more or is slower, and passes otherwise."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numba import njit

from bench import gate, gauges
from mextrain import RuleSet
from mextrain.benchmark.backends import Backend, Backends, backends_for
from mextrain.bulk.results import Rounds

CPU = "some processor"
FIGURES = {
    "signature": "0123456789abcdef",
    "modules": ["mextrain"],
    "compile_budgets": {"scalar": 20.0, "lockstep": 5.0},
    "import_budget": 3.0,
    "speed": {CPU: {"scalar mexican-4": 1.0, "lockstep mexican-4": 0.8}},
}
MEASURED = {
    "signature": "0123456789abcdef",
    "allocations": {"deal mexican-4": 0, "scalar random mexican-4": 0},
    "compiling": {"yardsticks": 0.5, "scalar": 8.0, "lockstep": 1.5},
    "start": {"import_times": 2.0, "modules": ["mextrain"]},
    "throughput": {"ratios": {"scalar mexican-4": 1.1, "lockstep mexican-4": 0.85}, "disagreements": []},
}


def judged(*throughputs: dict[str, float], **changes: Any) -> list[str]:
    """The faults for changed measurements; `throughputs` are the ratios of successive attempts."""
    measured = deepcopy(MEASURED)
    for name, change in changes.items():
        measured[name] = {**measured[name], **change} if isinstance(change, dict) else change  # type: ignore[dict-item]
    attempts = iter(throughputs)

    def measure(name: str) -> Any:
        if name == "throughput" and throughputs:
            return {**measured[name], "ratios": next(attempts)}  # type: ignore[dict-item]
        return measured[name]

    return gate.judge(FIGURES, CPU, measure)


def test_a_backend_as_it_was_passes() -> None:
    assert judged() == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"signature": "0123456789abcdee"}, "the signature is 0123456789abcdee, not 0123456789abcdef"),
        ({"allocations": {"legal_moves super-4": 1}}, "legal_moves super-4: 1 allocations"),
        ({"throughput": {"disagreements": ["mexican-8"]}}, "mexican-8: two backends played the same games"),
        ({"start": {"modules": ["mextrain", "numpy"]}}, "import mextrain loads numpy"),
        ({"compiling": {"scalar": 10.5}}, "scalar: compiling takes 21.00 times as long as the yardsticks"),
        ({"compiling": {"yardsticks": 0.25}}, "scalar: compiling takes 32.00 times"),
        ({"start": {"import_times": 3.1}}, "import mextrain takes 3.10 times as long as a bare Python"),
        ({"throughput": {"ratios": {"scalar mexican-4": 1.16}}}, "scalar mexican-4: a turn takes 1.160 steps"),
        ({"throughput": {"ratios": {"lockstep mexican-4": 0.93}}}, "lockstep mexican-4: a turn takes 0.930 steps"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_each_fault_shuts_it(changes: dict[str, Any], message: str) -> None:
    fault = judged(**changes)[0]
    assert fault.startswith(message)


SLOW = {"scalar mexican-4": 1.3, "lockstep mexican-4": 0.8}
GOOD = {"scalar mexican-4": 1.1, "lockstep mexican-4": 1.3}


def test_a_slow_machine_does_not_shut_it() -> None:
    """A slow attempt does not count if another one is fast, for each figure separately."""
    assert judged(SLOW, SLOW, SLOW, SLOW, SLOW, GOOD) == []
    assert judged(SLOW, GOOD, SLOW) == []


def test_a_slow_backend_does() -> None:
    (fault,) = judged(*[SLOW] * (gate.ATTEMPTS + 1))
    assert fault.startswith("scalar mexican-4: a turn takes 1.300 steps of the yardstick, more than 1.150")


def test_exact_faults_come_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(judged(signature="0", throughput={"ratios": SLOW})) == 1
    assert "speed" not in capsys.readouterr().out


def test_another_processor_has_no_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert gate.judge({**FIGURES, "speed": {}}, CPU, MEASURED.__getitem__) == []
    assert f"no figures for {CPU}" in capsys.readouterr().out


def test_new_figures_pass_and_keep_those_of_others() -> None:
    figures = gate.updated({"speed": {"another": {"scalar mexican-4": 2.0}}}, CPU, MEASURED.__getitem__)
    assert gate.judge(figures, CPU, MEASURED.__getitem__) == []
    assert set(figures["speed"]) == {"another", CPU}
    assert json.loads(json.dumps(figures)) == figures


def test_the_committed_figures_have_everything() -> None:
    figures = json.loads(gate.FIGURES.read_text())
    assert set(figures) == set(FIGURES)
    for speed in figures["speed"].values():
        assert {name.partition(" ")[2] for name in speed} == set(gauges.GAMES)


@njit
def leaking(rows: np.ndarray, times: int) -> float:
    """A kernel that allocates in its loop."""
    total = 0.0
    for i in range(times):
        total += np.ones(i + 1)[i] + rows[0]
    return total


@njit
def clean(rows: np.ndarray, times: int) -> float:
    """The same without."""
    total = 0.0
    for _ in range(times):
        total += 1 + rows[0]
    return total


@pytest.mark.parametrize("times", [1, 7])
def test_allocations_are_counted(times: int) -> None:
    rows = np.zeros(3)
    assert gauges.inside(leaking, rows, 1) > 0  # compiles
    assert gauges.inside(leaking, rows, times) == times
    assert gauges.inside(clean, rows, 1) <= gauges.inside(clean, rows, times) == 0


def test_allocations_of_games_are_counted() -> None:
    def play(first_game: int, rounds: Rounds) -> int:
        return int(leaking(np.zeros(1), rounds.games))

    assert gauges.grown(play, RuleSet.mexican(2, rounds=1)) == 360


def test_a_slower_backend_is_measured_as_slower(monkeypatch: pytest.MonkeyPatch) -> None:
    """End to end: a backend that plays every game one and a half times."""
    rules, games = RuleSet.mexican(2), 400
    monkeypatch.setattr(gauges, "GAMES", {"mexican-2": (rules, games)})

    def slowed(rules: RuleSet, policies: tuple[str, ...], seed: int) -> Backends:
        backends = backends_for(rules, policies, seed).found

        def slow(backend: Backend) -> Backend:
            again = Rounds.empty(games // 2, rules.rounds, rules.players)

            def player() -> Any:
                play = backend.player()
                return lambda first, rounds: (play(first, again), play(first, rounds))[1]

            return Backend(backend.name, player, backend.bytes_per_game)

        return Backends(tuple(slow(backend) if backend.name == "scalar" else backend for backend in backends), {})

    def best() -> dict[str, float]:
        samples = [gauges.measure_throughput() for _ in range(3)]
        assert all(sample["disagreements"] == [] for sample in samples)
        return {name: min(sample["ratios"][name] for sample in samples) for name in samples[0]["ratios"]}

    figures = best()
    monkeypatch.setattr(gauges, "backends_for", slowed)
    found = best()
    faults = list(gate.speed_faults(figures, lambda _: {"ratios": found}))
    assert any(fault.startswith("scalar mexican-2") for fault in faults)


def test_gauges_share_an_empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile times are measured first, constant figures once, and the speed every time."""
    ran: list[tuple[str, str]] = []

    def run(command: list[str], env: dict[str, str], **_: Any) -> Any:
        ran.append((command[-1], env["MEXTRAIN_CACHE_DIR"]))
        return SimpleNamespace(stdout=f'"{command[-1]} {len(ran)}"')

    monkeypatch.setattr(gate.subprocess, "run", run)
    measure = gate.Gauges(str(tmp_path))
    names = ("throughput", "start", "throughput", "start", "compiling")
    assert [measure(name) for name in names] == ["throughput 2", "start 3", "throughput 4", "start 3", "compiling 1"]
    assert {folder for _, folder in ran} == {str(tmp_path)}
