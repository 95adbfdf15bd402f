"""Integer arguments: accepted only if exact, and never bools, which are ints in Python."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np


def whole(value: Any) -> int | None:
    """Return `value` as an int if it is a Python or NumPy integer, else None. True and 1.0 give None."""
    # Old versions of NumPy accept their own bool as an index.
    if isinstance(value, bool | np.bool_):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None
