"""The published features of legal actions, and the arrays that hold them (docs/environments.md)."""

from __future__ import annotations

import numpy as np

from mextrain.env.spec import Spec
from mextrain_core.env import features
from mextrain_core.env.rows import Rows

FEATURES_VERSION: int = features.FEATURES_VERSION
"""Version of both tables of features; any change of them is a new version."""

ACTION_FEATURES: tuple[str, ...] = tuple(name for name, _, _ in features.ACTION_FEATURES)
"""The names of the features of an action, in the order of the columns of `BatchEnv.features`."""

TABLE_FEATURES: tuple[str, ...] = tuple(name for name, _, _ in features.TABLE_FEATURES)
"""The names of the features of the table, in the order of the columns of `BatchEnv.table_features`."""


def rows_for(spec: Spec) -> Rows:
    """Return arrays with room for the legal actions of all environments; empty ones if they are not asked for.

    There is room for the largest number of legal actions. Systems give memory to an array when it is first written to,
    so most of this room costs nothing.
    """
    n = spec.n if spec.legal else 0
    room = n * spec.most_legal
    return Rows(
        offsets=np.zeros(n + 1, np.int64),
        ids=np.zeros(room, np.uint16),
        moves=np.zeros(room, np.uint16),
        features=np.zeros((room, len(ACTION_FEATURES)), np.float32),
        table=np.zeros((n, len(TABLE_FEATURES)), np.float32),
    )
