"""replay round records and say whether they keep the rules"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `mextrain check`."""
    parser.add_argument("file", metavar="FILE.jsonl", help="records, one JSON object a line; - reads stdin")


def run(args: argparse.Namespace) -> int:
    """Replay every record; the first fault is printed with its line and event, and ends the run with code 1."""
    from mextrain.errors import RecordError
    from mextrain.records import RoundRecord, replay

    name = "stdin" if args.file == "-" else args.file
    line = events = 0
    for line, data in _lines(args.file):
        try:
            record = RoundRecord.from_json(_decoded(data))
            replay(record)
        except RecordError as fault:
            print(f"{name}: {RecordError(fault.reason, line=line, event=fault.event)}")
            return 1
        events += len(record.events)
    print(f"{name}: {line:,} round{'' if line == 1 else 's'}, {events:,} events, no fault")
    return 0


def _lines(path: str) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers, from 1; one at a time, so that a file may have any size."""
    with nullcontext(sys.stdin.buffer) if path == "-" else Path(path).open("rb") as file:
        yield from enumerate(file, 1)


def _decoded(line: bytes) -> str:
    from mextrain.errors import RecordError

    try:
        return line.decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise RecordError(f"the line is not UTF-8 (byte {error.start})") from None
