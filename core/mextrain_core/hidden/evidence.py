"""What everybody at the table knows from the public events, folded one by one (docs/hidden-information.md).

Two structs hold it. ``tables[i]`` is a STATE without any tiles in hands or boneyard: the helpers of `game` play the
public events on it, so the table, the play owed and the trains open to the seat follow the rules. ``evidence[i]`` is an
EVIDENCE: which tiles each seat has shown not to hold, and where each tile that was laid can have come from. The tile of
a draw is never read, so neither struct contains hidden information.

Terms. The *arrivals* of a seat are the events that gave it tiles: arrival 0 is its deal, and each of its draws is one
more. A *test* of a seat shows that it holds no tile with certain halves: tiles with one of them can only have arrived
later.
"""

import numpy as np

from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.compiler.machine import copy_struct, lowest
from mextrain_core.game import events
from mextrain_core.game.beginning import barred_doubles, caller_of
from mextrain_core.game.deal import clear_table
from mextrain_core.game.eligible import opening_lasts, select, select_marked
from mextrain_core.game.movegen import touches
from mextrain_core.game.rounds import NO_SEAT
from mextrain_core.game.turn import (
    OWN_TRAIN,
    after_draw,
    after_open,
    begin_turn,
    draws_again,
    end_round,
    end_turn,
    fail,
    go_without_play,
    is_marked,
    may_have_released,
    nothing_fits,
    play_tile,
    release_dead,
    stop,
)
from mextrain_core.model.indices import tile_of_move
from mextrain_core.model.limits import LETTER_A, MAX_PLAYERS, MAX_TILES, NONE, ROWS, TILE_WORDS
from mextrain_core.model.moves import move_train
from mextrain_core.model.options import code
from mextrain_core.model.rules import CHICKEN_FOOT, HIGHEST, ONLY_IF_STUCK
from mextrain_core.model.state import (
    BLOCKED,
    OWED_REQUIRED,
    PHASE_DECIDE,
    PHASE_DRAW,
    PHASE_FAIL,
    PHASE_FORCED_DRAW,
    PHASE_LOOK,
    PHASE_LOOK_DRAWN,
    PHASE_OVER,
    PHASE_TURN,
    copy_state,
)

u64 = np.uint64

U0, U1, U3 = u64(0), u64(1), u64(3)

PASS = code("failed_double", "pass")
MAX_CLAUSES = 24
"""A seat stops a chain at most once, a bonus is stopped at most once a round, and one decision is due: never more than
16."""

HIDDEN, FITS, FITS_NOT, SHOWN, UNCLEAR = 0, 1, 2, 3, 4
"""What is known about a drawn tile: nothing; it shows a half of the mask; it shows none; it was laid at once; or it is
either the tile of the next play or shows no half of the mask."""

_FIELDS = np.dtype(
    [
        ("arrivals", np.uint8, MAX_PLAYERS),  # number of arrivals so far: 1 + draws of the seat
        ("dealt", np.uint8, MAX_PLAYERS),  # tiles dealt to the seat
        ("lacks", np.uint8, (MAX_PLAYERS, ROWS)),  # tiles showing the half came with this arrival or later
        ("barred", np.uint32, MAX_PLAYERS),  # bit by half: its double was not dealt to the seat
        ("draws", np.uint8),
        ("plays", np.uint8),
        ("clauses", np.uint8),
        ("released", np.uint8),  # the last draw emptied the boneyard, which may have released a double
        ("uncertain", np.uint8),  # the arrivals are not exact: only a replay can tell whether a history fits
        # By draw of the round.
        ("draw_seat", np.uint8, MAX_TILES),
        ("draw_arrival", np.uint8, MAX_TILES),
        ("draw_rule", np.uint8, MAX_TILES),  # HIDDEN … UNCLEAR
        ("draw_play", np.uint8, MAX_TILES),  # SHOWN, UNCLEAR: number of that play, else NONE
        ("draw_mask", np.uint32, MAX_TILES),
        # By play of the round: a tile laid came with an arrival first … end - 1 of its seat.
        ("play_seat", np.uint8, MAX_TILES),
        ("play_tile", np.uint8, MAX_TILES),  # the first index of its name
        ("play_first", np.uint8, MAX_TILES),
        ("play_end", np.uint8, MAX_TILES),
        # A tile fitted: one of an arrival below ``end``, not laid before play number ``plays``, shows a half of the
        # mask.
        ("clause_seat", np.uint8, MAX_CLAUSES),
        ("clause_end", np.uint8, MAX_CLAUSES),
        ("clause_plays", np.uint8, MAX_CLAUSES),
        ("clause_mask", np.uint32, MAX_CLAUSES),
    ],
    align=True,
)
EVIDENCE = np.dtype((np.record, _FIELDS))
EVIDENCE_BYTES = EVIDENCE.itemsize


@helper
def shows(r, tile, mask):
    """Whether the tile shows a half of ``mask`` (bit set by half code)."""
    return ((mask >> u64(r.hi[tile])) | (mask >> u64(r.lo[tile]))) & U1 != U0


@helper
def halves_for(s, r, trains):
    """Bit set of the halves that may be laid on one of ``trains`` (bit set)."""
    halves = U0
    while trains != U0:
        halves |= touches(s, r, lowest(trains))
        trains &= trains - U1
    return halves


@helper
def note_lack(e, seat, mask, arrivals):
    """Note that no tile of the first ``arrivals`` arrivals of the seat shows a half of ``mask``."""
    while mask != U0:
        half = lowest(mask)
        if u64(e.lacks[seat, half]) < arrivals:
            e.lacks[seat, half] = arrivals
        mask &= mask - U1


@helper
def note_clause(s, r, e):
    """Note that some tile in the hand of the seat to move fits the play owed."""
    k = u64(e.clauses)
    seat = u64(s.seat)
    e.clause_seat[k] = seat
    e.clause_end[k] = e.arrivals[seat]
    e.clause_plays[k] = e.plays
    e.clause_mask[k] = halves_for(s, r, u64(s.eligible))
    e.clauses = k + U1


@helper
def note_draw(s, e):
    """Note that the seat to move drew a tile: another arrival, about which nothing is known."""
    seat = u64(s.seat)
    k = u64(e.draws)
    e.draw_seat[k] = seat
    e.draw_arrival[k] = e.arrivals[seat]
    e.draw_rule[k] = HIDDEN
    e.draw_play[k] = NONE
    e.draw_mask[k] = U0
    e.draws = k + U1
    e.arrivals[seat] += U1
    s.draws += U1
    s.boneyard_size -= U1
    s.hand_count[seat] += U1


@helper
def note_drawn(s, r, e, rule):
    """Note what the seat's action shows about the tile just drawn: whether it fits the trains open to it.

    A play that was bound before the draw and is free now shows nothing about the rest of the hand, so whether M could
    have been started is not known.
    """
    k = u64(e.draws) - U1
    trains = u64(s.eligible)
    mexican = trains & U1 << u64(r.players)
    if is_marked(s, r) and mexican != U0 and depends_on_hand(s, r):
        e.uncertain = U1
        if rule == FITS_NOT:
            trains &= ~mexican
    e.draw_rule[k] = rule
    e.draw_mask[k] = halves_for(s, r, trains)


@helper
def depends_on_hand(s, r):
    """Whether the trains open to the drawn tile depend on the rest of the hand: only a stuck seat may start M."""
    return r.mexican_start == ONLY_IF_STUCK and (u64(s.started) >> u64(r.players)) & U1 == U0


@helper
def note_mexican(s, r, e, train, lo):
    """A tile whose lower half is ``lo`` is laid by a free play: starting M may show that nothing fits the own train."""
    if train == u64(r.players) and depends_on_hand(s, r) and (r.wild == NONE or lo != u64(LETTER_A)):
        seat = u64(s.seat)
        note_lack(e, seat, touches(s, r, seat), u64(e.arrivals[seat]))


@helper
def note_play(s, r, e, move):
    """Note where the tile laid can have come from, and what the play shows about the rest of the hand."""
    seat, train = u64(s.seat), move_train(move)
    tile = tile_of_move(r, move)
    hi, lo = u64(r.hi[tile]), u64(r.lo[tile])
    k = u64(e.plays)
    lack_hi, lack_lo = u64(e.lacks[seat, hi]), u64(e.lacks[seat, lo])
    e.play_seat[k] = seat
    e.play_tile[k] = tile
    e.play_first[k] = lack_hi if lack_hi > lack_lo else lack_lo
    e.play_end[k] = e.arrivals[seat]
    e.plays = k + U1
    fresh = u64(s.fresh)
    two_open = r.max_uncovered != 0 and r.double_rule != CHICKEN_FOOT and fresh & (fresh - U1) != U0
    if s.play_drew != 0:
        d = u64(e.draws) - U1
        e.draw_play[d] = k
        if e.released == 0:
            if is_marked(s, r) and s.bound == 0:
                note_mexican(s, r, e, train, lo)
            e.draw_rule[d] = SHOWN
            e.play_first[k] = e.draw_arrival[d]
            return
        # Either the drawn tile was laid, or it fits nowhere and another tile was laid.
        note_drawn(s, r, e, UNCLEAR)
        anywhere = r.wild != NONE and lo == u64(LETTER_A)
        if (u64(s.eligible) >> train) & U1 == U0 and not anywhere:
            e.play_end[k] = e.draw_arrival[d]
        if two_open or depends_on_hand(s, r):
            e.uncertain = U1
        return
    if s.bound == 0:
        note_mexican(s, r, e, train, lo)
    if two_open and (fresh >> train) & U1 == U0:
        note_lack(e, seat, halves_for(s, r, u64(s.eligible) & fresh), u64(e.arrivals[seat]))


@helper
def rest_at(s, r, e, phase):
    """Run the steps that need no event, from ``phase`` on, and stop where the next event decides.

    PHASE_DECIDE here means that the legal plays were looked for; whether there were any is not known yet.
    """
    if phase == PHASE_TURN:
        phase = begin_turn(s, r)
    if phase == PHASE_LOOK:
        release_dead(s, r)
        s.attempts += U1
        select(s, r, NONE, NONE, False)
        phase = PHASE_DECIDE
    elif phase == PHASE_LOOK_DRAWN and is_marked(s, r):
        before = u64(s.eligible)
        release_dead(s, r)
        select_marked(s, r, before, r.drawn_tile == OWN_TRAIN)
        e.released = U0
        phase = PHASE_DECIDE
    elif phase == PHASE_LOOK_DRAWN:
        release_dead(s, r)
        select(s, r, NONE, NONE, r.drawn_tile == OWN_TRAIN)
        e.released = may_have_released(s, r)
        phase = PHASE_DECIDE
    s.phase = phase


@helper
def no_play(s, r, e):
    """Conclude that the play owed had no legal play (section 6, points 4 and 5); returns the next phase."""
    seat = u64(s.seat)
    if s.play_drew != 0:
        note_drawn(s, r, e, FITS_NOT)
        if is_marked(s, r):
            return end_turn(s, r, None)
        if draws_again(s, r):
            return PHASE_DRAW
        if e.released != 0:
            select(s, r, NONE, NONE, False)
            note_lack(e, seat, halves_for(s, r, u64(s.eligible)), u64(e.arrivals[seat]) - U1)
        return PHASE_FAIL
    note_lack(e, seat, halves_for(s, r, u64(s.eligible)), u64(e.arrivals[seat]))
    return go_without_play(s, r, None)


@helper
def decided(s, r, e, kind, move):
    """Fold a decision: the seat to move laid a tile or stopped; returns the next phase."""
    if kind == events.PLAY:
        note_play(s, r, e, move)
        # Hands are empty here, only their counts are kept; the seat is given a *-A so that one can be taken.
        s.a_count[u64(s.seat)] = U1
        return play_tile(s, r, None, move)
    if s.owed != OWED_REQUIRED:
        note_clause(s, r, e)
        return stop(s, r, None)
    note_drawn(s, r, e, FITS)
    if e.released != 0 and depends_on_hand(s, r):
        e.uncertain = U1
    return stop(s, r, None)


@helper
def ends_without_event(s, r):
    """Whether the turn ends without an event if the play owed cannot be made."""
    if s.owed != OWED_REQUIRED or is_marked(s, r):
        return True
    return r.failed_double == PASS and s.cover != NONE and s.play_drew == 0


@helper
def opened(s, r, e):
    """Fold the opening of the own train; returns the next phase.

    With ``own_train_first`` a blocked round depends on what each seat holds. That it goes on is known from the next
    event, or from ``conclude``; what it says about the hands is left to a replay.
    """
    if r.own_train_first == 0 or s.boneyard_size != 0:
        return fail(s, r, None)
    e.uncertain = U1
    s.open = u64(s.open) | U1 << u64(s.seat)
    if opening_lasts(s, r):
        return end_turn(s, r, None)
    return end_round(s, BLOCKED, NONE) if nothing_fits(s, r) else after_open(s, r, None)


@helper
def fold_event(s, r, e, kind, seat, data):
    """Fold one event into the table ``s`` and the evidence ``e``; returns False if the rules do not allow it."""
    if kind == events.NO_PLAY:
        return True  # It follows from the other events, and its log entry has data that only the seat knows.
    is_skip = kind == events.SKIP
    goes_on = s.phase != PHASE_DECIDE or not ends_without_event(s, r)
    if is_skip and (goes_on or s.skip == 0):
        return True  # The turn has already ended. In other cases it ends here, without a play.
    for _ in range(4):  # A chain ends, the next seat has no play, and then draws or opens its train.
        done = True
        if s.phase == PHASE_DECIDE:
            if seat == u64(s.seat) and (kind == events.PLAY or kind == events.STOPPED):
                phase = decided(s, r, e, kind, data)
            else:
                phase = no_play(s, r, e)
                done = is_skip
        elif seat != u64(s.seat):
            return False
        elif s.phase == PHASE_FORCED_DRAW and kind == events.FORCED_DRAW:
            note_draw(s, e)
            phase = PHASE_LOOK
        elif s.phase == PHASE_DRAW and kind == events.DRAW:
            note_draw(s, e)
            phase = after_draw(s, r)
        elif s.phase == PHASE_FAIL and kind == events.OPEN:
            phase = opened(s, r, e)
        else:
            return False
        rest_at(s, r, e, phase)
        if done:
            return True
    return False


@helper
def conclude(s, r, e, phase, turns):
    """Add what is visible at the end of the log: whose turn it is, and whether a decision or a draw is due.

    Use a copy of the structs: no further event can be folded afterwards.
    """
    if phase == PHASE_OVER and s.turns > turns:  # The train opened last blocked the round (``opened``).
        s.phase = PHASE_OVER
        return
    if s.phase == PHASE_DECIDE and s.turns < turns:  # A play that was owed ended without an event.
        rest_at(s, r, e, no_play(s, r, e))
    if s.phase != PHASE_DECIDE:
        return
    if phase != PHASE_DECIDE:
        s.phase = no_play(s, r, e)
    elif s.play_drew == 0:
        note_clause(s, r, e)
    elif e.released == 0:
        note_drawn(s, r, e, FITS)
    else:
        # Either the drawn tile fits, or it does not fit and another tile does.
        select(s, r, NONE, NONE, False)
        note_clause(s, r, e)
        e.uncertain = u64(r.drawn_tile == OWN_TRAIN)


@helper
def copy_evidence(evidence, i, j):
    """Copy ``evidence[j]`` over ``evidence[i]``."""
    copy_struct(evidence[i], evidence[j], u64(EVIDENCE_BYTES))


@helper
def start_table(s, r, e, engine, starter, sizes):
    """Set up the table before the first turn; ``sizes`` (uint8[players]): tiles dealt to each seat."""
    caller = caller_of(r, starter, sizes) if r.engine_from >= HIGHEST else NO_SEAT
    clear_table(s, r, engine, starter)
    s.key = U0
    for n in range(TILE_WORDS):
        s.boneyard[n] = U0
    e.draws = U0
    e.plays = U0
    e.clauses = U0
    e.released = U0
    e.uncertain = U0
    for seat in range(u64(r.players)):
        q = u64(seat)
        e.arrivals[q] = U1
        e.dealt[q] = sizes[q]
        e.barred[q] = barred_doubles(r, engine, starter, sizes, caller, q)
        s.hand_count[q] = sizes[q]
        s.boneyard_size -= u64(sizes[q])
        for half in range(ROWS):
            e.lacks[q, u64(half)] = U0
    rest_at(s, r, e, PHASE_TURN)


@kernel
def begin_evidence(tables, evidence, i, rules, engine, starter, sizes):
    """Set up ``tables[i]`` and ``evidence[i]`` for a round before its first turn.

    ``engine`` (half code) and ``starter`` are uint64, ``sizes`` is uint8[players]: tiles dealt to each seat.
    """
    start_table(tables[i], rules[0], evidence[i], engine, starter, sizes)


@kernel
def fold_events(tables, evidence, i, rules, log, first, end):
    """Fold ``log[first:end]`` (EVENT) into ``tables[i]`` and ``evidence[i]``, which hold all events before them.

    Returns ``end``, or the index of the first event that the rules do not allow. The tiles of draws are not read.
    """
    s, r, e = tables[i], rules[0], evidence[i]
    for k in range(first, end):
        event = log[k]
        if not fold_event(s, r, e, u64(event["kind"]), u64(event["seat"]), u64(event["data"])):
            return k
    return end


@kernel
def conclude_events(tables, evidence, i, rules, phase, turns):
    """Copy ``tables[i]`` and ``evidence[i]`` to ``i + 1``, and conclude the copies from the current phase of the round.

    ``phase`` (uint8) and ``turns`` (uint32) are those of the round's STATE: everybody sees whose turn it is, and that a
    decision is due.
    """
    copy_state(tables, i + 1, tables, i, rules)
    copy_evidence(evidence, i + 1, i)
    conclude(tables[i + 1], rules[0], evidence[i + 1], phase, turns)
