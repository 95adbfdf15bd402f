"""list the legal moves of a position"""

from __future__ import annotations

import argparse
import json
from typing import Any

from mextrain.cli.named_position import add_position, read_position

EXAMPLES = (
    "mextrain legal rounds.jsonl --event 40 --ids",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `mextrain legal`."""
    add_position(parser, seat_help="refuse unless this seat has the move")
    parser.add_argument("--ids", action="store_true", help="give each move its action id")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Print the legal moves by ascending action id, `stop` last; print nothing if there is no decision to make."""
    from mextrain.errors import PositionError

    named = read_position(args)
    position = named.position
    if named.for_seat not in (None, position.seat):
        mover = "the round is over" if position.over else f"seat {position.seat} has the move"
        raise PositionError(f"seat {named.for_seat} has nothing to decide: {mover}")
    texts, ids = position.legal_texts(), position.legal_ids()
    if args.json:
        found: dict[str, Any] = {"seat": position.seat, "owed": position.owed, "legal": texts}
        print(json.dumps(found | {"ids": ids} if args.ids else found))
        return 0
    for text, action in zip(texts, ids, strict=True):
        print(f"{action} {text}" if args.ids else text)
    return 0
