"""Draws the trains: a rail from the engine to each row, who owns it, the marker, the tiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mextrain.game.moves import MEXICAN_TRAIN
from mextrain.game.read_only import ReadOnlyPosition, Train
from mextrain.picture.halves import locomotive
from mextrain.picture.layout import FORK, GAP, Row
from mextrain.picture.pen import Box, Face, Pen, n, rounded, safe, titled
from mextrain.picture.trees import Node

HUB, BADGE, LABEL, FIRST_TILE = 36.0, 70.0, 85.0, 206.0
"""The columns: the middle of the engine and of the badges, the left edge of names and of the tiles."""

ROOM = FIRST_TILE + 12
"""What the tiles of a train cannot use of the width."""

_OPEN = 168.0  # left edge of the marker
_NAME = 11  # characters of a name that have room before the marker
_PILL = 2.0  # halves that the number of left-out tiles needs

_DASHES = ' stroke-dasharray="3 3"'


def draw_trains(
    pen: Pen, position: ReadOnlyPosition, rows: Mapping[Train, Row], face: Face, width: int, names: Sequence[str] | None
) -> None:
    """Draw all rows, and the engine at their left."""
    heights = [row.middle for row in rows.values()]
    middle = (heights[0] + heights[-1]) / 2
    for row in rows.values():
        to = row.head
        curve = f"M{n(HUB)} {n(middle)}C{n(HUB + 22)} {n(middle)} {n(HUB - 2)} {n(to)} {n(HUB + 26)} {n(to)}H{n(BADGE)}"
        pen.add(f'<path class="rail" d="{curve}" stroke-width="3"/>')
        pen.add(f'<path class="rail" d="M{n(_OPEN + 2)} {n(to)}H{n(FIRST_TILE)}" stroke-width="3"/>')
    u = min(24.0, max(17.0, face.unit))
    engine = position.engine
    box = Box(HUB - u / 2 - 8, middle - u, u, 2 * u)
    pen.add(pen.tile(engine.high, engine.low, box, Face(u, face.pips and u >= 21), f"the engine, {engine}"))
    for train, row in rows.items():
        _label(pen, position, train, row.head, names)
        _Tiles(pen, position, train, row, face, width - ROOM).draw()


def _label(pen: Pen, position: ReadOnlyPosition, train: Train, y: float, names: Sequence[str] | None) -> None:
    """The badge and name of a train's owner, the number of tiles in hand, and the marker."""
    if train == MEXICAN_TRAIN or isinstance(train, str):
        pen.add(f'<g transform="translate({n(BADGE - 11)} {n(y - 11)}) scale(1.83)">{locomotive()}</g>')
        pen.text(LABEL, y - 2, "Mexican", size=11.5)
        pen.text(LABEL, y + 10.5, "Train", size=11.5)
        return
    on_move = train == position.seat
    pen.badge(train, BADGE, y, 11, on_move)
    name = names[train] if names else f"seat {train}"
    short = name if len(name) <= _NAME else name[: _NAME - 1] + "…"
    bold = ' font-weight="700"' if on_move else ""
    text = f'<text class="ink" x="{n(LABEL)}" y="{n(y - 2)}" font-size="11.5"{bold}>{safe(short)}</text>'
    pen.add(text if short == name else titled(name, text))
    count = position.hand_sizes[train]
    pen.text(LABEL, y + 10.5, f"{count} tile{'' if count == 1 else 's'}", "dim", 10)
    if position.is_open(train):
        pill = f'<rect class="open" x="{n(_OPEN)}" y="{n(y - 7)}" width="33" height="14" rx="7"/>'
        middle = ' font-size="9.5" font-weight="700" text-anchor="middle"'
        word = f'<text class="on" x="{n(_OPEN + 16.5)}" y="{n(y + 3.3)}"{middle}>open</text>'
        pen.add(titled("open: others may play here", pill + word))


class _Tiles:
    """Draws the tiles of a train."""

    def __init__(
        self, pen: Pen, position: ReadOnlyPosition, train: Train, row: Row, face: Face, room: float
    ) -> None:
        self.pen, self.position, self.train, self.row, self.face = pen, position, train, row, face
        self.place = "the Mexican Train" if train == MEXICAN_TRAIN else f"train {train}"
        # If the train is too long, its first tiles are left out, so that its end always shows.
        over = row.reach - room / face.unit
        kept = [node.x for node in row.tree.nodes() if node.x > over + _PILL]
        self.first = min(kept) if kept and over > 0.01 else 0.0
        self.shift = max(0.0, self.first - _PILL)

    def draw(self) -> None:
        if not self.row.tree.roots:
            u = self.face.unit
            self.pen.add(rounded("rail", Box(FIRST_TILE, self.row.middle - u / 2, 2 * u, u), u, 1, _DASHES))
            self.pen.text(FIRST_TILE + 2 * u + 8, self.row.middle + 4, "not started", "dim", 10.5)
            return
        roots = self.row.tree.roots
        for root in roots if len(roots) > 1 else ():
            self._curve(FIRST_TILE - 20, self.row.head, FIRST_TILE, self.row.lane_y(root.lane), 2.4, "")
        left_out = 0
        for node in self.row.tree.nodes():
            if node.x < self.first:
                left_out += 1
                continue
            self._branches(node)
            self._node(node)
        if left_out:
            self._pill(left_out)

    def _x(self, halves: float) -> float:
        return FIRST_TILE + (halves - self.shift) * self.face.unit

    def _node(self, node: Node) -> None:
        u = self.face.unit
        x, y = self._x(node.x), self.row.lane_y(node.lane)
        box = Box(x, y - u, u, 2 * u) if node.is_double else Box(x, y - u / 2, 2 * u, u)
        self.pen.add(self.pen.tile(node.near, node.far, box, self.face, self._title(node)))
        if node.is_suggested:
            self.pen.add(rounded("ring", box, u, 1.8, ' stroke-dasharray="4 3"', grow=2.2))
        elif node.is_owed:
            self.pen.add(rounded("owed", box, u, 2.2, grow=2.2))
        elif node.is_last:
            self.pen.add(rounded("ring", box, u, 1.6, grow=2.2))

    def _title(self, node: Node) -> str:
        if node.is_suggested:
            return f"suggested: {node.near}-{node.far} on {self.place}"
        if node.play is None:
            return f"the end of {self.place} is {node.far}; how it was laid is not known"
        return f"{node.near}-{node.far} on {self.place}, laid by seat {node.seat}, play {node.play}"

    def _branches(self, node: Node) -> None:
        """The rails from a double to its toes, and the toes that it still needs."""
        if len(node.children) + node.missing <= 1 and not node.missing:
            return
        u = self.face.unit
        x, y = self._x(node.x + 1), self.row.lane_y(node.lane)
        to_x = self._x(node.x + 1 + GAP + FORK)
        for child in node.children:
            self._curve(x, y, to_x, self.row.lane_y(child.lane), 2.4, "")
        # The missing toes lie below all branches of the toes laid.
        lowest = max((each.lane for child in node.children for each in child.walk()), default=node.lane - 2)
        for k in range(node.missing):
            to_y = self.row.lane_y(lowest + 1 + k)
            self._curve(x, y, to_x, to_y, 1.6, _DASHES)
            box = Box(to_x, to_y - u / 2, 2 * u, u)
            self.pen.add(titled("a toe that is still missing", rounded("owed", box, u, 1.1, _DASHES)))

    def _curve(self, x: float, y: float, to_x: float, to_y: float, stroke: float, more: str) -> None:
        bend = f"M{n(x)} {n(y)}C{n(x + 6)} {n(y)} {n(to_x - 8)} {n(to_y)} {n(to_x)} {n(to_y)}"
        self.pen.add(f'<path class="rail" d="{bend}" stroke-width="{stroke:g}"{more}/>')

    def _pill(self, count: int) -> None:
        """The number of tiles at the beginning that had no room."""
        y, wide = self.row.head, _PILL * self.face.unit - 2
        pill = f'<rect class="badge" x="{n(FIRST_TILE)}" y="{n(y - 8)}" width="{n(wide)}" height="16" rx="8"/>'
        middle = ' font-size="10" text-anchor="middle"'
        word = f'<text class="dim" x="{n(FIRST_TILE + wide / 2)}" y="{n(y + 3.6)}"{middle}>+{count}</text>'
        self.pen.add(titled(f"{count} tile{'' if count == 1 else 's'} before", pill + word))
