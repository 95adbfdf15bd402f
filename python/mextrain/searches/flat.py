"""Flat search: stages of blocks, in which moves that are clearly worse drop out."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from mextrain.game.rules import RuleSet
from mextrain.searches.bench import BLOCK, Bench, Knowledge
from mextrain.searches.outcome import Outcome, block_seed
from mextrain.searches.settings import STAND, Settings
from mextrain_core.search.flat import Sums, tally

WORLDS_PER_CANDIDATE = 25
"""Play-outs for each move that `improve` tries; with a small budget it tries the moves that `counting` likes best."""


def new_sums(moves: int, players: int) -> Sums:
    """Return sums for so many moves, all 0."""
    wide, square = (moves, players), (moves, moves)
    shapes = (moves, wide, wide, moves, moves, moves, square, square)
    return Sums(*(np.zeros(shape, np.int64) for shape in shapes))


class FlatSearch:
    """Flat search for one set of rules; `run` searches at one decision after the other."""

    def __init__(self, rules: RuleSet, settings: Settings) -> None:
        self._rules, self._settings = rules, settings
        self._benches = [Bench(rules, settings) for _ in range(settings.workers)]

    def run(self, knowledge: Knowledge, seed: int) -> Outcome:
        """Search at the decision of a seat."""
        return _Run(self._rules, self._settings, self._benches, knowledge, seed).outcome()


class _Run:
    """One search."""

    def __init__(
        self, rules: RuleSet, settings: Settings, benches: list[Bench], knowledge: Knowledge, seed: int
    ) -> None:
        self._settings, self._benches, self._seed = settings, benches, seed
        self._seat, self._players = knowledge.seat, rules.players
        self._deadline = None if settings.seconds is None else time.monotonic() + settings.seconds
        self._moves, values = benches[0].open(knowledge, seed)
        for bench in benches[1:]:
            bench.share(benches[0])
        self._sums = new_sums(len(self._moves), rules.players)
        self._blocks = self._worlds = self._used = 0
        self._incumbent = int(values.argmax()) if settings.method == "improve" else None
        order = np.argsort(-values, kind="stable")
        self._live = order[: self._candidates()]

    def _candidates(self) -> int:
        """Return how many moves are tried."""
        budget, moves = self._settings.playouts, len(self._moves)
        if budget is None:
            return moves
        if self._settings.method == "improve":
            return min(moves, max(2, budget // WORLDS_PER_CANDIDATE), max(1, budget))
        return min(moves, budget)

    def outcome(self) -> Outcome:
        """Search until a limit is reached or one move is left."""
        stage, ended = 1, "certain"
        while len(self._live) > 1:
            worlds = self._affordable(stage * BLOCK)
            if worlds == 0:
                ended = "budget"
                break
            if not self._play(worlds):
                ended = "clock"
                break
            self._drop()
            stage = max(1, self._worlds // BLOCK)
        return Outcome(self._moves, self._sums, self._best(), self._blocks, self._worlds, 0, ended)

    def _affordable(self, worlds: int) -> int:
        budget = self._settings.playouts
        return worlds if budget is None else min(worlds, (budget - self._used) // len(self._live))

    def _play(self, worlds: int) -> bool:
        """Play a stage; False if the clock ended it."""
        first = self._blocks
        sizes = [min(BLOCK, worlds - start) for start in range(0, worlds, BLOCK)]
        taken = 0
        lock, stop = threading.Lock(), threading.Event()

        def take() -> int | None:
            nonlocal taken
            with lock:
                late = self._deadline is not None and first + taken > 0 and time.monotonic() >= self._deadline
                if taken == len(sizes) or late or stop.is_set():
                    return None
                taken += 1
                return taken - 1

        def work(bench: Bench, sums: Sums) -> None:
            while (number := take()) is not None:
                self._block(bench, sums, first + number, sizes[number])

        threads = min(len(self._benches), len(sizes))
        if threads == 1:
            work(self._benches[0], self._sums)
        else:
            parts = [new_sums(len(self._moves), self._players) for _ in range(threads)]
            with ThreadPoolExecutor(threads, thread_name_prefix="mextrain") as pool:
                try:
                    futures = [pool.submit(work, *each) for each in zip(self._benches, parts, strict=False)]
                    for future in futures:
                        future.result()
                finally:
                    stop.set()
            for part in parts:
                for total, more in zip(self._sums, part, strict=True):
                    total += more
        done = sum(sizes[:taken])
        self._blocks += taken
        self._worlds += done
        self._used += done * len(self._live)
        return taken == len(sizes)

    def _block(self, bench: Bench, sums: Sums, number: int, worlds: int) -> None:
        bench.sample(block_seed(self._seed, number), worlds)
        points, facts = bench.try_moves(self._moves, self._live, worlds)
        scratch = np.empty(len(self._live), np.int64)
        tally(points, facts, worlds, self._live, self._seat, self._settings.utility, sums, scratch)

    def _leader(self) -> int:
        """Return the live move of highest mean utility; of equal ones, that which `counting` likes best."""
        lead = self._sums.less[self._live, self._live[0]]
        return int(self._live[lead.argmax()])

    def _behind(self, best: int) -> tuple[np.ndarray, np.ndarray]:
        """Return by how much each live move is behind `best` in one world, and the standard error."""
        n = self._worlds
        less, squares = self._sums.less[best, self._live], self._sums.less_squares[best, self._live]
        mean = less / n
        spread = np.maximum(squares - less * mean, 0.0)
        return mean, np.sqrt(spread / (n * max(n - 1, 1)))

    def _drop(self) -> None:
        """Drop the moves that are clearly worse than the best, and those that are just like it."""
        settings = self._settings
        if settings.drop is None or self._worlds < BLOCK:
            return
        best = self._leader()
        mean, error = self._behind(best)
        limit = settings.drop if settings.until is None else max(settings.drop, settings.until)
        keep = mean <= limit * error
        keep &= self._sums.less_squares[best, self._live] != 0
        if self._incumbent is not None:
            # It stands unless another is better by STAND errors, so it must stay to be compared with.
            keep |= (self._live == self._incumbent) & (mean <= max(STAND, limit) * error)
        keep |= self._live == best
        self._live = self._live[keep]

    def _best(self) -> int:
        best, incumbent = self._leader(), self._incumbent
        if incumbent is None or best == incumbent or incumbent not in self._live or self._worlds == 0:
            return best
        mean, error = self._behind(best)
        at = self._live == incumbent
        return best if mean[at][0] > STAND * error[at][0] else incumbent
