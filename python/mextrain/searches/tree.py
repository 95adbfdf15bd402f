"""Tree search: batches of walks through one tree or several, whose first moves are added up."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from mextrain.game.rules import RuleSet
from mextrain.searches.bench import Bench, Knowledge
from mextrain.searches.flat import new_sums
from mextrain.searches.outcome import Outcome, block_seed
from mextrain.searches.settings import EXPLORE, FIRST_BATCHES, Settings
from mextrain_core.search.flat import Sums
from mextrain_core.search.tree import MOVE_MASK, back_up, clear_tree, descend, new_tree

MAX_NODES = 1 << 18
"""The most nodes of a tree (48 bytes, and 8 of a table each); a full tree goes on without new ones."""
MEASURED = (1, 4)
"""After so many blocks the exploration is fitted to the spread of the results. Later the tree prefers some results to
others, and their spread says nothing about the game."""
FEW = 16
"""A move with fewer walks is not yet known."""
ROUND = 16
"""Batches of each tree between two looks at the clock."""


class TreeSearch:
    """Tree search for one set of rules; `run` searches at one decision after the other."""

    def __init__(self, rules: RuleSet, settings: Settings) -> None:
        self._players, self._settings = rules.players, settings
        self._trees = [_Tree(rules, settings) for _ in range(settings.trees)]

    def run(self, knowledge: Knowledge, seed: int) -> Outcome:
        """Search at the decision of a seat."""
        settings = self._settings
        deadline = None if settings.seconds is None else time.monotonic() + settings.seconds
        for number, tree in enumerate(self._trees):
            tree.begin(knowledge, seed, number)
        used, ended = 0, "certain"
        pool = ThreadPoolExecutor(min(settings.workers, len(self._trees)), thread_name_prefix="mextrain")
        with pool:
            while True:
                shares = self._shares(used)
                if not any(shares):
                    ended = "budget"
                    break
                # The first round may compile, which cannot be interrupted in a thread of the pool.
                grow = map if used == 0 or len(self._trees) == 1 else pool.map
                list(grow(_Tree.grow, self._trees, shares))
                used += sum(shares)
                if settings.until is not None and self._is_certain(settings.until):
                    break
                if deadline is not None and time.monotonic() >= deadline:
                    ended = "clock"
                    break
        sums = self._sums()
        best = self._best(sums)
        blocks, nodes = sum(tree.blocks for tree in self._trees), sum(tree.used for tree in self._trees)
        moves = self._trees[0].moves
        line = self._trees[0].line(int(moves[best]))
        return Outcome(moves, sums, best, blocks, used, nodes, ended, line)

    def _shares(self, used: int) -> list[int]:
        """Return how many walks each tree makes in the next round."""
        trees, step = len(self._trees), ROUND * self._settings.block
        budget = self._settings.playouts
        if budget is None:
            return [step] * trees
        left = min(budget - used, step * trees)
        return [left // trees + (number < left % trees) for number in range(trees)]

    def _sums(self) -> Sums:
        total = new_sums(*self._trees[0].sums.points.shape)
        for tree in self._trees:
            for mine, more in zip(total, tree.sums, strict=True):
                mine += more
        return total

    def _best(self, sums: Sums) -> int:
        """Return the move with the most walks; of equal ones, that of the higher mean utility."""
        return int(np.lexsort((sums.value / np.maximum(sums.playouts, 1), sums.playouts))[-1])

    def _is_certain(self, until: float) -> bool:
        sums = self._sums()
        best, n = self._best(sums), sums.playouts
        if n.min() < FEW:
            return False
        mean = sums.value / n
        variance = (sums.value_squares / n - mean * mean) / (n - 1)
        lead, error = mean[best] - mean, np.sqrt(np.maximum(variance + variance[best], 0.0))
        clear = lead > until * error
        clear[best] = True
        return bool(clear.all())


class _Tree:
    """One tree with its own worlds."""

    def __init__(self, rules: RuleSet, settings: Settings) -> None:
        self._bench, self._rules, self._settings = Bench(rules, settings), rules, settings
        most = MAX_NODES if settings.playouts is None else min(settings.playouts + 1, MAX_NODES)
        self._tree = new_tree(most, settings.most_worlds)
        self.used = 1

    def begin(self, knowledge: Knowledge, seed: int, number: int) -> None:
        """Begin a search; the tree has no nodes yet but its root."""
        self.moves, _ = self._bench.open(knowledge, seed)
        self._seed, self._number, self._seat = seed, number, knowledge.seat
        self.sums = new_sums(len(self.moves), self._rules.players)
        clear_tree(self._tree)
        self.used, self.blocks, self._explore = 1, 0, 1.0

    def grow(self, walks: int) -> None:
        """Make so many walks."""
        record, left = self._rules.record, walks
        while left:
            size = self._settings.block if self.blocks < FIRST_BATCHES else self._settings.most_worlds
            count = min(size, left)
            left -= count
            self._bench.sample(block_seed(self._seed, self.blocks, self._number), count)
            walks_of = self._bench.states, 1, count, record, self._explore
            self.used = descend(self._tree, self.used, *walks_of)
            back_up(self._tree, *self._bench.play_out(count), count, self._seat, self.sums)
            self.blocks += 1
            if self.blocks in MEASURED:
                self._measure()

    def _measure(self) -> None:
        """Set the weight of the exploration to EXPLORE standard deviations of the utility so far."""
        n, total, squares = (int(part.sum()) for part in (self.sums.playouts, self.sums.value, self.sums.value_squares))
        self._explore = EXPLORE * float(np.sqrt(max(squares / n - (total / n) ** 2, 0.0)))

    def _children(self, parent: int) -> list[int]:
        found, child = [], int(self._tree.nodes["first"][parent])
        while child >= 0:
            found.append(child)
            child = int(self._tree.nodes["next"][child])
        return found

    def line(self, move: int) -> tuple[int, ...]:
        """Return the codes of the most visited moves after `move`, while they have at least FEW visits."""
        keys, visits = self._tree.nodes["key"], self._tree.nodes["visits"]
        found: list[int] = []
        node = next((child for child in self._children(0) if int(keys[child]) & MOVE_MASK == move), None)
        while node is not None:
            children = self._children(node)
            node = max(children, key=lambda child: int(visits[child]), default=None)
            if node is None or visits[node] < FEW:
                break
            found.append(int(keys[node]) & MOVE_MASK)
        return tuple(found)
