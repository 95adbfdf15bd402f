"""Texts of moves and events, each worked out once: the same few hundred come up again and again."""

from __future__ import annotations

from functools import lru_cache

from mextrain.game.events import Event, LogEntry
from mextrain.game.moves import Actions, Move


class Texts:
    """The texts of what exists with one `Actions`: a tile set and a number of players."""

    def __init__(self, actions: Actions) -> None:
        self.actions = actions
        self._text_of: dict[int, str] = {}
        self._move_of: dict[str, Move] = {}
        self._event_of: dict[LogEntry, Event] = {}

    def text(self, code: int) -> str:
        """Return the text of the move with the 16-bit `code`."""
        text = self._text_of.get(code)
        if text is None:
            text = self._text_of[code] = self.actions.text(Move.from_code(code))
        return text

    def move(self, text: str) -> Move:
        """Return the move that `text` writes; raises `MoveError` as `Actions.parse` does."""
        move = self._move_of.get(text)
        if move is None:
            move = self.actions.parse(text)
            # What people type has no end of forms; only the canonical one is worth remembering.
            if self.text(move.code) == text:
                self._move_of[text] = move
        return move

    def event(self, entry: LogEntry) -> Event:
        """Return the event of an entry of the engine's log that is not `NO_PLAY`."""
        event = self._event_of.get(entry)
        if event is None:
            event = self._event_of[entry] = Event.from_log(entry, self.actions)
        return event


@lru_cache(maxsize=64)
def texts_of(actions: Actions) -> Texts:
    """Return the texts of `actions`, with what earlier callers asked for."""
    return Texts(actions)
