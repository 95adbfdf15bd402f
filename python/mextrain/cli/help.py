"""print the help of mextrain, or of a command"""

from __future__ import annotations

import argparse

EXAMPLES = ("mextrain help", "mextrain help stats")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the argument of `mextrain help`."""
    from mextrain.cli import COMMANDS

    parser.add_argument("name", nargs="?", choices=COMMANDS, metavar="COMMAND", help="the command")


def run(args: argparse.Namespace) -> int:
    """Print what `--help` prints."""
    from mextrain.cli import build_parser

    parser = build_parser()
    (parser if args.name is None else parser.commands[args.name]).print_help()
    return 0
