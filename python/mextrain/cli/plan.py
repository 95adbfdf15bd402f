"""find the provably best train of a hand"""

from __future__ import annotations

import argparse
import json

GOALS = ("longest", "heaviest", "finish")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `mextrain plan`."""
    parser.add_argument("--hand", required=True, metavar="TILES", help='the tiles, as in "12-5 5-7 *-3"')
    parser.add_argument("--start", required=True, metavar="HALF", help="the open end: a number, * or a letter")
    parser.add_argument(
        "--goal",
        choices=GOALS,
        default=GOALS[0],
        help="most tiles, most points, or least points left over two trains (default: longest)",
    )
    parser.add_argument(
        "--set", metavar="NAME", help="tile set, as in double-12 or super (default: the smallest usual one that fits)"
    )
    parser.add_argument("--letter-match", default="train_only", metavar="RULE", help="what letters join (super)")
    parser.add_argument("--double-blank", type=int, default=0, metavar="N", help="points of 0-0 (default: 0)")
    parser.add_argument(
        "--time-limit", type=float, default=1.0, metavar="SECONDS", help="stop without a proof after this (default: 1)"
    )
    parser.add_argument("--count", action="store_true", help="also count the equally good trains")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Print the plan; the exit code is 0 whether or not the plan is proved."""
    from mextrain.study.planner import plan

    found = plan(
        args.hand,
        args.start,
        tile_set=args.set,
        goal=args.goal,
        letter_match=args.letter_match,
        double_blank=args.double_blank,
        time_limit=args.time_limit,
        count=args.count,
    )
    print(json.dumps(found.to_dict(), ensure_ascii=False, indent=2) if args.json else found)
    return 0
