"""print the table of a position"""

from __future__ import annotations

import argparse

from mextrain.cli.common import add_position, read_position

EXAMPLES = (
    "mextrain record --games 1 --option rounds=1 -o one.jsonl",
    "mextrain show - < position.txt",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `mextrain show`."""
    add_position(parser)


def run(args: argparse.Namespace) -> int:
    """Print the table, with all hands."""
    print(read_position(args).table())
    return 0
