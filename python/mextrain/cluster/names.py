"""How a cluster is named: `ray`, or `ray://ADDRESS`."""

from __future__ import annotations

from mextrain.errors import MextrainError, shown

RAY = "ray"


def check_cluster(cluster: object) -> None:
    """Raise `MextrainError` unless the argument names a cluster or is None."""
    named = isinstance(cluster, str) and (cluster == RAY or (cluster.startswith(f"{RAY}://") and cluster[6:]))
    if cluster is not None and not named:
        raise MextrainError(f"cluster = {shown(cluster)}: expected {RAY} or {RAY}://ADDRESS")
