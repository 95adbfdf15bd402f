"""Searches as policies: the same games on any number of workers, and each decision is that of `search`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mextrain import Batch, BatchPolicy, Match, PolicyError, RuleSet, Simulation, search, simulate, tournament
from mextrain.archive import Job
from mextrain.bulk.seat_policies import Seats
from mextrain.game import seeding
from mextrain.game.moves import Move
from mextrain.game.seeding import FIRST_POLICY_WORD, one_way_word, round_key
from mextrain.hidden.knowledge import PublicRecord
from mextrain.searches.bench import Knowledge
from mextrain.searches.outcome import decision_seed
from mextrain.searches.settings import Settings
from mextrain_core.bulk.policies import COUNTING
from mextrain_core.bulk.rollout import choose_at
from mextrain_core.search.prior import value_moves
from tests.cli.run import succeed
from tests.search import games
from tests.search.bound import Open, gain

TABLES: list[tuple[RuleSet, list[Any]]] = [
    (RuleSet.mexican(2, rounds=2), ["improve:64", "counting"]),
    (RuleSet.super(3, rounds=1), ["tree:48", "improve:48", "cautious"]),
    (RuleSet.mexican(3, tile_set="double-6", hand_size=7, rounds=2, double_rule="cover", starter="winner"),
     ["flat:40", "random", "flat:40"]),
]  # fmt: skip
NAMES = ["mexican-2", "super-3", "cover-3"]


def play(rules: RuleSet, policies: Any, workers: int = 1, games: int = 3, first_game: int = 4) -> Simulation:
    """Some games with their moves."""
    return simulate(
        rules, games=games, seed=9, first_game=first_game, policies=policies, workers=workers, record_actions=True
    )


@pytest.mark.parametrize(("rules", "policies"), TABLES, ids=NAMES)
def test_workers_and_ranges_change_nothing(rules: RuleSet, policies: list[Any]) -> None:
    whole = play(rules, policies)
    for workers in (2, 8):
        again = play(rules, policies, workers)
        assert (again.hash, again.actions.tobytes()) == (whole.hash, whole.actions.tobytes())
    last = play(rules, policies, games=1, first_game=6)
    assert np.array_equal(last.points[0], whole.points[2])


@pytest.mark.parametrize(("rules", "policies"), TABLES, ids=NAMES)
def test_a_seat_plays_what_the_search_finds(rules: RuleSet, policies: list[Any]) -> None:
    played = play(rules, policies, games=2)
    asked = 0
    for game in range(2):
        for number, position in enumerate(Match(rules, seed=9, game=4 + game)):
            key = round_key(9, 4 + game, position.engine)
            for code in played.actions_of(game, number).tolist():
                seat = position.seat
                assert seat is not None
                name = policies[seat]
                if ":" in name and len(position.legal_moves()) > 1:
                    word = one_way_word(key, FIRST_POLICY_WORD + position.attempts - 1)
                    assert search(position, method=name, seed=decision_seed(word, seat)).best.code == code
                    asked += 1
                position.play(Move.from_code(code))
            assert position.points == tuple(played.points[game, number].tolist())
    assert asked > 10


def test_searches_sit_at_a_table_with_everybody() -> None:
    """Callbacks, compiled policies and searches in one game."""

    def middle(batch: Batch) -> np.ndarray:
        return batch.moves[(batch.offsets[:-1] + batch.offsets[1:]) // 2]

    rules = RuleSet.mexican(4, rounds=1)
    seats = ["improve:32", BatchPolicy(middle), "planner", lambda decision: decision.legal[-1]]
    one, other = play(rules, seats), play(rules, seats, workers=3)
    assert one.actions.tobytes() == other.actions.tobytes()
    assert one.policies[:3] == ("improve:32", "middle", "planner")


def test_a_search_changes_no_deal() -> None:
    rules = RuleSet.mexican(2, rounds=1)
    assert np.array_equal(play(rules, "improve:32").starter, play(rules, "random").starter)


def test_tournaments_and_archives_take_searches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = RuleSet.mexican(2, rounds=1)
    result = tournament(rules, "improve:32,random", deals=4, seed=3)
    assert result.pairs()[0].first == "improve:32"
    job = Job.create(rules=rules, games=2, seed=1, policies="flat:16,counting")
    assert job.policies == ("flat:16", "counting")
    options = ["--rules", "mexican", "--players", "2", "--games", "2", "--seed", "1", "--option", "rounds=1"]
    for workers in ("1", "2"):
        where = ("--out", str(tmp_path / workers), "--workers", workers)
        succeed(capsys, "selfplay", *options, "--policy", "flat:16,counting", *where)
    one, other = (sorted((tmp_path / workers).rglob("*.parquet")) for workers in ("1", "2"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in other]


@pytest.mark.parametrize("name", ["flat", "tree:", "improve:0", "flat:-3", "tree:1e3", "flat:99999999999999", "flat:x"])
def test_a_search_without_a_number_of_play_outs_is_refused(name: str) -> None:
    with pytest.raises(PolicyError, match="play-outs") as caught:
        Seats.of(name, 2)
    assert name in str(caught.value)


@pytest.mark.parametrize("table", games.TABLES)
def test_the_order_of_moves_is_that_of_counting(table: str) -> None:
    """The move of the highest value is the one that the policy makes with the same word."""
    rules = games.TABLES[table]
    for seed in range(12):
        position = games.with_choice(rules, seed, 3 * seed)
        states = position._states
        word = seeding.word(int(states["key"][0]), FIRST_POLICY_WORD + position.attempts - 1)
        values = np.empty(len(position.legal_moves()), np.int64)
        value_moves(states, 0, rules.record, np.uint64(word), values)
        chosen = choose_at(states, 0, rules.record, np.uint64(COUNTING))
        assert position.legal_moves()[int(values.argmax())].code == int(chosen)


def test_a_search_that_sees_all_hands_sees_the_true_ones() -> None:
    """The bound of docs/search.md: in all its worlds the hidden tiles are where they are, but draws differ."""
    rules = games.TABLES["mexican-4"]
    position = games.with_choice(rules, 3, 12)
    public = PublicRecord(position)
    assert position.seat is not None
    states, log = position._states, (public.log, len(public.log))
    bench = Open(rules, Settings("flat", 100, np.full(4, COUNTING, np.uint8), np.zeros(4, np.uint64)))
    bench.open(Knowledge(states, 0, public.tables, public.evidence, *log, position.seat), 1)
    bench.sample(5, 8)
    worlds = bench.states[1:9]
    for field in ("hand", "boneyard", "hand_count", "phase", "seat"):
        assert (worlds[field] == states[field][0]).all(), field
    assert len({int(states["key"][0]), *worlds["key"].tolist()}) == 9
    mean, error = gain(rules, 40, 4)
    assert abs(mean) < 60
    assert error > 0
