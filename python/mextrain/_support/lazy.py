"""Values that an object computes when they are first asked for."""

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

        It is one lock for all objects, so one thread would wait for another's object, and a process that is forked
        while a thread holds it would wait for ever. Two threads at once may compute the same value twice.
        """

        def __init__(self, function: Callable[[Any], Any]) -> None:
            super().__init__(function)
            self.lock = nullcontext()
