"""A Ray cluster of two nodes: the same files and statistics, whoever is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import mextrain
from mextrain import IllegalMove, Interrupted, MextrainError, RuleSet, survey
from mextrain.archive import Job, verify_archive, write_archive
from tests.archive.jobs import contents
from tests.cli.run import succeed
from tests.cluster.deadly import FOLDER
from tests.limits import communicate

ray = pytest.importorskip("ray")
pytest.importorskip("pyarrow")

RULES = RuleSet.mexican(2, tile_set="double-3", hand_size=3, rounds=1)
JOB = Job.create(RULES, games=24, seed=5, shard_games=2, policies="tests.cluster.deadly:policy")


class Two(NamedTuple):
    """A cluster of two nodes with one processor each; `orders` is the folder of tests/cluster/deadly.py."""

    cluster: Any
    second: Any
    orders: Path


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    """The cluster, to which this process is connected."""
    from ray.cluster_utils import Cluster

    orders = tmp_path_factory.mktemp("orders")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER, str(orders))
        patch.setenv("RAY_AUTH_MODE", "disabled")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        # Ray's workers give way to all other programs, which on a busy machine would take minutes.
        patch.setenv("RAY_worker_niceness", "0")
        small = {"num_cpus": 1, "object_store_memory": 80 << 20, "include_dashboard": False}
        cluster = Cluster(initialize_head=True, head_node_args=small)
        try:
            second = cluster.add_node(num_cpus=1, object_store_memory=80 << 20)
            patch.setenv("RAY_ADDRESS", cluster.address)
            ray.init(cluster.address, log_to_driver=False, logging_level="error")
            yield Two(cluster, second, orders)
        finally:
            ray.shutdown()
            cluster.shutdown()


@pytest.fixture
def whole(two: Two, tmp_path: Path) -> dict[str, bytes]:
    """The files of a run on this machine."""
    write_archive(tmp_path / "whole", JOB)
    return contents(tmp_path / "whole")


def finished(out: Path) -> int:
    """The number of complete shards."""
    return len([*out.rglob("_part-*.parquet")])


def test_a_worker_is_killed(two: Two, whole: dict[str, bytes], tmp_path: Path) -> None:
    (two.orders / "die").touch()
    seen: list[int] = []
    archive = write_archive(tmp_path / "out", JOB, cluster="ray", progress=lambda done, games: seen.append(done))
    assert not (two.orders / "die").exists()
    assert archive.made == tuple(range(12))
    assert (seen[-1], sorted(seen)) == (24, seen)
    left = {name for name in contents(tmp_path / "out") if ".tmp-" in name}
    assert {name: data for name, data in contents(tmp_path / "out").items() if name not in left} == whole
    # A complete job needs no cluster and is tidied up.
    assert write_archive(tmp_path / "out", JOB, cluster="ray").made == ()
    assert contents(tmp_path / "out") == whole


def test_ctrl_c_and_both_directions(two: Two, whole: dict[str, bytes], tmp_path: Path) -> None:
    """Begun here, continued on the cluster until Ctrl-C, finished here."""
    out = tmp_path / "out"
    write_archive(out, JOB, shards="0-1")

    def interrupt(done: int, games: int) -> None:
        if done > 4:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        write_archive(out, JOB, resume=True, cluster="ray", progress=interrupt)
    stopped = caught.value.finished
    assert set(stopped.shards) > {0, 1}
    assert not [name for name in contents(out) if ".tmp-" in name]
    rest = write_archive(out, JOB, resume=True)
    assert not set(rest.made) & set(stopped.shards)
    assert contents(out) == whole


DRIVER = """
import sys
from tests.cluster.test_ray import JOB
from mextrain.archive import write_archive
write_archive(sys.argv[1], JOB, resume=True, cluster="ray")
"""


def test_the_driver_is_killed(two: Two, whole: dict[str, bytes], tmp_path: Path) -> None:
    out = tmp_path / "out"
    with subprocess.Popen([sys.executable, "-c", DRIVER, out], cwd=Path(__file__).parents[2]) as driver:
        while not finished(out) and driver.poll() is None:
            threading.Event().wait(0.02)
        driver.send_signal(signal.SIGKILL)
        communicate(driver)
    assert verify_archive(out) != [] or driver.returncode == 0
    write_archive(out, JOB, resume=True, cluster="ray")
    assert contents(out) == whole


def test_what_a_task_raises_arrives(two: Two, tmp_path: Path) -> None:
    (two.orders / "cheat").touch()
    with pytest.raises(IllegalMove):
        write_archive(tmp_path / "out", JOB, cluster="ray")


def test_statistics(two: Two, capsys: pytest.CaptureFixture[str]) -> None:
    rules = RuleSet.super(3, rounds=1)
    flags = ["stats", "--rules", "super", "--players", "3", "--option", "rounds=1", "--games", "5", "--json"]
    assert succeed(capsys, *flags, "--cluster", "ray") == succeed(capsys, *flags)
    here = survey(rules, games=5, seed=2, first_game=7, policies="heaviest")
    assert survey(rules, games=5, seed=2, first_game=7, policies="heaviest", cluster="ray") == here


def test_other_software_is_refused(two: Two, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = mextrain.__version__
    monkeypatch.setattr(mextrain, "__version__", "999")
    told = rf"2 of 2 nodes have other software .*mextrain {here} \(here 999\)"
    with pytest.raises(MextrainError, match=told):
        survey(RULES, games=5, cluster="ray")


def test_a_node_is_lost(two: Two, whole: dict[str, bytes], tmp_path: Path) -> None:
    """The last test: afterwards the cluster has one node."""
    removed = []

    def lose(done: int, games: int) -> None:
        if done and not removed:
            removed.append(done)
            two.cluster.remove_node(two.second, allow_graceful=False)

    assert write_archive(tmp_path / "out", JOB, cluster="ray", progress=lose).is_complete
    assert removed
    assert removed[0] < 24
    assert write_archive(tmp_path / "out", JOB).made == ()
    assert contents(tmp_path / "out") == whole
