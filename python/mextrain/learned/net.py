"""`Net`: the arrays of a trained net, and what it says about a batch of decisions."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mextrain._support.lazy import cached_property
from mextrain.bulk.callbacks import Batch
from mextrain.bulk.seat_policies import Seats
from mextrain.env.rows import ACTION_FEATURES, FEATURES_VERSION, TABLE_FEATURES
from mextrain.errors import MextrainError, one_line, shown
from mextrain_core.env.envs import ENV, PLAYING
from mextrain_core.env.net import Weights, score_rows, value_tables
from mextrain_core.env.rows import Rows, list_actions
from mextrain_core.env.step import policy_actions
from mextrain_core.model.state import new_states

SCALE = 30.0
"""The unit of what a net expects, in points."""


class Net:
    """A net in a file `net.npz` of `examples/learner/learner.py`; it is read when it is first asked.

    Both methods take a `Batch`, look at nothing else, and give the same result for a decision in every batch.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def choose(self, batch: Batch) -> np.ndarray:
        """Return the move of the highest score for each decision: uint16[n]. This is the function of a `BatchPolicy`.

        Raises `MextrainError` if the file is not a net for this version of the features.
        """
        rows = _rows(batch)
        chosen = np.zeros(len(batch), np.uint16)
        self._score(batch, rows, chosen)
        best: np.ndarray = rows.moves[rows.offsets[:-1] + chosen]
        return best

    def scores(self, batch: Batch) -> np.ndarray:
        """Return the score of each legal move, in the order of `batch.moves`: float32[K].

        The policy that was trained is the softmax of the scores of a decision. Raises `MextrainError` as `choose` does.
        """
        return self._score(batch, _rows(batch), np.zeros(len(batch), np.uint16))

    def points(self, batch: Batch) -> np.ndarray:
        """Return the expected points of every seat at the end of the round: float64[n, players], by absolute seat.

        This is a function for `value` of a search. Raises `MextrainError` as `choose` does, and for another number of
        players than the net has learned with.
        """
        players, learned = batch.rules.players, len(self._weights.value_mean)
        if players != learned:
            raise MextrainError(f"players = {players}: {self.path.name} values rounds of {learned} players")
        relative = np.zeros((len(batch), players), np.float32)
        value_tables(self._weights, _rows(batch).table, relative)
        places = (np.arange(players) - batch.seats[:, None].astype(np.int64)) % players
        points: np.ndarray = np.take_along_axis(relative, places, 1).astype(np.float64) * SCALE
        np.maximum(points, 0.0, out=points)
        return points

    def _score(self, batch: Batch, rows: Rows, chosen: np.ndarray) -> np.ndarray:
        scores = np.zeros(len(rows.moves), np.float32)
        score_rows(self._weights, rows, _hints(batch, self._hint), scores, chosen)
        return scores

    @cached_property
    def _arrays(self) -> dict[str, np.ndarray]:
        try:
            with np.load(self.path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
        except Exception as error:
            what = one_line(f"{type(error).__name__}: {error}")
            raise MextrainError(f"{shown(str(self.path))} is not a net: {what}") from error
        missing = [name for name in ("features", "hint", *Weights._fields) if name not in arrays]
        if missing:
            raise MextrainError(f"{shown(str(self.path))} is not a net: it has no array {missing[0]}")
        if int(arrays["features"]) != FEATURES_VERSION:
            raise MextrainError(
                f"{shown(str(self.path))} knows version {int(arrays['features'])} of the features, "
                f"and this is version {FEATURES_VERSION}: train it again"
            )
        return arrays

    @cached_property
    def _weights(self) -> Weights:
        arrays = {name: np.ascontiguousarray(self._arrays[name], np.float32) for name in Weights._fields}
        weights = Weights(**arrays)
        actions, table = len(ACTION_FEATURES) + 1, len(TABLE_FEATURES)
        width, inner, wide = len(weights.bias), len(weights.inner_bias), len(weights.value_bias)
        players = len(weights.value_mean)
        shapes = (
            (actions, width), (table, width), (width,), (width, inner), (inner,), (inner,), (actions,), (table, wide),
            (wide,), (wide, players), (table, players), (players,),
        )  # fmt: skip
        for name, array, shape in zip(Weights._fields, weights, shapes, strict=True):
            if array.shape != shape:
                raise MextrainError(
                    f"{shown(str(self.path))} is not a net: {name} is {list(array.shape)}, expected {list(shape)}"
                )
        return weights

    @cached_property
    def _hint(self) -> Seats:
        return Seats.of(str(self._arrays["hint"]), 1)


def _rows(batch: Batch) -> Rows:
    """Return the legal actions of the decisions with their features, as in the last round of a match at 0 points."""
    n, room = len(batch), int(batch.offsets[-1])
    rows = Rows(
        offsets=np.zeros(n + 1, np.int64),
        ids=np.zeros(room, np.uint16),
        moves=np.zeros(room, np.uint16),
        features=np.zeros((room, len(ACTION_FEATURES)), np.float32),
        table=np.zeros((n, len(TABLE_FEATURES)), np.float32),
    )
    list_actions(batch.views, _as_environments(batch), batch.rules.record, rows, 0, n)
    return rows


def _as_environments(batch: Batch) -> np.ndarray:
    """Return ENV structs for the decisions."""
    envs = np.zeros(len(batch), ENV)
    envs["status"], envs["number"] = PLAYING, batch.rules.rounds - 1
    return envs


def _hints(batch: Batch, policy: Seats) -> np.ndarray:
    """Return the row that the policy would choose for each decision: uint16[n]."""
    n = len(batch)
    states = new_states(n + 1)  # the last one is for the policy
    states[:n] = batch.views
    rows = np.zeros(n, np.uint16)
    who = (np.uint64(policy.ids[0]), np.uint64(policy.addresses[0]))
    policy_actions(states, _as_environments(batch), batch.rules.record, True, *who, n, rows)
    return rows
