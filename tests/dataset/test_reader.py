"""`DecisionDataset`: every decision once, as the seat saw it, in a reproducible order."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mextrain import ArchiveError, MextrainError, Move, Position, RuleSet, Simulation, observe, simulate
from mextrain.archive import Job, rows, write_archive
from mextrain.bulk.results import OUT
from mextrain.dataset import DecisionBatch, DecisionDataset
from mextrain.hidden.observation import expand, legal_mask
from tests.archive.jobs import ARCHIVES, Row, rewrite_shard

pytest.importorskip("pyarrow")

RULES = RuleSet.mexican(3, rounds=2)
GAMES = 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """60 games in three shards of two or three row groups each."""
    out = tmp_path_factory.mktemp("archive")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "GROUP_ROUNDS", 16)
        write_archive(out, Job.create(RULES, games=GAMES, seed=5, first_game=100, shard_games=24))
    return out


@pytest.fixture(scope="module")
def played() -> Simulation:
    return simulate(RULES, games=GAMES, seed=5, first_game=100, record_actions=True)


def keys(batches: list[DecisionBatch]) -> list[tuple[int, int, int]]:
    """(game, round, step) of every decision, in order."""
    return [
        key for b in batches for key in zip(b.game.tolist(), b.round.tolist(), b.step.tolist(), strict=True)
    ]


def all_keys(played: Simulation) -> list[tuple[int, int, int]]:
    """The decisions that were played, in order."""
    return [
        (100 + game, number, step)
        for game in range(played.games)
        for number in range(played.rounds)
        for step in range(played.decisions[game, number])
    ]


def test_unshuffled_decisions_come_in_order(folder: Path, played: Simulation) -> None:
    """No duplicates, no gaps, whatever the sizes of batch, window and pool."""
    for batch_size, window, pool in ((64, 1, 1), (1, 3, 500), (1000, 8, 100), (10**6, 2, 1)):
        dataset = DecisionDataset(folder, shuffle=False, batch_size=batch_size, window=window, pool=pool)
        batches = list(dataset)
        assert keys(batches) == all_keys(played)
        assert {len(batch) for batch in batches[:-1]} <= {batch_size}
        assert len(batches[-1]) <= batch_size
        actions = [Move.from_code(code) for code in played.actions.tolist()]  # type: ignore[union-attr]
        ids = np.array([RULES.actions.id(move) for move in actions])
        seats = np.concatenate([batch.seat for batch in batches])
        chosen = [int(RULES.actions.relative(k, seat)) for k, seat in zip(ids, seats, strict=True)]
        assert np.concatenate([batch.action for batch in batches]).tolist() == chosen


@pytest.mark.parametrize("world_size", [1, 2, 3, 50])
def test_workers_share_all_decisions(folder: Path, played: Simulation, world_size: int) -> None:
    """Shuffled or not, in two epochs: together they have each decision once per epoch."""
    for shuffle, epoch in ((True, 0), (True, 1), (False, 0)):
        dataset = DecisionDataset(folder, shuffle=shuffle, batch_size=50, window=2, pool=200)
        shares = [keys(list(dataset.batches(epoch, rank=k, world_size=world_size))) for k in range(world_size)]
        assert sorted(key for share in shares for key in share) == all_keys(played)
        if world_size <= 3:
            assert min(map(len, shares)) > 0.5 * max(map(len, shares))


def test_the_order_can_be_had_again(folder: Path) -> None:
    def order(seed: int, epoch: int, rank: int = 0, world_size: int = 1) -> list[tuple[int, int, int]]:
        dataset = DecisionDataset(folder, seed=seed, batch_size=64, window=2, pool=128)
        return keys(list(dataset.batches(epoch, rank=rank, world_size=world_size)))

    orders = {setting: order(*setting) for setting in ((1, 0), (1, 1), (2, 0), (1, 0, 1, 2), (1, 1, 1, 2))}
    for setting, found in orders.items():
        assert order(*setting) == found
    assert len({tuple(found) for found in orders.values()}) == len(orders)


def test_batches_are_mixed(folder: Path) -> None:
    """The decisions of a batch come from many rounds, from the whole window, and neighbours are separated."""
    dataset = DecisionDataset(folder, batch_size=256, window=8, pool=4096)
    first = next(iter(dataset))
    assert len(set(first.game.tolist())) > 30
    assert set((first.game.astype(int) - 100) // 24) == {0, 1, 2}
    rounds = list(zip(first.game.tolist(), first.round.tolist(), strict=True))
    assert sum(a == b for a, b in pairwise(rounds)) < 30


def test_the_last_batch(folder: Path) -> None:
    full = list(DecisionDataset(folder, batch_size=100))
    dropped = list(DecisionDataset(folder, batch_size=100, drop_last=True))
    assert 0 < len(full[-1]) < 100
    assert keys(dropped) == keys(full[:-1])


@pytest.mark.parametrize(
    "rules",
    [
        RuleSet.mexican(4, rounds=2),
        RuleSet.super(3, rounds=2, twice_bonus="may", opening="chain", max_uncovered=None),
        RuleSet.mexican(2, rounds=2, double_rule="chicken_foot", drawn_play="may"),
        RuleSet.super(2, rounds=1, double_rule="cover", dead_double="binds", draw_limit="per_turn"),
        RuleSet.mexican(14, rounds=1),
        RuleSet.mexican(2, tile_set="double-1", hand_size=1, rounds=1),
    ],
    ids=lambda rules: f"{rules.preset_name}-{rules.players}-{rules.tile_set}",
)
def test_samples_are_what_the_seats_saw(rules: RuleSet, tmp_path: Path) -> None:
    """Observation, mask, action, seat and points are those of the position, and no other bits are set."""
    job = Job.create(rules, games=3, seed=8, policies="random")
    write_archive(tmp_path, job)
    dataset = DecisionDataset(tmp_path, shuffle=False)
    assert dataset.rules == rules
    assert list(dataset.layout.slices).index("lacks") == 25
    assert dataset.observation_bits == dataset.layout.slices["lacks"].start
    played = simulate(rules, games=3, seed=8)
    (batch,) = dataset
    assert batch.observation.shape[1] == (dataset.observation_bits + 63) // 64
    position = None
    for k in range(len(batch)):
        if batch.step[k] == 0:
            assert position is None or position.over
            game, number = int(batch.game[k]), int(batch.round[k])
            starter = int(played.starter[game, number])
            engine = rules.engines[number]
            position = Position.deal(rules, seed=8, game=game, engine=engine, starter=starter)
        assert position is not None
        seat = position.seat
        assert seat == batch.seat[k]
        bits = expand(observe(position, seat), dataset.layout.bits)[: dataset.observation_bits]
        assert np.array_equal(expand(batch.observation[k], 64 * batch.observation.shape[1])[: len(bits)], bits)
        assert not expand(batch.observation[k], 64 * batch.observation.shape[1])[len(bits) :].any()
        assert np.array_equal(batch.mask[k], legal_mask(position, seat))
        scored = played.points[batch.game[k], batch.round[k]].tolist()
        assert batch.points[k].tolist() == scored[seat:] + scored[:seat]
        chosen = rules.actions.absolute(int(batch.action[k]), seat)
        position.play(rules.actions.move(int(chosen)))


def test_several_archives(folder: Path, tmp_path: Path) -> None:
    """The same game numbers with another seed are different games."""
    write_archive(tmp_path / "other", Job.create(RULES, games=GAMES, seed=6, first_game=100))
    one, other = DecisionDataset(folder), DecisionDataset(tmp_path / "other")
    both = DecisionDataset(folder, tmp_path / "other", batch_size=10**6)
    assert both.rounds == 4 * GAMES
    (batch,) = both
    assert len(batch) == sum(len(part) for dataset in (one, other) for part in dataset)
    totals = [sum(int(part.points.sum()) for part in dataset) for dataset in (one, other)]
    assert batch.points.sum() == sum(totals)
    assert totals[0] != totals[1]


def test_unfinished_shards_are_left_out(tmp_path: Path) -> None:
    job = Job.create(RULES, games=GAMES, seed=5, shard_games=25)
    write_archive(tmp_path, job)
    (tmp_path / job.sidecar_path(1)).unlink()
    dataset = DecisionDataset(tmp_path)
    assert (dataset.rounds, dataset.missing_shards) == (2 * (GAMES - 25), 1)
    assert {game for batch in dataset for game in batch.game.tolist()} == {*range(25), *range(50, 60)}


def test_archives_of_every_format() -> None:
    found = [list(DecisionDataset(folder, shuffle=False)) for folder in sorted(ARCHIVES.iterdir())]
    for batches in found:
        for field in fields(DecisionBatch):
            assert np.array_equal(getattr(batches[0], field.name), getattr(found[0][0], field.name))


def test_a_million_decisions_without_a_double(tmp_path: Path) -> None:
    """(game, step) has no duplicates and no gaps in more than a million rows, across shards, row groups and pools."""
    rules = RuleSet.mexican(2, rounds=1)
    write_archive(tmp_path, Job.create(rules, games=40_000, seed=2, shard_games=15_000))
    batches = list(DecisionDataset(tmp_path, window=1))
    game = np.concatenate([batch.game for batch in batches])
    step = np.concatenate([batch.step for batch in batches])
    assert len(game) > 1_000_000
    order = np.lexsort((step, game))
    game, step = game[order], step[order]
    first = np.concatenate([[True], game[1:] != game[:-1]])
    assert np.array_equal(game[first], np.arange(40_000))
    assert (step[first] == 0).all()
    assert (step[1:][~first[1:]] == step[:-1][~first[1:]] + 1).all()
    lengths = np.diff(np.append(np.flatnonzero(first), len(game)))
    assert np.array_equal(lengths, simulate(rules, games=40_000, seed=2).decisions[:, 0])


def test_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times as many games have the same peak: memory is bounded by the window and the pool."""
    monkeypatch.setattr(rows, "GROUP_ROUNDS", 500)
    rules = RuleSet.mexican(2, rounds=1)
    peaks = []
    for games in (4_000, 16_000):
        write_archive(tmp_path / str(games), Job.create(rules, games=games, seed=2, shard_games=2_000))
        dataset = DecisionDataset(tmp_path / str(games), window=2, pool=2_000, batch_size=500)
        sum(len(batch) for batch in dataset)
        tracemalloc.start()
        sum(len(batch) for batch in dataset)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]
    assert peaks[1] < 2_000_000


def changing(row: int, column: str, change: Callable[[Any], Any]) -> Callable[[list[Row]], None]:
    """A change of one value."""

    def changed(listed: list[Row]) -> None:
        listed[row][column] = change(listed[row][column])

    return changed


@pytest.mark.parametrize(
    ("column", "change", "reason"),
    [
        ("actions", lambda moves: moves[:-1], "cannot be replayed: mextrain check says why"),
        ("actions", lambda moves: [*moves, 0x3FFF], "cannot be replayed: mextrain check says why"),
        ("actions", lambda moves: [0, *moves[1:]], "cannot be replayed: mextrain check says why"),
        ("points", lambda points: [points[0] + 1, *points[1:]], "does not lead to its points"),
        ("winner", lambda seat: (seat + 1) % 3, "does not lead to its winner"),
        ("ending", lambda end: {"out": "blocked", "blocked": "out"}[end], "does not lead to its end"),
        ("starter", lambda seat: (seat + 1) % 3, "does not lead to its starter"),
    ],
)
def test_rows_that_are_not_what_their_moves_lead_to(
    column: str, change: Callable[[Any], Any], reason: str, tmp_path: Path
) -> None:
    job = Job.create(RULES, games=3, seed=5)
    write_archive(tmp_path, job)
    rewrite_shard(tmp_path, job, 0, changing(3, column, change))
    with pytest.raises(ArchiveError, match=f"^round 1 of game 1, seed 5 {reason}"):
        list(DecisionDataset(tmp_path))


def test_a_changed_byte_is_found(tmp_path: Path) -> None:
    job = Job.create(RULES, games=3, seed=5)
    write_archive(tmp_path, job)
    path = tmp_path / job.path(0)
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 4
    path.write_bytes(data)
    with pytest.raises(ArchiveError, match=r"part-00000.parquet: (was changed: its SHA-256 is|it cannot be read)"):
        list(DecisionDataset(tmp_path))
    path.write_bytes(data[:-100])
    with pytest.raises(ArchiveError, match=r"part-00000.parquet has .* bytes, and its sidecar says"):
        DecisionDataset(tmp_path)


def test_what_became_of_the_round(folder: Path, played: Simulation) -> None:
    """`winner` and `ending` are those of the round, and exactly the decisions of winners belong to seats that won."""
    won = 0
    for batch in DecisionDataset(folder):
        place = (batch.game.astype(np.int64) - 100, batch.round)
        assert np.array_equal(batch.winner, played.winner[place])
        assert np.array_equal(batch.ending, played.end[place])
        winning = batch.select(batch.seat == batch.winner)
        assert (winning.points[:, 0] == 0).all()
        assert (winning.ending == OUT).all()
        won += len(winning)
    position_wins = 0
    for game, number in np.ndindex(played.winner.shape):
        moves = [Move.from_code(code) for code in played.actions_of(game, number).tolist()]
        position = Position.deal(
            RULES, seed=5, game=100 + game, engine=RULES.engines[number], starter=int(played.starter[game, number])
        )
        for move in moves:
            position_wins += position.seat == played.winner[game, number]
            position.play(move)
    assert won == position_wins > 0


@pytest.mark.parametrize("games", [range(100, 130), range(123, 125), range(150, 10**9), range(101)])
def test_a_range_of_games(folder: Path, played: Simulation, games: range) -> None:
    """Exactly the games of the range, in any order; two disjoint ranges have no game in common."""
    wanted = [key for key in all_keys(played) if key[0] in games]
    for shuffle in (False, True):
        dataset = DecisionDataset(folder, games=games, shuffle=shuffle, batch_size=100)
        batches = list(dataset)
        assert sorted(keys(batches)) == wanted
        assert len(dataset) == len(batches)
        assert dataset.decisions == len(wanted)
        assert dataset.rounds == len({key[:2] for key in wanted})
    shares = [keys(list(dataset.batches(rank=k, world_size=3))) for k in range(3)]
    assert sorted(key for share in shares for key in share) == wanted


def test_ranges_that_are_not(folder: Path) -> None:
    for games in (range(0), range(0, 10, 2), range(-1, 5), (0, 10), 5):
        with pytest.raises(MextrainError, match=r"^games = .*expected a range of game numbers such as range\(0, 900\)"):
            DecisionDataset(folder, games=games)  # type: ignore[arg-type]
    with pytest.raises(MextrainError, match="the archives have none of these games"):
        DecisionDataset(folder, games=range(100))


def test_the_number_of_batches(folder: Path, tmp_path: Path, played: Simulation) -> None:
    """`len` is the number of batches in a pass, in all formats and for several archives."""
    assert DecisionDataset(folder).decisions == played.decisions.sum()
    for options in ({}, {"drop_last": True}, {"batch_size": 10**6, "drop_last": True}):
        dataset = DecisionDataset(folder, **{"batch_size": 100, **options})  # type: ignore[arg-type]
        assert len(dataset) == sum(1 for _ in dataset)
    write_archive(tmp_path, Job.create(RULES, games=7, seed=6, first_game=110))
    both = DecisionDataset(folder, tmp_path, games=range(105, 112), batch_size=10)
    assert len(both) == sum(1 for _ in both)
    assert len({len(DecisionDataset(archive, batch_size=7)) for archive in ARCHIVES.iterdir()}) == 1


def test_missing_shards_of_a_range(tmp_path: Path) -> None:
    job = Job.create(RULES, games=GAMES, seed=5, shard_games=25)
    write_archive(tmp_path, job)
    for path in (job.path(1), job.sidecar_path(1)):
        (tmp_path / path).unlink()
    for games, missing in ((range(25), 0), (range(24, 26), 1), (range(50, 99), 0), (range(60), 1)):
        assert DecisionDataset(tmp_path, games=games).missing_shards == missing


def test_arguments_out_of_range(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(MextrainError, match="name one or more folders"):
        DecisionDataset()
    with pytest.raises(MextrainError, match="holds no archive"):
        DecisionDataset(tmp_path)
    write_archive(tmp_path / "other", Job.create(RuleSet.mexican(3, rounds=1), games=1))
    with pytest.raises(MextrainError, match="needs archives of the same rules"):
        DecisionDataset(folder, tmp_path / "other")
    for name in ("batch_size", "window", "pool"):
        for value in (0, -1, 2.5, True, "3"):
            with pytest.raises(MextrainError, match=f"^{name} = .*expected a whole number from 1"):
                DecisionDataset(folder, **{name: value})  # type: ignore[arg-type]
    dataset = DecisionDataset(folder)
    for arguments, text in (
        ({"rank": 2, "world_size": 2}, "rank = 2: expected 0 … 1, as world_size is 2"),
        ({"rank": -1}, "rank = -1"),
        ({"world_size": 0}, "world_size = 0"),
        ({"epoch": -1}, "epoch = -1"),
    ):
        with pytest.raises(MextrainError, match=text):
            dataset.batches(**arguments)
