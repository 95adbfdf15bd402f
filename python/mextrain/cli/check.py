"""replay round records and say whether they keep the rules"""

from __future__ import annotations

import argparse

from mextrain.cli.common import decoded, record_lines


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `mextrain check`."""
    parser.add_argument("file", metavar="FILE.jsonl", help="records, one JSON object a line; - reads stdin")


def run(args: argparse.Namespace) -> int:
    """Replay every record; the first fault is printed with its line and event, and ends the run with code 1."""
    from mextrain.errors import RecordError
    from mextrain.records import RoundRecord, replay

    name = "stdin" if args.file == "-" else args.file
    line = events = 0
    for line, data in record_lines(args.file):
        try:
            record = RoundRecord.from_json(decoded(data))
            replay(record)
        except RecordError as fault:
            print(f"{name}: {RecordError(fault.reason, line=line, event=fault.event)}")
            return 1
        events += len(record.events)
    print(f"{name}: {line:,} round{'' if line == 1 else 's'}, {events:,} events, no fault")
    return 0
