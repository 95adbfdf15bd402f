"""Small archives, and the contents of their folders."""

from __future__ import annotations

from pathlib import Path

from mextrain import RuleSet
from mextrain.archive import JOB_FILE, Job

RULES = RuleSet.super(3, rounds=3)
FOLDER = "preset=super/players=3"
ARCHIVES = Path(__file__).resolve().parents[1] / "golden" / "archives"
"""One folder for each format version, all with the same job of three games."""


def small_job() -> Job:
    """A job of four shards, the last one short, with extreme seed and game numbers."""
    return Job.create(RULES, games=100, seed=2**64 - 1, first_game=7, policies="random,heaviest,random", shard_games=30)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its relative path."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def names(*shards: int) -> list[str]:
    """The files of an archive of `RULES` with these shards, in order."""
    return [
        JOB_FILE,
        *(f"{FOLDER}/_part-{k:05}.json" for k in shards),
        *(f"{FOLDER}/part-{k:05}.parquet" for k in shards),
    ]
