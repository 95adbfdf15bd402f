"""PettingZoo: all seats as agents that act in turn (docs/environments.md). It needs the extra `rl`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mextrain._support.optional import need

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel
except ModuleNotFoundError:
    need("pettingzoo", "rl")
    raise

from mextrain.env.batch import BatchEnv
from mextrain.env.shapes import NAMES, Bytes, named_round
from mextrain.env.spec import ENDS
from mextrain.errors import MextrainError, shown
from mextrain.game.rules import RuleSet

NAME = "mextrain_v0"
"""The name of the environment. A new version means that the same seeds and actions give other results."""

RENDER_MODES = ("ansi", "human")


class raw_env(AECEnv):  # type: ignore[misc]
    """One round (or match) for all seats: agent `player_k` is the absolute seat k, its own train is 0 in its actions.

    `rules`: a `RuleSet`, by default Mexican Train with four players. `observe`: `"full"` or `"table"`. `episode` and
    `reward` as for `BatchEnv`. Observations are dicts of int8: `observation` and `action_mask`, which is all 0 unless
    the agent has to act. An agent may act several times running. At the end, `infos` has `points` and `end`.

    `reset(seed=…)` chooses the deals to come; `options` may name one: `seed`, `game` and `engine`, such as `12-12`;
    other options are ignored.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "name": NAME, "is_parallelizable": False, "render_modes": [*RENDER_MODES], "render_fps": 4,
    }  # fmt: skip

    def __init__(
        self,
        rules: RuleSet | None = None,
        *,
        episode: str = "round",
        observe: str = "full",
        reward: str = "zero_sum",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise MextrainError(f"render_mode = {shown(render_mode)}: expected None, {' or '.join(RENDER_MODES)}")
        if observe is None:
            raise MextrainError('observe = none: expected "table" or "full"')
        self.rules = RuleSet.mexican(4) if rules is None else rules
        self.render_mode = render_mode
        self.batch = BatchEnv(
            self.rules, 1, episode=episode, observe=observe, reward=reward, autoreset="off",
            keep=render_mode is not None,
        )  # fmt: skip
        spec = self.batch.spec
        self.possible_agents = [f"player_{seat}" for seat in range(spec.rules.players)]
        self.agents: list[str] = []
        seen = spaces.Dict(
            {
                "observation": spaces.Box(0, 1, (spec.bits,), np.int8),
                "action_mask": spaces.Box(0, 1, (spec.rules.action_count,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, seen)
        actions = spaces.Discrete(spec.rules.action_count)
        self.action_spaces = dict.fromkeys(self.possible_agents, actions)
        assert self.batch.observation is not None
        assert self.batch.mask is not None
        self._bits = Bytes(self.batch.observation, spec.bits)
        self._mask = Bytes(self.batch.mask, spec.rules.action_count)
        self._other = np.zeros((1, self.batch.observation.shape[1]), np.uint64)
        self._other_bits = Bytes(self._other, spec.bits)
        self._random = np.random.default_rng()

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions, always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        # PettingZoo's own tests pass options that no environment has.
        known = {name: value for name, value in (options or {}).items() if name in NAMES}
        self.batch.reset(games=[named_round(self.rules, int(self._random.integers(1 << 63)), known)])
        self.agents = [*self.possible_agents]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._to_act()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return what an agent sees now."""
        seat = self.possible_agents.index(agent)
        acts = seat == int(self.batch.seat[0])
        if acts:
            bits = self._bits.bytes()
        else:
            self._other[0] = self.batch.observation_of(0, seat)
            bits = self._other_bits.bytes()
        if acts and not self.batch.is_over(0):
            mask = self._mask.bytes()[0].copy()
        else:
            mask = np.zeros(self.rules.action_count, np.int8)
        return {"observation": bits[0].copy(), "action_mask": mask}

    def step(self, action: Any) -> None:
        """Play the action of the agent that has to act; None for each agent after the end."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.batch.step(np.array([action]).reshape(-1))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if self.batch.done[0]:
            self._finish()
        else:
            self.agent_selection = self._to_act()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """Return the table (`ansi`), or print it (`human`). Every hand is shown."""
        if self.render_mode is None:
            raise MextrainError("render needs a render_mode: ansi or human")
        text = str(self.batch.position(0).table())
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Nothing is open."""

    def _to_act(self) -> str:
        return self.possible_agents[int(self.batch.seat[0])]

    def _finish(self) -> None:
        """All agents end together, each with its reward."""
        end, points = ENDS[self.batch.end[0]], self.batch.points[0].tolist()
        self.rewards = dict(zip(self.possible_agents, self.batch.reward[0].tolist(), strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        self.infos = {agent: {"points": own, "end": end} for agent, own in zip(self.agents, points, strict=True)}


def env(**given: Any) -> Any:
    """Return `raw_env` with PettingZoo's usual checks; an illegal action ends the episode of all agents."""
    raw = raw_env(**given)
    checked = wrappers.TerminateIllegalWrapper(raw, illegal_reward=-raw.batch.spec.worst)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(checked))


def parallel_env(**given: Any) -> Any:
    """Return the environment for programs that step all agents at once: only the one that has to act does anything."""
    return turn_based_aec_to_parallel(env(**given))
