"""Bulk play: the same games however they are split, correct numbers, and a fast stop."""

from __future__ import annotations

import multiprocessing
import os
import random
import statistics
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from mextrain import (
    InternalError,
    Interrupted,
    MextrainError,
    PolicyError,
    RuleSet,
    SeedError,
    Simulation,
    simulate,
    survey,
)
from mextrain._support import processors
from mextrain.bulk import results
from mextrain.bulk.seat_policies import Seats
from mextrain.bulk.simulate import Player
from mextrain_core.bulk.rollout import ROUND_FIELDS
from mextrain_core.model.state import BLOCKED, FAILED, FAULT, OUT
from tests import limits

MEXICAN = RuleSet.mexican(4)
SUPER = RuleSet.super(3, rounds=5)


def assert_same(one: Simulation, other: Simulation) -> None:
    """Assert that two simulations have equal results."""
    assert one.hash == other.hash
    assert one.points.tobytes() == other.points.tobytes()
    assert one.facts.tobytes() == other.facts.tobytes()
    assert (one.actions is None) == (other.actions is None)
    if one.actions is not None and other.actions is not None:
        assert one.actions.tobytes() == other.actions.tobytes()


def test_the_columns_are_those_of_the_kernels() -> None:
    assert list(results.FIELDS) == [name.replace("actions", "decisions") for name in ROUND_FIELDS]
    assert (results.OUT, results.BLOCKED, results.FAULT, results.FAILED) == (OUT, BLOCKED, FAULT, FAILED)
    assert results.ENDS[OUT] == "out"
    assert results.ENDS[BLOCKED] == "blocked"


@pytest.mark.parametrize("rules", [MEXICAN, SUPER], ids=["mexican", "super"])
@pytest.mark.parametrize("games", [1, 7, 8, 300])
def test_workers_change_nothing(rules: RuleSet, games: int) -> None:
    serial = simulate(rules, games=games, seed=5, policies="random", record_actions=True)
    for workers in (2, 3, 8):
        assert_same(serial, simulate(rules, games=games, seed=5, workers=workers, record_actions=True))


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1, 2**32, 2**63, 2**64 - 1, np.uint64(2**64 - 1)])
def test_seeds_at_the_edges(seed: Any) -> None:
    one = simulate(MEXICAN, games=5, seed=seed, workers=2)
    assert_same(one, simulate(MEXICAN, games=5, seed=int(seed)))
    assert one.hash != simulate(MEXICAN, games=5, seed=(int(seed) + 1) % 2**64).hash


@pytest.mark.parametrize("first", [0, 1, 5, 2**32, 2**59 - 40])
def test_a_range_of_games_is_a_part_of_all_games(first: int) -> None:
    whole = simulate(SUPER, games=40, seed=9, first_game=first, record_actions=True)
    parts = [
        simulate(SUPER, games=games, seed=9, first_game=first + start, workers=3, record_actions=True)
        for start, games in ((0, 5), (5, 3), (8, 32))
    ]
    assert whole.points.tobytes() == b"".join(part.points.tobytes() for part in parts)
    assert whole.facts.tobytes() == b"".join(part.facts.tobytes() for part in parts)
    assert whole.hash == sum(part.hash for part in parts) % 2**64
    assert whole.game.tolist() == [game for part in parts for game in part.game.tolist()]
    for game, number in ((0, 0), (6, 4), (39, 2)):
        part, start = (parts[0], 0) if game < 5 else (parts[1], 5) if game < 8 else (parts[2], 8)
        expected = part.actions_of(game - start, number)
        assert whole.actions_of(game, number).tolist() == expected.tolist()


def test_recording_changes_nothing_and_counts_right() -> None:
    plain = simulate(MEXICAN, games=50, seed=3)
    recorded = simulate(MEXICAN, games=50, seed=3, workers=2, record_actions=True)
    assert plain.hash == recorded.hash
    assert recorded.actions is not None
    assert len(recorded.actions) == recorded.decisions.sum()
    stops = np.array([[(recorded.actions_of(g, k) == 0x3FFF).sum() for k in range(13)] for g in range(50)])
    assert np.array_equal(stops + recorded.plays, recorded.decisions)
    with pytest.raises(MextrainError, match="record_actions=True"):
        plain.actions_of(0, 0)


def test_a_policy_changes_no_deal() -> None:
    """Starter and first decision depend only on the deal; only choices may differ."""
    one = simulate(SUPER, games=30, seed=4)
    other = simulate(SUPER, games=30, seed=4, policies=["heaviest", "random", "random"])
    assert one.hash != other.hash
    assert np.array_equal(one.starter, other.starter)


def test_shapes_and_types() -> None:
    played = simulate(SUPER, games=6, seed=1)
    assert (played.games, played.rounds, played.players) == (6, 5, 3)
    assert played.points.shape == (6, 5, 3)
    assert played.points.dtype == np.int64
    assert played.totals.shape == (6, 3)
    assert played.totals.dtype == np.int64
    for name, kind in (("winner", np.int8), ("end", np.uint8), ("starter", np.int8), ("turns", np.int32)):
        assert getattr(played, name).shape == (6, 5)
        assert getattr(played, name).dtype == kind
    assert ((played.winner == -1) == (played.end == BLOCKED)).all()
    assert played.offsets[0, 0] == 0
    assert "seed 1, games 0 … 5" in repr(played)


def test_the_winner_of_a_round_has_no_points() -> None:
    played = simulate(RuleSet.super(2), games=200, seed=1)
    assert (played.end == BLOCKED).any()
    out = played.end == OUT
    winners = played.winner[out].astype(np.intp)
    assert (np.take_along_axis(played.points[out], winners[:, None], axis=1) == 0).all()


# RULES: turns per round, blocked share in percent, points per seat; each measured in 4,000 rounds.
REFERENCE = [
    ("mexican", 2, 40.6, 23.7, 21.1),
    ("mexican", 4, 66.5, 1.1, 28.4),
    ("mexican", 8, 70.2, 0.0, 30.6),
    ("super", 2, 109.6, 47.9, 44.8),
    ("super", 4, 97.3, 13.2, 31.8),
    ("super", 8, 91.1, 0.3, 30.6),
]


@pytest.mark.parametrize(("preset", "players", "turns", "blocked", "points"), REFERENCE)
def test_means_of_random_play(preset: str, players: int, turns: float, blocked: float, points: float) -> None:
    """The published means, within four standard errors of both measurements and the rounding of the digits."""
    rules = RuleSet.preset(preset, players=players)
    played = simulate(rules, games=16_000 // rules.rounds, seed=2)
    observed = (
        (played.turns.ravel(), turns, 0.05),
        (100.0 * (played.end == BLOCKED).ravel(), blocked, 0.05),
        (played.points.mean(axis=2).ravel(), points, 0.05),
    )
    for values, expected, rounding in observed:
        # A share measured as 0 in 4,000 rounds may really be up to 4 in 4,000.
        error = values.std() * np.sqrt(1 / len(values) + 1 / 4000) or 0.025
        assert abs(values.mean() - expected) < 4 * error + rounding


def test_other_generators_are_neither_read_nor_changed() -> None:
    random.seed(1)
    np.random.seed(1)
    before = random.getstate(), np.random.get_state()[1].tobytes()  # type: ignore[index, union-attr]
    one = simulate(MEXICAN, games=20, seed=6, workers=2)
    assert before == (random.getstate(), np.random.get_state()[1].tobytes())  # type: ignore[index, union-attr]
    random.seed(2)
    np.random.seed(2)
    assert_same(one, simulate(MEXICAN, games=20, seed=6, workers=2))


def _hash(first_game: int) -> int:
    return simulate(MEXICAN, games=25, seed=8, first_game=first_game).hash


@pytest.mark.parametrize("method", ["spawn", "fork"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_processes_change_nothing(method: str) -> None:
    whole = simulate(MEXICAN, games=100, seed=8, workers=2)
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        parts = list(pool.map(_hash, (0, 25, 50, 75)))
    assert whole.hash == sum(parts) % 2**64
    # Threads still work in a process that has forked.
    assert_same(whole, simulate(MEXICAN, games=100, seed=8, workers=3))


def test_many_threads_may_simulate_at_once() -> None:
    serial = simulate(MEXICAN, games=100, seed=8)
    with ThreadPoolExecutor(4) as pool:
        for other in pool.map(lambda _: simulate(MEXICAN, games=100, seed=8, workers=2), range(4)):
            assert_same(serial, other)


def test_affinity_is_respected() -> None:
    """With one allowed processor and eight threads everything works, and "all" means one."""
    program = """
import os
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
from mextrain import RuleSet
from mextrain._support.processors import usable_processors
from mextrain import simulate
hashes = {simulate(RuleSet.mexican(4), games=50, seed=1, workers=w).hash for w in (1, 8, None)}
print(usable_processors(), *hashes, len(os.sched_getaffinity(0)))
"""
    found = limits.output_of([sys.executable, "-c", program])
    assert found.split() == ["1", str(simulate(MEXICAN, games=50, seed=1).hash), "1"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("150000 100000", 2), ("100000 100000", 1), ("1000 100000", 1), ("max 100000", 8), ("", 8), (None, 8)],
)
def test_a_containers_quota_is_respected(
    text: str | None, expected: int, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    quota = tmp_path / "cpu.max"
    if text is not None:
        quota.write_text(text)
    monkeypatch.setattr(processors, "_CGROUP_QUOTA", quota)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    assert processors.usable_processors() == expected


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"games": 0}, MextrainError, "games = 0: ask for 1 or more"),
        ({"games": -1}, SeedError, "-1"),
        ({"games": 1.0}, SeedError, "1.0"),
        ({"games": True}, SeedError, "True"),
        ({"seed": -1}, SeedError, "seed = -1"),
        ({"seed": 2**64}, SeedError, "out of range"),
        ({"first_game": 2**59}, SeedError, "out of range"),
        ({"first_game": 2**59 - 1, "games": 2}, SeedError, "past the last one"),
        ({"policies": "rando"}, PolicyError, "did you mean random"),
        ({"policies": ["random"] * 3}, PolicyError, "3 policies for 4 players"),
        ({"policies": "random,random"}, PolicyError, "2 policies for 4 players"),
        ({"policies": ["random", "random", "random", None]}, PolicyError, "none is not a policy"),
        ({"policies": []}, PolicyError, "0 policies"),
        ({"workers": 0}, MextrainError, "workers = 0"),
        ({"workers": 1.5}, MextrainError, "workers = 1.5"),
        ({"workers": True}, MextrainError, "workers = True"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        simulate(MEXICAN, **{"games": 1, **arguments})
    with pytest.raises(error, match=text):
        survey(MEXICAN, **{"games": 1, **arguments})


def test_policies_by_seat() -> None:
    names = ("heaviest", "random", "cautious", "random")
    one = simulate(MEXICAN, games=300, seed=1, policies=names)
    assert one.policies == names
    assert_same(one, simulate(MEXICAN, games=300, seed=1, policies=",".join(names), workers=2))
    # `heaviest` is better than `random`, so an error in the order of the seats would show.
    assert one.totals[:, 0].mean() < one.totals[:, [1, 3]].mean()


def test_progress_is_reported() -> None:
    seen: list[tuple[int, int]] = []
    simulate(MEXICAN, games=2000, seed=1, workers=2, progress=lambda done, games: seen.append((done, games)))
    assert seen[-1] == (2000, 2000)
    assert seen == sorted(seen)


def interrupt(done: int, games: int) -> None:
    """Stands for Ctrl-C: Python raises KeyboardInterrupt in the same thread at the same place."""
    if done > 100:
        raise KeyboardInterrupt


def test_ctrl_c_keeps_what_is_finished() -> None:
    with pytest.raises(KeyboardInterrupt) as caught:
        simulate(MEXICAN, games=200_000, seed=5, workers=3, progress=interrupt, record_actions=True)
    assert isinstance(caught.value, Interrupted)
    part = caught.value.finished
    assert 100 < part.games < 200_000
    assert_same(part, simulate(MEXICAN, games=part.games, seed=5, record_actions=True))
    assert threading.active_count() == 1


def test_ctrl_c_in_a_survey(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mextrain.bulk.simulate.SURVEY_ROUNDS", 40_000)
    with pytest.raises(Interrupted) as caught:
        survey(MEXICAN, games=10**9, seed=5, progress=lambda done, games: interrupt(done - 4000, games))
    part = caught.value.finished
    assert part == simulate(MEXICAN, games=part.games, seed=5).summary()


def test_interrupted_survey_while_it_adds_up(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = RuleSet.mexican(2, rounds=5)
    monkeypatch.setattr("mextrain.bulk.simulate.SURVEY_ROUNDS", 500)
    expected, summary, asked = survey(rules, games=200, seed=3).state(), Simulation.summary, []

    def interrupted(played: Simulation) -> Any:
        asked.append(played.first_game)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return summary(played)

    monkeypatch.setattr(Simulation, "summary", interrupted)
    with pytest.raises(Interrupted) as caught:
        survey(rules, games=1000, seed=3)
    assert asked == [0, 100, 200]
    assert caught.value.finished.state() == expected


def test_a_survey_is_the_summary_of_a_simulation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mextrain.bulk.simulate.SURVEY_ROUNDS", 500)
    seen: list[int] = []
    summary = survey(MEXICAN, games=333, seed=7, first_game=11, workers=2, progress=lambda done, _: seen.append(done))
    assert summary == simulate(MEXICAN, games=333, seed=7, first_game=11).summary()
    assert seen == sorted(seen)
    assert seen[-1] == 333


def test_an_error_in_one_thread_ends_all(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(Player):
        def play(self, first_game: int, *rest: Any) -> tuple[int, int]:
            if first_game > 500:
                raise OSError("no more")
            return super().play(first_game, *rest)

    monkeypatch.setattr("mextrain.bulk.simulate.Player", Broken)
    with pytest.raises(OSError, match="no more"):
        simulate(MEXICAN, games=10**6, seed=1, workers=2)


def test_a_fault_of_the_kernels_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def faulty(*arguments: Any) -> tuple[int, int]:
        arguments[8][...] = 0
        arguments[8][:, :, 1] = -1
        arguments[8][-1:, 2, 0] = FAULT
        return 0, 0

    monkeypatch.setattr("mextrain.bulk.simulate.play_games", faulty)
    with pytest.raises(InternalError, match="round 2 of game 0, seed 17"):
        simulate(MEXICAN, games=1, seed=17, backend="scalar")


def test_slices_are_short() -> None:
    """The length of a slice bounds the delay of Ctrl-C; the first slices are single games."""
    player = Player(MEXICAN, Seats.of("random", 4), 0)
    sizes = []
    for first in range(6):
        table = results.Rounds.empty(player.slice, 13, 4)
        player.play(first, table, np.empty(0, np.uint16))
        sizes.append(player.slice)
    assert sizes[0] <= 8
    assert statistics.median(sizes) < 20_000
