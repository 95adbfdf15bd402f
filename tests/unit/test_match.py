"""Matches: engines, starters, totals and ties; a round of a match equals the same round dealt alone."""

from __future__ import annotations

import pickle

import pytest

from mextrain import Match, Move, Position, PositionError, RuleSet, SeedError, simulate
from mextrain.match import ranking

SMALL = RuleSet.mexican(3, tile_set="double-4", hand_size=3)


def play_out(position: Position) -> None:
    while not position.over:
        position.play(position.legal_moves()[0])


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
    assert ranking([7, 0, 7, 0, 12]) == ((1, 3), (0, 2), (4,))
    assert ranking([5, 5]) == ((0, 1),)


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
