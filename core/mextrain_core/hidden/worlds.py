"""The WORLDS struct: the tiles that a seat cannot see, and where the evidence allows them (docs/hidden-information.md).

*Items* are tiles whose place in the deal matters; *cells* are the places: cell 0 is the boneyard, 1 + q the deal of
seat q, 1 + players + d draw number d. ``allowed`` has the cells that the evidence allows for an item. That is exact
except for two things, which are checked when all items are placed: *clauses* (a seat could have stopped, so some tile
fitted) and the order of ``*-A`` tiles. The struct does not depend on hidden information: it is made from the public
table, the evidence and the seat's own tiles.
"""

from typing import Any, NamedTuple

import numpy as np

from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.compiler.machine import lowest, popcount
from mextrain_core.game import events
from mextrain_core.hidden.evidence import FITS, FITS_NOT, SHOWN, UNCLEAR, shows
from mextrain_core.model.indices import FIRST_A, first_index, is_a_tile, tile_index
from mextrain_core.model.limits import MAX_PLAYERS, MAX_TILES, NONE
from mextrain_core.model.rng import GOLDEN, mix

u64 = np.uint64

U0, U1, U6, U63 = u64(0), u64(1), u64(6), u64(63)
NO_PLAY_NUMBER = u64(NONE)
NO_CELL = u64(NONE)

BONEYARD = u64(0)
MAX_CELLS = 208
"""The boneyard, 14 deals and at most 189 draws, rounded up."""

CELL_WORDS = 4

_FIELDS = np.dtype(
    [
        ("turns", np.uint32),
        ("random", np.uint64),  # state of the sampler's stream
        ("allowed", np.uint64, (MAX_TILES, CELL_WORDS)),  # bit by cell
        ("tile_clauses", np.uint32, MAX_TILES),  # by item: clauses whose halves it shows
        ("cell_clauses", np.uint32, MAX_CELLS),  # by cell: clauses that an item in it can fulfil
        ("clauses", np.uint32),  # bit by clause: those that no known tile fulfils
        ("tile", np.uint8, MAX_TILES),  # by item: tile index
        ("play", np.uint8, MAX_TILES),  # by item: number of the play that laid it, or NONE
        ("cell", np.uint8, MAX_TILES),  # by item: where it is
        ("cell_seat", np.uint8, MAX_CELLS),  # NONE: the boneyard
        ("cell_arrival", np.uint8, MAX_CELLS),
        ("room", np.uint8, MAX_CELLS),
        ("relevant", np.uint8, MAX_TILES),  # items that can fulfil a clause
        ("relevants", np.uint8),
        ("items", np.uint8),
        ("free", np.uint8),  # number of items with more than one place, which come first
        ("cells", np.uint8),
        ("seat", np.uint8),  # the seat with this knowledge
        ("players", np.uint8),
        ("engine", np.uint8),
        ("starter", np.uint8),
        ("phase", np.uint8),
        ("uncertain", np.uint8),  # a history must also be replayed to be sure
        ("a_item", np.uint8, 4),  # items that are *-A
        ("a_items", np.uint8),
        ("draws", np.uint8),
        # The history of the current placement, written by ``write_history``.
        ("sizes", np.uint8, MAX_PLAYERS),
        ("hands", np.uint8, (MAX_PLAYERS, MAX_TILES)),  # as dealt
        ("drawn", np.uint8, MAX_TILES),
    ],
    align=True,
)
WORLDS = np.dtype((np.record, _FIELDS))


@helper
def may_lie(hidden, item, cell):
    """Whether the evidence allows the item in the cell."""
    return (u64(hidden.allowed[item, cell >> U6]) >> (cell & U63)) & U1 != U0


@helper
def draw_cell(hidden, draw):
    """The cell of a draw of the round."""
    return u64(hidden.players) + U1 + draw


@helper
def add_item(hidden, r, tile, play, cell):
    """Append an item; ``cell`` NONE: it is not placed yet. Each ``*-A`` gets its own index."""
    k = u64(hidden.items)
    if is_a_tile(r, tile):
        hidden.a_item[u64(hidden.a_items)] = k
        tile = FIRST_A + u64(hidden.a_items)
        hidden.a_items += U1
    hidden.tile[k] = tile
    hidden.play[k] = play
    hidden.cell[k] = cell
    for v in range(CELL_WORDS):
        hidden.allowed[k, v] = U0
    hidden.items = k + U1


@helper
def add_own_items(hidden, r, e, s, log, end, left):
    """Add the seat's own tiles, all in known cells; ``left`` (uint8 by tile) counts those that it holds or has laid."""
    seat = u64(hidden.seat)
    draw = U0
    for k in range(end):
        kind = log[k]["kind"]
        if kind != events.DRAW and kind != events.FORCED_DRAW:
            continue
        if u64(log[k]["seat"]) == seat:
            tile = first_index(r, u64(log[k]["data"]))
            add_item(hidden, r, tile, NO_PLAY_NUMBER, draw_cell(hidden, draw))
            left[tile] -= U1
        draw += U1
    for tile in range(u64(r.tiles)):
        for _ in range(left[u64(tile)]):
            add_item(hidden, r, u64(tile), NO_PLAY_NUMBER, U1 + seat)


@helper
def own_copies(s, r, seat, tile):
    """Number of copies of the tile (first index of its name) that the seat holds."""
    if is_a_tile(r, tile):
        return u64(s.a_count[seat]) if tile == FIRST_A else U0
    return (u64(s.hand[seat, u64(r.hi[tile])]) >> u64(r.lo[tile])) & U1


@helper
def collect_items(hidden, r, e, s, log, end):
    """List all items: own tiles, tiles that others laid, and unseen tiles."""
    seat = u64(hidden.seat)
    own = np.zeros(MAX_TILES, np.uint8)
    gone = np.zeros(MAX_TILES, np.uint8)
    gone[tile_index(r, u64(s.engine), u64(s.engine))] = U1
    for tile in range(u64(r.tiles)):
        own[u64(tile)] = own_copies(s, r, seat, u64(tile))
        gone[u64(tile)] += own[u64(tile)]
    for k in range(e.plays):
        tile = u64(e.play_tile[u64(k)])
        gone[tile] += U1
        if u64(e.play_seat[u64(k)]) == seat:
            own[tile] += U1
    add_own_items(hidden, r, e, s, log, end, own)
    first = u64(hidden.items)
    for k in range(e.plays):
        if u64(e.play_seat[u64(k)]) != seat:
            add_item(hidden, r, u64(e.play_tile[u64(k)]), u64(k), NO_CELL)
    for tile in range(u64(r.tiles)):
        t = u64(tile)
        name = first_index(r, t)
        if gone[name] != 0:
            gone[name] -= U1
        else:
            add_item(hidden, r, t, NO_PLAY_NUMBER, NO_CELL)
    return first


@helper
def lay_out_cells(hidden, r, e, s):
    """Set up the cells and their room."""
    players = u64(r.players)
    hidden.cells = players + U1 + u64(e.draws)
    hidden.cell_seat[BONEYARD] = NONE
    hidden.cell_arrival[BONEYARD] = NONE
    hidden.room[BONEYARD] = s.boneyard_size
    for seat in range(players):
        hidden.cell_seat[u64(seat) + U1] = seat
        hidden.cell_arrival[u64(seat) + U1] = U0
        hidden.room[u64(seat) + U1] = e.dealt[u64(seat)]
    for draw in range(e.draws):
        cell = draw_cell(hidden, u64(draw))
        hidden.cell_seat[cell] = e.draw_seat[u64(draw)]
        hidden.cell_arrival[cell] = e.draw_arrival[u64(draw)]
        hidden.room[cell] = U1


@helper
def may_be_draw(r, e, tile, play, draw):
    """Whether the evidence of the draw allows that it was this tile, laid by play number ``play`` (NONE: not laid)."""
    rule = e.draw_rule[draw]
    if rule == SHOWN or rule == UNCLEAR:
        if play == u64(e.draw_play[draw]):
            return True
        if rule == SHOWN:
            return False
    fits = shows(r, tile, u64(e.draw_mask[draw]))
    if rule == FITS:
        return fits
    return not fits if rule == FITS_NOT or rule == UNCLEAR else True


@helper
def find_allowed(hidden, r, e, item):
    """Write ``allowed`` of an item that somebody else laid, or that is unseen."""
    tile, play = u64(hidden.tile[item]), u64(hidden.play[item])
    hi, lo = u64(r.hi[tile]), u64(r.lo[tile])
    if play == NO_PLAY_NUMBER and hidden.room[BONEYARD] != 0:
        hidden.allowed[item, U0] |= U1
    for c in range(U1, u64(hidden.cells)):
        cell = u64(c)
        seat, arrival = u64(hidden.cell_seat[cell]), u64(hidden.cell_arrival[cell])
        if seat == u64(hidden.seat):
            continue
        if arrival == U0 and hi == lo and (u64(e.barred[seat]) >> hi) & U1 != U0:
            continue
        if play == NO_PLAY_NUMBER:
            if arrival < u64(e.lacks[seat, hi]) or arrival < u64(e.lacks[seat, lo]):
                continue
        elif seat != u64(e.play_seat[play]) or arrival < u64(e.play_first[play]) or arrival >= u64(e.play_end[play]):
            continue
        if arrival != U0 and not may_be_draw(r, e, tile, play, cell - u64(hidden.players) - U1):
            continue
        hidden.allowed[item, cell >> U6] |= U1 << (cell & U63)


@helper
def only_cell(hidden, item):
    """The only cell that the item may be in; NONE if there are several, MAX_CELLS if there is none."""
    found = u64(MAX_CELLS)
    for v in range(CELL_WORDS):
        word = u64(hidden.allowed[item, u64(v)])
        if word != U0:
            if found != u64(MAX_CELLS) or popcount(word) > U1:
                return NO_CELL
            found = (u64(v) << U6) + lowest(word)
    return found


@helper
def settle_forced(hidden, first):
    """Place every item that only one cell allows; False if an item has no place."""
    moved = True
    while moved:
        moved = False
        for k in range(first, u64(hidden.items)):
            item = u64(k)
            if hidden.cell[item] != NONE:
                continue
            cell = only_cell(hidden, item)
            if cell == NO_CELL:
                continue
            if cell == u64(MAX_CELLS) or hidden.room[cell] == 0:
                return False
            hidden.cell[item] = cell
            hidden.room[cell] -= U1
            moved = True
            if hidden.room[cell] == 0:
                for other in range(first, u64(hidden.items)):
                    if hidden.cell[u64(other)] == NONE:
                        hidden.allowed[u64(other), cell >> U6] &= ~(U1 << (cell & U63))
    return True


@helper
def swap_items(hidden, a, b):
    """Exchange two items."""
    tile, play, cell, allowed = hidden.tile, hidden.play, hidden.cell, hidden.allowed
    tile[a], tile[b] = u64(tile[b]), u64(tile[a])
    play[a], play[b] = u64(play[b]), u64(play[a])
    cell[a], cell[b] = u64(cell[b]), u64(cell[a])
    for v in range(CELL_WORDS):
        allowed[a, u64(v)], allowed[b, u64(v)] = u64(allowed[b, u64(v)]), u64(allowed[a, u64(v)])


@helper
def free_items_first(hidden, r):
    """Move the items without a place to the front."""
    free = U0
    for k in range(hidden.items):
        if hidden.cell[u64(k)] == NONE:
            if u64(k) != free:
                swap_items(hidden, free, u64(k))
            free += U1
    hidden.free = free
    hidden.a_items = U0
    for k in range(hidden.items):
        if is_a_tile(r, u64(hidden.tile[u64(k)])):
            hidden.a_item[u64(hidden.a_items)] = k
            hidden.a_items += U1


@helper
def reach(hidden, item, queue, mover, length):
    """Append the cells that the item may be in and that have not been reached yet; returns the new length."""
    for c in range(hidden.cells):
        cell = u64(c)
        if mover[cell] == NONE and may_lie(hidden, item, cell):
            mover[cell] = item
            queue[length] = cell
            length += 1
    return length


@helper
def place_item(hidden, item, queue, mover):
    """Find a cell for the item, moving placed items if necessary (an augmenting path); False if there is none.

    ``queue``, ``mover``: uint8[MAX_CELLS] scratch: the cells reached, in order, and the item that would move there.
    """
    for c in range(hidden.cells):
        mover[u64(c)] = NONE
    length = reach(hidden, item, queue, mover, 0)
    head = 0
    while head < length:
        cell = u64(queue[head])
        head += 1
        if hidden.room[cell] == 0:
            for k in range(hidden.free):
                if u64(hidden.cell[u64(k)]) == cell:
                    length = reach(hidden, u64(k), queue, mover, length)
            continue
        hidden.room[cell] -= U1
        while cell != NO_CELL:
            moved = u64(mover[cell])
            before = u64(hidden.cell[moved])
            hidden.cell[moved] = cell
            cell = before
        return True
    return False


@helper
def fulfils(hidden, r, e, item, clause):
    """Whether the item fulfils the clause if it is in a cell that the clause covers."""
    unlaid = hidden.play[item] == NONE or hidden.play[item] >= e.clause_plays[clause]
    return unlaid and shows(r, u64(hidden.tile[item]), u64(e.clause_mask[clause]))


@helper
def set_up_clauses(hidden, r, e):
    """List the items that can fulfil each clause, without clauses of the seat itself or fulfilled by a known tile."""
    hidden.clauses = U0
    hidden.relevants = U0
    for c in range(hidden.cells):
        hidden.cell_clauses[u64(c)] = U0
    for i in range(hidden.items):
        hidden.tile_clauses[u64(i)] = U0
    for k in range(e.clauses):
        clause = u64(k)
        seat, end = u64(e.clause_seat[clause]), u64(e.clause_end[clause])
        known = seat == u64(hidden.seat)
        for i in range(hidden.free, hidden.items):
            cell = u64(hidden.cell[u64(i)])
            is_meant = u64(hidden.cell_seat[cell]) == seat and u64(hidden.cell_arrival[cell]) < end
            if is_meant and fulfils(hidden, r, e, u64(i), clause):
                known = True
        if known:
            continue
        hidden.clauses = u64(hidden.clauses) | U1 << clause
        for c in range(hidden.cells):
            if u64(hidden.cell_seat[u64(c)]) == seat and u64(hidden.cell_arrival[u64(c)]) < end:
                hidden.cell_clauses[u64(c)] |= U1 << clause
        for i in range(hidden.free):
            if fulfils(hidden, r, e, u64(i), clause):
                hidden.tile_clauses[u64(i)] |= U1 << clause
    for i in range(hidden.free):
        if hidden.tile_clauses[u64(i)] != 0:
            hidden.relevant[u64(hidden.relevants)] = i
            hidden.relevants += U1


@helper
def broken_clauses(hidden):
    """Number of clauses that the current placement does not fulfil."""
    left = u64(hidden.clauses)
    for k in range(hidden.relevants):
        item = u64(hidden.relevant[u64(k)])
        left &= ~(u64(hidden.tile_clauses[item]) & u64(hidden.cell_clauses[u64(hidden.cell[item])]))
        if left == U0:
            break
    return popcount(left)


@helper
def find_worlds(hidden, r, e, s, log, end):
    """Fill in ``hidden`` for its seat from the concluded evidence; False if no history fits (a bug)."""
    hidden.items = U0
    hidden.a_items = U0
    hidden.players = r.players
    hidden.engine = s.engine
    hidden.starter = s.starter
    hidden.draws = e.draws
    hidden.uncertain = e.uncertain
    lay_out_cells(hidden, r, e, s)
    first = collect_items(hidden, r, e, s, log, end)
    for item in range(first, u64(hidden.items)):
        find_allowed(hidden, r, e, u64(item))
    if not settle_forced(hidden, first):
        return False
    free_items_first(hidden, r)
    queue = np.zeros(MAX_CELLS, np.uint8)
    mover = np.zeros(MAX_CELLS, np.uint8)
    for item in range(hidden.free):
        if not place_item(hidden, u64(item), queue, mover):
            return False
    set_up_clauses(hidden, r, e)
    return True


class Public(NamedTuple):
    """Public knowledge: ``tables[i]`` and ``evidence[i]``, concluded (``evidence.conclude_events``)."""

    tables: Any
    evidence: Any
    i: Any


@kernel
def open_worlds(worlds, k, rules, public, states, j, log, end, seat, seed):
    """Set up ``worlds[k]`` for ``seat`` at the end of ``log[:end]`` (EVENT), with a first placement.

    ``public``: Public, whose table gets the seat's own hand. Only that hand, the phase and the number of the turn are
    read from the round ``states[j]``, and only the seat's own tiles from the draws in the log. ``seed`` (uint64) seeds
    the stream of the samples. Returns False if no history fits, which means that log and evidence do not belong
    together.
    """
    s, r, e, hidden = public.tables[public.i], rules[0], public.evidence[public.i], worlds[k]
    # The own hand is copied to the table, so that the code below cannot read any other hand.
    own = u64(seat)
    s.a_count[own] = states[j].a_count[own]
    for half in range(u64(r.halves)):
        s.hand[own, u64(half)] = states[j].hand[own, u64(half)]
    hidden.seat = own
    hidden.phase = states[j].phase
    hidden.turns = states[j].turns
    hidden.random = mix(mix(seed + GOLDEN) ^ (own + U1))
    return find_worlds(hidden, r, e, s, log, end)
