"""play games in bulk and print summary statistics"""

from __future__ import annotations

import argparse
import sys

from mextrain.cli.common import (
    add_backend,
    add_cluster,
    add_first_game,
    add_games,
    add_json,
    add_policy,
    add_rules,
    add_workers,
    columns,
    print_json,
    read_cluster,
    read_rules,
)
from mextrain.cli.progress import Meter

EXAMPLES = (
    "mextrain stats --games 1e4 --policy cautious,random,random,random",
    "mextrain stats --rules super --players 5 --histogram --json",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `mextrain stats`."""
    add_rules(parser)
    add_games(parser, default=1000)
    add_policy(parser)
    add_workers(parser)
    add_backend(parser)
    add_cluster(parser)
    add_first_game(parser)
    parser.add_argument("--histogram", action="store_true", help="also draw how many turns the rounds took")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Play and print means and shares with their intervals; after Ctrl-C, those of the games finished so far."""
    from mextrain.bulk.simulate import Interrupted, survey

    code = 0
    try:
        with Meter() as meter:
            summary = survey(
                read_rules(args),
                games=args.games,
                seed=args.seed,
                policies=args.policy,
                workers=args.workers,
                first_game=args.first_game,
                progress=meter,
                backend=args.backend,
                cluster=read_cluster(args),
            )
    except Interrupted as stopped:
        if stopped.finished is None:
            raise
        summary, code = stopped.finished, 130
        print(f"mextrain stats: interrupted after {summary.games:,} games", file=sys.stderr)
    source = {"seed": args.seed, "first_game": args.first_game}
    if args.json:
        print_json({**source, **summary.to_dict()})
    else:
        last = args.first_game + summary.games - 1
        print(f"{summary.text(columns())}\nseed {args.seed}, games {args.first_game} … {last}")
        if args.histogram:
            print(f"\n{summary.turns_histogram()}")
    return code
