"""play policies against each other, with equal deals and rotated seats"""

from __future__ import annotations

import argparse
import math
import shlex
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mextrain.cli.common import (
    MAX_GAMES,
    add_bots,
    add_first_game,
    add_json,
    add_rules,
    add_seed,
    add_workers,
    columns,
    print_json,
    read_rules,
    whole,
)
from mextrain.cli.progress import Meter
from mextrain.errors import MextrainError, shown

if TYPE_CHECKING:
    from mextrain.study.standings import Tournament
    from mextrain.study.stopping import StopRule

FORMATS = ("pairs", "table")
DEFAULT_DEALS = 200
MOST_DEALS = 100_000
"""The default with a rule that stops earlier."""

EXAMPLES = (
    "mextrain tournament --policy counting,planner,random --deals 100 --ratings",
    "mextrain tournament --policy expert,counting --until 0.5",
    "mextrain tournament --policy expert,counting --test 0:0.5",
    "mextrain tournament --policy counting,planner --deals 50 -o rounds.jsonl",
    "mextrain tournament --resume rounds.jsonl --deals 100",
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
        help="every two policies meet, or as many as players at one table (default: pairs)",
    )
    parser.add_argument(
        "--deals",
        type=whole(1, MAX_GAMES),
        metavar="N",
        help="number of games that are dealt, those of earlier runs included; each is played in every seating "
        f"(default: {DEFAULT_DEALS}, or at most {MOST_DEALS:,} with --until or --test)",
    )
    parser.add_argument(
        "--until",
        type=_points,
        metavar="X",
        help="stop when the interval of every difference is narrower than X points a round",
    )
    parser.add_argument(
        "--test",
        type=_bounds,
        metavar="LOW:HIGH",
        help="stop when a sequential test knows whether the first of two policies gains LOW points a round or less on "
        "the second one, or HIGH or more",
    )
    parser.add_argument(
        "--error", type=_points, metavar="P", help="probability of either mistake of --test (default: 0.05)"
    )
    parser.add_argument(
        "--ratings", action="store_true", help="show ratings on the scale of Elo too (pip install 'mextrain[ratings]')"
    )
    parser.add_argument("-o", "--out", metavar="FILE", help="save the records of all rounds, and FILE.state to go on")
    parser.add_argument("--resume", metavar="FILE", help="go on with a tournament that was saved with -o")
    add_seed(parser)
    add_workers(parser)
    add_first_game(parser)
    add_json(parser)
    add_bots(parser)
    # Whether these were given matters for --resume.
    parser.set_defaults(seed=None, first_game=None)


def run(args: argparse.Namespace) -> int:
    """Play and print ranks and comparisons; after Ctrl-C, those of the finished deals."""
    from mextrain.bulk.simulate import Interrupted

    file = args.out if args.resume is None else args.resume
    again = None if file is None else f"mextrain tournament --resume {shlex.quote(file)}"
    code = 0
    try:
        with Meter() as meter:
            result = (_begun if args.resume is None else _resumed)(args, meter)
    except Interrupted as stopped:
        go_on = f"; go on with: {again}" if again else ""
        if stopped.finished is None:
            print(f"mextrain tournament: interrupted before the first deal was finished{go_on}", file=sys.stderr)
            return 130
        result, code = stopped.finished, 130
        print(f"mextrain tournament: interrupted after {result.deals:,} deals{go_on}", file=sys.stderr)
    if args.json:
        print_json({**result.to_dict(), **(_ratings(result) if args.ratings else {})})
    else:
        last = result.first_game + result.deals - 1
        print(result.text(columns(), ratings=args.ratings))
        print(f"seed {result.seed}, games {result.first_game} … {last}")
    if again and not code:
        print(f"more deals on top: {again} --deals N", file=sys.stderr)
    return code


def _rule(args: argparse.Namespace) -> StopRule | None:
    """Return the rule that stops early, if one is given."""
    from mextrain.study.stopping import StopRule

    if args.error is not None and args.test is None:
        raise MextrainError("--error is for --test: give both")
    if (args.until, args.test) == (None, None):
        return None
    return StopRule(args.until, args.test, **({} if args.error is None else {"error": args.error}))


def _begun(args: argparse.Namespace, meter: Meter) -> Tournament:
    from mextrain.study.tournament import USUAL_POLICIES, tournament

    stop = _rule(args)
    if args.out is not None:
        print(
            f"saving rounds in {args.out}; if this run ends early, go on with: "
            f"mextrain tournament --resume {shlex.quote(args.out)}",
            file=sys.stderr,
        )
    return tournament(
        read_rules(args),
        USUAL_POLICIES if args.policy is None else args.policy,
        deals=args.deals or (MOST_DEALS if stop else DEFAULT_DEALS),
        seed=args.seed or 0,
        format=args.format or FORMATS[0],
        workers=args.workers,
        first_game=args.first_game or 0,
        progress=meter,
        stop=stop,
        out=args.out,
    )


def _resumed(args: argparse.Namespace, meter: Meter) -> Tournament:
    from mextrain.study.tournament import resume_tournament

    given = {"--rules": args.rules, "--players": args.players, "--option": args.option or None, "-o": args.out}
    given |= {f"--{name.replace('_', '-')}": getattr(args, name) for name in ("policy", "format", "seed", "first_game")}
    wrong = [flag for flag, value in given.items() if value is not None]
    if wrong:
        raise MextrainError(f"--resume takes what is played from the file: leave out {', '.join(wrong)}")
    return resume_tournament(args.resume, deals=args.deals, workers=args.workers, progress=meter, stop=_rule(args))


def _ratings(result: Tournament) -> dict[str, Any]:
    """Return the ratings for `--json`."""
    from mextrain.study.standings import plain

    return {"ratings": [plain(each) for each in result.ratings()]}


def _points(text: str) -> float:
    """Parse a number (an argparse type)."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"{shown(text)} is not usable: expected a number")
    return number


def _bounds(text: str) -> tuple[float, float]:
    """Parse `LOW:HIGH` (an argparse type)."""
    low, colon, high = text.partition(":")
    parse: Callable[[str], float] = _points
    if not colon:
        raise argparse.ArgumentTypeError(f"{shown(text)} is not usable: expected two numbers, as in 0:0.5")
    return parse(low), parse(high)
