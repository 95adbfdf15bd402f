"""A learning loop in NumPy: a linear policy that scores legal actions learns to beat random players.

    python examples/policy_gradient.py [STEPS]

Seat 0 learns against three random players (REINFORCE with a baseline). The policy is a softmax over the scores of the
legal actions, and a score is a weighted sum of their published features (docs/environments.md). The gradient of such a
policy is the features of the chosen action minus their mean, so a round needs no memory but one sum for each
environment. Then the weights play the best action, against other opponents and in rounds that they have never seen.
"""

import sys

import numpy as np

from mextrain import BatchEnv, RuleSet
from mextrain.env import ACTION_FEATURES

RULES = RuleSet.mexican(players=4)
ENVIRONMENTS = 512
SCALE = 30.0
"""Rewards are divided by this number of points."""
RATE = 0.05


def environments(opponents: str, seed: int) -> BatchEnv:
    """Environments in which seat 0 decides."""
    env = BatchEnv(
        RULES, ENVIRONMENTS, seed=seed, outside=0, others=opponents, observe=None, masks=False, legal="rows",
        actions="rows",
    )  # fmt: skip
    env.reset()
    return env


def best_rows(env: BatchEnv, scores: np.ndarray) -> np.ndarray:
    """The row with the highest score in each environment, as an index into all rows."""
    best = np.maximum.reduceat(scores, env.offsets[:-1])
    is_best = np.flatnonzero(scores == np.repeat(best, env.counts))
    return is_best[np.searchsorted(is_best, env.offsets[:-1])]


def learn(steps: int, seed: int = 1) -> tuple[np.ndarray, list[float]]:
    """Weights after so many steps, and the mean rewards of ten parts of the time, in points."""
    env = environments("random", seed)
    noise = np.random.default_rng(seed)
    weights = np.zeros(len(ACTION_FEATURES))
    sums = np.zeros((ENVIRONMENTS, len(weights)))  # of the gradients since the round began
    moment, scale, baseline = np.zeros_like(weights), np.zeros_like(weights), 0.0
    history: list[list[float]] = [[] for _ in range(10)]
    for step in range(steps):
        features, first = env.features, env.offsets[:-1]
        scores = features @ weights
        # The highest score plus Gumbel noise is a sample of the softmax.
        chosen = best_rows(env, scores + noise.gumbel(size=len(scores)))
        odds = np.exp(scores - np.repeat(np.maximum.reduceat(scores, first), env.counts))
        odds /= np.repeat(np.add.reduceat(odds, first), env.counts)
        sums += features[chosen] - np.add.reduceat(odds[:, None] * features, first)
        env.step(chosen - first)
        done = env.done
        if done.any():
            rewards = env.reward[done, 0] / SCALE
            history[10 * step // steps] += (rewards * SCALE).tolist()
            gradient = (rewards - baseline) @ sums[done] / len(rewards)
            baseline += 0.01 * (rewards.mean() - baseline)
            sums[done] = 0
            moment = 0.9 * moment + 0.1 * gradient
            scale = 0.99 * scale + 0.01 * gradient**2
            weights += RATE * moment / (np.sqrt(scale) + 1e-3)
    return weights, [float(np.mean(part)) for part in history]


def evaluate(weights: np.ndarray, opponents: str, rounds: int, seed: int = 2) -> float:
    """Mean reward of the best action in so many rounds, in points."""
    env = environments(opponents, seed)
    rewards: list[float] = []
    while len(rewards) < rounds:
        chosen = best_rows(env, env.features @ weights)
        env.step(chosen - env.offsets[:-1])
        rewards += env.reward[env.done, 0].tolist()
    return float(np.mean(rewards))


if __name__ == "__main__":
    weights, history = learn(int(sys.argv[1]) if len(sys.argv) > 1 else 1500)
    print("learning:", *(f"{reward:+.1f}" for reward in history), "points a round ahead of random players")
    for opponents in ("random", "heaviest", "cautious"):
        print(f"against three {opponents}: {evaluate(weights, opponents, 4000):+.1f} points a round")
    for name, weight in sorted(zip(ACTION_FEATURES, weights, strict=True), key=lambda pair: -abs(pair[1]))[:6]:
        print(f"  {name}: {weight:+.2f}")
