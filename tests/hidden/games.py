"""Games for the tests of hidden information: small ones that can be counted exactly, and arbitrary ones."""

from __future__ import annotations

import os
import random
from typing import Any

import numpy as np
from hypothesis import strategies as st

from mextrain import Position, PositionError, RuleSet, Tile, WorldSampler
from mextrain.hidden.exact import Histories
from mextrain.hidden.knowledge import PublicRecord
from mextrain_core.hidden.sampler import next_placement
from tests.reference.options import CHOICES, Rules
from tests.reference.rulebook import Round
from tests.strategies import rounds

A = Tile("*", "A")

POSITIONS = int(os.environ.get("MEXTRAIN_HIDDEN_POSITIONS", "80"))
"""Number of positions in a test; more for manual runs."""


def title(rules: RuleSet) -> str:
    """The id of a parametrised test."""
    return f"{rules.preset_name}-{rules.players}"


def choose(position: Position, dice: random.Random) -> str:
    """A legal action; doubles and letters are preferred, because they lead to rarer states."""
    legal = position.legal_texts()
    halves = {text: text.partition("@")[0].split("-") for text in legal if text != "stop"}
    doubles = [text for text, (a, b) in halves.items() if a == b]
    letters = [text for text, both in halves.items() if not {*"ADRST"}.isdisjoint(both)]
    for liked in (letters, doubles):
        if liked and dice.random() < 0.4:
            return dice.choice(liked)
    return dice.choice(legal)


def play(position: Position, dice: random.Random, moves: int) -> Position:
    """Play up to this many moves."""
    for _ in range(moves):
        if position.over:
            break
        position.play(choose(position, dice))
    return position


def playable(options: dict[str, Any], fixed: dict[str, Any]) -> dict[str, Any]:
    """The options without refused combinations; those of `fixed` stay."""
    if (options.get("double_rule"), options.get("opening")) == ("chicken_foot", "together"):
        options |= {"double_rule": "cover"} if "double_rule" not in fixed else {"opening": "chain"}
    remembers = {"draw_limit": "until_it_fits", "drawn_tile": "own_train", "dead_double": "binds"}
    if remembers.items() <= options.items():
        options |= {"drawn_tile": "anywhere"} if "drawn_tile" not in fixed else {"dead_double": "released"}
    return options


def number_game(dice: random.Random, fixed: dict[str, Any]) -> tuple[Position, int]:
    """A position of a game with a small number set and random options, and a seat."""
    options = {name: dice.choice(values) for name, values in CHOICES.items() if dice.random() < 0.3} | fixed
    tile_set, tiles = dice.choice((("double-2", 6), ("double-3", 10), ("double-4", 15)))
    players = dice.choice((2, 2, 3))
    hand = dice.randint(1, min(5, (tiles - 1) // players))
    if hand == 1 and options.get("engine_from", "set_aside") != "set_aside":
        hand, players = 2, 2
    if options.get("engine_from") in ("highest", "own_highest"):
        options["engine_order"] = "down"
    options = playable(options, fixed)
    rules = RuleSet.mexican(players, tile_set=tile_set, hand_size=hand, **options)
    engine = dice.choice(rules.tiles.doubles)
    position = Position.deal(rules, seed=dice.getrandbits(64), engine=engine)
    return play(position, dice, dice.randint(1, 14)), dice.randrange(players)


def super_game(dice: random.Random, fixed: dict[str, Any]) -> tuple[Position, int]:
    """A position with the set super in which one seat holds all but a few tiles, and that seat."""
    options = {name: dice.choice(values) for name, values in CHOICES.items() if dice.random() < 0.3} | fixed
    if options.get("double_rule") == "chicken_foot":
        options["double_rule"] = "cover"
    if options.get("engine_from") in ("highest", "own_highest"):
        options["engine_from"] = "holder"
    players = dice.choice((2, 3))
    rules = RuleSet.super(players, **playable(options, fixed))
    engine = dice.choice(rules.tiles.doubles)
    wild = [tile for tile in rules.tiles if tile.is_wild and tile not in (engine, A)]
    plain = [tile for tile in rules.tiles if not tile.is_wild and tile != engine]
    dice.shuffle(wild)
    dice.shuffle(plain)
    copies, others = dice.choice((0, 2, 3, 3)), dice.randint(0, 2)
    few = dice.randint(6, 9) - copies - others
    hidden = [A] * copies + wild[:others] + plain[:few]
    dice.shuffle(hidden)
    seat = dice.randrange(players)
    hands: list[list[Tile]] = []
    for other in range(players):
        if other == seat:
            hands.append([A] * (3 - copies) + wild[others:] + plain[few:])
        else:
            hands.append([hidden.pop() for _ in range(dice.randint(1, 3))])
    starter = dice.randrange(players)
    position = Position.setup(rules, hands=hands, engine=engine, starter=starter, boneyard=hidden)
    return play(position, dice, dice.randint(1, 16)), seat


def counted_game(seed: int, game: Any, fixed: dict[str, Any], most: int = 80) -> Histories:
    """The first game from `seed` on in which the evidence excludes something, and 2 … `most` placements are left."""
    for number in range(400):
        position, seat = game(random.Random(seed * 1000 + number), fixed)
        public = PublicRecord(position)
        shown = (np.delete(public.evidence[name][1], seat, axis=0).any() for name in ("lacks", "barred"))
        if not any(shown):
            continue
        try:
            found = Histories(position, seat, 60_000)
        except PositionError:
            continue
        if 2 <= len(found.histories()) <= most:
            return found
    raise AssertionError(f"no game with {fixed} is small and tells something")


def exact_law(found: Histories) -> dict[bytes, float]:
    """The probability of each placement of the hidden tiles; the three `*-A` are not distinguished."""
    players = found.position.rules.players
    cells = [0 if seat is None else 1 + seat if draw is None else 1 + players + draw for seat, draw in found.cells]
    return _shares(np.array(cells, np.uint8)[found.rows], np.array(found.tiles), found.position.rules)


def sampled_law(worlds: WorldSampler, found: Histories, count: int) -> dict[bytes, float]:
    """The frequencies of the placements among `count` samples."""
    record = worlds._worlds
    items = int(record["items"][0])
    cells = record["cell"][0]
    hidden = np.flatnonzero(record["cell_seat"][0][cells[:items]] != found.seat)
    rows = np.empty((count, len(hidden)), np.uint8)
    arguments = (record, 0, worlds._record, worlds._states, 1, *worlds._log)
    for n in range(count):
        assert next_placement(*arguments)
        rows[n] = cells[hidden]
    return _shares(rows, record["tile"][0, hidden], found.position.rules)


def _shares(rows: np.ndarray, tiles: np.ndarray, rules: RuleSet) -> dict[bytes, float]:
    order = np.argsort(tiles)
    rows, names = rows[:, order], [rules.tiles[i] for i in tiles[order].tolist()]
    alike = [column for column, name in enumerate(names) if name == A]
    rows[:, alike] = np.sort(rows[:, alike], axis=1)
    different, counts = np.unique(rows, axis=0, return_counts=True)
    return {row.tobytes(): n / len(rows) for row, n in zip(different, counts.tolist(), strict=True)}


def distance(a: dict[bytes, float], b: dict[bytes, float]) -> float:
    """The total variation distance of two distributions."""
    return sum(abs(a.get(key, 0.0) - b.get(key, 0.0)) for key in a.keys() | b.keys()) / 2


@st.composite
def positions(draw: Any, **fixed: object) -> Position:
    """Any position of any rules, at a decision or over."""
    rules, seed, game, engine, starter = draw(rounds(**fixed))
    position = Position.deal(rules, seed=seed, game=game, engine=engine, starter=starter)
    return play(position, random.Random(draw(st.integers(0, 2**32))), draw(st.integers(0, 90)))


def book_of(position: Position) -> Round:
    """The rulebook's round with the same deal and draws, played to the same point; AssertionError if it differs."""
    rules = position.rules
    hands = [[str(tile) for tile in hand] for hand in position.start.hands]
    order = [str(tile) for tile in position.drawn_order()]
    book = Round(Rules.from_record(rules.to_dict()), str(position.engine), position.starter, hands, order)
    for event in position.events:
        if event.is_decision:
            book.play(event.text.partition(":")[2])
    assert book.events == [event.text for event in position.events]
    assert book.seat == position.seat
    return book
