"""When a tournament may stop by itself: an interval that is narrow enough, or a sequential test.

Both look at the exact sums after every deal, in the order of deals. So they stop at the same deal whatever the number
of workers and however deals are played together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mextrain.bulk.stats import Sum
from mextrain.errors import MextrainError, shown

FIRST_LOOK = 50
"""Deals before which nothing stops: with fewer, the spread between deals is not known well enough."""


@dataclass(frozen=True)
class StopRule:
    """When a tournament stops. `until`: width of an interval, in points a round, or None. `test`: two bounds, or None.

    With `until` it stops when the 95 % interval of the difference between every two policies is narrower.

    The test needs two policies. It decides between "the first one gains `test[0]` points a round or less on the second
    one" and "it gains `test[1]` or more", and wrongly accepts either with a probability of about `error` at most. It is
    a generalized sequential probability ratio test: the differences of the deals are taken as normal, with a spread
    that is estimated for each hypothesis.

    Raises `MextrainError` for numbers that cannot be meant.
    """

    until: float | None = None
    test: tuple[float, float] | None = None
    error: float = 0.05

    def __post_init__(self) -> None:
        until, test, error = self.until, self.test, self.error
        if until is not None and not (_number(until) and until > 0):
            raise MextrainError(f"until = {shown(until)}: expected None or a width in points a round, more than 0")
        if not (_number(error) and 0 < error < 0.5):
            raise MextrainError(f"error = {shown(error)}: expected a probability, more than 0 and less than 0.5")
        object.__setattr__(self, "error", float(error))
        object.__setattr__(self, "until", None if until is None else float(until))
        if test is None:
            return
        if not (isinstance(test, (tuple, list)) and len(test) == 2 and all(map(_number, test)) and test[0] < test[1]):
            expected = "expected None or two bounds in points a round, the lower one first"
            raise MextrainError(f"test = {shown(test)}: {expected}")
        object.__setattr__(self, "test", (float(test[0]), float(test[1])))

    def __bool__(self) -> bool:
        return self.until is not None or self.test is not None

    @property
    def bound(self) -> float:
        """The log likelihood ratio at which the test ends, up or down."""
        return math.log((1 - self.error) / self.error)

    def ratio(self, difference: Sum, deals: int, per_deal: int) -> float:
        """Return the log likelihood ratio of the second hypothesis to the first.

        `difference`: points of the first policy less those of the second, `per_deal` times a round of two seats.
        """
        assert self.test is not None
        mean = -difference.total / (deals * per_deal)
        variance = (deals * difference.squares - difference.total**2) / (deals * per_deal) ** 2
        low, high = (variance + (mean - bound) ** 2 for bound in self.test)
        if low == 0 or high == 0:
            return -math.inf if low == 0 else math.inf
        return deals / 2 * math.log(low / high)

    def verdict(self, difference: Sum, deals: int, per_deal: int) -> int | None:
        """Return the hypothesis that the test accepts, 0 or 1; None if it goes on."""
        if self.test is None or deals < FIRST_LOOK:
            return None
        ratio = self.ratio(difference, deals, per_deal)
        return None if abs(ratio) < self.bound else int(ratio > 0)

    def reached(self, differences: Sequence[Sum], deals: int, per_deal: Sequence[int]) -> bool:
        """Whether to stop after `deals` deals with these sums of the differences of all pairs."""
        if deals < FIRST_LOOK:
            return False
        pairs = list(zip(differences, per_deal, strict=True))
        if self.until is not None:
            means = [each.mean(deals, units) for each, units in pairs]
            if all(mean.high is not None and mean.high - mean.value < self.until / 2 for mean in means):
                return True
        return self.verdict(*pairs[0][:1], deals, pairs[0][1]) is not None

    def within(self, before: Sequence[Sum], deals: int, new: np.ndarray, per_deal: Sequence[int]) -> int | None:
        """Return how many of the `new` deals [deals, pairs] are played until the stop; None if it is not reached."""
        if not self:
            return None
        sums = list(before)
        for number, row in enumerate(new.tolist(), 1):
            sums = [each.plus(Sum(value, value * value)) for each, value in zip(sums, row, strict=True)]
            if self.reached(sums, deals + number, per_deal):
                return number
        return None


def check_stop(stop: object, policies: int) -> StopRule:
    """Return the rule, or one that never stops for None. Raises `MextrainError`."""
    if stop is None:
        return StopRule()
    if not isinstance(stop, StopRule):
        raise MextrainError(f"stop = {shown(stop)}: expected None or a StopRule")
    if stop.test is not None and policies != 2:
        raise MextrainError(f"stop has a test, which needs two policies, not {policies}")
    return stop


def _number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
