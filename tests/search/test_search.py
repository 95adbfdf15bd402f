"""`search`: it uses what a seat knows and nothing else, its numbers are right, and it keeps its limits."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mextrain import (
    Batch,
    MextrainError,
    MoveError,
    PolicyError,
    Position,
    PositionError,
    RuleSet,
    SeedError,
    determinize,
    search,
)
from mextrain.searches import tree
from tests.hidden.games import positions
from tests.search.games import TABLES, exact_values, explicit_position, poisoned, with_choice

METHODS = ("flat", "tree", "improve")


def facts(position: Position, **arguments: Any) -> dict[str, Any]:
    """Everything about a search but its seconds."""
    found = search(position, **arguments).to_dict()
    del found["seconds"]
    return found


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("table", TABLES)
def test_only_what_the_seat_knows_counts(table: str, method: str) -> None:
    for seed, moves in enumerate((3, 17)):
        position = with_choice(TABLES[table], seed, moves)
        assert position.seat is not None
        asked = {"method": method, "playouts": 64, "seed": seed}
        found = facts(position, **asked)
        for other in (determinize(position, position.seat, 5), determinize(position, position.seat, 6)):
            assert facts(other, **asked) == found
        assert facts(poisoned(position, seed), **asked) == found


@pytest.mark.parametrize("method", METHODS)
def test_workers_and_repetition_change_nothing(method: str) -> None:
    position = with_choice(TABLES["mexican-4"], 2, 9, least=4)
    before = position.identity(), position.events
    asked: dict[str, Any] = {"method": method, "playouts": 1500, "seed": 7, "drop": 4.0, "trees": 3}
    found = facts(position, **asked)
    assert all(facts(position, workers=workers, **asked) == found for workers in (1, 2, 8))
    assert (position.identity(), position.events) == before
    assert facts(position, **(asked | {"seed": 8})) != found


def test_means_are_unbiased_and_errors_cover() -> None:
    inside = tried = 0
    for seed in range(4):
        position = explicit_position(seed)
        exact = exact_values(position)
        asked: dict[str, Any] = {"policy": "random", "drop": None}
        found = search(position, playouts=1600 * len(exact), seed=seed, **asked)
        for each in found.moves:
            for mean, error, value in zip(each.points, each.errors, exact[each.move], strict=True):
                assert abs(mean - value) <= 4.5 * error + 1e-9
        best, other = found.moves[0], found.moves[-1]
        seat = position.seat
        margins = {move: value.sum() - 2 * value[seat] for move, value in exact.items()}
        assert other.loss is not None
        assert other.loss_error is not None
        assert abs(other.loss - (margins[best.move] - margins[other.move])) <= 4.5 * other.loss_error + 1e-9
        for number in range(40):
            for each in search(position, playouts=48 * len(exact), seed=1000 + number, **asked).moves:
                if each.errors[0] > 0:
                    tried += 1
                    inside += abs(each.points[0] - exact[each.move][0]) <= 1.96 * each.errors[0]
    assert tried > 100
    assert 0.90 <= inside / tried <= 0.985


@pytest.mark.parametrize(
    ("engine", "hands", "moves"),
    [
        ("2-2", ("3-1 3-3 2-0 3-2 0-0", "1-1 1-0 2-1 3-0"), ()),
        ("3-3", ("3-1 1-0 2-2 3-2 2-0", "0-0 3-0 1-1 2-1"), ("3-1@0", "stop", "3-0@1", "0-0@1")),
    ],
)
def test_a_tree_finds_a_move_that_is_good_only_because_of_the_best_reply(
    engine: str, hands: tuple[str, str], moves: tuple[str, ...]
) -> None:
    """All tiles are in the two hands, so nothing is hidden and the game can be solved."""
    rules = RuleSet.mexican(2, tile_set="double-3", hand_size=4)
    position = Position.setup(rules, hands=hands, engine=engine, starter=0)
    for move in moves:
        position.play(move)
    best, flat = solved(position, True), solved(position, False)
    assert best != flat
    assert search(position, method="tree", playouts=3000, policy="random").best_text == best
    assert search(position, method="flat", playouts=3000, policy="random", drop=None).best_text == flat


def solved(position: Position, is_clever: bool) -> str:
    """The best move for the margin if everybody plays as well as possible from then on, or at random."""

    def value(now: Position) -> np.ndarray:
        if now.over:
            return np.array([now.points[1] - now.points[0], now.points[0] - now.points[1]], float)
        values = [value(after(now, move)) for move in now.legal_texts()]
        return max(values, key=lambda each: each[now.seat]) if is_clever else np.mean(values, axis=0)

    def after(now: Position, move: str) -> Position:
        then = now.copy()
        then.play(move)
        return then

    return max(position.legal_texts(), key=lambda move: value(after(position, move))[position.seat])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    position=positions(),
    method=st.sampled_from(METHODS),
    playouts=st.integers(1, 90),
    seed=st.integers(0, 2**64 - 1),
    utility=st.sampled_from(("margin", "points", "rank")),
    policy=st.sampled_from(("counting", "random", "cautious")),
)
def test_every_search_keeps_its_limits(
    position: Position, method: str, playouts: int, seed: int, utility: str, policy: str
) -> None:
    if position.over:
        with pytest.raises(PositionError, match="over"):
            search(position)
        return
    legal = position.legal_moves()
    found = search(position, method=method, playouts=playouts, seed=seed, utility=utility, policy=policy)
    assert found.best in legal
    assert {each.move for each in found.moves} == set(legal)
    assert len(found.moves) == len(legal)
    assert found.playouts == sum(each.playouts for each in found.moves) <= playouts
    if len(legal) == 1:
        assert (found.playouts, found.ended, found.moves[0].loss) == (0, "forced", 0.0)
    else:
        assert found.ended in ("budget", "certain")
        assert found.nodes <= found.playouts + 1
        assert method != "tree" or found.playouts == playouts
    assert (found.moves[0].move, found.moves[0].loss) == (found.best, 0.0)
    known = [each.loss for each in found.moves[1:] if each.loss is not None]
    assert known == sorted(known)
    for each in found.moves:
        assert each.playouts == 0 or (0 <= each.out <= 1 and min(each.points) >= 0)
    json.dumps(found.to_dict(), allow_nan=False)
    assert max(map(len, str(found).split("\n"))) <= 80
    assert found.rows() == found.to_dict()["moves"]


def test_a_full_tree_plays_on_without_new_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "MAX_NODES", 9)
    found = search(with_choice(TABLES["mexican-2"], 1, 6, least=3), method="tree", playouts=200)
    assert (found.nodes, found.playouts, found.ended) == (9, 200, "budget")


def test_the_clock_and_certainty_end_a_search() -> None:
    position = with_choice(TABLES["mexican-4"], 4, 12, least=5)
    for method in METHODS:
        timed = search(position, method=method, seconds=0.02)
        assert timed.ended in ("clock", "certain")
        again = facts(position, method=method, playouts=timed.playouts, drop=2.0)
        if timed.ended == "clock" and method != "improve":
            assert [again["moves"], again["best"]] == [timed.to_dict()["moves"], timed.best_text]
    sure = search(position, until=3.0, playouts=100_000)
    if sure.ended == "certain":
        for each in sure.moves[1:]:
            assert each.loss is not None
            assert each.loss_error is not None
            assert each.loss >= 3.0 * each.loss_error or each.loss_error == 0


def test_the_names_of_methods_take_a_budget() -> None:
    position = with_choice(TABLES["mexican-2"], 3, 5)
    assert facts(position, method="flat:80") == facts(position, method="flat", playouts=80)
    assert facts(position, method="improve") == facts(position, method="improve:1000")


def test_play_outs_are_played_by_any_compiled_policy() -> None:
    position = with_choice(TABLES["mexican-2"], 3, 5, least=3)
    found = {policy: facts(position, playouts=96, policy=policy) for policy in ("random", "heaviest", "counting")}
    assert len({json.dumps(each["moves"]) for each in found.values()}) == 3
    assert facts(position, playouts=96, policy=["random", "counting"])["policy"] == "random,counting"


@pytest.mark.parametrize("method", METHODS)
def test_values_replace_play_outs(method: str) -> None:
    """A function values the leaves. It sees what the seats to move see."""
    position = with_choice(TABLES["mexican-4"], 2, 30, least=3)
    assert position.seat is not None
    sizes = []

    def value(batch: Batch) -> np.ndarray:
        sizes.append(len(batch))
        assert not batch.views["key"].any()
        assert not batch.views["boneyard"].any()
        held = batch.views["hand"].any(axis=2)
        held[np.arange(len(batch)), batch.seats] = False
        assert not held.any()
        assert np.array_equal(batch.seats, batch.views["seat"])
        return batch.views["hand_count"][:, :4] + 0.25

    asked: dict[str, Any] = {"method": method, "playouts": 300, "seed": 3, "value": value, "drop": None}
    found = facts(position, **asked)
    assert max(sizes) > 16 or method == "tree"
    for workers in (1, 3):
        assert facts(determinize(position, position.seat, 4), workers=workers, **asked) == found
    for each in found["moves"]:
        # The seat has laid a tile, or it has stopped; the others have laid or drawn a few since.
        if each["playouts"]:
            assert all(0 <= points <= 50 for points in each["points"])
    for block in (1, 64):
        assert facts(position, block=block, **asked)["playouts"] <= 300
    whole = search(
        position, method="flat", playouts=600, value=lambda batch: np.full((len(batch), 4), 1 / 3), drop=None
    )
    for each in whole.moves:
        assert abs(each.points[position.seat] - (1 - each.out) / 3) < 1 / 256 + 1e-9


@pytest.mark.parametrize("answer", [None, 3.0, "x", np.zeros((3, 2)), [[math.nan] * 4], [[math.inf] * 4]])
def test_a_wrong_value_is_refused(answer: Any) -> None:
    with pytest.raises(PolicyError, match="expected points"):
        search(with_choice(TABLES["mexican-4"], 2, 30, least=3), playouts=48, value=lambda batch: answer)


def test_every_wrong_argument_is_named() -> None:
    position = with_choice(TABLES["mexican-2"], 3, 5)
    wrong: list[tuple[dict[str, Any], type[MextrainError], str]] = [
        ({"playouts": 0}, MextrainError, "playouts = 0"),
        ({"playouts": True}, MextrainError, "playouts = True"),
        ({"playouts": 10**13}, MextrainError, "playouts"),
        ({"seconds": 0}, MextrainError, "seconds = 0"),
        ({"seconds": math.nan}, MextrainError, "seconds = nan"),
        ({"until": -1.0}, MextrainError, "until = -1.0"),
        ({"drop": "1"}, MextrainError, "drop = '1'"),
        ({"trees": 65}, MextrainError, "trees = 65"),
        ({"block": 0}, MextrainError, "block = 0"),
        ({"value": 3}, MextrainError, "value = 3"),
        ({"workers": 0}, MextrainError, "workers = 0"),
        ({"utility": "margins"}, MextrainError, "did you mean margin?"),
        ({"method": "flt"}, PolicyError, "did you mean flat?"),
        ({"method": "flat:0"}, PolicyError, "flat:0"),
        ({"method": "tree:"}, PolicyError, "tree:"),
        ({"method": "flat:10", "playouts": 10}, MextrainError, "give one number"),
        ({"policy": "countin"}, PolicyError, "countin"),
        ({"policy": lambda decision: decision.legal[0]}, PolicyError, "cannot play rounds out"),
        ({"policy": ["random"] * 3}, PolicyError, "3 policies"),
        ({"seed": -1}, SeedError, "seed = -1"),
        ({"seat": 5}, PositionError, "seat 5"),
        ({"seat": 1 - (position.seat or 0)}, PositionError, "on move"),
    ]
    for arguments, error, text in wrong:
        with pytest.raises(error, match=text.replace("?", r"\?")) as caught:
            search(position, **arguments)
        assert "\n" not in str(caught.value)
    with pytest.raises(PositionError, match="expected a Position"):
        search("position")  # type: ignore[arg-type]
    with pytest.raises(PositionError, match="read from a line"):
        search(Position.from_line(position.line()))
    with pytest.raises(TypeError, match="unexpected keyword argument 'budget'"):
        search(position, budget=3)  # type: ignore[call-arg]
    with pytest.raises(MoveError, match="was not a legal move"):
        search(position, playouts=8)["stop"]
