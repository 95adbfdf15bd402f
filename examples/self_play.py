"""Self-play for a learner: `python examples/self_play.py [FOLDER [GAMES]]`.

Two `planner` and two `cautious` players fill an archive. Every row is replayed and checked. Then the decisions are read
back in shuffled batches, and a linear model learns to predict the points of a seat at the end of the round from what it
sees at a decision. Replace the few lines of `learn` by a real learner.

It needs `pip install 'mextrain[io]'`. If you run it again with the same folder, nothing has to be played.
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
    """The observation of each decision, one column per bit, and a column of ones: float32[n, bits + 1]."""
    seen = expand(batch.observation, dataset.observation_bits, np.float32)
    return np.hstack([seen, np.ones((len(batch), 1), np.float32)])


def learn(dataset: DecisionDataset) -> tuple[np.ndarray, float]:
    """Fit to four games of five by least squares; return the weights, and the explained variance in the fifth."""
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
