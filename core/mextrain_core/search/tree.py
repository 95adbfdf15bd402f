"""Tree search: a single-observer tree over what happens in the open (docs/search.md).

Every iteration walks down the tree in a world of its own. A node stands for a decision and the move made there. Its key
has the move, the seat and what everybody saw since the decision before: whose turn it is, draws, opened trains, forced
moves. Hidden tiles are not in the key, so worlds share nodes. A node is chosen only among those whose move is legal in
the world at hand; ``available`` counts how often it was. Each seat maximises its own utility. A decision with one legal
move has no node.

Iterations run in batches: all walks of a batch come first, then their play-outs, then their results are added. A walk
counts its visits at once, so that the walks of a batch spread.
"""

import numpy as np

from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.game.movegen import write_moves
from mextrain_core.game.turn import play_on
from mextrain_core.model.rng import GOLDEN, U32, below, mix
from mextrain_core.model.state import OUT, PHASE_DECIDE
from mextrain_core.search.utility import utility_of

u64, i64, f64 = np.uint64, np.int64, np.float64

U0, U1 = u64(0), u64(1)
MOVE_BITS, MOVE_MASK, KEY_MASK = u64(16), u64(0x3FFF), u64(0xFFFFFFFFFFFF0000)
WALK = u64(0x5BF03635F0935AD1)
"""Tells the random numbers of walks from those of the rounds."""
LOG_2 = 0.6931471805599453

MOVES = 1 << 14
"""Moves are smaller than this."""
DEPTH = 64
"""Longest walk, in decisions; the play-out goes on from there."""

_FIELDS = [
    ("key", np.uint64),
    ("total", np.int64),  # of the utility of the seat that moved
    ("first", np.int32),  # first child, or -1
    ("next", np.int32),  # next sibling, or -1
    ("visits", np.int32),
    ("pending", np.int32),  # visits whose results are not added yet
    ("available", np.int32),  # visits of the parent in which the move was legal
    ("place", np.int16),  # index of the move at its decision, in the world that made the node
    ("seat", np.uint8),
]
NODE = np.dtype((np.record, np.dtype(_FIELDS, align=True)))


def new_tree(nodes):
    """An array of nodes (NODE) whose first one is the root."""
    tree = np.zeros(nodes, NODE)
    tree["first"][0] = tree["next"][0] = -1
    return tree


@helper
def public_part(s, folded):
    """What everybody sees of the state and of the forced moves ``folded`` before it (uint64)."""
    return mix(folded ^ (u64(s.seat) | u64(s.open) << u64(8) | u64(s.draws) << u64(24) | u64(s.turns) << u64(40)))


@helper
def rough_log(n):
    """The natural logarithm of n >= 1 within 0.06, from exact operations only, so that all machines agree."""
    power, whole = 1, 0
    while 2 * power <= n:
        power *= 2
        whole += 1
    return LOG_2 * (f64(whole) + f64(n) / f64(power) - 1.0)


@helper
def add_node(nodes, used, parent, key, seat, place):
    """Append a child; returns its index."""
    node = nodes[used]
    node.key = key
    node.total = 0
    node.first = -1
    node.next = nodes[parent].first
    node.visits = 0
    node.pending = 0
    node.available = 1
    node.place = place
    node.seat = seat
    nodes[parent].first = used
    return used


@helper
def find_children(nodes, parent, tag, slot):
    """Write the children whose key has the upper bits ``tag`` into ``slot`` (int32 by move).

    Returns the mean utility of all their results, 0.0 without any.
    """
    total, results = i64(0), i64(0)
    child = nodes[parent].first
    while child >= 0:
        node = nodes[child]
        if u64(node.key) & KEY_MASK == tag:
            slot[i64(u64(node.key) & MOVE_MASK)] = child
            total += node.total
            results += i64(node.visits) - i64(node.pending)
        child = node.next
    return f64(total) / f64(results) if results > 0 else 0.0


@helper
def forget_children(nodes, parent, tag, slot):
    """Undo ``find_children``."""
    child = nodes[parent].first
    while child >= 0:
        if u64(nodes[child].key) & KEY_MASK == tag:
            slot[i64(u64(nodes[child].key) & MOVE_MASK)] = -1
        child = nodes[child].next


@helper
def worth(node, explore, mean):
    """Upper confidence bound of a child with visits; ``mean`` stands in while no result is known."""
    results = i64(node.visits) - i64(node.pending)
    known = f64(node.total) / f64(results) if results > 0 else mean
    return known + explore * np.sqrt(rough_log(i64(node.available)) / f64(node.visits))


@helper
def pick_move(nodes, parent, tag, slot, legal, count, explore, stream):
    """Choose at a decision; returns (index of the legal move, its node or -1 for a move that has none, stream).

    Moves without a node come first, at random.
    """
    mean = find_children(nodes, parent, tag, slot)
    fresh, pick, best, best_worth = U0, 0, -1, -np.inf
    for k in range(count):
        child = slot[i64(legal[k])]
        if child < 0:
            fresh += U1
            stream += GOLDEN
            if below(mix(stream) >> U32, fresh) == U0:
                pick = k
        else:
            nodes[child].available += 1
            if fresh == U0:
                value = worth(nodes[child], explore, mean)
                if value > best_worth:
                    pick, best, best_worth = k, i64(child), value
    forget_children(nodes, parent, tag, slot)
    return pick, best if fresh == U0 else i64(-1), stream


@kernel
def descend(nodes, used, states, first, count, rules, explore, paths, slot, legal):
    """Walk down the tree in the worlds ``states[first]`` … ``states[first + count - 1]``, which move to the leaves.

    ``nodes`` (NODE, the first ``used`` in use) gets at most one new node for each walk, and none once it is full.
    ``explore`` (float64): weight of the exploration, in units of the utility. ``paths``: int32[count, DEPTH + 1],
    output: the number of nodes visited, then the nodes. ``slot``: int32[MOVES], all -1. ``legal``: uint16, scratch for
    the legal moves. Returns the number of nodes in use.
    """
    r = rules[0]
    for k in range(count):
        s = states[first + k]
        stream = mix(u64(s.key) ^ WALK)
        node, depth, folded = i64(0), 0, U0
        while s.phase == PHASE_DECIDE and depth < DEPTH:
            moves = write_moves(s, r, legal)
            if moves == 1:
                move = u64(legal[0])
                folded = mix(folded + move + U1)
                play_on(s, r, None, move)
                continue
            tag = public_part(s, folded) & KEY_MASK
            pick, child, stream = pick_move(nodes, node, tag, slot, legal, moves, explore, stream)
            move = u64(legal[pick])
            is_new = child < 0
            if is_new and used < len(nodes):
                child = i64(add_node(nodes, used, node, tag | move, s.seat, pick))
                used += 1
            if child >= 0:
                nodes[child].visits += 1
                nodes[child].pending += 1
                depth += 1
                paths[k, depth] = child
                node = child
            folded = U0
            play_on(s, r, None, move)
            if is_new:
                break
        paths[k, 0] = depth
    return used


@kernel
def back_up(nodes, paths, points, facts, count, seat, utility, sums):
    """Add the results of ``count`` play-outs to the nodes of their ``paths``, and by first move to ``sums`` (Sums).

    ``points`` and ``facts`` are those of ``play_copies`` for the leaves of ``descend``.
    """
    players = points.shape[1]
    for k in range(count):
        for d in range(1, paths[k, 0] + 1):
            node = nodes[paths[k, d]]
            value = utility_of(points[k], players, i64(node.seat), utility)
            node.pending -= 1
            node.total += value
        if paths[k, 0] == 0:
            continue
        move = i64(nodes[paths[k, 1]].place)
        sums.playouts[move] += 1
        sums.out[move] += i64(facts[k, 0] == OUT and facts[k, 1] == seat)
        value = utility_of(points[k], players, seat, utility)
        sums.value[move] += value
        sums.value_squares[move] += value * value
        for q in range(players):
            sums.points[move, q] += points[k, q]
            sums.squares[move, q] += points[k, q] * points[k, q]
