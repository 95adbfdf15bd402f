"""`analyse`: what every decision of a round was worth, by search (docs/search.md)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from mextrain._support.html import html_table
from mextrain._support.integers import whole
from mextrain.bulk.seat_policies import Seats
from mextrain.errors import MextrainError, PositionError, RecordError, shown
from mextrain.game.moves import Move
from mextrain.game.seeding import check_seed, mix
from mextrain.position import Position
from mextrain.records import RoundRecord, replay
from mextrain.searches.result import UNITS, SearchResult
from mextrain.searches.settings import check_method
from mextrain.study.duel import Duels
from mextrain.study.luck import LUCK_PLAYOUTS, Luck
from mextrain.study.search import USUAL_PLAYOUTS, search
from mextrain_core.search.utility import UTILITIES

CLASSES = ((1.0, "fine"), (3.0, "doubtful"), (8.0, "mistake"), (math.inf, "blunder"))
"""Names of losses by upper limit in points; `best` is the move that the search chooses."""

NORMAL_95 = 1.96
"""Standard errors on either side in a 95 % interval."""

DROP = 3.0
"""Moves that are behind the best by more paired errors are dropped early; a search for play drops them at 1."""

_APART = 0x6C6F7373
"""Separates the worlds in which a loss is measured from those in which the best move was found."""

Progress = Callable[[int, int], object]


class DecisionRow(NamedTuple):
    """One decision of a round.

    `event`: the number of the event. `choices`: the number of legal moves. `loss`: by how many points the move is worse
    than `best`, and `loss_error` its standard error; both are 0 if it is `best`. It is negative if the move did better
    in the worlds in which both were compared, and None if a tree has not tried it. `grade`: `best`, `fine`, `doubtful`,
    `mistake` or `blunder`, or None without a loss.
    """

    event: int
    seat: int
    move: str
    best: str
    choices: int
    loss: float | None
    loss_error: float | None
    grade: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return the row as a JSON object, in which the grade is called `class`."""
        row = self._asdict()
        return row | {"class": row.pop("grade")}


class SeatRow(NamedTuple):
    """One seat in a round.

    `decisions`: its plays and stops, of which `choices` were among several legal moves. `loss`: mean loss of a decision
    in points, and `loss_sum` their sum. `luck`: by how many points the draws of the round, by all seats, lowered the
    points that the seat could expect (negative: they raised them), and `luck_error` its standard error.
    """

    seat: int
    decisions: int
    choices: int
    loss: float
    loss_sum: float
    luck: float
    luck_error: float


@dataclass(frozen=True, repr=False)
class Analysis:
    """The result of `analyse`; `str()` of it is a table for people.

    `decisions`: a row for each play and stop, in order. `seats`: a row for each seat. `search`: the first search that
    was made, with its settings, or None if every move was forced.
    """

    title: str
    decisions: tuple[DecisionRow, ...]
    seats: tuple[SeatRow, ...]
    search: SearchResult | None

    def of(self, seat: int) -> Analysis:
        """Return the part about one seat. Raises `PositionError` if there is no such seat."""
        number = whole(seat)
        if number is None or not 0 <= number < len(self.seats):
            raise PositionError(f"there is no seat {shown(seat)}: expected 0 … {len(self.seats) - 1}")
        own = tuple(row for row in self.decisions if row.seat == number)
        return replace(self, decisions=own, seats=tuple(row for row in self.seats if row.seat == number))

    def rows(self) -> list[dict[str, Any]]:
        """Return the decisions as JSON objects."""
        return [row.to_dict() for row in self.decisions]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a JSON object."""
        return {
            "decisions": self.rows(),
            "seats": [seat._asdict() for seat in self.seats],
            **self._settings(),
        }

    def _settings(self) -> dict[str, Any]:
        names = ("method", "policy", "utility", "seed")
        return {name: None if self.search is None else getattr(self.search, name) for name in names}

    def __repr__(self) -> str:
        return f"<Analysis {self.title}: {len(self.decisions)} decisions>"

    def _repr_html_(self) -> str:
        chosen = (row for row in self.decisions if row.choices > 1)
        rows = (
            (row.event, row.seat, row.move, row.best, _number(row.loss), _interval(row), row.grade or "-")
            for row in chosen
        )
        seats = (
            (each.seat, each.decisions, each.choices, f"{each.loss:.2f}", f"{each.loss_sum:.2f}",
             f"{each.luck:.1f} ± {each.luck_error:.1f}")
            for each in self.seats
        )  # fmt: skip
        unit = UNITS[self.search.utility] if self.search else "points"
        told = f"{self.title}: {len(self.decisions)} decisions; loss in {unit}, with 95 % intervals"
        tables = (
            html_table(told, ("event", "seat", "move", "best", "loss", "", "class"), rows),
            html_table("by seat", ("seat", "decisions", "choices", "mean loss", "sum", "luck"), seats),
        )
        return f"<div>{''.join(tables)}</div>"

    def __str__(self) -> str:
        """Return a table of at most 80 columns."""
        chosen = [row for row in self.decisions if row.choices > 1]
        lines = [f"{self.title}: {len(self.decisions)} decisions, {len(chosen)} with a choice"]
        if self.search is not None:
            unit = UNITS[self.search.utility]
            lines += [
                f"by {self.search.method} search, play-outs of {self.search.policy[:40]}, seed {self.search.seed}; "
                f"loss in {unit},",
                "(…) are 95 % intervals; forced moves are left out",
                "",
                f"{'event':>5} {'seat':>4}  {'move':<9} {'best':<9} {'loss':>7} {'':<17} class",
            ]
        for row in chosen:
            loss = f"{_number(row.loss):>7} {_interval(row):<17}"
            lines.append(f"{row.event:>5} {row.seat:>4}  {row.move:<9} {row.best:<9} {loss} {row.grade or '-'}")
        lines += ["", f"{'seat':>4} {'decisions':>10} {'choices':>8} {'mean loss':>10} {'sum':>8} {'luck':>8}"]
        for seat in self.seats:
            lines.append(
                f"{seat.seat:>4} {seat.decisions:>10} {seat.choices:>8} {seat.loss:>10.2f} {seat.loss_sum:>8.2f} "
                f"{seat.luck:>8.1f} ± {seat.luck_error:.1f}"
            )
        return "\n".join(lines)


def analyse(
    record: RoundRecord | Mapping[str, Any] | Position,
    *,
    playouts: int | None = None,
    seconds: float | None = None,
    method: str = "flat",
    policy: Any = "counting",
    utility: str = "margin",
    seed: int = 0,
    workers: int | None = 1,
    luck_playouts: int = LUCK_PLAYOUTS,
    progress: Progress | None = None,
) -> Analysis:
    """Search at every decision of a round, and say what each move lost against the best one.

    `record`: a record, or a position with its events; the round may go on. The other arguments are those of `search`;
    `playouts` and `seconds` are for each decision. Every decision is searched with what its seat knew then. The move
    made and the one that the search chooses are then compared with as many play-outs again, in other worlds that both
    share; trees compare them themselves.

    Luck is measured by playing the round out from the true position before and after every draw, `luck_playouts` times,
    with the policies that also play the search's rounds out. `progress` is called with (done, wanted) decisions.

    Raises `RecordError` for a record that cannot be replayed, `PositionError` for a position without events, and the
    errors of `search`.
    """
    end = _end_of(record)
    if progress is not None and not callable(progress):
        raise MextrainError(f"progress = {shown(progress)}: expected None or a function of (done, wanted)")
    options: dict[str, Any] = {
        "playouts": playouts,
        "seconds": seconds,
        "method": method,
        "policy": policy,
        "utility": utility,
        "seed": seed,
        "workers": workers,
    }
    luck = Luck(end, policy, seed, luck_playouts)
    position = end.restart()
    rows: list[DecisionRow] = []
    judge = _Judge(options)
    total = sum(event.is_decision for event in end.events)
    for number, event in enumerate(end.events):
        if event.move is None:
            if event.tile is not None and position.pending_draw:
                position.draw(event.tile)
            continue
        rows.append(judge.row(number, position, event.move))
        before = position.copy()
        position.play_unchecked(event.move)
        luck.add(before, event.move, position)
        if progress is not None:
            progress(len(rows), total)
    title = f"{end.rules.preset_name}, {end.rules.players} players, engine {end.engine}"
    seats = tuple(_seat(seat, rows, luck) for seat in range(end.rules.players))
    return Analysis(title, tuple(rows), seats, judge.first)


def _end_of(record: object) -> Position:
    if isinstance(record, Position):
        if record.start.is_continued:
            raise PositionError(
                "the position was read from a line without events, so its decisions are not known: expected a record, "
                "or a line that was written with events"
            )
        return record
    if not isinstance(record, (RoundRecord, Mapping)):
        raise RecordError(f"record = {shown(record)}: expected a RoundRecord, its dict, or a Position")
    return replay(record)


class _Judge:
    """Searches at decisions and rates the moves that were made."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        self._seed: int = check_seed(options["seed"])
        playouts, budget = options["playouts"], check_method(options["method"])[1]
        self._budget = budget if playouts is None else whole(playouts)
        if playouts is not None and (self._budget is None or self._budget < 1):
            raise MextrainError(f"playouts = {shown(playouts)}: expected a whole number from 1 on")
        if self._budget is None and options["seconds"] is None:
            self._budget = USUAL_PLAYOUTS
        self._duels: Duels | None = None
        self.first: SearchResult | None = None

    def row(self, event: int, position: Position, move: Move) -> DecisionRow:
        """Return the row of the decision at `position`, in which `move` was made."""
        text, seat = position.rules.actions.text(move), position.seat
        assert seat is not None
        if len(position.legal_moves()) == 1:
            return DecisionRow(event, seat, text, text, 1, 0.0, 0.0, "best")
        found = search(position, drop=DROP, **self._options)
        self.first = self.first or found
        loss, error = (0.0, 0.0) if move == found.best else self._loss(position, move, found)
        grade = "best" if move == found.best else _grade(loss)
        return DecisionRow(event, seat, text, found.best_text, len(found.moves), loss, error, grade)

    def _loss(self, position: Position, move: Move, found: SearchResult) -> tuple[float | None, float | None]:
        if found.method == "tree":
            return found[move].loss, found[move].loss_error
        # In the worlds of the search, the best move is also the luckiest. Others give a loss that is right on average.
        if self._duels is None:
            seats = Seats.of(self._options["policy"], position.rules.players)
            self._duels = Duels(position, seats, UTILITIES.index(found.utility))
        worlds = max(found.playouts if self._budget is None else self._budget, 2) // 2
        return self._duels.loss(position, move, found.best, worlds, mix(self._seed ^ _APART))


def _grade(loss: float | None) -> str | None:
    return None if loss is None else next(name for limit, name in CLASSES if loss < limit)


def _seat(seat: int, rows: list[DecisionRow], luck: Luck) -> SeatRow:
    own = [row for row in rows if row.seat == seat]
    total = math.fsum(row.loss for row in own if row.loss is not None)
    mean = total / len(own) if own else 0.0
    choices = sum(row.choices > 1 for row in own)
    return SeatRow(seat, len(own), choices, mean, total, float(luck.sums[seat]), float(np.sqrt(luck.variances[seat])))


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _interval(row: DecisionRow) -> str:
    if row.loss is None or not row.loss_error:
        return ""
    reach = NORMAL_95 * row.loss_error
    return f"({row.loss - reach:.2f} … {row.loss + reach:.2f})"
