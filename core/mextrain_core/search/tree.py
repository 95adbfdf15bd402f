"""Tree search: a single-observer tree over what happens in the open (docs/search.md).

Every iteration walks down the tree in a world of its own. A node stands for a decision and the move made there. Its key
has the move, the seat and what everybody saw since the decision before: whose turn it is, draws, opened trains, forced
moves. Hidden tiles are not in the key, so worlds share nodes. A node is chosen only among those whose move is legal in
the world at hand; ``available`` counts how often it was. Each seat maximises its own utility. A decision with one legal
move has no node.

Iterations run in batches: all walks of a batch come first, then their play-outs, then their results are added. A walk
counts its visits at once, so that the walks of a batch spread. What a result is worth to each seat is computed for a
whole batch (``utility``).
"""

from typing import Any, NamedTuple

import numpy as np

from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.game.movegen import write_moves
from mextrain_core.game.turn import play_on
from mextrain_core.model.limits import MAX_DECISIONS
from mextrain_core.model.rng import GOLDEN, U32, below, mix
from mextrain_core.model.state import OUT, PHASE_DECIDE

u64, i64, f64 = np.uint64, np.int64, np.float64

U0, U1 = u64(0), u64(1)
KEY_MASK = u64(0xFFFFFFFFFFFF0000)
MOVE_MASK = 0x3FFF
"""The lowest bits of a key are the move."""
WALK = u64(0x5BF03635F0935AD1)
"""Tells the random numbers of walks from those of the rounds."""
LOG_2 = 0.6931471805599453

DEPTH = 64
"""Longest walk, in decisions; the play-out goes on from there."""

_FIELDS = [
    ("key", np.uint64),
    ("total", np.int64),  # of the utility of the seat that moved
    ("parent", np.int32),
    ("first", np.int32),  # first child, or -1
    ("next", np.int32),  # next sibling, or -1
    ("visits", np.int32),
    ("pending", np.int32),  # visits whose results are not added yet
    ("available", np.int32),  # visits of the parent in which the move was legal
    ("place", np.int16),  # index of the move at its decision, in the world that made the node
    ("seat", np.uint8),
]
NODE = np.dtype((np.record, np.dtype(_FIELDS, align=True)))


class Tree(NamedTuple):
    """The memory of a tree."""

    nodes: Any
    """NODE; the first one is the root."""
    table: Any
    """int32: nodes by parent and key, a hash table whose size is a power of two; -1: empty."""
    paths: Any
    """int32[walks, DEPTH + 1]: the number of nodes that a walk of the batch visits, then the nodes."""
    legal: Any
    """uint16[MAX_DECISIONS]: scratch for legal moves."""
    children: Any
    """int64[MAX_DECISIONS]: their nodes."""


def new_tree(nodes, walks):
    """An empty tree for so many nodes, and for batches of so many walks."""
    table = np.empty(1 << (2 * nodes - 1).bit_length(), np.int32)
    scratch = np.empty(MAX_DECISIONS, np.uint16), np.empty(MAX_DECISIONS, np.int64)
    tree = Tree(np.zeros(nodes, NODE), table, np.empty((walks, DEPTH + 1), np.int32), *scratch)
    clear_tree(tree)
    return tree


def clear_tree(tree):
    """Forget all nodes but the root."""
    tree.nodes["first"][0] = tree.nodes["next"][0] = -1
    tree.table.fill(-1)


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
def find_child(tree, parent, key):
    """The place in the table, and the node that is there: the child of ``parent`` with this key, or -1."""
    mask = u64(len(tree.table)) - U1
    at = mix(key + u64(parent) * GOLDEN) & mask
    while tree.table[at] >= 0:
        node = tree.nodes[tree.table[at]]
        if node.key == key and node.parent == parent:
            return at, i64(tree.table[at])
        at = (at + U1) & mask
    return at, i64(-1)


@helper
def add_node(tree, used, parent, key, seat, place):
    """Append a child; returns its index."""
    node = tree.nodes[used]
    node.key = key
    node.total = 0
    node.parent = parent
    node.first = -1
    node.next = tree.nodes[parent].first
    node.visits = 0
    node.pending = 0
    node.available = 1
    node.place = place
    node.seat = seat
    tree.nodes[parent].first = used
    at, _ = find_child(tree, parent, key)
    tree.table[at] = used
    return used


@helper
def worth(node, explore, mean):
    """Upper confidence bound of a child with visits; ``mean`` stands in while no result is known."""
    results = i64(node.visits) - i64(node.pending)
    known = f64(node.total) / f64(results) if results > 0 else mean
    return known + explore * np.sqrt(rough_log(i64(node.available)) / f64(node.visits))


@helper
def pick_move(tree, parent, tag, legal, count, explore, stream):
    """Choose at a decision; returns (index of the legal move, its node or -1 for a move that has none, stream).

    Moves without a node come first, at random.
    """
    total, results, fresh, pick = i64(0), i64(0), U0, 0
    for k in range(count):
        _, child = find_child(tree, parent, tag | u64(legal[k]))
        tree.children[k] = child
        if child < 0:
            fresh += U1
            stream += GOLDEN
            if below(mix(stream) >> U32, fresh) == U0:
                pick = k
        else:
            node = tree.nodes[child]
            node.available += 1
            total += node.total
            results += i64(node.visits) - i64(node.pending)
    if fresh != U0:
        return pick, i64(-1), stream
    mean = f64(total) / f64(results) if results > 0 else 0.0
    best_worth = -np.inf
    for k in range(count):
        value = worth(tree.nodes[tree.children[k]], explore, mean)
        if value > best_worth:
            pick, best_worth = k, value
    return pick, i64(tree.children[pick]), stream


@kernel
def descend(tree, used, states, first, count, rules, explore):
    """Walk down the tree in the worlds ``states[first]`` … ``states[first + count - 1]``, which move to the leaves.

    The first ``used`` nodes of ``tree`` (Tree) are in use. It gets at most one new node for each walk, and none once it
    is full. ``explore`` (float64): weight of the exploration, in units of the utility. Returns the number of nodes in
    use.
    """
    nodes, paths, legal = tree.nodes, tree.paths, tree.legal
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
            pick, child, stream = pick_move(tree, node, tag, legal, moves, explore, stream)
            move = u64(legal[pick])
            is_new = child < 0
            if is_new and used < len(nodes):
                child = i64(add_node(tree, used, node, tag | move, s.seat, pick))
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
def back_up(tree, points, worth, facts, count, seat, sums):
    """Add the results of ``count`` play-outs to the nodes of their paths, and by first move to ``sums`` (Sums).

    ``points`` and ``facts`` are those of ``play_copies`` for the leaves of ``descend``; ``worth``: their utilities by
    ``rate``.
    """
    nodes, paths = tree.nodes, tree.paths
    players = points.shape[1]
    for k in range(count):
        for d in range(1, paths[k, 0] + 1):
            node = nodes[paths[k, d]]
            node.pending -= 1
            node.total += worth[k, i64(node.seat)]
        if paths[k, 0] == 0:
            continue
        move = i64(nodes[paths[k, 1]].place)
        sums.playouts[move] += 1
        sums.out[move] += i64(facts[k, 0] == OUT and facts[k, 1] == seat)
        value = worth[k, seat]
        sums.value[move] += value
        sums.value_squares[move] += value * value
        for q in range(players):
            sums.points[move, q] += points[k, q]
            sums.squares[move, q] += points[k, q] * points[k, q]
