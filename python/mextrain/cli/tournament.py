"""play policies against each other, with equal deals and rotated seats"""

from __future__ import annotations

import argparse
import sys

from mextrain.cli.common import (
    MAX_GAMES,
    add_bots,
    add_first_game,
    add_json,
    add_rules,
    add_seed,
    add_workers,
    print_json,
    read_rules,
    whole,
)
from mextrain.cli.progress import Meter

FORMATS = ("pairs", "table")
DEFAULT_DEALS = 200


EXAMPLES = (
    "mextrain tournament --policy counting,planner,random --deals 100",
    "mextrain tournament --format table --json",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `mextrain tournament`."""
    add_rules(parser)
    parser.add_argument(
        "--policy",
        metavar="NAME,NAME[,NAME…]",
        help="who plays: two policies or more (default: random, heaviest, cautious, planner)",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default=FORMATS[0],
        help="every two policies meet, or as many as players at one table (default: pairs)",
    )
    parser.add_argument(
        "--deals",
        type=whole(1, MAX_GAMES),
        default=DEFAULT_DEALS,
        metavar="N",
        help=f"number of games that are dealt; each is played in every seating (default: {DEFAULT_DEALS})",
    )
    add_seed(parser)
    add_workers(parser)
    add_first_game(parser)
    add_json(parser)
    add_bots(parser)


def run(args: argparse.Namespace) -> int:
    """Play and print ranks and comparisons; after Ctrl-C, those of the finished deals."""
    from mextrain.bulk.simulate import Interrupted
    from mextrain.study.tournament import USUAL_POLICIES, tournament

    code = 0
    try:
        with Meter() as meter:
            result = tournament(
                read_rules(args),
                USUAL_POLICIES if args.policy is None else args.policy,
                deals=args.deals,
                seed=args.seed,
                format=args.format,
                workers=args.workers,
                first_game=args.first_game,
                progress=meter,
            )
    except Interrupted as stopped:
        if stopped.finished is None:
            raise
        result, code = stopped.finished, 130
        print(f"mextrain tournament: interrupted after {result.deals:,} deals", file=sys.stderr)
    if args.json:
        print_json(result.to_dict())
    else:
        print(f"{result}\nseed {args.seed}, games {args.first_game} … {args.first_game + result.deals - 1}")
    return code
