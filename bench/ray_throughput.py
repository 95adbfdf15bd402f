"""How much of the threads' throughput a local Ray cluster of as many processors has: `python -m bench.ray_throughput`.

Both make the same archive, in turn, each several times; the clock is that on the wall, without the start of Ray, and
the minimum counts. Ray's workers get the same niceness as threads have, or a busy machine would decide.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from mextrain import RuleSet
from mextrain._support.processors import usable_processors
from mextrain.archive import Job, write_archive

REPEATS = 3


def main() -> None:
    """Print the seconds of all runs and the ratio of the minima."""
    import ray

    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - Ray's own spelling
    processors = usable_processors()
    shards = int(sys.argv[1]) if len(sys.argv) > 1 else 8 * processors
    rules = RuleSet.mexican(players=4)
    games = Job.create(rules, games=1).shard_games
    job = Job.create(rules, games=shards * games, seed=1)
    ray.init(num_cpus=processors, include_dashboard=False, object_store_memory=80 << 20, log_to_driver=False)
    seconds: dict[str, list[float]] = {"threads": [], "ray": []}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(-1, REPEATS):
            for name in seconds:
                out = Path(folder, f"{name}-{number}")
                cluster = "ray" if name == "ray" else None
                # The first run of each is a small one that starts workers and loads kernels.
                part = None if number >= 0 else f"0-{processors - 1}"
                made = write_archive(
                    out, job, workers=processors, backend="scalar", cluster=cluster, shards=part
                )
                if number >= 0:
                    seconds[name].append(made.seconds)
    ray.shutdown()
    for name, times in seconds.items():
        print(f"{name:<8}", *(f"{time:.2f} s" for time in times))
    print(f"{shards} shards, {processors} processors: ratio {min(seconds['threads']) / min(seconds['ray']):.2f}")


if __name__ == "__main__":
    main()
