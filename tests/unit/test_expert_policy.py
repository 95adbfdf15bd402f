"""The policy `expert`: compared with a slow version that plans every play; its behaviour, bounds and strength."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import numpy as np
import pytest

from mextrain import Decision, Move, Position, RuleSet, plan, simulate, tournament
from mextrain.benchmark import signature
from mextrain.bulk.seat_policies import Seats
from mextrain.game import seeding
from mextrain_core.bulk.expert_policy import choose_expert, expert
from mextrain_core.hidden.view import view_state
from mextrain_core.model.state import new_states
from tests.unit.test_counting_policy import Hand, value

RULES = [
    RuleSet.mexican(2, rounds=3),
    RuleSet.mexican(4, rounds=3),
    RuleSet.mexican(8, rounds=2),
    RuleSet.mexican(3, tile_set="double-6", hand_size=7, mexican_start="any_turn", double_blank=50, rounds=3),
    RuleSet.mexican(4, double_rule="cover", drawn_play="may", open_double_order="any", rounds=2),
    RuleSet.mexican(2, tile_set="double-4", hand_size=4, double_rule="chicken_foot", rounds=3),
    RuleSet.mexican(3, tile_set="double-5", hand_size=4, double_rule="chicken_foot", foot_ends="center", rounds=3),
    RuleSet.super(2, rounds=1),
    RuleSet.super(6, rounds=1),
    RuleSet.super(8, rounds=1, first_engine="*-*"),
    RuleSet.super(8, letter_match="anywhere", opening="chain", rounds=1),
    RuleSet.super(5, letter_match="same_letter", twice_bonus="may", max_uncovered=None, rounds=1),
    RuleSet.super(4, letter_match="any_letter", rounds=1),
    RuleSet.mexican(4, tile_set="super", hand_size=12, rounds=2),
]


def planned(decision: Decision, hand: Hand, starts: set[str], elsewhere: bool) -> tuple[int, int, int]:
    """The longest train from the own ends, with most points; proved by the public planner, or by trying everything."""
    rules = decision.rules
    if len(starts) > 1:
        tiles, points = by_trying(frozenset(starts), frozenset(hand.tiles), rules)
        return tiles, points, tiles
    (start,) = starts
    options = {"letter_match": rules.letter_match, "double_blank": rules.double_blank, "time_limit": None}
    best = plan(hand.tiles, start, rules.tile_set, **options)  # type: ignore[arg-type]
    assert best.proved
    return best.tiles, best.points, best.tiles


@cache
def by_trying(ends: frozenset[str], tiles: frozenset[Any], rules: RuleSet) -> tuple[int, int]:
    """The most number tiles that trains from all of `ends` can use, and their points.

    Equal ends are one end here: the toes of a foot always have different ones, and a train that goes on from one of two
    equal ends leaves the other one behind.
    """
    best = 0, 0
    for end in ends:
        for tile in tiles:
            halves = [str(half) for half in tile.halves]
            if end in halves:
                new = halves[1] if halves[0] == end else halves[0]
                for left in {ends - {end} | {new}, ends | {new}} if new in ends else {ends - {end} | {new}}:
                    count, points = by_trying(left, tiles - {tile}, rules)
                    best = max(best, (count + 1, points + rules.points([tile])))
    return best


def slow_expert(decision: Decision, word: int) -> int:
    """The move of the policy: the first play of the largest value, where ties are broken as `counting` does it."""
    tie, keys = word >> 40, {}
    for move in decision.legal:
        if move.code != 0x3FFF:
            tie = (tie * 0x9E3779B1 + 0x7F4A7C15) % 2**32
            keys[move.code] = value(decision, move, planned), tie >> 20
    return max(keys, key=keys.__getitem__)


@pytest.mark.parametrize("rules", RULES, ids=range(len(RULES)))
def test_it_plays_as_a_version_that_plans_every_play(rules: RuleSet) -> None:
    """Decision by decision; the rounds are played by `expert` at seat 0, and by others that leave it other hands."""
    others = ["counting", "random"] * 7
    seats = ["expert", *others[: rules.players - 1]]
    played = simulate(rules, games=2, seed=8, policies=seats, record_actions=True)
    states, compared = new_states(2), 0
    for game, number in np.ndindex(played.games, played.rounds):
        engine = rules.engines[number]
        key = seeding.round_key(8, game, engine)
        position = Position.deal(rules, seed=8, game=game, engine=engine, starter=int(played.starter[game, number]))
        for code in played.actions_of(game, number).tolist():
            legal = position.legal_moves()
            # A foot leaves several ends, and then everything is tried.
            seat = position.seat or 0
            tiles = int(position._states["hand_count"][0, seat])
            if len(legal) > 1 and (rules.double_rule != "chicken_foot" or tiles <= 8):
                word = seeding.word(key, seeding.FIRST_POLICY_WORD + position.attempts - 1)
                view_state(states, 0, position._states, 0, rules.record, np.uint64(seat))
                codes = np.array([move.code for move in legal], np.uint16)
                wanted = slow_expert(Decision(rules, states[0], word, codes), word)
                states[1] = position._states[0]
                assert choose_expert(states, 0, rules.record, np.uint64(word)) == wanted
                assert choose_expert(states, 1, rules.record, np.uint64(word)) == wanted
                assert seat != 0 or code == wanted
                compared += 1
            position.play_unchecked(Move.from_code(code))
        assert position.over
    assert compared > 20


GOLDEN = {
    "mexican-4": (RuleSet.mexican(4, rounds=3), 0x4CCBB638E3A035E3),
    "super-5": (RuleSet.super(5, rounds=2), 0x6DD6E6DCC75ABC41),
    "foot": (RuleSet.mexican(3, double_rule="chicken_foot", rounds=3), 0xF0F609BC5B613D31),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_the_games_it_plays_are_pinned(name: str) -> None:
    rules, wanted = GOLDEN[name]
    seats = (["expert", "expert", "random"] * 2)[: rules.players]
    assert simulate(rules, games=3, seed=2026, policies=seats).hash == wanted


def test_its_moves_are_legal_under_every_option() -> None:
    # An illegal move would be an error of `simulate`.
    for number, rules in enumerate(signature.rule_sets()):
        others = ["random", "expert", "counting"]
        seats = ["expert", *(others[(number + seat) % 3] for seat in range(rules.players - 1))]
        simulate(rules, games=1, seed=number, policies=seats)


def test_every_form_and_every_number_of_workers_plays_the_same_games() -> None:
    rules = RuleSet.super(4, rounds=3)
    played = simulate(rules, games=10, seed=3, policies=["expert", "random", "planner", "counting"])
    assert simulate(rules, games=10, seed=3, policies=[5, 0, 3, 4], workers=3).hash == played.hash
    assert Seats.of(["mextrain_core.bulk.expert_policy:expert", expert.address], 2).ids.tolist() == [5, 5]


def test_a_decision_takes_bounded_time() -> None:
    """The largest hands: dozens of plays, each with a plan of up to ninety tiles."""
    for rules in (
        RuleSet.mexican(2, tile_set="double-18", hand_size=94, rounds=1),
        RuleSet.super(2, hand_size=55, rounds=1),
    ):
        simulate(rules, games=1, policies="expert")
        began = time.process_time()
        played = simulate(rules, games=2, seed=1, policies="expert")
        seconds = time.process_time() - began
        assert seconds / played.decisions.sum() < 0.005


def test_it_beats_the_planner_and_counting() -> None:
    """Deals chosen before; the differences of docs/statistics.md are far outside these intervals."""
    found = tournament(RuleSet.super(4, rounds=3), "expert,planner", deals=60, seed=5)
    (pair,) = found.pairs()
    assert (pair.first, pair.second) == ("expert", "planner")
    assert pair.difference.high < 0
    found = tournament(RuleSet.super(4, rounds=3), "expert,counting", deals=200, seed=5)
    assert found.pairs()[0].first == "expert"


def test_it_costs_half_of_the_planner_at_most() -> None:
    """CPU time of equal numbers of decisions, alternating, minima; docs/performance.md has the figures."""
    for rules, games in ((RuleSet.mexican(4), 20), (RuleSet.super(4), 5)):
        seconds: dict[str, float] = {}
        for _ in range(7):
            for policy in ("planner", "expert"):
                began = time.process_time()
                played = simulate(rules, games=games, seed=3, policies=policy)
                taken = (time.process_time() - began) / int(played.decisions.sum())
                seconds[policy] = min(taken, seconds.get(policy, taken))
        assert seconds["expert"] < 0.75 * seconds["planner"]
