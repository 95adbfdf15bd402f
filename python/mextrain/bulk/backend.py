"""Chooses the backend that plays games in bulk. Both backends give the same bytes (docs/architecture.md).

The scalar backend plays everything. The lockstep backend plays 32 rounds at once and is several times faster, but it
does not support all rules, and its code is compiled for one rule set at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mextrain.errors import MextrainError, shown
from mextrain.game.rules import RuleSet
from mextrain_core.lockstep import flags

if TYPE_CHECKING:
    from mextrain.bulk.seat_policies import Seats

BACKENDS = ("auto", "scalar", "lockstep")
"""Values of the `backend` argument; `auto` takes the backend that finishes first."""

COMPILE_ROUNDS = 1 << 22
"""Rounds per worker that pay for a compile of up to five seconds: each round saves about a microsecond."""


def obstacle(rules: RuleSet) -> str | None:
    """Return why lockstep cannot play under `rules`, on any machine and with any policies; None if it can."""
    name = flags.obstacle(rules.record[0])
    if not name:
        return None
    where = " in the set super" if rules.tiles.has_wild and name in flags.SERVED_IN_SUPER else ""
    return f"it does not play {name}={rules.options()[name]}{where}"


def choose_backend(backend: str, rules: RuleSet, seats: Seats, rounds: int) -> str:
    """Return the backend, `scalar` or `lockstep`, that plays `rounds` rounds on each worker.

    `auto` takes lockstep if three things hold: it supports the rules and policies, the processor has vectors that make
    it fast (AVX2 or AVX-512), and either its code is already compiled (in this process or on disk) or there are at
    least `COMPILE_ROUNDS` rounds. Raises `MextrainError` if `backend` is not one of `BACKENDS`, or if it is `lockstep`
    and lockstep cannot play this.
    """
    # Importing Numba is slow, and questions about rules alone do not need it.
    from mextrain_core.compiler.vectors import is_fast
    from mextrain_core.lockstep.player import Lockstep, accepts
    from mextrain_core.lockstep.policy import policy_obstacle

    if not isinstance(backend, str) or backend not in BACKENDS:
        raise MextrainError(f"backend = {shown(backend)}: expected one of {', '.join(BACKENDS)}")
    can = seats.builtin and accepts(rules.record, seats.ids)
    if backend == "lockstep" and not can:
        why = obstacle(rules) or policy_obstacle(rules.record[0], seats.ids)
        why = why or "it needs an x86-64 or AArch64 processor, and compiling to be switched on"
        raise MextrainError(f"lockstep cannot play this: {why}; take the backend auto or scalar")
    if backend != "auto":
        return backend
    pays = can and is_fast() and (rounds >= COMPILE_ROUNDS or Lockstep(rules.record, seats.ids).is_compiled)
    return "lockstep" if pays else "scalar"
