"""The tiles of each train as a tree. Without chicken feet each tile has at most one successor.

Of equal ends the one laid first is continued: the rules do not distinguish them, so the picture is a function of what
happened.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from mextrain.game.moves import STOP, Move
from mextrain.game.read_only import OpenDouble, ReadOnlyPosition, Train
from mextrain.game.tiles import Half
from mextrain_core.game.events import PLAY

TOES = 3
"""The tiles that a double needs for a chicken foot."""


@dataclass
class Node:
    """A tile of a train. `near` touches what was there before, `far` is the new end.

    `near` is None if only the end of the train is known, because the position was read from a line. `play` numbers the
    plays of the round from 1; it and `seat` are None for a tile that was not laid by anybody we know of. `missing`: the
    toes that an unfinished foot still needs.
    """

    near: Half | None
    far: Half
    seat: int | None = None
    play: int | None = None
    children: list[Node] = field(default_factory=list)
    missing: int = 0
    is_last: bool = False
    is_owed: bool = False
    is_suggested: bool = False
    x: float = 0.0
    lane: float = 0.0

    @property
    def is_double(self) -> bool:
        """Whether the tile lies across."""
        return self.near == self.far

    def walk(self) -> Iterator[Node]:
        """Yield this tile and all that follow it."""
        yield self
        for child in self.children:
            yield from child.walk()


class Tree:
    """A train: its first tiles (more than one only if the ends of a branched train were read from a line)."""

    def __init__(self) -> None:
        self.roots: list[Node] = []
        self.ends: list[Node] = []

    def nodes(self) -> Iterator[Node]:
        """Yield all tiles, each after the one that it follows."""
        for root in self.roots:
            yield from root.walk()

    def begin(self, halves: tuple[Half, ...], double: OpenDouble | None) -> None:
        """Begin with the known ends of a train whose tiles are not known."""
        for half in halves:
            self._put(None, Node(half if double and double.tile.high == half else None, half))

    def lay(self, node: Node) -> None:
        """Add a tile at the first end that it fits."""
        # Wherever a tile does not show the number of the end, as with wild halves, there is only one end.
        fits = [end for end in self.ends if end.far == node.near] or self.ends
        self._put(fits[0] if fits else None, node)

    def _put(self, parent: Node | None, node: Node) -> None:
        if parent is None:
            self.roots.append(node)
        else:
            parent.children.append(node)
            if not parent.missing:
                self.ends.remove(parent)
        self.ends.append(node)


def trees(position: ReadOnlyPosition, suggest: Move | None = None) -> dict[Train, Tree]:
    """Return the tree of each train, with the suggested play as its last tile."""
    return _Growth(position).run(suggest)


class _Growth:
    """Lays the plays of a round in order."""

    def __init__(self, position: ReadOnlyPosition) -> None:
        rules = position.rules
        self.position = position
        self.half = rules.tiles.half
        self.has_feet = rules.double_rule == "chicken_foot"
        self.center_only = rules.foot_ends == "center"
        self.trees: dict[Train, Tree] = {train: Tree() for train in position.trains}
        self.foot: tuple[Tree, Node] | None = None

    def run(self, suggest: Move | None) -> dict[Train, Tree]:
        """Return the trees after all plays of the round and the suggested one."""
        self._begin()
        last = None
        laid = ((seat, Move.from_code(data)) for kind, seat, data, _ in self.position.log if kind == PLAY)
        for number, (seat, move) in enumerate(laid, 1):
            last = self._lay(Node(self.half(move.touch), self.half(move.new), seat, number), move)
        if last is not None:
            last.is_last = True
        self._mark()
        if suggest is not None and suggest != STOP:
            self._lay(Node(self.half(suggest.touch), self.half(suggest.new), is_suggested=True), suggest)
        return self.trees

    def _begin(self) -> None:
        """Put what is known of the trains that were started before the first event."""
        if not self.position.start.laid_on:
            return
        before = _earlier(self.position)
        for train in before.started:
            double = next((double for double in before.open_doubles if double.train == train), None)
            tree = self.trees[train]
            ends = list(before.ends(train))
            if double and self.has_feet:
                # The end of an unfinished foot is listed among the other ends of its train.
                ends.remove(double.tile.high)
            tree.begin(tuple(ends), None if self.has_feet else double)
            if double and self.has_feet:
                tree.begin((double.tile.high,), double)
                node = tree.roots[-1]
                node.missing = TOES - len(double.toes)
                node.children = [Node(None, half) for half in double.toes]
                self.foot = tree, node

    def _lay(self, node: Node, move: Move) -> Node:
        tree = self.trees[self.position.trains[move.train]]
        if self.foot:
            grown, double = self.foot
            if grown is tree and double.far == node.near:
                double.children.append(node)
                double.missing -= 1
                if not double.missing:
                    self._finish_foot()
                return node
            # A foot that could get no more toes was released.
            double.missing = 0
            self._finish_foot()
        tree.lay(node)
        if self.has_feet and node.is_double and not node.is_suggested:
            node.missing = TOES
            self.foot = tree, node
        return node

    def _finish_foot(self) -> None:
        """Make the toes of the foot ends of its train."""
        assert self.foot is not None
        (tree, double), self.foot = self.foot, None
        if double.children:
            tree.ends.remove(double)
            tree.ends += double.children[-1:] if self.center_only else double.children

    def _mark(self) -> None:
        """Mark the doubles that must still be covered; release a foot that need not be."""
        for double in self.position.open_doubles:
            for end in self.trees[double.train].ends:
                if end.is_double and end.far == double.tile.high:
                    end.is_owed = True
        if self.foot and not self.foot[1].is_owed:
            self.foot[1].missing = 0
            self._finish_foot()


def _earlier(position: ReadOnlyPosition) -> ReadOnlyPosition:
    """Return the position in which the known course of the round begins."""
    before = object.__new__(ReadOnlyPosition)
    before._start = position.start
    before._states = position.start.state()
    before._raw = before._states.view("u1")
    before._log = []
    return before
