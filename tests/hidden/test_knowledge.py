"""What a seat knows does not depend on hidden information (docs/hidden-information.md)."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mextrain
from mextrain import (
    Position,
    PositionError,
    RuleSet,
    SeedError,
    WorldSampler,
    determinize,
    information_key,
    information_text,
    observe,
    replay,
)
from mextrain.game.events import DRAWS
from mextrain.hidden.observation import legal_mask
from mextrain.hidden.sampler import replayed
from mextrain_core.game.invariants import BROKEN, broken_invariant
from mextrain_core.model.limits import NONE
from tests.hidden.games import POSITIONS, book_of, play, positions, super_game

SEEDS = st.integers(0, 2**64 - 1)


def knowledge(position: Position, seat: int) -> tuple[Any, ...]:
    """Everything that the seat is told; when the round is over this includes the points, because hands are open."""
    return (
        information_key(position, seat),
        information_text(position, seat),
        observe(position, seat).tobytes(),
        legal_mask(position, seat).tobytes(),
        position.legal_texts() if position.seat == seat else (),
        "" if position.over else position.table(for_seat=seat),
        position.line(for_seat=seat),
        repr(position),
    )


@settings(max_examples=POSITIONS)
@given(positions(), SEEDS, st.data())
def test_determinization_leaves_knowledge_as_it_is(position: Position, seed: int, data: Any) -> None:
    """The law of determinization, on random rules: the seat cannot tell a sample from the truth."""
    seat = data.draw(st.integers(0, position.rules.players - 1))
    before = position._raw.tobytes(), list(position.log)
    worlds = WorldSampler(position, seat, seed)
    for sample in itertools.islice(worlds.positions(), 2):
        assert knowledge(sample, seat) == knowledge(position, seat)
        assert sample.hands[seat] == position.hands[seat]
        assert [len(hand) for hand in sample.hands] == [len(hand) for hand in position.hands]
        assert len(sample.boneyard) == len(position.boneyard)
        # The rulebook agrees that the sample's deal and draws give this log; played to the end, the record is valid.
        book_of(sample)
        replay(play(sample.copy(), random.Random(seed), 100_000).record())
        code = broken_invariant(sample._states, 0, sample.rules.record)
        assert code == 0, BROKEN[code]
    assert (position._raw.tobytes(), list(position.log)) == before


@settings(max_examples=POSITIONS)
@given(positions(), SEEDS, st.data())
def test_only_knowledge_decides_the_sample(position: Position, seed: int, data: Any) -> None:
    """Equal knowledge and equal seed give equal samples: the true hands, draw order and key have no influence."""
    seat = data.draw(st.integers(0, position.rules.players - 1))
    other = determinize(position, seat, seed ^ 1)
    ours, theirs = determinize(position, seat, seed), determinize(other, seat, seed)
    assert ours == theirs
    assert ours.drawn_order() == theirs.drawn_order()
    assert [event.text for event in ours.events] == [event.text for event in theirs.events]


@settings(max_examples=POSITIONS)
@given(positions(), SEEDS, st.data())
def test_states_are_the_replayed_samples(position: Position, seed: int, data: Any) -> None:
    """A sampled state equals the state after replaying the log with the same deal."""
    seat = data.draw(st.integers(0, position.rules.players - 1))
    worlds = WorldSampler(position, seat, seed)
    if worlds._worlds["free"][0] == 0 or position.over:
        return
    state = worlds.states(1)
    code = broken_invariant(state, 0, position.rules.record)
    assert code == 0, BROKEN[code]
    assert state["key"][0] != position._states["key"][0]
    again = replayed(position, seat, *worlds.history(), 0)
    for name in state.dtype.names or ():
        if name in ("key", "events") or name.startswith("pad"):
            continue
        ours, theirs = state[name][0], again._states[name][0]
        if name in ("hand", "hand_count", "a_count", "end_half", "end_mask", "end_count"):
            players = position.rules.players + (name.startswith("end"))
            ours, theirs = ours[:players], theirs[:players]
        if name in ("double_train", "toe"):
            count = int(state["double_count" if name == "double_train" else "toes"][0])
            ours, theirs = ours[:count], theirs[:count]
        if name in ("only", "barred", "eligible", "eligible_a", "legal_count", "may_stop", "bound") and (
            position.legal_ids() == ()
        ):
            continue
        assert np.array_equal(ours, theirs), name


def poisoned(position: Position, seat: int, dice: np.random.Generator) -> Position:
    """A copy with garbage in all parts of state and log that `seat` cannot see."""
    other = position.copy()
    state, players = other._states, position.rules.players
    others = [q for q in range(players) if q != seat]
    state["key"] = dice.integers(2**64, dtype=np.uint64)
    state["boneyard"][0] = dice.integers(2**64, size=3, dtype=np.uint64)
    state["hand"][0, others] = dice.integers(2**32, size=(players - 1, 20), dtype=np.uint32)
    state["a_count"][0, others] = dice.integers(4, size=players - 1)
    if position.seat != seat:
        for name in ("drawn", "only", "barred"):
            if state[name] != NONE:
                state[name] = dice.integers(len(position.rules.tiles))
        state["legal_count"] = dice.integers(9)
        state["may_stop"] = dice.integers(2)
    other._log = [
        (kind, who, int(dice.integers(2**16)), 0) if kind in DRAWS and who != seat else (kind, who, data, 0)
        for kind, who, data, _ in position.log
    ]
    return other


@settings(max_examples=POSITIONS)
@given(positions(), SEEDS, st.data())
def test_poisoned_hidden_parts(position: Position, seed: int, data: Any) -> None:
    """With hidden parts overwritten, neither what the seat is told nor its samples change, and nothing crashes."""
    seat = data.draw(st.integers(0, position.rules.players - 1))
    other = poisoned(position, seat, np.random.default_rng(seed))
    assert knowledge(other, seat) == knowledge(position, seat)
    ours, theirs = (WorldSampler(p, seat, 3) for p in (position, other))
    assert ours.history() == theirs.history()
    assert np.array_equal(ours.places(3), theirs.places(3))


@settings(max_examples=POSITIONS)
@given(positions(), st.data())
def test_swaps_change_nothing(position: Position, data: Any) -> None:
    """When two hidden tiles swap places, whatever the log says about them, nothing that the seat is told changes."""
    seat = data.draw(st.integers(0, position.rules.players - 1))
    before = knowledge(position, seat)
    for _ in range(3):
        swapped = swap(position, seat, random.Random(data.draw(st.integers(0, 2**32))))
        assert knowledge(swapped, seat) == before


def swap(position: Position, seat: int, dice: random.Random) -> Position:
    """A copy in which two tiles that the seat cannot see are swapped (but not `*-A`)."""
    tables = position.rules.tiles.tables
    other = position.copy()
    state = other._states
    places: list[tuple[int, int]] = []
    for tile, (hi, lo) in enumerate(zip(tables.hi.tolist(), tables.lo.tolist(), strict=True)):
        if position.rules.tiles.count(position.rules.tiles[tile]) > 1:
            continue
        holders = [q for q in range(position.rules.players) if int(state["hand"][0, q, hi]) >> lo & 1]
        if holders and holders[0] != seat:
            places.append((tile, holders[0]))
        elif int(state["boneyard"][0, tile >> 6]) >> (tile & 63) & 1:
            places.append((tile, -1))
    if len(places) < 2:
        return other
    (a, at_a), (b, at_b) = dice.sample(places, 2)
    for tile, place in ((a, at_a), (b, at_a), (b, at_b), (a, at_b)):
        if place < 0:
            state["boneyard"][0, tile >> 6] ^= np.uint64(1 << (tile & 63))
        else:
            hi, lo = int(tables.hi[tile]), int(tables.lo[tile])
            state["hand"][0, place, hi] ^= np.uint32(1 << lo)
            if hi != lo:
                state["hand"][0, place, lo] ^= np.uint32(1 << hi)
    return other


def test_keys_and_texts_tell_the_same() -> None:
    """Perfect recall: keys are equal exactly when the texts are, over many rounds with few tiles."""
    text_of: dict[bytes, str] = {}
    key_of: dict[str, bytes] = {}
    rules = RuleSet.mexican(2, tile_set="double-3", hand_size=1)
    again = 0
    for seed in range(300):
        position = Position.deal(rules, seed=seed, starter=0)
        dice = random.Random(seed)
        while True:
            for seat in range(2):
                key, text = information_key(position, seat), information_text(position, seat)
                again += key in text_of
                assert text_of.setdefault(key, text) == text
                assert key_of.setdefault(text, key) == key
            if position.over:
                break
            play(position, dice, 1)
    assert again > 100
    assert len(text_of) > 1000


def test_the_seat_to_move_is_seen() -> None:
    """A chain that cannot go on ends without an event, but everybody sees that."""
    rules = RuleSet.mexican(2, tile_set="double-3", hand_size=2)
    goes_on = Position.setup(rules, engine="3-3", hands=["3-0 1-0", "3-1 1-1"], seed=1)
    ends = Position.setup(rules, engine="3-3", hands=["3-0 2-1", "3-1 1-1"], seed=1)
    for position in (goes_on, ends):
        position.play("3-0@0")
    assert [event.text for event in goes_on.events] == [event.text for event in ends.events]
    assert (goes_on.seat, ends.seat) == (0, 1)
    assert information_key(goes_on, 1) != information_key(ends, 1)
    first = {hands[0] for hands, _ in itertools.islice(WorldSampler(ends, 1, 1).histories(), 200)}
    tiles = [{str(rules.tiles[i]) for i in hand} for hand in first]
    assert all("3-0" in hand and not hand & {"1-0", "2-0", "0-0"} for hand in tiles)


def test_explicit_chance() -> None:
    """Samples of a position that waits for the caller's draw wait for it too."""
    rules = RuleSet.mexican(3)
    done = 0
    for seed in range(8):
        position = Position.deal(rules, seed=seed, chance="explicit")
        dice = random.Random(seed)
        for _ in range(60):
            if position.over:
                break
            if position.pending_draw:
                for seat in range(3):
                    sample = determinize(position, seat, seed)
                    assert sample.pending_draw == position.pending_draw
                    assert knowledge(sample, seat) == knowledge(position, seat)
                    done += 1
                position.draw(dice.choice(position.boneyard))
            else:
                play(position, dice, 1)
    assert done > 50


def test_samples_differ_and_repeat() -> None:
    position = play(Position.deal(RuleSet.mexican(4), seed=5), random.Random(5), 25)
    samples = [determinize(position, 0, seed) for seed in range(20)]
    assert len({sample.hands for sample in samples}) == 20
    assert all(sample.hands[1] != position.hands[1] for sample in samples)
    assert determinize(position, 0, 7) == samples[7]
    assert samples[7].boneyard != position.boneyard


def test_super_samples_keep_the_set() -> None:
    """Every sample has three `*-A`, whoever laid which."""
    for number in range(60):
        position, seat = super_game(random.Random(number), {})
        sample = determinize(position, seat, number)
        laid = sum(str(event.tile) == "*-A" and not event.is_draw for event in sample.events)
        held = sum(str(tile) == "*-A" for hand in (*sample.hands, sample.boneyard) for tile in hand)
        assert laid + held == 3


@pytest.mark.parametrize("seat", [-1, 4, True, "0", None, 1.0])
def test_seats_that_do_not_exist(seat: Any) -> None:
    position = Position.deal(RuleSet.mexican(4), seed=1)
    for ask in (
        information_key, information_text, observe, legal_mask, mextrain.count_worlds, mextrain.beliefs,
    ):  # fmt: skip
        with pytest.raises(PositionError, match="there is no seat"):
            ask(position, seat)
    with pytest.raises(PositionError, match="there is no seat"):
        determinize(position, seat, 1)


def test_seeds_out_of_range() -> None:
    with pytest.raises(SeedError):
        determinize(Position.deal(RuleSet.mexican(4), seed=1), 0, -1)
