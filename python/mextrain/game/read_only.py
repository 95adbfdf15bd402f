"""`ReadOnlyPosition`: a round at some point, with everything that can be read from it (docs/rules.md).

`mextrain.Position` adds play. Code that only reads (tables, refusals, records) takes a `ReadOnlyPosition`, so it works
with any kind of position.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from mextrain._support.integers import whole
from mextrain.errors import MoveError, shown
from mextrain.game.events import DRAWS, NO_PLAY, Event, LogEntry
from mextrain.game.moves import MEXICAN_TRAIN, Move
from mextrain.game.rules import RuleSet
from mextrain.game.setup import Setup
from mextrain.game.text_cache import texts_of
from mextrain.game.tiles import Half, Tile
from mextrain_core.game.events import PLAY
from mextrain_core.game.movegen import is_legal, legal_ids, legal_mask, legal_moves
from mextrain_core.game.score import score
from mextrain_core.model.limits import NONE
from mextrain_core.model.state import BLOCKED, OUT, PHASE_DECIDE, PHASE_DRAW, PHASE_FORCED_DRAW, PHASE_OVER, STATE

Train = int | str
"""A train: the seat it belongs to, or `"M"` for the Mexican Train."""

Action = Move | str | int
"""What `Position.play` takes: a `Move`, its text such as `12-5@0` or `stop`, or its action id."""

OWED = ("required", "bonus", "chain")
"""What a turn can owe, in the order of the core's numbers: a play that must be made, the bonus play of a `*-T`, or
another tile of the opening chain."""

_ENDS = {OUT: "out", BLOCKED: "blocked"}
_BYTES = {name: field[1] for name, field in (STATE.fields or {}).items() if field[0] == np.uint8}
"""Offsets of the one-byte fields. Reading them as bytes is much faster than through the struct's dtype."""

_ANYWHERE = Tile("*", "A")


class OpenDouble(NamedTuple):
    """A double that still has to be covered.

    `inherited`: whether it was already open before this turn. `toes`: the free halves of the toes laid on an unfinished
    chicken foot, in order; empty without chicken feet. `str` gives `5-5@2`.
    """

    tile: Tile
    train: Train
    inherited: bool
    toes: tuple[Half, ...] = ()

    def __str__(self) -> str:
        return f"{self.tile}@{self.train}"


class ReadOnlyPosition:
    """A round at some point. Seats and personal trains are ints 0 … players - 1; the Mexican Train is `"M"`."""

    __slots__ = ("_log", "_raw", "_start", "_states")

    _start: Setup
    _raw: np.ndarray
    """The bytes of the STATE struct: uint8[STATE.itemsize]."""
    _states: np.ndarray
    """The same memory as an array of one STATE struct."""
    _log: list[LogEntry]

    # -- the decision

    @property
    def rules(self) -> RuleSet:
        """The rules of the round."""
        return self._start.rules

    @property
    def start(self) -> Setup:
        """How the round began."""
        return self._start

    @property
    def seat(self) -> int | None:
        """The seat to move; None when the round is over."""
        return None if self.over else self._get("seat")

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves by ascending action id, `STOP` last; empty when there is no decision to make."""
        return tuple(map(Move.from_code, self._listed(legal_moves)))

    def legal_ids(self) -> tuple[int, ...]:
        """Return the action ids of the legal moves, ascending; empty when there is no decision to make."""
        return tuple(self._listed(legal_ids))

    def legal_texts(self) -> tuple[str, ...]:
        """Return the texts of the legal moves, in the order of `legal_moves`."""
        return tuple(map(texts_of(self.rules.actions).text, self._listed(legal_moves)))

    def action_mask(self, *, packed: bool = False) -> np.ndarray:
        """Return which actions are legal, as a new array: bool[A], True for a legal id (A = `rules.action_count`).

        With `packed`, uint64[(A + 63) // 64]: bit `id & 63` of word `id >> 6`. All entries are False when there is no
        decision to make: before a draw with explicit chance, and when the round is over.
        """
        count = self.rules.action_count
        words = np.zeros((count + 63) // 64, np.uint64)
        legal_mask(self._states, 0, self.rules.record, words)
        if packed:
            return words
        octets = words.astype("<u8").view(np.uint8)
        return np.unpackbits(octets, count=count, bitorder="little").view(np.bool_)

    def is_legal(self, action: Action) -> bool:
        """Return whether `action` is legal now. Raises `MoveError` for anything that is not a move of these rules."""
        return self._is_legal(self._move(action))

    # -- the turn

    @property
    def owed(self) -> Literal["required", "bonus", "chain"] | None:
        """What the turn owes: a `required` play, the `bonus` play of a `*-T`, or another tile of the opening `chain`
        (docs/rules.md, sections 6 and 8); None when the round is over."""
        return None if self.over else OWED[self._get("owed")]  # type: ignore[return-value]

    @property
    def must_cover(self) -> tuple[OpenDouble, ...]:
        """The open doubles that bind the next play, which must go on one of them; empty when the play is free."""
        if self._get("phase") not in (PHASE_DECIDE, PHASE_DRAW) or not self._get("bound"):
            return ()
        eligible = self._get("eligible")
        return tuple(double for double in self.open_doubles if eligible >> self._index(double.train) & 1)

    @property
    def drawn(self) -> Tile | None:
        """The tile drawn because the seat could not make the play owed now; None if no tile was drawn for it."""
        index = self._get("drawn")
        return None if self.over or index == NONE else self.rules.tiles[index]

    @property
    def opening(self) -> bool:
        """Whether this turn is the opening turn of the seat to move (docs/rules.md, section 8)."""
        return not self.over and bool(self._get("opening"))

    @property
    def opening_to_come(self) -> frozenset[int]:
        """The seats that may still have an opening turn. A seat loses it once anybody starts its train."""
        return self._seats("opening_to_come") - self._seats("started")

    @property
    def skip_pending(self) -> bool:
        """Whether the next seat will be skipped, because an S tile was laid in this turn."""
        return not self.over and bool(self._get("skip"))

    @property
    def draw_pending(self) -> bool:
        """Whether the next seat that acts must draw a tile first, because of a D tile."""
        return not self.over and bool(self._get("penalty"))

    @property
    def direction(self) -> int:
        """1 for clockwise, -1 after a reverse. With two players it is always 1, as both directions are the same."""
        return 1 if self._get("step") == 1 else -1

    @property
    def pending_draw(self) -> Literal["draw", "forced-draw"] | None:
        """The draw that the caller must make: `draw` if the seat cannot play, `forced-draw` after a D tile, or None."""
        phase = self._get("phase")
        if phase == PHASE_DRAW:
            return "draw"
        return "forced-draw" if phase == PHASE_FORCED_DRAW else None

    # -- the table

    @property
    def engine(self) -> Tile:
        """The double in the centre."""
        return self._start.engine

    @property
    def starter(self) -> int:
        """The seat that began the round."""
        return self._get("starter")

    @property
    def trains(self) -> tuple[Train, ...]:
        """The names of all trains: the seats, then `"M"`."""
        return (*range(self.rules.players), MEXICAN_TRAIN)

    @property
    def started(self) -> frozenset[Train]:
        """The trains that have at least one tile."""
        return frozenset(train for train in self.trains if self._get("started") >> self._index(train) & 1)

    def is_open(self, train: Train) -> bool:
        """Return whether a train is open to other seats (its marker is up). The Mexican Train is always open."""
        index = self._index(train)
        return index == self.rules.players or bool(self._get("open") >> index & 1)

    def ends(self, train: Train) -> tuple[Half, ...]:
        """Return the ends of a train. There is one, except with chicken feet, where equal ends are listed separately.

        The end of an unstarted train is the engine's half. The end of an unfinished foot is the half of its double.
        """
        index = self._index(train)
        codes = [int(self._states["end_half"][0, index])]
        if self.rules.double_rule == "chicken_foot":
            is_foot = self._get("double_count") and int(self._states["double_train"][0, 0]) == index
            counts = self._states["end_count"][0, index].tolist()
            several = [code for code, count in enumerate(counts) for _ in range(count)]
            codes = sorted(several + codes if is_foot else several or codes)
        return tuple(map(self.rules.tiles.half, codes))

    @property
    def open_doubles(self) -> tuple[OpenDouble, ...]:
        """The doubles that still have to be covered, the oldest first; empty when the round is over."""
        return () if self.over else self._doubles()

    @property
    def hands(self) -> tuple[tuple[Tile, ...], ...]:
        """The hands by seat, each in tile-number order."""
        return tuple(map(self._hand, range(self.rules.players)))

    @property
    def hand_sizes(self) -> tuple[int, ...]:
        """Number of tiles in each hand, by seat. Everybody can see these."""
        return tuple(self._states["hand_count"][0, : self.rules.players].tolist())

    @property
    def boneyard_size(self) -> int:
        """Number of tiles in the boneyard."""
        return self._get("boneyard_size")

    @property
    def boneyard(self) -> tuple[Tile, ...]:
        """The tiles of the boneyard in tile-number order, which is not the drawing order."""
        return tuple(self.rules.tiles[index] for index in self._boneyard_indices())

    # -- the round so far

    @property
    def over(self) -> bool:
        """Whether the round has ended."""
        return self._get("phase") == PHASE_OVER

    @property
    def end(self) -> Literal["out", "blocked"] | None:
        """How the round ended: `out` or `blocked` (docs/rules.md, section 9); None until it ends."""
        return _ENDS.get(self._get("end"))  # type: ignore[return-value]

    @property
    def winner(self) -> int | None:
        """The seat that went out; None until the round ends, and if it was blocked."""
        seat = self._get("winner")
        return None if seat == NONE else seat

    @property
    def points(self) -> tuple[int, ...]:
        """The points of each hand now, by seat (docs/rules.md, section 9); the round's score once it is over."""
        out = np.zeros(self.rules.players, np.int64)
        score(self._states, 0, self.rules.record, out)
        return tuple(out.tolist())

    @property
    def turns(self) -> int:
        """Turns begun so far, including this one. A skipped seat has no turn."""
        return self._get("turns")

    @property
    def plays(self) -> int:
        """Tiles played so far, without the engine."""
        return self._get("plays")

    @property
    def draws(self) -> int:
        """Tiles drawn so far, because a seat could not play or because of a D tile."""
        return self._get("draws")

    @property
    def attempts(self) -> int:
        """How many times a play was due so far (docs/determinism.md). Policies number their random words by it."""
        return self._get("attempts")

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything that has happened so far, in order, including draws of hidden tiles."""
        event = texts_of(self.rules.actions).event
        return tuple(event(entry) for entry in self._log if entry[0] != NO_PLAY)

    @property
    def log(self) -> list[LogEntry]:
        """The core's log: the events as numbers, and `NO_PLAY` where no legal play was found. Do not change it."""
        return self._log

    def drawn_order(self) -> tuple[Tile, ...]:
        """Return the boneyard as dealt: first the tiles drawn, in order, then the rest as in `boneyard_in_order`."""
        drawn = tuple(self.rules.tiles[data] for kind, _, data, _ in self._log if kind in DRAWS)
        return drawn + self.boneyard_in_order()

    def boneyard_in_order(self) -> tuple[Tile, ...]:
        """Return the tiles of the boneyard in the drawing order if one was given, else in tile-number order."""
        order = self._start.order
        return self.boneyard if order is None else tuple(self.rules.tiles[index] for index in order[self.draws :])

    # -- inside

    def _get(self, name: str) -> int:
        offset = _BYTES.get(name)
        return int(self._states[name][0] if offset is None else self._raw.item(offset))

    def _hand(self, seat: int) -> tuple[Tile, ...]:
        tiles = self.rules.tiles
        held = self._states["hand"][0, seat, tiles.tables.hi] >> tiles.tables.lo & 1
        hand = [tiles[index] for index in np.flatnonzero(held).tolist()]
        if tiles.has_wild:
            # A hand's matrix has one bit for the three *-A, so if it is set, all three are listed here.
            count = int(self._states["a_count"][0, seat])
            for _ in range(3 - count if count else 0):
                hand.remove(_ANYWHERE)
        return tuple(hand)

    def _laid_moves(self) -> tuple[Move, ...]:
        """The plays so far, in order."""
        return tuple(Move.from_code(data) for kind, _, data, _ in self._log if kind == PLAY)

    def _seats(self, name: str) -> frozenset[int]:
        bits = self._get(name)
        return frozenset(seat for seat in range(self.rules.players) if bits >> seat & 1)

    def _index(self, train: Train) -> int:
        players = self.rules.players
        if isinstance(train, str) and train == MEXICAN_TRAIN:
            return players
        index = whole(train)
        if index is None or not 0 <= index < players:
            raise MoveError(f"there is no train {shown(train)}: expected a seat 0 … {players - 1}, or 'M'")
        return index

    def _doubles(self) -> tuple[OpenDouble, ...]:
        """The open doubles, including those still open when the round ended."""
        toes = self._states["toe"][0, : self._get("toes")].tolist()
        toes_here = tuple(map(self.rules.tiles.half, toes))
        doubles = []
        for index in self._states["double_train"][0, : self._get("double_count")].tolist():
            half = self.rules.tiles.half(int(self._states["end_half"][0, index]))
            is_new = bool(self._get("fresh") >> index & 1)
            doubles.append(OpenDouble(Tile(half, half), self.trains[index], not is_new, toes_here))
        return tuple(doubles)

    def _boneyard_indices(self) -> list[int]:
        octets = self._states["boneyard"][0].astype("<u8").view(np.uint8)
        return np.flatnonzero(np.unpackbits(octets, bitorder="little")).tolist()

    def _move(self, action: Action) -> Move:
        actions = self.rules.actions
        if isinstance(action, str):
            return texts_of(actions).move(action)
        if isinstance(action, Move):
            actions.id(action)
            return action
        return actions.move(action)

    def _is_legal(self, move: Move) -> bool:
        return bool(is_legal(self._states, 0, self.rules.record, np.uint64(move.code)))

    def _listed(self, kernel: Any) -> list[int]:
        # One more entry than there are plays, for stop.
        out = np.zeros(self._get("legal_count") + 1, np.uint16)
        listed: list[int] = out[: kernel(self._states, 0, self.rules.record, out)].tolist()
        return listed
