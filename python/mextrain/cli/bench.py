"""measure how fast games are played here, or print the engine's signature"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from mextrain.cli.common import add_engine, add_policy, add_rules, add_workers, read_rules, whole

if TYPE_CHECKING:
    from mextrain.benchmark import Run
    from mextrain.rules import RuleSet

STANDARD = (("mexican", 4), ("mexican", 2), ("mexican", 8), ("super", 4))
"""Presets and players that are measured when the command line names none."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `mextrain bench`."""
    add_rules(parser)
    add_policy(parser)
    add_workers(parser)
    add_engine(parser)
    parser.set_defaults(policy=None)
    parser.add_argument(
        "--repeats", type=whole(2, 1000), default=7, metavar="N", help="repeats of a run (default: 7)"
    )
    parser.add_argument(
        "--milliseconds",
        type=whole(1, 60_000),
        default=200,
        metavar="N",
        help="length of a repeat (default: 200)",
    )
    parser.add_argument(
        "--cold", action="store_true", help="also time a start without compiled code (about 10 s)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--signature", action="store_true", help="print the engine's signature and nothing else"
    )


def run(args: argparse.Namespace) -> int:
    """Measure and print; without rules on the command line a standard set of games."""
    if args.signature:
        from mextrain.signature import signature

        print(signature())
        return 0
    from mextrain.benchmark import METHOD, cold_start, environment, first_call, measure

    jobs = _jobs(args)
    cold: dict[str, Any] = first_call(jobs[0][0])
    if args.cold:
        cold.update(cold_start())
    runs = []
    for rules, policy, workers in jobs:
        if sys.stderr.isatty():
            print(f"measuring {rules.preset_name}, {rules.players} players, {policy} …", file=sys.stderr)
        runs.append(
            measure(
                rules,
                policies=policy,
                workers=workers,
                engine=args.engine,
                seconds=args.milliseconds / 1000,
                repeats=args.repeats,
            )
        )
    if args.json:
        result = {
            "environment": environment(),
            "method": METHOD,
            "cold": cold,
            "runs": [one.to_dict() for one in runs],
        }
        print(json.dumps(result, indent=2))
    else:
        print(_text(environment(), METHOD, cold, runs))
    return 0


def _jobs(args: argparse.Namespace) -> list[tuple[RuleSet, str, int]]:
    """What to measure: (rules, policy, workers)."""
    from mextrain.processors import usable_processors
    from mextrain.rules import RuleSet

    if args.rules is args.players is args.policy is args.workers is None and not args.option:
        tables = [RuleSet.preset(preset, players=players) for preset, players in STANDARD]
        jobs = [(rules, "random", 1) for rules in tables]
        return [*jobs, (tables[0], "heaviest", 1), (tables[0], "random", usable_processors())]
    policy = "random" if args.policy is None else args.policy
    return [(read_rules(args), policy, args.workers or 1)]


def _text(environment: dict[str, Any], method: str, cold: dict[str, Any], runs: list[Run]) -> str:
    names = ("mextrain", "python", "numba", "llvmlite", "numpy")
    lines = [
        f"{environment['cpu']}, {environment['usable_processors']} processors to use; "
        + ", ".join(f"{name} {environment[name]}" for name in names),
        f"method: {method}",
        f"cold: first game {cold['first_call_seconds']:.2f} s (compiled code: {cold['compiled_code']})",
    ]
    if "process_empty_cache_seconds" in cold:
        lines.append(
            f"cold: whole process with an empty cache {cold['process_empty_cache_seconds']:.1f} s, "
            f"with a warm one {cold['process_warm_cache_seconds']:.1f} s"
        )
    lines += [
        "",
        f"{'warm':<8} {'players':>7} {'tiles':<10} {'policy':<10} {'engine':<8} {'workers':>7} {'M turns/s':>10} "
        f"{'ns/turn':>8} {'M plays/s':>10} {'rounds/s':>10} {'games':>8}  hash",
    ]
    for one in runs:
        lines.append(
            f"{one.preset:<8} {one.players:>7} {one.tile_set:<10} {one.policy[:10]:<10} {one.engine:<8} "
            f"{one.workers:>7} {one.turns_per_second / 1e6:>10.2f} {one.ns_per_turn:>8.1f} "
            f"{one.plays_per_second / 1e6:>10.2f} {one.rounds_per_second:>10,.0f} {one.games:>8,}  {one.hash}"
        )
    return "\n".join(lines)
