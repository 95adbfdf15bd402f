"""The eight views of a seat: hidden tiles change none of them, at any decision and at the end of the round.

Key, text, observation, mask, line, table, repr and picture may be shown to a seat. Hidden tiles are changed in two
ways: two tiles are swapped in the state itself, and all hidden tiles are replaced by another world that is consistent
with what the seat has seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

from mextrain import Position, RuleSet, determinize, information_key, information_text, observe
from mextrain.hidden.observation import legal_mask

SEED = 20
RULES = [
    RuleSet.mexican(players=3, tile_set="double-4", hand_size=3),
    RuleSet.mexican(players=2, tile_set="double-3", hand_size=3, drawn_play="may", failed_cover="mark"),
    RuleSet.mexican(players=3, tile_set="double-4", hand_size=3, double_rule="chicken_foot"),
    RuleSet.mexican(players=2, tile_set="double-4", hand_size=4, mexican_start="only_if_stuck", double_blank=50),
    RuleSet.super(players=4, hand_size=3),
]


def views(position: Position, seat: int) -> dict[str, Any]:
    """Everything that a seat may be shown."""
    return {
        "key": information_key(position, seat),
        "text": information_text(position, seat),
        "observation": observe(position, seat).tolist(),
        "mask": legal_mask(position, seat).tolist(),
        "line": position.line(for_seat=seat),
        "table": position.table(for_seat=seat),
        "repr": repr(position),
    }


def swapped(position: Position, seat: int, random: Random) -> Iterator[Position]:
    """Positions in which a tile of another hand is swapped with one of the boneyard, or of another hand."""
    rules = position.rules
    places = [other for other in range(rules.players) if other != seat and position.hands[other]]
    for other in places:
        mine = random.choice(position.hands[other])
        for place in ([None] if position.boneyard else []) + [third for third in places if third != other]:
            theirs = random.choice(position.boneyard if place is None else position.hands[place])
            if str(mine) == str(theirs):
                continue
            twin = position.copy()
            state = twin._states
            move(state, rules, other, mine, theirs)
            if place is not None:
                move(state, rules, place, theirs, mine)
            else:
                for tile, there in ((mine, 1), (theirs, 0)):
                    index = rules.tiles.index(tile)
                    while (int(state["boneyard"][0, index >> 6]) >> (index & 63) & 1) == there:
                        index += 1  # one of several *-A
                    state["boneyard"][0, index >> 6] ^= np.uint64(1 << (index & 63))
            yield twin


def move(state: np.ndarray, rules: RuleSet, seat: int, out: Any, into: Any) -> None:
    """Take one tile out of a hand of a state, and put another one into it."""
    for tile, there in ((out, 0), (into, 1)):
        high, low = (rules.tiles.half_code(half) for half in tile.halves)
        if str(tile) == "*-A":
            state["a_count"][0, seat] = int(state["a_count"][0, seat]) + 2 * there - 1
            there = int(state["a_count"][0, seat] > 0)
        for one, other in ((high, low), (low, high)):
            row = int(state["hand"][0, seat, one]) & ~(1 << other)
            state["hand"][0, seat, one] = row | there << other


@pytest.mark.parametrize("rules", RULES, ids=range(len(RULES)))
@pytest.mark.parametrize("chance", ["stream", "explicit"])
def test_swapped_tiles_change_no_view_at_any_decision_nor_at_the_end(rules: RuleSet, chance: Any) -> None:
    random, tried, ends = Random(SEED), 0, set()
    for game in range(4):
        position = Position.deal(rules, seed=SEED, game=game, chance=chance)
        while True:
            for seat in range(rules.players):
                # If the seat itself decides, only tiles of others can be swapped.
                seen = views(position, seat)
                for twin in swapped(position, seat, random):
                    if twin.seat not in (None, seat):
                        # The legal plays depend on the hand of the seat to move and are already stored in the state.
                        twin._states["legal_count"] = position._states["legal_count"]
                    assert views(twin, seat) == seen, (game, seat, position.line(key=True))
                    tried += 1
            if position.over:
                ends.add(position.end)
                break
            if position.pending_draw:
                position.draw(random.choice(position.boneyard))
            else:
                position.play(random.choice(position.legal_moves()))
    assert tried > 20
    assert ends


@pytest.mark.parametrize("rules", RULES, ids=range(len(RULES)))
def test_another_hidden_world_changes_no_view(rules: RuleSet) -> None:
    random = Random(SEED)
    for game in range(2):
        position = Position.deal(rules, seed=SEED, game=game)
        while True:
            seat = random.randrange(rules.players)
            sample = determinize(position, seat, random.randrange(2**64))
            assert views(sample, seat) == views(position, seat), position.line(key=True)
            assert sample.svg(for_seat=seat) == position.svg(for_seat=seat), position.line(key=True)
            if position.over:
                break
            position.play(random.choice(position.legal_moves()))


def test_the_points_of_hidden_hands_stay_hidden() -> None:
    """Equal keys give equal tables: the hands of others at the end are counted, but not shown to the seats."""
    position = Position.deal(RULES[0], seed=SEED)
    while not position.over:
        position.play(position.legal_moves()[0])
    everything = position.table().splitlines()[-1]
    assert everything.endswith(" ".join(map(str, position.points)))
    for seat in range(3):
        shown = position.table(for_seat=seat).splitlines()[-1].rpartition(": ")[2].split()
        right = [
            str(points) if other == seat or not size else "?"
            for other, (points, size) in enumerate(zip(position.points, position.hand_sizes, strict=True))
        ]
        assert shown == right
        assert "?" in shown
