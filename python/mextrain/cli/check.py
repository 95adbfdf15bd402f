"""replay round records or an archive and say whether they keep the rules"""

from __future__ import annotations

import argparse
from pathlib import Path

from mextrain.cli.common import decoded, record_lines
from mextrain.cli.progress import Meter
from mextrain.errors import MextrainError


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
    """Replay everything; the first fault is printed with its place, and ends the run with code 1."""
    is_archive = Path(args.file).is_dir()
    if args.verify and not is_archive:
        raise MextrainError(f"{args.file} is no folder: --verify is for archives")
    if is_archive:
        return verify(args.file) if args.verify else check_rows(args.file)
    return check_records(args.file)


def check_records(file: str) -> int:
    """Replay a file of records."""
    from mextrain.errors import RecordError
    from mextrain.records import RoundRecord, replay

    name = "stdin" if file == "-" else file
    line = events = 0
    for line, data in record_lines(file):
        try:
            record = RoundRecord.from_json(decoded(data))
            replay(record)
        except RecordError as fault:
            print(f"{name}: {RecordError(fault.reason, line=line, event=fault.event)}")
            return 1
        events += len(record.events)
    print(f"{name}: {line:,} round{'' if line == 1 else 's'}, {events:,} events, no fault")
    return 0


def check_rows(folder: str) -> int:
    """Verify and replay an archive."""
    from mextrain.archive import check_archive
    from mextrain.errors import ArchiveError

    try:
        with Meter() as meter:
            checked = check_archive(folder, meter)
    except ArchiveError as fault:
        print(f"{folder}: {fault}")
        return 1
    print(f"{folder}: {_files(checked.shards)}, {checked.rounds:,} rounds, {checked.actions:,} actions, no fault")
    return 0


def verify(folder: str) -> int:
    """Verify the files of an archive, and print everything that is wrong with them."""
    from mextrain.archive import read_job, verify_archive

    with Meter("files") as meter:
        problems = verify_archive(folder, meter)
    for problem in problems:
        print(f"{folder}: {problem}")
    if not problems:
        job = read_job(folder)
        sums = "all there and unchanged" if job.has_sidecars else f"all there ({job.format} has no sums to compare)"
        print(f"{folder}: {_files(job.shards)}, {sums}")
    return 1 if problems else 0


def _files(number: int) -> str:
    return f"{number:,} file{'' if number == 1 else 's'}"
