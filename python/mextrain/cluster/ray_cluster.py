"""`Cluster`: runs tasks on a Ray cluster, and does those again that are lost with a worker or a node."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from mextrain._support.optional import need
from mextrain._support.processors import usable_processors
from mextrain.cluster.names import RAY
from mextrain.cluster.versions import check_software, run_checked, software
from mextrain.errors import MextrainError, one_line

RETRIES = 5
"""How often a task is begun again whose worker or node was lost, or that met an error of the file system."""

TASKS_PER_PROCESSOR = 2
"""Tasks that are handed out at once: a processor always has one and the next one. The others wait here."""

TICK_SECONDS = 0.2
"""How often the driver reports how far it has come."""

ANSWER_SECONDS = 300.0
"""How long a node may take to start a worker and answer."""

CANCEL_SECONDS = 30.0
"""How long to wait for tasks that were begun to remove their unfinished files."""

STORE_BYTES = 100 << 20
"""Memory for Ray's object store on a machine where we start it: nothing large is ever in it."""


@contextmanager
def connected(cluster: str) -> Iterator[Cluster]:
    """Connect to a cluster, and check that all its nodes have the same software as this machine.

    `ray` is the cluster that this process is connected to already, else the one that RAY_ADDRESS names or that runs on
    this machine, else a new one on this machine alone, which ends with the block. Raises `MextrainError` for a cluster
    that cannot be reached or used, `MissingExtra` without Ray.
    """
    ray = need("ray", "ray")
    is_ours = not ray.is_initialized()
    if is_ours:
        try:
            # What goes wrong is told by the error; Ray warns of it besides.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                _connect(ray, cluster)
        except (ConnectionError, ValueError, RuntimeError, ImportError, OSError) as error:
            raise MextrainError(f"the cluster {cluster} cannot be reached ({one_line(str(error))})") from None
    try:
        found = Cluster(ray)
        check_software(found.on_each_node(software))
        yield found
    finally:
        if is_ours:
            ray.shutdown()


def _connect(ray: Any, cluster: str) -> None:
    quiet = {"log_to_driver": False, "logging_level": "error"}
    if cluster != RAY:
        ray.init(cluster, **quiet)
        return
    try:
        ray.init("auto", **quiet)
    except ConnectionError:
        here = {"num_cpus": usable_processors(), "include_dashboard": False, "object_store_memory": STORE_BYTES}
        ray.init(**here, **quiet)


class Cluster:
    """The cluster that this process is connected to. `ray` is the module."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray

    def on_each_node(self, function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
        """Call a function on each node that has processors; returns results, or exceptions, by name of the node."""
        ray = self._ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        task = ray.remote(num_cpus=0, max_retries=0)(function)
        calls = {}
        for node in ray.nodes():
            if node["Alive"] and node["Resources"].get("CPU", 0) > 0:
                there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
                name = f"{node['NodeManagerHostname']} ({node['NodeID'][:8]})"
                calls[name] = task.options(scheduling_strategy=there).remote(*arguments)
        found = {}
        for name, call in calls.items():
            try:
                found[name] = ray.get(call, timeout=ANSWER_SECONDS)
            except (ray.exceptions.RayError, ImportError, OSError) as error:
                found[name] = error
        return found

    def run(
        self, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]], tick: Callable[[], object]
    ) -> Generator[Any, None, None]:
        """Yield the results of `function` for each of `calls` (its arguments), in the order in which they are ready.

        A bounded number of tasks is handed out at a time, each for one processor; `tick` is called a few times a
        second. When the iterator is closed, and after Ctrl-C or an error, tasks that were not begun are dropped and the
        others interrupted. Raises the `MextrainError` or `OSError` of a task, and `MextrainError` for one that was lost
        too often.
        """
        ray = self._ray
        task = ray.remote(num_cpus=1, max_retries=RETRIES, retry_exceptions=[OSError])(run_checked)
        here, waiting = software(), iter(calls)
        running: set[Any] = set()
        is_more, room, looked = True, 1, 0.0
        try:
            while True:
                if time.monotonic() > looked + 1:
                    room, looked = self._room(), time.monotonic()
                while is_more and len(running) < room:
                    arguments = next(waiting, None)
                    is_more = arguments is not None
                    if arguments is not None:
                        running.add(task.remote(here, function, arguments))
                if not running:
                    return
                ready, _ = ray.wait(list(running), num_returns=1, timeout=TICK_SECONDS)
                for reference in ready:
                    running.discard(reference)
                    yield self._result(reference)
                tick()
        finally:
            for reference in running:
                ray.cancel(reference)
            if running:
                ray.wait(list(running), num_returns=len(running), timeout=CANCEL_SECONDS)

    def _room(self) -> int:
        """Return how many tasks to hand out at once. Nodes may come and go."""
        return max(1, int(TASKS_PER_PROCESSOR * self._ray.cluster_resources().get("CPU", 1)))

    def _result(self, reference: Any) -> Any:
        exceptions = self._ray.exceptions
        try:
            return self._ray.get(reference)
        except exceptions.RayTaskError as error:
            cause = getattr(error, "cause", None)
            if isinstance(cause, Exception):
                raise cause from None
            raise MextrainError(f"a task failed: {one_line(str(error))}") from None
        except exceptions.RayError as error:
            why = f"{type(error).__name__}: {one_line(str(error))}"
            raise MextrainError(f"a task was lost {RETRIES + 1} times, the last time by {why}") from None
