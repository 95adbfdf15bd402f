"""Tasks of a cluster that make shards. What goes to a task and comes back is small: the job, a number, a sidecar."""

from __future__ import annotations

from typing import Any

from mextrain.archive.job import Job
from mextrain.archive.making import ShardMaker
from mextrain.archive.manifest import find_job
from mextrain.archive.places import as_place
from mextrain.archive.sidecar import Sidecar
from mextrain.bulk.backend import choose_backend
from mextrain.bulk.seat_policies import Seats
from mextrain.cluster import Cluster
from mextrain.errors import MextrainError, one_line

_last: list[tuple[Any, ShardMaker]] = []
"""The maker of the last task of this process, and what it was for: the next task usually is for the same job."""


def make_shard(address: Any, job: Job, number: int, backend: str) -> tuple[int, Sidecar]:
    """Make a shard on one thread; returns its number and its sidecar. It runs in a worker of a cluster.

    `backend` is what the user asked for: each machine chooses for itself, since the files are the same.
    """
    key = address, job, backend
    if not _last or _last[0][0] != key:
        seats = Seats.of(job.policies, job.rules.players)
        player = choose_backend(backend, job.rules, seats, job.games * job.rules.rounds)
        _last[:] = [(key, ShardMaker(as_place(address), job, seats, player))]
    return number, _last[0][1].make(number, lambda games: None)


def sees_job(address: Any, job: Job) -> bool:
    """Whether this machine sees the manifest that the driver has written."""
    return find_job(as_place(address)) == job


def check_sight(cluster: Cluster, address: Any, job: Job) -> None:
    """Raise `MextrainError` unless every node sees the archive: a folder may be on one machine only."""
    seen = cluster.on_each_node(sees_job, address, job)
    blind = [node for node, found in seen.items() if found is not True]
    if blind:
        raise MextrainError(
            f"{one_line(as_place(address).text)} is not the same folder on these nodes: {', '.join(blind)}; "
            "name one that all machines share, or a URI of an object store"
        )
