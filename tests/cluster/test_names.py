"""How clusters are named, and which nodes are refused; no cluster is started."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from mextrain import Interrupted, MextrainError, MissingExtra, RuleSet, survey
from mextrain.archive import Job, write_archive
from mextrain.archive.tasks import check_sight
from mextrain.bulk import on_cluster
from mextrain.cluster.versions import check_software, run_checked, software
from tests.cli.run import fail

RULES = RuleSet.super(3, rounds=1)
JOB = Job.create(RULES, games=3)


@pytest.mark.parametrize("cluster", ["", "rya", "ray:", "ray://", "dask://host", 5, True])
def test_what_is_not_a_cluster(cluster: Any, tmp_path: Path) -> None:
    for call in (
        lambda: survey(RULES, games=3, cluster=cluster),
        lambda: write_archive(tmp_path / "out", JOB, cluster=cluster),
    ):
        with pytest.raises(MextrainError, match="expected ray or ray://ADDRESS"):
            call()
    assert not (tmp_path / "out").exists()


def test_the_flags(capsys: pytest.CaptureFixture[str]) -> None:
    assert "expected ray" in fail(capsys, "stats", "--games", "3", "--cluster", "dask")
    assert "leave it out" in fail(capsys, "stats", "--games", "3", "--cluster", "ray", "--workers", "2")


@pytest.mark.parametrize(
    "call",
    [lambda out: survey(RULES, games=3, cluster="ray"), lambda out: write_archive(out / "out", JOB, cluster="ray")],
)
def test_without_ray_one_line_says_what_to_install(
    call: Callable[[Path], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"mextrain\[ray\]"):
        call(tmp_path)


def test_odd_nodes_are_listed() -> None:
    here = software()
    check_software({"one": here, "two": dict(here)})
    nodes = {"one": here, "two": {**here, "pyarrow": "1.0"}, "three": ImportError("mextrain"), "four": {}}
    with pytest.raises(MextrainError) as caught:
        check_software(nodes)
    text = str(caught.value)
    assert text.startswith("3 of 4 nodes have other software than this machine: ")
    assert f"two has pyarrow 1.0 (here {here['pyarrow']}); " in text
    assert "three cannot import mextrain" in text
    assert "one" not in text.split("machine: ")[1].replace("None", "")


def test_a_node_that_joins_later() -> None:
    assert run_checked(software(), divmod, (7, 2)) == (3, 1)
    with pytest.raises(MextrainError, match=r"has joined the cluster with pyarrow .* \(here 1\.0\)"):
        run_checked({**software(), "pyarrow": "1.0"}, divmod, (7, 2))


class Late:
    """A cluster whose tasks end in another order, until somebody interrupts it."""

    def run(self, function: Callable[..., Any], calls: Any, tick: Callable[[], object]) -> Iterator[Any]:
        results = [function(*call) for call in calls]
        for number in (1, 3, 0, 4):
            yield results[number]
            tick()
        raise KeyboardInterrupt


def test_ctrl_c_leaves_the_first_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the parts 0, 1, 3 and 4, only the first two follow each other."""
    monkeypatch.setattr(on_cluster, "connected", lambda name: nullcontext(Late()))
    seen: list[int] = []
    with pytest.raises(Interrupted) as caught:
        survey(RULES, games=6, seed=4, cluster="ray", progress=lambda done, games: seen.append(done))
    assert caught.value.finished == survey(RULES, games=2, seed=4)
    assert seen == [1, 2, 3, 4]


class Nodes:
    """A cluster with one node that does not see the folder."""

    def on_each_node(self, function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
        return {"here": function(*arguments), "blind": False, "broken": OSError()}


def test_every_node_must_see_the_folder(tmp_path: Path) -> None:
    write_archive(tmp_path, JOB)
    with pytest.raises(MextrainError, match="not the same folder on these nodes: blind, broken; name one"):
        check_sight(Nodes(), tmp_path, JOB)  # type: ignore[arg-type]
