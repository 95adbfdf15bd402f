"""With one bit flipped anywhere in an archive or a file of records, the result is the same or there is an error.

By default a sample of the bits is tested; `MEXTRAIN_FLIPS=2000` tests that many of each archive.
"""

from __future__ import annotations

import os
import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mextrain import MextrainError, RuleSet
from mextrain.archive import Job, check_archive, read_shards, verify_archive, write_archive
from mextrain.cli import main
from mextrain.dataset import DecisionDataset, decision_table
from tests.archive.jobs import ARCHIVES, contents
from tests.cli.run import without_notice

pytest.importorskip("pyarrow")

FLIPS = int(os.environ.get("MEXTRAIN_FLIPS", "120"))


def readers(folder: Path) -> dict[str, Callable[[], Any]]:
    """The ways to read an archive, by name."""

    def batches() -> list[list[Any]]:
        return [[array.tolist() for array in vars(batch).values()] for batch in DecisionDataset(folder, shuffle=False)]

    def shards() -> list[Any]:
        return [(shard.name, shard.first_game, shard.games) for shard in read_shards(folder)[1]]

    def sidecars() -> list[Any]:
        return [shard.sidecar and shard.sidecar.summary for shard in read_shards(folder)[1]]

    return {
        "check": lambda: check_archive(folder),
        "batches": batches,
        "len": lambda: len(DecisionDataset(folder, batch_size=3)),
        "table": lambda: decision_table(folder, rounds=1).to_pylist(),
        "shards": shards,
        "sidecars": sidecars,
    }


def outcome(read: Callable[[], Any]) -> Any:
    """The result of a reader, or that it raised an error of ours."""
    try:
        return read()
    except MextrainError as error:
        return MextrainError if str(error).isprintable() else error


def flipped(data: bytes, bit: int) -> bytes:
    """The same bytes with one bit flipped."""
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.fixture(scope="module", params=["1", "2", "3", "new"])
def archive(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of each format, and one of other rules."""
    folder = tmp_path_factory.mktemp("flips") / request.param
    if request.param == "new":
        rules = RuleSet.mexican(2, rounds=2, starter="winner")
        write_archive(folder, Job.create(rules, games=3, seed=2, shard_games=2))
    else:
        shutil.copytree(ARCHIVES / request.param, folder)
    return folder


def test_one_bit_of_an_archive(archive: Path) -> None:
    """A reader fails or returns the same as for the unchanged archive."""
    seed = int(os.environ.get("MEXTRAIN_SEED", "0")) or random.randrange(10**6)
    print(f"MEXTRAIN_SEED={seed}")
    chance = random.Random(seed)
    right = {name: outcome(read) for name, read in readers(archive).items()}
    assert MextrainError not in right.values()
    files = contents(archive)
    bits = [(name, bit) for name, data in files.items() for bit in range(8 * len(data))]
    counts: Counter[tuple[str, str, str]] = Counter()
    old = archive.name in "12"
    for name, bit in chance.sample(bits, FLIPS):
        (archive / name).write_bytes(flipped(files[name], bit))
        kind = "manifest" if "_job" in name else "sidecar" if "_part" in name else "shard"
        for reader, read in readers(archive).items():
            found = outcome(read)
            # In the second format, only a check that adds up the rows protects the sums in a sidecar.
            if not (old and reader == "sidecars"):
                assert found in (MextrainError, right[reader]), (name, bit, reader)
            counts[kind, reader, "error" if found is MextrainError else "same"] += 1
        if outcome(lambda: verify_archive(archive)) == [] and archive.name in ("3", "new"):
            # An undetected flip can only be in a part of a side file that is never read.
            assert kind != "shard"
        (archive / name).write_bytes(files[name])
    for what, count in sorted(counts.items()):
        print(archive.name, *what, count)


RECORDS = ARCHIVES.parent / "mexican-2.jsonl"


def test_one_bit_of_a_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The output of `mextrain check` is the same, or names a fault in one line."""
    data = b"".join(RECORDS.read_bytes().splitlines(keepends=True)[:1])
    path = tmp_path / "records.jsonl"
    counts: Counter[int] = Counter()
    path.write_bytes(data)
    assert main(["check", str(path)]) == 0
    right = capsys.readouterr().out
    chance = random.Random(4)
    for bit in chance.sample(range(8 * len(data)), FLIPS):
        path.write_bytes(flipped(data, bit))
        code = main(["check", str(path)])
        said = capsys.readouterr()
        assert without_notice(said.err) == ""
        assert said.out == right if code == 0 else said.out.count("\n") == 1
        counts[code] += 1
    print(f"{counts[1]} faults, {counts[0]} without")
    assert set(counts) <= {0, 1}
    assert counts[1] > counts[0]
