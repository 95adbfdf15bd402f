"""The sampler compared with exact counting, and counting compared with the rulebook (docs/hidden-information.md)."""

from __future__ import annotations

import itertools
import os
import random
from typing import Any

import numpy as np
import pytest

from mextrain import Position, PositionError, RuleSet, Tile, WorldSampler, count_worlds
from mextrain.hidden.exact import Histories
from mextrain_core.hidden.evidence import MAX_CLAUSES
from tests.hidden.games import (
    A,
    counted_game,
    distance,
    exact_law,
    number_game,
    play,
    sampled_law,
    super_game,
    title,
)
from tests.reference.options import CHOICES, Rules
from tests.reference.replay import begins_rightly
from tests.reference.rulebook import Round

MOST_DISTANCE = 0.02

GAMES = int(os.environ.get("MEXTRAIN_HIDDEN_GAMES", "6"))
FIRST_SEED = int(os.environ.get("MEXTRAIN_HIDDEN_SEED", "100"))

EVERY_VALUE = [
    (name, value) for name, values in CHOICES.items() for value in values if name not in ("letter_match", "twice_bonus")
]
SUPER_VALUES = [
    *(
        (name, value)
        for name in ("letter_match", "twice_bonus", "mexican_start", "max_uncovered")
        for value in CHOICES[name]
    ),
    ("drawn_tile", "own_train"),
    ("drawn_play", "may"),
    ("failed_cover", "mark"),
    ("failed_cover", "mark_and_play"),
    ("double_rule", "cover"),
    ("dead_double", "binds"),
    ("opening", "chain"),
]


def check_law(found: Histories, seed: int) -> None:
    """Exactly the consistent placements occur, each with the right frequency."""
    exact = exact_law(found)
    sampled = sampled_law(WorldSampler(found.position, found.seat, seed), found, max(12_000, 1500 * len(exact)))
    rules, events = found.position.rules.to_dict(), [event.text for event in found.position.events]
    assert sampled.keys() == exact.keys(), (rules, found.seat, events)
    assert distance(exact, sampled) <= MOST_DISTANCE, (rules, found.seat, events)


@pytest.mark.parametrize(("name", "value"), EVERY_VALUE)
def test_number_sets(name: str, value: Any) -> None:
    for seed in (1, 2):
        check_law(counted_game(seed, number_game, {name: value}), seed)


@pytest.mark.parametrize(("name", "value"), SUPER_VALUES)
def test_super(name: str, value: Any) -> None:
    for seed in (1, 2):
        check_law(counted_game(seed, super_game, {name: value}), seed)


@pytest.mark.parametrize("game", [number_game, super_game])
def test_any_options(game: Any) -> None:
    """Random combinations of options; MEXTRAIN_HIDDEN_GAMES and MEXTRAIN_HIDDEN_SEED choose more or other games."""
    for seed in range(FIRST_SEED, FIRST_SEED + GAMES):
        check_law(counted_game(seed, game, {}), seed)


def test_several_anywheres() -> None:
    """A history does not say which of its `*-A` a seat laid, so a placement can stand for 1, 3 or 6 histories."""
    checked = 0
    for number in range(2000):
        position, seat = super_game(random.Random(number), {"mexican_start": "any_turn"})
        laid = [event for event in position.events if event.tile == A and not event.is_draw and event.seat != seat]
        if not laid or A in position.hands[seat]:
            continue
        try:
            found = Histories(position, seat, 60_000)
        except PositionError:
            continue
        if len(found.histories()) <= 80 and len(set(found.histories().values())) > 1:
            check_law(found, number)
            checked += 1
            if checked == 3:
                return
    raise AssertionError("no such game was found")


def after_the_mark(position: Position, seat: int) -> set[str]:
    """What other seats did with the drawn tile once their train was open (failed_cover=mark_and_play)."""
    texts = [*(event.text for event in position.events), "", ""]
    found = set()
    for draw, opened, after in zip(texts, texts[1:], texts[2:], strict=False):
        mover, _, what = draw.partition(":")
        if what.startswith("draw") and opened == f"{mover}:open" and mover != str(seat):
            same, _, did = after.partition(":")
            found.add("kept" if same != mover else "stopped" if did == "stop" else "played")
    return found


@pytest.mark.parametrize(
    "fixed", [{}, {"double_rule": "cover"}, {"double_rule": "cover", "mexican_start": "only_if_stuck"}], ids=str
)
def test_drawn_tiles_of_marked_plays(fixed: dict[str, Any]) -> None:
    """A tile that is played, kept at will, or kept because it fits nowhere, each tells something else."""
    wanted = dict.fromkeys(("played", "stopped", "kept"), 3)
    for number in range(20_000):
        options = {"failed_cover": "mark_and_play", "drawn_play": "may", **fixed}
        position, seat = number_game(random.Random(number), options)
        shown = [kind for kind in after_the_mark(position, seat) if wanted[kind]]
        if not shown:
            continue
        try:
            found = Histories(position, seat, 60_000)
        except PositionError:
            continue
        if 2 <= len(found.histories()) <= 80:
            check_law(found, number)
            wanted.update((kind, wanted[kind] - 1) for kind in shown)
        if not any(wanted.values()):
            return
    raise AssertionError(f"too few such games: {wanted} are missing")


def brute_force(position: Position, seat: int) -> int:
    """The number of histories according to the rulebook: every order of the hidden tiles, cut into deals and draws."""
    rules = Rules.from_record(position.rules.to_dict())
    dealt = position.start.hands
    draws = [event for event in position.events if event.is_draw]
    hidden = [tile for tile in position.rules.tiles if tile != position.engine]
    for tile in [*dealt[seat], *(event.tile for event in draws if event.seat == seat)]:
        hidden.remove(tile)
    seen = [hide(event.text, seat) for event in position.events]
    found = set()
    for order in itertools.permutations(hidden):
        rest = iter(order)
        hands = [list(hand) if q == seat else [next(rest) for _ in hand] for q, hand in enumerate(dealt)]
        drawn = [event.tile if event.seat == seat else next(rest) for event in draws]
        history = (tuple(tuple(sorted(hand)) for hand in hands), tuple(drawn))
        if history in found:
            continue
        texts = [[str(tile) for tile in hand] for hand in hands]
        begun = {"engine": str(position.engine), "starter": position.starter}
        if rules.deal_decides_engine and not begins_rightly(begun, rules, texts):
            continue
        book = Round(rules, str(position.engine), position.starter, texts, [*map(str, drawn), *map(str, rest)])
        for event in position.events:
            if event.is_decision and not book.over and book.seat == event.seat:
                action = event.text.partition(":")[2]
                if action not in book.legal():
                    break
                book.play(action)
        same_end = (book.seat, book.turns) == (position.seat, position.turns)
        if same_end and [hide(text, seat) for text in book.events] == seen:
            found.add(history)
    return len(found)


def hide(text: str, seat: int) -> str:
    who, _, what = text.partition(":")
    return text if int(who) == seat or "draw" not in what else f"{who}:{what.partition(' ')[0]} ?"


@pytest.mark.parametrize("fixed", [{}, {"engine_from": "highest"}, {"engine_from": "own_highest"}], ids=str)
def test_counting_agrees_with_the_rulebook(fixed: dict[str, Any]) -> None:
    checked = 0
    for number in range(100):
        dice = random.Random(number)
        position, seat = number_game(dice, fixed)
        if position.rules.tile_set == "double-2" and position.events:
            assert count_worlds(position, seat).histories == brute_force(position, seat), number
            checked += 1
        if checked == 12:
            return
    raise AssertionError


def test_thirty_placements() -> None:
    """Three unseen hands of 2, 2 and 1 tiles and no boneyard: 5! / (2! 2! 1!)."""
    rules = RuleSet.mexican(4, tile_set="double-3", hand_size=2)
    hands = ["3-0 2-0 1-0 0-0", "3-1 1-1", "3-2 2-2", "2-1"]
    position = Position.setup(rules, engine="3-3", hands=hands, boneyard="")
    assert count_worlds(position, 0) == (30, 30)
    seen = {
        tuple(tuple(sorted(hand)) for hand in hands)
        for hands, _ in itertools.islice(WorldSampler(position, 0, 1).histories(), 600)
    }
    assert len(seen) == 30


def test_uniform_without_evidence() -> None:
    """Without evidence, the probability of each hidden tile in a place is proportional to the size of the place."""
    position = Position.deal(RuleSet.mexican(4), seed=11)
    seat = position.seat
    assert seat is not None
    count = 100_000
    places = WorldSampler(position, seat, 2).places(count)
    unseen = places[places[:, seat] == 0]
    unseen = np.delete(unseen[unseen.sum(axis=1) > 0], seat, axis=1)
    assert unseen.shape == (78, 4)
    expected = count * np.array([12, 12, 12, 42]) / 78
    statistic = ((unseen - expected) ** 2 / expected).sum()
    freedom = 77 * 3
    assert statistic < freedom * 1.1 + 5 * (2 * freedom) ** 0.5
    true = {tile for hand in position.hands for tile in hand}
    held = [position.rules.tiles[i] in true for i in np.flatnonzero(places.sum(axis=1) > 0) if not places[i, seat]]
    in_boneyard = unseen[:, -1] / count
    assert abs(in_boneyard[held].mean() - 42 / 78) < 0.005


@pytest.mark.parametrize("rules", [RuleSet.mexican(4), RuleSet.super(4), RuleSet.mexican(8)], ids=title)
def test_first_samples_are_like_later_ones(rules: RuleSet) -> None:
    """A large game cannot be counted, but the first samples of many seeds and one long chain must agree."""
    position = play(Position.deal(rules, seed=7), random.Random(7), 30)
    firsts, count = 600, 20_000
    first = sum(WorldSampler(position, 0, seed).places(1) for seed in range(firsts)) / firsts
    chain = WorldSampler(position, 0, 12345).places(count) / count
    uncertain = (chain * firsts > 10) & ((1 - chain) * firsts > 10)
    first, chain = first[uncertain], chain[uncertain]
    z = (first - chain) / np.sqrt(chain * (1 - chain) / firsts)
    assert len(z) > 50
    assert 0.7 < (z**2).mean() < 1.35
    assert abs(z).max() < 5


def test_clauses_fit_into_a_word() -> None:
    assert MAX_CLAUSES <= 32


def test_too_many_to_count() -> None:
    with pytest.raises(PositionError, match="more than 1,000 placements"):
        count_worlds(Position.deal(RuleSet.mexican(4), seed=1), 0, most=1000)


def test_world_counts_add_up() -> None:
    found = counted_game(3, number_game, {})
    assert sum(found.worlds().values()) == sum(found.histories().values()) == found.count
    assert (len(found.worlds()), found.count) == count_worlds(found.position, found.seat)
    boneyard = {len(boneyard) for _, boneyard in found.worlds()}
    assert boneyard == {len(found.position.boneyard)}
    assert isinstance(next(iter(found.worlds()))[1], tuple)
    assert all(isinstance(tile, Tile) for _, boneyard in found.worlds() for tile in boneyard)
