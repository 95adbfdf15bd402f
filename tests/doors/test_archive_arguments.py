"""Every argument of the functions for archives and data sets with every kind of wrong value."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mextrain import RuleSet
from mextrain.archive import Job, check_archive, find_job, read_job, read_shards, verify_archive, write_archive
from mextrain.dataset import DecisionDataset, decision_table
from tests.doors.test_bad_arguments import Door, refuses_each

JOB = Job.create(RuleSet.mexican(players=2, tile_set="double-3", hand_size=3, rounds=2), games=2, seed=1, shard_games=1)


def tables(folders: Any, **given: Any) -> Any:
    """`decision_table` with its folders as one argument."""
    return decision_table(*folders, **given) if isinstance(folders, tuple) else decision_table(folders, **given)


def opened(folders: Any, **given: Any) -> Any:
    """`DecisionDataset` with its folders as one argument, and its first batch."""
    data = DecisionDataset(*folders, **given) if isinstance(folders, tuple) else DecisionDataset(folders, **given)
    return next(iter(data), None)


def batches(folders: tuple[str], **given: Any) -> Any:
    """The first batch of `DecisionDataset.batches`."""
    return next(DecisionDataset(*folders).batches(**given), None)


FOLDER = "FOLDER"
"""Stands for the folder of an archive of JOB."""
NAMED = {"folder": "", "folders": ""}
"""Messages about a folder that holds no archive begin with its name."""
DOORS = {
    "write_archive": Door(
        write_archive,
        {
            "folder": FOLDER, "job": JOB, "workers": 1, "resume": True, "verify": False, "progress": None,
            "backend": "auto", "shards": None, "cluster": None,
        },
        free=("resume", "verify"),
    ),
    "read_job": Door(read_job, {"folder": FOLDER}, called=NAMED),
    "find_job": Door(find_job, {"folder": FOLDER}, called=NAMED),
    "read_shards": Door(read_shards, {"folder": FOLDER}, called=NAMED),
    "verify_archive": Door(verify_archive, {"folder": FOLDER, "progress": None}, called=NAMED),
    "check_archive": Door(check_archive, {"folder": FOLDER, "progress": None}, called=NAMED),
    "DecisionDataset": Door(
        opened,
        {
            "folders": (FOLDER,), "games": None, "batch_size": 4096, "shuffle": True, "seed": 0, "window": 8,
            "pool": 64, "drop_last": False,
        },
        free=("shuffle", "drop_last"), called=NAMED,
    ),
    "DecisionDataset.batches": Door(batches, {"folders": (FOLDER,), "epoch": 0, "rank": 0, "world_size": 1}),
    "decision_table": Door(
        tables, {"folders": (FOLDER,), "rounds": 1, "games": None}, called=NAMED
    ),
}  # fmt: skip
CASES = [
    (name, argument) for name, door in DOORS.items() for argument in door.good
    if (name, argument) != ("DecisionDataset.batches", "folders")
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("doors") / "archive"
    write_archive(path, JOB)
    return str(path)


@pytest.mark.parametrize(("name", "argument"), CASES, ids=[f"{door}-{argument}" for door, argument in CASES])
def test_a_wrong_argument_is_one_clear_error(
    name: str, argument: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # Some wrong values are names of folders that can be created.
    door = DOORS[name]

    def call(given: Mapping[str, Any]) -> Any:
        places = {FOLDER: folder, (FOLDER,): (folder,)}
        return door.function(
            **{
                key: places.get(value, value) if key.startswith("folder") and isinstance(value, str | tuple) else value
                for key, value in given.items()
            }
        )

    refuses_each(door, argument, call)


def test_the_good_arguments_are_good(folder: str) -> None:
    places = {FOLDER: folder, (FOLDER,): (folder,)}
    for door in DOORS.values():
        door.function(**{key: places[value] if key.startswith("folder") else value for key, value in door.good.items()})
