"""replay round records or an archive and say whether they keep the rules"""

from __future__ import annotations

import argparse
from pathlib import Path

from mextrain.cli.common import decoded, record_lines
from mextrain.cli.progress import Meter
from mextrain.errors import MextrainError, one_line


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `mextrain check`."""
    parser.add_argument(
        "file",
        metavar="FILE.jsonl|DIR",
        help="records, one JSON object a line (- reads stdin), or the folder of an archive",
    )
    parser.add_argument(
        "--verify",
        action="store_true",
        help="of an archive: read the files and compare sizes, SHA-256, columns and numbers of rows; replay nothing",
    )


def run(args: argparse.Namespace) -> int:
    """Replay everything; the first error is printed with its place and ends the run with code 1."""
    is_archive = Path(args.file).is_dir()
    if args.verify and not is_archive:
        raise MextrainError(f"{one_line(args.file)} is not a folder: --verify is for archives")
    if is_archive:
        return verify(args.file) if args.verify else check_rows(args.file)
    return check_records(args.file)


def check_records(file: str) -> int:
    """Replay a file of records."""
    from mextrain.errors import RecordError
    from mextrain.records import MatchOrder, RoundRecord, replay

    order = MatchOrder()
    name = "stdin" if file == "-" else one_line(file)
    line = events = goes_on = 0
    for line, data in record_lines(file):
        try:
            record = RoundRecord.from_json(decoded(data))
            replay(record)
            order.check(record)
        except RecordError as fault:
            print(f"{name}: {RecordError(fault.reason, line=line, event=fault.event)}")
            return 1
        events += len(record.events)
        goes_on += record.partial
    if not line:
        raise MextrainError(f"{name} is empty: there is nothing to check")
    unfinished = f" ({goes_on:,} of them not over)" if goes_on else ""
    print(f"{name}: {line:,} round{'' if line == 1 else 's'}{unfinished}, {events:,} events, no fault")
    return 0


def check_rows(folder: str) -> int:
    """Verify and replay an archive."""
    from mextrain.archive import check_archive
    from mextrain.errors import ArchiveError

    try:
        with Meter() as meter:
            checked = check_archive(folder, meter)
    except ArchiveError as fault:
        print(f"{one_line(folder)}: {fault}")
        return 1
    found = f"{_files(checked.shards)}, {checked.rounds:,} rounds, {checked.actions:,} actions"
    print(f"{one_line(folder)}: {found}, no fault")
    return 0


def verify(folder: str) -> int:
    """Verify the files of an archive, and print all problems."""
    from mextrain.archive import read_job, verify_archive

    with Meter("files") as meter:
        problems = verify_archive(folder, meter)
    for problem in problems:
        print(f"{one_line(folder)}: {problem}")
    if not problems:
        job = read_job(folder)
        sums = "all there and unchanged" if job.has_sidecars else f"all there ({job.format} has no sums to compare)"
        print(f"{one_line(folder)}: {_files(job.shards)}, {sums}")
    return 1 if problems else 0


def _files(number: int) -> str:
    return f"{number:,} file{'' if number == 1 else 's'}"
