"""The policy `latest:policy`: the net in the file that the environment variable LOOP_NET names (loop.py)."""

import os

import numpy as np

from mextrain import Batch, BatchPolicy
from mextrain.learned import Net

_nets: dict[str, Net] = {}


def _choose(batch: Batch) -> np.ndarray:
    path = os.environ["LOOP_NET"]
    return _nets.setdefault(path, Net(path)).choose(batch)


policy = BatchPolicy(_choose)
