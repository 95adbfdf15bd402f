"""The packed observation holds exactly what its table says (docs/hidden-information.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mextrain import Layout, Position, RuleSet, Tile, observe
from mextrain.game.events import DRAWS, NO_PLAY
from mextrain.hidden.observation import expand, legal_mask
from mextrain.notation.snapshot import EARLIER
from mextrain.notation.take import take
from mextrain_core.game.events import DRAW, PLAY
from mextrain_core.hidden import observe as core
from mextrain_core.hidden.observe import NAMES
from mextrain_core.model.limits import NONE
from tests.hidden.games import POSITIONS, positions

PAGE = Path(__file__).parents[2] / "docs" / "hidden-information.md"


def numbers(bits: Any) -> list[int]:
    return np.flatnonzero(bits).tolist()


def described(position: Position, seat: int) -> dict[str, list[int]]:
    """The set bits of each section except what others have shown, from the line of text of the seat's view."""
    rules, tiles = position.rules, position.rules.tiles
    players, halves = rules.players, tiles.tables.halves
    order = [*((seat + k) % players for k in range(players)), players]
    place = {train: k for k, train in enumerate(order)} | {"M": players}
    seen = take(position, False, seat)
    over = position.over

    def copies(found: Iterable[Tile]) -> list[int]:
        return sorted(tiles.index(tile) + n for tile, count in Counter(found).items() for n in range(count))

    def binary(values: list[int], bits: int) -> list[int]:
        return [k * bits + b for k, value in enumerate(values) for b in range(bits) if value >> b & 1]

    def several(least: int) -> list[int]:
        ends = [[tiles.half_code(half) for half in position.ends(position.trains[train])] for train in order]
        return sorted(
            k * halves + half for k, row in enumerate(ends) for half in set(row) if row.count(half) >= least
        )

    feet = rules.double_rule == "chicken_foot"
    ages = [0] * (players + 1)
    for age, double in enumerate(position.open_doubles, 1):
        ages[place[double.train]] = age
    toes = position.open_doubles[0].toes if feet and position.open_doubles else ()
    return {
        "engine": [tiles.half_code(position.engine.high)],
        "hand": copies(position.hands[seat]),
        "laid": copies([position.engine, *seen.laid]),
        "drawn": [tiles.index(seen.drew)] if isinstance(seen.drew, Tile) and not over else [],
        "ends": several(1),
        "two_ends": several(2) if feet else [],
        "three_ends": several(3) if feet else [],
        "started": sorted(place[train] for train in position.started),
        "open": [k for k, train in enumerate(order[:-1]) if position.is_open(train)],
        "doubles": binary(ages, 4),
        "fresh": sorted(place[double.train] for double in position.open_doubles if not double.inherited),
        "cover": [place[seen.after.train]] if seen.after else [],
        "toes": [k * halves + tiles.half_code(toe) for k, toe in enumerate(toes)],
        "turn": [] if over else [place[seen.seat]],
        "decision": [0] if seen.phase == "decision" else [],
        "owed": [] if over else [("required", "bonus", "chain").index(seen.owed)],
        "opening": [0] if seen.opening else [],
        "play_drew": [0] if seen.drew not in (None, EARLIER) and not over else [],
        "turn_drew": [0] if seen.drew is not None and not over else [],
        "skip": [0] if seen.skip and not over else [],
        "penalty": [0] if seen.penalty and not over else [],
        "reversed": [0] if seen.direction < 0 and not over else [],
        "opening_to_come": sorted(place[q] for q in seen.openings),
        "hand_sizes": binary([len(position.hands[q]) for q in order[:-1]], 8),
        "boneyard_size": binary([len(position.boneyard)], 8),
    }


@settings(max_examples=POSITIONS)
@given(positions())
def test_every_section_holds_what_it_says(position: Position) -> None:
    """The bits compared with the line of text of the same view."""
    layout = Layout(position.rules)
    for seat in range(position.rules.players):
        bits = expand(observe(position, seat), layout.bits)
        wanted = described(position, seat)
        assert {*wanted, "lacks", "gained"} == {*layout.slices}
        for name, numbers_wanted in wanted.items():
            assert numbers(bits[layout.slices[name]]) == numbers_wanted, (name, seat)


def shown_to_lack(position: Position, seat: int) -> dict[int, int]:
    """The halves that a seat showed to lack by having no play, with the number of tiles drawn since that may show them.

    From the NO_PLAY events of the kernels, which have the open ends.
    """
    first: dict[int, int] = {}  # by half: the first draw that may show it
    drawn: list[set[int] | None] = []  # by draw: halves that it does not show; None if it was laid at once
    before = None
    for kind, who, data, ends in position.log:
        halves = {half for half in range(19) if ends >> half & 1}
        if who == seat and kind == NO_PLAY:
            if data == NONE:
                first |= dict.fromkeys(halves, len(drawn))
            elif drawn[-1] is not None:
                drawn[-1] |= halves
        elif who == seat and kind in DRAWS:
            drawn.append(set())
        elif who == seat and kind == PLAY and before == DRAW:
            drawn[-1] = None
        before = kind
    return {
        half: sum(halves is not None and half not in halves for halves in drawn[start:])
        for half, start in first.items()
    }


PLAIN = {"mexican_start": "after_opening", "max_uncovered": None, "dead_double": "released", "players": 3}
"""Rules under which only a NO_PLAY event shows what a hand lacks."""


@settings(max_examples=POSITIONS)
@given(
    st.sampled_from(("play_drawn", "mark")).flatmap(
        lambda value: positions(**PLAIN, failed_cover=value, tile_set="double-6")
    )
)
def test_what_others_have_shown(position: Position) -> None:
    tiles, layout = position.rules.tiles, Layout(position.rules)
    for seat in range(3):
        bits = expand(observe(position, seat), layout.bits)
        lacks = bits[layout.slices["lacks"]].reshape(2, tiles.tables.halves)
        gained = bits[layout.slices["gained"]].reshape(2, tiles.tables.halves, 4) @ [1, 2, 4, 8]
        for row in range(2):
            wanted = shown_to_lack(position, (seat + row + 1) % 3)
            assert numbers(lacks[row]) == sorted(wanted)
            assert {half: min(number, 15) for half, number in wanted.items()} == {
                half: gained[row, half] for half in wanted
            }
            assert not gained[row][lacks[row] == 0].any()


@settings(max_examples=POSITIONS)
@given(positions())
def test_what_is_lacking_is_not_there(position: Position) -> None:
    """No seat holds a tile with a half that it has shown to lack and cannot have drawn since."""
    tiles, players, layout = position.rules.tiles, position.rules.players, Layout(position.rules)
    bits = expand(observe(position, 0), layout.bits)
    lacks = bits[layout.slices["lacks"]].reshape(players - 1, -1)
    gained = bits[layout.slices["gained"]].reshape(*lacks.shape, 4).any(axis=2)
    for row, hand in enumerate(position.hands[1:]):
        held = {tiles.half_code(half) for tile in hand for half in (tile.high, tile.low)}
        assert held.isdisjoint(numbers(lacks[row] & ~gained[row]))


@settings(max_examples=POSITIONS)
@given(positions(), st.data())
def test_relative_mask(position: Position, data: Any) -> None:
    seat = data.draw(st.integers(0, position.rules.players - 1))
    mask = expand(legal_mask(position, seat), position.rules.action_count)
    own = position.legal_ids() if position.seat == seat else ()
    assert numbers(mask) == sorted(position.rules.actions.relative(action, seat) for action in own)


def test_expanders() -> None:
    words = np.random.default_rng(1).integers(2**64, size=(5, 4), dtype=np.uint64)
    plain = np.unpackbits(words.astype("<u8").view(np.uint8), axis=1, bitorder="little")[:, :250]
    for dtype in (np.uint8, np.float32):
        rows = expand(words, 250, dtype)
        assert rows.dtype == dtype
        assert np.array_equal(rows, plain)
        assert np.array_equal(expand(words[2], 250, dtype), plain[2])


def test_constants_follow_the_list() -> None:
    assert [getattr(core, name.upper()) for name in NAMES] == list(range(len(NAMES)))
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize(
    "rules", [RuleSet.mexican(4), RuleSet.super(14), RuleSet.mexican(8, double_rule="chicken_foot")]
)
def test_sizes_add_up(rules: RuleSet) -> None:
    layout = Layout(rules)
    assert sum(layout.sizes.values()) == layout.bits == layout.offsets[-1]
    assert [where.stop - where.start for where in layout.slices.values()] == list(layout.sizes.values())
    assert layout.words == len(observe(Position.deal(rules, seed=1), 0))


def test_the_version_is_published() -> None:
    """The tables of the page are compared in tests/docs."""
    assert f"version {Layout(RuleSet.mexican(2)).version} " in PAGE.read_text(encoding="utf-8")
