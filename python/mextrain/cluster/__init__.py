"""Clusters: many small tasks on many machines. Ray is the only kind; everything else sees a `Cluster`.

A task calls a function of this package with small arguments, and its result depends on those alone, so that it can be
done again when a machine is lost. docs/scaling.md explains how to start a cluster.
Imports `game` and the rooms below it.
"""

from mextrain.cluster.names import check_cluster
from mextrain.cluster.ray_cluster import Cluster, connected

__all__ = ["Cluster", "check_cluster", "connected"]
