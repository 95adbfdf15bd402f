"""How well a net plays: `python examples/learner/evaluate.py [PRESET [ROUNDS [NET.npz]]]`.

The net has seat 0 against three players of one built-in policy. Then that policy plays seat 0 itself, with the same
deals. Prints how many points the net's seat is ahead of the others, and how many fewer points it gets than the policy.
"""

import sys

import numpy as np

from mextrain import BatchPolicy, RuleSet, simulate
from mextrain.learned import Net

SEED = 20_000
"""Far from the seeds of the training."""


def ahead(points: np.ndarray) -> np.ndarray:
    """Mean points of the others minus those of seat 0, by round."""
    return points[:, 1:].mean(axis=1) - points[:, 0]


def interval(values: np.ndarray) -> str:
    """A mean with its 95 % interval."""
    return f"{values.mean():+.2f} ± {1.96 * values.std() / len(values) ** 0.5:.2f}"


def main() -> None:
    """Print a line for each opponent."""
    preset, rounds, *net = [*sys.argv[1:], *("mexican", "4000")[len(sys.argv) - 1 :]]
    policy = BatchPolicy(Net(net[0]).choose) if net else f"mextrain.learned:{preset}"
    rules = RuleSet.preset(preset, players=4, rounds=1)
    for other in ("cautious", "planner", "counting", "expert"):
        points = [
            simulate(rules, games=int(rounds), seed=SEED, policies=[who, other, other, other]).points[:, 0]
            for who in (policy, other)
        ]
        fewer = interval((points[1] - points[0])[:, 0])
        won = interval(ahead(points[0]))
        print(f"against three {other}: ahead of them {won}, fewer points than {other} there {fewer}", flush=True)


if __name__ == "__main__":
    main()
