"""What users plug into a search: compiled values, priors, and the chance to win a match."""

from __future__ import annotations

import ctypes
import itertools
from typing import Any

import numpy as np
import pytest
from cffi import FFI
from hypothesis import given
from hypothesis import strategies as st

from mextrain import Batch, Match, MextrainError, PolicyError, Position, RuleSet, determinize, search
from mextrain.study.match_futures import futures
from mextrain_core.model.rules import RULES
from mextrain_core.model.state import STATE
from mextrain_core.search.utility import CHANCE, MATCH, rate
from tests.search.games import TABLES, poisoned, with_choice

VALUE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


def struct(address: int, dtype: np.dtype[Any]) -> np.ndarray:
    """The struct at an address."""
    return np.frombuffer((ctypes.c_uint8 * dtype.itemsize).from_address(address), dtype)


@VALUE
def six_a_tile(state: int, rules: int, points: int) -> int:
    """Six and a quarter points for every tile in a hand."""
    players = int(struct(rules, RULES)["players"][0])
    view = struct(state, STATE)[0]
    assert not view["key"]
    assert not view["boneyard"].any()
    held = view["hand"].any(axis=1)
    held[int(view["seat"])] = False
    assert not held.any()
    counts = view["hand_count"][:players]
    ctypes.memmove(points, (ctypes.c_double * players)(*(6.25 * int(count) for count in counts)), 8 * players)
    return 0


def six_by_batch(batch: Batch) -> np.ndarray:
    return 6.25 * batch.views["hand_count"][:, : batch.rules.players]


def facts(position: Position, **arguments: Any) -> dict[str, Any]:
    found = search(position, **arguments).to_dict()
    del found["seconds"]
    return found


@pytest.mark.parametrize("method", ["flat", "improve", "tree"])
@pytest.mark.parametrize("table", ["mexican-4", "super-3"])
def test_a_compiled_value_is_a_value(table: str, method: str) -> None:
    """It gets views (asserted in the function), and gives what a function for batches gives."""
    position = with_choice(TABLES[table], 2, 20, least=3)
    assert position.seat is not None
    asked: dict[str, Any] = {"method": method, "playouts": 100, "seed": 3, "drop": None}
    expected = facts(position, value=six_by_batch, **asked)
    address = ctypes.cast(six_a_tile, ctypes.c_void_p).value
    pointer = FFI().cast("int32_t (*)(void *, void *, double *)", address)
    for form in (six_a_tile, address, pointer):
        assert facts(position, value=form, **asked) == expected
    for other in (determinize(position, position.seat, 4), poisoned(position, 5)):
        assert facts(other, value=six_a_tile, workers=2, **asked) == expected


@pytest.mark.parametrize(
    "body",
    [
        lambda points: -1,
        lambda points: 0,
        lambda points: ctypes.memmove(points, (ctypes.c_double * 4)(1.0, 1.0, 1.0, 1e9), 32) and 0,
        lambda points: 1 / 0,
    ],
    ids=["fails", "writes nothing", "too large", "raises"],
)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_compiled_value_that_fails_is_named(body: Any) -> None:
    function = VALUE(lambda state, rules, points: body(points))
    with pytest.raises(PolicyError, match="compiled value function failed: expected points of all 4 seats"):
        search(with_choice(TABLES["mexican-4"], 2, 20, least=3), playouts=48, value=function)


def test_other_signatures_are_refused() -> None:
    position = with_choice(TABLES["mexican-2"], 3, 5)
    policy = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64)(lambda *_: 0)
    with pytest.raises(PolicyError, match=r"compiled value function (.*) the signature (.*): expected int32_t value"):
        search(position, value=policy)
    with pytest.raises(PolicyError, match=r"compiled policy (.*): expected int32_t policy"):
        search(position, policy=six_a_tile)
    with pytest.raises(PolicyError, match="value = 7"):
        search(position, value=7)
    with pytest.raises(PolicyError, match="null pointer"):
        search(position, value=ctypes.cast(None, VALUE))


@pytest.mark.parametrize("method", ["flat", "improve"])
def test_a_prior_says_what_is_tried_first(method: str) -> None:
    position = with_choice(TABLES["mexican-4"], 2, 30, least=4)
    assert position.seat is not None
    legal = [move.code for move in position.legal_moves()]
    seen = []

    def prior(batch: Batch) -> list[float]:
        assert batch.moves.tolist() == legal
        assert batch.seats.tolist() == [position.seat]
        seen.append(batch.views.tobytes())
        assert not batch.views["key"].any()
        return [float(move == legal[favourite]) for move in legal]

    for favourite in range(len(legal)):
        assert search(position, method=method, playouts=1, prior=prior).best.code == legal[favourite]
        found = search(position, method=method, playouts=2, prior=prior)
        assert legal[favourite] in [each.move.code for each in found.moves if each.playouts]
    search(poisoned(position, 1), method=method, playouts=1, prior=prior)
    assert len(set(seen)) == 1


def test_an_incumbent_by_a_prior_stands_unless_another_move_is_clearly_better() -> None:
    """Play-outs that are all worth the same change nothing."""
    position = with_choice(TABLES["mexican-4"], 2, 30, least=4)
    for number, move in enumerate(position.legal_moves()):
        opinion = np.arange(len(position.legal_moves())) == number
        even = {"value": lambda batch: np.ones((len(batch), 4)), "prior": lambda batch, opinion=opinion: opinion}
        assert search(position, method="improve", playouts=200, **even).best == move


@pytest.mark.parametrize("answer", [None, "x", [1.0], [[1.0, 2.0, 3.0]], np.full(3, np.nan)])
def test_a_wrong_prior_is_refused(answer: Any) -> None:
    position = with_choice(TABLES["mexican-4"], 2, 30, least=4)
    with pytest.raises(PolicyError, match=f"a number for each of {len(position.legal_moves())} moves"):
        search(position, playouts=20, prior=lambda batch: answer)
    for arguments, text in (({"prior": 3}, "prior = 3"), ({"prior": len, "method": "tree"}, "takes no prior")):
        with pytest.raises(MextrainError, match=text):
            search(position, **arguments)


@given(st.data())
def test_the_chance_to_win_is_counted(data: st.DataObject) -> None:
    """Against the definition: the share of futures in which a seat has the lowest total; equal totals share."""
    players, samples = data.draw(st.integers(2, 5)), data.draw(st.integers(1, 6))
    small = st.integers(0, 3)
    row = st.lists(small, min_size=players, max_size=players)
    points = np.array(data.draw(st.lists(row, min_size=1, max_size=3)))
    future = np.array(data.draw(st.lists(row, min_size=samples, max_size=samples)))
    worth = np.empty_like(points)
    rate(points, MATCH, future, worth)
    for result, found in zip(points, worth, strict=True):
        expected = np.zeros(players)
        for each in future:
            best = (result + each) == (result + each).min()
            expected += best / best.sum()
        assert np.abs(found - 100 * CHANCE * expected / samples).max() <= 0.5 + 1e-9


def test_match_play_follows_the_standings() -> None:
    """In the last round, a seat far ahead wins the match with any move, and one far behind with none."""
    rules = RuleSet.mexican(2, first_engine="0-0")
    position = with_choice(rules, 3, 8, least=3)
    me = position.seat
    assert me is not None
    for mine in (0, 900):
        totals = [900, 900]
        totals[me] = mine
        totals[1 - me] = 900 - mine
        found = search(position, utility="match", totals=totals, playouts=60, drop=None)
        assert all(each.loss == 0.0 for each in found.moves if each.playouts)
        assert "percent" in str(found)
    even = search(position, utility="match", totals=(0, 0), playouts=600, drop=None, policy="random")
    rank = search(position, utility="rank", playouts=600, drop=None, policy="random")
    for move, other in itertools.product(even.moves, rank.moves):
        if move.move == other.move and even.best == rank.best and move.loss is not None and other.loss is not None:
            # With two seats and equal standings the match is won by the lower points, as a place is.
            assert move.loss == pytest.approx(100 * other.loss, abs=1.0)


def test_the_rounds_to_come_are_those_after_this_one() -> None:
    for options in ({}, {"engine_from": "highest"}):
        rules = RuleSet.mexican(2, rounds=3, **options)
        match = Match(rules, seed=2)
        for number, position in enumerate(match):
            found = futures(position, (5, 9))
            assert (found >= (5, 9)).all()
            if number == 2:
                assert found.tolist() == [[5, 9]]
            else:
                assert len(found) == 64
                assert 20 < (found - (5, 9)).sum(axis=1).mean() / (2 - number) < 120
            while not position.over:
                position.play(position.legal_moves()[0])


def test_a_round_of_no_match_has_no_chance_to_win_one() -> None:
    rules = RuleSet.mexican(2, tile_set="double-6", hand_size=2, engine_from="highest")
    position = Position.setup(rules, hands=("5-4", "1-2 3-3"), engine="6-6")
    with pytest.raises(MextrainError, match="not known which round of a match"):
        futures(position, (0, 0))


def test_totals_of_a_match_in_progress() -> None:
    match = Match(RuleSet.mexican(3, rounds=3), seed=4)
    position = match.position
    while len(position.legal_moves()) < 2:
        position.play(position.legal_moves()[0])
    found = facts(position, utility="match", totals=match.totals, playouts=90)
    assert found == facts(position, utility="match", totals=list(match.totals), playouts=90, workers=2)
    wrong: list[Any] = [None, (1, 2), (1, 2, -3), "123", 5, (1, 2, 0.5)]
    for totals in wrong:
        with pytest.raises(MextrainError, match="needs the points of the 3 seats"):
            search(position, utility="match", totals=totals)
    with pytest.raises(MextrainError, match="only the utility match"):
        search(position, totals=(0, 0, 0))
