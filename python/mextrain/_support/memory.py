"""Arrays whose size a user asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mextrain.errors import MextrainError


@contextmanager
def room_for(name: str, count: int, instead: str) -> Iterator[None]:
    """Turn NumPy's errors about an array that is too large into a `MextrainError`.

    `name` and `count` are the argument and its value, `instead` says what to do.
    """
    try:
        yield
    except MextrainError:
        raise
    except (MemoryError, ValueError):
        raise MextrainError(f"{name} = {count:,}: so many do not fit into memory, {instead}") from None
