"""A cache of the texts and tiles of moves and events, because the same few hundred come up again and again."""

from __future__ import annotations

from functools import lru_cache

from mextrain.game.events import Event, LogEntry
from mextrain.game.moves import Actions, Move
from mextrain.game.tiles import Tile


class Texts:
    """The texts and tiles of moves and events for one `Actions`, that is, for a tile set and a number of players."""

    def __init__(self, actions: Actions) -> None:
        self.actions = actions
        self._text_of: dict[int, str] = {}
        self._tile_of: dict[Move, Tile] = {}
        self._move_of: dict[str, Move] = {}
        self._event_of: dict[LogEntry, Event] = {}

    def text(self, code: int) -> str:
        """Return the text of the move with the 16-bit `code`."""
        text = self._text_of.get(code)
        if text is None:
            text = self._text_of[code] = self.actions.text(Move.from_code(code))
        return text

    def tile(self, move: Move) -> Tile:
        """Return the tile that a move plays. Raises `MoveError` like `Actions.tile`."""
        tile = self._tile_of.get(move)
        if tile is None:
            tile = self._tile_of[move] = self.actions.tile(move)
        return tile

    def move(self, text: str) -> Move:
        """Return the move that `text` describes. Raises `MoveError` like `Actions.parse`."""
        move = self._move_of.get(text)
        if move is None:
            move = self.actions.parse(text)
            # People write a move in countless forms, so only the canonical one is cached.
            if self.text(move.code) == text:
                self._move_of[text] = move
        return move

    def event(self, entry: LogEntry) -> Event:
        """Return the event for an entry of the core's log, which must not be `NO_PLAY`."""
        event = self._event_of.get(entry)
        if event is None:
            event = self._event_of[entry] = Event.from_log(entry, self.actions)
        return event


@lru_cache(maxsize=64)
def texts_of(actions: Actions) -> Texts:
    """Return the `Texts` of `actions`, which all callers share."""
    return Texts(actions)
