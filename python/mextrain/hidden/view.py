"""A round sampled from what one seat has seen of it, given as a line with events (docs/formats.md)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import numpy as np

from mextrain._support.integers import whole
from mextrain.errors import PositionError, RecordError, shown
from mextrain.game.engine_deal import Beginning, check_beginning
from mextrain.game.events import KINDS, PLAY, Event, LogEntry
from mextrain.game.rules import RuleSet
from mextrain.game.seeding import check_seed
from mextrain.game.setup import Setup
from mextrain.game.tiles import Tile
from mextrain.hidden.knowledge import PublicRecord, Seen
from mextrain.hidden.placements import history_of
from mextrain.notation.course import Course, check_end, wrong
from mextrain.notation.snapshot import EVENTS, UNSEEN, Hidden, Snapshot
from mextrain.notation.state import write_hand
from mextrain.notation.take import take
from mextrain.position import Position
from mextrain_core.game.events import EVENT
from mextrain_core.hidden.sampler import next_placement, warm_up
from mextrain_core.hidden.worlds import WORLDS, Public, open_worlds
from mextrain_core.model.limits import NONE
from mextrain_core.model.state import (
    PHASE_DECIDE,
    PHASE_DRAW,
    PHASE_FORCED_DRAW,
    PHASE_OVER,
    new_states,
)

_PHASES = {"decision": PHASE_DECIDE, "draw": PHASE_DRAW, "forced-draw": PHASE_FORCED_DRAW}


def seats_of_view(snapshot: Snapshot) -> list[int]:
    """Return the seats whose view a snapshot with hidden places may be: at least one.

    There may be several at the end of a round that more than one seat ended without a tile, since an empty hand looks
    the same to everybody. Raises `PositionError` if the snapshot is no seat's view.
    """
    shown_hands = [seat for seat, hand in enumerate(snapshot.hands) if not isinstance(hand, Hidden)]
    holders = [seat for seat in shown_hands if len(snapshot.hands[seat])]
    possible = holders or [seat for seat in shown_hands if _draws_seen(snapshot) <= {seat}]
    if len(holders) > 1 or not possible:
        expected = "expected one hand with its tiles, and `?` for the others"
        raise PositionError(f"the line is not what one seat sees: {expected}")
    return possible


def _draws_seen(snapshot: Snapshot) -> set[int]:
    """The seats of which a draw is shown with its tile."""
    heads = (text.partition(" ") for text in snapshot.events or ())
    return {int(head.partition(":")[0]) for head, _, tile in heads if tile and tile != UNSEEN}


def sample_view(snapshot: Snapshot, seat: int, seed: int) -> Position:
    """Return a round that fits the view of `seat`, sampled uniformly over consistent histories.

    `snapshot` must have events and hidden places. Raises `PositionError` if it is not the view of that seat or
    contradicts itself, `SeedError` for a seed out of range.
    """
    seed, rules, possible, own = check_seed(seed), snapshot.rules, seats_of_view(snapshot), whole(seat)
    if own not in possible:
        raise PositionError(f"the line shows what seat {possible[0]} sees, and not what seat {shown(seat)} sees")
    events = [_read(text, rules) for text in snapshot.events or ()]
    log = [_entry(event, rules) for event in events]
    _check_tiles(snapshot, own, events)
    sizes = _dealt(snapshot, events)
    check_beginning(
        rules, snapshot.engine, Beginning(snapshot.starter, tuple(sizes)), {own: _own_deal(snapshot, own, events)}
    )
    seen = Seen(rules, snapshot.engine, snapshot.starter, sizes, log)
    phase, turns = _PHASES.get(snapshot.phase, PHASE_OVER), snapshot.counts.turns
    public = PublicRecord.of(seen, phase, turns)
    states, worlds = new_states(2), np.zeros(1, WORLDS)
    states["phase"], states["turns"] = phase, turns
    write_hand(states, snapshot, own)
    where = public.log, len(public.log)
    known = Public(public.tables, public.evidence, 1)
    who = np.uint64(own), np.uint64(seed)
    fits = open_worlds(worlds, 0, rules.record, known, states, 0, *where, *who)
    if fits:
        warm_up(worlds, 0)
        fits = next_placement(worlds, 0, rules.record, states, 1, np.zeros(16, EVENT), *where)
    if not fits:
        raise PositionError("the line describes no position: no hidden tiles fit its events")
    hands, draws = history_of(worlds, rules.players)
    return _replayed(snapshot, own, hands, draws, int(worlds["random"][0]))


def _read(text: str, rules: RuleSet) -> Event:
    """An event; the draw of a hidden tile has no tile."""
    seat, _, what = text.partition(":")
    kind, _, tile = what.partition(" ")
    return Event(int(seat), kind, None, None, text) if tile == UNSEEN else Event.parse(text, rules.actions)


def _entry(event: Event, rules: RuleSet) -> LogEntry:
    data = NONE
    if event.kind == PLAY and event.move is not None:
        data = event.move.code
    elif event.tile is not None:
        data = rules.tiles.index(event.tile)
    return KINDS.index(event.kind), event.seat, data, 0


def _check_tiles(snapshot: Snapshot, own: int, events: list[Event]) -> None:
    """The plays are the tiles laid, and the seat's own draws are tiles that it had."""
    hand = snapshot.hands[own]
    had: Counter[Tile] = Counter(() if isinstance(hand, Hidden) else hand)
    laid: Counter[Tile] = Counter()
    for event in events:
        if event.tile is not None:
            laid[event.tile] += event.is_decision
            had[event.tile] += (event.seat == own) * (1 if event.is_decision else -1)
    if differing := (+laid - Counter(snapshot.laid)) or (Counter(snapshot.laid) - laid):
        raise wrong("laid", str(next(iter(differing))), "the tiles that the events lay", "correct laid or events")
    if lacking := -had:
        expected = f"a tile that seat {own} holds now or has laid"
        raise wrong(EVENTS, f"{own}:draw {next(iter(lacking))}", expected, "correct the draw or the hand")


def _dealt(snapshot: Snapshot, events: list[Event]) -> list[int]:
    """The number of tiles dealt to each seat."""
    sizes = [len(hand) for hand in snapshot.hands]
    for event in events:
        if event.is_draw:
            sizes[event.seat] -= 1
        elif event.tile is not None:
            sizes[event.seat] += 1
    if min(sizes) < 1:
        seat = sizes.index(min(sizes))
        raise wrong(EVENTS, f"the draws of seat {seat}", "fewer than the tiles it holds or has laid", "correct events")
    return sizes


def _own_deal(snapshot: Snapshot, own: int, events: list[Event]) -> Iterator[Tile]:
    """The tiles with which the seat began."""
    hand = snapshot.hands[own]
    had: Counter[Tile] = Counter(() if isinstance(hand, Hidden) else hand)
    for event in events:
        if event.seat == own and event.tile is not None:
            had[event.tile] += 1 if event.is_decision else -1
    return (+had).elements()


def _replayed(
    snapshot: Snapshot, own: int, hands: tuple[tuple[int, ...], ...], draws: tuple[int, ...], key: int
) -> Position:
    """The round of the snapshot with this deal and these draws; `key` decides the draws to come."""
    rules, is_explicit = snapshot.rules, snapshot.chance.kind == "explicit"
    known = {rules.tiles.index(snapshot.engine), *draws, *(tile for hand in hands for tile in hand)}
    rest = [tile for tile in range(len(rules.tiles)) if tile not in known]
    random.Random(key).shuffle(rest)
    order = None if is_explicit else (*draws, *rest)
    setup = Setup(rules, snapshot.engine, snapshot.starter, None, 0, hands, order)
    position = Position(setup, "explicit" if is_explicit else "stream")
    drawn = iter(draws)
    texts = []
    for text in snapshot.events or ():
        head, _, tile = text.partition(" ")
        texts.append(f"{head} {rules.tiles[next(drawn)]}" if tile else text)
    try:
        Course(position, texts, goes_on=True).run()
    except RecordError as error:
        raise wrong(EVENTS, f"event {error.event}", "what can happen by the rules", error.reason) from None
    check_end(snapshot, take(position, is_explicit, own, events=True))
    return position
