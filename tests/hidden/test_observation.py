"""The packed observation holds exactly what its table says (docs/hidden-information.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mextrain.information import Layout, PublicRecord, expand, legal_mask, observation
from mextrain.position import Position
from mextrain.rules import RuleSet
from mextrain_core import observe
from mextrain_core.observe import NAMES, SECTIONS
from tests.hidden.games import positions

PAGE = Path(__file__).parents[2] / "docs" / "hidden-information.md"


def numbers(bits: Any) -> list[int]:
    return np.flatnonzero(bits).tolist()


def described(position: Position, seat: int) -> dict[str, list[int]]:
    """The set bits of each section, from what `Position` says."""
    rules, tiles = position.rules, position.rules.tiles
    players, halves = rules.players, tiles.tables.halves
    order = [*((seat + k) % players for k in range(players)), "M"]
    place = {train: k for k, train in enumerate(order)}
    over = position.over

    def copies(found: list[Any]) -> list[int]:
        return sorted(tiles.index(tile) + n for tile in set(found) for n in range(found.count(tile)))

    def binary(values: list[int], bits: int) -> list[int]:
        return [k * bits + b for k, value in enumerate(values) for b in range(bits) if value >> b & 1]

    ends = [[tiles.half_code(half) for half in position.ends(train)] for train in order]
    laid = [event.tile for event in position.events if event.tile is not None and not event.is_draw]
    feet = rules.double_rule == "chicken_foot"
    doubles = [(place[d.train], d) for d in position.open_doubles]
    ages = [0] * (players + 1)
    for age, (k, _) in enumerate(doubles, 1):
        ages[k] = age
    public = PublicRecord(position)
    lacks = [public.lacks(q) for q in order[1:-1]]

    def lacking(most: int) -> list[int]:
        return sorted(
            k * halves + tiles.half_code(half) for k, seen in enumerate(lacks) for half, n in seen.items() if n <= most
        )

    def more(count: int) -> list[int]:
        return sorted(k * halves + half for k, row in enumerate(ends) for half in set(row) if row.count(half) >= count)

    drawn = position.drawn if position.seat == seat else None
    return {
        "engine": [tiles.half_code(position.engine.high)],
        "hand": copies(list(position.hands[seat])),
        "laid": copies([position.engine, *laid]),
        "drawn": [tiles.index(drawn)] if drawn else [],
        "ends": more(1),
        "two_ends": more(2) if feet else [],
        "three_ends": more(3) if feet else [],
        "started": [k for k, train in enumerate(order) if train in position.started],
        "open": [k for k, train in enumerate(order[:-1]) if position.is_open(train)],
        "doubles": binary(ages, 4),
        "fresh": sorted(k for k, double in doubles if not double.inherited),
        "toes": [n * halves + tiles.half_code(toe) for _, d in doubles for n, toe in enumerate(d.toes)],
        "turn": [] if over else [place[position.seat]],
        "decision": [0] if position.legal_ids() else [],
        "owed": [] if over else [("required", "bonus", "chain").index(str(position.owed))],
        "opening": [0] if position.opening else [],
        "skip": [0] if position.skip_pending else [],
        "penalty": [0] if position.draw_pending else [],
        "opening_to_come": sorted(place[q] for q in position.opening_to_come),
        "hand_sizes": binary([len(position.hands[q]) for q in order[:-1]], 8),
        "boneyard_size": binary([len(position.boneyard)], 8),
        "lacks": lacking(0),
        "lacked_1": lacking(1),
        "lacked_3": lacking(3),
    }


@settings(max_examples=150)
@given(positions(), st.data())
def test_every_section_holds_what_it_says(position: Position, data: Any) -> None:
    seat = data.draw(st.integers(0, position.rules.players - 1))
    layout = Layout(position.rules)
    bits = expand(observation(position, seat), layout.bits)
    wanted = described(position, seat)
    ignored = {"cover", "play_drew", "turn_drew", "reversed"}
    if position.over:
        # What the last turn left behind is nobody's business, nor are ends that depend on how the round ended.
        ignored |= {"doubles", "fresh", "toes", "drawn", "ends", "two_ends", "three_ends", "opening_to_come"}
    for name, where in layout.slices.items():
        if name not in ignored:
            assert numbers(bits[where]) == wanted[name], name
    if not position.over:
        assert numbers(bits[layout.slices["reversed"]]) == ([0] if position.direction < 0 else [])
        assert bits[layout.slices["play_drew"]].item() == (position.drawn is not None)


@settings(max_examples=60)
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
    assert [getattr(observe, name.upper()) for name in NAMES] == list(range(len(NAMES)))
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize(
    "rules", [RuleSet.mexican(4), RuleSet.super(14), RuleSet.mexican(8, double_rule="chicken_foot")]
)
def test_sizes_add_up(rules: RuleSet) -> None:
    layout = Layout(rules)
    assert sum(layout.sizes.values()) == layout.bits == layout.offsets[-1]
    assert [where.stop - where.start for where in layout.slices.values()] == list(layout.sizes.values())
    assert layout.words == len(observation(Position.deal(rules, seed=1), 0))


def table_lines() -> list[str]:
    """The published table, made from the one list."""
    layout = Layout(RuleSet.mexican(4))
    lines = ["| section | bits | at, `mexican` 4 | meaning |", "|---|---|---|---|"]
    for name, size, meaning in SECTIONS:
        lines.append(f"| `{name}` | {size} | {layout.slices[name].start} | {meaning} |")
    return lines


def test_the_published_table() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert "\n".join(table_lines()) in text
    assert f"version {observe.VERSION}" in text
    for rules in (RuleSet.mexican(4), RuleSet.super(4), RuleSet.mexican(8)):
        assert f"| `{rules.preset_name}`, {rules.players} players | {Layout(rules).bits} | " in text
