"""What happened, in words and in short, as everybody may read it and as the other seats may."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mextrain.game.events import FORCED_DRAW, OPEN, SKIP, STOPPED, Event
from mextrain.notation.snapshot import UNSEEN


class Told(NamedTuple):
    """An event of `seat`: `words` and `short` text, and the same for seats that do not see what was drawn."""

    seat: int
    words: str
    short: str
    hidden_words: str
    hidden_short: str


def tell(event: Event, names: Sequence[str], for_seat: int | None) -> Told:
    """Return the words for an event. For `for_seat` a tile that another seat drew is left out altogether."""
    who = names[event.seat]
    if not event.is_draw:
        words = f"{who} {_deed(event, names)}"
        return Told(event.seat, words, event.text, words, event.text)
    how = "must draw" if event.kind == FORCED_DRAW else "draws"
    hidden = f"{who} {how} a tile", f"{event.seat}:{event.kind} {UNSEEN}"
    seen = hidden if for_seat not in (None, event.seat) else (f"{who} {how} {event.tile}", event.text)
    return Told(event.seat, *seen, *hidden)


def _deed(event: Event, names: Sequence[str]) -> str:
    if event.kind == OPEN:
        return "opens its train"
    if event.kind == SKIP:
        return "is skipped"
    if event.kind == STOPPED:
        return "stops"
    play, _, train = event.text.partition(":")[2].partition("@")
    if train == "M":
        where = "the Mexican Train"
    elif int(train) == event.seat:
        where = "its own train"
    else:
        where = f"the train of {names[int(train)]}"
    return f"lays {play} on {where}"
