"""Which number tiles the best train leaves out: branch and bound (docs/planner.md).

Leaving out edges must repair two things (``graph``): too many odd vertices, and unconnected closed components.

* *Bound.* Ignore closed components. Odd vertices are repaired in pairs, by leaving out a path between the two. The
  cheapest way is a minimum-cost matching of the odd vertices by shortest paths, with as many unmatched as the budget
  allows. It is computed exactly: all shortest paths, then dynamic programming over the subsets of odd vertices.
* *Branch.* If the kept edges have a closed component too many, then in any train one of these holds: an edge that leads
  out of that component is kept (one branch for each such edge, with the ones before it left out); or none of them is
  kept, and the component is either left out as a whole or stays as an *island* that costs 2 of the budget. An island
  has two spare walk ends, so two of its odd vertices may stay unmatched: two extra entries in the matching, with cost 0
  for vertices of that island, model this.
* *Ties.* Weights are doubled, and 1 is added for a train that must end on a double.

The search is a stack of nodes in the caller's arrays. It stops after a given amount of work and can be resumed. With
smaller arrays than those of ``new_buffers`` it only gives up sooner. It needs more than MAX_CHILDREN nodes, and a table
of 2**n entries to match n odd vertices.
"""

from typing import Any, NamedTuple

import numpy as np

from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.compiler.machine import copy_struct, lowest, popcount
from mextrain_core.model.limits import ROWS
from mextrain_core.planner.graph import (
    FINISH,
    GRAPH,
    NO_TRAIN,
    active_vertices,
    component_of,
    cost_of_edge,
    ends_on_double,
    odd_vertices,
    read_hand,
    read_pairs,
    walk_ends,
)

u64 = np.uint64
i64 = np.int64

U0, U1, U2 = u64(0), u64(1), u64(2)
I0, I1, I2 = i64(0), i64(1), i64(2)

NEVER = I1 << i64(60)
"""Infinity: more than any weight."""

MAX_ISLANDS = 16
MAX_ODD = 20
"""The matching is exact up to this many odd vertices and entries of islands; hands of double-18 have at most 19."""
STACK = 4096
"""Nodes in the stack of ``new_buffers``; the last one is the current node."""
MAX_CHILDREN = 128
"""More children than a node can have: they are edges out of a component, all on the few paths of a matching."""
NODE_WORK = i64(100)
SIDE = 32

NODE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("edges", np.uint32, ROWS),  # edges that may be used
                ("must", np.uint32, ROWS),  # edges that must be used
                ("loops", np.uint32),
                ("dead", np.uint32),  # vertices that are not visited
                ("island", np.uint32, MAX_ISLANDS),
                ("islands", np.uint64),
                ("lost", np.int64),  # weight left out so far by decisions
                ("bound", np.int64),  # no train below this node loses less
            ],
            align=True,
        ),
    )
)
NODE_BYTES = u64(NODE.itemsize)

SEARCH = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("top", np.int64),  # nodes on the stack
                ("nodes", np.int64),  # nodes processed
                ("work", np.int64),  # work done: about one unit for each step of the matching
                ("value", np.int64),  # best so far: twice the weight left out, plus 1 if it ends on a double
                ("floor", np.int64),  # lowest bound of the nodes that did not fit on the stack
                ("best_edges", np.uint32, ROWS),
                ("best_loops", np.uint32),
                ("best_out", np.uint32, ROWS),  # parallel edges of which one is left out
                # Of the current node:
                ("odd", np.uint32),
                ("left_out", np.uint32, ROWS),  # the paths of the matching
                ("kept", np.uint32, ROWS),
                ("repaired", np.uint32, ROWS),  # a train made of ``kept``
                ("vertex", np.uint8, SIDE),  # vertices with an edge that may be left out
                ("index", np.uint8, SIDE),
                ("odd_vertex", np.uint8, SIDE),
                ("distance", np.int64, (SIDE, SIDE)),  # shortest paths between them
                ("pair_cost", np.int64, (SIDE, SIDE)),  # the same between odd vertices and entries of islands
            ],
            align=True,
        ),
    )
)


class Buffers(NamedTuple):
    """Work arrays for one plan at a time."""

    g: Any
    """GRAPH[1]."""
    found: Any
    """SEARCH[1]."""
    nodes: Any
    """NODE[…], the stack."""
    table: Any
    """int64[…], for the matching."""


def new_buffers():
    """Buffers large enough for any hand."""
    return Buffers(np.zeros(1, GRAPH), np.zeros(1, SEARCH), np.zeros(STACK, NODE), np.empty(1 << MAX_ODD, np.int64))


@helper
def shortest_paths(g, node, found):
    """Compute the shortest paths to leave out between any two vertices, over edges that need not be used."""
    count = U0
    for v in range(g.vertices):
        if u64(node.edges[u64(v)]) & ~u64(node.must[u64(v)]) != U0:
            found.vertex[count] = v
            found.index[u64(v)] = count
            count += U1
    for a in range(count):
        u = u64(found.vertex[u64(a)])
        loose = u64(node.edges[u]) & ~u64(node.must[u])
        for b in range(count):
            v = u64(found.vertex[u64(b)])
            found.distance[u64(a), u64(b)] = cost_of_edge(g, u, v) if loose >> v & U1 != U0 else NEVER
        found.distance[u64(a), u64(a)] = 0
    for via in range(count):
        v = u64(found.vertex[u64(via)])
        loose = u64(node.edges[v]) & ~u64(node.must[v])
        if loose & (loose - U1) == U0:
            continue
        for a in range(count):
            first = found.distance[u64(a), u64(via)]
            if first >= NEVER:
                continue
            for b in range(count):
                around = first + found.distance[u64(via), u64(b)]
                found.distance[u64(a), u64(b)] = min(found.distance[u64(a), u64(b)], around)
    return count


@helper
def list_odd(node, found, odd, with_islands):
    """List the odd vertices, and two entries for each island that has some; returns their number."""
    count = U0
    rest = odd
    while rest != U0:
        v = lowest(rest)
        rest &= rest - U1
        found.odd_vertex[count] = v
        count += U1
    if with_islands:
        for i in range(node.islands):
            if u64(node.island[u64(i)]) & odd != U0:
                found.odd_vertex[count] = u64(ROWS) + u64(i)
                found.odd_vertex[count + U1] = u64(ROWS) + u64(i)
                count += U2
    return count


@helper
def cost_of_pair(node, found, a, b):
    """Cost of pairing two entries of the list of odd vertices."""
    u, v = u64(found.odd_vertex[a]), u64(found.odd_vertex[b])
    if u < u64(ROWS) and v < u64(ROWS):
        loose = (u64(node.edges[u]) & ~u64(node.must[u])) != U0 and (u64(node.edges[v]) & ~u64(node.must[v])) != U0
        return found.distance[u64(found.index[u]), u64(found.index[v])] if loose else NEVER
    if u >= u64(ROWS) and v >= u64(ROWS):
        return i64(0) if u == v else NEVER
    island, vertex = (u, v) if u > v else (v, u)
    return i64(0) if u64(node.island[island - u64(ROWS)]) >> vertex & U1 != U0 else NEVER


@helper
def leave_out_path(g, node, found, u, v):
    """Mark a shortest path between two vertices as left out; an edge shared by two such paths is kept."""
    goal = u64(found.index[v])
    while u != v:
        ways = u64(node.edges[u]) & ~u64(node.must[u])
        rest = found.distance[u64(found.index[u]), goal]
        while ways != U0:
            x = lowest(ways)
            ways &= ways - U1
            if cost_of_edge(g, u, x) + found.distance[u64(found.index[x]), goal] == rest:
                found.left_out[u] ^= U1 << x
                found.left_out[x] ^= U1 << u
                u = x
                break


@helper
def cost_of_tile(g, node, found, a, b):
    """Cost of pairing two odd vertices by the tile that joins them."""
    u, v = u64(found.odd_vertex[a]), u64(found.odd_vertex[b])
    return cost_of_edge(g, u, v) if (u64(node.edges[u]) & ~u64(node.must[u])) >> v & U1 != U0 else NEVER


@helper
def set_pair_cost(found, a, b, cost):
    """Store the cost of pairing two entries of the list of odd vertices."""
    found.pair_cost[a, b] = cost
    found.pair_cost[b, a] = cost


@helper
def match(found, table, count, needed):
    """The lowest cost (int64, or NEVER) of pairing ``needed`` of ``count`` entries, and these entries (mask)."""
    best, best_set = NEVER, U0
    table[0] = 0
    for m in range(1, i64(1) << i64(count)):
        pairs = u64(m)
        size = popcount(pairs)
        if size & U1 != U0 or size > needed:
            continue
        a = lowest(pairs)
        others = pairs & (pairs - U1)
        rest = others
        cheapest = NEVER
        while rest != U0:
            b = lowest(rest)
            rest &= rest - U1
            cost = found.pair_cost[a, b] + table[others ^ (U1 << b)]
            if cost < cheapest:
                cheapest = cost
        table[pairs] = cheapest
        if size == needed and cheapest < best:
            best, best_set = cheapest, pairs
    return best, best_set


@helper
def leave_out_pairs(g, node, found, table, pairs, by_tile):
    """Mark what pairs the entries ``pairs`` (mask) as left out: the tile that joins two, or a shortest path."""
    while pairs != U0:
        a = lowest(pairs)
        others = pairs & (pairs - U1)
        rest = others
        while rest != U0:
            b = lowest(rest)
            rest &= rest - U1
            if found.pair_cost[a, b] + table[others ^ (U1 << b)] == table[pairs]:
                u, v = u64(found.odd_vertex[a]), u64(found.odd_vertex[b])
                if by_tile:
                    found.left_out[u] ^= U1 << v
                    found.left_out[v] ^= U1 << u
                elif v < u64(ROWS):
                    leave_out_path(g, node, found, u, v)
                pairs = others ^ (U1 << b)
                break


@kernel
def match_odd(g, node, found, table):
    """Leave out the cheapest edges that make the odd vertices fit the budget; returns their weight or NEVER."""
    odd = odd_vertices(g, node.edges, u64(node.dead))
    found.odd = odd
    for v in range(g.vertices):
        found.left_out[u64(v)] = U0
    budget = g.budget - I2 * i64(node.islands)
    if budget < 0:
        return NEVER
    count = list_odd(node, found, odd, True)
    if count > u64(MAX_ODD):
        # Islands with odd vertices are then matched for free, which only weakens the bound.
        free = U0
        for i in range(node.islands):
            free |= u64(node.island[u64(i)])
        count = list_odd(node, found, odd & ~free, False)
    if i64(count) <= budget or I1 << i64(count) > i64(len(table)):
        # Too many to match in a small table: leaving out nothing is also a bound, but a weak one.
        return i64(0)
    needed = count - u64(budget)
    found.work += i64(count) << i64(count) >> i64(2)
    # Without islands every pair costs a tile at least. If tiles come before points, pairs of one tile each are best.
    if node.islands == 0 and g.edge_cost > g.point_cost:
        for a in range(count):
            for b in range(u64(a)):
                set_pair_cost(found, u64(a), u64(b), cost_of_tile(g, node, found, u64(a), u64(b)))
        best, pairs = match(found, table, count, needed)
        if best < NEVER:
            leave_out_pairs(g, node, found, table, pairs, True)
            return best
    shortest_paths(g, node, found)
    for a in range(count):
        for b in range(u64(a)):
            set_pair_cost(found, u64(a), u64(b), cost_of_pair(node, found, u64(a), u64(b)))
    best, pairs = match(found, table, count, needed)
    leave_out_pairs(g, node, found, table, pairs, False)
    return best


@helper
def weight_of_component(g, edges, loops, component):
    """Weight of all ``edges`` and ``loops`` among the vertices ``component`` (mask)."""
    total = i64(0)
    rest = component
    while rest != U0:
        u = lowest(rest)
        rest &= rest - U1
        if loops >> u & U1 != U0:
            total += g.loop_cost[u]
        ways = u64(edges[u]) & rest
        while ways != U0:
            v = lowest(ways)
            ways &= ways - U1
            copies = i64(g.copies[u, v]) if u64(g.parallel[u]) >> v & U1 != U0 else i64(1)
            total += copies * cost_of_edge(g, u, v)
    return total


@helper
def remember(g, found, edges, loops, odd, total, lost):
    """Store a train if it is better than the best one so far."""
    value = lost + lost
    if value >= found.value:
        return
    if g.avoid_double != 0 and ends_on_double(g, edges, loops, odd, total):
        value += i64(1)
    if value < found.value:
        found.value = value
        found.best_loops = loops
        for v in range(g.vertices):
            found.best_edges[u64(v)] = edges[u64(v)]
            found.best_out[u64(v)] = u64(found.left_out[u64(v)]) & u64(g.parallel[u64(v)])


@kernel
def repair(g, node, found, odd, total, lost):
    """Make a train from the kept edges: leave out the lightest components until the rest fits the budget."""
    loops = u64(node.loops)
    for v in range(g.vertices):
        found.repaired[u64(v)] = found.kept[u64(v)]
    while total > g.budget:
        cheapest, victim = NEVER, U0
        rest = active_vertices(g, found.repaired, loops)
        while rest != U0:
            component = component_of(found.repaired, lowest(rest))
            rest &= ~component
            if component & (u64(g.starts) | u64(g.stars)) == U0:
                weight = weight_of_component(g, found.repaired, loops, component)
                if weight < cheapest:
                    cheapest, victim = weight, component
        if victim == U0:
            return
        ends = popcount(odd & victim)
        total -= i64(ends) if ends != U0 else i64(2)
        odd &= ~victim
        loops &= ~victim
        lost += cheapest
        while victim != U0:
            found.repaired[lowest(victim)] = U0
            victim &= victim - U1
    remember(g, found, found.repaired, loops, odd, total, lost)


@helper
def cut_off(g, node):
    """Leave out everything that is not connected with the only start; returns whether that is possible."""
    component = component_of(node.edges, lowest(u64(g.starts)))
    lost = U0
    for v in range(g.vertices):
        vertex = u64(v)
        if component >> vertex & U1 == U0 and (node.edges[vertex] != 0 or u64(node.loops) >> vertex & U1 != U0):
            if node.must[vertex] != 0:
                return False
            lost |= U1 << vertex
    if lost != U0:
        leave_out_component(g, node, lost)
    return True


@kernel
def leave_out_component(g, node, component):
    """Leave out all edges among the vertices ``component``, from which no edge leads out."""
    node.lost += weight_of_component(g, node.edges, u64(node.loops), component)
    node.loops &= ~component
    node.dead |= component
    while component != U0:
        node.edges[lowest(component)] = U0
        component &= component - U1


@helper
def drop_edge(g, node, u, v):
    """Leave out the edge {u, v}."""
    node.edges[u] &= ~(U1 << v)
    node.edges[v] &= ~(U1 << u)
    node.lost += cost_of_edge(g, u, v)


@helper
def push(nodes, found, node):
    """Push a copy of ``node`` as ``nodes[found.top - 1]`` (it is not returned, since that would copy the struct)."""
    copy_struct(nodes[found.top], node, NODE_BYTES)
    found.top += 1


@helper
def boundary_size(node, component):
    """Number of usable edges that lead out of ``component``."""
    count = U0
    rest = component
    while rest != U0:
        v = lowest(rest)
        rest &= rest - U1
        count += popcount(u64(node.edges[v]) & ~component)
    return count


@kernel
def loose_component(g, node, found, odd):
    """The closed component of the kept edges (mask) with the smallest boundary that is not an island, or 0."""
    chosen, fewest = U0, u64(1000)
    held = odd | u64(g.stars)
    rest = active_vertices(g, found.kept, u64(node.loops))
    while rest != U0:
        component = component_of(found.kept, lowest(rest))
        rest &= ~component
        if component & held != U0:
            continue
        count = boundary_size(node, component)
        if count == U0:
            inside = False
            for i in range(node.islands):
                inside = inside or component & ~u64(node.island[u64(i)]) == U0
            if inside:
                continue
        if count < fewest:
            chosen, fewest = component, count
    return chosen


@kernel
def branch_on_component(g, nodes, found, node, component):
    """Push the children of ``node`` (which is overwritten) for a closed component too many."""
    rest = component
    while rest != U0:
        u = lowest(rest)
        rest &= rest - U1
        ways = u64(node.edges[u]) & ~component
        while ways != U0:
            v = lowest(ways)
            ways &= ways - U1
            push(nodes, found, node)
            child = nodes[found.top - 1]
            child.must[u] |= U1 << v
            child.must[v] |= U1 << u
            drop_edge(g, node, u, v)
    for i in range(node.islands):
        if component & ~u64(node.island[u64(i)]) == U0:
            node.islands -= U1
            node.island[u64(i)] = node.island[node.islands]
            break
    if g.budget >= i64(2) * (i64(node.islands) + i64(1)):
        push(nodes, found, node)
        child = nodes[found.top - 1]
        child.island[child.islands] = component
        child.islands += U1
    if component & u64(g.starts) == U0:
        rest = component
        while rest != U0:
            u = lowest(rest)
            rest &= rest - U1
            if node.must[u] != 0:
                return
        push(nodes, found, node)
        child = nodes[found.top - 1]
        leave_out_component(g, child, component)


@helper
def branch_on_edge(g, nodes, found, node, odd):
    """Push the children of ``node`` for an undecided edge, preferably at a vertex on whose double the train ends."""
    bad = odd & u64(node.loops)
    for turn in range(2):
        for h in range(g.vertices):
            u = u64(h)
            if turn == 0 and bad >> u & U1 == U0:
                continue
            ways = u64(node.edges[u]) & ~u64(node.must[u]) & ~u64(g.parallel[u])
            if ways == U0:
                continue
            away = ways & u64(found.left_out[u])
            v = lowest(away if away != U0 else ways)
            push(nodes, found, node)
            child = nodes[found.top - 1]
            child.must[u] |= U1 << v
            child.must[v] |= U1 << u
            push(nodes, found, node)
            child = nodes[found.top - 1]
            drop_edge(g, child, u, v)
            return


@helper
def kept_edges(g, node, found):
    """Write the edges that a matching keeps into ``found.kept``; returns their odd vertices."""
    odd = u64(found.odd)
    for v in range(g.vertices):
        vertex = u64(v)
        edges, out = u64(node.edges[vertex]), u64(found.left_out[vertex])
        found.kept[vertex] = edges & (~out | u64(g.parallel[vertex]))
        odd ^= (popcount(out) & U1) << vertex
    return odd


@helper
def begin_search(g, found, nodes):
    """Push the root, where every edge may be used; the initial best train is the one of the red trains alone."""
    root = nodes[0]
    for v in range(ROWS):
        vertex = u64(v)
        found.kept[vertex] = U0
        found.left_out[vertex] = U0
        root.edges[vertex] = g.edges[vertex]
        root.must[vertex] = U0
    root.loops = g.loops
    root.dead = U0
    root.islands = U0
    root.lost = I0
    root.bound = I0
    found.top = I1
    found.nodes = I0
    found.work = I0
    found.value = NEVER
    found.floor = NEVER
    odd = odd_vertices(g, found.kept, U0)
    for v in range(g.vertices):
        # Without its edges a vertex only has stars and beginnings; parallel edges do not count.
        bundled = g.parallel[u64(v)] != 0
        odd &= ~(u64(bundled) << u64(v))
    remember(g, found, found.kept, U0, odd, walk_ends(g, found.kept, U0, odd), g.numbers)


@helper
def look_at(g, found, nodes, table, node):
    """Bound ``node``, which was popped from the stack, and push its children if it may contain a better train."""
    if g.single_component != 0 and not cut_off(g, node):
        return
    lost = match_odd(g, node, found, table)
    if lost >= NEVER:
        return
    lost += node.lost
    if lost + lost >= found.value:
        return
    odd = kept_edges(g, node, found)
    total = walk_ends(g, found.kept, u64(node.loops), odd)
    fits = total <= g.budget
    if fits:
        remember(g, found, found.kept, u64(node.loops), odd, total, lost)
    else:
        repair(g, node, found, odd, total, lost)
    if lost + lost >= found.value:
        return
    if found.top + MAX_CHILDREN >= i64(len(nodes)):
        found.floor = min(found.floor, lost)
        return
    # The children overwrite the slot of the node on the stack.
    parent = nodes[i64(len(nodes)) - I1]
    copy_struct(parent, node, NODE_BYTES)
    parent.bound = lost
    component = U0 if fits else loose_component(g, parent, found, odd)
    if component != U0:
        branch_on_component(g, nodes, found, parent, component)
    else:
        branch_on_edge(g, nodes, found, parent, odd)


@kernel
def begin(g, found, nodes, rules, hand, a_count, end, goal):
    """Begin to plan ``hand``, with the buffers of ``new_buffers``; with the goal FINISH for two trains from ``end``.

    ``rules``: RULES[1]; ``hand``: uint32[ROWS], as in STATE; ``a_count``: number of ``*-A`` (uint64);
    ``end``: half code or ANY_START (uint64). Returns the weight (int64) of all tiles.
    """
    read_hand(g[0], rules[0], hand, a_count, end, end if goal == FINISH else NO_TRAIN, goal)
    begin_search(g[0], found[0], nodes)
    return g[0].whole


@kernel
def begin_pairs(g, found, nodes, pairs, size):
    """Begin to plan the longest chain of any tiles (``graph.read_pairs``)."""
    read_pairs(g[0], pairs, size)
    begin_search(g[0], found[0], nodes)


@kernel
def search(g, found, nodes, table, limit):
    """Continue for about ``limit`` units of work (int64; a million takes milliseconds); returns whether it is done.

    ``found[0].value >> 1`` is the weight that the best train so far leaves out; ``best_edges`` and ``best_loops`` hold
    its number tiles. There is always one.
    """
    best = found[0]
    last = best.work + limit
    while best.top > 0 and best.work < last:
        best.top -= I1
        best.nodes += I1
        best.work += NODE_WORK
        node = nodes[best.top]
        if node.bound + node.bound < best.value:
            look_at(g[0], best, nodes, table, node)
    return best.top == 0 and best.floor + best.floor >= best.value


@kernel
def proven_bound(found, nodes):
    """Lower bound (int64) of the weight that every train leaves out, as far as the search has come."""
    bound = min(found[0].floor, found[0].value >> I1)
    for i in range(found[0].top):
        bound = min(bound, nodes[i].bound)
    return bound
