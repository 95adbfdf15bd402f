"""Mutation testing of the rules with cosmic-ray, run by hand: which small faults would no test notice?

    pip install cosmic-ray
    python ci/mutants.py                          every mutant: hours
    python ci/mutants.py --sample 300 --seed 1    this many of them, chosen at random

The tree is copied to a temporary folder, where cosmic-ray makes one change at a time and runs the scenarios and some
rounds against the rulebook, interpreted, so that nothing is compiled. Survivors are printed as diffs: either the mutant
is equivalent, or a test is missing. `--session` names a file with which a run can be stopped and resumed.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkResult

ROOT = Path(__file__).resolve().parents[1]
CONFIG = "ci/mutants.toml"
TREE = ("ci", "core", "python", "tests", "pyproject.toml")


def copy_tree(target: Path) -> None:
    """Copy what the tests need."""
    for name in TREE:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target / name)


def is_same(mutation: Any) -> bool:
    """Whether the mutant is equivalent, because no number in the structs is below 0."""
    line, column = mutation.end_pos
    rest = (ROOT / mutation.module_path).read_text(encoding="utf-8").splitlines()[line - 1][column:]
    return mutation.operator_name.endswith(("NotEq_Gt", "Eq_LtE")) and re.match(r" (U0|0)\b", rest) is not None


def choose(session: Path, sample: int, seed: int) -> None:
    """Skip all pending mutants except a random sample."""
    with use_db(session, WorkDB.Mode.open) as work:
        items = sorted(work.pending_work_items, key=lambda item: repr(item.mutations))
        worthy = [item for item in items if not any(map(is_same, item.mutations))]
        kept = {item.job_id for item in random.Random(seed).sample(worthy, min(sample, len(worthy)))}
        for item in items:
            if item.job_id not in kept:
                work.set_result(item.job_id, WorkResult(worker_outcome=WorkerOutcome.SKIPPED))


def report(session: Path) -> int:
    """Print the survivors; returns their number."""
    with use_db(session, WorkDB.Mode.open) as work:
        results = [result for _, result in work.results if result.worker_outcome != WorkerOutcome.SKIPPED]
        survivors = [result for result in results if result.test_outcome == TestOutcome.SURVIVED]
        for result in survivors:
            print(result.diff, end="\n\n")
        print(f"{len(results)} mutants, {len(results) - len(survivors)} found, {len(survivors)} survived")
    return len(survivors)


def main() -> int:
    """Run the mutants; 0 if none survived."""
    parser = argparse.ArgumentParser(description="which small faults in the rules would no test notice?")
    parser.add_argument("--sample", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=100, help="rounds against the rulebook for each mutant")
    parser.add_argument("--session", type=Path, help="where the results are kept")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        copy_tree(tree)
        session = (args.session or tree / "mutants.sqlite").resolve()
        environment = {
            **os.environ,
            "NUMBA_DISABLE_JIT": "1",
            "MEXTRAIN_DIFFERENTIAL_ROUNDS": str(args.rounds),
            "PYTHONPATH": os.pathsep.join(str(tree / name) for name in ("core", "python")),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        }

        def run(tool: str, *arguments: str | Path) -> None:
            subprocess.run([Path(sys.executable).parent / tool, *arguments], cwd=tree, env=environment, check=True)

        run("cosmic-ray", "baseline", CONFIG)
        if not session.exists():
            run("cosmic-ray", "init", CONFIG, session)
            run("cr-filter-operators", session, CONFIG)
            choose(session, args.sample, args.seed)
        run("cosmic-ray", "exec", CONFIG, session)
        return 1 if report(session) else 0


if __name__ == "__main__":
    sys.exit(main())
