"""The command line, `mextrain COMMAND …`.

Each command is a module of this package with a one-line docstring (its help), `configure(parser)` and
`run(args) -> int`. All heavy imports belong inside `run`, so that `--help` answers at once: it must import neither
NumPy nor Numba. To add a command, write its module and add its name to `COMMANDS`.

Exit codes: 0 done, 1 the answer is no (such as a record that does not replay), 2 wrong arguments or files,
130 interrupted. An error that the user can put right is one line on stderr.

Imports every other room.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from mextrain import __version__
from mextrain.cli.interrupts import prompt_interrupts
from mextrain.errors import MAX_TEXT, MextrainError, one_line

COMMANDS = (
    "selfplay", "record", "check", "stats", "tournament", "hands", "plan", "show", "legal", "beliefs", "bench",
    "warmup", "rules",
)
"""The commands, in the order of the help."""

MAX_LINE = 4000
"""Characters of an error's line: enough for twenty problems with a set of rules."""


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are one line."""

    def error(self, message: str) -> NoReturn:
        """Print `message` in one line, with where to look for help, and exit with code 2."""
        self.exit(2, f"{self.prog}: {one_line(message)} (see {self.prog} --help)\n")


def build_parser() -> Parser:
    """Return the parser of all commands."""
    parser = Parser(prog="mextrain", description="Mexican Train and Super Train dominoes, simulated.")
    parser.add_argument("--version", action="version", version=f"mextrain {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS:
        module = importlib.import_module(f"mextrain.cli.{name}")
        summary = (module.__doc__ or "").partition("\n")[0]
        command = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        module.configure(command)
        command.set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that `argv` (by default the process's arguments) names; returns the exit code.

    Wrong arguments end in `SystemExit` with code 2, as usual with argparse.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets a '?' in its place, not a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    with prompt_interrupts():
        return _run(build_parser().parse_args(argv))


def _run(args: argparse.Namespace) -> int:
    try:
        code: int = args.run(args)
        # A full disk or a closed pipe shows here, not in a traceback at exit.
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Whoever read our output has seen enough; what is left in the buffer goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        print(f"mextrain {args.command}: interrupted", file=sys.stderr)
        return 130
    except (MextrainError, OSError, ImportError) as error:
        limit = MAX_LINE if isinstance(error, MextrainError) else MAX_TEXT
        print(f"mextrain {args.command}: {one_line(str(error), limit)}", file=sys.stderr)
        return 2
    except UnicodeEncodeError as error:
        # A path that is not UTF-8, which some libraries do not take.
        print(f"mextrain {args.command}: {one_line(ascii(error.object))} is not valid Unicode", file=sys.stderr)
        return 2
