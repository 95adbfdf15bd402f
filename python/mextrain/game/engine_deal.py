"""Who lays the engine, and with how many tiles each seat begins (option `engine_from`, docs/rules.md section 3)."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from mextrain.game.rules import RuleSet
from mextrain_core.game.deal import begin_sizes


class Beginning(NamedTuple):
    """The seat that starts, and the number of tiles with which each seat begins."""

    starter: int
    sizes: tuple[int, ...]


def beginning(rules: RuleSet, place: int, caller: int) -> Beginning:
    """Return how a round begins if the engine is tile number `place` (from 0) of those dealt and then drawn.

    `caller`: the seat that draws first if nobody was dealt the engine. With `engine_from` = `set_aside` the caller
    starts, and `place` has no effect.
    """
    if rules.engine_from == "set_aside":
        return Beginning(caller, (rules.hand_size,) * rules.players)
    sizes = np.empty(rules.players, np.uint8)
    starter = int(begin_sizes(rules.record, np.uint64(place), np.uint64(caller), sizes))
    return Beginning(starter, tuple(sizes.tolist()))


@lru_cache(maxsize=4096)
def callers(rules: RuleSet, begun: Beginning) -> tuple[int, ...]:
    """Return the seats that can have been the caller of a round that began like this; none if no round does."""
    if rules.engine_from == "set_aside":
        return (begun.starter,) if set(begun.sizes) == {rules.hand_size} else ()
    seats = range(rules.players)
    dealt = rules.players * rules.hand_size
    if sum(begun.sizes) < dealt:
        held = beginning(rules, begun.starter * rules.hand_size, 0)
        return tuple(seats) if held == begun else ()
    # Only the circuit in which the engine came decides, and the caller's distance in it.
    circuit = (min(begun.sizes) - rules.hand_size) * rules.players
    places = range(dealt + circuit, min(dealt + circuit + 2 * rules.players, len(rules.tiles)))
    return tuple(seat for seat in seats if any(beginning(rules, place, seat) == begun for place in places))


def describe(begun: Beginning) -> str:
    """Return the beginning as text for error messages."""
    return f"hands of {', '.join(map(str, begun.sizes))} tiles and seat {begun.starter} as the starter"
