"""Whole numbers as callers give them: exact, and without the bools that Python counts among them."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np


def whole(value: Any) -> int | None:
    """Return `value` as an int if it is an integer of Python or NumPy, else None; True and 1.0 are not."""
    # Old versions of NumPy take their own bool for an index.
    if isinstance(value, bool | np.bool_):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None
