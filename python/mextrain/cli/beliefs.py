"""say where the tiles that a seat cannot see probably are"""

from __future__ import annotations

import argparse
import json

from mextrain.cli.common import seed, whole
from mextrain.cli.named_position import add_position, read_position

EXAMPLES = (
    "mextrain beliefs rounds.jsonl --event 40 --seat 0",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `mextrain beliefs`."""
    add_position(parser, ("--for-seat", "--seat"), "whose knowledge it is (default: the seat on move)")
    parser.add_argument(
        "--samples", type=whole(20, 10**9), default=2000, metavar="N", help="hidden worlds to sample (default: 2000)"
    )
    parser.add_argument("--seed", type=seed, default=0, metavar="S", help="seed of the samples (default: 0)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Print a table or a JSON object."""
    from mextrain.errors import PositionError
    from mextrain.hidden.beliefs import beliefs

    named = read_position(args)
    seat = named.position.seat if named.for_seat is None else named.for_seat
    if seat is None:
        raise PositionError(f"{named.source}: the round is over, so nobody has the move: add --for-seat or --event")
    found = beliefs(named.position, seat, args.samples, args.seed)
    print(json.dumps(found.to_dict(), ensure_ascii=False) if args.json else found)
    return 0
