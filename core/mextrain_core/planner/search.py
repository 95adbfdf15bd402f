"""Which number tiles the best train leaves out: branch and bound (docs/planner.md).

Leaving tiles out must mend two things (``graph``): too many odd halves, and closed parts that nothing
connects.

* *Bound.* Forget about closed parts. Odd halves are mended in pairs, by leaving out a path between the two, and the
  cheapest way is a minimum matching of the odd halves by shortest paths in which as many stay single as the
  budget allows. It is found exactly: all shortest paths, then a table over the subsets of odd halves.
* *Branch.* If what is left has a closed part too many, then in any train one of these holds: a tile that leads out of
  that part is kept (one branch for each, with the ones before it left out); or none is, and the part is left
  out as a whole, or it stays as an *island* that costs budget 2. An island has two tips to give away, so two
  of its odd halves may stay single: two extra places in the matching, free for the halves of that island, say
  so.
* *Ties.* Weights are doubled, and 1 is added for a train that must end on a double.

The search is a stack of nodes in the caller's arrays. It stops after a given amount of work and can be
resumed. Smaller arrays than those of ``new_buffers`` make it give up sooner, and nothing else worse: more than
MAX_CHILDREN nodes, and a table of 2**n entries to match n odd halves.
"""

import numpy as np

from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.compiler.machine import copy_record, lowest, popcount
from mextrain_core.model.limits import ROWS
from mextrain_core.planner.graph import (
    FINISH,
    GRAPH,
    NO_TRAIN,
    cost_of_tile,
    ends_on_double,
    parity,
    part_of,
    read_hand,
    read_pairs,
    tips,
    touched,
)

u64 = np.uint64
i64 = np.int64

U0, U1, U2 = u64(0), u64(1), u64(2)
I0, I1, I2 = i64(0), i64(1), i64(2)

NEVER = I1 << i64(60)
"""More than any weight."""

MAX_ISLANDS = 16
MAX_ODD = 20
"""Odd halves (and places of islands) that the matching is exact for; hands of double-18 have at most 19."""
STACK = 4096
"""Nodes of the stack of ``new_buffers``; the last one is the node in hand."""
MAX_CHILDREN = 128
"""More than a node has: its children are ways out of a part, which all lie on the few paths of a matching."""
NODE_WORK = i64(100)
SIDE = 32

NODE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("row", np.uint32, ROWS),  # tiles that may be used
                ("must", np.uint32, ROWS),  # tiles that must be used
                ("loops", np.uint32),
                ("dead", np.uint32),  # halves that are not visited
                ("island", np.uint32, MAX_ISLANDS),
                ("islands", np.uint64),
                ("lost", np.int64),  # weight left out so far
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
                ("nodes", np.int64),  # nodes looked at
                ("work", np.int64),  # about one unit for each step of the matching
                ("value", np.int64),  # best so far: twice the weight left out, plus 1 if it ends on a double
                ("floor", np.int64),  # bound of nodes that found no room on the stack
                ("best_row", np.uint32, ROWS),
                ("best_loops", np.uint32),
                ("best_out", np.uint32, ROWS),  # where one of several equal tiles is left out
                # Of the node in hand:
                ("odd", np.uint32),
                ("left_out", np.uint32, ROWS),  # the paths of the matching
                ("kept", np.uint32, ROWS),
                ("mended", np.uint32, ROWS),  # a train made of ``kept``
                ("half", np.uint8, SIDE),  # active halves, then odd ones
                ("place", np.uint8, SIDE),
                ("odd_half", np.uint8, SIDE),
                ("far", np.int64, (SIDE, SIDE)),  # shortest paths between active halves
                ("apart", np.int64, (SIDE, SIDE)),  # the same between odd halves and places of islands
            ],
            align=True,
        ),
    )
)


def new_buffers():
    """Buffers for one plan at a time: GRAPH[1], SEARCH[1], NODE[STACK] and int64[2 ** MAX_ODD] for the matching."""
    return np.zeros(1, GRAPH), np.zeros(1, SEARCH), np.zeros(STACK, NODE), np.empty(1 << MAX_ODD, np.int64)


@helper
def shortest_paths(g, node, s):
    """Cheapest ways to leave out a path between any two halves, over tiles that need not be used."""
    count = U0
    for v in range(g.halves):
        if u64(node.row[u64(v)]) & ~u64(node.must[u64(v)]) != U0:
            s.half[count] = v
            s.place[u64(v)] = count
            count += U1
    for a in range(count):
        u = u64(s.half[u64(a)])
        loose = u64(node.row[u]) & ~u64(node.must[u])
        for b in range(count):
            v = u64(s.half[u64(b)])
            s.far[u64(a), u64(b)] = cost_of_tile(g, u, v) if loose >> v & U1 != U0 else NEVER
        s.far[u64(a), u64(a)] = 0
    for via in range(count):
        v = u64(s.half[u64(via)])
        loose = u64(node.row[v]) & ~u64(node.must[v])
        if loose & (loose - U1) == U0:
            continue
        for a in range(count):
            first = s.far[u64(a), u64(via)]
            if first >= NEVER:
                continue
            for b in range(count):
                s.far[u64(a), u64(b)] = min(s.far[u64(a), u64(b)], first + s.far[u64(via), u64(b)])
    return count


@helper
def list_odd(node, s, odd, with_islands):
    """List the odd halves, and two places for each island that has some; returns how many."""
    count = U0
    rest = odd
    while rest != U0:
        v = lowest(rest)
        rest &= rest - U1
        s.odd_half[count] = v
        count += U1
    if with_islands:
        for i in range(node.islands):
            if u64(node.island[u64(i)]) & odd != U0:
                s.odd_half[count] = u64(ROWS) + u64(i)
                s.odd_half[count + U1] = u64(ROWS) + u64(i)
                count += U2
    return count


@helper
def gap(node, s, a, b):
    """Cost of pairing two entries of the list of odd halves."""
    u, v = u64(s.odd_half[a]), u64(s.odd_half[b])
    if u < u64(ROWS) and v < u64(ROWS):
        loose = (u64(node.row[u]) & ~u64(node.must[u])) != U0 and (u64(node.row[v]) & ~u64(node.must[v])) != U0
        return s.far[u64(s.place[u]), u64(s.place[v])] if loose else NEVER
    if u >= u64(ROWS) and v >= u64(ROWS):
        return i64(0) if u == v else NEVER
    island, half = (u, v) if u > v else (v, u)
    return i64(0) if u64(node.island[island - u64(ROWS)]) >> half & U1 != U0 else NEVER


@helper
def leave_out_path(g, node, s, u, v):
    """Mark a cheapest path between two halves as left out; where two such paths share a tile, it stays."""
    goal = u64(s.place[v])
    while u != v:
        ways = u64(node.row[u]) & ~u64(node.must[u])
        rest = s.far[u64(s.place[u]), goal]
        while ways != U0:
            w = lowest(ways)
            ways &= ways - U1
            if cost_of_tile(g, u, w) + s.far[u64(s.place[w]), goal] == rest:
                s.left_out[u] ^= U1 << w
                s.left_out[w] ^= U1 << u
                u = w
                break


@kernel
def match_odd(g, node, s, table):
    """Leave out the cheapest tiles that bring the odd halves into the budget; returns their weight or NEVER."""
    odd = parity(g, node.row, u64(node.dead))
    s.odd = odd
    for v in range(g.halves):
        s.left_out[u64(v)] = U0
    budget = g.budget - I2 * i64(node.islands)
    if budget < 0:
        return NEVER
    count = list_odd(node, s, odd, True)
    if count > u64(MAX_ODD):
        # Islands with odd halves are then matched for free, which only weakens the bound.
        free = U0
        for i in range(node.islands):
            free |= u64(node.island[u64(i)])
        count = list_odd(node, s, odd & ~free, False)
    if i64(count) <= budget or I1 << i64(count) > i64(len(table)):
        # Too many to match in a small table: to leave nothing out is a bound too, if a weak one.
        return i64(0)
    needed = count - u64(budget)
    shortest_paths(g, node, s)
    for a in range(count):
        for b in range(u64(a)):
            s.apart[u64(a), u64(b)] = gap(node, s, u64(a), u64(b))
            s.apart[u64(b), u64(a)] = s.apart[u64(a), u64(b)]
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
            cost = s.apart[a, b] + table[others ^ (U1 << b)]
            if cost < cheapest:
                cheapest = cost
        table[pairs] = cheapest
        if size == needed and cheapest < best:
            best, best_set = cheapest, pairs
    s.work += i64(count) << i64(count) >> i64(2)
    pairs = best_set
    while pairs != U0:
        a = lowest(pairs)
        others = pairs & (pairs - U1)
        rest = others
        while rest != U0:
            b = lowest(rest)
            rest &= rest - U1
            if s.apart[a, b] + table[others ^ (U1 << b)] == table[pairs]:
                if u64(s.odd_half[b]) < u64(ROWS):
                    leave_out_path(g, node, s, u64(s.odd_half[a]), u64(s.odd_half[b]))
                pairs = others ^ (U1 << b)
                break
    return best


@helper
def weight_of_part(g, row, loops, part):
    """Weight of all tiles of ``row`` and ``loops`` among the halves ``part`` (mask)."""
    total = i64(0)
    rest = part
    while rest != U0:
        u = lowest(rest)
        rest &= rest - U1
        if loops >> u & U1 != U0:
            total += g.loop_cost[u]
        ways = u64(row[u]) & rest
        while ways != U0:
            v = lowest(ways)
            ways &= ways - U1
            copies = i64(g.copies[u, v]) if u64(g.many[u]) >> v & U1 != U0 else i64(1)
            total += copies * cost_of_tile(g, u, v)
    return total


@helper
def remember(g, s, row, loops, odd, total, lost):
    """Compare a train with the best one."""
    value = lost + lost
    if value >= s.value:
        return
    if g.avoid_double != 0 and ends_on_double(g, row, loops, odd, total):
        value += i64(1)
    if value < s.value:
        s.value = value
        s.best_loops = loops
        for v in range(g.halves):
            s.best_row[u64(v)] = row[u64(v)]
            s.best_out[u64(v)] = u64(s.left_out[u64(v)]) & u64(g.many[u64(v)])


@kernel
def mend(g, node, s, odd, total, lost):
    """Make a train of the kept tiles by leaving out the lightest parts until the rest fits the budget."""
    loops = u64(node.loops)
    for v in range(g.halves):
        s.mended[u64(v)] = s.kept[u64(v)]
    while total > g.budget:
        cheapest, victim = NEVER, U0
        rest = touched(g, s.mended, loops)
        while rest != U0:
            part = part_of(s.mended, lowest(rest))
            rest &= ~part
            if part & (u64(g.starts) | u64(g.stars)) == U0:
                weight = weight_of_part(g, s.mended, loops, part)
                if weight < cheapest:
                    cheapest, victim = weight, part
        if victim == U0:
            return
        ends = popcount(odd & victim)
        total -= i64(ends) if ends != U0 else i64(2)
        odd &= ~victim
        loops &= ~victim
        lost += cheapest
        while victim != U0:
            s.mended[lowest(victim)] = U0
            victim &= victim - U1
    remember(g, s, s.mended, loops, odd, total, lost)


@helper
def cut_off(g, node):
    """Leave out what is not connected with the only start; returns whether that is possible."""
    part = part_of(node.row, lowest(u64(g.starts)))
    lost = U0
    for v in range(g.halves):
        half = u64(v)
        if part >> half & U1 == U0 and (node.row[half] != 0 or u64(node.loops) >> half & U1 != U0):
            if node.must[half] != 0:
                return False
            lost |= U1 << half
    if lost != U0:
        leave_out_part(g, node, lost)
    return True


@kernel
def leave_out_part(g, node, part):
    """Leave out all tiles among the halves ``part``, from which no tile leads out."""
    node.lost += weight_of_part(g, node.row, u64(node.loops), part)
    node.loops &= ~part
    node.dead |= part
    while part != U0:
        node.row[lowest(part)] = U0
        part &= part - U1


@helper
def drop_tile(g, node, u, v):
    """The tile {u, v} is left out."""
    node.row[u] &= ~(U1 << v)
    node.row[v] &= ~(U1 << u)
    node.lost += cost_of_tile(g, u, v)


@helper
def push(nodes, s, node):
    """Put a copy of ``node`` on the stack, as ``nodes[s.top - 1]`` (a record that is returned would be a copy)."""
    copy_record(nodes[s.top], node, NODE_BYTES)
    s.top += 1


@helper
def exits(node, part):
    """Number of usable tiles that lead out of ``part``."""
    count = U0
    rest = part
    while rest != U0:
        v = lowest(rest)
        rest &= rest - U1
        count += popcount(u64(node.row[v]) & ~part)
    return count


@kernel
def loose_part(g, node, s, odd):
    """The closed part of the kept tiles (mask) with the fewest exits that no island accounts for, or 0."""
    chosen, fewest = U0, u64(1000)
    held = odd | u64(g.stars)
    rest = touched(g, s.kept, u64(node.loops))
    while rest != U0:
        part = part_of(s.kept, lowest(rest))
        rest &= ~part
        if part & held != U0:
            continue
        count = exits(node, part)
        if count == U0:
            inside = False
            for i in range(node.islands):
                inside = inside or part & ~u64(node.island[u64(i)]) == U0
            if inside:
                continue
        if count < fewest:
            chosen, fewest = part, count
    return chosen


@kernel
def branch_on_part(g, nodes, s, node, part):
    """Push the children of ``node`` (which is overwritten) for a closed part too many."""
    rest = part
    while rest != U0:
        u = lowest(rest)
        rest &= rest - U1
        ways = u64(node.row[u]) & ~part
        while ways != U0:
            v = lowest(ways)
            ways &= ways - U1
            push(nodes, s, node)
            child = nodes[s.top - 1]
            child.must[u] |= U1 << v
            child.must[v] |= U1 << u
            drop_tile(g, node, u, v)
    for i in range(node.islands):
        if part & ~u64(node.island[u64(i)]) == U0:
            node.islands -= U1
            node.island[u64(i)] = node.island[node.islands]
            break
    if g.budget >= i64(2) * (i64(node.islands) + i64(1)):
        push(nodes, s, node)
        child = nodes[s.top - 1]
        child.island[child.islands] = part
        child.islands += U1
    if part & u64(g.starts) == U0:
        rest = part
        while rest != U0:
            u = lowest(rest)
            rest &= rest - U1
            if node.must[u] != 0:
                return
        push(nodes, s, node)
        child = nodes[s.top - 1]
        leave_out_part(g, child, part)


@helper
def branch_on_tile(g, nodes, s, node, odd):
    """Push the children of ``node`` for some undecided tile, best one at a half on whose double the train ends."""
    bad = odd & u64(node.loops)
    for turn in range(2):
        for h in range(g.halves):
            u = u64(h)
            if turn == 0 and bad >> u & U1 == U0:
                continue
            ways = u64(node.row[u]) & ~u64(node.must[u]) & ~u64(g.many[u])
            if ways == U0:
                continue
            away = ways & u64(s.left_out[u])
            v = lowest(away if away != U0 else ways)
            push(nodes, s, node)
            child = nodes[s.top - 1]
            child.must[u] |= U1 << v
            child.must[v] |= U1 << u
            push(nodes, s, node)
            child = nodes[s.top - 1]
            drop_tile(g, child, u, v)
            return


@helper
def kept_tiles(g, node, s):
    """Write the tiles that a matching keeps into ``s.kept``; returns their odd halves."""
    odd = u64(s.odd)
    for v in range(g.halves):
        half = u64(v)
        row, out = u64(node.row[half]), u64(s.left_out[half])
        s.kept[half] = row & (~out | u64(g.many[half]))
        odd ^= (popcount(out) & U1) << half
    return odd


@helper
def begin_search(g, s, nodes):
    """Put the root on the stack, where every tile may be used; the first best train is that of the red trains alone."""
    root = nodes[0]
    for v in range(ROWS):
        half = u64(v)
        s.kept[half] = U0
        s.left_out[half] = U0
        root.row[half] = g.row[half]
        root.must[half] = U0
    root.loops = g.loops
    root.dead = U0
    root.islands = U0
    root.lost = I0
    root.bound = I0
    s.top = I1
    s.nodes = I0
    s.work = I0
    s.value = NEVER
    s.floor = NEVER
    odd = parity(g, s.kept, U0)
    for v in range(g.halves):
        # Without its tiles a half keeps stars and beginnings only, repeated tiles do not count.
        bundled = g.many[u64(v)] != 0
        odd &= ~(u64(bundled) << u64(v))
    remember(g, s, s.kept, U0, odd, tips(g, s.kept, U0, odd), g.numbers)


@helper
def look_at(g, s, nodes, table, node):
    """Bound ``node``, which has left the stack, and push its children if it may hold a better train."""
    if g.single_part != 0 and not cut_off(g, node):
        return
    lost = match_odd(g, node, s, table)
    if lost >= NEVER:
        return
    lost += node.lost
    if lost + lost >= s.value:
        return
    odd = kept_tiles(g, node, s)
    total = tips(g, s.kept, u64(node.loops), odd)
    fits = total <= g.budget
    if fits:
        remember(g, s, s.kept, u64(node.loops), odd, total, lost)
    else:
        mend(g, node, s, odd, total, lost)
    if lost + lost >= s.value:
        return
    if s.top + MAX_CHILDREN >= i64(len(nodes)):
        s.floor = min(s.floor, lost)
        return
    # The children overwrite the node's place on the stack.
    parent = nodes[i64(len(nodes)) - I1]
    copy_record(parent, node, NODE_BYTES)
    parent.bound = lost
    part = U0 if fits else loose_part(g, parent, s, odd)
    if part != U0:
        branch_on_part(g, nodes, s, parent, part)
    else:
        branch_on_tile(g, nodes, s, parent, odd)


@kernel
def begin(g, s, nodes, rules, hand, a_count, end, goal):
    """Begin to plan ``hand``; with the goal FINISH two trains go on from ``end``. Buffers are those of
    ``new_buffers``.

    ``rules``: RULES[1]; ``hand``: uint32[ROWS], as in STATE; ``a_count``: number of ``*-A`` (uint64);
    ``end``: half code or ANYWHERE (uint64). Returns the weight (int64) of all tiles.
    """
    read_hand(g[0], rules[0], hand, a_count, end, end if goal == FINISH else NO_TRAIN, goal)
    begin_search(g[0], s[0], nodes)
    return g[0].whole


@kernel
def begin_pairs(g, s, nodes, pairs, size):
    """Begin to plan the longest chain of any tiles (``graph.read_pairs``)."""
    read_pairs(g[0], pairs, size)
    begin_search(g[0], s[0], nodes)


@kernel
def search(g, s, nodes, table, limit):
    """Go on for about ``limit`` units of work (int64; a million takes milliseconds); returns whether it is
    proven.

    ``s[0].value >> 1`` is the weight that the best train so far leaves out; ``best_row`` and ``best_loops``
    hold its number tiles. There is one from the beginning.
    """
    found = s[0]
    last = found.work + limit
    while found.top > 0 and found.work < last:
        found.top -= I1
        found.nodes += I1
        found.work += NODE_WORK
        node = nodes[found.top]
        if node.bound + node.bound < found.value:
            look_at(g[0], found, nodes, table, node)
    return found.top == 0 and found.floor + found.floor >= found.value


@kernel
def proven_bound(s, nodes):
    """Weight (int64) that every train leaves out at least, as far as the search has come."""
    bound = min(s[0].floor, s[0].value >> I1)
    for i in range(s[0].top):
        bound = min(bound, nodes[i].bound)
    return bound
