"""measure how fast games are played here, or print the backend's signature"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from mextrain.benchmark import Effort, Job


EXAMPLES = (
    "mextrain bench --quick",
    "mextrain bench --rules super --players 5 --json",
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
        "--processes", type=whole(1, 1000), metavar="N", help="processes that measure (default: 3, quick 2)"
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
    add_json(parser)
    parser.add_argument(
        "--signature", action="store_true", help="print the backend's signature and nothing else"
    )


def run(args: argparse.Namespace) -> int:
    """Measure and print; without rules on the command line, measure a standard set of games."""
    if args.signature:
        from mextrain.benchmark.signature import signature

        print(signature())
        return 0
    from mextrain.benchmark import METHOD, environment, measure, report, starts

    effort = _effort(args)
    here = environment()
    runs = measure(_jobs(args), effort, _tell if sys.stderr.isatty() else None)
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


def _tell(what: str) -> None:
    print(what, file=sys.stderr)


def _effort(args: argparse.Namespace) -> Effort:
    from mextrain.benchmark import FULL, QUICK

    effort = QUICK if args.quick else FULL
    given = {
        "processes": args.processes,
        "repeats": args.repeats,
        "seconds": args.milliseconds and args.milliseconds / 1000,
        "cold": args.cold,
    }
    return replace(effort, **{name: value for name, value in given.items() if value is not None})


def _jobs(args: argparse.Namespace) -> list[Job]:
    """Return the jobs to measure."""
    from mextrain._support.processors import usable_processors
    from mextrain.benchmark import STANDARD, Job

    some_rules = (args.rules, args.players, args.policy, args.workers) != (None,) * 4 or args.option
    if not some_rules and args.backend == "auto":
        threads = usable_processors()
        return [*STANDARD, Job(STANDARD[0].rules, workers=threads)] if threads > 1 else [*STANDARD]
    policy = "random" if args.policy is None else args.policy
    return [Job(read_rules(args), policy, args.workers or 1, args.backend)]
