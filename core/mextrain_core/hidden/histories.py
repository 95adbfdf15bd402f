"""Whether a history produces a log: replay the round with the history's deal and draws.

This is the definition of "consistent" in docs/hidden-information.md. It shares no code with the evidence that the
sampler uses; the sampler is tested against it and falls back on it.
"""

from typing import Any, NamedTuple

import numpy as np

from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.game import events
from mextrain_core.game.deal import set_up_hands
from mextrain_core.game.movegen import is_legal_move
from mextrain_core.game.turn import one_forced_step, play_move
from mextrain_core.model.limits import NONE, STOP
from mextrain_core.model.state import PHASE_DECIDE, PHASE_DRAW, PHASE_FORCED_DRAW, PHASE_OVER

u64 = np.uint64

U0 = u64(0)


@helper
def same_event(written, expected):
    """Whether two events look the same to everybody; tiles of draws are not compared: the caller chooses the draws."""
    if written["kind"] != expected["kind"] or written["seat"] != expected["seat"]:
        return False
    is_draw = written["kind"] == events.DRAW or written["kind"] == events.FORCED_DRAW
    return is_draw or written["data"] == expected["data"]


@helper
def next_public(log, k, end):
    """Index of the first event from ``k`` on that is not NO_PLAY."""
    while k < end and log[k]["kind"] == events.NO_PLAY:
        k += 1
    return k


@helper
def retrace_log(s, r, scratch, draws, seen):
    """Play ``s`` from its first turn as in ``seen`` (Seen), with the draws ``draws``; False if that is impossible.

    At the end the round must be in the phase and turn of ``seen``, without a further event: a turn can end without an
    event, so the log alone does not tell whose turn it is.
    """
    log, end, phase, turns = seen
    k = next_public(log, 0, end)
    while True:
        if s.phase == PHASE_DECIDE or s.phase == PHASE_OVER:
            if k == end:
                return s.phase == phase and s.turns == turns
            kind = log[k]["kind"]
            if s.phase == PHASE_OVER or (kind != events.PLAY and kind != events.STOPPED) or log[k]["seat"] != s.seat:
                return False
            move = u64(log[k]["data"]) if kind == events.PLAY else u64(STOP)
            if not is_legal_move(s, r, move):
                return False
            s.events = U0
            s.phase = play_move(s, r, scratch, move)
        else:
            if k == end and s.phase == phase and s.turns == turns:
                return True
            tile = u64(NONE)
            if s.phase == PHASE_DRAW or s.phase == PHASE_FORCED_DRAW:
                if u64(s.draws) >= u64(len(draws)):
                    return False
                tile = u64(draws[u64(s.draws)])
            s.events = U0
            s.phase = one_forced_step(s, r, scratch, s.phase, tile)
        for n in range(s.events):
            if scratch[n]["kind"] == events.NO_PLAY:
                continue
            if k == end or not same_event(scratch[n], log[k]):
                return False
            k = next_public(log, k + 1, end)


class Chance(NamedTuple):
    """What is known about the deal and the draws of a round."""

    engine: Any
    """Half code, uint64."""
    starter: Any
    """uint64."""
    hands: Any
    """uint8[players, …]: the known tiles of each deal."""
    sizes: Any
    """uint8[players]: number of known tiles."""
    draws: Any
    """uint8: all draws in order; the known ones are filled in."""


class Unplaced(NamedTuple):
    """The tiles whose places are unknown, and the cells where they can be."""

    tiles: Any
    """uint8[m]."""
    laid_by: Any
    """uint8[m]: the seat that laid the tile, which is the only seat that it can have come from, or NONE."""
    cell_seat: Any
    cell_draw: Any
    """uint8 by cell; NONE and NONE: the boneyard; a seat and NONE: its deal."""
    room: Any
    """uint8 by cell: number of tiles in the cell; the sum is m."""
    barred: Any
    """uint32 by cell, bit by half: its double is not in the cell."""


class Seen(NamedTuple):
    """What happened: ``log[:end]`` (EVENT), after which the round is in ``phase`` of turn number ``turns``."""

    log: Any
    end: Any
    phase: Any
    turns: Any


@helper
def fill_history(unplaced, where, known, full):
    """Add the placed tiles to a deal and draws that hold the known tiles; ``full``: sizes of the deal."""
    for seat in range(len(full)):
        full[seat] = known.sizes[seat]
    for k in range(len(unplaced.tiles)):
        cell = u64(where[k])
        seat = u64(unplaced.cell_seat[cell])
        if unplaced.cell_draw[cell] != NONE:
            known.draws[u64(unplaced.cell_draw[cell])] = unplaced.tiles[k]
        elif seat != u64(NONE):
            known.hands[seat, u64(full[seat])] = unplaced.tiles[k]
            full[seat] += u64(1)


@kernel
def list_histories(states, i, rules, scratch, known, unplaced, seen, most, out):
    """Try every placement of tiles in cells, and list those that produce the log; returns their number.

    ``known`` is Chance, ``unplaced`` Unplaced and ``seen`` Seen; the arrays of the first two are overwritten. ``out``:
    uint8[n, m], the cell of each tile; histories beyond n are only counted. Returns -1 after ``most`` (int64) tries.
    ``states[i]`` and ``scratch`` (EVENT, at least 4) are scratch.
    """
    s, r = states[i], rules[0]
    laid_by, cell_seat, room, barred = unplaced.laid_by, unplaced.cell_seat, unplaced.room, unplaced.barred
    m = len(unplaced.tiles)
    where = np.full(m + 1, NONE, np.uint8)
    full = np.zeros(len(known.sizes), np.uint8)
    found = 0
    tries = 0
    k = 0
    while k >= 0:
        if k == m:
            tries += 1
            if tries > most:
                return -1
            fill_history(unplaced, where, known, full)
            set_up_hands(s, r, known.engine, known.starter, known.hands, full)
            if retrace_log(s, r, scratch, known.draws, seen):
                if found < len(out):
                    for n in range(m):
                        out[found, n] = where[n]
                found += 1
            k -= 1
            continue
        # NONE: the tile has not been placed yet; else it moves on to its next cell.
        cell = 0 if where[k] == NONE else int(where[k]) + 1
        if where[k] != NONE:
            room[where[k]] += u64(1)
            where[k] = NONE
        while cell < len(room):
            fits = laid_by[k] == NONE or cell_seat[cell] == laid_by[k]
            tile = unplaced.tiles[k]
            if r.hi[tile] == r.lo[tile]:
                fits &= (u64(barred[cell]) >> u64(r.hi[tile])) & u64(1) == U0
            if room[cell] != 0 and fits:
                break
            cell += 1
        if cell == len(room):
            k -= 1
            continue
        where[k] = cell
        room[cell] -= u64(1)
        k += 1
    return found
