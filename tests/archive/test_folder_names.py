"""Archives in folders with unusual names."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from mextrain import RuleSet
from mextrain.archive import Job, check_archive, verify_archive, write_archive
from mextrain.dataset import DecisionDataset, decision_table

NAMES = (b"not UTF-8 \xff", b"\xc3\xa9t\xc3\xa9", b"two\nlines", b" ", b"%20?*[a]", b"~", b"a=b")


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux only")
@pytest.mark.parametrize("name", NAMES)
def test_an_archive_can_be_in_any_folder(name: bytes, tmp_path: Path) -> None:
    rules = RuleSet.mexican(players=2, tile_set="double-3", hand_size=3, rounds=2)
    job = Job.create(rules, games=4, seed=1, shard_games=2)
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
    archive = write_archive(folder, job)
    assert verify_archive(folder) == []
    assert check_archive(folder).rounds == 8
    decisions = sum(len(batch) for batch in DecisionDataset(folder))
    assert decisions == decision_table(folder).num_rows == DecisionDataset(folder).decisions > 0
    assert archive.is_complete
    (folder / job.path(1)).unlink()
    assert write_archive(folder, job, resume=True).made == (1,)
