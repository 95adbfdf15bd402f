"""Takes a `Snapshot` of a position, either complete or as one seat sees it."""

from __future__ import annotations

from mextrain._support.integers import whole
from mextrain.errors import PositionError, shown
from mextrain.game.read_only import OWED, OpenDouble, ReadOnlyPosition
from mextrain.game.text_cache import texts_of
from mextrain.game.tiles import Tile
from mextrain.notation.snapshot import (
    EARLIER,
    UNSEEN,
    Chance,
    Counts,
    Hidden,
    Place,
    Snapshot,
    TrainState,
    bound_doubles,
)
from mextrain_core.model.limits import NONE
from mextrain_core.model.state import MARKED


def take(
    standing: ReadOnlyPosition, explicit: bool, for_seat: int | None = None, key: bool = False, events: bool = False
) -> Snapshot:
    """Return the snapshot of a position. `explicit` says whether the caller makes the draws.

    `for_seat` hides what that seat cannot see. With `key`, the snapshot also determines the draws, by the key of the
    stream or by the order of the boneyard. With `events`, it also has the course of the round. Raises `PositionError`
    for a seat that does not exist, for `for_seat` together with `key`, and if the course is not known.
    """
    rules = standing.rules
    seat = whole(for_seat)
    if for_seat is not None and (seat is None or not 0 <= seat < rules.players):
        raise PositionError(f"there is no seat {shown(for_seat)}: expected 0 … {rules.players - 1}")
    if key and for_seat is not None:
        raise PositionError("what will be drawn is hidden from every seat: give key or for_seat, not both")
    over = standing.over
    hands = tuple(
        standing._hand(at) if seat in (None, at) else _hidden(size) for at, size in enumerate(standing.hand_sizes)
    )
    boneyard = standing.boneyard if seat is None else _hidden(standing.boneyard_size)
    chance = Chance("explicit" if explicit else "hidden")
    if key and not explicit:
        chance = Chance("stream", int(standing._states["key"][0])) if standing.start.order is None else Chance("order")
        boneyard = boneyard if standing.start.order is None else standing.boneyard_in_order()
    mover = standing._get("seat")
    return Snapshot(
        rules=rules,
        engine=standing.engine,
        starter=standing.starter,
        counts=Counts(standing.turns, standing.plays, standing.draws, standing.attempts),
        seat=mover,
        direction=standing.direction,
        phase=standing.end or standing.pending_draw or "decision",
        owed="nothing" if over else OWED[standing._get("owed")],
        after=None if over else _after(standing),
        drew=UNSEEN if standing.drawn is not None and seat not in (None, mover) else _drew(standing),
        marked=_marked(standing),
        opening=standing.opening,
        openings=standing.opening_to_come,
        trains=tuple(_train(standing, index) for index in range(rules.players + 1)),
        doubles=standing._doubles(),
        skip=standing.skip_pending,
        penalty=standing.draw_pending,
        hands=hands,
        boneyard=boneyard,
        laid=_laid(standing),
        chance=chance,
        events=events_for(standing, seat) if events else None,
    )


def _hidden(size: int) -> Place:
    """A place where only the number of tiles is visible."""
    return Hidden(size) if size else ()


def events_for(standing: ReadOnlyPosition, seat: int | None) -> tuple[str, ...]:
    """Return the texts of the events as `seat` sees them, with `?` for the tiles that others drew; of None, all.

    Raises `PositionError` if the earlier course of the round is not known.
    """
    if standing.start.is_continued:
        raise PositionError("the events of the round are not known: it continues from a line without them")
    return tuple(
        f"{event.seat}:{event.kind} {UNSEEN}" if event.is_draw and seat not in (None, event.seat) else event.text
        for event in standing.events
    )


def _after(standing: ReadOnlyPosition) -> OpenDouble | None:
    """The double that the required play follows, or None. It may have been released since."""
    index = standing._get("cover")
    if index == NONE:
        return None
    half = standing.rules.tiles.half(int(standing._states["end_half"][0, index]))
    return OpenDouble(Tile(half, half), standing.trains[index], False)


def _drew(standing: ReadOnlyPosition) -> Tile | str | None:
    if standing.drawn is not None:
        return standing.drawn
    return EARLIER if not standing.over and standing._get("turn_drew") else None


def _marked(standing: ReadOnlyPosition) -> tuple[OpenDouble, ...] | None:
    """The doubles that the drawn tile had to cover, if the train was opened before it may be played; else None."""
    if standing.over or standing._get("play_drew") != MARKED:
        return None
    bound = bound_doubles(standing.rules, standing.open_doubles, _after(standing))
    return tuple(OpenDouble(double.tile, double.train, True) for double in bound)


def _train(standing: ReadOnlyPosition, index: int) -> TrainState:
    train = standing.trains[index]
    ends = standing.ends(train) if train in standing.started else ()
    return TrainState(ends, index < standing.rules.players and standing.is_open(train))


def _laid(standing: ReadOnlyPosition) -> tuple[Tile, ...]:
    """The tiles on the table without the engine, in tile-number order."""
    rules = standing.rules
    laid = [*standing.start.laid, *map(texts_of(rules.actions).tile, standing._laid_moves())]
    return tuple(sorted(laid, key=rules.tiles.index))
