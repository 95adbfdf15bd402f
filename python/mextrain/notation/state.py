"""Converts a `Snapshot` to a STATE struct, and to the `Setup` of a position that starts from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mextrain._support.lazy import cached_property
from mextrain.errors import PositionError, Problem
from mextrain.game.moves import MEXICAN_TRAIN
from mextrain.game.read_only import OWED, Train
from mextrain.game.seeding import round_key
from mextrain.game.setup import Setup
from mextrain.game.tiles import Tile
from mextrain.notation.read import read
from mextrain.notation.snapshot import EARLIER, Hidden, Snapshot, bound_doubles, index_of
from mextrain_core.game.events import EVENT
from mextrain_core.game.turn import step_forced
from mextrain_core.model.limits import LETTER_A, NONE
from mextrain_core.model.rules import OPTION_CODES
from mextrain_core.model.state import (
    BLOCKED,
    DREW,
    MARKED,
    OUT,
    PHASE_DECIDE,
    PHASE_DRAW,
    PHASE_FORCED_DRAW,
    PHASE_LOOK,
    PHASE_LOOK_DRAWN,
    PHASE_OVER,
    RUNNING,
    new_states,
)

_MARK = OPTION_CODES["failed_cover"].index("mark")
_PHASES = {"decision": PHASE_DECIDE, "draw": PHASE_DRAW}


@dataclass(frozen=True)
class Continued(Setup):
    """A round that continues from a line without events. How it was dealt is not known."""

    line: str = field(default="", kw_only=True)

    @classmethod
    def of(cls, snapshot: Snapshot) -> Continued:
        """Return the setup of a position that continues from `snapshot`.

        Raises `PositionError` if something in it is hidden, or if the seat to move cannot do what the phase says.
        """
        check_complete(snapshot)
        order = None
        if snapshot.chance.kind == "order":
            # `order` is indexed by draws since the deal, so earlier draws need placeholders.
            order = (NONE,) * snapshot.counts.draws + tuple(_indices(snapshot, snapshot.boneyard))
        start = cls(snapshot.rules, snapshot.engine, snapshot.starter, None, 0, None, order, line=str(snapshot))
        start.state()
        return start

    @cached_property
    def hands(self) -> tuple[tuple[Tile, ...], ...]:
        """Always raises `PositionError`, because the dealt hands are not known."""
        raise PositionError(
            "a position that was read from a line without events has no record: it does not know how it was dealt "
            "(`line(events=True)` writes them)"
        )

    @property
    def is_continued(self) -> bool:
        """Always true."""
        return True

    @property
    def laid(self) -> tuple[Tile, ...]:
        """The tiles that were already on trains."""
        return self._snapshot.laid

    @property
    def laid_on(self) -> frozenset[Train]:
        """The trains that held them."""
        names: tuple[Train, ...] = (*range(self.rules.players), MEXICAN_TRAIN)
        return frozenset(name for name, train in zip(names, self._snapshot.trains, strict=True) if train.ends)

    def state(self) -> np.ndarray:
        """Return a new STATE array of length 1 with the position of the line."""
        return state_of(self._snapshot)

    @cached_property
    def _snapshot(self) -> Snapshot:
        return read(self.line)


def check_complete(snapshot: Snapshot) -> None:
    """Raise `PositionError` if something in the snapshot is hidden."""
    if not snapshot.hidden:
        return
    remedy = "write tiles that they may hold in place of each `?`"
    if snapshot.events is not None:
        remedy = "`mextrain.determinize(line, seat, seed)` samples them"
    raise PositionError(
        f"the line shows what one seat sees: {', '.join(snapshot.hidden)} cannot be seen. To play on, hidden "
        f"hands must be determinized first: {remedy}"
    )


def state_of(snapshot: Snapshot) -> np.ndarray:
    """Return a STATE array of length 1 for a snapshot without hidden places.

    Raises `PositionError` if the seat to move cannot do what the phase says, such as decide without a legal play.
    """
    states = new_states(1)
    _write_turn(states, snapshot)
    _write_trains(states, snapshot)
    _write_tiles(states, snapshot)
    if snapshot.phase in _PHASES:
        _look(states, snapshot)
    return states


def _write_turn(states: np.ndarray, snapshot: Snapshot) -> None:
    rules, counts = snapshot.rules, snapshot.counts
    drew = isinstance(snapshot.drew, Tile)
    values: dict[str, Any] = {
        "key": _key(snapshot),
        **counts._asdict(),
        "opening_to_come": sum(1 << seat for seat in snapshot.openings),
        "players": rules.players,
        "engine": rules.tiles.half_code(snapshot.engine.high),
        "starter": snapshot.starter,
        "seat": snapshot.seat,
        "step": 1 if snapshot.direction == 1 else rules.players - 1,
        "phase": PHASE_FORCED_DRAW if snapshot.phase == "forced-draw" else PHASE_OVER,
        "owed": 0 if snapshot.over else OWED.index(snapshot.owed),
        "opening": snapshot.opening,
        "play_drew": MARKED if snapshot.marked is not None else DREW if drew else 0,
        "turn_drew": drew or snapshot.drew == EARLIER,
        "drawn": rules.tiles.index(snapshot.drew) if isinstance(snapshot.drew, Tile) else NONE,
        "cover": NONE if snapshot.after is None else index_of(snapshot.after.train, rules),
        "skip": snapshot.skip,
        "penalty": snapshot.penalty,
        "end": {"out": OUT, "blocked": BLOCKED}.get(snapshot.phase, RUNNING),
        "winner": snapshot.seat if snapshot.phase == "out" else NONE,
        "only": NONE,
        "barred": NONE,
        "eligible": _before_mark(snapshot),
    }
    for name, value in values.items():
        states[name] = value


def _before_mark(snapshot: Snapshot) -> int:
    """The trains that the play had to go on before the seat drew and opened its train, as bits; the core needs them."""
    if snapshot.marked is None:
        return 0
    doubles = bound_doubles(snapshot.rules, snapshot.doubles, snapshot.after) or (snapshot.after,)
    return sum(1 << index_of(double.train, snapshot.rules) for double in doubles if double is not None)


def _write_trains(states: np.ndarray, snapshot: Snapshot) -> None:
    rules = snapshot.rules
    code = rules.tiles.half_code
    engine = code(snapshot.engine.high)
    feet = rules.double_rule == "chicken_foot"
    for index, (ends, is_open) in enumerate(snapshot.trains):
        codes = [code(end) for end in ends] or [engine]
        states["started"] |= bool(ends) << index
        states["open"] |= is_open << index
        states["end_half"][0, index] = codes[-1]
        for end in codes if feet else ():
            states["end_count"][0, index, end] += 1
    if snapshot.after is not None:
        states["end_half"][0, index_of(snapshot.after.train, rules)] = code(snapshot.after.tile.high)
    for place, double in enumerate(snapshot.doubles):
        index, half = index_of(double.train, rules), code(double.tile.high)
        states["double_train"][0, place] = index
        states["fresh"] |= (not double.inherited) << index
        states["end_half"][0, index] = half
        if feet:
            # The half of an unfinished foot belongs to the foot, so it is not counted among the train's ends.
            states["end_count"][0, index, half] -= 1
    states["double_count"] = len(snapshot.doubles)
    states["toes"] = len(snapshot.toes)
    for place, toe in enumerate(snapshot.toes):
        states["toe"][0, place] = code(toe)
    masks = (states["end_count"][0] > 0) @ (1 << np.arange(states["end_count"].shape[-1], dtype=np.uint32))
    states["end_mask"][0] = masks


def _write_tiles(states: np.ndarray, snapshot: Snapshot) -> None:
    tables = snapshot.rules.tiles.tables
    for seat, hand in enumerate(snapshot.hands):
        states["hand_count"][0, seat] = len(hand)
        for index in write_hand(states, snapshot, seat):
            _count(states, int(tables.hi[index]), int(tables.lo[index]))
    for index in _indices(snapshot, snapshot.boneyard):
        states["boneyard"][0, index >> 6] |= np.uint64(1 << (index & 63))
        _count(states, int(tables.hi[index]), int(tables.lo[index]))
    states["boneyard_size"] = len(snapshot.boneyard)


def write_hand(states: np.ndarray, snapshot: Snapshot, seat: int) -> list[int]:
    """Write the hand of a seat, which must not be hidden, into `states[0]`; returns the indices of its tiles."""
    tables = snapshot.rules.tiles.tables
    indices = _indices(snapshot, snapshot.hands[seat])
    for index in indices:
        high, low = int(tables.hi[index]), int(tables.lo[index])
        states["hand"][0, seat, high] |= 1 << low
        states["hand"][0, seat, low] |= 1 << high
        states["a_count"][0, seat] += snapshot.rules.tiles.has_wild and low == LETTER_A
    return indices


def _count(states: np.ndarray, high: int, low: int) -> None:
    """Count one tile as off the table."""
    states["off_total"] += 1
    for half in {high, low}:
        states["off"][0, half] += 1


def _indices(snapshot: Snapshot, place: Any) -> list[int]:
    """The indices of the tiles in a place. Several `*-A` get different indices."""
    assert not isinstance(place, Hidden)
    tiles, indices = snapshot.rules.tiles, []
    for tile in place:
        index = tiles.index(tile)
        while index in indices:
            index += 1
        indices.append(index)
    return indices


def _key(snapshot: Snapshot) -> int:
    """The key of the stream. If the line does not determine the draws, it is the key of seed 0."""
    if snapshot.chance.kind == "order":
        return 0
    return round_key(0, 0, snapshot.engine) if snapshot.chance.key is None else snapshot.chance.key


def _look(states: np.ndarray, snapshot: Snapshot) -> None:
    """Let the core find the legal plays, and check that this leads to the phase that the line gives."""
    rules = snapshot.rules
    drew = isinstance(snapshot.drew, Tile)
    states["phase"] = PHASE_LOOK_DRAWN if drew else PHASE_LOOK
    if not drew:
        # The core counts the attempt when it searches for plays.
        states["attempts"] -= 1
    step_forced(states, 0, rules.record, np.empty(2, EVENT), np.uint64(NONE))
    states["events"] = 0
    phase = int(states["phase"][0])
    kept = drew and bool(states["bound"][0]) and rules.record["failed_cover"][0] == _MARK
    if phase == _PHASES[snapshot.phase] and not kept:
        return
    can = "can play" if phase == PHASE_DECIDE else "draws" if phase == PHASE_DRAW else "can neither play nor draw"
    can = "must keep what it drew (failed_cover=mark)" if kept else can
    expected = {PHASE_DECIDE: "decision", PHASE_DRAW: "draw, with chance explicit"}.get(phase)
    remedy = f"write phase {expected}" if expected and not kept else "write what follows: the next seat on move"
    problem = Problem("phase", snapshot.phase, f"what seat {snapshot.seat} can do, and it {can}", remedy)
    raise PositionError("the line describes no position", [problem])
