"""The built-in policies, by name.

A policy sees only what its seat can see. Its random numbers are the round's policy words. Deals and draws never use
these (docs/determinism.md), so changing a policy at the table changes no deal.
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


def _program(name: object) -> str:
    """Return a hint at how a program is named, if the name looks like that of one."""
    if not isinstance(name, str) or not ("/" in name or "." in name) or ":" in name:
        return ""
    return f"a program is named cmd:{'python ' if name.endswith('.py') else ''}{name}"


def check_policies(policies: str | Sequence[str], players: int) -> tuple[str, ...]:
    """Return the policy of each seat, in seat order.

    `policies` is one name for all seats, or one name for each of the `players` seats, as a sequence or as a text with
    commas. Raises `PolicyError` for an unknown name or a wrong number of names.
    """
    if not isinstance(policies, Iterable):
        raise PolicyError(f"the policies {shown(policies)} are not usable: expected a name, or one for each seat")
    names = policies.split(",") if isinstance(policies, str) else list(policies)
    for name in names:
        if not isinstance(name, str) or name not in POLICIES:
            hint = nearest(name, POLICIES) or _program(name)
            expected = f"expected one of {', '.join(POLICIES)}{hint and '; '}{hint}"
            raise PolicyError(f"the policy {shown(name)} is unknown: {expected}")
    if isinstance(policies, str) and len(names) == 1:
        names *= players
    if len(names) != players:
        raise PolicyError(
            f"{len(names)} policies for {players} players: give one name for all seats, or one for each seat"
        )
    return tuple(names)
