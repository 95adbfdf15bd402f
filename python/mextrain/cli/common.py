"""Flags that several commands share, and how their values are read."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mextrain._support.files import is_uri
from mextrain.cli.policies import policies_text
from mextrain.errors import MextrainError, shown

if TYPE_CHECKING:
    from mextrain.game.rules import RuleSet

DEFAULT_PRESET = "mexican"
DEFAULT_PLAYERS = 4
MAX_GAMES = 2**59


def add_rules(parser: argparse.ArgumentParser) -> None:
    """Add `--rules`, `--players` and `--option`; `read_rules` turns them into a `RuleSet`."""
    group = parser.add_argument_group("rules")
    group.add_argument("--rules", metavar="PRESET", help=f"one that `mextrain rules` lists (default: {DEFAULT_PRESET})")
    group.add_argument(
        "--players",
        type=whole(0, 99, "2 … 14"),
        metavar="N",
        help=f"number of players, 2 … 14 (default: {DEFAULT_PLAYERS})",
    )
    group.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set an option of the rules, as listed by `mextrain rules`; write --option again for each further one",
    )


def read_rules(args: argparse.Namespace) -> RuleSet:
    """Return the rules from the flags of `add_rules`; raises `RuleError`."""
    from mextrain.game.rules import RuleSet

    players = args.players
    if players is None and not any(text.startswith("players=") for text in args.option):
        players = DEFAULT_PLAYERS
    return RuleSet.from_texts(DEFAULT_PRESET if args.rules is None else args.rules, players, args.option)


def add_games(
    parser: argparse.ArgumentParser, default: int | None = None, unit: str = "each a match of all its rounds"
) -> None:
    """Add `--games` (required without a `default`) and `--seed`. `unit` says what one game is."""
    parser.add_argument(
        "--games",
        type=whole(1, MAX_GAMES),
        metavar="N",
        required=default is None,
        default=default,
        help=f"number of games, {unit}" + ("" if default is None else f" (default: {default})"),
    )
    add_seed(parser)


def add_games_or_rounds(parser: argparse.ArgumentParser) -> None:
    """Add `--games` and `--rounds`, one of which is required, and `--seed`."""
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument(
        "--games", type=whole(1, MAX_GAMES), metavar="N", help="number of games, each a match of all its rounds"
    )
    group.add_argument(
        "--rounds",
        type=whole(1, MAX_GAMES),
        metavar="N",
        help="in place of --games: as many games as are needed to have at least N rounds; the last one is played to "
        "its end",
    )
    add_seed(parser)


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add `--seed`."""
    parser.add_argument(
        "--seed", type=seed, default=0, metavar="S", help="seed of all games, 0 … 2**64 - 1 (default: 0)"
    )


def add_first_game(parser: argparse.ArgumentParser) -> None:
    """Add `--first-game`, for a range of games that does not start with game 0."""
    parser.add_argument(
        "--first-game",
        type=whole(0, MAX_GAMES - 1),
        default=0,
        metavar="N",
        help="number of the first game (default: 0)",
    )


def add_policy(parser: argparse.ArgumentParser, usual: str = "random") -> None:
    """Add `--policy`: one name for all seats, or one for each seat, separated by commas. `usual`: the default."""
    parser.add_argument(
        "--policy",
        default=usual,
        metavar="NAME[,NAME…]",
        help=f"who plays: one name for all seats, or one for each seat (default: {usual}); the list is below",
    )
    add_bots(parser)


def add_bots(parser: argparse.ArgumentParser) -> None:
    """Add the flags for bots, which `set_limits` reads, and the list of policies."""
    parser.epilog = policies_text()
    group = parser.add_argument_group("bots (cmd:COMMAND)")
    group.add_argument("--bot-time", type=whole(1, 10**8), metavar="MS", help="time for a decision (default: 5000)")
    group.add_argument(
        "--on-fault",
        choices=("stop", "forfeit"),
        help="end with an error, or play random for the bot for the rest of the game (default: stop)",
    )


def set_limits(args: argparse.Namespace) -> None:
    """Set what hosts do from the flags of `add_bots`, if the command has them and they are given."""
    milliseconds, on_fault = getattr(args, "bot_time", None), getattr(args, "on_fault", None)
    if milliseconds is not None or on_fault is not None:
        from mextrain.bots.limits import LIMITS

        LIMITS.milliseconds = milliseconds or LIMITS.milliseconds
        LIMITS.on_fault = on_fault or LIMITS.on_fault


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add `--workers`; the results do not depend on it."""
    parser.add_argument(
        "--workers",
        type=whole(1, 1024),
        metavar="N",
        help="threads that play (default: one for each processor that this process may use)",
    )


def add_backend(parser: argparse.ArgumentParser) -> None:
    """Add `--backend`; the results do not depend on it."""
    parser.add_argument(
        "--backend",
        choices=("auto", "scalar", "lockstep"),
        default="auto",
        help="what plays: scalar plays everything, lockstep 32 rounds at once where it can, "
        "and auto takes the one that is done first (default: auto)",
    )


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """Add `--cluster`; the results do not depend on it."""
    parser.add_argument(
        "--cluster",
        metavar="ray[://ADDRESS]",
        help="play on a Ray cluster: the one that RAY_ADDRESS names or that runs here, else a new one on this machine "
        "alone; or the one at ADDRESS",
    )


def read_cluster(args: argparse.Namespace) -> str | None:
    """Return the cluster from the flag of `add_cluster`; raises `MextrainError`."""
    cluster: str | None = args.cluster
    if cluster is not None and args.workers is not None:
        raise MextrainError("--workers counts threads of this machine: leave it out with --cluster")
    return cluster


def is_folder(text: str) -> bool:
    """Whether a text names a folder that exists: a path, or a URI. Raises `MextrainError` for one that is unusable."""
    if not is_uri(text):
        return Path(text).is_dir()
    from mextrain.archive.places import as_place

    return as_place(text).kind() == "folder"


def record_lines(path: str) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file, or of stdin for `-`, with their numbers, from 1.

    Lines are read one at a time, so a file may have any size; `decoded` turns each into text.
    """
    with nullcontext(sys.stdin.buffer) if path == "-" else Path(path).open("rb") as file:
        yield from enumerate(file, 1)


def decoded(line: bytes) -> str:
    """Return a line as text; raises `RecordError`."""
    from mextrain.errors import RecordError

    try:
        return line.decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise RecordError(f"the line is not UTF-8 (byte {error.start})") from None


def whole(low: int, high: int, expected: str | None = None) -> Callable[[str], int]:
    """Return an argparse type for whole numbers `low` … `high`: digits, `1_000_000` or `1e6`.

    `expected` describes the range in errors. By default that is `low … high`, or `low or more` if nobody can reach
    `high`.
    """
    told = expected or (f"{low} … {high}" if high < 10**9 else f"{low} or more")

    def parse(text: str) -> int:
        number = whole_number(text)
        if number is not None and number > high >= 10**9:
            raise argparse.ArgumentTypeError(f"{shown(text)} is too much: expected a whole number {low} … {high:,}")
        if number is None or not low <= number <= high:
            raise argparse.ArgumentTypeError(f"{shown(text)} is not usable: expected a whole number, {told}")
        return number

    return parse


def whole_number(text: str) -> int | None:
    """Return the whole number that a person wrote as `1000000`, `1_000_000`, `1e6` or `1.5e6`; None for others."""
    if re.fullmatch(r"-?[0-9]{1,20}|-?[0-9]{1,3}(_[0-9]{3}){1,6}", text):
        return int(text)
    if re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?[eE][0-9]{1,2}", text):
        exact = Decimal(text)
        return int(exact) if exact == exact.to_integral_value() else None
    return None


def print_json(found: Any) -> None:
    """Print a result for programs: one object on one line, the same for all commands."""
    print(json.dumps(found, ensure_ascii=False))


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    parser.add_argument("--json", action="store_true", help="print one JSON object on one line")


def columns() -> int:
    """Return the width to print for: that of the terminal, or 80 if the output goes elsewhere."""
    return shutil.get_terminal_size((80, 24)).columns if sys.stdout.isatty() else 80


def seed(text: str) -> int:
    """Parse a seed (an argparse type)."""
    from mextrain.game.seeding import parse_seed

    number = whole_number(text)
    try:
        return parse_seed(text if number is None else str(number))
    except MextrainError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
