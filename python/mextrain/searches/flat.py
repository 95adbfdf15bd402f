"""Flat search: stages of blocks, each as large as all before it, in which moves that are clearly worse drop out."""

from __future__ import annotations

import math
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from mextrain.game.rules import RuleSet
from mextrain.searches.bench import Bench, Knowledge
from mextrain.searches.outcome import Outcome, block_seed
from mextrain.searches.settings import BLOCK, STAND, Settings
from mextrain_core.search.flat import Sums, tally
from mextrain_core.search.stages import choose_move, narrow

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
        self._block_size = settings.block
        self._limit = settings.drop
        if self._limit is not None and settings.until is not None:
            self._limit = max(self._limit, settings.until)
        self._incumbent = int(values.argmax()) if settings.method == "improve" else -1
        self._live = np.argsort(-values, kind="stable")[: self._candidates()]

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
        ended = "certain"
        while len(self._live) > 1:
            worlds = self._affordable(max(self._block_size, self._worlds))
            if worlds == 0:
                ended = "budget"
                break
            if not self._play(worlds):
                ended = "clock"
                break
            if self._limit is not None and self._worlds >= self._block_size:
                rule = self._limit, self._incumbent, max(STAND, self._limit)
                self._live = self._live[: narrow(self._sums, self._live, self._worlds, *rule)]
        # The more worlds, the less the opinion of `counting` counts against what was seen.
        stand = STAND * math.sqrt(BLOCK / max(self._worlds, 1))
        best = choose_move(self._sums, self._live, self._worlds, self._incumbent, stand)
        return Outcome(self._moves, self._sums, best, self._blocks, self._worlds, 0, ended)

    def _affordable(self, worlds: int) -> int:
        budget = self._settings.playouts
        return worlds if budget is None else min(worlds, (budget - self._used) // len(self._live))

    def _play(self, worlds: int) -> bool:
        """Play a stage; False if the clock ended it."""
        first = self._blocks
        large = self._settings.most_worlds
        size = large if worlds >= large else self._block_size
        sizes = [min(size, worlds - start) for start in range(0, worlds, size)]
        if len(self._benches) == 1 or len(sizes) == 1:
            taken = 0
            while taken < len(sizes) and not self._is_late(first + taken):
                self._block(self._benches[0], self._sums, first + taken, sizes[taken])
                taken += 1
        else:
            taken = self._play_on_threads(first, sizes)
        self._blocks += taken
        done = sum(sizes[:taken])
        self._worlds += done
        self._used += done * len(self._live)
        return taken == len(sizes)

    def _is_late(self, block: int) -> bool:
        """Whether the time is up; the first block is always played."""
        return self._deadline is not None and block > 0 and time.monotonic() >= self._deadline

    def _play_on_threads(self, first: int, sizes: list[int]) -> int:
        """Play blocks until all are played or the time is up; returns their number. The first ones are played."""
        taken = 0
        lock, stop = threading.Lock(), threading.Event()

        def take() -> int | None:
            nonlocal taken
            with lock:
                if taken == len(sizes) or self._is_late(first + taken) or stop.is_set():
                    return None
                taken += 1
                return taken - 1

        def work(bench: Bench, sums: Sums) -> None:
            while (number := take()) is not None:
                self._block(bench, sums, first + number, sizes[number])

        parts = [new_sums(len(self._moves), self._players) for _ in self._benches[: len(sizes)]]
        with ThreadPoolExecutor(len(parts), thread_name_prefix="mextrain") as pool:
            try:
                futures = [pool.submit(work, *each) for each in zip(self._benches, parts, strict=False)]
                for future in futures:
                    future.result()
            finally:
                stop.set()
        for part in parts:
            for total, more in zip(self._sums, part, strict=True):
                total += more
        return taken

    def _block(self, bench: Bench, sums: Sums, number: int, worlds: int) -> None:
        bench.sample(block_seed(self._seed, number), worlds)
        played = bench.try_moves(self._moves, self._live, worlds)
        scratch = np.empty(len(self._live), np.int64)
        tally(*played, worlds, self._live, self._seat, sums, scratch)
