"""print the table of a position, the events of a round, or a picture"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from mextrain.cli.common import whole
from mextrain.cli.named_position import add_position, read_position

if TYPE_CHECKING:
    from mextrain.cli.named_position import Named

EXAMPLES = (
    "mextrain record --games 1 --option rounds=1 -o one.jsonl",
    "mextrain show one.jsonl --event 40 --for-seat 0",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `mextrain show`."""
    add_position(parser)
    parser.add_argument(
        "--events", action="store_true", help="list the events up to here with their numbers; > marks plays and stops"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--svg", action="store_true", help="draw a picture: SVG source, which browsers show")
    parser.add_argument("-o", "--out", metavar="FILE.svg", help="write the picture to this file")
    parser.add_argument(
        "--theme", choices=("auto", "light", "dark"), default="auto", help="colours of the picture (default: auto)"
    )
    parser.add_argument("--width", type=whole(600, 4000), default=720, metavar="N", help="its width (default: 720)")


def run(args: argparse.Namespace) -> int:
    """Print the table, the events or the picture, with everything or as one seat sees it."""
    named = read_position(args)
    if args.svg or args.out:
        picture = named.position.svg(for_seat=named.for_seat, theme=args.theme, width=args.width)
        if args.out:
            picture.save(args.out)
        else:
            print(picture, end="")
    elif args.json:
        print(json.dumps(_facts(named), ensure_ascii=False))
    elif args.events:
        _print_events(named)
    else:
        print(named.position.table(for_seat=named.for_seat))
    return 0


def _print_events(named: Named) -> None:
    from mextrain.errors import PositionError
    from mextrain.notation.take import events_for

    events = events_for(named.position, named.for_seat)
    if not events:
        raise PositionError(f"{named.source}: nothing has happened yet")
    decisions = [event.is_decision for event in named.position.events]
    for number, (text, is_decision) in enumerate(zip(events, decisions, strict=True)):
        print(f"{number:4} {'>' if is_decision else ' '} {text}")


def _facts(named: Named) -> dict[str, Any]:
    from mextrain.notation.take import events_for

    position, seat = named.position, named.for_seat
    known = not position.start.is_continued
    return {
        "line": position.line(for_seat=seat, events=known),
        "seat": position.seat,
        "owed": position.owed,
        "legal": list(position.legal_texts()) if seat in (None, position.seat) else None,
        "end": position.end,
        "winner": position.winner,
        "points": list(position.points) if seat is None else None,
        "events": list(events_for(position, seat)) if known else None,
    }
