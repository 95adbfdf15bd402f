"""What a seat knows: everything that it has seen, in order, and nothing else (docs/hidden-information.md).

A seat sees its own deal, all plays, stops, opened trains and skips, its own draws by name, that others drew, whose turn
it is and that a decision is due. Positions in which a seat has seen the same have the same key, text and observation
for it, whatever is hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np

from mextrain.errors import PositionError, shown
from mextrain.events import Event
from mextrain.rules import RuleSet
from mextrain.standing import Standing
from mextrain.tiles import Half, Tile
from mextrain.whole import whole
from mextrain_core.evidence import EVIDENCE, begin_evidence, conclude_events, fold_events
from mextrain_core.observe import SECTIONS, VERSION, expand_bits, observe, relative_mask, section_sizes
from mextrain_core.observe import information_key as write_key
from mextrain_core.state import new_states
from mextrain_core.trace import EVENT


def check_seat(standing: Standing, seat: object) -> int:
    """Return `seat` as an int; raises `PositionError` if there is no such seat."""
    number = whole(seat)
    if number is None or not 0 <= number < standing.rules.players:
        raise PositionError(f"there is no seat {shown(seat)}: expected 0 … {standing.rules.players - 1}")
    return number


def dealt_hands(standing: Standing) -> tuple[tuple[Tile, ...], ...]:
    """Return the hands as dealt; raises `PositionError` for a position that was read from a line."""
    try:
        return standing.start.hands
    except PositionError:
        raise PositionError(
            "what a seat has seen is not known of a position that was read from a line: it has no events; replay the "
            "record of the round instead"
        ) from None


class PublicRecord:
    """The public events of a round, folded: the table without hands, and what every seat has shown.

    `tables` (STATE) and `evidence` (EVIDENCE) have length 2: entry 0 has folded the events, entry 1 also says what
    follows from whose turn it is now. `log` is the log of the round as an array of EVENT.
    """

    def __init__(self, standing: Standing) -> None:
        rules = standing.rules
        self.rules = rules
        self.tables = new_states(2)
        self.evidence = np.zeros(2, EVIDENCE)
        self.log = np.array(list(standing.log), EVENT)
        sizes = np.array([len(hand) for hand in dealt_hands(standing)], np.uint8)
        engine = np.uint64(rules.tiles.half_code(standing.engine.high))
        here = self.tables, self.evidence, 0, rules.record
        begin_evidence(*here, engine, np.uint64(standing.starter), sizes)
        done = fold_events(*here, self.log, 0, len(self.log))
        if done != len(self.log):
            raise PositionError(f"the events of the round contradict the rules from number {done} on")
        conclude_events(*here, standing._states["phase"][0], standing._states["turns"][0])

    def lacks(self, seat: int) -> dict[Half, int]:
        """Return the halves that `seat` has shown not to hold, with the number of tiles that it has got since."""
        tiles, evidence = self.rules.tiles, self.evidence[1]
        slots = int(evidence["slots"][seat])
        firsts = evidence["lacks"][seat, : tiles.tables.halves].tolist()
        return {tiles.half(code): slots - first for code, first in enumerate(firsts) if first}


@dataclass(frozen=True)
class Layout:
    """Where the sections of an observation lie, for the rules given; `version` changes with every change of it."""

    rules: RuleSet

    @property
    def version(self) -> int:
        """Number of the layout."""
        return VERSION

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Number of bits of each section, in order."""
        tables, rules = self.rules.tiles.tables, self.rules
        sizes = section_sizes(tables.size, tables.halves, rules.players, rules.double_rule == "chicken_foot")
        return dict(zip((name for name, _, _ in SECTIONS), sizes, strict=True))

    @cached_property
    def slices(self) -> dict[str, slice]:
        """The bits of each section, as a slice of an expanded observation."""
        ends = np.cumsum([*self.sizes.values()]).tolist()
        return {name: slice(end - size, end) for (name, size), end in zip(self.sizes.items(), ends, strict=True)}

    @cached_property
    def offsets(self) -> np.ndarray:
        """Where each section begins, and the number of bits at the end: int64[sections + 1], as kernels want it."""
        return np.cumsum([0, *self.sizes.values()])

    @property
    def bits(self) -> int:
        """Number of bits of an observation."""
        return int(self.offsets[-1])

    @property
    def words(self) -> int:
        """Number of 64-bit words that hold them."""
        return (self.bits + 63) // 64


def observation(standing: Standing, seat: int) -> np.ndarray:
    """Return what `seat` sees, packed: uint64[`Layout(rules).words`]; bit b is bit `b & 63` of word `b >> 6`.

    Raises `PositionError` for a seat that does not exist, and for a position that was read from a line.
    """
    seat = check_seat(standing, seat)
    layout = Layout(standing.rules)
    out = np.zeros(layout.words, np.uint64)
    evidence = PublicRecord(standing).evidence
    observe(standing._states, 0, standing.rules.record, evidence, 1, np.uint64(seat), layout.offsets, out)
    return out


def expand(words: np.ndarray, bits: int, dtype: type = np.uint8) -> np.ndarray:
    """Return packed bits one by one, as 0 and 1: uint64[w] or uint64[n, w] in, `dtype` (uint8 or float32) out.

    The last axis of the result has the length `bits`.
    """
    rows = np.atleast_2d(words)
    out: np.ndarray = np.empty((len(rows), bits), dtype)
    expand_bits(rows, out)
    return out.reshape(*words.shape[:-1], bits)


def legal_mask(standing: Standing, seat: int) -> np.ndarray:
    """Return the legal actions of `seat` under relative ids, packed: uint64[(A + 63) // 64].

    All bits are 0 unless it is the seat's decision. Raises `PositionError` for a seat that does not exist.
    """
    seat = check_seat(standing, seat)
    out = np.zeros((standing.rules.action_count + 63) // 64, np.uint64)
    moves = np.zeros(standing._get("legal_count") + 1, np.uint16)
    relative_mask(standing._states, 0, standing.rules.record, np.uint64(seat), moves, out)
    return out


def information_key(standing: Standing, seat: int) -> bytes:
    """Return the key of what `seat` has seen so far: 16 bytes, equal exactly if the rules and everything seen are.

    Raises `PositionError` for a seat that does not exist, and for a position that was read from a line.
    """
    seat = check_seat(standing, seat)
    dealt_hands(standing)
    log = np.array(list(standing.log), EVENT)
    out = np.zeros(2, np.uint64)
    salt = blake2b(repr(standing.rules.to_dict()).encode(), digest_size=8).digest()
    here = standing._states, 0, standing.rules.record
    write_key(*here, log, len(log), np.uint64(seat), np.uint64(int.from_bytes(salt, "little")), out)
    return out.astype("<u8").tobytes()


def information_text(standing: Standing, seat: int) -> str:
    """Return what `seat` has seen so far, in order, `?` for what is hidden from it: one line for each event.

    Raises `PositionError` for a seat that does not exist, and for a position that was read from a line.
    """
    seat = check_seat(standing, seat)
    rules, hands = standing.rules, dealt_hands(standing)
    dealt = " ".join(map(str, sorted(hands[seat])))
    hidden = " ".join(f"{q}: {len(hand)} ?" for q, hand in enumerate(hands) if q != seat)
    lines = [
        f"rules {' '.join(f'{name}={value}' for name, value in rules.to_dict().items())}",
        f"engine {standing.engine} starter {standing.starter}",
        f"seat {seat}: {dealt} {hidden}",
        *(_seen(event, seat) for event in standing.events),
        f"turn {standing.turns} {_standing(standing)}",
    ]
    return "\n".join(lines)


def _seen(event: Event, seat: int) -> str:
    return f"{event.seat}:{event.kind} ?" if event.is_draw and event.seat != seat else event.text


def _standing(standing: Standing) -> str:
    if standing.over:
        return str(standing.end)
    pending = standing.pending_draw
    return f"{standing.seat} {'decides' if pending is None else f'is to {pending}'}"

