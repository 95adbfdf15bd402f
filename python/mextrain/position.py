"""`Position`: one round, from the deal to the points (docs/rules.md).

A position is always at a decision, or the round is over. With explicit chance it also stops before each draw.
Everything that the rules force in between (draws, opened trains, skips) happens automatically and appears in `events`.

    >>> from mextrain import Position, RuleSet
    >>> position = Position.deal(RuleSet.mexican(players=4), seed=1)
    >>> while not position.over:
    ...     position.play(position.legal_moves()[0])
    >>> position.end
    'out'
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from mextrain.errors import IllegalMove, InternalError, PositionError, RecordError, shown
from mextrain.game.equality import decisive
from mextrain.game.events import LogEntry
from mextrain.game.moves import Move
from mextrain.game.read_only import Action, OpenDouble, ReadOnlyPosition, Train
from mextrain.game.refusal import refusal
from mextrain.game.rules import RuleSet
from mextrain.game.seeding import drawing_order
from mextrain.game.setup import Setup
from mextrain.game.tiles import Tile
from mextrain.notation.course import Course, begin, check_end, wrong
from mextrain.notation.read import read
from mextrain.notation.record import RoundRecord
from mextrain.notation.state import Continued, check_complete
from mextrain.notation.table import table
from mextrain.notation.take import take
from mextrain.picture.svg import Picture
from mextrain.picture.table import table_picture
from mextrain_core.game.events import EVENT
from mextrain_core.game.turn import advance, apply_move, play, play_unchecked, step_forced
from mextrain_core.model.limits import NONE
from mextrain_core.model.state import FAULT, PHASE_DECIDE, PHASE_DRAW, PHASE_FORCED_DRAW, STATE

__all__ = ["Action", "Chance", "OpenDouble", "Position", "Train"]

Chance = Literal["stream", "explicit"]

_LOG_ROOM = 1024  # entries; forced steps between two decisions draw each boneyard tile at most once
_LAYOUT = zlib.crc32(repr(STATE.descr).encode())


class Position(ReadOnlyPosition):
    """One round. Create it with `Position.deal`, `Position.setup` or `Position.from_line`.

    A position knows all hands, so do not show its hidden parts to players. `table(for_seat=...)` shows what one of them
    may see. Seats and personal trains are ints 0 … players - 1; the Mexican Train is `"M"`.

    Two positions are equal if the same can happen in both: the rules, the table, the hands and the future draws are the
    same. Their past does not matter. A position is mutable, so it cannot be put into a set or be the key of a dict. Use
    its `identity()` for that.
    """

    __slots__ = ("_buffer", "_chance", "_past")

    def __init__(self, start: Setup, chance: Chance = "stream") -> None:
        """Begin the round that `start` describes. `Position.deal` and `Position.setup` are more convenient."""
        if not isinstance(chance, str) or chance not in ("stream", "explicit"):
            raise PositionError(f"chance = {shown(chance)}: expected 'stream' or 'explicit'")
        self._start = start
        self._chance = chance
        self._hold(start.state().view(np.uint8).copy())
        self._buffer: np.ndarray | None = None
        self._log = []
        self._past: tuple[np.ndarray, int, Any] | None = None
        self._go_on()

    @classmethod
    def deal(
        cls,
        rules: RuleSet,
        *,
        seed: int,
        game: int = 0,
        engine: Tile | str | None = None,
        starter: int | None = None,
        chance: Chance = "stream",
    ) -> Position:
        """Return the round with `engine` in game `game` of `seed`, at its first decision.

        `engine`: any double of the set; by default the first engine of the rules. If the deal decides the engine
        (option `engine_from`), it only names the round. `starter`: by default the fixed seat of the rules if they name
        one (then no other is allowed), else the seat that the stream decides. The round is the same as in a `Match`
        with this seed and game.

        With `chance="explicit"` the position stops before each draw (`pending_draw`), and the caller draws (`draw`).

        Raises `SeedError` for a seed outside 0 … 2**64 - 1 or a game outside 0 … 2**59 - 1, `PositionError` for any
        other invalid argument.
        """
        return cls(Setup.dealt(rules, seed, game, engine, starter), chance)

    @classmethod
    def setup(
        cls,
        rules: RuleSet,
        *,
        hands: Sequence[str | Iterable[Tile | str]],
        engine: Tile | str | None = None,
        starter: int | None = None,
        boneyard: str | Iterable[Tile | str] | None = None,
        seed: int | None = None,
        game: int = 0,
        chance: Chance = "stream",
    ) -> Position:
        """Return a round with given hands, at its first decision.

        `hands`: by seat, tiles or their texts; a hand may also be one text, such as `"12-5 9-1"`. Hands may have any
        size from 1 up. `starter`: by default the fixed seat of the rules if they name one (then no other is allowed),
        else seat 0. `boneyard`: all other tiles except the engine, in drawing order. Without it, the stream of `seed`
        (default 0) and `game` decides the draws, or the caller does with `chance="explicit"`.

        Raises `PositionError` if the tiles do not make up the set, if they contradict the engine (option
        `engine_from`), and for an impossible starter, engine or combination of arguments; `SeedError` for a seed or
        game out of range.
        """
        is_explicit = isinstance(chance, str) and chance == "explicit"
        if boneyard is not None and (seed is not None or is_explicit):
            raise PositionError("a boneyard in its order leaves nothing to a seed or explicit chance: give one of them")
        drawn_by_seed = boneyard is None and not is_explicit
        key_seed = (0 if seed is None else seed) if drawn_by_seed else seed
        return cls(Setup.set_up(rules, engine, starter, hands, boneyard, key_seed, game), chance)

    @property
    def chance(self) -> Chance:
        """What decides the draws: `stream` (or a given order of the boneyard), or `explicit` for the caller."""
        return self._chance

    @classmethod
    def from_line(cls, text: str) -> Position:
        """Return the position that one line of text describes (docs/formats.md). It can be played on from there.

        The line's key or order decides the draws. If the line gives neither, they come from the stream of seed 0.

        If the line has events, the position is that of a round played from its deal. Otherwise the earlier course of
        the round is not known: there are no events, the round has no record, and hidden tiles cannot be sampled.

        Raises a `PositionError` whose `problems` list everything wrong with the line; also for a line with hidden
        places, and for events that do not lead to what the line describes.
        """
        snapshot = read(text)
        explicit = snapshot.chance.kind == "explicit"
        if snapshot.events is None:
            return cls(Continued.of(snapshot), "explicit" if explicit else "stream")
        check_complete(snapshot)
        position = cls(begin(snapshot), "explicit" if explicit else "stream")
        try:
            Course(position, snapshot.events, goes_on=True).run()
        except RecordError as error:
            raise wrong("events", f"event {error.event}", "what can happen by the rules", error.reason) from None
        check_end(snapshot, take(position, explicit, key=snapshot.chance.kind == "order", events=True))
        return position

    def line(self, *, for_seat: int | None = None, key: bool = False, events: bool = False) -> str:
        """Return the position as one line of text (docs/formats.md), which `from_line` reads.

        `for_seat` leaves out what that seat cannot see. Future draws are included only with `key`. Then the position
        read back is equal and continues with the same draws. With `events`, the line has the course of the round too,
        which shows what the seats have revealed: then hidden tiles can be sampled (`determinize`), and the position
        read back has events and a record.

        Raises `PositionError` for a seat that does not exist, for `for_seat` together with `key`, and for `events` if
        the position continues from a line without them.
        """
        return str(take(self, self._chance == "explicit", for_seat, key, events))

    def why_illegal(self, action: Action) -> str | None:
        """Return why `action` is not legal now, or None if it is. Raises `MoveError` for anything but a move."""
        move = self._move(action)
        return None if self._is_legal(move) else refusal(self, move)

    # -- moves

    def play(self, action: Action) -> None:
        """Make a move and everything that it forces, up to the next decision.

        Raises `IllegalMove` with the reason and similar legal moves, and `MoveError` for anything that is not a move of
        these rules: an unknown text, an id out of range, a bool or float. In both cases nothing changes.
        """
        move = self._move(action)
        if not self._make(move):
            raise IllegalMove(refusal(self, move))

    def try_play(self, action: Action) -> bool:
        """Like `play`, but return False and change nothing if the move is illegal. Returns True if it was made."""
        return self._make(self._move(action))

    def play_unchecked(self, action: Action) -> None:
        """Make a move that is known to be legal, such as one from `legal_moves`.

        An illegal move leaves the position invalid, though `undo` can take it back. If draws are not decided by the
        stream, an illegal move is detected and ignored. Raises `MoveError` like `play`.
        """
        move = self._move(action)
        if not self._by_stream:
            self._make(move)
            return
        self._remember()
        self._call(play_unchecked, np.uint64(move.code))

    def undo(self) -> None:
        """Take back the last move and everything that it forced. With explicit chance, take back the last move or draw.

        Raises `PositionError` if there is nothing to take back.
        """
        if self._past is None:
            raise PositionError("nothing can be taken back: no move has been made in this position")
        self._take_back()

    # -- explicit chance

    def chance_outcomes(self) -> tuple[tuple[Tile, float], ...]:
        """Return the possible results of the pending draw: each tile of the boneyard, with probability 1 / its size.

        Copies of `*-A` are listed separately. Empty if no draw is pending.
        """
        boneyard = self.boneyard if self.pending_draw else ()
        return tuple((tile, 1 / len(boneyard)) for tile in boneyard)

    def draw(self, tile: Tile | str) -> None:
        """Make the pending draw: `tile` goes to the seat to move, and the round continues to the next draw or decision.

        Raises `IllegalMove` if no draw is pending or the boneyard does not hold the tile, `TileError` for anything that
        is not a tile. In both cases nothing changes.
        """
        if self.pending_draw is None:
            raise IllegalMove(f"no draw of {shown(tile)} is due: draws are the caller's with chance='explicit' only")
        wanted = tile if isinstance(tile, Tile) else self.rules.tiles.parse(tile)
        for index in self._boneyard_indices():
            if self.rules.tiles[index] == wanted:
                self._remember()
                self._call(step_forced, np.uint64(index))
                self._go_on()
                return
        raise IllegalMove(f"{wanted} cannot be drawn: it is not among the {len(self.boneyard)} tiles of the boneyard")

    def record(self, *, legal: bool = False, partial: bool = False) -> dict[str, Any]:
        """Return the record of the round as an object for JSON (docs/formats.md).

        With `legal` it lists the legal moves of every decision. With `partial` the round may go on: then the record has
        no result, and `replay` returns an equal position, which continues with the same draws.

        Raises `PositionError` if the round goes on without `partial`, or if a draw by the caller is pending.
        """
        to_come = self._to_come() if partial and not self.over else None
        return RoundRecord.of(self, self._legal_lists() if legal else None, to_come).to_dict()

    def _to_come(self) -> tuple[Tile, ...]:
        """The tiles of the boneyard in the order in which they will be drawn, if something decides it."""
        if self.pending_draw:
            raise PositionError(f"seat {self.seat} is to draw: a record can be written after the draw")
        if not self._by_stream:
            return self.boneyard_in_order()
        return drawing_order(int(self._states["key"][0]), self.draws, self.boneyard)

    def _legal_lists(self) -> list[list[str]]:
        again = self.restart()
        lists = []
        for event in self.events:
            if event.move is None and event.tile is not None and again.pending_draw:
                again.draw(event.tile)
            if event.move is not None:
                lists.append(sorted(again.legal_texts()))
                again.play_unchecked(event.move)
        return lists

    # -- copies, texts, equality

    def copy(self) -> Position:
        """Return an equal, independent position. Its moves can be undone as far back as this one's."""
        other = object.__new__(Position)
        other._start = self._start
        other._chance = self._chance
        other._hold(self._raw.copy())
        other._buffer = None
        other._log = self._log.copy()
        # Past states are never written to, so both positions can share them.
        other._past = self._past
        return other

    def restart(self) -> Position:
        """Return the round at its first decision, with the same deal and, unless the caller draws, the same draws."""
        return Position(self._start, self._chance)

    def table(self, *, for_seat: int | None = None, width: int = 100) -> str:
        """Return the position as text for people, at most `width` columns wide (at least 60).

        `for_seat` leaves out what that seat cannot know. Raises `PositionError` for an invalid `for_seat` or `width`.
        """
        return table(self, for_seat=for_seat, width=width)

    def svg(
        self,
        *,
        for_seat: int | None = None,
        width: int = 720,
        theme: str = "auto",
        suggest: Action | None = None,
        names: Sequence[str] | None = None,
        hands: bool = True,
    ) -> Picture:
        """Return the position as a picture (docs/pictures.md): SVG source that a notebook shows and `save` writes.

        `for_seat` leaves out what that seat cannot know, everywhere in the source. `width`: pixels, 600 … 4000.
        `theme`: `light`, `dark`, or `auto` for what the viewer prefers. `suggest`: a legal move to be shown.
        `names`: a text for each seat. `hands`: whether the hands are drawn.

        Positions with the same course and the same future give the same bytes. Raises `PositionError` for an invalid
        argument, `IllegalMove` or `MoveError` for a suggestion that is not legal.
        """
        return table_picture(
            self,
            title=repr(self)[1:-1],
            for_seat=for_seat,
            width=width,
            theme=theme,
            suggest=suggest,
            names=names,
            hands=hands,
        )

    def _repr_svg_(self) -> str:
        return str(self.svg())

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        state = f"turn {self.turns}, seat {self.seat} on move"
        if self.over:
            state = "blocked" if self.winner is None else f"seat {self.winner} went out"
        rules = self.rules
        return f"<Position {rules.preset_name}, {rules.players} players, engine {self.engine}: {state}>"

    def __copy__(self) -> Position:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Position:
        return self.copy()

    def __eq__(self, other: object) -> bool:
        return self.identity() == other.identity() if isinstance(other, Position) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def identity(self) -> tuple[object, ...]:
        """Return a hashable value for sets and dict keys. Positions have equal values if and only if they are equal.

        The value does not change when the position is played on. It includes everything, even hidden tiles.
        """
        to_come = None if self._start.order is None else self.boneyard_in_order()
        return self.rules, self._chance, to_come, decisive(self._raw, self.rules, self._by_stream)

    def __reduce__(self) -> tuple[Any, ...]:
        past = []
        step = self._past
        while step is not None:
            raw, length, step = step
            past.append((_packed(raw), length))
        return _restore, (_LAYOUT, self._start, self._chance, _packed(self._raw), self._log, past)

    # -- inside

    def _hold(self, raw: np.ndarray) -> None:
        """Store the bytes of a STATE struct, without copying."""
        self._raw = raw
        self._states = raw.view(STATE)

    @property
    def _by_stream(self) -> bool:
        """Whether the stream decides the draws, so that the core can run to the next decision on its own."""
        return self._chance == "stream" and self._start.order is None

    def _remember(self) -> None:
        self._past = (self._raw.copy(), len(self._log), self._past)

    def _make(self, move: Move) -> bool:
        """Make a move and what it forces if it is legal, else change nothing. Returns whether it was made."""
        before = self._past
        self._remember()
        draws = self._get("draws")
        code = np.uint64(move.code)
        if not self._call(play, code):
            self._past = before
            return False
        if self._get("draws") != draws and not self._by_stream:
            # The core drew from the stream, which does not decide draws here. Redo the move step by step.
            self._take_back()
            self._remember()
            self._call(apply_move, code)
            self._go_on()
        return True

    def _take_back(self) -> None:
        assert self._past is not None
        raw, length, self._past = self._past
        self._raw[:] = raw
        del self._log[length:]

    def _go_on(self) -> None:
        """Run all forced steps, up to a decision, the end of the round or, with explicit chance, a draw."""
        if self._by_stream:
            self._call(advance)
            return
        order = self._start.order
        while (phase := self._get("phase")) < PHASE_DECIDE:
            tile = NONE
            if phase in (PHASE_DRAW, PHASE_FORCED_DRAW):
                if order is None:
                    return
                tile = order[self._get("draws")]
            self._call(step_forced, np.uint64(tile))

    def _call(self, kernel: Any, *arguments: np.uint64) -> Any:
        """Run a kernel on the state, and append its events to the log. Returns what the kernel returns."""
        if self._buffer is None:
            self._buffer = np.empty(_LOG_ROOM, EVENT)
        result = kernel(self._states, 0, self.rules.record, self._buffer, *arguments)
        count = self._get("events")
        if count > _LOG_ROOM or self._get("end") == FAULT:
            raise InternalError(
                f"the engine ran into its own limit after {self._get('attempts')} attempts and {count} events at once: "
                f"please report the rules {self.rules.to_dict()}, seed {self._start.seed}, game {self._start.game}, "
                f"engine {self.engine} and the events {' '.join(map(str, self.events))}"
            )
        if count:
            self._log += self._buffer[:count].tolist()
            # The count belongs to this call. Resetting it keeps the bytes of equal positions equal.
            self._states["events"] = 0
        return result


def _packed(raw: np.ndarray) -> bytes:
    """The bytes of a struct without its trailing zeros, which belong to the hands of absent players."""
    return raw.tobytes().rstrip(b"\0")


def _unpacked(packed: bytes) -> np.ndarray:
    return np.frombuffer(packed.ljust(STATE.itemsize, b"\0"), np.uint8).copy()


def _restore(
    layout: int,
    start: Setup,
    chance: Chance,
    state: bytes,
    log: list[LogEntry],
    past: list[tuple[bytes, int]],
) -> Position:
    """Rebuild a position when unpickling. Raises `PositionError` if the STATE struct had another layout."""
    if layout != _LAYOUT:
        raise PositionError(
            "the position was pickled by another version of mextrain, which laid it out differently: "
            "keep rounds as records, which every version reads"
        )
    position = object.__new__(Position)
    position._start = start
    position._chance = chance
    position._hold(_unpacked(state))
    position._buffer = None
    position._log = list(log)
    position._past = None
    for packed, length in reversed(past):
        position._past = (_unpacked(packed), length, position._past)
    return position
