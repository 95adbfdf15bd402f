"""Gymnasium: one seat against policies, as a single environment and as a vector environment (docs/environments.md).

Importing this module registers `mextrain/Round-v0` and `mextrain/Match-v0`. It needs the extra `rl`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, SupportsFloat, Unpack

import numpy as np

from mextrain._support.integers import whole
from mextrain._support.optional import need

try:
    import gymnasium as gym
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError:
    need("gymnasium", "rl")
    raise

from mextrain.env.batch import BatchEnv
from mextrain.env.shapes import Bytes, named_round
from mextrain.env.spec import AUTORESETS, ENDS, Options
from mextrain.errors import MextrainError, shown
from mextrain.game.rules import RuleSet

ROUND, MATCH = "mextrain/Round-v0", "mextrain/Match-v0"
"""The ids. A new version means that the same seeds and actions give other results."""

MODES = dict(zip(AUTORESETS, (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED), strict=True))
"""The auto-reset modes of Gymnasium, by the words of `BatchEnv`."""


def _space(env: BatchEnv) -> Any:
    """The space of one observation."""
    spec = env.spec
    found: dict[str, spaces.Space[Any]] = {
        "observation": spaces.Box(0, 1, (spec.bits,), np.int8),
        "action_mask": spaces.Box(0, 1, (spec.rules.action_count,), np.int8),
    }
    if spec.episode == "match":
        found["totals"] = spaces.Box(0, spec.worst_match, (spec.rules.players,), np.float32)
    return spaces.Dict(found)


class _Seen:
    """The observations of a batch as arrays that are made once."""

    def __init__(self, env: BatchEnv) -> None:
        assert env.observation is not None
        assert env.mask is not None
        self._env = env
        self._bits = Bytes(env.observation, env.spec.bits)
        self._mask = Bytes(env.mask, env.spec.rules.action_count)
        self._final = Bytes(env.final, env.spec.bits) if env.final is not None else None
        players = env.spec.rules.players
        self._order = (env.spec.outside[0] + np.arange(players)) % players

    def observations(self) -> dict[str, np.ndarray]:
        """Return what the seat sees in every environment."""
        found = {"observation": self._bits.bytes(), "action_mask": self._mask.bytes()}
        if self._env.spec.episode == "match":
            found["totals"] = self._env.totals[:, self._order].astype(np.float32)
        return found

    def final(self, i: int) -> dict[str, np.ndarray]:
        """Return what the seat of environment `i` saw at the end of its episode; no action is legal there."""
        assert self._final is not None
        mask = np.zeros(self._env.spec.rules.action_count, np.int8)
        mask[-1] = 1
        found = {"observation": self._final.bytes()[i].copy(), "action_mask": mask}
        if self._env.spec.episode == "match":
            found["totals"] = np.zeros(len(self._order), np.float32)
        return found

    def masks(self) -> np.ndarray:
        """Return the legal actions as bool[n, A]."""
        masks: np.ndarray = self._mask.bytes().view(np.bool_)
        return masks


def _batch(rules: RuleSet | None, n: int, seat: int, options: Mapping[str, Any]) -> BatchEnv:
    """Return the environments of one outside seat. Raises `MextrainError` for arguments that it refuses."""
    if whole(seat) is None:
        raise MextrainError(f"seat = {shown(seat)}: expected a seat from 0 on")
    if options.get("observe", "table") is None:
        raise MextrainError('observe = none: expected "table" or "full"')
    for name in ("masks", "actions", "outside"):
        if name in options:
            raise MextrainError(f"the option {name} is fixed here: leave it out")
    given = {**options, "outside": seat}
    return BatchEnv(RuleSet.mexican(4) if rules is None else rules, n, **given)


class MextrainEnv(gym.Env[dict[str, np.ndarray], np.int64]):
    """One seat against policies; an episode is a round or a match.

    `rules`: a `RuleSet`, by default Mexican Train with four players. `seat`: the seat that acts. `opponents`: one
    policy for the other seats, or one for each. Other options are those of `BatchEnv`, such as `episode`, `observe`
    (`"table"` or `"full"`), `reward`, and `illegal="end"` for programs that choose actions without a mask.

    Observations are dicts: `observation` and `action_mask` (int8), and in matches `totals` (own first). The mask is
    also in `info["action_mask"]` and `action_masks()`. `info` names the deal: `seed`, `game` and `round`; at the end of
    an episode it has `points` and `end` too.

    `reset(seed=…)` chooses new deals; without a seed, the next episode of the deals begins. `options` may name a deal:
    `seed`, `game` and `engine`, such as `12-12`.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "human"], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        rules: RuleSet | None = None,
        *,
        seat: int = 0,
        opponents: Any = "cautious",
        render_mode: str | None = None,
        **options: Unpack[Options],
    ) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise MextrainError(f"render_mode = {shown(render_mode)}: expected None, ansi or human")
        self.render_mode = render_mode
        single = {"others": opponents, "autoreset": "off", "keep": render_mode is not None}
        self.batch = _batch(rules, 1, seat, {**options, **single})
        self.rules, self.seat = self.batch.spec.rules, seat
        self._seen = _Seen(self.batch)
        self.observation_space = _space(self.batch)
        self.action_space = spaces.Discrete(self.rules.action_count)
        self._has_begun = self._over = False

    def action_masks(self) -> np.ndarray:
        """Return the legal actions: bool[A]."""
        mask: np.ndarray = self._seen.masks()[0].copy()
        return mask

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begin an episode."""
        super().reset(seed=seed)
        if options:
            self.batch.reset(games=[named_round(self.rules, self.batch.spec.seed, options)])
        elif seed is not None or not self._has_begun:
            self.batch.reset(seed=int(self.np_random.integers(1 << 63)))
        else:
            self.batch.reset(np.ones(1, np.bool_))
        self._has_begun, self._over = True, False
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[dict[str, np.ndarray], SupportsFloat, bool, bool, dict[str, Any]]:
        """Play a relative action id, and on until the seat has to decide again."""
        if self._over or not self._has_begun:
            raise MextrainError("no episode is being played: call reset")
        self.batch.step(np.array([action]).reshape(-1))
        self._over = bool(self.batch.done[0])
        info = self._info()
        if self._over:
            end = ENDS[self.batch.end[0]]
            info |= {"points": self.batch.points[0].copy(), "end": end, "illegal": end == "illegal"}
        if self.render_mode == "human":
            self.render()
        return self._observation(), float(self.batch.reward[0, self.seat]), self._over, False, info

    def render(self) -> Any:
        """Return the table as the seat sees it (`ansi`), or print it (`human`)."""
        if self.render_mode is None:
            gym.logger.warn("render needs a render_mode: ansi or human")
            return None
        text = str(self.batch.position(0).table(for_seat=self.seat))
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def _observation(self) -> dict[str, np.ndarray]:
        return {name: array[0].copy() for name, array in self._seen.observations().items()}

    def _info(self) -> dict[str, Any]:
        seed, game, number = self.batch.playing(0)
        mask = self._seen.masks()[0].astype(np.int8)
        return {"action_mask": mask, "seed": seed, "game": game, "round": number}


class MextrainVectorEnv(VectorEnv[dict[str, np.ndarray], np.ndarray, np.ndarray]):
    """Many environments of `MextrainEnv`, stepped by one kernel call.

    Environment i plays the games i, i + `num_envs`, … of one seed. `autoreset`: `"same"`, `"next"` or `"off"`, the
    modes SAME_STEP, NEXT_STEP and DISABLED of Gymnasium; with the last one, `reset(options={"reset_mask": …})` begins
    episodes. `final_obs`: whether to write `infos["final_obs"]` in the mode `"same"`. `copy`: whether observations are
    new arrays; without it they are written in place by the next step. Other arguments as for `MextrainEnv`.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        rules: RuleSet | None = None,
        *,
        seat: int = 0,
        opponents: Any = "cautious",
        final_obs: bool = False,
        copy: bool = True,
        render_mode: str | None = None,
        **options: Unpack[Options],
    ) -> None:
        if render_mode is not None:
            raise MextrainError(f"render_mode = {shown(render_mode)}: vector environments are not drawn")
        self.batch = _batch(rules, num_envs, seat, {**options, "others": opponents, "final": final_obs})
        self.num_envs, self.rules, self.seat = num_envs, self.batch.spec.rules, seat
        self.metadata = {**type(self).metadata, "autoreset_mode": MODES[self.batch.spec.autoreset]}
        self._seen, self._copy, self._final = _Seen(self.batch), copy, final_obs
        self.single_observation_space = _space(self.batch)
        self.single_action_space = spaces.Discrete(self.rules.action_count)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._never = np.zeros(num_envs, np.bool_)
        self._has_begun = False

    def action_masks(self) -> np.ndarray:
        """Return the legal actions: bool[n, A]."""
        masks = self._seen.masks()
        return masks.copy() if self._copy else masks

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begin episodes: all of them, or those that `options["reset_mask"]` selects."""
        super().reset(seed=seed)
        if not isinstance(options, Mapping | None) or not set(options or ()) <= {"reset_mask"}:
            raise MextrainError(f"options = {shown(options)}: expected None or a dict with reset_mask")
        which = (options or {}).get("reset_mask")
        if which is not None:
            self.batch.reset(which)
        elif seed is not None or not self._has_begun:
            self.batch.reset(seed=int(self.np_random.integers(1 << 63)))
        else:
            self.batch.reset(np.ones(self.num_envs, np.bool_))
        self._has_begun = True
        return self._observations(), self._infos()

    def step(
        self, actions: np.ndarray
    ) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play one action in every environment."""
        self.batch.step(actions)
        done, reward = self.batch.done, self.batch.reward[:, self.seat]
        infos = self._infos()
        if done.any():
            infos |= {"points": self.batch.points.copy(), "_points": done.copy(), "end": self.batch.end.copy()}
            infos["_end"] = done.copy()
            if self._final:
                final = np.full(self.num_envs, None)
                for i in np.flatnonzero(done):
                    final[i] = self._seen.final(int(i))
                infos |= {"final_obs": final, "_final_obs": done.copy()}
        if self._copy:
            done, reward = done.copy(), reward.copy()
        return self._observations(), reward, done, self._never, infos

    def _observations(self) -> dict[str, np.ndarray]:
        found = self._seen.observations()
        return {name: array.copy() for name, array in found.items()} if self._copy else found

    def _infos(self) -> dict[str, Any]:
        """Infos of all environments; the mask is that of the last observation, and not a copy of it."""
        return {"action_mask": self._seen.masks().view(np.int8), "_action_mask": ~self._never}


def _register() -> None:
    for name, episode in ((ROUND, "round"), (MATCH, "match")):
        if name not in gym.registry:
            gym.register(
                name,
                entry_point="mextrain.env.gymnasium:MextrainEnv",
                vector_entry_point="mextrain.env.gymnasium:MextrainVectorEnv",
                kwargs={"episode": episode},
            )


_register()
