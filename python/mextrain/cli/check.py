"""replay round records or an archive and say whether they keep the rules"""

from __future__ import annotations

import argparse

from mextrain.cli.common import add_json, decoded, is_folder, print_json, record_lines
from mextrain.cli.progress import Meter
from mextrain.errors import MextrainError, one_line

EXAMPLES = (
    "mextrain check rounds.jsonl",
    "mextrain record --games 1 | mextrain check -",
    "mextrain check --verify runs/small",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `mextrain check`."""
    parser.add_argument(
        "file",
        metavar="FILE.jsonl|DIR",
        help="records, one JSON object a line (- reads stdin), or the folder of an archive: a path, or a URI",
    )
    parser.add_argument(
        "--verify",
        action="store_true",
        help="of an archive: read the files and compare sizes, SHA-256, columns and numbers of rows; replay nothing",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Replay everything; the first error is printed with its place and ends the run with code 1."""
    is_archive = is_folder(args.file)
    if args.verify and not is_archive:
        raise MextrainError(f"{one_line(args.file)} is not a folder: --verify is for archives")
    if is_archive:
        return (verify if args.verify else check_rows)(args.file, args.json)
    return check_records(args.file, args.json)


def check_records(file: str, as_json: bool) -> int:
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
        except RecordError as error:
            fault = {"line": line, "event": error.event, "reason": error.reason}
            if as_json:
                print_json({"file": name, "rounds": line - 1, "events": events, "fault": fault})
            else:
                print(f"{name}: {RecordError(error.reason, line=line, event=error.event)}")
            return 1
        events += len(record.events)
        goes_on += record.partial
    if not line:
        raise MextrainError(f"{name} is empty: there is nothing to check")
    if as_json:
        print_json({"file": name, "rounds": line, "unfinished": goes_on, "events": events, "fault": None})
        return 0
    unfinished = f" ({goes_on:,} of them not over)" if goes_on else ""
    print(f"{name}: {line:,} round{'' if line == 1 else 's'}{unfinished}, {events:,} events, no fault")
    return 0


def check_rows(folder: str, as_json: bool) -> int:
    """Verify and replay an archive."""
    from mextrain.archive import check_archive
    from mextrain.errors import ArchiveError

    try:
        with Meter() as meter:
            checked = check_archive(folder, meter)
    except ArchiveError as error:
        if as_json:
            place = {"shard": error.shard, "row": error.row, "action": error.action, "reason": error.reason}
            print_json({"folder": one_line(folder), "fault": place})
        else:
            print(f"{one_line(folder)}: {error}")
        return 1
    if as_json:
        counts = {"files": checked.shards, "rounds": checked.rounds, "actions": checked.actions}
        print_json({"folder": one_line(folder), **counts, "fault": None})
        return 0
    found = f"{_files(checked.shards)}, {checked.rounds:,} rounds, {checked.actions:,} actions"
    print(f"{one_line(folder)}: {found}, no fault")
    return 0


def verify(folder: str, as_json: bool = False) -> int:
    """Verify the files of an archive, and print all problems."""
    from mextrain.archive import read_job, verify_archive

    with Meter("files") as meter:
        problems = verify_archive(folder, meter)
    if as_json:
        print_json({"folder": one_line(folder), "problems": list(map(str, problems))})
        return 1 if problems else 0
    for problem in problems:
        print(f"{one_line(folder)}: {problem}")
    if not problems:
        job = read_job(folder)
        sums = "all there and unchanged" if job.has_sidecars else f"all there ({job.format} has no sums to compare)"
        print(f"{one_line(folder)}: {_files(job.shards)}, {sums}")
    return 1 if problems else 0


def _files(number: int) -> str:
    return f"{number:,} file{'' if number == 1 else 's'}"
