"""say what the moves of a position are worth, or what each move of a round lost"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from mextrain.cli.common import add_workers, seed, whole
from mextrain.cli.named_position import add_position, read_position
from mextrain.cli.progress import Meter

if TYPE_CHECKING:
    from mextrain.cli.named_position import Named


EXAMPLES = (
    "mextrain analyse rounds.jsonl --line 2",
    "mextrain analyse rounds.jsonl --event 40 --policy improve:400 --json",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `mextrain analyse`."""
    add_position(parser, seat_help="refuse unless this seat has the move; of a round, list its decisions only")
    parser.add_argument(
        "--policy",
        default="flat",
        metavar="SEARCH",
        help="flat, tree or improve, with its play-outs as in improve:400 (default: flat)",
    )
    parser.add_argument(
        "--playouts", type=whole(1, 10**12), metavar="N", help="play-outs for each decision (default: 1000)"
    )
    parser.add_argument("--seconds", type=_seconds, metavar="S", help="most seconds for each decision")
    parser.add_argument(
        "--rollout",
        default="counting",
        metavar="NAME[,NAME…]",
        help="built-in policy that plays rounds out, or one for each seat (default: counting)",
    )
    parser.add_argument(
        "--utility", default="margin", metavar="NAME", help="margin, points or rank: what the seat maximises"
    )
    parser.add_argument("--seed", type=seed, default=0, metavar="S", help="seed of the search (default: 0)")
    add_workers(parser)
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object; of a round, one for each decision and one for all"
    )


def run(args: argparse.Namespace) -> int:
    """Print the table of a position's moves, or of a round's decisions."""
    named = read_position(args)
    options: dict[str, Any] = {
        "playouts": args.playouts,
        "seconds": args.seconds,
        "method": args.policy,
        "policy": args.rollout,
        "utility": args.utility,
        "seed": args.seed,
        "workers": args.workers,
    }
    return _round(args, named, options) if named.is_round else _position(args, named, options)


def _position(args: argparse.Namespace, named: Named, options: dict[str, Any]) -> int:
    from mextrain.study.analysis import DROP
    from mextrain.study.search import search

    # As for a round, so that both name the same best move.
    found = search(named.position, named.for_seat, drop=DROP, **options)
    print(json.dumps(found.to_dict(), ensure_ascii=False) if args.json else found)
    return 0


def _round(args: argparse.Namespace, named: Named, options: dict[str, Any]) -> int:
    from mextrain.study.analysis import analyse

    with Meter("decisions") as meter:
        found = analyse(named.end, progress=meter, **options)
    if named.for_seat is not None:
        found = found.of(named.for_seat)
    if not args.json:
        print(found)
        return 0
    for row in found.rows():
        print(json.dumps(row, ensure_ascii=False))
    facts = found.to_dict()
    print(json.dumps({name: value for name, value in facts.items() if name != "decisions"}, ensure_ascii=False))
    return 0


def _seconds(text: str) -> float:
    """Parse a number of seconds (an argparse type)."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= 10**6:
        raise argparse.ArgumentTypeError(f"'{text[:40]}' is not usable: expected seconds above 0, such as 2.5")
    return number
