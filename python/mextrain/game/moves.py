"""Moves and their numbers: 16-bit codes, dense action ids, and texts such as `12-5@0` (docs/actions.md).

A move is (train, touch, new): the train, the half that touches its end, and the half that becomes the new end. A move
has the same code everywhere. Its action id is dense, and fixed for a tile set and a number of players.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np

from mextrain._support.integers import whole
from mextrain._support.lazy import cached_property
from mextrain.errors import MoveError, TileError, shown
from mextrain.game.tiles import Tile, TileSet, parse_halves

MEXICAN_TRAIN = "M"
"""The name of the Mexican Train in texts."""

_HALVES_STRIDE = 20  # the row length of `SetTables.place`


class Move(NamedTuple):
    """One play, or `STOP`, as the numbers that the core uses.

    `train` is a seat, or the number of players for the Mexican Train; `touch` and `new` are half codes. Moves sort
    by code, which is also the order of their ids. `STOP` comes last.
    """

    train: int
    touch: int
    new: int

    @property
    def code(self) -> int:
        """The 16-bit code: train << 10 | touch << 5 | new; 0x3FFF for `STOP`."""
        return self.train << 10 | self.touch << 5 | self.new

    @classmethod
    def from_code(cls, code: int) -> Move:
        """Return the move with the 16-bit `code`. It may not exist; `Actions.id` checks that."""
        return cls(code >> 10, code >> 5 & 31, code & 31)


STOP = Move(15, 31, 31)
"""The decision not to play another tile; its code is 0x3FFF."""


@dataclass(frozen=True)
class Actions:
    """All moves that exist for a tile set and a number of players: their ids, codes and texts.

    Ids run from 0 to `count` - 1: train by train, within a train by (touch, new), then `stop`. They use absolute
    seats; `relative` converts them to the view of one seat. The three `*-A` share their ids.

    Array methods take and return NumPy arrays of any shape. All methods raise `MoveError` for anything that is not a
    move.
    """

    tiles: TileSet
    players: int

    @property
    def per_train(self) -> int:
        """Number of ordered (touch, new) pairs, which is the number of ids for each train."""
        return len(self.tiles.tables.pairs)

    @property
    def stop(self) -> int:
        """The id of `STOP`, which is the highest id."""
        return (self.players + 1) * self.per_train

    @property
    def count(self) -> int:
        """Number of ids including `stop`, which is the length of every mask."""
        return self.stop + 1

    @cached_property
    def _codes(self) -> np.ndarray:
        """The code of every id: uint16[count], ascending."""
        trains = np.arange(self.players + 1, dtype=np.uint16) << 10
        codes = np.append((trains[:, None] | self.tiles.tables.pairs[None, :]).ravel(), np.uint16(STOP.code))
        codes.setflags(write=False)
        return codes

    def id(self, move: Move) -> int:
        """Return the action id of `move`."""
        if not isinstance(move, Move) or not all(type(number) is int for number in move):
            raise MoveError(f"{shown(move)} is not a move: expected a Move, such as one of legal_moves()")
        if move == STOP:
            return self.stop
        train, touch, new = move
        if not 0 <= train <= self.players:
            raise MoveError(f"there is no train {shown(train)}: {self._describe_trains()}")
        in_range = 0 <= touch < _HALVES_STRIDE and 0 <= new < _HALVES_STRIDE
        rank = int(self.tiles.tables.place[touch * _HALVES_STRIDE + new]) if in_range else self.per_train
        if rank >= self.per_train:
            raise MoveError(f"no tile of {self.tiles.name} has the half codes {shown(touch)} and {shown(new)}")
        return train * self.per_train + rank

    def move(self, action: int) -> Move:
        """Return the move with the id `action`."""
        return Move.from_code(int(self._codes[self._check_id(action)]))

    def text(self, move: Move | int) -> str:
        """Return the text of a move or id: `12-5@0`, touching half first, or `stop`."""
        move = self.move(self.id(move) if isinstance(move, Move) else move)
        if move == STOP:
            return "stop"
        train = MEXICAN_TRAIN if move.train == self.players else str(move.train)
        return f"{self.tiles.half(move.touch)}-{self.tiles.half(move.new)}@{train}"

    def parse(self, text: str) -> Move:
        """Return the move that `text` describes: `5-12@0` (the 5 touches), `3-*@M`, or `stop`.

        The tile may have any form that `Tile.parse` accepts. Case does not matter.
        """
        if not isinstance(text, str):
            raise MoveError(f"{shown(text)} is not the text of a move: expected one such as 12-5@0, 3-*@M or stop")
        tile, at, train = text.partition("@")
        train = train.strip()
        if not at:
            if text.strip().lower() == "stop":
                return STOP
            raise MoveError(f"{shown(text)} names no train: expected HALF-HALF@TRAIN such as 12-5@0 or 3-*@M, or stop")
        try:
            self.tiles.parse(tile)
            touch, new = map(self.tiles.half_code, parse_halves(tile))
        except TileError as error:
            raise MoveError(f"{shown(text)} is not a move: {error}") from None
        if train.upper() == MEXICAN_TRAIN:
            return Move(self.players, touch, new)
        if not re.fullmatch(r"0|[1-9][0-9]?", train) or int(train) >= self.players:
            raise MoveError(f"{shown(text)} names a train that does not exist: {self._describe_trains()}")
        return Move(int(train), touch, new)

    def tile(self, move: Move | int) -> Tile:
        """Return the tile that a move or id plays. `STOP` plays no tile and raises `MoveError`."""
        move = self.move(self.id(move) if isinstance(move, Move) else move)
        if move == STOP:
            raise MoveError("stop plays no tile")
        return Tile(self.tiles.half(move.touch), self.tiles.half(move.new))

    def codes(self, ids: np.ndarray) -> np.ndarray:
        """Return the 16-bit codes of action ids: any integer array in, uint16 of the same shape out."""
        codes: np.ndarray = self._codes[self._check_ids(ids)]
        return codes

    def ids(self, codes: np.ndarray) -> np.ndarray:
        """Return the action ids of 16-bit codes: any integer array in, int32 of the same shape out."""
        wanted = _integers(codes, "codes")
        places = np.searchsorted(self._codes, wanted).clip(max=self.stop)
        unknown = self._codes[places] != wanted
        if np.any(unknown):
            raise MoveError(f"the code {int(wanted[unknown].flat[0]):#x} is not a move of {self._describe()}")
        return places.astype(np.int32)

    @overload
    def relative(self, action: int, seat: int) -> int: ...
    @overload
    def relative(self, action: np.ndarray, seat: int) -> np.ndarray: ...
    def relative(self, action: int | np.ndarray, seat: int) -> int | np.ndarray:
        """Return `action` as seen by `seat`: its own train is 0, the others follow clockwise, M and stop stay the same.

        Takes an id, or an integer array of ids of any shape; an array gives int32 of the same shape.
        """
        return self._rotate(action, -self._check_seat(seat))

    @overload
    def absolute(self, action: int, seat: int) -> int: ...
    @overload
    def absolute(self, action: np.ndarray, seat: int) -> np.ndarray: ...
    def absolute(self, action: int | np.ndarray, seat: int) -> int | np.ndarray:
        """Return the id whose relative form for `seat` is `action`. This is the inverse of `relative`."""
        return self._rotate(action, self._check_seat(seat))

    def _rotate(self, action: int | np.ndarray, by: int) -> int | np.ndarray:
        ids = self._check_ids(action) if isinstance(action, np.ndarray) else np.int64(self._check_id(action))
        train, rank = np.divmod(ids, self.per_train)
        turned = np.where(train < self.players, (train + by) % self.players * self.per_train + rank, ids)
        return turned.astype(np.int32) if isinstance(action, np.ndarray) else int(turned)

    def _check_id(self, action: object) -> int:
        number = whole(action)
        if number is None or not 0 <= number < self.count:
            where = self._describe()
            raise MoveError(f"{shown(action)} is not an action id of {where}: expected an int 0 … {self.stop}")
        return number

    def _check_ids(self, ids: np.ndarray) -> np.ndarray:
        checked = _integers(ids, "action ids").astype(np.int64)
        outside = (checked < 0) | (checked >= self.count)
        if np.any(outside):
            self._check_id(int(checked[outside].flat[0]))
        return checked

    def _check_seat(self, seat: object) -> int:
        number = whole(seat)
        if number is None or not 0 <= number < self.players:
            raise MoveError(f"there is no seat {shown(seat)}: expected an int 0 … {self.players - 1}")
        return number

    def _describe_trains(self) -> str:
        return f"expected a seat 0 … {self.players - 1}, or {MEXICAN_TRAIN} for the Mexican Train"

    def _describe(self) -> str:
        return f"{self.tiles.name} with {self.players} players"

    def __getstate__(self) -> dict[str, Any]:
        return {"tiles": self.tiles, "players": self.players}


def _integers(values: Any, what: str) -> np.ndarray:
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise MoveError(f"{what} must be integers, but the array is {array.dtype}: convert it first")
    return array
