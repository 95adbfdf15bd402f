"""Samples of what a seat cannot see, uniform over the consistent histories (docs/hidden-information.md).

It is a Markov chain over placements. A step first goes over all items and swaps each with a random one, if the evidence
allows both new places. Then it makes a few *excursions*: it lifts a random item, which leaves a hole, and repeats: with
probability 1/16 it tries to put the lifted item into the hole and end; otherwise it tries to put the lifted item in the
place of a random item and lifts that one instead. A move that the evidence does not allow changes nothing. Every move
is as likely as its reverse, so the uniform distribution over all placements that the evidence allows is stationary, and
excursions connect all of them. Only placements that also satisfy all clauses become samples; they are uniform too.
"""

import numpy as np

from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.game.deal import set_bits, set_up_hands
from mextrain_core.game.eligible import before_mark
from mextrain_core.game.turn import is_marked, select_after_mark, select_before_draw, select_drawn, select_other
from mextrain_core.hidden.histories import Seen, retrace_log
from mextrain_core.hidden.worlds import BONEYARD, broken_clauses, draw_cell, may_lie
from mextrain_core.model.limits import NONE
from mextrain_core.model.rng import GOLDEN, LOW_32, U32, below, mix
from mextrain_core.model.state import PHASE_DECIDE, copy_state

u64 = np.uint64

U0, U1, U6, U15, U63 = u64(0), u64(1), u64(6), u64(15), u64(63)

EXCURSIONS = 8
"""Excursions in a step of the chain."""

COLD = 8
"""Steps before the first sample (burn-in): the placement that ``open_worlds`` makes is far from random."""

MAX_STEPS = 1 << 22
"""The sampler gives up after this many steps for one sample: such evidence would be nearly contradictory."""


@helper
def order_of_a_items(hidden):
    """Compare the order of the ``*-A`` with the convention that a seat lays the one first that it got first.

    A history does not say which of several ``*-A`` was laid, so each history counts with one choice only. Returns
    (pairs that violate the convention, number of equivalent orders of those in one deal, of which one must count).
    """
    against, orders = U0, U1
    for a in range(hidden.a_items):
        laid = u64(hidden.a_item[u64(a)])
        if hidden.play[laid] == NONE:
            continue
        cell = u64(hidden.cell[laid])
        together = U0
        for b in range(hidden.a_items):
            other = u64(hidden.a_item[u64(b)])
            there = u64(hidden.cell[other])
            if hidden.play[other] >= hidden.play[laid]:
                together += u64(there == cell)
                if hidden.cell_seat[there] == hidden.cell_seat[cell]:
                    against += u64(hidden.cell_arrival[there] < hidden.cell_arrival[cell])
        orders *= together
    return against, orders


@helper
def keeps_clauses(hidden):
    """Whether the placement satisfies all clauses and, of several equivalent placements, is the one that counts."""
    if hidden.a_items > 1:
        against, orders = order_of_a_items(hidden)
        if against != U0:
            return False
        if orders != U1:
            hidden.random += GOLDEN
            if below(mix(u64(hidden.random)) >> U32, orders) != U0:
                return False
    return broken_clauses(hidden) == U0


@helper
def swap_cells(hidden, a, b):
    """Swap the places of two items if both are allowed; without a branch, which would be mispredicted."""
    at_a, at_b = u64(hidden.cell[a]), u64(hidden.cell[b])
    both = may_lie(hidden, a, at_b) & may_lie(hidden, b, at_a)
    hidden.cell[a] = at_b if both else at_a
    hidden.cell[b] = at_a if both else at_b


@helper
def shuffle(hidden):
    """Swap each item in turn with a random one, if that is allowed."""
    n = u64(hidden.free)
    stream = u64(hidden.random)
    for k in range(n >> U1):
        stream += GOLDEN
        random = mix(stream)
        item = u64(k) << U1
        swap_cells(hidden, item, below(random >> U32, n))
        swap_cells(hidden, item + U1, below(random & LOW_32, n))
    if n & U1 != U0:
        stream += GOLDEN
        swap_cells(hidden, n - U1, below(mix(stream) >> U32, n))
    hidden.random = stream


@helper
def excursion(hidden):
    """Lift items, each put in the place of the next one, until one goes into the hole that the first one left."""
    n = u64(hidden.free)
    stream = u64(hidden.random) + GOLDEN
    item = below(mix(stream) >> U32, n)
    hole = u64(hidden.cell[item])
    while True:
        stream += GOLDEN
        random = mix(stream)
        if random & U15 == U0:
            if may_lie(hidden, item, hole):
                hidden.cell[item] = hole
                hidden.random = stream
                return
        else:
            # Without a branch: the cell of a lifted item has no meaning, so it may be overwritten. If the lifted item
            # itself is picked, nothing changes.
            other = below(random >> U32, n)
            cell = u64(hidden.cell[other])
            moves = may_lie(hidden, item, cell)
            hidden.cell[item] = cell
            item = other if moves else item


@helper
def step(hidden):
    """One step of the chain."""
    shuffle(hidden)
    for _ in range(EXCURSIONS):
        excursion(hidden)


@helper
def write_history(hidden):
    """Write the deal and the draws of the current placement into ``hands``, ``sizes`` and ``drawn``."""
    players = u64(hidden.players)
    for seat in range(players):
        hidden.sizes[u64(seat)] = U0
    for k in range(hidden.items):
        cell = u64(hidden.cell[u64(k)])
        if cell == BONEYARD:
            continue
        if cell <= players:
            seat = cell - U1
            hidden.hands[seat, u64(hidden.sizes[seat])] = hidden.tile[u64(k)]
            hidden.sizes[seat] += U1
        else:
            hidden.drawn[cell - players - U1] = hidden.tile[u64(k)]


@helper
def gives_log(hidden, r, s, scratch, log, end):
    """Whether the history of the current placement produces the log; ``s`` is overwritten."""
    write_history(hidden)
    set_up_hands(s, r, u64(hidden.engine), u64(hidden.starter), hidden.hands, hidden.sizes)
    return retrace_log(s, r, scratch, hidden.drawn, Seen(log, end, hidden.phase, hidden.turns))


@kernel
def warm_up(worlds, k):
    """Burn-in: move ``worlds[k]`` from the placement of ``open_worlds`` to a random one; clauses are ignored."""
    for _ in range(COLD if worlds[k].free != 0 else 0):
        step(worlds[k])


@kernel
def next_placement(worlds, k, rules, states, j, scratch, log, end):
    """Run the chain of ``worlds[k]`` to the next consistent placement; False after MAX_STEPS steps.

    ``states[j]`` and ``scratch`` (EVENT, at least 4) are scratch; ``log[:end]`` is the log passed to ``open_worlds``.
    """
    hidden, r, s = worlds[k], rules[0], states[j]
    if hidden.free == 0:
        return True
    for _ in range(MAX_STEPS):
        step(hidden)
        if keeps_clauses(hidden) and (hidden.uncertain == 0 or gives_log(hidden, r, s, scratch, log, end)):
            return True
    return False


@helper
def select_again(s, r):
    """Find the legal plays of the decision again, because the hand of the seat to move has changed."""
    if s.play_drew == 0:
        select_before_draw(s, r)
    elif is_marked(s, r):
        select_after_mark(s, r, before_mark(s, r))
    elif not select_drawn(s, r):
        select_other(s, r)


@helper
def deal_world(hidden, r, s):
    """Put the tiles that ``hidden.seat`` cannot see where the items are, and give the round a new key."""
    own = u64(hidden.seat)
    for seat in range(u64(r.players)):
        if u64(seat) != own:
            s.a_count[u64(seat)] = U0
            for half in range(u64(r.halves)):
                s.hand[u64(seat), u64(half)] = U0
    for v in range(3):
        s.boneyard[v] = U0
    for k in range(hidden.items):
        item = u64(k)
        if hidden.play[item] != NONE:
            continue
        tile, cell = u64(hidden.tile[item]), u64(hidden.cell[item])
        if cell == BONEYARD:
            s.boneyard[tile >> U6] |= U1 << (tile & U63)
        elif u64(hidden.cell_seat[cell]) != own:
            set_bits(s, r, u64(hidden.cell_seat[cell]), tile)
    hidden.random += GOLDEN
    s.key = mix(u64(hidden.random))
    if u64(s.seat) == own:
        return
    if s.play_drew != 0:
        last = draw_cell(hidden, u64(hidden.draws) - U1)
        for k in range(hidden.items):
            if u64(hidden.cell[u64(k)]) == last:
                s.drawn = hidden.tile[u64(k)]
    if s.phase == PHASE_DECIDE:
        select_again(s, r)


@kernel
def sample_worlds(worlds, k, rules, states, source, first, count, scratch, log, end):
    """Write ``count`` samples of ``states[source]`` with the knowledge of ``worlds[k]`` to ``states[first]`` and on.

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
    """Count where each tile is in ``count`` samples, in ``out`` (int64[tiles, players + 1], last column the boneyard).

    The other arguments are those of ``next_placement``. Returns the number of samples.
    """
    hidden, r = worlds[k], rules[0]
    for n in range(count):
        if not next_placement(worlds, k, rules, states, j, scratch, log, end):
            return n
        for m in range(hidden.items):
            item = u64(m)
            if hidden.play[item] == NONE:
                seat = u64(hidden.cell_seat[u64(hidden.cell[item])])
                out[u64(hidden.tile[item]), u64(r.players) if seat == u64(NONE) else seat] += 1
    return count
