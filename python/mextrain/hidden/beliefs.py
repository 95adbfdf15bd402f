"""The probable place of each unseen tile, given what one seat knows (docs/hidden-information.md)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from mextrain._support.integers import whole
from mextrain.errors import PositionError, shown
from mextrain.game.seeding import check_seed
from mextrain.game.tiles import Tile, TileSet
from mextrain.hidden.exact import Histories
from mextrain.hidden.knowledge import check_seat
from mextrain.hidden.sampler import WorldSampler
from mextrain.picture.heat import Heat, heat_picture
from mextrain.picture.svg import Picture
from mextrain.position import Position

EXACT_PLACEMENTS = 20_000
"""Up to this many placements of the hidden tiles are tried exhaustively, which is faster than sampling."""

BATCHES = 20
"""Number of batches of samples. The spread between batches gives the standard errors of the means."""


@dataclass(frozen=True, eq=False, repr=False)
class Beliefs:
    """The result of `beliefs`.

    `tiles`: the tiles that the seat cannot see, by name. `copies`: the number of each, 1, or up to 3 for `*-A`.
    `probabilities`: float64[tiles, players + 1], the probability that a copy is with each seat, or in the boneyard
    (last column); rows add up to 1. `errors`: their standard errors, of the same shape; 0 if the probabilities are
    exact (`samples` is 0).
    """

    seat: int
    tiles: tuple[Tile, ...]
    copies: tuple[int, ...]
    probabilities: np.ndarray
    errors: np.ndarray
    samples: int

    def of(self, tile: Tile | str, seat: int | None) -> float:
        """Return the probability that a copy of `tile` is with `seat`, or for None in the boneyard.

        Raises `PositionError` for a tile that is not hidden from the observer, and for a seat that does not exist.
        """
        wanted = Tile.parse(tile) if isinstance(tile, str) else tile
        if not isinstance(wanted, Tile) or wanted not in self.tiles:
            why = f"is not a tile that is hidden from seat {self.seat}: it holds it, or it is on the table"
            raise PositionError(f"{wanted if isinstance(wanted, Tile) else shown(wanted)} {why}")
        players = self.probabilities.shape[1] - 1
        place = players if seat is None else whole(seat)
        if place is None or not 0 <= place < players + (seat is None):
            raise PositionError(f"there is no seat {shown(seat)}: expected 0 … {players - 1}, or None for the boneyard")
        return float(self.probabilities[self.tiles.index(wanted), place])

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain lists and numbers, ready for JSON."""
        return {
            "seat": self.seat,
            "samples": self.samples,
            "tiles": [str(tile) for tile in self.tiles],
            "copies": list(self.copies),
            "probabilities": self.probabilities.tolist(),
            "errors": self.errors.tolist(),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a dict for each tile and place, for a data frame: `tile`, `copies`, `seat`, `probability`, `error`.

        `seat` is None for the boneyard.
        """
        players = self.probabilities.shape[1] - 1
        return [
            {
                "tile": str(tile),
                "copies": copies,
                "seat": None if place == players else place,
                "probability": float(self.probabilities[row, place]),
                "error": float(self.errors[row, place]),
            }
            for row, (tile, copies) in enumerate(zip(self.tiles, self.copies, strict=True))
            for place in range(players + 1)
            if place != self.seat
        ]

    def svg(self, *, width: int = 720, theme: str = "auto") -> Picture:
        """Return the probabilities as a picture (docs/pictures.md): a triangle of tiles for each place.

        `width`: pixels, 600 … 4000. `theme`: `light`, `dark`, or `auto` for what the viewer prefers. Raises
        `PositionError` for an invalid argument.
        """
        players = self.probabilities.shape[1] - 1
        columns = [place for place in range(players + 1) if place != self.seat]
        labels = [*(f"seat {place}" for place in range(players)), "boneyard"]
        heading = f"Where seat {self.seat} should expect the tiles that it cannot see"
        places = [(labels[place], self.probabilities[:, place].tolist()) for place in columns]
        return heat_picture(Heat(heading, self._kind, self.tiles, places), str(self), width, theme)

    def _repr_svg_(self) -> str:
        return str(self.svg())

    @property
    def _kind(self) -> str:
        return "exact" if self.samples == 0 else f"{self.samples:,} samples"

    def __repr__(self) -> str:
        return f"<Beliefs of seat {self.seat}: {len(self.tiles)} unseen tiles, {self._kind}>"

    def __str__(self) -> str:
        """Return a table in percent, with one line for each tile."""
        others = [q for q in range(self.probabilities.shape[1] - 1) if q != self.seat]
        columns = [*others, self.probabilities.shape[1] - 1]
        heading = "".join(f"{f'seat {q}':>13}" for q in others) + f"{'boneyard':>13}"
        kind = "exact" if self.samples == 0 else f"{self.samples:,} samples, ± standard error"
        lines = [f"where seat {self.seat} should expect the unseen tiles, in % ({kind})", f"{'':8}{heading}"]
        for tile, copies, row, error in zip(self.tiles, self.copies, self.probabilities, self.errors, strict=True):
            name = str(tile) if copies == 1 else f"{tile} ×{copies}"
            cells = [f"{row[c] * 100:5.1f}" + (f" ±{error[c] * 100:4.1f}" if self.samples else "") for c in columns]
            lines.append(f"{name:8}" + "".join(f"{cell:>13}" for cell in cells))
        return "\n".join(lines)


def beliefs(position: Position, seat: int, samples: int = 2000, seed: int = 0) -> Beliefs:
    """Return the probable places of the tiles that `seat` cannot see, over all consistent histories.

    Small games are counted exactly. Otherwise `samples` hidden worlds are sampled with `seed`. Players' choices are not
    used as evidence, only what the rules forced them to show.

    Raises `PositionError` for a seat that does not exist or fewer than 20 `samples`, `SeedError` for a seed out of
    range.
    """
    seat, seed = check_seat(position, seat), check_seed(seed)
    number = whole(samples)
    if number is None or number < BATCHES:
        raise PositionError(f"samples = {shown(samples)}: expected a whole number from {BATCHES} on")
    hidden = _hidden(position, seat)
    counts = _counted(position, seat, hidden)
    if counts is not None:
        return _of(seat, hidden, counts, np.zeros_like(counts), 0)
    worlds = WorldSampler(position, seat, seed)
    each = -(-number // BATCHES)
    batches = _by_name(np.array([worlds.places(each) for _ in range(BATCHES)]), position.rules.tiles, hidden) / each
    errors = batches.std(axis=0, ddof=1) / np.sqrt(BATCHES)
    return _of(seat, hidden, batches.mean(axis=0), errors, each * BATCHES)


def _hidden(position: Position, seat: int) -> Counter[Tile]:
    """The tiles that the seat cannot see, in tile-number order."""
    seen = Counter([position.engine, *position.hands[seat]])
    seen.update(event.tile for event in position.events if event.tile is not None and not event.is_draw)
    rest = Counter(position.rules.tiles.copies)
    rest.subtract(seen)
    return +rest


def _counted(position: Position, seat: int, hidden: Counter[Tile]) -> np.ndarray | None:
    """The mean number of copies of each tile in each place over all histories; None if there are too many to try."""
    try:
        worlds = Histories(position, seat, EXACT_PLACEMENTS).worlds()
    except PositionError:
        return None
    rows = {tile: row for row, tile in enumerate(hidden)}
    sums = np.zeros((len(hidden), position.rules.players + 1))
    for (hands, boneyard), weight in worlds.items():
        for place, tiles in enumerate((*hands, boneyard)):
            for tile in tiles if place != seat else ():
                sums[rows[tile], place] += weight
    means: np.ndarray = sums / sum(worlds.values())
    return means


def _by_name(places: np.ndarray, tiles: TileSet, hidden: Counter[Tile]) -> np.ndarray:
    """Counts by tile name, from counts by tile of the set, where the copies of `*-A` follow each other."""
    starts = tiles.first_indices
    rows = np.searchsorted(starts, [tiles.index(tile) for tile in hidden])
    summed: np.ndarray = np.add.reduceat(places, starts, axis=1)[:, rows]
    return summed


def _of(seat: int, hidden: Counter[Tile], counts: np.ndarray, errors: np.ndarray, samples: int) -> Beliefs:
    copies = np.array([*hidden.values()], float).reshape(-1, 1)
    # If the seat holds a copy of a tile and others are hidden, its own copy does not count.
    counts, errors = counts.copy(), errors.copy()
    counts[:, seat] = errors[:, seat] = 0
    return Beliefs(seat, tuple(hidden), tuple(hidden.values()), counts / copies, errors / copies, samples)
