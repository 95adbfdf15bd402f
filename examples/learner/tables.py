"""The tables at which a net learns: groups of environments, and the decisions with a choice in all of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mextrain import BatchEnv, RuleSet
from mextrain.env import ACTION_FEATURES, TABLE_FEATURES

IN_MATCH = [TABLE_FEATURES.index("lead"), TABLE_FEATURES.index("rounds_left")]
"""Features that are left out: the net plays for the points of the round."""


class Seen(NamedTuple):
    """The decisions with a choice in all environments at one step."""

    where: np.ndarray
    """The environments."""
    seats: np.ndarray
    actions: np.ndarray
    """Features of their legal actions, one table after the other."""
    table: np.ndarray
    counts: np.ndarray


class Tables:
    """The groups of environments as one."""

    def __init__(self, rules: RuleSet, groups: list[str], n: int, seed: int, hint: str) -> None:
        self.rules, self.groups, self.hint = rules, groups, hint
        self.envs, self.n = [], n
        for k, name in enumerate(groups):
            played = {"outside": "all"} if name == "self" else {"outside": 0, "others": name}
            rows = {"observe": None, "masks": False, "legal": "rows", "actions": "rows"}
            self.envs.append(BatchEnv(rules, n, seed=seed + k, **played, **rows))
        for env in self.envs:
            env.reset()

    def __len__(self) -> int:
        return self.n * len(self.envs)

    def joined(self, name: str) -> np.ndarray:
        """Return an array of all environments, one group after the other."""
        return np.concatenate([getattr(env, name) for env in self.envs])

    def look(self) -> Seen:
        """Return the decisions with a choice."""
        counts = self.joined("counts").astype(np.int64)
        hints = np.concatenate([env.policy_actions(self.hint) for env in self.envs]).astype(np.int64)
        actions = np.zeros((int(counts.sum()), len(ACTION_FEATURES) + 1), np.float32)
        np.concatenate([env.features for env in self.envs], out=actions[:, :-1])
        actions[np.cumsum(counts) - counts + hints, -1] = 1
        table = self.joined("table_features")
        table[:, IN_MATCH] = 0
        open_ = counts > 1
        where = np.flatnonzero(open_)
        return Seen(where, self.joined("seat")[where], actions[np.repeat(open_, counts)], table[where], counts[where])

    def step(self, where: np.ndarray, rows: np.ndarray) -> None:
        """Play the chosen rows, and the only one everywhere else."""
        chosen = np.zeros(len(self), np.uint16)
        chosen[where] = rows
        for k, env in enumerate(self.envs):
            env.step(chosen[k * self.n : (k + 1) * self.n])


def turned(seats: np.ndarray, players: int, sign: int) -> np.ndarray:
    """Return places that turn rows by the seats: from absolute to relative seats with 1, and back with -1."""
    return (np.arange(players) + sign * seats[:, None].astype(np.int64)) % players


def absolute(values: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Return values of relative seats by absolute seat."""
    return np.take_along_axis(values, turned(seats, values.shape[1], -1), 1)
