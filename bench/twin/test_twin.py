"""The C twin plays what the kernels play: equal result hashes and rounds, and the vectors and means of docs/.

The twin was written from docs/rules.md and docs/determinism.md, without looking at the code of the kernels.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.twin import Twin, TwinBuildError, build, load
from mextrain import RuleSet
from mextrain_core.bulk.rollout import play_games
from mextrain_core.model.state import BLOCKED, new_states

FULL = os.environ.get("MEXTRAIN_BENCH") == "full"
"""Many games; without it few, so that the tests take seconds."""

LAST_SEED = 2**64 - 1
LAST_GAME = 2**59 - 1
MAIN = [("mexican", 2), ("mexican", 4), ("mexican", 8), ("super", 2), ("super", 4), ("super", 8)]
OTHERS = [(preset, players) for preset in build.PRESETS for players in range(2, 15) if (preset, players) not in MAIN]
COMPILER = tuple(shlex.split(os.environ.get("CC") or "gcc"))
COMPARED = ("starter", "end", "turns", "plays", "draws", "points")


def core(preset: str, players: int, seed: int, first_game: int, games: int) -> tuple[int, np.ndarray, np.ndarray]:
    """Play with the kernels: the result hash, `facts` and `points` of `play_games`."""
    rules = RuleSet.preset(preset, players=players)
    points = np.zeros((games, rules.rounds, players), np.int64)
    facts = np.zeros((games, rules.rounds, 7), np.int32)
    policies, no_moves = np.zeros(players, np.uint8), np.zeros(0, np.uint16)
    numbers = map(np.uint64, (seed, first_game, games))
    total, _ = play_games(new_states(1), 0, rules.record, policies, *numbers, points, facts, no_moves)
    return int(total), facts, points


def first_difference(twin: Twin, seed: int, first_game: int, facts: np.ndarray, points: np.ndarray) -> str:
    """The first round in which the twin and the kernels' `facts` and `points` differ, with both rows."""
    for i in range(len(facts)):
        for k, row in enumerate(twin.match(seed, first_game + i)):
            end, _, starter, turns, plays, draws, _ = facts[i, k].tolist()
            theirs = dict(zip(COMPARED, (starter, end, turns, plays, draws, points[i, k].tolist()), strict=True))
            ours = {name: row[name] for name in COMPARED}
            if theirs != ours:
                where = f"{twin.preset}, {twin.players} players, seed {seed}, game {first_game + i}, round {k}"
                return f"{where}:\n  core {theirs}\n  twin {ours}"
    return f"{twin.preset}, {twin.players} players, seed {seed}: no round differs in {', '.join(COMPARED)}"


def check(twin: Twin, seed: int, first_game: int, games: int) -> None:
    """Both play the same games."""
    expected, facts, points = core(twin.preset, twin.players, seed, first_game, games)
    result = twin.play(seed, first_game, games)
    assert result["hash"] == expected, first_difference(twin, seed, first_game, facts, points)
    sums = {
        "rounds": facts.shape[0] * facts.shape[1],
        "turns": facts[..., 3].sum(),
        "plays": facts[..., 4].sum(),
        "draws": facts[..., 5].sum(),
        "blocked": (facts[..., 0] == BLOCKED).sum(),
        "points": points.sum(),
    }
    assert {name: result[name] for name in sums} == sums


@pytest.mark.parametrize(
    ("seed", "first_game"),
    [(0, 0), (1, 0), (LAST_SEED, 5), (0x9E3779B97F4A7C15, 10**12), (4294967297, LAST_GAME - 10**6)],
)
@pytest.mark.parametrize(("preset", "players"), MAIN)
def test_plays_as_the_kernels_do(preset: str, players: int, seed: int, first_game: int) -> None:
    check(load(preset, players), seed, first_game, 20_000 if FULL else 200)


@pytest.mark.parametrize(("preset", "players"), OTHERS)
def test_plays_as_the_kernels_do_with_any_number_of_players(preset: str, players: int) -> None:
    check(load(preset, players), 7, 1000, 5_000 if FULL else 50)


@pytest.mark.parametrize(("preset", "players"), [("mexican", 2), ("mexican", 4), ("mexican", 14), ("super", 4)])
def test_plays_the_same_without_the_instructions_of_this_machine(preset: str, players: int) -> None:
    slow = load(preset, players, flags="-O1").play(3, 10, 20)
    fast = load(preset, players).play(3, 10, 20)
    assert slow["seconds"] > 0
    assert {**slow, "seconds": 0} == {**fast, "seconds": 0}


# docs/determinism.md, vectors: preset, players, seed, game, round, round key, starter.
VECTORS = [
    ("mexican", 4, 1, 0, 0, 0xA5079CED69D943C0, 1),
    ("mexican", 4, 4294967297, 0, 0, 0xE76C89B50EC34806, 2),
    ("mexican", 2, LAST_SEED, 5, 9, 0xB21ABB72E4159745, 1),
    ("super", 4, 7, 1000000, 13, 0x61E64A5348159442, 2),
]


@pytest.mark.parametrize(("preset", "players", "seed", "game", "number", "key", "starter"), VECTORS)
def test_keys_and_starters(
    preset: str, players: int, seed: int, game: int, number: int, key: int, starter: int
) -> None:
    row = load(preset, players).match(seed, game)[number]
    assert (row["key"], row["starter"]) == (key, starter)


# docs/rules.md, section 10: turns of a round, blocked share, points of a seat, from 4,000 rounds of another program.
MEANS = [
    ("mexican", 2, 40.6, 0.237, 21.1),
    ("mexican", 4, 66.5, 0.011, 28.4),
    ("mexican", 8, 70.2, 0, 30.6),
    ("super", 2, 109.6, 0.479, 44.8),
    ("super", 4, 97.3, 0.132, 31.8),
    ("super", 8, 91.1, 0.003, 30.6),
]


@pytest.mark.parametrize(("preset", "players", "turns", "blocked", "points"), MEANS)
def test_means(preset: str, players: int, turns: float, blocked: float, points: float) -> None:
    result = load(preset, players).play(11, 0, 2000)
    rounds = result["rounds"]
    assert result["turns"] / rounds == pytest.approx(turns, rel=0.03)
    assert result["blocked"] / rounds == pytest.approx(blocked, abs=4 * (0.25 / 4000) ** 0.5)
    assert result["points"] / rounds / players == pytest.approx(points, rel=0.05)


def test_games_can_be_divided() -> None:
    twin = load("super", 4)
    whole, first, second = twin.play(5, 3, 30), twin.play(5, 3, 11), twin.play(5, 14, 19)
    assert whole["hash"] == (first["hash"] + second["hash"]) % 2**64
    assert whole["turns"] == first["turns"] + second["turns"]
    assert twin.play(5, 3, 0)["rounds"] == 0


def test_rounds_add_up() -> None:
    twin = load("mexican", 4)
    rows = twin.match(2, 9)
    result = twin.play(2, 9, 1)
    assert len(rows) == twin.rounds == result["rounds"] == 13
    assert sum(row["hash"] for row in rows) % 2**64 == result["hash"]
    assert sum(sum(row["points"]) for row in rows) == result["points"]


def test_a_difference_is_shown() -> None:
    """The comparison itself: it notices another seed, and its message shows both rounds."""
    _, facts, points = core("mexican", 4, 2, 0, 3)
    shown = first_difference(load("mexican", 4), 1, 0, facts, points)
    assert shown.startswith("mexican, 4 players, seed 1, game 0, round 0:\n  core {'starter': ")
    assert "\n  twin {'starter': 1, 'end': " in shown
    assert "no round differs" in first_difference(load("mexican", 4), 2, 0, facts, points)


@pytest.mark.parametrize(("preset", "players"), [("chess", 4), ("Super", 4), ("mexican", 1), ("super", 15)])
def test_other_games_are_refused(preset: str, players: int) -> None:
    with pytest.raises(ValueError, match=f"'{preset}'|{players}"):
        load(preset, players)


def test_a_missing_compiler_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(TwinBuildError, match=r"^the C twin needs a C compiler, but 'no-such-compiler' cannot be run"):
        load("mexican", 4)


def test_a_failing_compiler_is_quoted() -> None:
    with pytest.raises(TwinBuildError, match=r"could not be built(?s:.*)-fno-such-option"):
        load("mexican", 4, flags="-fno-such-option")


def test_it_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEXTRAIN_CACHE_DIR", str(tmp_path))
    one = build._load.__wrapped__("mexican", 2, COMPILER, "-O0")
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
    written = file.stat().st_mtime_ns
    two = build._load.__wrapped__("mexican", 2, COMPILER, "-O0")
    assert file.stat().st_mtime_ns == written
    assert one.play(1, 0, 2)["hash"] == two.play(1, 0, 2)["hash"]


@pytest.mark.parametrize(("preset", "players"), MAIN)
def test_speed(preset: str, players: int, benchmark: Any) -> None:
    twin = load(preset, players)
    games = 3000 if FULL else 50
    turns = twin.play(1, 0, games)["turns"]
    result = benchmark.pedantic(lambda: twin.play(1, 0, games), rounds=20 if FULL else 2, iterations=1)
    assert result["turns"] == turns
    if benchmark.stats is not None:
        benchmark.extra_info["ns per turn"] = round(benchmark.stats.stats.min / turns * 1e9, 2)
        benchmark.extra_info["turns a call"] = turns
