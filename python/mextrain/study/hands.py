"""Statistics of first hands: hands that cannot start, and the best trains (docs/statistics.md).

The hands of one deal are drawn from the same tiles, so the deal is the unit of observation: quantities are summed over
the seats of a deal, and the interval of a mean is mean ± 1.96 · s / √deals. All sums are exact integers
(`mextrain.bulk.stats`).
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from mextrain._support.html import html_table
from mextrain.bulk.simulate import (
    Interrupted,
    Progress,
    check_games,
    check_progress,
    check_workers,
    interruptible,
    run_threads,
)
from mextrain.bulk.stats import Estimate, Sum, bar, exact_sums, flat_row, number_text, percent_text
from mextrain.game.rules import RuleSet, check_rules
from mextrain.game.seeding import check_game, check_seed
from mextrain.study.planner import FIRST_HAND_FIELDS, check_goal, first_hands

METHOD = (
    "95 % intervals; the deal is the unit (standard error between deals); normal for means, "
    "Wilson with the effective number of trials for shares"
)

SLICE_HANDS = 20_000
"""Hands that a thread plans before it checks whether to stop."""


def cannot_start(rules: RuleSet) -> Fraction:
    """Return the exact share of first hands without a tile for the first engine.

    A hand of n tiles is drawn from the set without the engine. Tiles with the engine's number fit, and so do tiles with
    a `*` half; on the engine `*-*` every tile fits. So the share is hypergeometric.
    """
    check_rules(rules)
    engine = rules.engines[0].high
    others = [tile for tile in rules.tiles if tile != rules.engines[0]]
    unfit = sum(not {engine, "*"} & set(tile.halves) for tile in others) if engine != "*" else 0
    return Fraction(math.comb(unfit, rules.hand_size), math.comb(len(others), rules.hand_size))


@dataclass(frozen=True, repr=False)
class HandSummary:
    """The best trains of the first hands of the games `first_game` … `first_game + deals - 1` of `seed`.

    `goal`: what the trains maximise (docs/planner.md). `sums`: by name, exact sums over deals: of tiles, points and
    points left (one each), and of hands by length of the train (one for 0 … `hand_size` tiles). `unproved`: number of
    hands whose train is the best found, without a proof.
    """

    rules: RuleSet
    goal: str
    seed: int
    first_game: int
    deals: int
    sums: Mapping[str, tuple[Sum, ...]]
    unproved: int

    @property
    def hands(self) -> int:
        """Number of hands: one for each seat of each deal."""
        return self.deals * self.rules.players

    def cannot_start(self) -> Estimate:
        """Share of hands without a tile for the engine; `cannot_start(rules)` gives the exact value."""
        return self.lengths()[0]

    def whole_hand(self) -> Estimate:
        """Share of hands whose train uses all tiles."""
        return self.lengths()[-1]

    def lengths(self) -> list[Estimate]:
        """Share of hands by number of tiles in the train, 0 … `hand_size`; they sum to 1."""
        return [each.share(self.deals, self.rules.players) for each in self.sums["lengths"]]

    def tiles(self) -> Estimate:
        """Mean number of tiles in the train."""
        return self._mean("tiles")

    def points(self) -> Estimate:
        """Mean points of the tiles in the train."""
        return self._mean("points")

    def left_points(self) -> Estimate:
        """Mean points of the tiles that are not in the train."""
        return self._mean("left_points")

    def _mean(self, name: str) -> Estimate:
        return self.sums[name][0].mean(self.deals, self.rules.players)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a JSON object; every estimate has value, low and high."""
        return {
            "rules": self.rules.to_dict(),
            "goal": self.goal,
            "seed": self.seed,
            "first_game": self.first_game,
            "deals": self.deals,
            "hands": self.hands,
            "method": METHOD,
            "cannot_start_share": {**self.cannot_start().to_dict(), "exact": float(cannot_start(self.rules))},
            "whole_hand_share": self.whole_hand().to_dict(),
            "tiles": self.tiles().to_dict(),
            "points": self.points().to_dict(),
            "left_points": self.left_points().to_dict(),
            "length_shares": [each.to_dict() for each in self.lengths()],
            "unproved": self.unproved,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a dict for each length of the train, for a data frame: `length`, and its `share` with low and high."""
        return [flat_row({"length": length, "share": share}) for length, share in enumerate(self.lengths())]

    def __repr__(self) -> str:
        rules = self.rules
        return f"<HandSummary of {self.hands:,} hands: {rules.tile_set}, {rules.hand_size} tiles each, {self.goal}>"

    def _repr_html_(self) -> str:
        rows = (
            ("cannot start", percent_text(self.cannot_start())),
            ("whole hand", percent_text(self.whole_hand())),
            ("tiles laid", number_text(self.tiles())),
            ("points laid", number_text(self.points())),
            ("points left", number_text(self.left_points())),
            ("not proved", f"{self.unproved:,} hands"),
        )
        what = f"the {_ADJECTIVES[self.goal]} of {self.hands:,} hands; (…) are 95 % intervals"
        return html_table(f"{self.rules.describe()}: {what}", ("", self.goal), rows)

    def __str__(self) -> str:
        lengths = self.lengths()
        longest = max(each.value for each in lengths)
        exact = float(100 * cannot_start(self.rules))
        lines = [
            f"{self.rules.tile_set}, {self.rules.hand_size} tiles each, {self.rules.players} players, "
            f"engine {self.rules.engines[0]}: the {_ADJECTIVES[self.goal]} of each hand",
            f"{self.deals:,} deals, {self.hands:,} hands; (…) are 95 % intervals, a deal being the unit",
            "",
            f"cannot start        {percent_text(self.cannot_start())}; by counting {exact:.4f} %",
            f"laid completely     {percent_text(self.whole_hand())}",
            f"tiles laid          {number_text(self.tiles())}",
            f"points laid         {number_text(self.points())}",
            f"points left         {number_text(self.left_points())}",
            f"not proved          {self.unproved:,} hands",
            "",
            "tiles laid  share of the hands",
        ]
        for length, share in enumerate(lengths):
            lines.append(f"{length:>10}  {percent_text(share):<27}{bar(share.value, longest)}".rstrip())
        return "\n".join(lines)


_ADJECTIVES = {"longest": "longest train", "heaviest": "heaviest train", "finish": "best two trains"}


@interruptible()
def survey_hands(
    rules: RuleSet,
    *,
    games: int,
    seed: int = 0,
    goal: str = "longest",
    workers: int | None = 1,
    first_game: int = 0,
    progress: Progress | None = None,
) -> HandSummary:
    """Plan every hand dealt in the first round of `games` games of `seed`, and return summary statistics.

    `goal`: `longest`, `heaviest` or `finish` (docs/planner.md). The result does not depend on `workers`; memory does
    not grow with the number of games. `progress` is called with (games planned, games wanted), a few times per second.

    Ctrl-C raises `Interrupted` with the summary of the games planned so far. Raises `SeedError` or `MextrainError` for
    arguments out of range.
    """
    check_rules(rules)
    check_progress(progress)
    check_goal(goal)
    seed, first_game = check_seed(seed), check_game(first_game, "first_game")
    games, workers = check_games(games, first_game), check_workers(workers)
    # A pool thread cannot be interrupted while it compiles, so compile here.
    first_hands(rules, 1, goal=goal)
    job = _Job(rules, goal, seed, first_game, games)
    interrupted = run_threads(job.work, min(workers, games), job.stop, lambda: progress and progress(job.done, games))
    if interrupted:
        raise Interrupted(job.result() if job.done else None)
    if progress:
        progress(games, games)
    return job.result()


class _Job:
    """The games of one survey, assigned to threads in order, slice by slice."""

    def __init__(self, rules: RuleSet, goal: str, seed: int, first_game: int, games: int) -> None:
        self.stop = threading.Event()
        self.done = 0
        self._rules, self._goal, self._seed, self._first_game, self._games = rules, goal, seed, first_game, games
        self._step = max(1, SLICE_HANDS // rules.players)
        self._lock = threading.Lock()
        self._next = 0
        self._unproved = 0
        self._sums: dict[str, tuple[Sum, ...]] = {}

    def work(self) -> None:
        """Plan slices until none are left or a stop is requested."""
        while not self.stop.is_set():
            with self._lock:
                start = self._next
                self._next = stop = min(start + self._step, self._games)
            if start == stop:
                return
            columns = first_hands(self._rules, stop - start, self._seed, self._first_game + start, self._goal)
            sums = _sums(columns, self._rules.hand_size)
            with self._lock:
                self.done += stop - start
                self._unproved += int((columns[..., FIRST_HAND_FIELDS.index("proved")] == 0).sum())
                self._sums = {
                    name: tuple(a.plus(b) for a, b in zip(self._sums[name], each, strict=True)) if self._sums else each
                    for name, each in sums.items()
                }

    def result(self) -> HandSummary:
        """Return the summary of the games planned so far: always the first ones, since slices are assigned in order."""
        return HandSummary(
            self._rules, self._goal, self._seed, self._first_game, self.done, self._sums, self._unproved
        )


def _sums(columns: np.ndarray, hand_size: int) -> dict[str, tuple[Sum, ...]]:
    """Return the exact sums over deals of the results of `first_hands`."""
    tiles = columns[..., FIRST_HAND_FIELDS.index("tiles")]
    sums = {
        name: exact_sums(columns[..., FIRST_HAND_FIELDS.index(name)].sum(axis=1, dtype=np.int64)[:, None])
        for name in ("tiles", "points", "left_points")
    }
    return sums | {"lengths": exact_sums((tiles[:, :, None] == np.arange(hand_size + 1)).sum(axis=1))}
