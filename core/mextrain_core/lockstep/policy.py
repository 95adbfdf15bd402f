"""Which of the legal plays a built-in policy makes, written as lane code (``policies.choose`` for one game)."""

from typing import Any

from mextrain_core.lockstep import lanes


class Choice:
    """A play of each lane: ``row`` holds the candidates on the train, ``k`` which of them; the other fields are one-hot."""

    def __init__(self, plays: Any, train: Any, touch: Any, new: Any):
        self.plays = plays
        """Mask: a tile is played."""
        self.train = train
        self.touch = touch
        self.new = new


def choose_random(w: Any, ends: list[Any], rows: list[Any], may_stop: Any, words: tuple[Any, Any]) -> tuple[Choice, Any]:
    """Uniform over the plays and ``stop``; also returns the number of plays.

    ``rows[t]``: the halves that may be laid on train t; ``may_stop``: 1 or 0, or None for never.
    """
    upto = []
    total = None
    for row in rows:
        total = row.count() if total is None else total + row.count()
        upto.append(total)
    k = lanes.below(*words, total if may_stop is None else total + may_stop)
    row, base, touch, train = rows[0], w.const(0), ends[0], w.const(1)
    for t in range(len(rows) - 1):
        beyond = k >= upto[t]
        row, base = beyond.pick(rows[t + 1], row), beyond.pick(upto[t], base)
        touch, train = beyond.pick(ends[t + 1], touch), beyond.pick(2 << t, train)
    return Choice(k < total, train, touch, lanes.kth_one(row, k - base)), total
