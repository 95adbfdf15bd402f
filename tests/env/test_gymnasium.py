"""Gymnasium: its own checks, and the vector environment against `SyncVectorEnv` of the single one in every mode."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium")

import gymnasium as gym
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import mextrain.env.gymnasium as adapter
from mextrain import IllegalMove, MextrainError, RuleSet, simulate
from tests import limits

SMALL = RuleSet.mexican(3, tile_set="double-6", hand_size=4, rounds=2)
IDS = (adapter.ROUND, adapter.MATCH)


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("observe", ["table", "full"])
def test_their_checks_pass(name: str, observe: str) -> None:
    """They choose actions without a mask, so an illegal action has to end the episode."""
    env = gym.make(name, rules=SMALL, illegal="end", observe=observe)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*(render|spec|check_env)")
        check_env(env.unwrapped, skip_render_check=True)


def test_an_id_can_be_made_without_importing_us() -> None:
    code = "import gymnasium; print(gymnasium.make('mextrain.env.gymnasium:mextrain/Round-v0').spec.id)"
    assert limits.output_of([sys.executable, "-c", code]).split()[-1] == "mextrain/Round-v0"


def test_rounds_are_those_of_simulate() -> None:
    """The info names the deal, and options deal it again."""
    env = gym.make(adapter.ROUND, rules=SMALL, seat=1, opponents="heaviest").unwrapped
    assert isinstance(env, adapter.MextrainEnv)
    for episode in range(6):
        observation, info = env.reset(seed=4 if episode == 0 else None)
        named = info["seed"], info["game"], info["round"]
        over, rewards = False, []
        while not over:
            assert env.observation_space.contains(observation)
            assert np.array_equal(info["action_mask"], observation["action_mask"])
            assert np.array_equal(env.action_masks(), info["action_mask"].astype(bool))
            action = int(env.batch.policy_actions("cautious")[0])
            assert info["action_mask"][action]
            observation, reward, over, cut, info = env.step(action)
            rewards.append(reward)
            assert not cut
        seed, game, number = named
        policies = ["heaviest", "cautious", "heaviest"]
        want = simulate(SMALL, games=1, first_game=game, seed=seed, policies=policies).points[0, number]
        assert info["points"].tolist() == want.tolist()
        assert info["end"] in ("out", "blocked")
        assert rewards[:-1] == [0.0] * (len(rewards) - 1)
        assert rewards[-1] == pytest.approx((want.sum() - want[1]) / 2 - want[1], abs=1e-3)
        again, _ = env.reset(options={"seed": seed, "game": game, "engine": str(SMALL.engines[number])})
        twin, _ = env.reset(options={"seed": seed, "game": game, "engine": str(SMALL.engines[number])})
        assert all(np.array_equal(again[name], twin[name]) for name in again)


def test_resets_of_every_kind() -> None:
    env = gym.make(adapter.ROUND, rules=SMALL).unwrapped
    first, info = env.reset(seed=5)
    again, _ = env.reset(seed=5)
    assert all(np.array_equal(first[name], again[name]) for name in first)
    _, later = env.reset()
    assert later["seed"] == info["seed"]
    assert (later["game"], later["round"]) != (info["game"], info["round"])
    for call in ({}, {"seed": None}, {"options": {}}, {"options": None}):
        assert env.reset(**call)[1]["seed"] == info["seed"]  # type: ignore[arg-type]
    fresh = {gym.make(adapter.ROUND, rules=SMALL).reset()[1]["seed"] for _ in range(3)}
    assert len(fresh) == 3


@pytest.mark.parametrize("mode", ["same", "next", "off"])
@pytest.mark.parametrize("name", IDS)
def test_the_vector_environment_is_many_single_ones(mode: str, name: str) -> None:
    """The same observations, rewards and ends as Gymnasium's own vector of single environments, in each mode."""
    n, rng = 3, np.random.default_rng(1)
    singles = [lambda i=i: gym.make(name, rules=SMALL, first_game=i, stride=n).unwrapped for i in range(n)]
    theirs = SyncVectorEnv(singles, autoreset_mode=adapter.MODES[mode])  # type: ignore[arg-type]
    vectors = {"autoreset": mode, "final_obs": mode == "same"}
    ours = gym.make_vec(name, n, vectorization_mode="vector_entry_point", rules=SMALL, **vectors)
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"] == adapter.MODES[mode]
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    one, two = ours.reset(seed=9)[0], theirs.reset(seed=[9] * n)[0]
    ends, dead = 0, np.zeros(n, bool)
    for _ in range(120):
        assert all(np.array_equal(one[key], two[key]) for key in ("observation", "action_mask"))
        assert all(np.array_equal(one[key], two[key]) for key in one)
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in one["action_mask"]])
        if mode == "off" and dead.any():
            one = ours.reset(options={"reset_mask": dead})[0]
            two = theirs.reset(options={"reset_mask": dead})[0]
            dead = np.zeros(n, bool)
            continue
        one, reward, over, cut, infos = ours.step(actions)
        two, their_reward, their_over, _, their_infos = theirs.step(actions)
        assert np.allclose(reward, their_reward)
        assert np.array_equal(over, their_over)
        assert not cut.any()
        ends += int(over.sum())
        if mode == "same" and over.any():
            for i in np.flatnonzero(over):
                final, other = infos["final_obs"][i], their_infos["final_obs"][i]
                assert np.array_equal(final["observation"], other["observation"])
                assert infos["points"][i].tolist() == their_infos["final_info"]["points"][i].tolist()
        dead = over.copy()
    assert ends > 3


def test_vector_arrays_are_written_in_place_only_if_asked_for() -> None:
    ours = gym.make_vec(adapter.ROUND, 4, vectorization_mode="vector_entry_point", rules=SMALL)
    first, _ = ours.reset(seed=1)
    kept = {name: array.copy() for name, array in first.items()}
    ours.step(np.array([np.flatnonzero(mask)[0] for mask in first["action_mask"]]))
    assert all(np.array_equal(first[name], kept[name]) for name in kept)
    bare = gym.make_vec(adapter.ROUND, 4, vectorization_mode="vector_entry_point", rules=SMALL, copy=False)
    first, _ = bare.reset(seed=1)
    second = bare.step(np.array([np.flatnonzero(mask)[0] for mask in first["action_mask"]]))[0]
    assert all(np.shares_memory(first[name], second[name]) for name in first)
    assert not np.array_equal(first["observation"], kept["observation"])
    masks = bare.unwrapped.action_masks()  # type: ignore[attr-defined]
    assert masks.dtype == np.bool_
    assert np.array_equal(masks, second["action_mask"].astype(bool))


def test_tables_are_drawn() -> None:
    env = gym.make(adapter.ROUND, rules=SMALL, render_mode="ansi")
    observation, _ = env.reset(seed=1)
    text = env.render()
    assert isinstance(text, str)
    assert "hand 1 ( 4): hidden" in text
    assert "hand 0 ( 4): hidden" not in text
    env.step(int(np.flatnonzero(observation["action_mask"])[0]))
    assert env.render() != text


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"seat": 4}, "outside = 4"),
        ({"seat": "all"}, "seat = 'all'"),
        ({"observe": None}, "observe = none"),
        ({"render_mode": "rgb_array"}, "render_mode = 'rgb_array'"),
        ({"opponents": "clever"}, "'clever' is unknown"),
        ({"rules": 3}, "rules = 3"),
    ],
)
def test_wrong_arguments_are_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(MextrainError, match=message):
        adapter.MextrainEnv(**given)
    with pytest.raises(MextrainError, match=message):
        adapter.MextrainVectorEnv(2, **given)


def test_wrong_calls_are_named() -> None:
    env = adapter.MextrainEnv(SMALL)
    with pytest.raises(MextrainError, match="call reset"):
        env.step(0)
    observation, _ = env.reset(seed=1)
    illegal = int(np.flatnonzero(observation["action_mask"] == 0)[0])
    with pytest.raises(IllegalMove, match=f"the action {illegal} of seat 0 is not legal"):
        env.step(illegal)
    with pytest.raises(MextrainError, match="engine = '9-9'"):
        env.reset(options={"engine": "9-9"})
    with pytest.raises(MextrainError, match="options = "):
        env.reset(options={"deal": 3})
    with pytest.raises(MextrainError, match="options = "):
        adapter.MextrainVectorEnv(2, SMALL).reset(options={"seed": 3})


def test_modes_are_those_of_gymnasium() -> None:
    assert set(adapter.MODES.values()) == set(AutoresetMode)
