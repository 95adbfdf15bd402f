"""Nets that were trained by `examples/learner`, as policies and as values of positions (docs/learning.md).

    mextrain tournament --policy mextrain.learned:mexican,counting

`mexican` and `super` are batch policies for any number of players; `mexican_points` and `super_points` are values for
searches at tables of four. `Net` loads a net of your own.
Imports `env` and the rooms below it.
"""

from __future__ import annotations

from pathlib import Path

from mextrain.bulk.callbacks import BatchPolicy
from mextrain.learned.net import Net

_FOLDER = Path(__file__).parent

mexican_net = Net(_FOLDER / "mexican.npz")
super_net = Net(_FOLDER / "super.npz")

mexican = BatchPolicy(mexican_net.choose)
"""The policy for Mexican Train."""

super = BatchPolicy(super_net.choose)
"""The policy for Super Train."""

mexican_points = mexican_net.points
"""What every seat can expect in Mexican Train: `value` of a search."""

super_points = super_net.points
"""What every seat can expect in Super Train."""

__all__ = ["Net", "mexican", "mexican_net", "mexican_points", "super", "super_net", "super_points"]
