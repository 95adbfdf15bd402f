"""Samples of what a seat cannot see, uniform over the consistent histories (docs/hidden-information.md).

The chain. Lift a random item and leave a hole; then, again and again, either (once in 16 times) put the lifted item
into the hole, if it may lie there, or put it in the place of a random item, if it may lie there, and lift that one.
Each step is as likely as its reverse, and from full placement to full placement every one can be reached, so the
placements visited are uniform; those that break a clause are visited with a weight of 1/4 for each and are never handed
out. A fixed number of visits lies between two samples: a fixed number of steps would favour placements that are left
slowly.
"""

import numpy as np

from mextrain_core._jit import helper, kernel
from mextrain_core.apply import MAY, MAY_STOP_BONUS, OWN_TRAIN
from mextrain_core.deal import set_bits
from mextrain_core.limits import NONE
from mextrain_core.movegen import select
from mextrain_core.retrace import retrace_log, set_up
from mextrain_core.rng import GOLDEN, U32, below, mix
from mextrain_core.state import OWED_BONUS, OWED_CHAIN, PHASE_DECIDE, copy_state
from mextrain_core.worlds import BONEYARD, broken_clauses, draw_cell, may_lie

u64 = np.uint64

U0, U1, U4, U6, U15, U63 = u64(0), u64(1), u64(4), u64(6), u64(15), u64(63)

COLD = 8
"""How many strides lie before the first sample: the placement that ``open_worlds`` makes is far from random."""

MAX_VISITS = 1 << 22
"""A sample that takes more visits than this is given up: the evidence would be next to contradictory."""


def stride(free: int) -> int:
    """How many placements should lie between two samples of so many free items (plain Python)."""
    return max(8, 4 + free // 4)


@helper
def order_of_anywheres(w):
    """How the ``*-A`` stand to the convention that a seat lays the one first that it got first.

    Which of several was laid is not part of a history, so each history is counted with one choice. Returns (pairs
    against the convention, number of orders of those in one deal of which the convention takes one).
    """
    against, orders = U0, U1
    for a in range(w.anywheres):
        laid = u64(w.anywhere[u64(a)])
        if w.play[laid] == NONE:
            continue
        cell = u64(w.cell[laid])
        together = U0
        for b in range(w.anywheres):
            other = u64(w.anywhere[u64(b)])
            there = u64(w.cell[other])
            if w.play[other] >= w.play[laid]:
                together += u64(there == cell)
                if w.cell_seat[there] == w.cell_seat[cell]:
                    against += u64(w.cell_slot[there] < w.cell_slot[cell])
        orders *= together
    return against, orders


@helper
def accept(w, random):
    """Whether to visit this placement: certainly, or with its weight; and whether it keeps all clauses."""
    broken = broken_clauses(w)
    orders = U1
    if w.anywheres > 1:
        against, orders = order_of_anywheres(w)
        broken += against
    if broken == U0 and orders == U1:
        return True, True
    # A weight of 1/4 for each clause: that many pairs of bits must be 0.
    visited = (random >> U4) & ((U1 << (broken + broken)) - U1) == U0 and below(random >> U32, orders) == U0
    return visited, broken == U0


@helper
def visit(w):
    """Go on to the next placement of all items; returns whether it keeps all clauses."""
    n = u64(w.free)
    stream = u64(w.random) + GOLDEN
    item = below(mix(stream) >> U32, n)
    hole = u64(w.cell[item])
    while True:
        stream += GOLDEN
        random = mix(stream)
        if random & U15 == U0:
            if may_lie(w, item, hole):
                w.cell[item] = hole
                visited, kept = accept(w, random)
                if visited:
                    w.random = stream
                    return kept
        else:
            # Written without a branch, which would be mispredicted: the cell of a lifted item means nothing, so it can
            # be overwritten in any case. If the item is picked itself, nothing changes.
            other = below(random >> U32, n)
            cell = u64(w.cell[other])
            moves = may_lie(w, item, cell)
            w.cell[item] = cell
            item = other if moves else item


@helper
def write_history(w):
    """Write the deal and the draws that the items make up into ``hands``, ``sizes`` and ``drawn``."""
    players = u64(w.players)
    for seat in range(players):
        w.sizes[u64(seat)] = U0
    for k in range(w.items):
        cell = u64(w.cell[u64(k)])
        if cell == BONEYARD:
            continue
        if cell <= players:
            seat = cell - U1
            w.hands[seat, u64(w.sizes[seat])] = w.tile[u64(k)]
            w.sizes[seat] += U1
        else:
            w.drawn[cell - players - U1] = w.tile[u64(k)]


@kernel
def gives_log(worlds, k, rules, states, j, scratch, log, end):
    """Whether the history that the items of ``worlds[k]`` make up gives the log; ``states[j]`` is overwritten."""
    s, r, w = states[j], rules[0], worlds[k]
    write_history(w)
    set_up(s, r, u64(w.engine), u64(w.starter), w.hands, w.sizes)
    return retrace_log(s, r, scratch, w.drawn, log, end, w.phase, w.turns)


@kernel
def next_placement(worlds, k, rules, visits, states, j, scratch, log, end):
    """Move ``worlds[k]`` on by ``visits`` (int64, at least 1) consistent placements; False if that takes too long.

    ``states[j]`` and ``scratch`` (EVENT, at least 4) are scratch; ``log[:end]`` is the log that was given to
    ``open_worlds``.
    """
    w = worlds[k]
    if w.free == 0:
        return True
    for _ in range(MAX_VISITS):
        if visit(w) and (w.uncertain == 0 or gives_log(worlds, k, rules, states, j, scratch, log, end)):
            visits -= 1
            if visits <= 0:
                return True
    return False


@helper
def select_again(s, r):
    """Find the legal plays of the decision anew: the hand of the seat to move has changed."""
    if s.play_drew == 0:
        select(s, r, NONE, NONE, False)
        s.may_stop = s.owed == OWED_CHAIN or (s.owed == OWED_BONUS and r.twice_bonus == MAY_STOP_BONUS)
    elif select(s, r, s.drawn, NONE, r.drawn_tile == OWN_TRAIN) != U0:
        s.may_stop = r.drawn_play == MAY
    else:
        select(s, r, NONE, s.drawn, False)
        s.may_stop = U0


@helper
def deal_world(w, r, s):
    """Give the tiles that ``w.seat`` cannot see in ``s`` the places of the items, and the round a new key."""
    own = u64(w.seat)
    for seat in range(u64(r.players)):
        if u64(seat) != own:
            s.a_count[u64(seat)] = U0
            for half in range(u64(r.halves)):
                s.hand[u64(seat), u64(half)] = U0
    for v in range(3):
        s.boneyard[v] = U0
    for k in range(w.items):
        item = u64(k)
        if w.play[item] != NONE:
            continue
        tile, cell = u64(w.tile[item]), u64(w.cell[item])
        if cell == BONEYARD:
            s.boneyard[tile >> U6] |= U1 << (tile & U63)
        elif u64(w.cell_seat[cell]) != own:
            set_bits(s, r, u64(w.cell_seat[cell]), tile)
    w.random += GOLDEN
    s.key = mix(u64(w.random))
    if u64(s.seat) == own:
        return
    if s.play_drew != 0:
        last = draw_cell(w, u64(w.draws) - U1)
        for k in range(w.items):
            if u64(w.cell[u64(k)]) == last:
                s.drawn = w.tile[u64(k)]
    if s.phase == PHASE_DECIDE:
        select_again(s, r)


@kernel
def next_world(worlds, k, rules, visits, states, j, scratch, log, end):
    """Like ``next_placement``, and write the history into the record."""
    if not next_placement(worlds, k, rules, visits, states, j, scratch, log, end):
        return False
    write_history(worlds[k])
    return True


@kernel
def sample_worlds(worlds, k, rules, visits, states, source, first, count, scratch, log, end):
    """Write ``count`` samples of ``states[source]`` as ``worlds[k]`` knows it to ``states[first]`` and after.

    The samples are ``visits`` placements apart; the other arguments are those of ``next_placement``. ``states[first]``
    … ``states[first + count - 1]`` are overwritten. Returns the number of samples written.
    """
    for n in range(count):
        if not next_placement(worlds, k, rules, visits, states, first + n, scratch, log, end):
            return n
        copy_state(states, first + n, states, source, rules)
        deal_world(worlds[k], rules[0], states[first + n])
    return count


@kernel
def count_places(worlds, k, rules, visits, count, states, j, scratch, log, end, out):
    """Count in ``out`` (int64[tiles, players + 1], last column the boneyard) where each tile is in ``count`` samples.

    The other arguments are those of ``next_placement``. Returns the number of samples.
    """
    w, r = worlds[k], rules[0]
    for n in range(count):
        if not next_placement(worlds, k, rules, visits, states, j, scratch, log, end):
            return n
        for m in range(w.items):
            item = u64(m)
            if w.play[item] == NONE:
                seat = u64(w.cell_seat[u64(w.cell[item])])
                out[u64(w.tile[item]), u64(r.players) if seat == u64(NONE) else seat] += 1
    return count
