"""find the provably best train of a hand"""

from __future__ import annotations

import argparse

from mextrain.cli.common import add_json, add_rules, print_json, read_rules, whole

GOALS = ("longest", "heaviest", "finish")


EXAMPLES = (
    'mextrain plan --hand "12-5 5-7 8-3 9-9" --start 12',
    'mextrain plan --hand "*-3 3-4 4-9" --start 9 --goal heaviest',
)


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
    parser.add_argument("--letter-match", metavar="RULE", help="what letters join (super; default: train_only)")
    parser.add_argument("--double-blank", type=whole(0, 1000), metavar="N", help="points of 0-0 (default: 0)")
    parser.add_argument(
        "--time-limit", type=float, default=1.0, metavar="SECONDS", help="stop without a proof after this (default: 1)"
    )
    parser.add_argument("--count", action="store_true", help="also count the equally good trains")
    add_json(parser)
    add_rules(parser)


def run(args: argparse.Namespace) -> int:
    """Print the plan; the exit code is 0 whether or not the plan is proved."""
    from mextrain.study.planner import plan

    tile_set, letter_match, double_blank = args.set, args.letter_match, args.double_blank
    if args.rules is not None or args.players is not None or args.option:
        rules = read_rules(args)
        tile_set = tile_set or rules.tile_set
        letter_match = letter_match or rules.letter_match
        double_blank = rules.double_blank if double_blank is None else double_blank
    found = plan(
        args.hand,
        args.start,
        tile_set=tile_set,
        goal=args.goal,
        letter_match=letter_match or "train_only",
        double_blank=double_blank or 0,
        time_limit=args.time_limit,
        count=args.count,
    )
    if args.json:
        print_json(found.to_dict())
    else:
        print(found)
    return 0
