"""Tiny games as whole trees, through the public API: best responses, and how much a policy can be exploited.

By hand, for games that take minutes (searches are asked once at each information set that they can reach):

    python -m tests.search.exact double-3 4 chain uniform flat:300 tree:300 tree:1000
"""

from __future__ import annotations

import itertools
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator

from mextrain import Move, Position, RuleSet, information_key, search

Policy = dict[int, list[float]]
"""Probabilities of the moves, by information set."""

TERMINAL, CHANCE = -1, -2


def two_players(tile_set: str, hand_size: int, opening: str) -> RuleSet:
    """The rules of a game for two, in which seat 0 starts; a round is a zero-sum game for the difference of points."""
    return RuleSet.mexican(2, tile_set=tile_set, hand_size=hand_size, opening=opening, starter=0)


class Tree:
    """Every history of a round with the highest double as its engine. Nodes are numbered, parents before children.

    `kind`: the seat that decides, CHANCE or TERMINAL. `children`, `odds`: of each node; the odds of a decision are
    those of the policy and not kept. `value`: of a terminal node, points of seat 1 less those of seat 0. `info`: the
    information set of a decision. `positions`, `moves`: of each information set, a position in it and its legal moves.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.kind: list[int] = []
        self.children: list[list[int]] = []
        self.odds: list[list[float]] = []
        self.value: list[float] = []
        self.info: list[int] = []
        self.positions: list[Position] = []
        self.moves: list[tuple[Move, ...]] = []
        self._sets: dict[tuple[int, bytes], int] = {}
        engine = rules.engines[0]
        deals = list(self._deals(rules))
        root = self._add(CHANCE)
        self.odds[root] = [1 / len(deals)] * len(deals)
        for hands in deals:
            start = Position.setup(rules, engine=engine, hands=hands, chance="explicit")
            self.children[root].append(self._grow(start))

    @staticmethod
    def _deals(rules: RuleSet) -> Iterator[tuple[tuple[object, ...], tuple[object, ...]]]:
        tiles = [tile for tile in rules.tiles if tile != rules.engines[0]]
        for first in itertools.combinations(tiles, rules.hand_size):
            rest = [tile for tile in tiles if tile not in first]
            for second in itertools.combinations(rest, rules.hand_size):
                yield first, second

    def _add(self, kind: int) -> int:
        self.kind.append(kind)
        self.children.append([])
        self.odds.append([])
        self.value.append(0.0)
        self.info.append(-1)
        return len(self.kind) - 1

    def _grow(self, position: Position) -> int:
        if position.over:
            node = self._add(TERMINAL)
            self.value[node] = float(position.points[1] - position.points[0])
        elif position.pending_draw:
            node = self._add(CHANCE)
            for tile, chance in position.chance_outcomes():
                after = position.copy()
                after.draw(tile)
                self.odds[node].append(chance)
                self.children[node].append(self._grow(after))
        else:
            seat = position.seat
            assert seat is not None
            node = self._add(seat)
            self.info[node] = self._set_of(position, seat)
            for move in self.moves[self.info[node]]:
                after = position.copy()
                after.play(move)
                self.children[node].append(self._grow(after))
        return node

    def _set_of(self, position: Position, seat: int) -> int:
        key = seat, information_key(position, seat)
        if key not in self._sets:
            self._sets[key] = len(self.moves)
            self.positions.append(position.copy())
            self.moves.append(position.legal_moves())
        return self._sets[key]

    def weights(self, node: int, policy: Policy) -> list[float]:
        """The odds of the children of a node that is not terminal."""
        return self.odds[node] if self.kind[node] == CHANCE else policy[self.info[node]]

    def expected(self, policy: Policy) -> float:
        """The mean utility of seat 0 if both seats follow `policy`."""
        values = self.value.copy()
        for node in reversed(range(len(values))):
            if self.kind[node] != TERMINAL:
                odds = self.weights(node, policy)
                pairs = zip(odds, self.children[node], strict=True)
                values[node] = sum(weight * values[child] for weight, child in pairs)
        return values[0]

    def best_response(self, policy: Policy, seat: int) -> float:
        """The mean utility of `seat` if it answers best to the other seat's `policy`."""
        sign = 1.0 if seat == 0 else -1.0
        reach = [0.0] * len(self.kind)  # by chance and by the other seat
        reach[0] = 1.0
        members: dict[int, list[int]] = defaultdict(list)
        for node, kind in enumerate(self.kind):
            if kind == TERMINAL:
                continue
            odds = [1.0] * len(self.children[node]) if kind == seat else self.weights(node, policy)
            if kind == seat:
                members[self.info[node]].append(node)
            for weight, child in zip(odds, self.children[node], strict=True):
                reach[child] = reach[node] * weight
        values: dict[int, float] = {}
        choices: dict[int, int] = {}

        def value(node: int) -> float:
            if node not in values:
                if self.kind[node] == TERMINAL:
                    values[node] = sign * self.value[node]
                elif self.kind[node] == seat:
                    values[node] = value(self.children[node][choice(self.info[node])])
                else:
                    odds = zip(self.weights(node, policy), self.children[node], strict=True)
                    values[node] = sum(weight * value(child) for weight, child in odds if weight)
            return values[node]

        def choice(info: int) -> int:
            # Seats forget nothing, so the sets below are settled without this one.
            if info not in choices:
                totals = [
                    sum(reach[node] * value(self.children[node][place]) for node in members[info] if reach[node])
                    for place in range(len(self.moves[info]))
                ]
                choices[info] = totals.index(max(totals))
            return choices[info]

        return value(0)

    def nash_conv(self, policy: Policy) -> float:
        """What both seats together could gain by answering best to `policy`: 0 exactly at an equilibrium."""
        return self.best_response(policy, 0) + self.best_response(policy, 1)

    def uniform(self) -> Policy:
        """Every legal move equally likely."""
        return {info: [1 / len(moves)] * len(moves) for info, moves in enumerate(self.moves)}

    def of_search(self, choose: Callable[[Position], Move]) -> tuple[Policy, int]:
        """The policy of a search, asked only where it can come to by its own choices; elsewhere uniform.

        A best response to it needs no more. Returns the policy and how many times the search was asked.
        """
        policy, asked = self.uniform(), 0
        for seat in (0, 1):
            known: set[int] = set()
            stack = [0]
            while stack:
                node = stack.pop()
                info = self.info[node]
                if self.kind[node] != seat:
                    stack += self.children[node]
                    continue
                if info not in known:
                    known.add(info)
                    moves = self.moves[info]
                    if len(moves) > 1:
                        asked += 1
                        best = choose(self.positions[info])
                        policy[info] = [float(move == best) for move in moves]
                stack += [child for child, odds in zip(self.children[node], policy[info], strict=True) if odds]
        return policy, asked

    def equilibrium(self, iterations: int) -> Policy:
        """An approximate equilibrium by CFR+, with linear averaging."""
        regrets = {info: [0.0] * len(moves) for info, moves in enumerate(self.moves)}
        totals = {info: [0.0] * len(moves) for info, moves in enumerate(self.moves)}
        for turn in range(1, iterations + 1):
            for seat in (0, 1):
                current = {info: _matched(row) for info, row in regrets.items()}
                self._improve(seat, current, regrets, totals, turn)
        return {info: _shares(row) for info, row in totals.items()}

    def _improve(
        self, seat: int, current: Policy, regrets: dict[int, list[float]], totals: dict[int, list[float]], turn: int
    ) -> None:
        sign = 1.0 if seat == 0 else -1.0
        own, others = [0.0] * len(self.kind), [0.0] * len(self.kind)
        own[0] = others[0] = 1.0
        for node, kind in enumerate(self.kind):
            if kind != TERMINAL:
                for weight, child in zip(self.weights(node, current), self.children[node], strict=True):
                    own[child] = own[node] * (weight if kind == seat else 1.0)
                    others[child] = others[node] * (1.0 if kind == seat else weight)
        values = self.value.copy()
        for node in reversed(range(len(values))):
            if self.kind[node] == TERMINAL:
                continue
            odds = self.weights(node, current)
            values[node] = sum(weight * values[child] for weight, child in zip(odds, self.children[node], strict=True))
            if self.kind[node] == seat:
                regret, total = regrets[self.info[node]], totals[self.info[node]]
                for place, child in enumerate(self.children[node]):
                    regret[place] += others[node] * sign * (values[child] - values[node])
                    total[place] += turn * own[node] * odds[place]
        for row in regrets.values():
            row[:] = [max(regret, 0.0) for regret in row]


def _matched(regrets: list[float]) -> list[float]:
    return _shares([max(regret, 0.0) for regret in regrets])


def _shares(row: list[float]) -> list[float]:
    total = sum(row)
    return [part / total for part in row] if total else [1 / len(row)] * len(row)


def searching(name: str, **options: object) -> Callable[[Position], Move]:
    """What a search such as `flat:300` chooses at a position."""
    return lambda position: search(position, method=name, **options).best  # type: ignore[arg-type]


def main(tile_set: str, hand_size: str, opening: str, *names: str) -> None:
    """Print a line for each policy."""
    tree = Tree(two_players(tile_set, int(hand_size), opening))
    choices = sum(len(moves) > 1 for moves in tree.moves)
    print(f"{len(tree.kind):,} histories, {len(tree.moves):,} information sets, {choices:,} with a choice", flush=True)
    for name in names:
        began = time.process_time()
        search_name, _, policy = name.partition("/")
        found, asked = (tree.uniform(), 0)
        if name != "uniform":
            found, asked = tree.of_search(searching(search_name, **({"policy": policy} if policy else {})))
        seconds = time.process_time() - began
        print(f"{name}: nash_conv {tree.nash_conv(found):.4f}, value {tree.expected(found):.4f}, ", end="")
        print(f"{asked:,} searches in {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    main(*sys.argv[1:])
