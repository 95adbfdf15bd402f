"""Matches: engines, starters, totals and ties; a round of a match equals the same round dealt alone."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mextrain import Match, Move, Position, PositionError, RuleError, RuleSet, SeedError, simulate
from mextrain.bulk.stats import Summary
from mextrain.game.winners import ranking, winners
from tests.reference import Rules as SlowRules
from tests.reference.match import winners_of

SMALL = RuleSet.mexican(3, tile_set="double-4", hand_size=3)


def play_out(position: Position) -> None:
    while not position.over:
        position.play(position.legal_moves()[0])


def played_out(match: Match) -> list[Position]:
    for position in match:
        play_out(position)
    return list(match.rounds)


@pytest.mark.parametrize("starter", ["draw", "rotate", "winner", 2])
@pytest.mark.parametrize("rules", [SMALL, RuleSet.super(4, rounds=5)], ids=["double-4", "super"])
def test_a_match_is_the_game_that_the_kernels_play(rules: RuleSet, starter: str | int) -> None:
    rules = rules.replace(starter=starter)
    played = simulate(rules, games=8, seed=5, first_game=3, record_actions=True)
    for game in range(8):
        match = Match(rules, seed=5, game=3 + game)
        for number, position in enumerate(match):
            assert position.starter == played.starter[game, number]
            for code in played.actions_of(game, number).tolist():
                position.play(Move.from_code(code))
            assert position.points == tuple(played.points[game, number].tolist())
        assert match.over
        assert match.totals == tuple(played.totals[game].tolist())


def test_a_single_round_is_the_round_of_its_match() -> None:
    rules = RuleSet.mexican(4)
    match = Match(rules, seed=11, game=2)
    for position in match:
        if len(match.rounds) == 6:
            break
        play_out(position)
    alone = Position.deal(rules, seed=11, game=2, engine="7-7")
    assert match.position == alone
    single = Match(rules.replace(first_engine="7-7", rounds=1), seed=11, game=2)
    for one in (single.position, alone, match.position):
        play_out(one)
    assert single.over
    assert single.position.events == alone.events == match.position.events
    assert single.totals == alone.points


@pytest.mark.parametrize(
    ("rules", "rounds", "last"),
    [
        (RuleSet.mexican(2), 10, "0-0"),
        (RuleSet.mexican(4), 13, "0-0"),
        (RuleSet.mexican(9), 16, "0-0"),
        (RuleSet.mexican(13), 19, "0-0"),
        (RuleSet.super(4), 14, "*-*"),
    ],
)
def test_engines_count_down(rules: RuleSet, rounds: int, last: str) -> None:
    match = Match(rules, seed=0)
    engines = []
    for position in match:
        engines.append(str(position.engine))
        play_out(position)
    assert len(engines) == rounds
    numbers = [int(engine.split("-")[0]) for engine in engines if engine != "*-*"]
    assert numbers == list(range(numbers[0], -1, -1))
    assert engines[-1] == last


def test_equal_totals_share_a_place() -> None:
    assert ranking(RuleSet.mexican(5), [(7, 0, 7, 0, 12)]) == ((1, 3), (0, 2), (4,))
    assert ranking(RuleSet.mexican(2), [(5, 5)]) == ((0, 1),)
    assert ranking(RuleSet.mexican(2), []) == ((0, 1),)


TIES = [
    ([(0, 0), (0, 7), (14, 7)], (0,)),
    ([(1, 2), (13, 12)], (0,)),
    ([(3, 4), (4, 3)], (0, 1)),
    ([(0, 0), (0, 0)], (0, 1)),
    ([(0, 5, 0), (6, 0, 7)], (1,)),
    ([(0, 0, 9), (2, 3, 0), (4, 3, 9)], (0,)),
]


@pytest.mark.parametrize(("points", "right"), TIES)
def test_ties_by_rounds_of_0(points: list[tuple[int, ...]], right: tuple[int, ...]) -> None:
    rules = RuleSet.mexican(max(2, len(points[0])), tie_break="zeros")
    assert ranking(rules, points)[0] == right
    assert tuple(winners_of(SlowRules("mexican", rules.players, tie_break="zeros"), points)) == right
    assert tuple(np.flatnonzero(winners(rules, np.array([points]))[0])) == right


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=n, max_size=n)))
@pytest.mark.parametrize("tie_break", ["shared", "zeros"])
def test_everybody_agrees_who_wins(tie_break: str, points: list[tuple[int, ...]]) -> None:
    rules = RuleSet.mexican(3, tie_break=tie_break)
    right = winners_of(SlowRules("mexican", 3, tie_break=tie_break), points)
    assert list(ranking(rules, points)[0]) == right
    assert np.flatnonzero(winners(rules, np.array([points]))[0]).tolist() == right


def test_statistics_count_matches_by_the_tie_break() -> None:
    shared = RuleSet.mexican(2, tile_set="double-3", hand_size=2)
    zeros = shared.replace(tie_break="zeros")
    played = simulate(shared, games=150, seed=1)
    assert (played.points == simulate(zeros, games=150, seed=1).points).all()
    ties = [Summary.of(rules, played.policies, played).sums["matches_tied"][0].total for rules in (shared, zeros)]
    assert ties[1] < ties[0]


def test_engines_go_up() -> None:
    rules = RuleSet.mexican(4, first_engine="10-10", engine_order="up")
    assert [str(position.start.engine) for position in played_out(Match(rules, seed=3))] == ["10-10", "11-11", "12-12"]
    wild = RuleSet.super(4, engine_order="up", first_engine="11-11")
    assert [str(tile) for tile in wild.engines] == ["11-11", "12-12", "*-*"]
    assert RuleSet.mexican(4, engine_order="up").first_engine == "0-0"
    assert RuleSet.mexican(4, engine_order="up").rounds == 13
    with pytest.raises(RuleError, match="at most 3, the engines from 10-10 to 12-12"):
        rules.replace(rounds=4)
    # The kernels play the same matches.
    for each in (rules, wild, wild.replace(first_engine="*-*")):
        played = simulate(each, games=3, seed=3)
        for number, engine in enumerate(each.engines):
            alone = simulate(each.replace(first_engine=str(engine), rounds=1), games=3, seed=3)
            assert (alone.points[:, 0] == played.points[:, number]).all()


def test_totals_count_finished_rounds_only() -> None:
    match = Match(SMALL, seed=1)
    assert match.totals == (0, 0, 0)
    assert match.points == ()
    assert match.winners == ()
    play_out(match.position)
    first = match.position.points
    assert match.totals == first
    match.next_round()
    assert match.totals == first
    assert not match.over
    assert match.winners == ()
    assert "round 1 of 5" in repr(match)
    for position in match:
        play_out(position)
    assert match.winners == match.ranking[0]
    assert [record["round"] for record in match.records()] == [0, 1, 2, 3, 4]
    assert [sum(column) for column in zip(*match.points, strict=True)] == list(match.totals)


def test_rounds_come_when_the_last_is_over() -> None:
    match = Match(SMALL, seed=1)
    with pytest.raises(PositionError, match="round 0 goes on"):
        match.next_round()
    for position in match:
        play_out(position)
    with pytest.raises(PositionError, match="it has 5 rounds"):
        match.next_round()


def test_copies_part_ways() -> None:
    match = Match(SMALL, seed=2)
    twin, pickled = match.copy(), pickle.loads(pickle.dumps(match))
    for other in (twin, pickled):
        for position in other:
            play_out(position)
    assert not match.position.over
    assert len(match.rounds) == 1
    assert twin.totals == pickled.totals


def test_a_wrong_seed_is_refused() -> None:
    with pytest.raises(SeedError):
        Match(SMALL, seed=-1)
    with pytest.raises(SeedError):
        Match(SMALL, seed=0, game=2**59)
