"""PPO in PyTorch: a small net that scores legal actions learns to beat the built-in policies (docs/learning.md).

    python examples/learner/learner.py --preset mexican --out runs/mexican

Several groups of environments play side by side: in the group `self` the net plays every seat, in the others it plays
seat 0 against three of the built-in policy that the group is named after. Every decision with a choice is a sample; a
forced one is played and forgotten. The net sees the published features of each legal action and of the table, and which
action the policy `--hint` would take. It starts as a sum of two of them, so that it plays sensibly from the first round
on. Its second output is the expected points of every seat.

`--out` is a folder: `net.npz` (plain arrays), `checkpoint.npz` (everything, for `--resume`), `curve.csv`, `curve.svg`.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).parent))
import curve
from tables import Seen, Tables, absolute, turned

from mextrain import RuleSet
from mextrain.env import ACTION_FEATURES, FEATURES_VERSION, TABLE_FEATURES

SCALE = 30.0
"""The net's unit is so many points."""
LAMBDA, CLIP, VALUE_WEIGHT, MOST_GRADIENT = 0.95, 0.2, 0.5, 0.5


class Net(nn.Module):
    """Scores of actions, and the expected points of all seats, relative to the one to decide."""

    def __init__(self, players: int, width: int = 64, inner: int = 32) -> None:
        super().__init__()
        actions, table = len(ACTION_FEATURES) + 1, len(TABLE_FEATURES)

        def drawn(*shape: int, gain: float = 1.0) -> nn.Parameter:
            return nn.Parameter(nn.init.orthogonal_(torch.empty(*shape), gain))

        self.action_in, self.table_in = drawn(actions, width), drawn(table, width)
        self.bias = nn.Parameter(torch.zeros(width))
        self.inner, self.inner_bias = drawn(width, inner, gain=1.4), nn.Parameter(torch.zeros(inner))
        self.score = nn.Parameter(torch.zeros(inner))
        self.direct = nn.Parameter(torch.zeros(actions))
        with torch.no_grad():
            self.direct[ACTION_FEATURES.index("counting")] = 2.5
            self.direct[-1] = 1.0  # the hint
            self.direct[ACTION_FEATURES.index("stop")] = -2.0
        self.value_in, self.value_bias = drawn(table, width), nn.Parameter(torch.zeros(width))
        self.value_out, self.value_direct = drawn(width, players, gain=0.1), nn.Parameter(torch.zeros(table, players))
        self.value_mean = nn.Parameter(torch.full((players,), 30.0 / SCALE))

    def forward(self, actions: Tensor, table: Tensor, of: Tensor) -> tuple[Tensor, Tensor]:
        """Return the score of each action and the points of each table; `of` is the table of each action."""
        x = torch.relu(actions @ self.action_in + (table @ self.table_in + self.bias)[of])
        scores = torch.relu(x @ self.inner + self.inner_bias) @ self.score + actions @ self.direct
        return scores, self.values(table)

    def values(self, table: Tensor) -> Tensor:
        """Return the expected points of the seats: [tables, players], in units of SCALE."""
        x = torch.relu(table @ self.value_in + self.value_bias)
        return x @ self.value_out + table @ self.value_direct + self.value_mean


def evaluated(net: Net, actions: Tensor, table: Tensor, counts: Tensor) -> tuple[Tensor, Tensor]:
    """Return the log probabilities of actions, [tables, most actions], and the values of tables."""
    of = torch.repeat_interleave(torch.arange(len(counts)), counts)
    scores, values = net(actions, table, of)
    place = torch.arange(len(of)) - (torch.cumsum(counts, 0) - counts)[of]
    wide = torch.full((len(counts), int(counts.max())), -1e9).index_put((of, place), scores)
    return torch.log_softmax(wide, 1), values


def rows_of(counts: Tensor, part: Tensor) -> Tensor:
    """Return the rows of some tables, where the rows of all stand one table after the other."""
    chosen = counts[part]
    of = torch.repeat_interleave(torch.arange(len(part)), chosen)
    return (torch.cumsum(counts, 0) - counts)[part][of] + torch.arange(len(of)) - (torch.cumsum(chosen, 0) - chosen)[of]


class Samples(NamedTuple):
    """What one update learns from."""

    actions: Tensor
    table: Tensor
    counts: Tensor
    chosen: Tensor
    log_odds: Tensor
    advantage: Tensor
    points: Tensor
    """[samples, players], relative to the seat: estimates of the points at the end of the round."""


class Learner:
    """A net, its optimiser, and the environments in which it plays."""

    def __init__(self, given: argparse.Namespace) -> None:
        torch.set_num_threads(1)
        torch.manual_seed(given.seed)
        self.given, self.updates, self.seconds, self.decisions = given, 0, 0.0, 0
        self.rules = RuleSet.preset(given.preset, players=given.players)
        self.tables = Tables(self.rules, given.opponents.split(","), given.environments, given.seed, given.hint)
        self.net = Net(self.rules.players)
        if given.blank:
            self.net.direct.data.zero_()
        self.optimiser = torch.optim.Adam(self.net.parameters(), given.rate, eps=1e-5)
        self.curve: list[list[float]] = []
        self.gains: list[list[float]] = [[] for _ in self.tables.groups]

    def play(self) -> Samples:
        """Play `--steps` steps everywhere, and return the decisions with what they led to."""
        n, players = len(self.tables), self.rules.players
        seen: list[Seen] = []
        chosen, log_odds, values, done, points = [], [], [], [], []
        for _ in range(self.given.steps):
            at = self.tables.look()
            with torch.no_grad():
                odds, value = evaluated(self.net, *map(torch.from_numpy, (at.actions, at.table, at.counts)))
                noise = -torch.log(-torch.log(torch.rand(odds.shape).clamp(1e-12, 1 - 1e-7)))
                rows = (odds + noise).argmax(1)
            self.tables.step(at.where, rows.numpy())
            seen.append(at)
            chosen.append(rows)
            log_odds.append(odds.gather(1, rows[:, None])[:, 0])
            values.append(absolute(value.numpy(), at.seats))
            done.append(self.tables.joined("done"))
            points.append(self.tables.joined("points") / np.float32(SCALE))
            self.decisions += len(rows)
            for k, gains in enumerate(self.gains):
                group = slice(k * self.tables.n, (k + 1) * self.tables.n)
                ended = points[-1][group][done[-1][group]]
                gains += (SCALE * (ended[:, 1:].mean(1) - ended[:, 0])).tolist()
        # Backwards: what each seat of each environment expects after its decision. NaN: nobody knows yet.
        after, trace = np.full((n, players, players), np.nan, np.float32), np.zeros((n, players, players), np.float32)
        at = self.tables.look()
        with torch.no_grad():
            last = self.net.values(torch.from_numpy(at.table)).numpy()
        after[at.where, at.seats] = absolute(last, at.seats)
        gain, target = [], []
        for t in reversed(range(len(seen))):
            after[done[t]], trace[done[t]] = points[t][done[t]][:, None], 0
            i, seat = seen[t].where, seen[t].seats
            step = after[i, seat] - values[t] + np.float32(LAMBDA) * trace[i, seat]
            trace[i, seat], after[i, seat] = np.nan_to_num(step), values[t]
            relative = np.take_along_axis(step, turned(seat, players, 1), 1)
            target.append(relative + np.take_along_axis(values[t], turned(seat, players, 1), 1))
            gain.append(relative[:, 1:].mean(1) - relative[:, 0])
        parts = [[getattr(at, name) for at in seen] for name in ("actions", "table", "counts")]
        actions, table, counts = (torch.from_numpy(np.concatenate(part)) for part in parts)
        gains, targets = (torch.from_numpy(np.concatenate(part[::-1])) for part in (gain, target))
        return Samples(actions, table, counts, torch.cat(chosen), torch.cat(log_odds), gains, targets)

    def update(self) -> None:
        """Play and learn."""
        begun = time.process_time()
        for group in self.optimiser.param_groups:
            group["lr"] = self.given.rate * max(0.02, 1 - self.updates / self.given.updates)
        x = self.play()
        known = torch.nonzero(~torch.isnan(x.advantage))[:, 0]
        for _ in range(self.given.epochs):
            for part in known[torch.randperm(len(known))].split(self.given.batch):
                actions = x.actions[rows_of(x.counts, part)]
                odds, values = evaluated(self.net, actions, x.table[part], x.counts[part])
                ratio = (odds.gather(1, x.chosen[part][:, None])[:, 0] - x.log_odds[part]).exp()
                gain = x.advantage[part]
                gain = (gain - gain.mean()) / (gain.std() + 1e-6)
                policy = -torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
                entropy = -(odds.exp() * odds.clamp(min=-50)).sum(1).mean()
                value = (values - x.points[part]).pow(2).mean()
                loss = policy + VALUE_WEIGHT * value - self.given.entropy * entropy
                self.optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.net.parameters(), MOST_GRADIENT)
                self.optimiser.step()
        self.updates += 1
        self.seconds += time.process_time() - begun
        if self.updates % self.given.every == 0 or self.updates == self.given.updates:
            means = [float(np.mean(gains)) if gains else float("nan") for gains in self.gains]
            self.curve.append([self.seconds, self.decisions, *means])
            self.gains = [[] for _ in self.gains]
            against = ", ".join(f"{name} {mean:+.2f}" for name, mean in zip(self.tables.groups, means, strict=True))
            print(
                f"update {self.updates}, {self.seconds:.0f} CPU s, {self.decisions / self.seconds:,.0f} decisions/s, "
                f"entropy {entropy.item():.3f}: {against}", flush=True,
            )  # fmt: skip
            self.save()

    def save(self) -> None:
        """Write the net, the checkpoint and the curve."""
        out = Path(self.given.out)
        out.mkdir(parents=True, exist_ok=True)
        arrays = {name: value.detach().numpy() for name, value in self.net.named_parameters()}
        np.savez(out / "net.npz", features=np.array(FEATURES_VERSION), hint=np.array(self.given.hint), **arrays)
        kept: dict[str, Any] = {f"net/{name}": value for name, value in arrays.items()}
        for name, parameter in self.net.named_parameters():
            kept |= {f"adam/{name}/{key}": value.numpy() for key, value in self.optimiser.state[parameter].items()}
        for k, env in enumerate(self.tables.envs):
            kept |= {f"env/{k}/{key}": np.asarray(value) for key, value in env.save().items()}
        progress = np.array([self.updates, self.decisions])
        kept |= {"progress": progress, "seconds": np.array(self.seconds), "curve": np.array(self.curve)}
        kept |= {f"gains/{k}": np.array(gains) for k, gains in enumerate(self.gains)}
        np.savez(out / "checkpoint.npz", random=torch.get_rng_state().numpy(), **kept)
        names = ["cpu_seconds", "decisions", *self.tables.groups]
        with (out / "curve.csv").open("w", newline="") as file:
            csv.writer(file).writerows([names, *self.curve])
        (out / "curve.svg").write_text(curve.drawn(names, self.curve, self.given.preset))

    def resume(self) -> None:
        """Go on from the checkpoint in `--out`."""
        with np.load(Path(self.given.out) / "checkpoint.npz", allow_pickle=False) as kept:
            for name, parameter in self.net.named_parameters():
                parameter.data = torch.from_numpy(kept[f"net/{name}"])
                keys = ("step", "exp_avg", "exp_avg_sq")
                self.optimiser.state[parameter] = {key: torch.from_numpy(kept[f"adam/{name}/{key}"]) for key in keys}
            for k, env in enumerate(self.tables.envs):
                names = [name for name in kept.files if name.startswith(f"env/{k}/")]
                saved = {name.split("/")[2]: kept[name] for name in names}
                env.load({name: value if value.shape else value.item() for name, value in saved.items()})
            self.updates, self.decisions = map(int, kept["progress"])
            self.seconds, self.curve = float(kept["seconds"]), kept["curve"].tolist()
            self.gains = [kept[f"gains/{k}"].tolist() for k in range(len(self.gains))]
            torch.set_rng_state(torch.from_numpy(kept["random"]))


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description="Train a net by PPO.")
    parser.add_argument("--preset", default="mexican")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--out", required=True, help="folder for net, checkpoint and curve")
    parser.add_argument("--opponents", default="self,counting", help="groups: self, or a built-in policy")
    parser.add_argument("--hint", default="expert", help="the policy whose choice the net is told")
    parser.add_argument("--blank", action="store_true", help="begin without weights for the hint and the features")
    parser.add_argument("--environments", type=int, default=256, help="in each group")
    parser.add_argument("--steps", type=int, default=64, help="between two updates")
    parser.add_argument("--updates", type=int, default=600)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--entropy", type=float, default=0.003)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=10, help="updates between two reports")
    parser.add_argument("--stop-after", type=int, default=0, help="end after so many updates, to be resumed")
    parser.add_argument("--resume", action="store_true")
    return parser.parse_args(given)


def main(given: list[str] | None = None) -> Learner:
    """Train, and return the learner."""
    learner = Learner(arguments(given))
    if learner.given.resume:
        learner.resume()
    last = learner.given.stop_after or learner.given.updates
    while learner.updates < last:
        learner.update()
    learner.save()
    return learner


if __name__ == "__main__":
    main()
