"""compile the kernels ahead of time, and print how long that took and where the code is kept"""

from __future__ import annotations

import argparse
import sys

from mextrain.cli.common import add_json, print_json

EXAMPLES = (
    "mextrain warmup",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flag of `mextrain warmup`."""
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Compile and report; the exit code is 1 if nothing can be cached for the next process."""
    from mextrain.precompile import warmup

    def tell(part: str) -> None:
        print(f"compiling: {part} …", file=sys.stderr)

    done = warmup(tell if sys.stderr.isatty() else None)
    if args.json:
        print_json(
            {"folder": done.folder, "compiled": done.compiled, "loaded": done.loaded, "seconds": dict(done.seconds)}
        )
    else:
        print(done)
    return 0 if done.folder else 1
