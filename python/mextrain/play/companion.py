"""`Companion`: follows a round that people play with real tiles, for one of them, and says what it would look at."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mextrain._support.files import whole_file
from mextrain.errors import MextrainError, one_line
from mextrain.game.events import OPEN, Event
from mextrain.game.moves import MEXICAN_TRAIN
from mextrain.game.rules import RuleSet
from mextrain.game.tiles import Tile
from mextrain.hidden.follow import Follower
from mextrain.study.planner import plan

COMPANION_FORMAT = "mextrain-companion/1"
"""The version of the file."""

SAMPLES = 1000
"""Hidden worlds from which chances are taken."""


class Companion:
    """A round followed for one seat. `follower` has what was seen."""

    def __init__(self, rules: RuleSet, engine: str, starter: int, seat: int, hand: Sequence[str]) -> None:
        self.follower = Follower(rules, engine=engine, starter=starter, seat=seat, hand=hand)

    @property
    def rules(self) -> RuleSet:
        """The rules of the round."""
        return self.follower.rules

    @property
    def seat(self) -> int:
        """The seat that is followed."""
        return self.follower.seat

    def note(self, text: str) -> list[Event]:
        """Add what a seat did: `1 7-3@M`, `0 draw 5-2`, `2 draw`, `2 open`, `1 stop`; returns the events.

        Without a seat it is the own one. Raises `MextrainError`, and changes nothing, for what cannot be read or cannot
        have happened.
        """
        before = list(self.follower.events)
        try:
            for part in text.replace(";", ",").split(","):
                if part.strip():
                    self.follower.events.append(self._event(part.split()))
            self.follower.check()
        except MextrainError:
            self.follower.events = before
            raise
        return self.follower.events[len(before) :]

    def undo(self) -> Event:
        """Take back the last event, and return it. Raises `MextrainError` if there is none."""
        if not self.follower.events:
            raise MextrainError("there is nothing to take back")
        return self.follower.events.pop()

    def _event(self, words: list[str]) -> Event:
        seat = str(self.seat)
        if words[0].isdigit() and len(words) > 1:
            seat, words = words[0], words[1:]
        what = words[0].lower()
        if what in ("draw", "forced-draw"):
            own = seat == str(self.seat)
            if own and len(words) < 2:
                raise MextrainError("which tile did you draw? For example: draw 5-2")
            tile = str(self.rules.tiles.parse(words[1])) if own else "?"
            return self.follower.read(f"{seat}:{what} {tile}")
        if what in (OPEN, "skip", "stop"):
            return self.follower.read(f"{seat}:{what}")
        event = self.follower.read(f"{seat}:{self._directed(words[0])}")
        if event.seat == self.seat and event.tile not in self.follower.hand:
            raise MextrainError(f"you do not hold {event.tile}: your hand is {' '.join(map(str, self.follower.hand))}")
        return event

    def _directed(self, text: str) -> str:
        """Return a play with the half first that touches the train, if only one of the two orders fits."""
        tile, _, train = text.partition("@")
        if not train:
            raise MextrainError(f"on which train? For example: {tile}@M, or {tile}@{self.seat}")
        train = train.upper()
        near, _, far = tile.partition("-")
        ends = self.ends().get(train if train == MEXICAN_TRAIN else int(train) if train.isdigit() else train, [])
        if near not in ends and far in ends:
            near, far = far, near
        return f"{near}-{far}@{train}"

    # -- what can be said

    def ends(self) -> dict[int | str, list[str]]:
        """Return the ends of every train, from the plays so far."""
        engine = str(self.follower.engine.high)
        found: dict[int | str, list[str]] = {train: [engine] for train in (*range(self.rules.players), MEXICAN_TRAIN)}
        for event in self.follower.events:
            if event.move is not None and "@" in event.text:
                play, _, train = event.text.partition(":")[2].partition("@")
                near, _, far = play.partition("-")
                key: int | str = train if train == MEXICAN_TRAIN else int(train)
                feet = self.rules.double_rule == "chicken_foot"
                found[key] = [*(end for end in found[key] if feet and end != near), far]
        return found

    def open_trains(self) -> list[int | str]:
        """Return the trains that are open to this seat: its own, the Mexican Train, and those with a marker."""
        markers: set[int] = set()
        for event in self.follower.events:
            if event.kind == OPEN:
                markers.add(event.seat)
            elif event.text.endswith(f"@{event.seat}") or (event.is_decision and self.rules.marker_off == "any_play"):
                markers.discard(event.seat)
        return [self.seat, *sorted(markers - {self.seat}), MEXICAN_TRAIN]

    def report(self) -> list[str]:
        """Return the plan, what has no place in it, what could be thrown where, and chances of wanted tiles."""
        hand, ends = self.follower.hand, self.ends()
        points = self.rules.points(hand)
        if not hand:
            return ["your hand is empty: you are out"]
        lines = [f"hand ({points} points): {' '.join(map(str, hand))}"]
        options: dict[str, Any] = {"letter_match": self.rules.letter_match, "double_blank": self.rules.double_blank}
        own_end = ends[self.seat][-1]
        found = plan(hand, own_end, tile_set=self.rules.tile_set, **options)
        lines.append(f"plan from {own_end}: {' '.join(found.train) or 'nothing fits'} ({found.points} points)")
        lines.append(f"no place in it: {' '.join(map(str, found.left)) or 'nothing'} ({found.left_points} points)")
        others = [train for train in self.open_trains() if train != self.seat]
        for text in map(str, found.left):
            places = [_train_name(train) for train in others if self._fits(text, ends[train])]
            if places:
                lines.append(f"  throw {text} on {' or '.join(places)}")
        return [*lines, *self._wanted(found.train, own_end)]

    def _fits(self, tile: str, ends: list[str]) -> bool:
        halves = set(tile.split("-"))
        return any(end in halves or end == "*" or "*" in halves for end in ends)

    def _wanted(self, train: Sequence[str], own_end: str) -> list[str]:
        """Return the chances that a tile that would go on with the train is in the boneyard, by the hidden worlds."""
        last = str(train[-1]).partition("-")[2] if train else own_end
        counts = self.follower.places(SAMPLES)
        wanted = []
        held = set(self.follower.hand)
        for index, tile in enumerate(self.rules.tiles):
            unseen = int(counts[index].sum())
            if unseen and tile not in held and self._fits(str(tile), [last]):
                wanted.append((counts[index][-1] / unseen, str(tile)))
        if not wanted:
            return [f"no unseen tile goes on with {last}"]
        best = sorted(wanted, reverse=True)[:8]
        listed = ", ".join(f"{tile} {100 * chance:.0f} %" for chance, tile in best)
        return [f"goes on with {last}, chance to be in the boneyard: {listed}"]

    # -- the file

    def save(self, path: Path) -> None:
        """Write the round to a file, which is complete at every moment. Raises `OSError`."""
        facts = {
            "format": COMPANION_FORMAT,
            "rules": self.rules.to_dict(),
            "engine": str(self.follower.engine),
            "starter": self.follower.starter,
            "seat": self.seat,
            "hand": list(map(str, self.follower.hand_dealt)),
            "events": [event.text for event in self.follower.events],
        }
        with whole_file(path) as file:
            file.write((json.dumps(facts, ensure_ascii=False) + "\n").encode())

    @classmethod
    def load(cls, path: Path) -> Companion:
        """Return the round in a file. Raises `MextrainError` or `OSError`."""
        try:
            found = json.loads(path.read_bytes())
            if not isinstance(found, dict) or found.get("format") != COMPANION_FORMAT:
                raise MextrainError(f"its format is not {COMPANION_FORMAT}")
            rules = RuleSet.from_dict(found["rules"])
            companion = cls(rules, found["engine"], found["starter"], found["seat"], found["hand"])
            companion.follower.events = [companion.follower.read(text) for text in found["events"]]
        except (ValueError, TypeError, KeyError) as error:
            why = str(error) if isinstance(error, MextrainError) else f"{type(error).__name__} in its contents"
            raise MextrainError(f"{one_line(str(path))} is not a file of mextrain companion: {why}") from None
        return companion


def _train_name(train: int | str) -> str:
    return "the Mexican Train" if train == MEXICAN_TRAIN else f"the train of seat {train}"


def dealt(rules: RuleSet, text: str) -> list[str]:
    """Return the tiles of a hand that was typed. Raises `TileError`."""
    words = text.replace(",", " ").replace(";", " ").split()
    tiles: list[Tile] = [rules.tiles.parse(word) for word in words]
    return list(map(str, tiles))
