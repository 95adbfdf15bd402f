"""Samples of what a seat cannot see, uniform over the consistent histories (docs/hidden-information.md).

The chain. One step goes over all items and lets each change places with a random one, if both may lie there. Then it
makes a few *excursions*: lift a random item and leave a hole; again and again, either (once in 16 times) put the lifted
item into the hole, or put it in the place of a random item and lift that one; where it may not lie, nothing happens.
Each of these moves is as likely as its reverse, so that all placements that the evidence allows stay equally likely,
and excursions lead from each to every other. At the times when the chain meets a placement that also keeps all clauses,
those are equally likely, and only they are handed out.
"""

import numpy as np

from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.game.deal import set_bits
from mextrain_core.game.movegen import select
from mextrain_core.game.turn import MAY, MAY_STOP_BONUS, OWN_TRAIN
from mextrain_core.hidden.exact import retrace_log, set_up
from mextrain_core.hidden.worlds import BONEYARD, broken_clauses, draw_cell, may_lie
from mextrain_core.model.limits import NONE
from mextrain_core.model.rng import GOLDEN, LOW_32, U32, below, mix
from mextrain_core.model.state import OWED_BONUS, OWED_CHAIN, PHASE_DECIDE, copy_state

u64 = np.uint64

U0, U1, U6, U15, U63 = u64(0), u64(1), u64(6), u64(15), u64(63)

EXCURSIONS = 8
"""Excursions in a step of the chain."""

COLD = 8
"""How many steps lie before the first sample: the placement that ``open_worlds`` makes is far from random."""

MAX_STEPS = 1 << 22
"""A sample that takes more steps than this is given up: the evidence would be next to contradictory."""


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
def keeps_clauses(w):
    """Whether the placement keeps all clauses; where one stands for several, whether it is the one to be counted."""
    if w.anywheres > 1:
        against, orders = order_of_anywheres(w)
        if against != U0:
            return False
        if orders != U1:
            w.random += GOLDEN
            if below(mix(u64(w.random)) >> U32, orders) != U0:
                return False
    return broken_clauses(w) == U0


@helper
def swap_cells(w, a, b):
    """Let two items change places if both may lie there; written without a branch, which would be mispredicted."""
    at_a, at_b = u64(w.cell[a]), u64(w.cell[b])
    both = may_lie(w, a, at_b) & may_lie(w, b, at_a)
    w.cell[a] = at_b if both else at_a
    w.cell[b] = at_a if both else at_b


@helper
def shuffle(w):
    """Let each item in turn change places with a random one."""
    n = u64(w.free)
    stream = u64(w.random)
    for k in range(n >> U1):
        stream += GOLDEN
        random = mix(stream)
        item = u64(k) << U1
        swap_cells(w, item, below(random >> U32, n))
        swap_cells(w, item + U1, below(random & LOW_32, n))
    if n & U1 != U0:
        stream += GOLDEN
        swap_cells(w, n - U1, below(mix(stream) >> U32, n))
    w.random = stream


@helper
def excursion(w):
    """Lift items, one in the place of the other, until the last one fits into the hole that the first one left."""
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
                w.random = stream
                return
        else:
            # Without a branch: the cell of a lifted item means nothing, so it can be overwritten in any case. If the
            # item is picked itself, nothing changes.
            other = below(random >> U32, n)
            cell = u64(w.cell[other])
            moves = may_lie(w, item, cell)
            w.cell[item] = cell
            item = other if moves else item


@helper
def step(w):
    """One step of the chain."""
    shuffle(w)
    for _ in range(EXCURSIONS):
        excursion(w)


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


@helper
def gives_log(w, r, s, scratch, log, end):
    """Whether the history that the items make up gives the log; ``s`` is overwritten."""
    write_history(w)
    set_up(s, r, u64(w.engine), u64(w.starter), w.hands, w.sizes)
    return retrace_log(s, r, scratch, w.drawn, log, end, w.phase, w.turns)


@kernel
def warm_up(worlds, k):
    """Move ``worlds[k]`` from the placement that ``open_worlds`` makes to a random one; clauses are not looked at."""
    for _ in range(COLD if worlds[k].free != 0 else 0):
        step(worlds[k])


@kernel
def next_placement(worlds, k, rules, states, j, scratch, log, end):
    """Move ``worlds[k]`` on to the next consistent placement that the chain meets; False if that takes too long.

    ``states[j]`` and ``scratch`` (EVENT, at least 4) are scratch; ``log[:end]`` is the log that was given to
    ``open_worlds``.
    """
    w, r, s = worlds[k], rules[0], states[j]
    if w.free == 0:
        return True
    for _ in range(MAX_STEPS):
        step(w)
        if keeps_clauses(w) and (w.uncertain == 0 or gives_log(w, r, s, scratch, log, end)):
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
def sample_worlds(worlds, k, rules, states, source, first, count, scratch, log, end):
    """Write ``count`` samples of ``states[source]`` as ``worlds[k]`` knows it to ``states[first]`` and after.

    The other arguments are those of ``next_placement``. ``states[first]`` … ``states[first + count - 1]`` are
    overwritten. Returns the number of samples written.
    """
    for n in range(count):
        if not next_placement(worlds, k, rules, states, first + n, scratch, log, end):
            return n
        copy_state(states, first + n, states, source, rules)
        deal_world(worlds[k], rules[0], states[first + n])
    return count


@kernel
def count_places(worlds, k, rules, count, states, j, scratch, log, end, out):
    """Count in ``out`` (int64[tiles, players + 1], last column the boneyard) where each tile is in ``count`` samples.

    The other arguments are those of ``next_placement``. Returns the number of samples.
    """
    w, r = worlds[k], rules[0]
    for n in range(count):
        if not next_placement(worlds, k, rules, states, j, scratch, log, end):
            return n
        for m in range(w.items):
            item = u64(m)
            if w.play[item] == NONE:
                seat = u64(w.cell_seat[u64(w.cell[item])])
                out[u64(w.tile[item]), u64(r.players) if seat == u64(NONE) else seat] += 1
    return count
