"""Ratings by the Plackett-Luce model: how likely a seat of one policy finishes ahead of a seat of another.

Each policy has a worth w. The first place falls to each seat with a probability in proportion to its worth, the second
one in the same way among the rest, and so on. So of two seats the first finishes ahead with probability w / (w + v).
With two players this is the model of Bradley and Terry, on which Elo ratings rest. Ratings are 400 · log10 w, with a
mean of 0: a difference of 400 means odds of 10 : 1. If seats share places, all orders of them count alike.

The estimate is that of the greatest likelihood. Its intervals do not take the model, or the games of a deal, for more
than they are: they come from the differences between batches of deals (the "sandwich" of robust statistics).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from mextrain._support.optional import need
from mextrain.bulk.stats import Estimate, Z
from mextrain.errors import MextrainError
from mextrain.study.orders import BATCHES, Choice, Orders, decoded
from mextrain.study.seatings import Group

SCALE = 400 / math.log(10)
"""Rating points of a unit of log worth."""

MOST = 8.0
"""A log worth so far from the mean is not an estimate: the likelihood grows for ever."""


class Rating(NamedTuple):
    """The rating of a policy; higher is better."""

    policy: str
    rating: Estimate


class _Data(NamedTuple):
    """Rows of seats left [rows, policies], how often each occurred in each batch [batches, rows], seats by batch."""

    left: np.ndarray
    counts: np.ndarray
    seats: np.ndarray


def rate(orders: Orders, groups: Sequence[Group], names: Sequence[str], players: int, deals: int) -> list[Rating]:
    """Return the rating of every policy, the best one first.

    Raises `MissingExtra` without SciPy, and `MextrainError` if there is no finite estimate.
    """
    need("scipy", "ratings")
    from scipy import optimize

    data = _data(orders, groups, len(names), players, deals)
    total, seats = data.counts.sum(axis=0), data.seats.sum(axis=0)

    def shares(free: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        logs = np.append(free, 0.0)
        weighted = data.left * np.exp(logs)
        sums = weighted.sum(axis=1)
        return logs, sums, weighted / sums[:, None]

    scale = 1 / total.sum()

    def loss(free: np.ndarray) -> float:
        logs, sums, _ = shares(free)
        return float(scale * (total @ np.log(sums) - seats @ logs))

    def slope(free: np.ndarray) -> np.ndarray:
        found: np.ndarray = scale * (total @ shares(free)[2] - seats)[:-1]
        return found

    def curve(free: np.ndarray) -> np.ndarray:
        found: np.ndarray = scale * _information(total, shares(free)[2])[:-1, :-1]
        return found

    found = optimize.minimize(
        loss, np.zeros(len(names) - 1), jac=slope, hess=curve, method="trust-exact", options={"gtol": 1e-10}
    )
    logs, _, parts = shares(found.x)
    logs = logs - logs.mean()
    if not np.isfinite(logs).all() or np.abs(logs).max() > MOST:
        raise MextrainError(
            "no ratings: a policy finished ahead of all others, or behind them, in every game, so that its rating has "
            "no bound; play more deals"
        )
    errors = _errors(data, total, parts)
    values = (SCALE * logs).tolist()
    ratings = [
        Rating(name, Estimate(value, None, None) if error is None else Estimate(value, value - error, value + error))
        for name, value, error in zip(names, values, errors, strict=True)
    ]
    return sorted(ratings, key=lambda each: -each.rating.value)


def _information(total: np.ndarray, parts: np.ndarray) -> np.ndarray:
    """Return the matrix of second derivatives."""
    weighted = total[:, None] * parts
    found: np.ndarray = np.diag(weighted.sum(axis=0)) - parts.T @ weighted
    return found


def _errors(data: _Data, total: np.ndarray, parts: np.ndarray) -> list[float | None]:
    """Return half the width of the interval of each rating."""
    batches = len(data.counts)
    if batches < 2:
        return [None] * parts.shape[1]
    bread = np.linalg.pinv(_information(total, parts), hermitian=True)
    scores = data.seats - data.counts @ parts
    spread = bread @ (scores.T @ scores) @ bread * (batches / (batches - 1))
    return [SCALE * Z * math.sqrt(max(0.0, value)) for value in np.diag(spread).tolist()]


def _data(orders: Orders, groups: Sequence[Group], policies: int, players: int, deals: int) -> _Data:
    batches = min(deals, BATCHES)
    rows: dict[tuple[int, ...], np.ndarray] = {}
    for key, counts in orders.items():
        for left, weight in _stages(decoded(key, groups, policies, players)):
            found = weight * np.array(counts[:batches], float)
            rows[left] = rows[left] + found if left in rows else found
    seats = np.zeros(policies)
    for group in groups:
        seats[list(group.members)] += group.seats()
    sizes = np.array([len(range(batch, deals, BATCHES)) for batch in range(batches)], float)
    return _Data(np.array(list(rows), float), np.array(list(rows.values())).T, sizes[:, None] * seats)


def _stages(choice: Choice) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yield who is left at each choice, and how often, on average over all orders of the seats that share a place."""
    size = sum(choice.tied)
    if size == 0:
        yield choice.left, 1.0
        return
    for gone in product(*(range(count + 1) for count in choice.tied)):
        if sum(gone) < size:
            ways = math.prod(math.comb(count, part) for count, part in zip(choice.tied, gone, strict=True))
            left = tuple(a - b for a, b in zip(choice.left, gone, strict=True))
            yield left, ways / math.comb(size, sum(gone))
