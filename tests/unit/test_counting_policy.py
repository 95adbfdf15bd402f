"""The policy `counting`: what docs/policies.md says of it, computed slowly; its behaviour and its strength."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mextrain import Decision, Move, Position, RuleSet, Tile, simulate, tournament
from mextrain.benchmark import signature
from mextrain_core.bulk.policies import COUNTING
from mextrain_core.bulk.rollout import choose_at
from mextrain_core.hidden.view import view_state
from mextrain_core.model.state import new_states
from tests.docs.pages import ROOT, tables

RULES = [
    RuleSet.mexican(2, rounds=3),
    RuleSet.mexican(4, rounds=3),
    RuleSet.mexican(3, tile_set="double-6", hand_size=7, mexican_start="any_turn", double_blank=50, rounds=3),
    RuleSet.mexican(4, double_rule="cover", drawn_play="may", open_double_order="any", rounds=2),
    RuleSet.mexican(4, double_rule="chicken_foot", rounds=2),
    RuleSet.super(2, rounds=1),
    RuleSet.super(6, rounds=2),
    RuleSet.super(8, rounds=1, first_engine="*-*"),
    RuleSet.super(8, letter_match="anywhere", opening="chain", rounds=1),
    RuleSet.mexican(4, tile_set="super", hand_size=12, rounds=2),
]

WORTH = next(table for table in tables(ROOT / "docs" / "policies.md") if table[0][0] == "what counts")
"""The table of docs/policies.md: weights in 64ths of a point, for number sets and for the set super."""


def weight(what: str, is_super: bool) -> int:
    """The weight of one row of the page."""
    (row,) = (row for row in WORTH if row[0] == what)
    return int(row[2 if is_super else 1])


class Hand:
    """A hand as a graph, from which one tile is taken: halves are vertices, tiles edges."""

    def __init__(self, tiles: list[Tile], names: list[str], without: Tile) -> None:
        self.tiles = list(tiles)
        self.tiles.remove(without)
        self.without = without
        self.order = {name: number for number, name in enumerate(names)}

    def numbers(self) -> list[Tile]:
        """The tiles without a half `*`."""
        return [tile for tile in self.tiles if "*" not in map(str, tile.halves)]

    def component_after(self, starts: set[str], elsewhere: bool) -> list[Tile]:
        """The component of the own ends after the play.

        A tile that is played `elsewhere` and does not touch an own end is taken out of today's component; whether the
        rest still hangs together is not asked.
        """
        if not elsewhere or starts & {*map(str, self.without.halves)}:
            return self.component(starts)
        return [tile for tile in self.component(starts, self.without) if tile != self.without]

    def component(self, starts: set[str], *more_tiles: Tile) -> list[Tile]:
        """The number tiles that hang together with the vertices `starts`; `more_tiles` count as if in the hand."""
        seen, found = set(starts), []
        rest = [*self.numbers(), *(tile for tile in more_tiles if "*" not in map(str, tile.halves))]
        while True:
            more = [tile for tile in rest if {*map(str, tile.halves)} & seen]
            if not more:
                return found
            found += more
            seen |= {str(half) for tile in more for half in tile.halves}
            rest = [tile for tile in rest if tile not in more]

    def left_out(self, odd: set[str], pairs: int) -> int:
        """Tiles to leave out for so many pairs: a tile for two odd vertices that it joins, lowest first, else two."""
        tiles = {frozenset(map(str, tile.halves)) for tile in self.numbers()}
        rest, joined = sorted(odd, key=self.order.__getitem__), 0
        while rest and joined < pairs:
            first = rest.pop(0)
            other = next((name for name in rest if frozenset((first, name)) in tiles), None)
            if other is not None:
                rest.remove(other)
                joined += 1
        return 2 * pairs - joined


def odd_vertices(tiles: list[Tile]) -> set[str]:
    """Vertices that an odd number of these tiles show, doubles left out."""
    shown = Counter(str(half) for tile in tiles if tile.high != tile.low for half in tile.halves)
    return {name for name, count in shown.items() if count % 2}


def plan(rules: RuleSet, hand: Hand, starts: set[str], elsewhere: bool) -> tuple[int, int, int]:
    """Tiles of the plan from the own ends, its points, and the number of tiles that these points belong to."""
    if not rules.tiles.has_wild:
        part = hand.component_after(starts, elsewhere)
        odd = odd_vertices(part) ^ starts
        pairs = (len(odd) - len(starts)) // 2
        return max(len(part) - (hand.left_out(odd, pairs) if pairs > 0 else 0), 0), pips(part), len(part)
    (start,) = starts
    wild = [tile for tile in hand.tiles if "*" in map(str, tile.halves)]
    letters = [tile for tile in wild if not walks_of(tile)]
    plain = [tile for tile in wild if walks_of(tile)]
    budget = 1 + sum(map(walks_of, plain)) + (start == "*")
    part = None
    if start != "*" and budget <= 2:
        before = budget + walks_of(hand.without)
        part = hand.component_after({start}, elsewhere and before <= 2)
        odd = odd_vertices(part) ^ {start}
        if budget == 2:
            led = next(str(half) for half in plain[0].halves if str(half) != "*")
            if led in {start} | {str(half) for tile in part for half in tile.halves}:
                part = None
            else:
                more = hand.component({led})
                odd ^= odd_vertices(more) ^ {led}
                part = [*part, *more, plain[0]]
    if part is not None:
        part += letters
        pairs = (len(odd) - 1) // 2
    else:
        part = hand.tiles
        numbers = hand.numbers()
        odd = odd_vertices([*numbers, *plain]) - {"*"}
        # Asked of the hand before the play.
        known = [*numbers, *plain, hand.without]
        before = [tile for tile in known if walks_of(tile) or "*" not in map(str, tile.halves)]
        alone = {str(tile.high) for tile in before if tile.high == tile.low}
        alone -= {str(half) for tile in before if tile.high != tile.low for half in tile.halves}
        alone -= {"*"}
        if hand.without.high == hand.without.low:
            alone -= {str(hand.without.high)}
        if start != "*":
            odd ^= {start}
            alone -= {start}
        pairs = (len(odd) + 2 * len(alone) - budget + 1) // 2
    return max(len(part) - (hand.left_out(odd, pairs) if pairs > 0 else 0), 0), pips(part), len(part)


def walks_of(tile: Tile) -> int:
    """How many walks more a tile allows: one for each half `*`, but none with a letter, which uses that one up."""
    halves = [*map(str, tile.halves)]
    return 0 if {*halves} & {*"ADRST"} else halves.count("*")


def pips(tiles: list[Tile]) -> int:
    """Points of tiles, 0-0 without what it may cost besides."""
    return sum(tile.points for tile in tiles)


Planned = Callable[[Decision, Hand, set[str], bool], tuple[int, int, int]]
"""Makes a plan: tiles, points, and the number of tiles that these points belong to; arguments as those of `counted`."""


def counted(decision: Decision, hand: Hand, starts: set[str], elsewhere: bool) -> tuple[int, int, int]:
    """The plan from the own ends `starts`, counted; `elsewhere`: the tile taken out was played on another train."""
    return plan(decision.rules, hand, starts, elsewhere)


def value(decision: Decision, move: Any, planned: Planned = counted) -> int:
    """What a play is worth with the weights of docs/policies.md."""
    rules, seat, view = decision.rules, decision.seat, decision.view
    is_super = rules.tiles.has_wild

    def worth(what: str) -> int:
        return weight(what, is_super)

    played, names = rules.actions.tile(move), rules.tiles.tables.half_names
    train, touch, new = move.code >> 10, names[move.code >> 5 & 31], names[move.code & 31]
    hand = Hand(list(decision.hand), list(names), played)
    turns = min(count for other, count in enumerate(decision.hand_counts) if other != seat)
    starts = own_ends(decision, move)
    tiles, points, of = planned(decision, hand, starts, train != seat)
    in_time = min(turns, tiles)
    shed = points * in_time * (65536 // of) >> 8 if of else 0
    a_point = worth("every point of the tile") + (turns <= 2) * worth("… when somebody has two")
    found = rules.points([played]) * a_point
    found += tiles * worth("every tile of the plan") + in_time * worth("… that there is time for")
    found += shed * worth("every point of the plan that there is time for") >> 8
    # Another `*-A` does not follow the one that is played.
    follow = sum(new in map(str, tile.halves) for tile in {*hand.tiles} - {played})
    is_double = touch == new
    if is_double:
        found += worth("a double that a tile of the hand follows" if follow else "a double that none follows")
    if train == seat:
        found += worth("closing the own train") * (int(view["open"]) >> seat & 1)
        found += worth("a tile of the hand fits the own end") * (follow > 0)
    else:
        half = names.index(new)
        laid = sum(new in map(str, tile.halves) for tile in rules.tiles) - int(view["off"][half])
        found += worth("elsewhere: every tile on the table with the new half, less own ones") * (laid - follow)
        if not is_double:
            found += worth("elsewhere: every own tile that fits the new end") * follow
            found += worth("on the Mexican Train" if train == rules.players else "on another train")
    halves = {str(half) for half in played.halves}
    if "*" in halves:
        found += worth("a tile with `*`")
        for letter in "AST":
            found += worth(f"… if it is `*-{letter}`") * (letter in halves)
    return found


def own_ends(decision: Decision, move: Any) -> set[str]:
    """Ends of the own train after a play."""
    rules, seat, view = decision.rules, decision.seat, decision.view
    names = rules.tiles.tables.half_names
    train, touch, new = move.code >> 10, move.code >> 5 & 31, move.code & 31
    if rules.double_rule != "chicken_foot":
        return {names[new if train == seat else view["end_half"][seat]]}
    foot = int(view["double_train"][0]) if view["double_count"] else None
    mask = 1 << int(view["end_half"][seat]) if foot == seat else int(view["end_mask"][seat])
    if train == seat:
        if touch == new:
            mask = 0
        elif view["end_count"][seat][touch] <= 1:
            mask &= ~(1 << touch)
        mask |= 1 << new
    return {name for half, name in enumerate(names) if mask >> half & 1}


def slow_counting(decision: Decision) -> Any:
    """The set of the best moves by the page."""
    plays = [move for move in decision.legal if move.code != 0x3FFF]
    values = [value(decision, move) for move in plays]
    return [move for move, worth in zip(plays, values, strict=True) if worth == max(values)]


def choose_counting_at(states: np.ndarray, i: int, rules: np.ndarray) -> int:
    """What the kernels choose, by the attempt's word."""
    return int(choose_at(states, i, rules, np.uint64(COUNTING)))


@pytest.mark.parametrize("rules", RULES, ids=range(len(RULES)))
def test_it_plays_as_described(rules: RuleSet) -> None:
    """In every decision it makes one of the plays that the page values most."""
    asked = []

    def compare(decision: Decision) -> Any:
        best = slow_counting(decision)
        asked.append((best, decision))
        return best[0]

    simulate(rules, games=2, seed=8, policies=[compare] * rules.players)
    states = new_states(1)
    assert len(asked) > 40
    for best, decision in asked:
        states[0] = decision.view
        move = choose_counting_at(states, 0, rules.record)
        assert move in {each.code for each in best}, (decision.hand, best)


GOLDEN = {
    "mexican-4": (RuleSet.mexican(4, rounds=3), 0xEFFA6880A5B00537),
    "super-5": (RuleSet.super(5, rounds=2), 0x2647DAAED2678648),
    "foot": (RuleSet.mexican(3, double_rule="chicken_foot", rounds=3), 0x85D0050BBBBAAEA7),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_the_games_it_plays_are_pinned(name: str) -> None:
    rules, wanted = GOLDEN[name]
    seats = (["counting", "counting", "random"] * 2)[: rules.players]
    assert simulate(rules, games=3, seed=2026, policies=seats).hash == wanted


def test_its_moves_are_legal_under_every_option() -> None:
    """An illegal move would be a fault, which `simulate` reports as an error."""
    for number, rules in enumerate(signature.rule_sets()):
        others = ["random", "counting", "heaviest"]
        seats = ["counting", *(others[(number + seat) % 3] for seat in range(rules.players - 1))]
        simulate(rules, games=1, seed=number, policies=seats, backend="scalar")


@pytest.mark.parametrize("rules", [RULES[1], RULES[4], RULES[6]], ids=["mexican", "feet", "super"])
def test_it_decides_by_what_its_seat_sees(rules: RuleSet) -> None:
    """The same move from the state, from the seat's view, and from a view with rubbish where others' tiles were."""
    played = simulate(rules, games=6, seed=5, policies="counting", record_actions=True)
    decisions = 0
    states = new_states(2)
    for game in range(6):
        for number, engine in enumerate(rules.engines):
            starter = int(played.starter[game, number])
            position = Position.deal(rules, seed=5, game=game, engine=engine, starter=starter)
            for code in played.actions_of(game, number).tolist():
                states[0] = position._states[0]
                seat = int(states["seat"][0])
                move = choose_counting_at(states, 0, rules.record)
                assert move == code
                word_key = states["key"][0]
                view_state(states, 1, states, 0, rules.record, np.uint64(seat))
                states["key"][1] = word_key  # Ties are broken by the attempt's word.
                assert choose_counting_at(states, 1, rules.record) == move
                for other in range(rules.players):
                    if other != seat:
                        states["hand"][1, other] = 0x5A5A5
                        states["a_count"][1, other] = 3
                states["boneyard"][1] = 0x123456789ABCDEF
                assert choose_counting_at(states, 1, rules.record) == move
                decisions += 1
                position.play(Move.from_code(code))
    assert decisions > 300


def test_every_number_of_workers_plays_the_same_games() -> None:
    rules = RuleSet.super(4, rounds=3)
    seats = ["counting", "random", 4, "heaviest"]
    played = simulate(rules, games=10, seed=3, policies=seats)
    assert simulate(rules, games=10, seed=3, policies=seats, workers=3).hash == played.hash


def test_it_beats_the_planner() -> None:
    """Deals chosen before; the differences of docs/statistics.md are far outside these intervals."""
    found = tournament(RuleSet.super(4, rounds=3), "counting,planner", deals=60, seed=5)
    (pair,) = found.pairs()
    assert (pair.first, pair.second) == ("counting", "planner")
    assert pair.difference.high < 0
    found = tournament(RuleSet.mexican(2), "counting,cautious", deals=300, seed=5)
    assert found.pairs()[0].difference.high < 0
