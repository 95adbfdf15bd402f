"""`SearchResult`: what a search found about every legal move."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from mextrain._support.html import html_table
from mextrain.errors import MoveError, shown
from mextrain.game.moves import Move
from mextrain.game.rules import RuleSet

WIDTH = 80
"""Columns of the table."""
MOST_MOVES = 40
"""The most moves that the table shows."""

UNITS = {"margin": "points", "points": "points", "rank": "places", "match": "percent"}


class MoveResult(NamedTuple):
    """What a search found about one legal move.

    `text`: the move as text. `playouts`: the play-outs that began with it. `points`, `errors`: mean points of every
    seat and their standard errors. `loss`: by how much the mean utility is below that of the best move, in points (in
    places for `rank`), and `loss_error` its standard error; in flat search both are taken over the worlds that the two
    moves share. `out`: share of play-outs in which the seat goes out. Where there are too few play-outs, means and
    errors are NaN, and `loss` and `loss_error` are None.
    """

    move: Move
    text: str
    playouts: int
    points: tuple[float, ...]
    errors: tuple[float, ...]
    loss: float | None
    loss_error: float | None
    out: float


@dataclass(frozen=True, repr=False)
class SearchResult:
    """The result of `mextrain.search`; `str()` of it is a table for people.

    `moves`: every legal move: the best, the others by loss, then those without play-outs. `best`: the move that the
    search chooses. `line`: the principal line as texts, `best` first. `playouts`, `worlds`, `blocks`, `nodes`: how much
    was done. `ended`: `budget`, `clock`, `certain` (one move was left) or `forced` (one move is legal). `seconds`: the
    time it took; everything else is the same for equal arguments.
    """

    rules: RuleSet
    seat: int
    best: Move
    moves: tuple[MoveResult, ...]
    line: tuple[str, ...]
    playouts: int
    worlds: int
    blocks: int
    nodes: int
    seed: int
    method: str
    policy: str
    utility: str
    ended: str
    seconds: float

    @property
    def best_text(self) -> str:
        """The text of `best`."""
        return self.rules.actions.text(self.best)

    def __getitem__(self, move: Move | str) -> MoveResult:
        """Return the result of a legal move, given as a `Move` or its text. Raises `MoveError` for any other."""
        wanted = self.rules.actions.parse(move) if isinstance(move, str) else move
        for found in self.moves:
            if found.move == wanted:
                return found
        raise MoveError(f"{shown(move)} was not a legal move: expected one of {_some(self.moves)}")

    def rows(self) -> list[dict[str, Any]]:
        """Return the moves as JSON objects."""
        return [_row(each, self.seat) for each in self.moves]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a JSON object; what is not known is None."""
        return {
            "seat": self.seat,
            "best": self.best_text,
            "moves": self.rows(),
            "line": list(self.line),
            "playouts": self.playouts,
            "worlds": self.worlds,
            "blocks": self.blocks,
            "nodes": self.nodes,
            "seed": self.seed,
            "method": self.method,
            "policy": self.policy,
            "utility": self.utility,
            "ended": self.ended,
            "seconds": round(self.seconds, 6),
        }

    def __repr__(self) -> str:
        return f"<SearchResult seat {self.seat}: {self.best_text}, {self.method}, {self.playouts:,} play-outs>"

    def _repr_html_(self) -> str:
        columns = ("move", "loss", "points", "others", "goes out", "play-outs")
        return html_table(". ".join(self._head()), columns, map(self._cells, self.moves[:MOST_MOVES]))

    def _head(self) -> tuple[str, str]:
        policy = _cut(self.policy, 20)
        return (
            f"seat {self.seat}: {self.best_text}  ({self.method}, {self.playouts:,} play-outs of {policy}, "
            f"seed {self.seed})",
            f"loss: {UNITS[self.utility]} behind the best move, ± one standard error; points: the seat's own",
        )

    def _cells(self, each: MoveResult) -> tuple[str, ...]:
        others = [value for seat, value in enumerate(each.points) if seat != self.seat]
        return (
            each.text,
            _pair(each.loss, each.loss_error),
            _pair(each.points[self.seat], each.errors[self.seat]),
            _number(sum(others) / len(others)),
            _share(each.out),
            f"{each.playouts:,}",
        )

    def __str__(self) -> str:
        lines = [*self._head(), "", _line("move", "loss", "points", "others", "goes out", "play-outs")]
        lines += [_line(*self._cells(each)) for each in self.moves[:MOST_MOVES]]
        if len(self.moves) > MOST_MOVES:
            lines.append(f"… and {len(self.moves) - MOST_MOVES} more moves")
        if len(self.line) > 1:
            lines += ["", _cut(f"line: {' '.join(self.line)}", WIDTH)]
        return "\n".join(lines)


def _line(move: str, *cells: str) -> str:
    """A line of the table for people."""
    widths = (16, 16, 9, 11, 14)
    return f"{move:<10}" + "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))


def _row(each: MoveResult, seat: int) -> dict[str, Any]:
    errors = [_known(value) for value in each.errors]
    return {
        "move": each.text,
        "playouts": each.playouts,
        "points": [_known(value) for value in each.points],
        "errors": errors,
        "error": errors[seat],
        "loss": each.loss,
        "loss_error": each.loss_error,
        "out": _known(each.out),
    }


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _number(value: float | None) -> str:
    return "-" if value is None or math.isnan(value) else f"{value:.2f}"


def _share(value: float) -> str:
    return "-" if math.isnan(value) else f"{100 * value:.1f} %"


def _pair(value: float | None, error: float | None) -> str:
    if value is None or math.isnan(value):
        return "-"
    return _number(value) if error is None or math.isnan(error) else f"{value:.2f} ± {error:.2f}"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _some(moves: tuple[MoveResult, ...]) -> str:
    return ", ".join(each.text for each in moves[:8]) + (", …" if len(moves) > 8 else "")
