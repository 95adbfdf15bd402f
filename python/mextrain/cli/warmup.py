"""compile the engine ahead, and say how long that took and where it is kept"""

from __future__ import annotations

import argparse
import sys


def configure(parser: argparse.ArgumentParser) -> None:
    """Add no flags: `mextrain warmup` has none."""


def run(args: argparse.Namespace) -> int:
    """Compile and report; the exit code is 1 if nothing can be cached for the next process."""
    from mextrain.precompile import warmup

    def tell(part: str) -> None:
        print(f"compiling: {part} …", file=sys.stderr)

    done = warmup(tell if sys.stderr.isatty() else None)
    print(done)
    return 0 if done.folder else 1
