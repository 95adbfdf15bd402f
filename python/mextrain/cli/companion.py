"""follow a round that people play with real tiles, and say what could be done"""

from __future__ import annotations

import argparse
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from mextrain.cli.common import add_rules, read_rules, whole
from mextrain.errors import MextrainError

if TYPE_CHECKING:
    from mextrain.play.companion import Companion
    from mextrain.play.keyboard import Keyboard

EXAMPLES = (
    'mextrain companion --engine 12-12 --seat 0 --hand "12-5 5-7 …" -o round.json',
    "mextrain companion --resume round.json",
)

HELP = """
  7-3@M          you lay 7-3 on the Mexican Train (@0 … for the train of a seat)
  1 7-3@1        seat 1 lays 7-3 on its own train
  draw 5-2       you draw 5-2;  2 draw: seat 2 draws a tile
  open, 2 open   could not play: the marker of the train goes up
  stop           the opening train ends, or the drawn tile is kept
  1 draw, 1 open several entries on one line, separated by commas
  hint           what each legal move loses, if it is your turn
  u              take back the last entry
  l              list the entries
  w FILE         save;  q: save and leave;  Enter: the report again
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `mextrain companion`."""
    add_rules(parser)
    parser.add_argument("--engine", metavar="DOUBLE", help="the double in the centre (default: the first of the rules)")
    parser.add_argument("--seat", type=whole(0, 13), default=0, metavar="N", help="your seat (default: 0)")
    parser.add_argument("--starter", type=whole(0, 13), default=0, metavar="N", help="who begins (default: 0)")
    parser.add_argument("--hand", metavar="TILES", help="your tiles as dealt")
    parser.add_argument("--resume", metavar="FILE", help="go on with a saved round")
    parser.add_argument("-o", "--out", metavar="FILE", help="save the round there after every entry")


def run(args: argparse.Namespace) -> int:
    """Read entries until the input ends, and print the report after each."""
    from mextrain.play.companion import Companion, dealt
    from mextrain.play.keyboard import Keyboard

    if args.resume is not None:
        companion = Companion.load(Path(args.resume))
    else:
        rules = read_rules(args)
        if args.hand is None:
            raise MextrainError("--hand is needed: your tiles as dealt, as in --hand '12-5 5-7 …'")
        if args.engine is None and not rules.engines_are_known:
            raise MextrainError(f"--engine is needed: with engine_from={rules.engine_from} the deal decides it")
        engine = args.engine or str(rules.engines[0])
        companion = Companion(rules, engine, args.starter, args.seat, dealt(rules, args.hand))
    path = Path(args.out or args.resume) if args.out or args.resume else None
    keyboard = Keyboard(sys.stdin, sys.stdout, False, sys.stdin.isatty() and sys.stdout.isatty())
    keyboard.tell("? lists what can be typed")
    try:
        _follow(companion, keyboard, path)
    except EOFError:
        pass
    except KeyboardInterrupt:
        if path is not None:
            companion.save(path)
        return 130
    if path is not None:
        companion.save(path)
    return 0


def _follow(companion: Companion, keyboard: Keyboard, path: Path | None) -> None:
    changed = True
    while True:
        if changed:
            if path is not None:
                companion.save(path)
            for line in companion.report():
                keyboard.tell(textwrap.wrap(line, 80, subsequent_indent="    "))
        answer = keyboard.ask("> ")
        changed = False
        try:
            if answer in ("q", "quit"):
                return
            if answer in ("?", "help"):
                keyboard.tell(HELP.strip("\n").splitlines())
            elif answer in ("u", "undo"):
                keyboard.tell(f"taken back: {companion.undo()}")
                changed = True
            elif answer in ("l", "list"):
                events = " ".join(event.text.replace(" ", "_") for event in companion.follower.events)
                keyboard.tell(textwrap.wrap(events or "nothing yet", 80))
            elif answer in ("h", "hint"):
                keyboard.tell(_hint(companion))
            elif answer.partition(" ")[0] == "w":
                target = Path(answer.partition(" ")[2].strip() or path or "companion.json")
                companion.save(target)
                keyboard.tell(f"saved; mextrain companion --resume {target} goes on with it")
            elif answer:
                companion.note(answer)
                changed = True
            else:
                changed = True
        except (MextrainError, OSError) as error:
            keyboard.tell(textwrap.wrap(f"not taken: {error}", 80))


def _hint(companion: Companion) -> list[str]:
    from mextrain.play.advice import hint

    return hint(companion.follower.position())
