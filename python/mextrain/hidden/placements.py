"""Placements of the hidden tiles as the sampler holds them, and the round that one of them gives."""

from __future__ import annotations

import numpy as np

Hands = tuple[tuple[int, ...], ...]
"""Tile indices by seat, as dealt."""

Draws = tuple[int, ...]
"""Tile indices in the order of drawing."""


def history_of(worlds: np.ndarray, players: int) -> tuple[Hands, Draws]:
    """Return the current placement of `worlds[0]` as tile indices: the hands as dealt, and the draws in order.

    The three `*-A` are 105, 106 and 107, in no particular order.
    """
    hidden = worlds[0]
    hands: list[list[int]] = [[] for _ in range(players)]
    draws = [0] * int(hidden["draws"])
    items = int(hidden["items"])
    for tile, cell in zip(hidden["tile"][:items].tolist(), hidden["cell"][:items].tolist(), strict=True):
        if cell > players:
            draws[cell - players - 1] = tile
        elif cell > 0:
            hands[cell - 1].append(tile)
    return tuple(tuple(sorted(hand)) for hand in hands), tuple(draws)
