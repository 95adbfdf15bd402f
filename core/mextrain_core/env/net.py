"""A small net that scores legal actions by their features, and says what points the seats can expect.

Both parts have one or two layers of rectified sums, and a weighted sum of the features themselves. All numbers are
float32, and the sums are made in the order of the features, so a decision does not depend on the batch that it is in.
"""

from typing import Any, NamedTuple

import numpy as np

from mextrain_core.compiler.jit import helper, kernel

u64, f32 = np.uint64, np.float32

U0, U1 = u64(0), u64(1)
F0 = f32(0)


class Weights(NamedTuple):
    """The arrays of a net, all float32. F: features of an action and one more, the hint; G: features of the table."""

    action_in: Any
    """[F, width]."""
    table_in: Any
    """[G, width]."""
    bias: Any
    """[width]."""
    inner: Any
    """[width, inner]."""
    inner_bias: Any
    """[inner]."""
    score: Any
    """[inner]."""
    direct: Any
    """[F]: the weighted sum of the features of an action."""
    value_in: Any
    """[G, width]."""
    value_bias: Any
    """[width]."""
    value_out: Any
    """[width, players]."""
    value_direct: Any
    """[G, players]: the weighted sums of the features of the table."""
    value_mean: Any
    """[players]."""


@helper
def add_rows(given, weights, out):
    """Add the rows of ``weights``, each times the number in ``given``, to ``out``."""
    for k in range(len(given)):
        factor = given[u64(k)]
        if factor != F0:
            for j in range(len(out)):
                out[u64(j)] += factor * weights[u64(k), u64(j)]


@helper
def rectify(out):
    """Replace negative numbers by 0."""
    for j in range(len(out)):
        out[u64(j)] = max(out[u64(j)], F0)


@helper
def score_action(w, features, is_hint, table, x, y):
    """The score (float32) of an action; ``table``: what the table adds to the first layer. Overwrites x and y."""
    for j in range(len(x)):
        x[u64(j)] = table[u64(j)]
    score = F0
    add_rows(features, w.action_in, x)
    for k in range(len(features)):
        score += features[u64(k)] * w.direct[u64(k)]
    if is_hint:
        hint = u64(len(features))
        score += w.direct[hint]
        for j in range(len(x)):
            x[u64(j)] += w.action_in[hint, u64(j)]
    rectify(x)
    for j in range(len(y)):
        y[u64(j)] = w.inner_bias[u64(j)]
    add_rows(x, w.inner, y)
    for j in range(len(y)):
        score += max(y[u64(j)], F0) * w.score[u64(j)]
    return score


@kernel
def score_rows(weights, rows, hints, scores, chosen):
    """Score the legal actions of all tables of ``rows`` (Rows), and choose the best one of each.

    ``weights``: Weights. ``hints``: uint16[N], the row that the hint names at each table. Writes ``scores``
    (float32[rows]) and ``chosen`` (uint16[N]: the first row of the highest score).
    """
    table = np.empty(len(weights.bias), f32)
    x, y = np.empty(len(weights.bias), f32), np.empty(len(weights.inner_bias), f32)
    for index in range(len(chosen)):
        i = u64(index)
        for j in range(len(table)):
            table[u64(j)] = weights.bias[u64(j)]
        add_rows(rows.table[i], weights.table_in, table)
        first, best = u64(rows.offsets[i]), U0
        for k in range(u64(rows.offsets[i + U1]) - first):
            at = first + u64(k)
            scores[at] = score_action(weights, rows.features[at], u64(k) == u64(hints[i]), table, x, y)
            if scores[at] > scores[first + best]:
                best = u64(k)
        chosen[i] = best


@kernel
def value_tables(weights, table, points):
    """Write what the seats can expect, in the units of the net, into ``points`` (float32[N, players]).

    The first column is the seat to decide, and the others follow it clockwise. ``table``: float32[N, G].
    """
    x = np.empty(len(weights.value_bias), f32)
    for index in range(len(points)):
        i = u64(index)
        for j in range(len(x)):
            x[u64(j)] = weights.value_bias[u64(j)]
        add_rows(table[i], weights.value_in, x)
        rectify(x)
        for j in range(points.shape[1]):
            points[i, u64(j)] = weights.value_mean[u64(j)]
        add_rows(x, weights.value_out, points[i])
        add_rows(table[i], weights.value_direct, points[i])
