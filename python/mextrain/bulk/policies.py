"""The built-in policies: who decides for a seat, by name.

A policy sees what its seat can see and nothing else. Its random numbers are the round's policy words, which deals and
draws never touch (docs/determinism.md), so another policy at the table changes no deal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mextrain.errors import PolicyError, nearest, shown
from mextrain_core.bulk import policies as core

POLICIES: tuple[str, ...] = tuple(policy.name for policy in core.POLICIES)
"""Names of the built-in policies."""

BY_NAME = {policy.name: policy for policy in core.POLICIES}
BY_ID = {policy.id: policy for policy in core.POLICIES}
"""The rows of the table of policies."""


def check_policies(policies: str | Sequence[str], players: int) -> tuple[str, ...]:
    """Return the policy of each seat, by seat.

    `policies` is one name for all seats, or a name for each of the `players` seats: a sequence, or a text with
    commas. Raises `PolicyError` for an unknown name or another number of names.
    """
    if not isinstance(policies, Iterable):
        raise PolicyError(f"the policies {shown(policies)} are not usable: expected a name, or one for each seat")
    names = policies.split(",") if isinstance(policies, str) else list(policies)
    for name in names:
        if not isinstance(name, str) or name not in POLICIES:
            hint = nearest(name, POLICIES)
            expected = f"expected one of {', '.join(POLICIES)}{hint and '; '}{hint}"
            raise PolicyError(f"the policy {shown(name)} is unknown: {expected}")
    if isinstance(policies, str) and len(names) == 1:
        names *= players
    if len(names) != players:
        raise PolicyError(
            f"{len(names)} policies for {players} players: give one name for all seats, or one for each seat"
        )
    return tuple(names)
