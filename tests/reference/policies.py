"""The policies ``random`` and ``heaviest`` (docs/determinism.md)."""

from __future__ import annotations

from collections.abc import Callable

from .actions import STOP
from .rulebook import Round
from .stream import below, hi
from .tiles import tile_points

Policy = Callable[[Round, int], str]


def pick(actions: list[str], word: int) -> str:
    """The below(hi, count)-th of these actions, which are in ascending order of id."""
    return actions[below(hi(word), len(actions))]


def random(this: Round, word: int) -> str:
    """Uniform over the legal plays and stop, each ``*-A`` once."""
    return pick(this.legal_by_id(), word)


def heaviest(this: Round, word: int) -> str:
    """A play of most points (docs/rules.md section 9), ties by the word; never stops while it can play."""
    plays = [action for action in this.legal_by_id() if action != STOP]
    points = [tile_points(this.tile_of(play), this.rules.double_blank) for play in plays]
    most = max(points)
    return pick([play for play, value in zip(plays, points, strict=True) if value == most], word)


POLICIES: dict[str, Policy] = {"random": random, "heaviest": heaviest}


def policy_of(policy: str | Policy) -> Policy:
    """A policy by its name, or itself."""
    if not isinstance(policy, str):
        return policy
    if policy not in POLICIES:
        raise ValueError(f"policy {policy!r} is not one of {', '.join(POLICIES)}")
    return POLICIES[policy]
