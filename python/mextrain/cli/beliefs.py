"""say where the tiles that a seat cannot see probably are"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from mextrain.cli.common import decoded, record_lines, seed, whole

if TYPE_CHECKING:
    from mextrain.position import Position


EXAMPLES = (
    "mextrain beliefs rounds.jsonl --event 40 --seat 0",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `mextrain beliefs`."""
    parser.add_argument("file", metavar="FILE.jsonl", help="records, one JSON object a line; - reads stdin")
    parser.add_argument("--line", type=whole(1, 10**9), default=1, metavar="N", help="line of the record (default: 1)")
    parser.add_argument(
        "--event",
        type=whole(0, 10**6),
        required=True,
        metavar="N",
        help="number of the play or stop, counted from 0, before which the question is asked",
    )
    parser.add_argument(
        "--seat", type=whole(0, 99), metavar="N", help="whose knowledge it is (default: the seat on move)"
    )
    parser.add_argument(
        "--samples", type=whole(20, 10**9), default=2000, metavar="N", help="hidden worlds to sample (default: 2000)"
    )
    parser.add_argument("--seed", type=seed, default=0, metavar="S", help="seed of the samples (default: 0)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Replay the record up to the event, and print a table or a JSON object."""
    from mextrain.hidden.beliefs import beliefs

    position, mover = _before(args.file, args.line, args.event)
    found = beliefs(position, mover if args.seat is None else args.seat, args.samples, args.seed)
    print(json.dumps(found.to_dict(), ensure_ascii=False) if args.json else found)
    return 0


def _before(path: str, line: int, event: int) -> tuple[Position, int]:
    """Return the position before an event of a record and the seat to move; raises `RecordError` for a bad record."""
    from mextrain.errors import RecordError
    from mextrain.records import RoundRecord, replay

    number = 0
    for number, data in record_lines(path):
        if number < line:
            continue
        end = replay(RoundRecord.from_json(decoded(data)))
        position = end.restart()
        for done in end.events:
            if len(position.events) >= event:
                break
            if done.move is not None:
                position.play_unchecked(done.move)
        if len(position.events) == event and position.seat is not None:
            return position, position.seat
        raise RecordError(
            f"no seat decides at event {event}: expected a play or stop"
            + ("" if position.over else f", such as event {len(position.events)}"),
            line=line,
        )
    raise RecordError(f"there is no line {line}: expected 1 … {number}")
