"""Who lays the engine, and with how many tiles each seat begins (option `engine_from`, docs/rules.md section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from mextrain.errors import PositionError
from mextrain.game.rules import RuleSet
from mextrain.game.tiles import Tile
from mextrain_core.game.beginning import find_barred
from mextrain_core.game.deal import begin_sizes
from mextrain_core.model.limits import NONE


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
    if len(begun.sizes) != rules.players:
        return ()
    if not rules.engines_are_known:
        caller = _barred(rules, rules.tiles.doubles[0], begun)[0]
        was_held = rules.engine_from == "highest" and sum(begun.sizes) < dealt
        return () if caller == NONE else tuple(seats) if was_held else (caller,)
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


class Laid(NamedTuple):
    """The engine, the seat that laid it and starts, and the hands with which the first turn begins."""

    engine: Tile
    starter: int
    hands: tuple[tuple[Tile, ...], ...]


def lay(
    rules: RuleSet, named: Tile, caller: int, hands: Sequence[Sequence[Tile]], drawn: Sequence[Tile]
) -> Laid | None:
    """Return the round in which these hands were dealt and these tiles drawn to find the engine; None: draw another.

    The engine is dealt, or found by the deal (option `engine_from`). `named`: the engine that the round has if the
    rules name it. `caller`: the seat that is asked first. `hands`: by seat, all with `hand_size` tiles.
    """
    order = [(caller + turn) % rules.players for turn in range(rules.players)]
    held = [list(hand) for hand in hands]
    left = len(rules.tiles) - rules.players * rules.hand_size

    def engines_in(tiles: Sequence[Tile]) -> list[Tile]:
        return [tile for tile in tiles if (tile == named if rules.engines_are_known else tile.is_double)]

    holders = [seat for seat in order if engines_in(held[seat])]
    asked = order.index(holders[0]) if holders and rules.engine_from == "own_highest" else 0
    found: tuple[Tile, int] | None = None
    if holders:
        seat = holders[0]
        if rules.engine_from == "highest":
            seat = max(holders, key=lambda seat: _highest(engines_in(held[seat])).points)
        found = _highest(engines_in(held[seat])), seat
    goes_on = len(drawn) < min(asked, left) if found else True
    for turn, tile in enumerate(drawn):
        seat = order[turn % rules.players]
        held[seat].append(tile)
        if engines_in([tile]):
            found, goes_on = (tile, seat), False
    if rules.engine_from == "holder" and rules.engine_hunt == "together" and not goes_on and drawn:
        goes_on = len(drawn) % rules.players != 0 and len(drawn) < left
    if goes_on or found is None:
        return None
    engine, starter = found
    held[starter].remove(engine)
    return Laid(engine, starter, tuple(map(tuple, held)))


def _highest(doubles: Sequence[Tile]) -> Tile:
    return max(doubles, key=lambda tile: tile.points)


def check_beginning(rules: RuleSet, engine: Tile, begun: Beginning, hands: Mapping[int, Iterable[Tile]]) -> None:
    """Raise `PositionError` if a hand has a double that would have been the engine (option `engine_from`).

    `hands`: those that are known, by seat. Sizes that the rules do not deal show nothing.
    """
    if rules.engines_are_known:
        return
    _, barred = _barred(rules, engine, begun)
    for seat, hand in hands.items():
        for tile in hand:
            if tile.is_double and barred[seat] >> rules.tiles.half_code(tile.high) & 1:
                raise PositionError(
                    f"seat {seat} begins with {tile}, but the engine is {engine}: with engine_from={rules.engine_from} "
                    f"and {describe(begun)} it cannot"
                )


def _barred(rules: RuleSet, engine: Tile, begun: Beginning) -> tuple[int, list[int]]:
    """The seat that was asked first (NONE: no round begins so), and the doubles that no hand had: bits by half."""
    barred = np.zeros(rules.players, np.uint32)
    sizes = np.array([min(max(size, 0), NONE) for size in begun.sizes], np.uint8)
    half, starter = np.uint64(rules.tiles.half_code(engine.high)), np.uint64(begun.starter)
    return int(find_barred(rules.record, half, starter, sizes, barred)), barred.tolist()
