"""A hand as a graph, and what makes a set of tiles a train (docs/planner.md).

Halves are vertices, tiles are edges, a number double is a loop. A train is a walk that uses each edge once. A red train
joins everything, so a tile ``*-x`` is an edge from x with one loose end, a *star*, which can meet any half. Cut a train
wherever a star joins something: the parts are walks, and each cut has a star on at least one side. Counting the ends of
all walks gives the condition:

    A set of tiles makes one train from a half if and only if

        odd vertices + 2 * closed components  <=  stars + 1.

Here the beginning of the train counts as one more edge at its start vertex. A vertex is odd if its degree is odd (stars
and beginnings included, loops not). A closed component is a component without odd vertices and without stars. Each
further train adds 1 on the right; a train whose open end is ``*``, or that may start anywhere, adds 2 and has no
beginning. The right side is the *budget*, the left side the number of *walk ends* that it must cover. Without red
trains this is Euler's condition: one odd vertex, where the train ends, and everything connected with the start.

A tile with a star never costs anything, so it is always used. What remains is which number tiles to leave out so that
the walk ends of the others fit the budget (``search``).

Letters (option ``letter_match``): a letter that joins only red trains uses up its own star, so such a tile changes
nothing; letters that join each other are one more vertex; a letter that may be laid on any end acts as a star.
"""

import numpy as np

from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.compiler.machine import lowest, popcount
from mextrain_core.model.limits import LETTER_A, NONE, ROWS, WILD
from mextrain_core.model.options import code

u64 = np.uint64
i64 = np.int64

U0, U1 = u64(0), u64(1)
I0, I1, I2 = i64(0), i64(1), i64(2)
STAR = u64(WILD)
FIRST_LETTER = u64(LETTER_A)

NO_TRAIN = u64(NONE)
"""Instead of an open end: there is no second train."""
ANY_START = u64(NONE - 1)
"""Instead of an open end: any tile may start the train."""

LONGEST, HEAVIEST, FINISH, LENGTH = 0, 1, 2, 3
"""Goals: tiles, then points; points, then tiles; points, then tiles, over two trains; tiles only."""

TILE_STEP = I1 << i64(40)
"""Weight of a tile with the goal LONGEST, where a point weighs 1."""
POINT_STEP = I1 << i64(10)
"""Weight of a point with the other goals, where a tile weighs 1; with LENGTH points weigh 0."""

TRAIN_ONLY, ANY_LETTER = code("letter_match", "train_only"), code("letter_match", "any_letter")
LETTERS_ANYWHERE = code("letter_match", "anywhere")

GRAPH = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("vertices", np.uint64),  # vertices are the half codes below this
                ("edges", np.uint32, ROWS),  # edges[u] bit v, u != v: a tile {u, v}; symmetric
                ("parallel", np.uint32, ROWS),  # the same if there are two or more such tiles
                ("copies", np.uint16, (ROWS, ROWS)),  # number of tiles {u, v}; valid if ``parallel`` has the bit
                ("stars_at", np.uint8, ROWS),  # number of tiles with a star at this vertex
                ("stars", np.uint32),  # vertices with such tiles
                ("loops", np.uint32),  # vertices with doubles
                ("starts", np.uint32),  # vertices where a train begins
                ("odd", np.uint32),  # parity by vertex of stars, beginnings and copies beyond the first
                ("budget", np.int64),
                ("isolated", np.int64),  # tiles connected with no vertex: *-*, letters outside the graph
                ("letter_last", np.uint8),  # one of these is a letter that may come last
                ("plain_star", np.uint8),  # there is a star on a tile that is not a double
                ("single_component", np.uint8),  # no stars and one start: all used edges are connected with it
                ("avoid_double", np.uint8),  # among equal trains one that does not end on a double is better
                ("edge_cost", np.int64),  # losing {u, v} costs edge_cost + vertex_cost[u] + vertex_cost[v]
                ("point_cost", np.int64),
                ("vertex_cost", np.int64, ROWS),
                ("loop_cost", np.int64, ROWS),  # cost of losing all doubles of this vertex
                ("whole", np.int64),  # weight of all tiles
                ("numbers", np.int64),  # weight of all tiles without a star
            ],
            align=True,
        ),
    )
)
"""One hand, with the open ends of its trains."""


@helper
def clear_graph(g, size, goal):
    """Reset to an empty graph of ``size`` vertices without any train."""
    g.vertices = size
    for v in range(ROWS):
        g.edges[v] = U0
        g.parallel[v] = U0
        g.stars_at[v] = U0
        g.vertex_cost[v] = I0
        g.loop_cost[v] = I0
    g.stars = U0
    g.loops = U0
    g.starts = U0
    g.odd = U0
    g.budget = I0
    g.isolated = I0
    g.letter_last = U0
    g.plain_star = U0
    g.single_component = U0
    g.avoid_double = goal == LONGEST or goal == HEAVIEST
    g.edge_cost = TILE_STEP if goal == LONGEST else I1
    g.point_cost = I1 if goal == LONGEST else (I0 if goal == LENGTH else POINT_STEP)
    g.whole = I0
    g.numbers = I0


@helper
def add_stars(g, half, count):
    """Add ``count`` tiles with a star at ``half``."""
    g.stars_at[half] += count
    g.stars |= U1 << half
    g.odd ^= (count & U1) << half
    g.budget += i64(count)
    g.plain_star = U1


@helper
def letter_vertex(r, letter):
    """The vertex of a letter; if all letters join each other, they share one vertex."""
    return FIRST_LETTER if r.letter_match == ANY_LETTER else letter


@helper
def add_letters(g, r, letter, count):
    """Add ``count`` tiles ``*-letter``."""
    if r.letter_match == TRAIN_ONLY:
        g.isolated += i64(count)
        g.plain_star = U1
        g.letter_last = U1
    elif r.letter_match == LETTERS_ANYWHERE:
        g.isolated += i64(count)
        g.plain_star = U1
        g.budget += I2 * i64(count)
    else:
        add_stars(g, letter_vertex(r, letter), count)


@helper
def ends_of_tile(r, touch, new):
    """What a tile adds to the condition: vertices whose parity it changes (mask), and its share of the budget."""
    if r.wild == NONE or (touch < STAR and new < STAR):
        return (U1 << touch) ^ (U1 << new), I0
    half = touch if new == STAR else new
    if half < STAR:
        return U1 << half, I1
    if half == STAR or r.letter_match == LETTERS_ANYWHERE:
        return U0, I2
    if r.letter_match == TRAIN_ONLY:
        return U0, I0
    return U1 << letter_vertex(r, half), I1


@helper
def ends_of_train(r, end):
    """What a train from the open end ``end`` (half code or ANY_START) adds to the condition: the vertex where it begins
    (mask), and its share of the budget (int64)."""
    is_super = r.wild != NONE
    if end == ANY_START or (is_super and end == STAR):
        return U0, I2
    return U1 << (letter_vertex(r, end) if is_super and end > STAR else end), I1


@helper
def add_train(g, r, end):
    """Add a train that goes on from the open end ``end``: a half code, or ANY_START."""
    start, walks = ends_of_train(r, end)
    g.budget += walks
    g.starts |= start
    g.odd ^= start


@helper
def add_numbers(g, r, hand):
    """Add the tiles of ``hand`` without a star."""
    numbers = u64(r.halves) if r.wild == NONE else STAR
    number_mask = (U1 << numbers) - U1
    sides, weight = I0, I0
    for v in range(numbers):
        half = u64(v)
        points = g.point_cost * i64(r.half_points[half])
        row = u64(hand[half]) & number_mask
        double = row & (U1 << half)
        row ^= double
        g.edges[half] = row
        g.vertex_cost[half] = points
        sides += i64(popcount(row))
        weight += i64(popcount(row)) * points
        if double != U0:
            blank = g.point_cost * i64(r.double_blank) if half == U0 else I0
            g.loops |= double
            g.loop_cost[half] = g.edge_cost + I2 * points + blank
            weight += g.loop_cost[half]
    g.numbers = weight + (sides >> I1) * g.edge_cost


@helper
def add_red_trains(g, r, hand, a_count):
    """Add the tiles of ``hand`` with a star; returns their weight."""
    row = u64(hand[STAR])
    count, points = I0, I0
    while row != U0:
        half = lowest(row)
        row &= row - U1
        tiles = a_count if half == FIRST_LETTER else U1
        count += i64(tiles)
        points += i64(tiles) * i64(r.half_points[half])
        if half < STAR:
            add_stars(g, half, tiles)
        elif half == STAR:
            g.isolated += I1
            g.budget += I2
        else:
            add_letters(g, r, half, tiles)
    points += count * i64(r.half_points[STAR])
    return count * g.edge_cost + points * g.point_cost


@kernel
def read_hand(g, r, hand, a_count, end, other_end, goal):
    """Fill the GRAPH struct ``g`` with the tiles of ``hand`` (uint32[ROWS], as in STATE) and one or two trains.

    ``r``: RULES struct. ``a_count``: number of ``*-A`` (uint64). ``end``, ``other_end``: open ends, half codes or
    ANY_START (uint64); ``other_end`` is NO_TRAIN for a single train. ``goal``: LONGEST, HEAVIEST or FINISH.
    """
    clear_graph(g, u64(r.halves), goal)
    add_numbers(g, r, hand)
    g.whole = g.numbers
    if r.wild != NONE:
        g.whole += add_red_trains(g, r, hand, a_count)
    add_train(g, r, end)
    if other_end != NO_TRAIN:
        add_train(g, r, other_end)
        g.avoid_double = U0
    starts = u64(g.starts)
    g.single_component = starts != U0 and starts & (starts - U1) == U0 and g.stars == 0 and g.isolated == 0


@kernel
def read_pairs(g, pairs, size):
    """Fill the GRAPH struct ``g`` with any tiles, repeated or not, and one train that starts anywhere.

    ``pairs``: int64[n, 2], halves 0 … ``size`` - 1 (uint64, at most ROWS). The goal is LENGTH.
    """
    clear_graph(g, size, LENGTH)
    g.budget = I2
    g.whole = i64(len(pairs))
    g.numbers = g.whole
    for u in range(ROWS):
        for v in range(ROWS):
            g.copies[u, v] = U0
    for i in range(len(pairs)):
        u, v = u64(pairs[i, 0]), u64(pairs[i, 1])
        if u == v:
            g.loops |= U1 << u
            g.loop_cost[u] += I1
            continue
        g.copies[u, v] += U1
        g.copies[v, u] += U1
        if g.copies[u, v] > 1:
            g.parallel[u] |= U1 << v
            g.parallel[v] |= U1 << u
            g.odd ^= (U1 << u) | (U1 << v)
        g.edges[u] |= U1 << v
        g.edges[v] |= U1 << u


@helper
def odd_vertices(g, edges, dead):
    """Odd vertices (mask) if ``edges`` (uint32[ROWS]) are used; vertices in the mask ``dead`` are not counted."""
    odd = u64(g.odd)
    for v in range(g.vertices):
        odd ^= (popcount(u64(edges[u64(v)])) & U1) << u64(v)
    return odd & ~dead


@helper
def component_of(edges, vertex):
    """The component of ``vertex`` in the graph of ``edges`` (mask of vertices)."""
    component = U1 << vertex
    frontier = component
    while frontier != U0:
        v = lowest(frontier)
        frontier &= frontier - U1
        fresh = u64(edges[v]) & ~component
        component |= fresh
        frontier |= fresh
    return component


@helper
def active_vertices(g, edges, loops):
    """Vertices (mask) that the condition concerns: those with an edge, a loop, a star or a beginning."""
    live = loops | u64(g.starts) | u64(g.stars)
    for v in range(g.vertices):
        live |= u64(edges[u64(v)] != 0) << u64(v)
    return live


@kernel
def walk_ends(g, edges, loops, odd):
    """Left side (int64) of the condition for ``edges`` and the doubles ``loops``; ``odd`` are the odd vertices."""
    rest = active_vertices(g, edges, loops)
    total = i64(popcount(odd))
    held = odd | u64(g.stars)
    while rest != U0:
        component = component_of(edges, lowest(rest))
        rest &= ~component
        if component & held == U0:
            total += I2
    return total


@kernel
def ends_on_double(g, edges, loops, odd, total):
    """Whether every train of exactly these tiles ends on a double; ``total``: their walk ends. One train, no repeats.

    With unused budget, or with a letter that joins only red trains, some other tile can come last. Otherwise the train
    ends at an odd vertex or in a closed component. It must end on the double of an odd vertex with a loop and a single
    other edge. It cannot end in the walk that it begins with if there are other walks; if the first component has more
    walk ends than that walk needs, the walks can be cut so that any of its odd vertices belongs to another walk.
    """
    rest = active_vertices(g, edges, loops)
    plain = g.plain_star != 0
    for v in range(g.vertices):
        plain = plain or edges[u64(v)] != 0
    if not plain:
        return loops != U0 or g.isolated > 0
    if total < g.budget or g.letter_last != 0:
        return False
    alone = g.isolated == 0 and component_of(edges, lowest(rest)) == rest
    while rest != U0:
        component = component_of(edges, lowest(rest))
        rest &= ~component
        ends = component & odd
        if ends == U0 and component & u64(g.stars) == U0:
            # A closed component can end with any of its edges, unless it is a lone double.
            if component & (component - U1) != U0:
                return False
            continue
        if component & u64(g.starts) != U0 and not alone:
            sides = popcount(ends)
            for v in range(g.vertices):
                if component >> u64(v) & U1 != U0:
                    sides += u64(g.stars_at[u64(v)])
            if sides == U1:
                continue
        while ends != U0:
            v = lowest(ends)
            ends &= ends - U1
            degree = popcount(u64(edges[v])) + u64(g.stars_at[v]) + (u64(g.starts) >> v & U1)
            if loops >> v & U1 == U0 or degree > U1:
                return False
    return True


@helper
def cost_of_edge(g, u, v):
    """Weight (int64) of one tile {u, v}, u != v."""
    return g.edge_cost + g.vertex_cost[u] + g.vertex_cost[v]
