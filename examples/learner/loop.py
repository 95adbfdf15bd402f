"""Self-play, archive, data set, learner, search, and self-play again: `python examples/learner/loop.py [FOLDER]`.

In each generation, the latest net and a search share the seats of games that fill an archive. Its decisions are read
back and played again in environments, which gives the features of every legal action. The net learns the moves of the
searching seats, and the points of all seats. Then two searches meet at one table, one of which asks the net what
positions are worth, and the new net plays the next games. The usual sizes are small: this shows how the parts fit
together. Needs `pip install 'mextrain[io,learn]'`.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parent))
from learner import SCALE, Net, evaluated, rows_of
from tables import IN_MATCH

import mextrain
from mextrain import BatchEnv, Position, RuleSet
from mextrain.archive import Job, write_archive
from mextrain.dataset import DecisionDataset
from mextrain.env import ACTION_FEATURES, FEATURES_VERSION
from mextrain.learned import Net as Played


class Decisions(NamedTuple):
    """Decisions with a choice."""

    actions: torch.Tensor
    table: torch.Tensor
    counts: torch.Tensor
    chosen: torch.Tensor
    points: torch.Tensor
    """[n, players], the seat's own first, in units of SCALE."""
    searched: torch.Tensor
    """bool[n]: a search decided."""


def read_back(folder: Path, rules: RuleSet, seed: int, hint: str, searching: list[int]) -> Decisions:
    """Play all rounds of an archive again, side by side, and return the decisions with their features."""
    batches = list(DecisionDataset(folder, batch_size=4096, seed=1).batches(epoch=0))
    columns = {name: np.concatenate([getattr(batch, name) for batch in batches]) for name in
               ("game", "round", "step", "action", "points", "seat")}  # fmt: skip
    order = np.lexsort((columns["step"], columns["round"], columns["game"]))
    columns = {name: column[order] for name, column in columns.items()}
    first = np.flatnonzero(columns["step"] == 0)
    lengths = np.diff([*first, len(order)])
    env = BatchEnv(rules, len(first), observe=None, masks=False, legal="rows", autoreset="off")
    env.reset(games=[(seed, int(columns["game"][k]), int(columns["round"][k])) for k in first])
    parts: list[list[np.ndarray]] = [[] for _ in Decisions._fields]
    for step in range(int(lengths.max())):
        playing = np.flatnonzero(lengths > step)
        at = first[playing] + step
        actions = np.zeros(len(first), np.uint16)
        actions[playing] = columns["action"][at]
        counts, offsets = env.counts.astype(np.int64), env.offsets
        wide = np.zeros((int(offsets[-1]), len(ACTION_FEATURES) + 1), np.float32)
        wide[:, :-1] = env.features
        # An id is a legal action of its table; the position among them is the row.
        of = np.repeat(np.arange(len(first)), counts)
        row = np.zeros(len(first), np.int64)
        is_chosen = env.ids == actions[of]
        row[of[is_chosen]] = np.flatnonzero(is_chosen) - offsets[of[is_chosen]]
        hinted = env.policy_actions(hint)
        wide[env.ids == hinted[of], -1] = 1
        choice = playing[counts[playing] > 1]
        keep = np.isin(of, choice)
        table = env.table_features[choice]
        table[:, IN_MATCH] = 0
        where = first[choice] + step
        new = (wide[keep], table, counts[choice], row[choice], columns["points"][where] / np.float32(SCALE),
               np.isin(columns["seat"][where], searching))  # fmt: skip
        for part, array in zip(parts, new, strict=True):
            part.append(array)
        env.step(actions)
    return Decisions(*(torch.from_numpy(np.concatenate(part)) for part in parts))


def learn(net: Net, seen: Decisions, epochs: int) -> list[float]:
    """Learn the moves of the searches, and everybody's points; return the mean loss of each epoch."""
    optimiser = torch.optim.Adam(net.parameters(), 1e-3)
    losses = []
    for _ in range(epochs):
        total = 0.0
        for part in torch.randperm(len(seen.counts)).split(1024):
            odds, values = evaluated(net, seen.actions[rows_of(seen.counts, part)], seen.table[part], seen.counts[part])
            taken = odds.gather(1, seen.chosen[part][:, None])[:, 0]
            loss = -(taken * seen.searched[part]).mean() + (values - seen.points[part]).pow(2).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total += loss.item() * len(part)
        losses.append(total / len(seen.counts))
    return losses


def compared(rules: RuleSet, net: Played, rounds: int, playouts: int) -> float:
    """Points a round that a search with the net is ahead of one without; two seats each, and each deal twice."""
    ahead = []
    for game in range(rounds):
        for side in (0, 1):
            position = Position.deal(rules, seed=77, game=game)
            while not position.over:
                own = position.seat % 2 == side
                given = {"value": net.points, "drop": None, "block": 64} if own else {}
                position.play(mextrain.search(position, playouts=playouts, seed=game, **given).best_text)
            points = np.array(position.points)
            ahead.append(points[1 - side :: 2].mean() - points[side::2].mean())
    return float(np.mean(ahead))


def main() -> None:
    """Run the loop."""
    parser = argparse.ArgumentParser(description="The loop from self-play to self-play.")
    parser.add_argument("folder", nargs="?", default="runs/loop")
    parser.add_argument("--preset", default="mexican")
    parser.add_argument("--generations", type=int, default=2)
    parser.add_argument("--games", type=int, default=4)
    parser.add_argument("--search", default="improve:100", help="the search that the net learns from")
    parser.add_argument("--hint", default="counting")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=2, help="rounds in which two searches meet")
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    rules, net, folder = RuleSet.preset(given.preset, players=4), Net(4), Path(given.folder)
    for generation in range(given.generations):
        home = folder / str(generation)
        home.mkdir(parents=True, exist_ok=True)
        arrays = {name: value.detach().numpy() for name, value in net.named_parameters()}
        np.savez(home / "net.npz", features=np.array(FEATURES_VERSION), hint=np.array(given.hint), **arrays)
        os.environ["LOOP_NET"] = str(home / "net.npz")
        seats = ["latest:policy", given.search] * 2
        job = Job.create(rules, games=given.games, seed=1 + generation, policies=seats)
        archive = write_archive(home / "games", job, workers=1, resume=True)
        seen = read_back(home / "games", rules, 1 + generation, given.hint, [1, 3])
        losses = learn(net, seen, given.epochs)
        arrays = {name: value.detach().numpy() for name, value in net.named_parameters()}
        np.savez(home / "learned.npz", features=np.array(FEATURES_VERSION), hint=np.array(given.hint), **arrays)
        ahead = compared(rules, Played(home / "learned.npz"), given.rounds, 64)
        print(
            f"generation {generation}: {archive.summary.rounds} rounds, {len(seen.counts)} decisions, "
            f"loss {losses[0]:.3f} to {losses[-1]:.3f}, search with the net {ahead:+.1f} points a round", flush=True,
        )  # fmt: skip


if __name__ == "__main__":
    main()
