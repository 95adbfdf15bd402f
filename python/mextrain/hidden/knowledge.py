"""What a seat knows: everything that it has seen, in order, and nothing else (docs/hidden-information.md).

A seat sees its own deal, all plays, stops, opened trains and skips, and the tiles of its own draws. It sees when others
draw, whose turn it is, and that a decision is due. If a seat has seen the same in two positions, both have the same
key, text and observation for it, whatever the hidden tiles are.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from mextrain._support.integers import whole
from mextrain.errors import PositionError, shown
from mextrain.game.events import DRAWS, KINDS, NO_PLAY, STOPPED, LogEntry
from mextrain.game.read_only import ReadOnlyPosition
from mextrain.game.rules import RuleSet
from mextrain.game.text_cache import texts_of
from mextrain.game.tiles import Tile
from mextrain_core.game.events import EVENT
from mextrain_core.hidden.evidence import EVIDENCE, MAX_CLAUSES, begin_evidence, conclude_events, fold_events
from mextrain_core.hidden.observe import information_key as write_key
from mextrain_core.model.state import OWED_REQUIRED, PHASE_DECIDE, new_states


def check_seat(standing: ReadOnlyPosition, seat: object) -> int:
    """Return `seat` as an int. Raises `PositionError` if there is no such seat."""
    if not isinstance(standing, ReadOnlyPosition):
        raise PositionError(f"position = {shown(standing)}: expected a Position")
    number = whole(seat)
    if number is None or not 0 <= number < standing.rules.players:
        raise PositionError(f"there is no seat {shown(seat)}: expected 0 … {standing.rules.players - 1}")
    return number


def dealt_hands(standing: ReadOnlyPosition) -> tuple[tuple[Tile, ...], ...]:
    """Return the hands as dealt. Raises `PositionError` for a position that was read from a line without events."""
    if standing.start.is_continued:
        raise PositionError(
            "what a seat has seen is not known of a position that was read from a line without events: write the line "
            "with `line(events=True)`, or replay the record of the round"
        )
    return standing.start.hands


class PublicRecord:
    """The result of the public events of a round: the table without hands, and what each seat has revealed.

    `tables` (STATE) and `evidence` (EVIDENCE) have length 2. Entry 0 is the result of the events. Entry 1 also includes
    what follows from whose turn it is now. `log` is the log of the round as an array of EVENT.
    """

    def __init__(self, standing: ReadOnlyPosition) -> None:
        sizes = [len(hand) for hand in dealt_hands(standing)]
        table = Seen(standing.rules, standing.engine, standing.starter, sizes, list(standing.log))
        self._fold(table, standing._states["phase"][0], standing._states["turns"][0])

    @classmethod
    def of(cls, seen: Seen, phase: int, turns: int) -> PublicRecord:
        """Return the result of events that have not been checked yet.

        They led to `phase` of turn number `turns`. Raises `PositionError` if the rules do not allow them.
        """
        record = cls.__new__(cls)
        record._fold(seen, np.uint8(phase), np.uint32(turns), checked=False)
        return record

    def _fold(self, seen: Seen, phase: np.uint8, turns: np.uint32, checked: bool = True) -> None:
        rules = seen.rules
        self.rules = rules
        self.tables = new_states(2)
        self.evidence = np.zeros(2, EVIDENCE)
        self.log = np.array(seen.log, EVENT)
        engine = np.uint64(rules.tiles.half_code(seen.engine.high))
        here = self.tables, self.evidence, 0, rules.record
        begin_evidence(*here, engine, np.uint64(seen.starter), np.array(seen.sizes, np.uint8))
        ends = [len(self.log)] if checked else range(1, len(self.log) + 1)
        done = 0
        for end in ends:
            if not checked and not self._is_safe(end - 1):
                break
            done = fold_events(*here, self.log, done, end)
            if done != end:
                break
        if done != len(self.log):
            raise PositionError(f"the events of the round contradict the rules from number {done} on")
        conclude_events(*here, phase, turns)


    def _is_safe(self, number: int) -> bool:
        """Whether the kernel can fold an event that has not been checked: it trusts that stops can happen."""
        if self.log["kind"][number] != KINDS.index(STOPPED):
            return True
        table, evidence = self.tables[0], self.evidence[0]
        is_its_turn = table["phase"] == PHASE_DECIDE and table["seat"] == self.log["seat"][number]
        has_drawn = evidence["draws"] > 0 or (is_its_turn and table["owed"] != OWED_REQUIRED)
        return bool(has_drawn and evidence["clauses"] < MAX_CLAUSES - 1)


class Seen(NamedTuple):
    """What everybody sees of a round: how it began, and its log. The tiles of others' draws are not read."""

    rules: RuleSet
    engine: Tile
    starter: int
    sizes: Sequence[int]
    """Number of tiles dealt to each seat."""
    log: list[LogEntry]


def information_key(standing: ReadOnlyPosition, seat: int) -> bytes:
    """Return a 16-byte key of what `seat` has seen so far.

    Two keys are equal if and only if the rules and everything that the seat has seen are the same.

    Raises `PositionError` for a seat that does not exist, and for a position that was read from a line without events.
    """
    seat = check_seat(standing, seat)
    dealt_hands(standing)
    log = np.array(list(standing.log), EVENT)
    out = np.zeros(2, np.uint64)
    salt = blake2b(repr(standing.rules.to_dict()).encode(), digest_size=8).digest()
    here = standing._states, 0, standing.rules.record
    write_key(*here, log, len(log), np.uint64(seat), np.uint64(int.from_bytes(salt, "little")), out)
    return out.astype("<u8").tobytes()


def information_text(standing: ReadOnlyPosition, seat: int) -> str:
    """Return what `seat` has seen so far, in order: one line for each event, with `?` for what is hidden from it.

    Raises `PositionError` for a seat that does not exist, and for a position that was read from a line without events.
    """
    seat = check_seat(standing, seat)
    rules, hands = standing.rules, dealt_hands(standing)
    dealt = " ".join(map(str, sorted(hands[seat])))
    hidden = " ".join(f"{q}: {len(hand)} ?" for q, hand in enumerate(hands) if q != seat)
    lines = [
        f"rules {' '.join(f'{name}={value}' for name, value in rules.to_dict().items())}",
        f"engine {standing.engine} starter {standing.starter}",
        f"seat {seat}: {dealt} {hidden}",
        *(_seen(standing, entry, seat) for entry in standing.log if entry[0] != NO_PLAY),
        f"turn {standing.turns} {_standing(standing)}",
    ]
    return "\n".join(lines)


def _seen(standing: ReadOnlyPosition, entry: LogEntry, seat: int) -> str:
    """An event as `seat` sees it. The tile of another seat's draw is never read."""
    kind, who, _, _ = entry
    if kind in DRAWS and who != seat:
        return f"{who}:{KINDS[kind]} ?"
    return texts_of(standing.rules.actions).event(entry).text


def _standing(standing: ReadOnlyPosition) -> str:
    if standing.over:
        return str(standing.end)
    pending = standing.pending_draw
    return f"{standing.seat} {'decides' if pending is None else f'is to {pending}'}"
