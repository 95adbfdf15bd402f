"""Two moves of a decision compared in the same worlds, with as many play-outs for each."""

from __future__ import annotations

import math

import numpy as np

from mextrain.bulk.seat_policies import Seats
from mextrain.game.moves import Move
from mextrain.hidden.knowledge import PublicRecord
from mextrain.position import Position
from mextrain.searches.bench import Bench, Knowledge
from mextrain.searches.flat import new_sums
from mextrain.searches.outcome import block_seed
from mextrain.searches.settings import BLOCK, Settings
from mextrain_core.search.flat import tally
from mextrain_core.search.utility import unit_of


class Duels:
    """Compares moves under one set of rules; holds its memory between decisions."""

    def __init__(self, position: Position, seats: Seats, utility: int) -> None:
        self._unit = unit_of(utility, position.rules.players)
        self._players = position.rules.players
        self._bench = Bench(position.rules, Settings("flat", None, seats.ids, seats.addresses, utility))

    def loss(self, position: Position, move: Move, best: Move, worlds: int, seed: int) -> tuple[float, float]:
        """Return by how much the utility of `move` is below that of `best`, and the standard error of that.

        `worlds` is rounded up to blocks. Negative if `move` did better.
        """
        seat = position.seat
        assert seat is not None
        public, bench = PublicRecord(position), self._bench
        log = public.log, len(public.log)
        codes, _ = bench.open(Knowledge(position._states, 0, public.tables, public.evidence, *log, seat), seed)
        live = np.array([codes.tolist().index(each.code) for each in (best, move)])
        sums, scratch = new_sums(len(codes), self._players), np.empty(2, np.int64)
        blocks = -(-worlds // BLOCK)
        for block in range(blocks):
            bench.sample(block_seed(seed, block), BLOCK)
            tally(*bench.try_moves(codes, live, BLOCK), BLOCK, live, seat, sums, scratch)
        n = blocks * BLOCK
        total, squares = int(sums.less[live[0], live[1]]), int(sums.less_squares[live[0], live[1]])
        error = math.sqrt((n * squares - total * total) / (n * n * (n - 1)))
        return total / n / self._unit, error / self._unit
