"""Turns the sums of a search into means, losses and standard errors."""

from __future__ import annotations

import math

from mextrain.game.moves import Move
from mextrain.game.rules import RuleSet
from mextrain.searches.outcome import Outcome
from mextrain.searches.result import MoveResult
from mextrain.searches.settings import Settings
from mextrain_core.search.utility import unit_of


def move_results(rules: RuleSet, outcome: Outcome, settings: Settings) -> list[MoveResult]:
    """Return the result of every legal move, the best first, then by loss; those without play-outs come last."""
    scale = settings.scale
    unit = unit_of(settings.utility, rules.players, scale)
    losses = _in_trees if settings.method == "tree" else _in_shared_worlds
    found = []
    for index, code in enumerate(outcome.moves.tolist()):
        move = Move.from_code(code)
        n = int(outcome.sums.playouts[index])
        totals, squares = outcome.sums.points[index].tolist(), outcome.sums.squares[index].tolist()
        means = [_mean(total, square, n) for total, square in zip(totals, squares, strict=True)]
        loss, error = losses(outcome, index)
        found.append(
            MoveResult(
                move,
                rules.actions.text(move),
                n,
                tuple(mean / scale for mean, _ in means),
                tuple(error / scale for _, error in means),
                None if loss is None else loss / unit,
                None if error is None else error / unit,
                int(outcome.sums.out[index]) / n if n else math.nan,
            )
        )
    best = found[outcome.best]
    return sorted(found, key=lambda each: (each is not best, math.inf if each.loss is None else each.loss))


def _mean(total: int, squares: int, n: int) -> tuple[float, float]:
    """Return the mean of n numbers and its standard error, NaN where there are too few."""
    if n == 0:
        return math.nan, math.nan
    if n == 1:
        return float(total), math.nan
    # Exact integers up to the division: no digits are lost.
    return total / n, math.sqrt(max(n * squares - total * total, 0) / (n * n * (n - 1)))


def _in_shared_worlds(outcome: Outcome, index: int) -> tuple[float | None, float | None]:
    """Return the loss against the best move over the worlds in which both were tried, and its error."""
    sums, best = outcome.sums, outcome.best
    n = min(int(sums.playouts[best]), int(sums.playouts[index]))
    if index == best:
        return 0.0, 0.0
    mean, error = _mean(int(sums.less[best, index]), int(sums.less_squares[best, index]), n)
    return _none(mean), _none(error)


def _in_trees(outcome: Outcome, index: int) -> tuple[float | None, float | None]:
    """Return the loss against the best move and its error, which are not paired: every walk has its own world."""
    if index == outcome.best:
        return 0.0, 0.0
    sums = outcome.sums
    (best, best_error), (mine, my_error) = (
        _mean(int(sums.value[k]), int(sums.value_squares[k]), int(sums.playouts[k])) for k in (outcome.best, index)
    )
    return _none(best - mine), _none(math.hypot(best_error, my_error))


def _none(value: float) -> float | None:
    return None if math.isnan(value) else value
