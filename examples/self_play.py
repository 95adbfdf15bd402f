"""Self-play for a learner: `python examples/self_play.py [FOLDER [GAMES]]`.

Two players that plan their trains and two that play sensibly fill an archive. Every row is replayed and checked. Then
the decisions are read back in shuffled batches, and a linear model learns from them how many points a seat will have at
the end of a round, from what it saw at a decision. A real learner takes the place of the few lines of `learn`.

It needs `pip install 'mextrain[io]'`. Run it twice with the same folder: the second time nothing has to be played.
"""

import sys
import tempfile

import numpy as np

from mextrain import RuleSet
from mextrain.archive import Job, check_archive, write_archive
from mextrain.dataset import DecisionBatch, DecisionDataset
from mextrain.hidden.observation import expand

POLICIES = ["planner", "cautious", "planner", "cautious"]


def features(dataset: DecisionDataset, batch: DecisionBatch) -> np.ndarray:
    """What each decision's seat saw, a column for each bit, and a column of ones: float32[n, bits + 1]."""
    seen = expand(batch.observation, dataset.observation_bits, np.float32)
    return np.hstack([seen, np.ones((len(batch), 1), np.float32)])


def learn(dataset: DecisionDataset) -> tuple[np.ndarray, float]:
    """Fit by least squares to four games of five; return the weights, and the variance explained in the fifth."""
    size = dataset.observation_bits + 1
    products, sums = np.eye(size), np.zeros(size)
    held_out = []
    for batch in dataset.batches(epoch=0):
        x, y = features(dataset, batch), batch.points[:, 0]
        fit = batch.game % 5 != 0
        products += x[fit].T @ x[fit]
        sums += x[fit].T @ y[fit]
        held_out.append((x[~fit], y[~fit]))
    weights = np.linalg.solve(products, sums)
    points = np.concatenate([y for _, y in held_out])
    errors = points - np.concatenate([x @ weights for x, _ in held_out])
    return weights, float(1 - errors.var() / points.var())


def main() -> None:
    """Play, check, read back."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = sys.argv[1] if len(sys.argv) > 1 else scratch
        games = int(sys.argv[2]) if len(sys.argv) > 2 else 200
        job = Job.create(RuleSet.mexican(players=4), games=games, seed=1, policies=POLICIES)
        archive = write_archive(folder, job, workers=None, resume=True)
        print(f"{archive.summary.rounds:,} rounds in {folder}; mean points of a round by seat:")
        for policy, points in zip(POLICIES, archive.summary.points(), strict=True):
            print(f"  {policy:<9} {points.value:.1f} ({points.low:.1f} … {points.high:.1f})")
        print(f"{check_archive(folder).actions:,} moves replayed without a fault")
        dataset = DecisionDataset(folder, batch_size=4096, seed=1)
        _, explained = learn(dataset)
        print(f"a linear model explains {explained:.1%} of the variance of the points in games that it has not seen")


if __name__ == "__main__":
    main()
