"""Draws the hands: tiles that the viewer may see, and the backs of the others."""

from __future__ import annotations

from mextrain.game.moves import STOP
from mextrain.game.read_only import ReadOnlyPosition
from mextrain.game.tiles import Tile
from mextrain.picture.pen import Box, Face, Pen, n, rounded

_FIRST = 66.0  # left edge of the first tile of a hand


def draw_hands(
    pen: Pen, position: ReadOnlyPosition, for_seat: int | None, width: int, top: float, turns: bool
) -> float:
    """Draw the hands from the height `top` down, in two columns from five players on; returns the height below them.

    With `turns` every tile has a face and a back, and classes by which a page shows one of them (`replay_page`).
    """
    players = position.rules.players
    columns = 1 if players <= 4 else 2
    u = 18.0 if columns == 1 else 12.5
    each = -(-players // columns)
    wide = (width - 24) / columns
    ends = []
    for column in range(columns):
        y = top
        for seat in range(column * each, min(players, (column + 1) * each)):
            hand = _Hand(pen, position, seat, Face(u, False), for_seat in (None, seat), turns)
            y = hand.draw(12 + column * wide, y, wide)
        ends.append(y)
    return max(ends)


class _Hand:
    """Draws a hand."""

    def __init__(
        self, pen: Pen, position: ReadOnlyPosition, seat: int, face: Face, is_seen: bool, turns: bool
    ) -> None:
        self.pen, self.position, self.seat, self.face = pen, position, seat, face
        self.is_seen, self.turns = is_seen, turns

    def draw(self, x: float, y: float, wide: float) -> float:
        """Draw it at x, y; returns the height below it."""
        pen, u, size = self.pen, self.face.unit, self.position.hand_sizes[self.seat]
        middle = y + u / 2
        pen.badge(self.seat, x + 9, middle, 8.5, self.seat == self.position.seat)
        self._points(x + 23, middle + 3.6)
        per_row = max(1, int((wide - _FIRST - 4) // (2 * u + 4)))
        tiles = self.position.hands[self.seat] if self.is_seen else (None,) * size
        legal = self._legal()
        for index, tile in enumerate(tiles):
            box = Box(x + _FIRST + index % per_row * (2 * u + 4), y + index // per_row * (u + 6), 2 * u, u)
            self._tile(tile, box, tile in legal)
        if not size:
            word, cls = ("out", "open") if self.position.winner == self.seat else ("no tiles", "dim")
            pen.text(x + _FIRST, middle + 4, word, cls, 11, ' font-weight="700"')
        return y + max(1, -(-size // per_row)) * (u + 6) + 4

    def _points(self, x: float, y: float) -> None:
        """The points of the hand; their number of tiles if they are hidden."""
        size = self.position.hand_sizes[self.seat]
        if not self.is_seen and size:
            self.pen.text(x, y, f"{size} tile{'' if size == 1 else 's'}", "dim", 10)
            return
        points = self.position.points[self.seat]
        said = f"{points} pt{'' if points == 1 else 's'}"
        if not self.turns:
            self.pen.text(x, y, said, "dim", 10)
            return
        place = f'class="dim" x="{n(x)}" y="{n(y)}" font-size="10"'
        self.pen.add(f'<g class="p{self.seat}"><text {place}>{said}</text></g>')

    def _legal(self) -> set[Tile]:
        """The tiles of the hand that may be played now."""
        position = self.position
        if not self.is_seen or position.seat != self.seat:
            return set()
        return {position.rules.actions.tile(move) for move in position.legal_moves() if move != STOP}

    def _tile(self, tile: Tile | None, box: Box, is_legal: bool) -> None:
        pen, u = self.pen, self.face.unit
        if tile is None:
            pen.add(rounded("back", box, u))
            return
        up = pen.tile(tile.high, tile.low, box, self.face, f"{tile} in the hand of seat {self.seat}")
        if self.turns:
            up = f'<g class="h{self.seat}"><g class="up">{up}</g>{rounded("back down", box, u)}</g>'
        pen.add(up)
        if is_legal:
            line = f"M{n(box.x + 3)} {n(box.y + u + 2.6)}h{n(2 * u - 6)}"
            cls = f"ring g{self.seat}" if self.turns else "ring"
            pen.add(f'<path class="{cls}" d="{line}" stroke-width="2" stroke-linecap="round"/>')
