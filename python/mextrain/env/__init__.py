"""Environments for learners: `BatchEnv` steps thousands of rounds at once (docs/environments.md).

The adapters `gymnasium`, `pettingzoo` and `openspiel` are modules of their own, so that only those who import them need
these libraries.
Imports `study`, `bulk` and the rooms below them.
"""

from mextrain.env.batch import BatchEnv
from mextrain.env.rows import ACTION_FEATURES, FEATURES_VERSION, TABLE_FEATURES
from mextrain.env.spec import ENDS

__all__ = ["ACTION_FEATURES", "ENDS", "FEATURES_VERSION", "TABLE_FEATURES", "BatchEnv"]
