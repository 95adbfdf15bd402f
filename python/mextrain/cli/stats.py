"""play games in bulk and print what they amount to"""

from __future__ import annotations

import argparse
import json
import sys

from mextrain.cli.common import add_backend, add_first_game, add_games, add_policy, add_rules, add_workers, read_rules
from mextrain.cli.progress import Meter


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `mextrain stats`."""
    add_rules(parser)
    add_games(parser, default=1000)
    add_policy(parser)
    add_workers(parser)
    add_backend(parser)
    add_first_game(parser)
    parser.add_argument("--histogram", action="store_true", help="also draw how many turns the rounds took")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


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
            )
    except Interrupted as stopped:
        if stopped.finished is None:
            raise
        summary, code = stopped.finished, 130
        print(f"mextrain stats: interrupted after {summary.games:,} games", file=sys.stderr)
    source = {"seed": args.seed, "first_game": args.first_game}
    if args.json:
        print(json.dumps({**source, **summary.to_dict()}, ensure_ascii=False, indent=2))
    else:
        print(f"{summary}\nseed {args.seed}, games {args.first_game} … {args.first_game + summary.games - 1}")
        if args.histogram:
            print(f"\n{summary.turns_histogram()}")
    return code
