"""measure how fast games are played here, or print the backend's signature"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mextrain.cli.common import (
    add_backend,
    add_json,
    add_policy,
    add_rules,
    add_workers,
    print_json,
    read_rules,
    whole,
)
from mextrain.errors import MextrainError

if TYPE_CHECKING:
    from mextrain.benchmark import Effort, Job, Run


EXAMPLES = (
    "mextrain bench --quick",
    "mextrain bench --rules super --players 5 --json",
    "mextrain bench --quick --policy counting --save before.json",
    "mextrain bench --quick --search",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `mextrain bench`."""
    add_rules(parser)
    add_policy(parser)
    add_workers(parser)
    add_backend(parser)
    parser.set_defaults(policy=None)
    parser.add_argument("--quick", action="store_true", help="take seconds instead of minutes, and be less exact")
    parser.add_argument(
        "--processes",
        type=whole(1, 1000),
        metavar="N",
        help="processes that measure (default: 3, quick 2; with --save 8, quick 5)",
    )
    parser.add_argument(
        "--repeats", type=whole(1, 1000), metavar="N", help="repeats in each process (default: 5, quick 3)"
    )
    parser.add_argument(
        "--milliseconds", type=whole(1, 60_000), metavar="N", help="length of a repeat (default: 100, quick 20)"
    )
    parser.add_argument(
        "--cold",
        action=argparse.BooleanOptionalAction,
        help="also compile everything anew and say how long that takes (default: unless quick)",
    )
    parser.add_argument(
        "--save", type=Path, metavar="FILE", help="also write the measurement to a file, to compare later"
    )
    parser.add_argument(
        "--compare",
        type=Path,
        metavar="FILE",
        help="measure what a saved file holds again, on the same machine, and say what became faster or slower",
    )
    parser.add_argument(
        "--search", action="store_true", help="measure searches instead: play-outs a second, flat and in a tree"
    )
    add_json(parser)
    parser.add_argument("--signature", action="store_true", help="print the backend's signature and nothing else")


def run(args: argparse.Namespace) -> int:
    """Measure and print; without rules on the command line, measure a standard set of games."""
    if args.signature:
        from mextrain.benchmark.signature import signature

        print(signature())
        return 0
    from mextrain.benchmark import METHOD, environment, measure, report, starts

    here = environment()
    if args.search:
        return _search(args, here)
    if args.compare:
        return _compare(args, here)
    effort, jobs = _effort(args), _jobs(args)
    runs = measure(jobs, effort, _tell if sys.stderr.isatty() else None)
    if args.save:
        _save(args.save, here, effort, jobs, runs)
    starting = starts()
    if args.json:
        result = {
            "environment": here,
            "method": METHOD,
            "starts": starting,
            "runs": [one.to_dict() for one in runs],
        }
        print_json(result)
    else:
        print(report.text(here, starting, runs))
    return 0


def _search(args: argparse.Namespace, here: dict[str, Any]) -> int:
    """Measure searches at a decision of each preset, or of the rules on the command line."""
    from mextrain import RuleSet
    from mextrain.benchmark import searching

    if args.save or args.compare or args.policy or args.workers or args.backend != "auto":
        raise MextrainError("--search takes rules, --quick, --repeats, --milliseconds and --json: leave out the rest")
    tables = [read_rules(args)] if _has_rules(args) else [RuleSet.mexican(4), RuleSet.super(4)]
    effort = _effort(args)
    runs = list(searching.measure_searches(tables, effort.processes * effort.repeats, effort.seconds))
    if args.json:
        method = searching.SEARCH_METHOD
        print_json({"environment": here, "method": method, "runs": [one.to_dict() for one in runs]})
    else:
        print(searching.searches_text(runs))
    return 0


def _compare(args: argparse.Namespace, here: dict[str, Any]) -> int:
    """Measure the jobs of a saved file again, and print what changed; the exit code is 1 if something is slower."""
    from mextrain.benchmark import measure, report, saved

    if _has_rules(args):
        raise MextrainError("--compare takes rules, policies and backend from the file: leave out those options")
    then = saved.load(args.compare)
    saved.check_machine(then.environment, here)
    effort = _effort(args, then.effort)
    runs = measure(then.jobs, effort, _tell if sys.stderr.isatty() else None)
    if args.save:
        _save(args.save, here, effort, then.jobs, runs)
    changes = saved.changes(then, then.jobs, runs)
    if args.json:
        print_json({"changes": [asdict(change) for change in changes]})
    else:
        print(report.changes_text(changes))
    return 1 if any(change.verdict == saved.SLOWER for change in changes) else 0


def _save(path: Path, here: dict[str, Any], effort: Effort, jobs: Sequence[Job], runs: Sequence[Run]) -> None:
    from mextrain.benchmark import saved

    saved.save(path, here, effort, jobs, runs)


def _tell(what: str) -> None:
    print(what, file=sys.stderr)


def _effort(args: argparse.Namespace, usual: Effort | None = None) -> Effort:
    """Return the effort that the arguments ask for; `usual` is what is not given."""
    from mextrain.benchmark import FULL, QUICK
    from mextrain.benchmark.saved import FEWEST_PROCESSES

    effort = usual or (QUICK if args.quick else FULL)
    if args.save and not usual:
        effort = replace(effort, processes=5 if args.quick else 8, cold=False, yardstick=True)
    given = {
        "processes": args.processes,
        "repeats": args.repeats,
        "seconds": args.milliseconds and args.milliseconds / 1000,
        "cold": args.cold,
    }
    effort = replace(effort, **{name: value for name, value in given.items() if value is not None})
    if effort.yardstick and effort.processes < FEWEST_PROCESSES:
        raise MextrainError(
            f"--processes {effort.processes} is too few for --save and --compare: expected {FEWEST_PROCESSES} or more"
        )
    return effort


def _jobs(args: argparse.Namespace) -> list[Job]:
    """Return the jobs to measure."""
    from mextrain._support.processors import usable_processors
    from mextrain.benchmark import STANDARD, Job

    if not _has_rules(args):
        threads = 1 if args.save else usable_processors()
        return [*STANDARD, Job(STANDARD[0].rules, workers=threads)] if threads > 1 else [*STANDARD]
    if args.save and (args.workers or 1) > 1:
        raise MextrainError(f"--workers {args.workers}: --save measures CPU time of one worker; leave the option out")
    policy = "random" if args.policy is None else args.policy
    return [Job(read_rules(args), policy, args.workers or 1, args.backend)]


def _has_rules(args: argparse.Namespace) -> bool:
    """Whether the command line says what to measure."""
    given = (args.rules, args.players, args.policy, args.workers) != (None,) * 4
    return given or bool(args.option) or args.backend != "auto"
