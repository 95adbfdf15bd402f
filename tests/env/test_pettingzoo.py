"""PettingZoo: its own suites, and what they do not test."""

from __future__ import annotations

import contextlib
import io
import random
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pettingzoo")

from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test

from mextrain import Layout, MextrainError, Position, RuleSet, observe
from mextrain.env import pettingzoo as adapter
from mextrain.hidden.observation import expand, legal_mask

TABLES = {
    "mexican": RuleSet.mexican(4),
    "super": RuleSet.super(2),
    "foot": RuleSet.mexican(3, double_rule="chicken_foot"),
}
pytestmark = pytest.mark.filterwarnings("ignore:Observation")


@pytest.mark.parametrize("name", TABLES)
def test_their_suites_pass(name: str) -> None:
    rules = TABLES[name]
    with contextlib.redirect_stdout(io.StringIO()):
        api_test(adapter.env(rules=rules), num_cycles=100)
        api_test(adapter.raw_env(rules=rules), num_cycles=100)
        seed_test(lambda **given: adapter.env(rules=rules, **given), num_cycles=50)
        render_test(lambda **given: adapter.env(rules=rules, **given))
        parallel_api_test(adapter.parallel_env(rules=rules), num_cycles=50)


@pytest.mark.parametrize("kind", ["table", "full"])
@pytest.mark.parametrize("name", TABLES)
def test_agents_see_what_a_position_shows(name: str, kind: str) -> None:
    """Every agent at every decision, also those that do not act; after the end too."""
    rules, dice = TABLES[name], random.Random(3)
    env = adapter.raw_env(rules=rules, observe=kind)
    env.reset(options={"seed": 5, "game": 2})
    position = Position.deal(rules, seed=5, game=2)
    bits = Layout(rules).bits
    while True:
        for seat, agent in enumerate(env.possible_agents):
            seen = env.observe(agent)
            assert np.array_equal(seen["observation"], expand(observe(position, seat), bits)[: env.batch.spec.bits])
            mask = legal_mask(position, seat)
            assert np.array_equal(seen["action_mask"], expand(mask, rules.action_count))
        if position.over:
            return
        seat = position._get("seat")
        assert env.agent_selection == f"player_{seat}"
        action = dice.choice(position.legal_ids())
        position.play(action)
        env.step(rules.actions.relative(action, seat=seat))


def test_every_agent_gets_its_reward_once() -> None:
    """The rewards of an episode add up to the final ones, also for agents that did not act last."""
    rules, dice = TABLES["mexican"], random.Random(1)
    env = adapter.env(rules=rules)
    longest = 0
    for episode in range(8):
        env.reset(seed=episode)
        sums = dict.fromkeys(env.possible_agents, 0.0)
        infos: dict[str, Any] = {}
        run, last = 0, None
        for agent in env.agent_iter():
            observation, reward, over, cut, info = env.last()
            sums[agent] += reward
            run = run + 1 if agent == last else 1
            longest, last = max(longest, run if not over else 0), agent
            assert not cut
            if over:
                infos[agent] = info
                env.step(None)
            else:
                env.step(int(dice.choice(np.flatnonzero(observation["action_mask"]))))
        points = [infos[agent]["points"] for agent in env.possible_agents]
        wanted = [(sum(points) - own) / 3 - own for own in points]
        assert np.allclose([sums[agent] for agent in env.possible_agents], wanted, atol=1e-3)
    assert longest >= 3, "no agent has acted three times running"


def test_an_illegal_action_ends_the_episode() -> None:
    env = adapter.env(rules=TABLES["mexican"])
    env.reset(seed=1)
    observation = env.observe(env.agent_selection)
    agent = env.agent_selection
    env.step(int(np.flatnonzero(observation["action_mask"] == 0)[0]))
    assert all(env.terminations.values())
    assert env.rewards[agent] == -env.unwrapped.batch.spec.worst


def test_seeds_choose_the_deals() -> None:
    env = adapter.raw_env(rules=TABLES["mexican"])
    seen = []
    for seed in (1, 1, 2, None):
        env.reset(seed=seed)
        seen.append(env.observe("player_0")["observation"].tobytes())
    assert seen[0] == seen[1]
    assert len(set(seen)) == 3


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(MextrainError, match="render_mode = 'rgb_array'"):
        adapter.raw_env(render_mode="rgb_array")
    with pytest.raises(MextrainError, match="observe = none"):
        adapter.raw_env(observe=None)
    env = adapter.raw_env(rules=TABLES["mexican"])
    with pytest.raises(MextrainError, match="engine = '99-99'"):
        env.reset(options={"engine": "99-99"})
    env.reset()
    with pytest.raises(MextrainError, match="render_mode"):
        env.render()
