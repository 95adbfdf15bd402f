"""play games and write every round as a record, one JSON object a line"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mextrain.cli.common import add_first_game, add_games, add_policy, add_rules, read_rules


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `mextrain record`."""
    add_rules(parser)
    add_games(parser)
    add_first_game(parser)
    add_policy(parser)
    parser.add_argument("--legal", action="store_true", help="write the legal moves of every decision too")
    parser.add_argument(
        "-o", "--out", metavar="FILE", help="file to write; it is replaced only by a complete one (default: stdout)"
    )


def run(args: argparse.Namespace) -> int:
    """Play, and write the records in the order of games and rounds."""
    from mextrain.bulk.positions import play_rounds

    rounds = play_rounds(
        read_rules(args),
        games=args.games,
        seed=args.seed,
        policies=args.policy,
        first_game=args.first_game,
    )
    with _lines(args.out) as write:
        for position in rounds:
            write(json.dumps(position.record(legal=args.legal), ensure_ascii=False))
    return 0


@contextmanager
def _lines(path: str | None) -> Iterator[Callable[[str], object]]:
    """Yield a function that writes a line, to stdout or to a file that appears only when it is complete."""
    from mextrain._support.files import whole_file

    if path is None:
        yield print
        return
    target = Path(path)
    # Write to a pipe or device directly; for a folder this raises the system's own error message.
    with target.open("wb") if target.exists() and not target.is_file() else whole_file(target) as file:
        yield lambda line: file.write(line.encode() + b"\n")
