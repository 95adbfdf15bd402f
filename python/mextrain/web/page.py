"""`replay_page`: a round as one HTML file to step through (docs/pictures.md)."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from mextrain._support.integers import whole
from mextrain.errors import PositionError, shown
from mextrain.game.seeding import check_seed
from mextrain.hidden.knowledge import check_seat
from mextrain.picture.colours import style
from mextrain.picture.heat import axes
from mextrain.picture.svg import SCOPE, checked_path, save_text
from mextrain.picture.table import checked_names
from mextrain.position import Position
from mextrain.records import RoundRecord, replay
from mextrain.study.analysis import Analysis
from mextrain.web.frames import WIDTH, Album, Step, steps
from mextrain.web.panels import POLICY, STEPS, Heat, Points
from mextrain.web.told import tell

MOST_WORLDS = 100_000

_ENDING = ".html", "only HTML is written"


class Page(str):
    """A page as HTML source, in one file that needs no network. `save` writes it to a file."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<Page, HTML, {len(self.encode()):,} bytes>"

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page to a file, which is complete or unchanged whatever happens, and return its path.

        Raises `PositionError` if the name has another ending than `.html`, `OSError` if it cannot be written.
        """
        return save_text(self, path, *_ENDING)

    @staticmethod
    def check_name(path: str | PathLike[str]) -> None:
        """Raise `PositionError` if `save` would refuse the name of this file."""
        checked_path(path, *_ENDING)


def replay_page(
    record: RoundRecord | Mapping[str, Any] | Position,
    *,
    for_seat: int | None = None,
    names: Sequence[str] | None = None,
    beliefs: bool = True,
    worlds: int = 256,
    seed: int = 0,
    analysis: Analysis | None = None,
    event: int | None = None,
) -> Page:
    """Return a page that steps through a round: table, events, expected points, where unseen tiles may be.

    `record`: a record, or a position with its events; the round may go on. `for_seat`: the page holds nothing that
    this seat cannot see; without it, it knows all hands. `names`: a text for each seat. `beliefs`: whether the heat
    maps of unseen tiles are part of it. `worlds`: play-outs, and samples of what a seat cannot see, at each decision.
    `analysis`: what `analyse` found about the same round; the page then shows the loss of each decision, of a page
    for one seat those of that seat. `event`: the number of the play or stop before which the page opens (default: the
    beginning).

    The same round, arguments and seed give the same bytes. Raises `RecordError` for a record that cannot be replayed,
    `PositionError` for a position without events and for invalid arguments, `SeedError` for a seed out of range.
    """
    end = record if isinstance(record, Position) else replay(record)
    if end.start.is_continued:
        raise PositionError("the position was read from a line without its events: there is nothing to replay")
    seat = None if for_seat is None else check_seat(end, for_seat)
    given = checked_names(names, end.rules.players)
    number = whole(worlds)
    if number is None or not 20 <= number <= MOST_WORLDS:
        raise PositionError(f"worlds = {shown(worlds)}: expected a whole number 20 … {MOST_WORLDS:,}")
    if not isinstance(beliefs, bool):
        raise PositionError(f"beliefs = {shown(beliefs)}: expected True or False")
    if analysis is not None and not isinstance(analysis, Analysis):
        raise PositionError(f"analysis = {shown(analysis)}: expected what analyse returns, or None")
    builder = _Builder(end, seat, given, number, check_seed(seed))
    return builder.page(builder.frames(beliefs), analysis, _opening(end, event))


def _opening(end: Position, event: int | None) -> int:
    """The number of the frame before an event."""
    decisions = [number for number, each in enumerate(end.events) if each.is_decision]
    after = len(end.events)
    index = whole(event) if event is not None else [*decisions, after][0]
    if index not in (*decisions, after):
        raise PositionError(f"event = {shown(event)}: expected the number of a play or stop, or {after} for the end")
    return [*decisions, after].index(index)


class _Builder:
    """Builds the page of a round."""

    def __init__(
        self, end: Position, for_seat: int | None, names: tuple[str, ...] | None, worlds: int, seed: int
    ) -> None:
        self.end, self.for_seat = end, for_seat
        players = end.rules.players
        self.names = names or tuple(f"seat {seat}" for seat in range(players))
        self.album = Album(end, for_seat, names)
        self.points = Points(players, for_seat, worlds, seed)
        self.heat = Heat(end, worlds, seed)
        self.maps: list[np.ndarray] = []
        self.worlds = worlds

    def frames(self, beliefs: bool) -> list[dict[str, Any]]:
        """Return the frames as objects for JSON; keeps the heat maps of each, if they are wanted."""
        found = []
        for step in steps(self.end):
            found.append(self._frame(step))
            if beliefs:
                seats = range(self.end.rules.players) if self.for_seat is None else (self.for_seat,)
                self.maps += [self.heat.at(step.position, seat) for seat in seats]
        return found

    def _frame(self, step: Step) -> dict[str, Any]:
        parts, height = self.album.draw(step.position)
        told = [tell(event, self.names, self.for_seat) for event in step.events]
        return {
            "parts": parts,
            "height": height,
            "told": told,
            "event": step.first_event,
            "seat": step.position.seat,
            "points": self.points.at(step.position),
        }

    def page(self, frames: list[dict[str, Any]], analysis: Analysis | None, opening: int) -> Page:
        """Return the page with these frames, which opens at one of them."""
        end = self.end
        rules = end.rules
        game = "Super Train" if rules.tile_set == "super" else "Mexican Train"
        highs, lows = axes(self.heat.tiles)
        data = {
            "names": self.names,
            "title": f"{game}, {rules.players} players, engine {end.engine}",
            "result": self._result(),
            "forSeat": self.for_seat,
            "at": opening,
            "width": WIDTH,
            "pool": self.album.pool,
            "frames": frames,
            "heat": base64.b64encode(np.array(self.maps).tobytes()).decode() if self.maps else None,
            "steps": STEPS,
            "highs": [str(half) for half in highs],
            "rows": len(lows),
            "tiles": [[str(tile), *_place(tile, highs)] for tile in self.heat.tiles],
            "how": f"{self.worlds} play-outs by {POLICY}, "
            + ("from the true position" if self.for_seat is None else "from worlds that fit what the seat knows"),
            "losses": self._losses(analysis),
        }
        # Inside <script>, "<" could end it.
        source = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
        # Line separators, and halves of surrogates in names, which cannot be written as UTF-8.
        source = source.encode("utf-8", "replace").decode().replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
        return Page(
            _part("html")
            .replace("/*STYLE*/", _part("css") + style(SCOPE, "auto") + f".{SCOPE} .down{{display:none}}")
            .replace("<!--DEFS-->", self.album.defs())
            .replace("/*SCRIPT*/", _part("js"))
            .replace("/*DATA*/", source)
        )

    def _result(self) -> str:
        end = self.end
        if not end.over:
            return "the round goes on"
        known = [
            str(points) if self.for_seat in (None, seat) or not end.hand_sizes[seat] else "?"
            for seat, points in enumerate(end.points)
        ]
        how = "blocked" if end.winner is None else f"{self.names[end.winner]} goes out"
        return f"{how}; points {', '.join(known)}"

    def _losses(self, analysis: Analysis | None) -> list[list[Any]] | None:
        """The losses of the decisions: number of the event, move, best move, loss, its error, grade."""
        if analysis is None:
            return None
        if self.for_seat is not None:
            analysis = analysis.of(self.for_seat)
        return [[r.event, r.move, r.best, r.loss, r.loss_error, r.grade] for r in analysis.decisions if r.choices > 1]


def _place(tile: Any, highs: Sequence[Any]) -> tuple[int, int]:
    """Column and row of a tile in a heat map."""
    one, other = (highs.index(half) for half in tile.halves)
    return max(one, other), min(one, other)


def _part(kind: str) -> str:
    return Path(__file__).with_name(f"page.{kind}").read_text(encoding="utf-8")
