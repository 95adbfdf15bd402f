"""keep the scores of a match that people play with real tiles"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from mextrain.cli.common import add_json, add_rules, columns, print_json, read_rules, whole_number
from mextrain.errors import MextrainError, shown

if TYPE_CHECKING:
    from mextrain.play.scores import Scores

ACTIONS = ("show", "start", "add", "edit", "undo", "csv", "markdown")

EXAMPLES = (
    "mextrain score start Ann Bob Cy",
    "mextrain score add 0 31 12",
    "mextrain score add Bob=0 Ann=20 Cy=7",
    "mextrain score add 5 31 12 blocked",
    "mextrain score edit 2 4 0 12",
    "mextrain score markdown > scores.md",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `mextrain score`."""
    parser.add_argument("action", nargs="?", default="show", choices=ACTIONS, metavar="ACTION", help=", ".join(ACTIONS))
    parser.add_argument(
        "values",
        nargs="*",
        metavar="VALUE",
        help="start: names by seat; add: points by seat, or NAME=POINTS, and the word blocked if nobody went out; "
        "edit: the number of the round, then the same",
    )
    parser.add_argument("--file", default="scores.json", metavar="FILE", help="where they are (default: scores.json)")
    parser.add_argument("--first", metavar="NAME", help="start: who starts the first round (default: the first player)")
    add_rules(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Change the file if the action does, and print the table."""
    from mextrain.play.scores import Scores

    path = Path(args.file)
    if args.action == "start":
        scores = _started(args, path)
    else:
        if not path.exists():
            raise MextrainError(f"{args.file} does not exist: mextrain score start NAME NAME … begins a match")
        scores = Scores.load(path)
        _act(args, scores)
    if args.action in ("start", "add", "edit", "undo"):
        scores.save(path)
    if args.json:
        print_json(scores.to_dict())
    elif args.action in ("csv", "markdown"):
        print(scores.csv() if args.action == "csv" else scores.markdown())
    else:
        print(scores.table(columns()))
    return 0


def _started(args: argparse.Namespace, path: Path) -> Scores:
    from mextrain.play.scores import Scores

    if path.exists():
        raise MextrainError(f"{args.file} exists already: name another one with --file, or remove it")
    if args.players not in (None, len(args.values)):
        raise MextrainError(f"{len(args.values)} names for {args.players} players: leave --players out")
    args.players = len(args.values)
    return Scores.new(read_rules(args), args.values, args.first)


def _act(args: argparse.Namespace, scores: Scores) -> None:
    blocked = "blocked" in args.values and args.action in ("add", "edit")
    values = [text for text in args.values if text != "blocked"] if blocked else args.values
    if args.action == "add":
        scores.add(_points(values, scores), blocked)
    elif args.action == "edit":
        number = whole_number(values[0]) if values else None
        if number is None:
            raise MextrainError("edit needs the number of the round, then its points: mextrain score edit 2 4 0 12")
        scores.edit(number, _points(values[1:], scores), blocked)
    elif args.values:
        raise MextrainError(f"{args.action} takes no values, and {shown(args.values[0])} is one")
    elif args.action == "undo":
        scores.undo()


def _points(values: list[str], scores: Scores) -> list[int]:
    """Return the points by seat."""
    found: dict[int, int] = {}
    for place, text in enumerate(values):
        name, equals, number = text.rpartition("=")
        seat = scores.seat(name) if equals else place
        points = whole_number(number)
        if points is None:
            raise MextrainError(f"{shown(text)} is not a number of points: expected 31, or NAME=31")
        if seat in found:
            raise MextrainError(f"{scores.names[seat]} has points twice: give one number for each player")
        found[seat] = points
    missing = [name for seat, name in enumerate(scores.names) if seat not in found]
    if missing and len(found) < len(scores.names):
        raise MextrainError(f"the points of {', '.join(missing)} are missing: give one number for each player")
    return [found[seat] for seat in sorted(found)]
