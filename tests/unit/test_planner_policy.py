"""The policy `planner`: compared with a slow version of docs/policies.md; its behaviour, bounds and strength."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import numpy as np
import pytest

from mextrain import (
    Batch,
    BatchPolicy,
    Decision,
    MextrainError,
    Move,
    PolicyError,
    Position,
    RuleSet,
    Tile,
    plan,
    simulate,
    tournament,
)
from mextrain.benchmark import signature
from mextrain.bulk.backend import choose_backend
from mextrain.bulk.seat_policies import Seats
from mextrain.game import seeding
from mextrain_core.bulk import planner_policy
from mextrain_core.bulk.planner_policy import choose_planned
from mextrain_core.hidden.view import view_state
from mextrain_core.lockstep.player import accepts
from mextrain_core.model.limits import NONE, ROWS
from mextrain_core.model.state import new_states
from mextrain_core.planner import graph, search
from tests.docs.pages import ROOT, tables

RULES = [
    RuleSet.mexican(2, rounds=3),
    RuleSet.mexican(4, rounds=3),
    RuleSet.mexican(3, tile_set="double-6", hand_size=7, mexican_start="any_turn", double_blank=50, rounds=3),
    RuleSet.mexican(4, double_rule="cover", drawn_play="may", open_double_order="any", rounds=2),
    RuleSet.super(6, rounds=1),
    RuleSet.super(8, rounds=1, first_engine="*-*"),
    RuleSet.super(8, letter_match="anywhere", opening="chain", rounds=1),
    RuleSet.super(8, letter_match="same_letter", twice_bonus="may", max_uncovered=None, rounds=1),
]


WORTH = dict(next(table for table in tables(ROOT / "docs" / "policies.md") if table[0] == ["what", "worth"]))
"""The values in points from the table of docs/policies.md."""

TILE = int(WORTH["every tile of the train"])
DOUBLE = int(WORTH["a double, covered or not"])
CLOSING = int(WORTH["closing the own train"])
FOLLOWED = int(WORTH["an own train that ends in a half of some tile left"])


def value(decision: Decision, move: Any) -> int:
    """The policy's value of a play, in sixtieths of a point; written from docs/policies.md."""
    rules, seat, view = decision.rules, decision.seat, decision.view
    played = rules.actions.tile(move)
    hand = Counter(decision.hand)
    hand[played] -= 1
    left = list((+hand).elements())
    names = rules.tiles.tables.half_names
    on_own = move.code >> 10 == seat
    new = names[move.code & 31]
    best = plan(
        left,
        new if on_own else names[view["end_half"][seat]],
        rules.tile_set,
        letter_match=rules.letter_match,
        double_blank=rules.double_blank,
        time_limit=None,
    )
    worth = rules.points([played]) + TILE * best.tiles
    worth += DOUBLE * (played.high == played.low)
    worth += CLOSING * (on_own and bool(int(view["open"]) >> seat & 1))
    worth += FOLLOWED * (on_own and any(new in map(str, tile.halves) for tile in left))
    turns = min(count for other, count in enumerate(decision.hand_counts) if other != seat)
    return 60 * worth + (60 * best.points * min(turns, best.tiles) // best.tiles if best.tiles else 0)


def slow_planner(decision: Decision) -> Any:
    """The policy, by the public planner."""
    plays = [move for move in decision.legal if move.code != 0x3FFF]
    values = [value(decision, move) for move in plays]
    best = [move for move, worth in zip(plays, values, strict=True) if worth == max(values)]
    return best[decision.random(len(best))]


def decision_at(position: Position, word: int) -> Decision:
    """What the seat to move sees, with the word that a built-in policy gets."""
    views = new_states(1)
    view_state(views, 0, position._states, 0, position.rules.record, np.uint64(position.seat or 0))
    codes = np.array([move.code for move in position.legal_moves()], np.uint16)
    return Decision(position.rules, views[0], word, codes)


@pytest.mark.parametrize("rules", RULES, ids=range(len(RULES)))
def test_it_plays_as_described(rules: RuleSet) -> None:
    others = ["cautious", "random"] * 7
    seats = ["planner", *others[: rules.players - 1]]
    played = simulate(rules, games=4, seed=8, policies=seats, record_actions=True)
    for game, number in np.ndindex(played.games, played.rounds):
        engine = rules.engines[number]
        key = seeding.round_key(8, game, engine)
        position = Position.deal(rules, seed=8, game=game, engine=engine, starter=int(played.starter[game, number]))
        for code in played.actions_of(game, number).tolist():
            if position.seat == 0:
                word = seeding.word(key, seeding.FIRST_POLICY_WORD + position.attempts - 1)
                assert slow_planner(decision_at(position, word)).code == code
            position.play_unchecked(Move.from_code(code))
        assert position.over


GOLDEN = {
    "mexican-4": (RuleSet.mexican(4, rounds=3), 0xEDB4610C7471D1C0),
    "super-5": (RuleSet.super(5, rounds=2), 0x9307E69D659E3CA4),
    "foot": (RuleSet.mexican(3, double_rule="chicken_foot", rounds=3), 0x313A1B6CF1E79E4B),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_the_games_it_plays_are_pinned(name: str) -> None:
    rules, wanted = GOLDEN[name]
    seats = (["planner", "planner", "random"] * 2)[: rules.players]
    assert simulate(rules, games=3, seed=2026, policies=seats).hash == wanted


def test_every_form_and_every_number_of_workers_plays_the_same_games() -> None:
    rules = RuleSet.super(4, rounds=3)
    seats = ["planner", "random", "planner", "heaviest"]
    played = simulate(rules, games=10, seed=3, policies=seats, record_actions=True)
    again = simulate(rules, games=10, seed=3, policies=[3, 0, 3, 1], workers=3, record_actions=True)
    assert again.hash == played.hash
    assert np.array_equal(again.actions, played.actions)
    # As a function of the user it gets one-way words, which break ties in another way.
    path, address = "mextrain_core.bulk.planner_policy:planner", planner_policy.planner.address
    foreign = [
        simulate(rules, games=10, seed=3, policies=[form, "random", form, "heaviest"], workers=workers).hash
        for form, workers in ((path, 1), (address, 2), (address, 1))
    ]
    assert len({*foreign}) == 1
    batch = ["planner", BatchPolicy(Batch.random_moves), "planner", "heaviest"]
    assert len({simulate(rules, games=10, seed=3, policies=batch, workers=workers).hash for workers in (1, 2)}) == 1


def test_its_moves_are_legal_under_every_option() -> None:
    # An illegal move would be an error of `simulate`.
    for number, rules in enumerate(signature.rule_sets()):
        others = ["random", "planner", "heaviest"]
        seats = ["planner", *(others[(number + seat) % 3] for seat in range(rules.players - 1))]
        simulate(rules, games=1, seed=number, policies=seats)


@pytest.mark.parametrize("rules", [RULES[1], RULES[4], RuleSet.mexican(3, double_rule="chicken_foot")])
def test_it_decides_by_what_its_seat_sees(rules: RuleSet) -> None:
    position = Position.deal(rules, seed=5)
    states = new_states(2)
    decisions = 0
    while not position.over:
        states[0] = position._states[0]
        word = np.uint64(decisions * 0x9E3779B97F4A7C15 % 2**64)
        view_state(states, 1, states, 0, rules.record, np.uint64(states[0]["seat"]))
        chosen = choose_planned(states, 1, rules.record, word)
        assert chosen == choose_planned(states, 0, rules.record, word)
        position.play(Move.from_code(int(chosen)))
        decisions += 1
    assert decisions > 10


def test_lockstep_refuses_it() -> None:
    rules = RuleSet.mexican(4)
    seats = Seats.of(["random", "planner", "random", "random"], 4)
    assert not accepts(rules.record, seats.ids)
    assert choose_backend("auto", rules, seats, 1 << 30) == "scalar"
    with pytest.raises(MextrainError, match="it plays the policies random, heaviest, cautious"):
        simulate(rules, games=1, policies=seats, backend="lockstep")


def test_without_a_compiler_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planner_policy, "planner", lambda state, rules, word: 0)
    with pytest.raises(PolicyError, match="unset NUMBA_DISABLE_JIT"):
        Seats.of("planner", 4)


# Consequences of the value


def choices(hand: str, table: dict[int | str, str], **options: Any) -> set[str]:
    """The moves that the planner may choose at seat 0 in an ordinary turn of four seats; `table`: ends of trains."""
    rules = RuleSet.mexican(4, hand_size=len(hand.split()), **options)
    states = new_states(1)
    s = states[0]
    s["players"], s["engine"], s["phase"], s["step"] = 4, 12, 6, 1
    for train in range(5):
        s["end_half"][train] = int(table.get(train, "12"))
    s["started"] = 31
    s["only"] = s["barred"] = s["drawn"] = s["cover"] = NONE
    s["eligible"] = s["eligible_a"] = sum(1 << int(train) for train in table)
    s["hand_count"][:4] = len(hand.split()), 9, 9, 9
    for tile in map(Tile.parse, hand.split()):
        high, low = rules.tiles.half_code(tile.high), rules.tiles.half_code(tile.low)
        s["hand"][0, high] |= 1 << low
        s["hand"][0, low] |= 1 << high
    s["legal_count"] = 99
    words = [np.uint64(k * 0x9E3779B97F4A7C15 % 2**64) for k in range(16)]
    codes = {int(choose_planned(states, 0, rules.record, word)) for word in words}
    return {f"{code >> 5 & 31}-{code & 31}@{code >> 10}" for code in codes}


OWN, M = 0, 4


def test_leftovers_go_out_first_the_heaviest_before_all() -> None:
    # 6-1 1-2 2-3 is the plan from 6; 9-8 and 9-4 are not in it.
    assert choices("6-1 1-2 2-3 9-8 9-4", {OWN: "6", M: "9"}) == {"9-8@4"}
    assert choices("6-1 1-2 2-3 9-4", {OWN: "6", M: "9"}) == {"9-4@4"}


def test_the_plan_is_played_in_its_order_on_the_own_train() -> None:
    assert choices("6-1 1-2 2-3", {OWN: "6", M: "9"}) == {"6-1@0"}
    assert choices("6-9 6-1 1-2 2-3", {OWN: "6", M: "12"}) == {"6-1@0"}


def test_a_tile_of_the_plan_is_not_thrown_away() -> None:
    # On the Mexican Train 12-11 would shed more points, and break a train of five tiles.
    assert choices("6-12 12-11 11-10 10-9 9-1 6-0", {OWN: "6", M: "11"}) == {"6-12@0"}


def test_the_heaviest_train_is_not_the_best_one() -> None:
    # docs/planner.md: 12-11 11-10 sheds 44 points, 12-1 1-2 2-3 3-4 uses four tiles.
    assert choices("12-11 12-1 1-2 2-3 3-4 11-10", {OWN: "12", M: "12"}) == {"12-11@4"}


def test_a_double_goes_out_before_all_else() -> None:
    assert choices("6-6 6-1 1-2 9-8", {OWN: "6", M: "9"}) == {"6-6@0"}
    assert choices("9-9 6-1 1-2 2-3", {OWN: "6", M: "9"}) == {"9-9@4"}


def test_it_goes_out() -> None:
    assert choices("5-4", {OWN: "6", M: "4"}) == {"4-5@4"}


def test_equals_are_all_chosen() -> None:
    assert choices("9-1 9-2 8-3", {OWN: "12", 2: "9", M: "9"}) == {"9-2@2", "9-2@4"}


# Bounds


def test_small_buffers_give_the_best_found_and_say_so() -> None:
    """With smaller buffers the search finds nothing better, and what it calls proven is correct."""
    rules = RuleSet.mexican(2, tile_set="double-18", hand_size=90)
    rng = np.random.default_rng(6)
    full = search.new_buffers()
    small = full[0], full[1], np.zeros(search.MAX_CHILDREN + 2, search.NODE), np.empty(1 << 6, np.int64)
    proven = 0
    for _ in range(400):
        rows = np.zeros(ROWS, np.uint32)
        for _ in range(rng.integers(5, 40)):
            a, b = rng.integers(0, 19, 2)
            rows[a] |= np.uint32(1 << b)
            rows[b] |= np.uint32(1 << a)
        found = []
        for buffers, limit in ((full, 10**8), (small, 5000)):
            search.begin(*buffers[:3], rules.record, rows, np.uint64(0), np.uint64(18), graph.LONGEST)
            found.append((bool(search.search(*buffers, limit)), int(buffers[1][0]["value"])))
        (all_proven, truth), (is_proven, value) = found
        assert all_proven
        assert value >= truth
        assert value == truth or not is_proven
        proven += is_proven
    assert 0 < proven < 400


def test_a_decision_takes_bounded_time() -> None:
    """The largest hands: dozens of plays, each with a plan of up to ninety tiles. A decision takes about 25 µs.
    """
    for rules in (
        RuleSet.mexican(2, tile_set="double-18", hand_size=94, rounds=1),
        RuleSet.super(2, hand_size=55, rounds=1),
    ):
        simulate(rules, games=1, policies="planner")
        began = time.thread_time()
        played = simulate(rules, games=2, seed=1, policies="planner")
        seconds = time.thread_time() - began
        assert seconds / played.decisions.sum() < 0.005


# Strength


@pytest.mark.parametrize(
    ("rules", "deals"),
    [(RuleSet.mexican(2), 150), (RuleSet.mexican(4), 40), (RuleSet.mexican(8), 40), (RuleSet.super(4), 20)],
)
def test_it_beats_every_simple_policy(rules: RuleSet, deals: int) -> None:
    """Each interval of the paired difference is below -2 points per round."""
    for other in ("cautious", "heaviest", "random"):
        result = tournament(rules, ["planner", other], deals=deals, seed=11, workers=2)
        (pair,) = result.pairs()
        assert pair.first == "planner"
        assert pair.difference.high is not None
        assert pair.difference.high < -2, (other, pair)
