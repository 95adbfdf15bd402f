"""play games and write every round as a record, one JSON object a line"""

from __future__ import annotations

import argparse
import json
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mextrain.cli.common import add_first_game, add_games, add_policy, add_rules, read_rules, whole
from mextrain.cli.progress import Meter

if TYPE_CHECKING:
    from mextrain.game.rules import RuleSet

PART_GAMES = 20
"""Games that a worker plays at a time."""

EXAMPLES = (
    "mextrain record --games 1 -o rounds.jsonl",
    "mextrain record --rules super --players 5 --games 100 --seed 7 --policy counting --legal",
)


class _Job(NamedTuple):
    """What to play and to write."""

    rules: RuleSet
    seed: int
    policies: str
    legal: bool


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `mextrain record`."""
    add_rules(parser)
    add_games(parser)
    add_first_game(parser)
    add_policy(parser)
    parser.add_argument("--legal", action="store_true", help="write the legal moves of every decision too")
    parser.add_argument(
        "--workers", type=whole(1, 1024), default=1, metavar="N", help="processes that play (default: 1)"
    )
    parser.add_argument(
        "-o", "--out", metavar="FILE", help="file to write; it is replaced only by a complete one (default: stdout)"
    )


def run(args: argparse.Namespace) -> int:
    """Play, and write the records in the order of games and rounds."""
    from mextrain.bulk.positions import play_rounds

    job = _Job(read_rules(args), args.seed, args.policy, args.legal)
    # Refuses impossible arguments before anything is written.
    play_rounds(job.rules, games=args.games, seed=job.seed, policies=job.policies, first_game=args.first_game)
    firsts = range(args.first_game, args.first_game + args.games, PART_GAMES)
    parts = ((first, min(PART_GAMES, args.first_game + args.games - first)) for first in firsts)
    with _lines(args.out) as write, Meter() as meter:
        done = 0
        meter(0, args.games)
        for games, lines in _played(job, parts, min(args.workers, len(firsts))):
            for line in lines:
                write(line)
            done += games
            meter(done, args.games)
    return 0


def _played(job: _Job, parts: Iterator[tuple[int, int]], workers: int) -> Iterator[tuple[int, Iterator[str]]]:
    """Yield the number of games and the records of each part, in order."""
    if workers == 1:
        for first, games in parts:
            yield games, _records(job, first, games)
        return
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing import get_context

    waiting: deque[tuple[int, Future[list[str]]]] = deque()
    with ProcessPoolExecutor(workers, get_context("spawn"), _leave_interrupts_to_the_parent) as pool:
        try:
            for first, games in parts:
                waiting.append((games, pool.submit(_list_of_records, job, first, games)))
                if len(waiting) > 2 * workers:
                    games, part = waiting.popleft()
                    yield games, iter(part.result())
            for games, part in waiting:
                yield games, iter(part.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _records(job: _Job, first: int, games: int) -> Iterator[str]:
    from mextrain.bulk.positions import play_rounds

    rounds = play_rounds(job.rules, games=games, seed=job.seed, policies=job.policies, first_game=first)
    for position in rounds:
        yield json.dumps(position.record(legal=job.legal), ensure_ascii=False)


def _list_of_records(job: _Job, first: int, games: int) -> list[str]:
    return list(_records(job, first, games))


def _leave_interrupts_to_the_parent() -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


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
