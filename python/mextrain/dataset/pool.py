"""Replays the rounds of a window of row groups into pools of decisions, which are shuffled and cut into batches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from mextrain.archive.engines import engine_codes
from mextrain.archive.read_rows import RowGroup, starters_of
from mextrain.bulk.results import ENDS, FIELDS
from mextrain.dataset.batch import DecisionBatch
from mextrain.dataset.selection import Part, Selection
from mextrain.errors import ArchiveError
from mextrain.game.rules import RuleSet
from mextrain_core.bulk.replay import Recorded
from mextrain_core.bulk.samples import Samples, replay_decisions
from mextrain_core.model.state import new_states


class Order(NamedTuple):
    """Settings that determine what a pool yields: sizes, offsets of observation sections, and a generator or None."""

    batch_size: int
    pool: int
    layout: np.ndarray
    words: int
    random: np.random.Generator | None


@dataclass(frozen=True, eq=False)
class Rounds:
    """The rounds of a window; every array has one element per round.

    `actions[offsets[k] : offsets[k + 1]]` are the moves of round k. `points`, `winner`, `ending` and `starter` are the
    values in the archive. `starters` are the starters that the rules name, NONE where the stream draws them.
    """

    seeds: np.ndarray
    games: np.ndarray
    numbers: np.ndarray
    engines: np.ndarray
    starters: np.ndarray
    offsets: np.ndarray
    actions: np.ndarray
    points: np.ndarray
    winner: np.ndarray
    ending: np.ndarray
    starter: np.ndarray

    @classmethod
    def read(cls, selection: Selection, parts: list[Part], rules: RuleSet) -> Rounds:
        """Return the rounds of the given parts. Raises `ArchiveError`."""
        groups = [selection.read(part) for part in parts]
        numbers = _column(groups, "round")
        seeds = [np.full(len(rows), part.shard.job.seed, np.uint64) for part, rows in zip(parts, groups, strict=True)]
        lengths = np.concatenate([np.diff(rows.offsets) for rows in groups])
        return cls(
            seeds=np.concatenate(seeds),
            games=_column(groups, "game"),
            numbers=numbers,
            engines=engine_codes(rules)[numbers],
            starters=np.concatenate([starters_of(rows, rules) for rows in groups]),
            offsets=np.concatenate([[0], np.cumsum(lengths)]),
            actions=np.concatenate([rows.actions[rows.offsets[0] : rows.offsets[-1]] for rows in groups]),
            points=np.concatenate([rows.points for rows in groups]),
            winner=_column(groups, "winner"),
            ending=np.concatenate([rows.codes("ending", ENDS) for rows in groups]).astype(np.uint8),
            starter=_column(groups, "starter"),
        )

    def which(self, row: int) -> str:
        """Return a text that identifies the round in a row."""
        return f"round {self.numbers[row]} of game {self.games[row]}, seed {self.seeds[row]}"

    def compare(self, rows: np.ndarray, points: np.ndarray, facts: np.ndarray) -> None:
        """Raise `ArchiveError` unless the moves of these rows lead to the values in the archive."""
        right = {"points": points, **{name: facts[:, FIELDS.index(name)] for name in ("winner", "end", "starter")}}
        stored = {"points": self.points, "winner": self.winner, "end": self.ending, "starter": self.starter}
        for name, expected in right.items():
            wrong = (stored[name][rows] != expected).reshape(len(rows), -1).any(axis=1)
            if wrong.any():
                row = rows[int(wrong.argmax())]
                raise ArchiveError(f"{self.which(row)} does not lead to its {name}: mextrain check says more")


def _column(groups: list[RowGroup], name: str) -> np.ndarray:
    return np.concatenate([rows.columns[name] for rows in groups])


class Pool:
    """Replays rounds into pools of decisions and cuts them into batches; `rest` is kept for the next pool."""

    def __init__(self, rules: RuleSet, order: Order) -> None:
        self._rules, self._order = rules, order
        self._states = new_states(1)
        self.rest = self._empty(0)

    def _empty(self, size: int) -> DecisionBatch:
        rules = self._rules
        return DecisionBatch(
            observation=np.empty((size, self._order.words), np.uint64),
            mask=np.empty((size, (rules.action_count + 63) // 64), np.uint64),
            action=np.empty(size, np.uint16),
            seat=np.empty(size, np.uint8),
            points=np.empty((size, rules.players), np.int64),
            game=np.empty(size, np.uint64),
            round=np.empty(size, np.uint8),
            step=np.empty(size, np.uint16),
            winner=np.empty(size, np.int8),
            ending=np.empty(size, np.uint8),
        )

    def batches(self, rounds: Rounds) -> Iterator[DecisionBatch]:
        """Yield the full batches made from these rounds and from the decisions left over before."""
        count, random, batch_size = len(rounds.games), self._order.random, self._order.batch_size
        order = np.arange(count) if random is None else random.permutation(count)
        ends = np.cumsum(np.diff(rounds.offsets)[order])
        first = done = 0
        while first < count:
            last = int(np.searchsorted(ends, done + self._order.pool)) + 1
            decisions = int(ends[min(last, count) - 1]) - done
            pool = self._replay(rounds, order[first:last], decisions)
            full = len(pool) - len(pool) % batch_size
            for start in range(0, full, batch_size):
                yield pool.part(start, start + batch_size)
            self.rest = pool.part(full, len(pool))
            first, done = last, done + decisions

    def _replay(self, rounds: Rounds, rows: np.ndarray, decisions: int) -> DecisionBatch:
        """Return the decisions of these rounds together with those left over before, in random order."""
        size, players, random = len(self.rest) + decisions, self._rules.players, self._order.random
        places = np.arange(size) if random is None else random.permutation(size)
        kept, places = places[: len(self.rest)], places[len(self.rest) :]
        pool = self._empty(size)
        sources = np.zeros(size, np.int64)
        points, facts = np.empty((len(rows), players), np.int64), np.empty((len(rows), len(FIELDS)), np.int32)
        done = replay_decisions(
            self._states,
            0,
            self._rules.record,
            rows,
            rounds.seeds,
            Recorded(rounds.games, rounds.engines, rounds.starters, rounds.offsets, rounds.actions),
            self._order.layout,
            places,
            Samples(pool.observation, pool.mask, pool.action, pool.seat, sources, pool.step, points, facts),
        )
        if done < len(rows):
            raise ArchiveError(f"{rounds.which(rows[done])} cannot be replayed: mextrain check says why")
        rounds.compare(rows, points, facts)
        for source, out in (
            (rounds.games, pool.game),
            (rounds.numbers, pool.round),
            (rounds.winner, pool.winner),
            (rounds.ending, pool.ending),
        ):
            np.take(source, sources, out=out)
        turned = (pool.seat[:, None] + np.arange(players)) % players
        pool.points[:] = rounds.points[sources[:, None], turned]
        for field in fields(pool):
            getattr(pool, field.name)[kept] = getattr(self.rest, field.name)
        return pool
