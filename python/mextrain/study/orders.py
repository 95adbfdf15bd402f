"""Counts of finishing orders: all that ratings need to know of the games of a tournament.

The order of a game is a sequence of choices: the first place is chosen from all seats, the second one from the rest,
and so on. A *choice* is who was left and, if several seats share the place, who they are. Seats count by their policy,
so choices are few. They are counted in batches of deals: deal i belongs to batch i modulo `BATCHES`. Batches are
independent, and from their differences follow the intervals. Counts are exact and add up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mextrain.bulk.results import Rounds
from mextrain.game.rules import RuleSet
from mextrain.game.winners import places
from mextrain.study.seatings import Group

BATCHES = 200
"""Number of batches. With fewer deals each is a batch of its own."""

Orders = Mapping[str, tuple[int, ...]]
"""By choice the counts of all batches. A choice is `GROUP:LEFT:TIED`; `decoded` explains the numbers."""


class Choice(NamedTuple):
    """A choice: seats of each policy that were left, and seats of each policy that share the place (0: one seat)."""

    left: tuple[int, ...]
    tied: tuple[int, ...]


def count_orders(
    rules: RuleSet, groups: Sequence[Group], played: Sequence[tuple[tuple[int, ...], Rounds]], first: int
) -> Orders:
    """Return the counts of deals `first`, `first` + 1, … of a tournament, whose games are `played`."""
    games = iter(played)
    counts: dict[str, np.ndarray] = {}
    for number, group in enumerate(groups):
        base = rules.players + 1
        for _ in group.seatings:
            seating, rounds = next(games)
            place = places(rules, rounds.points)
            order = place.argsort(axis=1, kind="stable")
            weights = np.array([base ** group.members.index(policy) for policy in seating], np.int64)[order]
            left = weights[:, ::-1].cumsum(axis=1)[:, ::-1]
            sorted_places = np.take_along_axis(place, order, axis=1)
            rest, after = np.zeros(rounds.games, np.int64), np.full(rounds.games, rules.players)
            batch = (first + np.arange(rounds.games)) % BATCHES
            for stage in reversed(range(rules.players)):
                # A place begins where the next better seat has a better one.
                begins = (sorted_places[:, stage] != sorted_places[:, stage - 1]) if stage else np.full(len(rest), True)
                tied = np.where(after - stage > 1, left[:, stage] - rest, 0)
                _add(counts, number, batch[begins], left[begins, stage], tied[begins])
                rest, after = np.where(begins, left[:, stage], rest), np.where(begins, stage, after)
    return {key: tuple(found.tolist()) for key, found in counts.items()}


def _add(counts: dict[str, np.ndarray], group: int, batch: np.ndarray, left: np.ndarray, tied: np.ndarray) -> None:
    kinds, which = np.unique(np.stack((left, tied), axis=1), axis=0, return_inverse=True)
    for kind, (remain, share) in enumerate(kinds.tolist()):
        found = np.bincount(batch[which.reshape(-1) == kind], minlength=BATCHES)
        key = f"{group}:{remain}:{share}"
        counts[key] = counts[key] + found if key in counts else found


def merged(first: Orders, second: Orders) -> Orders:
    """Return the counts of both."""
    nothing = (0,) * BATCHES
    return {
        key: tuple(a + b for a, b in zip(first.get(key, nothing), second.get(key, nothing), strict=True))
        for key in sorted({*first, *second})
    }


def decoded(key: str, groups: Sequence[Group], policies: int, players: int) -> Choice:
    """Return the choice of a key: LEFT and TIED have a digit for each member, in base players + 1."""
    number, *codes = map(int, key.split(":"))
    sides = []
    for code in codes:
        found = [0] * policies
        for member in groups[number].members:
            code, found[member] = divmod(code, players + 1)
        sides.append(tuple(found))
    return Choice(*sides)
