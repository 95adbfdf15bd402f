"""Who wins a match: totals, and the option `tie_break` (docs/rules.md, section 9)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mextrain.game.rules import RuleSet


def ranking(rules: RuleSet, points: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Return the seats by their totals, lowest first; seats that tie share a place.

    `points` holds the points by seat of each round. What decides between the lowest totals decides between others too.
    """
    by_seat = list(zip(*points, strict=True)) if points else [()] * rules.players
    keys = [_key(rules, rounds) for rounds in by_seat]
    return tuple(tuple(seat for seat, own in enumerate(keys) if own == key) for key in sorted(set(keys)))


def _key(rules: RuleSet, rounds: Sequence[int]) -> tuple[int, ...]:
    """What a seat's place depends on; less is better."""
    if rules.tie_break == "shared":
        return (sum(rounds),)
    others = [points for points in rounds if points]
    return sum(rounds), -rounds.count(0), min(others, default=0)


def winners(rules: RuleSet, points: np.ndarray) -> np.ndarray:
    """Return which seats win each match, alone or together: bool[games, players].

    `points`: int64[games, rounds, players].
    """
    totals = points.sum(axis=1)
    found: np.ndarray = totals == totals.min(axis=1, keepdims=True)
    if rules.tie_break == "zeros":
        found = _best(found, -(points == 0).sum(axis=1))
        found = _best(found, np.where(points == 0, points.max(initial=0) + 1, points).min(axis=1))
    return found


def _best(among: np.ndarray, less_is_better: np.ndarray) -> np.ndarray:
    """Return which seats have the lowest number of those in `among`: bool[games, players]."""
    worst = less_is_better.max(initial=0)
    lowest = np.where(among, less_is_better, worst).min(axis=1, keepdims=True)
    found: np.ndarray = among & (less_is_better == lowest)
    return found


def places(rules: RuleSet, points: np.ndarray) -> np.ndarray:
    """Return the place of each seat, from 0; seats that tie share the better place: int64[games, players].

    `points`: int64[games, rounds, players]. The order is that of `ranking`.
    """
    keys = [points.sum(axis=1)]
    if rules.tie_break == "zeros":
        others = np.where(points == 0, points.max(initial=0) + 1, points).min(axis=1)
        keys += [-(points == 0).sum(axis=1), others]
    ahead = np.zeros((len(points), points.shape[2], points.shape[2]), np.bool_)
    for key in reversed(keys):
        one, other = key[:, :, None], key[:, None, :]
        ahead = (one < other) | ((one == other) & ahead)
    found: np.ndarray = ahead.sum(axis=1)
    return found
