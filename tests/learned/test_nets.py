"""The nets of the package play the same in every batch, value positions, and refuse files that are not nets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mextrain
from mextrain import Batch, BatchPolicy, MextrainError, Position, RuleSet, simulate
from mextrain.env import ACTION_FEATURES, TABLE_FEATURES, BatchEnv
from mextrain.learned import Net, mexican_net, super_net
from mextrain_core.env.net import Weights, score_rows, value_tables
from mextrain_core.env.rows import Rows

NETS = {"mexican": mexican_net, "super": super_net}


def random_weights(width: int, inner: int, players: int, dice: np.random.Generator) -> Weights:
    """The arrays of some net."""
    actions, table = len(ACTION_FEATURES) + 1, len(TABLE_FEATURES)
    shapes = (
        (actions, width), (table, width), (width,), (width, inner), (inner,), (inner,), (actions,), (table, width),
        (width,), (width, players), (table, players), (players,),
    )  # fmt: skip
    return Weights(*(dice.normal(size=shape).astype(np.float32) for shape in shapes))


def test_scores_and_values_are_those_of_the_formula() -> None:
    """Against matrix products in double precision."""
    dice = np.random.default_rng(5)
    env = BatchEnv(RuleSet.super(4), 32, seed=3, legal="rows", actions="rows")
    env.reset()
    for step in range(20):
        env.step(env.random_actions(step))
    assert env.features is not None and env.table_features is not None  # noqa: PT018
    w = random_weights(16, 8, 4, dice)
    hints = np.array([dice.integers(count) for count in env.counts], np.uint16)
    scores, chosen = np.zeros(len(env.features), np.float32), np.zeros(32, np.uint16)
    rows = Rows(env.offsets, env.ids, env.moves, env.features, env.table_features)
    score_rows(w, rows, hints, scores, chosen)
    hinted = np.zeros((len(env.features), 1))
    hinted[env.offsets[:-1] + hints] = 1  # type: ignore[index]
    actions = np.hstack([env.features, hinted])
    table = env.table_features.astype(np.float64)
    of = np.repeat(np.arange(32), env.counts)
    hidden = np.maximum(actions @ w.action_in + (table @ w.table_in + w.bias)[of], 0)
    expected = np.maximum(hidden @ w.inner + w.inner_bias, 0) @ w.score + actions @ w.direct
    assert np.allclose(scores, expected, rtol=1e-4, atol=1e-2)
    for i in range(32):
        lo, hi = env.offsets[i : i + 2]  # type: ignore[index]
        assert chosen[i] == scores[lo:hi].argmax()
    points = np.zeros((32, 4), np.float32)
    value_tables(w, env.table_features, points)
    valued = np.maximum(table @ w.value_in + w.value_bias, 0) @ w.value_out + table @ w.value_direct + w.value_mean
    assert np.allclose(points, valued, rtol=1e-4, atol=1e-2)


class Kept:
    """The function of a batch policy that remembers its batches."""

    def __init__(self, net: Net) -> None:
        self.net, self.batches = net, list[Batch]()

    def __call__(self, batch: Batch) -> np.ndarray:
        self.batches.append(batch)
        return self.net.choose(batch)


def alone(batch: Batch, k: int) -> Batch:
    """A batch of one decision."""
    one = slice(k, k + 1)
    lo, hi = batch.offsets[k : k + 2]
    offsets = np.array([0, hi - lo], np.int64)
    return Batch(batch.rules, batch.views[one], batch.seats[one], batch.words[one], offsets, batch.moves[lo:hi])


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("preset", NETS)
def test_a_decision_does_not_depend_on_its_batch(preset: str, players: int) -> None:
    """Nor does a game depend on the number of workers."""
    net, rules = NETS[preset], RuleSet.preset(preset, players=players, rounds=1)
    kept = Kept(net)
    played = simulate(rules, games=8, seed=2, policies=BatchPolicy(kept))
    name = f"mextrain.learned:{preset}"
    assert simulate(rules, games=8, seed=2, policies=name, workers=3).hash == played.hash
    batch = max(kept.batches, key=len)
    moves, scores = net.choose(batch), net.scores(batch)
    assert len(scores) == batch.offsets[-1]
    for k in range(len(batch)):
        assert net.choose(alone(batch, k)).tolist() == [moves[k]]
        assert net.scores(alone(batch, k)).tolist() == scores[batch.offsets[k] : batch.offsets[k + 1]].tolist()


def test_its_values_serve_a_search() -> None:
    """They are points of all seats, and of two seats of a table, the one with more tiles expects more."""
    for preset, net in NETS.items():
        rules = RuleSet.preset(preset, players=4)
        kept = Kept(net)
        played = simulate(rules, games=4, seed=6, policies=BatchPolicy(kept))
        points = np.concatenate([net.points(batch) for batch in kept.batches])
        assert points.dtype == np.float64
        assert (points >= 0).all()
        assert 0.5 * played.points.mean() < points.mean() < 2 * played.points.mean()
        tiles = np.concatenate([batch.views["hand_count"][:, :4] for batch in kept.batches])
        more = [array - array.mean(axis=1, keepdims=True) for array in (tiles, points)]
        assert np.corrcoef(more[0].ravel(), more[1].ravel())[0, 1] > 0.4
        position = Position.deal(rules, seed=3)
        found = mextrain.search(position, playouts=200, block=50, value=net.points, drop=None, seed=1)
        assert found.best in position.legal_moves()


def test_other_numbers_of_players_have_no_values() -> None:
    rules = RuleSet.mexican(3)
    position = next(each for seed in range(20) if len((each := Position.deal(rules, seed=seed)).legal_moves()) > 1)
    with pytest.raises(MextrainError, match=r"players = 3: mexican\.npz values rounds of 4 players"):
        mextrain.search(position, playouts=200, value=mexican_net.points, drop=None)


def arrays(net: Net) -> dict[str, Any]:
    """The arrays of a net."""
    with np.load(net.path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"features": np.array(1)}, "knows version 1 of the features, and this is version 2: train it again"),
        ({"bias": np.zeros(3, np.float32)}, "is not a net: action_in is "),
        ({"score": None}, "is not a net: it has no array score"),
    ],
)
def test_what_is_not_a_net_is_refused(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    changed = {name: array for name, array in (arrays(mexican_net) | change).items() if array is not None}
    np.savez(tmp_path / "net.npz", **changed)
    with pytest.raises(MextrainError, match=message):
        simulate(RuleSet.mexican(2), games=1, policies=BatchPolicy(Net(tmp_path / "net.npz").choose))


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "net.npz").write_bytes(b"nothing")
    for name in ("net.npz", "none.npz"):
        with pytest.raises(MextrainError, match=rf"{name}' is not a net: "):
            simulate(RuleSet.mexican(2), games=1, policies=BatchPolicy(Net(tmp_path / name).choose))
