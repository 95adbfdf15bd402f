"""The command line, `mextrain COMMAND …`.

Each command is a module of this package with a one-line docstring (its help), `EXAMPLES`, `configure(parser)` and
`run(args) -> int`. All slow imports belong inside `run`, so that `--help` answers at once: it must not import NumPy or
Numba. To add a command, write its module and add its name to `COMMANDS`.

Exit codes: 0 success, 1 a negative answer (such as a record that does not replay), 2 invalid arguments or files,
130 interrupted. An error that the user can fix is reported as one line on stderr.

Imports every other room.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from mextrain import __version__
from mextrain.cli.common import set_limits
from mextrain.cli.compiling import CompileWatch
from mextrain.cli.interrupts import prompt_interrupts
from mextrain.errors import MAX_TEXT, MextrainError, nearest, one_line, shown

COMMANDS = (
    "selfplay", "record", "check", "stats", "tournament", "compare", "hands", "plan", "show", "legal", "beliefs",
    "analyse", "replay", "bench", "warmup", "rules", "play", "bot", "score", "companion", "completion", "help",
)
"""The commands, in the order of the help."""

EXAMPLES = "\n  ".join(
    (
        "mextrain play",
        "mextrain stats --games 1000 --policy cautious,random,random,random",
        "mextrain record --games 1 -o rounds.jsonl",
        "mextrain rules --players 5 --option opening=chain",
    )
)
"""What to try first."""

MAX_LINE = 4000
"""Maximum length of an error line, in characters: enough for twenty problems with a rule set."""


class Parser(argparse.ArgumentParser):
    """An argument parser that reports errors in one line, by the name of its command, and says what was meant.

    `commands`: the parsers of the commands, by name.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **options)
        self.commands: dict[str, Parser] = {}

    def error(self, message: str) -> NoReturn:
        """Print `message` in one line, with a hint to the help, and exit with code 2."""
        self.exit(2, f"{self.prog}: {one_line(message)} (see {self.prog} --help)\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse as usual, but refuse unknown arguments here: otherwise the parser of the whole program would."""
        found, extra = super().parse_known_args(args, namespace)
        if extra:
            known = [name for name in self._option_string_actions if name.startswith("--")]
            hint = next(filter(None, (nearest(text.partition("=")[0], known) for text in extra)), "")
            self.error(f"unrecognized arguments: {' '.join(extra)}{hint and '; '}{hint}")
        return found, extra

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is none of the choices, and say which one was probably meant."""
        if action.choices is not None and value not in action.choices:
            names = [str(choice) for choice in action.choices]
            hint = nearest(value, names)
            expected = f"expected {', '.join(names)}{hint and '; '}{hint}"
            raise argparse.ArgumentError(action, f"{shown(value)} is not known: {expected}")


def build_parser() -> Parser:
    """Return the parser for all commands."""
    parser = Parser(
        prog="mextrain",
        description="Mexican Train and Super Train dominoes, simulated.",
        epilog=f"examples:\n  {EXAMPLES}\n\nmextrain help COMMAND tells about one command.",
    )
    parser.add_argument("--version", action="version", version=f"mextrain {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name in COMMANDS:
        module = importlib.import_module(f"mextrain.cli.{name}")
        summary = (module.__doc__ or "").partition("\n")[0]
        command = commands.add_parser(name, help=summary, description=f"{summary[:1].upper()}{summary[1:]}.")
        module.configure(command)
        examples = "\n  ".join(("examples:", *getattr(module, "EXAMPLES", ())))
        command.epilog = f"{command.epilog}\n\n{examples}" if command.epilog else examples
        command.set_defaults(run=module.run)
        parser.commands[name] = command
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command named in `argv` (by default the process's arguments); returns the exit code.

    Invalid arguments raise `SystemExit` with code 2, as usual with argparse.
    """
    for stream in (sys.stdout, sys.stderr):
        # If the terminal cannot show a character, print '?' instead of failing with a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    with prompt_interrupts():
        parser = build_parser()
        args = parser.parse_args(argv)
        if args.command is None:
            parser.print_help()
            return 0
        with CompileWatch(args.command):
            return _run(args)


def _told(error: Exception) -> str:
    """Return what an error says; one of the system without its number."""
    if isinstance(error, OSError) and error.strerror and isinstance(error.filename, str):
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _run(args: argparse.Namespace) -> int:
    try:
        set_limits(args)
        code: int = args.run(args)
        # Flush here, so that a full disk or a closed pipe is reported and does not cause a traceback at exit.
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader of our output has closed the pipe; discard what is left in the buffer.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        print(f"mextrain {args.command}: interrupted", file=sys.stderr)
        return 130
    except (MextrainError, OSError, ImportError) as error:
        limit = MAX_LINE if isinstance(error, MextrainError) else MAX_TEXT
        print(f"mextrain {args.command}: {one_line(_told(error), limit)}", file=sys.stderr)
        return 2
    except UnicodeEncodeError as error:
        # A path that is not valid UTF-8, which some libraries do not accept.
        print(f"mextrain {args.command}: {one_line(ascii(error.object))} is not valid Unicode", file=sys.stderr)
        return 2
