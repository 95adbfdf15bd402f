"""`mextrain bench --save` and `--compare`: what is judged to be faster or slower, and what is refused."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mextrain import MextrainError, RuleSet
from mextrain.benchmark import Effort, Job, Run, environment, measure, saved
from mextrain.benchmark.report import changes_text
from mextrain.bulk.policies import POLICIES
from mextrain.cli import main
from tests.cli.run import fail

JOBS = (Job(RuleSet.mexican(2, rounds=1), "counting", backend="scalar"),)
EFFORT = Effort(processes=5, repeats=2, seconds=0.002, cold=False, yardstick=True)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved measurement."""
    path = tmp_path_factory.mktemp("bench") / "before.json"
    saved.save(path, environment(), EFFORT, JOBS, measure(JOBS, EFFORT))
    return path


@pytest.fixture(scope="module")
def again(file: Path) -> list[Run]:
    """The same jobs, measured again."""
    return measure(saved.load(file).jobs, EFFORT)


def edited(file: Path, path: Path, edit: Any) -> Path:
    """Write a copy with other contents."""
    contents = json.loads(file.read_text())
    edit(contents)
    path.write_text(json.dumps(contents))
    return path


def test_a_file_gives_back_what_was_measured(file: Path) -> None:
    found = saved.load(file)
    (run,) = found.runs
    assert (found.effort, found.environment["cpu"]) == (EFFORT, environment()["cpu"])
    assert found.jobs == (replace(JOBS[0], policies=["counting"] * 2, games=run["games"]),)
    assert len(run["steps_per_turn"]) == 5
    assert all(step > 0 for step in run["steps_per_turn"])


def test_a_comparison_plays_the_same_games(
    file: Path, again: list[Run], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Far faster and far slower versions are found, whatever the machine does meanwhile."""

    def measured(jobs: Sequence[Job], effort: Effort, tell: object) -> list[Run]:
        assert (tuple(jobs), effort) == (saved.load(file).jobs, EFFORT)
        return again

    monkeypatch.setattr("mextrain.benchmark.measure", measured)
    for factor, verdict, code in ((1000, "faster", 0), (0.001, "slower", 1)):

        def scale(contents: Any, factor: float = factor) -> None:
            steps = contents["runs"][0]["steps_per_turn"]
            contents["runs"][0]["steps_per_turn"] = [step * factor for step in steps]

        other = edited(file, file.with_name("other.json"), scale)
        assert main(["bench", "--compare", str(other), "--json"]) == code
        (change,) = json.loads(capsys.readouterr().out)["changes"]
        assert change["verdict"] == verdict
        assert change["low"] < change["times"] < change["high"]
        assert change["ns"] > 0


def test_other_games_are_not_judged(file: Path, again: list[Run]) -> None:
    then, (run,) = saved.load(file), again
    (change,) = saved.changes(then, then.jobs, [run])
    assert change.verdict in (saved.NO_DIFFERENCE, saved.FASTER, saved.SLOWER)
    (change,) = saved.changes(then, then.jobs, [replace(run, hash="0" * 16)])
    assert change.verdict == saved.OTHER_GAMES
    assert "mexican, 2 players, counting, 1 worker, scalar: plays other games\n" in changes_text([change])


@pytest.mark.parametrize("name", saved.MACHINE)
def test_another_machine_is_refused(file: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    other = edited(file, file.with_name("other.json"), lambda contents: contents["environment"].update({name: "?"}))
    text = fail(capsys, "bench", "--compare", str(other))
    assert f"the saved measurement has {name} '?'" in text
    assert "compare on the machine that saved it" in text


DAMAGE: dict[str, Any] = {
    "format": lambda contents: contents.update(format="mextrain-bench-saved/0"),
    "jobs": lambda contents: contents.pop("jobs"),
    "rules": lambda contents: contents["jobs"][0]["rules"].update(players=99),
    "policy": lambda contents: contents["jobs"][0].update(policies=["nobody"]),
    "effort": lambda contents: contents["effort"].update(more=1),
    "steps": lambda contents: contents["runs"][0].update(steps_per_turn=[1, 2, 0, 1, 1]),
    "one step": lambda contents: contents["runs"][0].update(steps_per_turn=[1]),
    "hash": lambda contents: contents["runs"][0].pop("hash"),
}


@pytest.mark.parametrize("part", DAMAGE)
def test_damaged_files_are_refused(file: Path, part: str, tmp_path: Path) -> None:
    with pytest.raises(MextrainError) as found:
        saved.load(edited(file, tmp_path / "damaged.json", DAMAGE[part]))
    assert "\n" not in str(found.value)


@pytest.mark.parametrize("text", ["", "{}", "[]", "1", "\0", '{"format": "mextrain-bench-saved/1", "jobs": 3}'])
def test_other_files_are_refused(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "no.json").write_text(text)
    found = fail(capsys, "bench", "--compare", str(tmp_path / "no.json"))
    assert "is not a saved measurement: expected a file that mextrain bench --save wrote" in found


def test_wrong_arguments(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "leave out those options" in fail(capsys, "bench", "--compare", str(file), "--players", "3")
    assert "expected 5 or more" in fail(capsys, "bench", "--compare", str(file), "--processes", "4")
    text = fail(capsys, "bench", "--save", str(file), "--workers", "2", "--players", "2")
    assert "CPU time of one worker" in text
    assert "absent.json" in fail(capsys, "bench", "--compare", str(file.with_name("absent.json")))


# What noise does: times in steps of the yardstick of equal and of slower versions, as a busy machine gives them.


def one_run(dice: random.Random, speed: float, processes: int) -> list[float]:
    """A run drifts as a whole; processes lie in memory well or badly, and are disturbed now and then."""
    drift = dice.gauss(0, 0.015)
    return [
        speed * (1 + drift) * (1 + dice.gauss(0, 0.01)) * dice.choice((1, 1.15)) * dice.choice((1, 1, 1, 1, 1.3))
        for _ in range(processes)
    ]


@pytest.mark.parametrize("processes", [5, 8])
def test_noise_is_not_a_difference(processes: int) -> None:
    """Of 4,000 comparisons of equal versions, hardly any is called a difference, so of twenty none is."""
    dice = random.Random(processes)
    verdicts = Counter(judged(dice, 1, processes) for _ in range(4000))
    assert verdicts["faster"] + verdicts["slower"] <= 4000 * 0.002


def test_a_large_difference_is_found() -> None:
    dice = random.Random(3)
    assert Counter(judged(dice, 1.6, 8) for _ in range(500))["slower"] > 400
    assert Counter(judged(dice, 1 / 1.6, 8) for _ in range(500))["faster"] > 400


def judged(dice: random.Random, slower: float, processes: int) -> str:
    """The verdict on two runs."""
    _, low, high = saved.change(one_run(dice, 1, processes), one_run(dice, slower, processes))
    return "faster" if low > 1 else "slower" if high < 1 else "no difference"


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_is_measured(policy: str) -> None:
    """The cost of a decision is the time by the decisions that `simulate` counts."""
    for one in measure([Job(RuleSet.mexican(2, rounds=1), policy)], Effort(1, 1, 0.002, False)):
        assert one.policy == policy
        assert one.ns_per_decision == pytest.approx(one.seconds * 1e9 / one.decisions)
