"""print the table of a position"""

from __future__ import annotations

import argparse

from mextrain.cli.common import add_position, read_position


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `mextrain show`."""
    add_position(parser)


def run(args: argparse.Namespace) -> int:
    """Print the table, with all hands."""
    print(read_position(args).table())
    return 0
