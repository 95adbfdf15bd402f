"""Where the tiles of the trains go: a row for each train, in it a lane for each branch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mextrain.game.read_only import Train
from mextrain.picture.pen import Face
from mextrain.picture.trees import Node, Tree

GAP = 0.08
"""Between two tiles, in halves."""

FORK = 0.45
"""Between a double and its toes, in halves."""

MIN_UNIT = 15.0
"""The smallest side of a half of a laid tile, in pixels. A train that is too long for it loses its first tiles."""

_PIPS_FROM = 21.0
"""The smallest side of a half on which pips can be counted."""


class Row(NamedTuple):
    """The row of a train: its length in halves, its lanes, its height, and the height of its middle in pixels."""

    tree: Tree
    reach: float
    lanes: int
    pitch: float
    middle: float

    def lane_y(self, lane: float) -> float:
        """Return the height of the middle of a lane."""
        return self.middle + (lane - (self.lanes - 1) / 2) * (self.pitch / self.lanes)

    @property
    def head(self) -> float:
        """The height of the first tile, where the rail ends. After feet it need not be the middle of the row."""
        return self.lane_y(self.tree.roots[0].lane) if len(self.tree.roots) == 1 else self.middle


def rows(trees: Mapping[Train, Tree], room: float, top: float, unit: float | None) -> tuple[dict[Train, Row], Face]:
    """Return the row of each train from the height `top` down, and the face of the tiles.

    `room`: pixels that a row has for tiles. `unit`: the side of a half; by default it is chosen so that all fits.
    """
    sizes = {train: _spread(tree) for train, tree in trees.items()}
    lanes = sum(lanes for _, lanes in sizes.values())
    longest = max(1.0, *(reach for reach, _ in sizes.values()))
    largest = 28 if lanes <= 6 else 22 if lanes <= 9 else 17
    u = unit or max(MIN_UNIT, min(largest, int(room / longest * 4) / 4))
    least = 30 if len(trees) <= 9 else 26
    out = {}
    for train, tree in trees.items():
        reach, lanes = sizes[train]
        pitch = max(least, 2 * u + 7 if lanes == 1 else lanes * (1.3 * u + 5) + 4)
        out[train] = Row(tree, reach, lanes, pitch, top + pitch / 2)
        top += pitch
    return out, Face(u, u >= _PIPS_FROM)


def _spread(tree: Tree) -> tuple[float, int]:
    """Place the tiles of a train; returns its length in halves and its lanes."""
    reach, lanes = 0.0, 0
    for root in tree.roots:
        right, own = _place(root, 0.0, lanes)
        reach, lanes = max(reach, right), lanes + own
    return reach, max(lanes, 1)


def _place(node: Node, x: float, lane: int) -> tuple[float, int]:
    """Place a tile and all that follow it; returns their right edge and their number of lanes."""
    node.x = x
    right = x + (1 if node.is_double else 2) + GAP
    branches = len(node.children) + node.missing
    if branches == 0:
        node.lane = lane
        return right, 1
    if branches == 1 and not node.missing:
        end, lanes = _place(node.children[0], right, lane)
        node.lane = node.children[0].lane
        return end, lanes
    used, reach = 0, right
    for child in node.children:
        end, lanes = _place(child, right + FORK, lane + used)
        reach, used = max(reach, end), used + lanes
    if node.missing:
        reach, used = max(reach, right + FORK + 2 + GAP), used + node.missing
    first = node.children[0].lane if node.children else lane
    last = lane + used - 1 if node.missing else node.children[-1].lane
    node.lane = (first + last) / 2
    return reach, used
