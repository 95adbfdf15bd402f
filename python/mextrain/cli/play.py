"""play a match at the keyboard against any policies"""

from __future__ import annotations

import argparse
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from mextrain.cli.common import add_policy, add_rules, read_rules, seed, whole
from mextrain.errors import MextrainError

if TYPE_CHECKING:
    from mextrain.play.game import Table
    from mextrain.position import Position

EXAMPLES = (
    "mextrain play",
    "mextrain play --policy counting,cautious,random --rounds 1 -o game.jsonl",
    "mextrain play --resume game.jsonl",
    "mextrain play --players 3 --hot-seat 0,2 --names Ann,Bob",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `mextrain play`."""
    add_rules(parser)
    add_policy(parser, "counting")
    parser.set_defaults(policy=None)  # A saved game has its own.
    parser.add_argument("--seat", type=whole(0, 13), metavar="N", help="your seat (default: 0)")
    parser.add_argument("--hot-seat", metavar="N,N…", help="seats of several people who share the keyboard")
    parser.add_argument("--names", metavar="NAME,NAME…", help="names of the people, by seat")
    parser.add_argument("--seed", type=seed, metavar="S", help="seed of the deals (default: a new one)")
    parser.add_argument("--rounds", type=whole(1, 19), metavar="N", help="rounds to play (default: the whole match)")
    parser.add_argument("--hints", choices=("on", "off"), default="on", help="whether hints can be asked for")
    parser.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="colours of tiles (default: auto)"
    )
    parser.add_argument("--resume", metavar="FILE", help="go on with a saved game; it is saved there again")
    parser.add_argument("-o", "--out", metavar="FILE", help="save the game there after every move of yours")


def run(args: argparse.Namespace) -> int:
    """Play until the match is over, the input ends or the person leaves."""
    from mextrain.play.colours import wants_colours
    from mextrain.play.keyboard import Keyboard
    from mextrain.play.session import Session

    table = _table(args)
    path = args.out or args.resume
    interactive = sys.stdin.isatty() and sys.stdout.isatty()
    keyboard = Keyboard(sys.stdin, sys.stdout, wants_colours(args.color, sys.stdout), interactive)
    session = Session(table, keyboard, Path(path) if path else None, args.hints == "on")
    match = table.match
    keyboard.tell(f"{table.rules.describe().partition(chr(10))[0].partition(':')[0]}, seed {match.seed}; ? for help")
    # Fails now rather than after the first move, if the file cannot be written.
    session.save()
    warming = _warm_up(table.position.copy()) if interactive else None
    code = 0
    try:
        if interactive:
            import readline  # noqa: F401 - lines can be edited, and the last ones come back
        session.run()
    except EOFError:
        session.save()
    except KeyboardInterrupt:
        session.save()
        print(file=sys.stderr)
        code = 130
    finally:
        table.end()
    saved = f"saved; mextrain play --resume {session.path} goes on with it"
    if not match.over and session.path is not None:
        keyboard.tell(saved)
    if warming is not None and warming.is_alive():
        # A thread that compiles cannot be stopped, and must not be caught in the end of the interpreter.
        sys.stdout.flush()
        os._exit(code)
    return code


def _table(args: argparse.Namespace) -> Table:
    """Return the game to play: a new one, or the one in the file of `--resume`."""
    import secrets

    from mextrain.play.game import Table

    if args.resume is not None:
        flags = ("rules", "players", "policy", "seat", "hot_seat", "names", "seed", "rounds")
        given = [name for name in flags if getattr(args, name) is not None] + (["option"] if args.option else [])
        if given:
            raise MextrainError(f"--{given[0].replace('_', '-')} is decided by the saved game: leave it out")
        return Table.load(Path(args.resume))
    rules = read_rules(args)
    if args.rounds is not None:
        rules = rules.replace(rounds=args.rounds)
    if args.seat is not None and args.hot_seat is not None:
        raise MextrainError("--seat and --hot-seat name the seats of people: give one of them")
    people = [args.seat or 0] if args.hot_seat is None else _seats(args.hot_seat)
    number = secrets.randbits(32) if args.seed is None else args.seed
    names = args.names.split(",") if args.names else []
    return Table.new(rules, number, people, args.policy or "counting", names)


def _seats(text: str) -> list[int]:
    try:
        seats = sorted({int(part) for part in text.split(",")})
    except ValueError:
        raise MextrainError(f"--hot-seat {text[:40]!r}: expected seats with commas, such as 0,2") from None
    return seats


def _warm_up(position: Position) -> threading.Thread:
    """Compile what hints need while the person looks at the first table."""
    from mextrain.play import advice

    def work() -> None:
        seat = position.seat
        if seat is not None:
            advice.hint(position)
            advice.where(position, seat)
            advice.best_train(position, seat)

    thread = threading.Thread(target=work, name="warm-up", daemon=True)
    thread.start()
    return thread
