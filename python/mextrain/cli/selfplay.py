"""play games in bulk and store every move in Parquet files"""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from typing import TYPE_CHECKING, Any

from mextrain.cli.check import verify
from mextrain.cli.common import (
    MAX_GAMES,
    add_backend,
    add_cluster,
    add_first_game,
    add_games_or_rounds,
    add_json,
    add_policy,
    add_rules,
    add_workers,
    is_folder,
    print_json,
    read_cluster,
    read_rules,
    whole,
)
from mextrain.cli.progress import Meter

if TYPE_CHECKING:
    from mextrain.archive import Archive
    from mextrain.bulk.stats import Summary


EXAMPLES = (
    "mextrain selfplay --games 1e5 --seed 1 --out runs/a",
    "mextrain selfplay --rules super --players 5 --rounds 1e6 --policy cautious --out runs/b --resume",
    "mextrain selfplay --games 1e8 --out runs/c --shards $SLURM_ARRAY_TASK_ID/100",
    "mextrain selfplay --games 1e8 --out s3://bucket/c --cluster ray",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `mextrain selfplay`."""
    add_rules(parser)
    add_games_or_rounds(parser)
    add_first_game(parser)
    add_policy(parser)
    add_workers(parser)
    add_backend(parser)
    add_cluster(parser)
    parser.add_argument(
        "--out",
        metavar="DIR",
        required=True,
        help="folder for the files: new, or empty; a path, or a URI such as s3://bucket/folder",
    )
    parser.add_argument("--resume", action="store_true", help="make what is missing of the same job in DIR")
    parser.add_argument(
        "--verify",
        action="store_true",
        help="read the files that are there; with --resume damaged ones are made again, else they are listed",
    )
    parser.add_argument(
        "--shard-games",
        type=whole(1, MAX_GAMES),
        metavar="N",
        help="games in a file (default: about 262,144 rounds)",
    )
    parser.add_argument(
        "--shards",
        metavar="A-B[/N]",
        help="make only files A to B of the job, or parts A to B of N parts, counted from 0; several processes may do "
        "so at once in DIR, and files that are there already are kept",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Play and store; at the end print what was played and how to read it."""
    from mextrain.archive import Job, find_job, write_archive
    from mextrain.bulk.simulate import Interrupted

    rules = read_rules(args)
    job = Job.create(
        rules,
        # Whole matches: the smallest number with at least this many rounds.
        games=args.games if args.rounds is None else -(-args.rounds // rules.rounds),
        seed=args.seed,
        policies=args.policy,
        first_game=args.first_game,
        shard_games=args.shard_games,
    )
    # A folder with another job is refused below.
    is_to_be_made = args.resume or args.shards is not None
    if args.verify and not is_to_be_made and is_folder(args.out) and find_job(args.out) == job:
        return verify(args.out, args.json)
    try:
        with Meter() as meter:
            archive = write_archive(
                args.out,
                job,
                workers=args.workers,
                resume=args.resume,
                verify=args.verify,
                progress=meter,
                backend=args.backend,
                shards=args.shards,
                cluster=read_cluster(args),
            )
    except Interrupted as stopped:
        archive = stopped.finished
        if archive is None:
            raise
        print(
            f"mextrain selfplay: interrupted; {archive.folder} holds {len(archive.shards)} of {len(archive.wanted)} "
            f"files, and the same command{' with --resume' if args.shards is None else ''} makes the others",
            file=sys.stderr,
        )
        return 130
    if args.json:
        print_json(facts(archive))
    else:
        print(report(archive))
    return 0


def facts(archive: Archive) -> dict[str, Any]:
    """Return the description of a complete archive, or of the part that was wanted, for programs."""
    job, summary = archive.job, archive.summary
    found = {} if summary is None else _statistics(summary)
    return {
        "folder": str(archive.folder),
        "rules": job.rules.to_dict(),
        "policies": list(job.policies),
        "seed": job.seed,
        "first_game": job.first_game,
        "games": job.games,
        "rounds": archive.games(archive.shards) * job.rules.rounds,
        "files": len(archive.shards),
        "bytes": archive.bytes,
        "played_games": archive.games(archive.made),
        "replaced_files": archive.remade,
        "seconds": archive.seconds,
        **found,
    }


def _statistics(summary: Summary) -> dict[str, Any]:
    return {
        "points_per_round": [points.value for points in summary.points()],
        "blocked_share": summary.blocked().value,
        "turns_per_round": summary.per_round("turns").value,
    }


def report(archive: Archive) -> str:
    """Return a description of a complete archive, or of the part that was wanted, for people."""
    job, summary, made, seconds = archive.job, archive.summary, archive.made, archive.seconds
    if summary is None:
        return f"nothing to make: this part of the {job.shards:,} files is empty"
    last = job.first_game + job.games - 1
    turns, blocked = summary.per_round("turns").value, 100 * summary.blocked().value
    lines = [
        job.rules.describe(),
        f"policies {', '.join(dict.fromkeys(job.policies))}; seed {job.seed}, games {job.first_game} … {last}",
        "",
    ]
    if made:
        games = archive.games(made)
        rounds = games * job.rules.rounds
        lines.append(
            f"played      {games:,} games, {rounds:,} rounds in {seconds:.1f} s: "
            f"{rounds / seconds:,.0f} rounds/s, {rounds * turns / seconds:,.0f} turns/s"
        )
    else:
        games = archive.games(archive.shards)
        lines.append(f"played      nothing: all {games:,} games are there already")
    if archive.remade:
        verb = "was" if archive.remade == 1 else "were"
        lines.append(f"replaced    {_files(archive.remade)} that {verb} damaged")
    if made and len(made) < len(archive.shards):
        others = "an earlier run" if len(archive.wanted) == job.shards else "other runs"
        lines.append(f"kept        {_files(len(archive.shards) - len(made))} of {others}")
    size = f"{_size(archive.bytes)}, {archive.bytes / summary.rounds:.0f} bytes a round"
    return "\n".join(
        [
            *lines,
            f"points      {'  '.join(f'{points.value:.2f}' for points in summary.points())} a round, by seat",
            f"blocked     {blocked:.2f} % of the rounds",
            f"turns       {turns:.2f} a round",
            f"stored      {_files(len(archive.shards))} in {archive.folder}: {size}",
            f"read it     {_reading(str(archive.folder))}",
            f"check it    mextrain check {_quoted(str(archive.folder))}",
        ]
    )


def _reading(folder: str) -> str:
    """Return a command that prints the first row, with quotes that work in every shell if the folder's name permits."""
    code = f"import pyarrow.parquet as pq; print(pq.read_table({folder!r}).slice(0, 1).to_pylist())"
    quoted = shlex.quote(code) if _needs_quotes(folder) else f'"{code}"'
    return f"python -c {quoted}"


def _quoted(folder: str) -> str:
    return shlex.quote(folder) if _needs_quotes(folder) else folder


def _needs_quotes(folder: str) -> bool:
    return re.fullmatch(r"[\w./:=+,@%-]+", folder) is None


def _files(number: int) -> str:
    return f"{number:,} file{'s' if number > 1 else ''}"


def _size(number: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if number < 10_000:
            return f"{number:,.0f} {unit}"
        number /= 1000
    return f"{number:,.0f} GB"
