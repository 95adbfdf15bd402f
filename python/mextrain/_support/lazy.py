"""Values that an object computes on first access."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import cached_property as _cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class cached_property(_cached_property):
        """`functools.cached_property` without its lock, which Python 3.12 removed.

        All objects share that lock. Threads would wait for each other although they use different objects, and a
        process forked while a thread holds the lock would wait forever. Without it, two threads may compute the same
        value twice.
        """

        def __init__(self, function: Callable[[Any], Any]) -> None:
            super().__init__(function)
            self.lock = nullcontext()
