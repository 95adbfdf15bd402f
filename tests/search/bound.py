"""What would a search gain if it saw all hands? Its worlds then have the true hands; only the order of draws is open.

    python -m tests.search.bound mexican 2 1000 100

plays `improve:1000` that sees everything against `improve:1000` that does not, 100 deals in both seatings, and prints
the difference in points a round and its standard error.
"""

from __future__ import annotations

import math
import sys
from unittest import mock

import numpy as np

from mextrain import RuleSet, simulate
from mextrain.bulk import searching_seats
from mextrain.game.seeding import mix
from mextrain.searches.bench import Bench, Knowledge
from mextrain.searches.flat import FlatSearch
from mextrain.searches.searcher import Searcher, searcher
from mextrain.searches.settings import Settings

SEES_ALL = 7
"""Play-outs more than those of the other search, by which the one that sees all hands is known."""


class Open(Bench):
    """A bench whose worlds are the true state, with other draws."""

    def open(self, knowledge: Knowledge, seed: int) -> tuple[np.ndarray, np.ndarray]:
        self._true = knowledge.states[knowledge.place : knowledge.place + 1].copy()
        return super().open(knowledge, seed)

    def sample(self, seed: int, count: int) -> None:
        self.states[1 : 1 + count] = self._true
        self.states["key"][1 : 1 + count] = [mix(seed + number) for number in range(count)]


def gain(rules: RuleSet, playouts: int, deals: int, seed: int = 900) -> tuple[float, float]:
    """Points a round of the search that sees all hands less those of the other one, and the standard error."""
    seeing = playouts + SEES_ALL

    def choose(rules: RuleSet, settings: Settings) -> Searcher:
        found = searcher(rules, settings)
        if settings.playouts == seeing:
            assert isinstance(found, FlatSearch)
            found._benches = [Open(rules, settings)]
        return found

    names = f"improve:{seeing}", f"improve:{playouts}"
    with mock.patch.object(searching_seats, "searcher", choose):
        points = [simulate(rules, games=deals, seed=seed, policies=_seats(names, k, rules.players)) for k in (0, 1)]
    first, second = (each.points[:, 0, :].astype(float) for each in points)
    differences = (_even_less_odd(first) - _even_less_odd(second)) / 2
    return float(differences.mean()), float(differences.std(ddof=1)) / math.sqrt(deals)


def _even_less_odd(points: np.ndarray) -> np.ndarray:
    found: np.ndarray = points[:, ::2].mean(axis=1) - points[:, 1::2].mean(axis=1)
    return found


def _seats(names: tuple[str, str], first: int, players: int) -> list[str]:
    return [names[(first + seat) % 2] for seat in range(players)]


def main(preset: str, players: str, playouts: str, deals: str) -> None:
    """Print the gain."""
    rules = RuleSet.preset(preset, players=int(players), rounds=1)
    mean, error = gain(rules, int(playouts), int(deals))
    print(f"{preset}, {players} players, improve:{playouts}: seeing all hands {mean:+.2f} ± {error:.2f} points a round")


if __name__ == "__main__":
    main(*sys.argv[1:])
