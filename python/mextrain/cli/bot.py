"""play a policy as a bot for another program, by lines on stdin and stdout"""

from __future__ import annotations

import argparse
import sys

from mextrain.cli.policies import policies_text

EXAMPLES = (
    "mextrain bot --policy counting",
    'mextrain tournament --policy "cmd:mextrain bot --policy cautious,counting" --deals 5',
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flag of `mextrain bot`."""
    parser.add_argument("--policy", required=True, metavar="NAME", help="the policy that plays; the list is below")
    parser.epilog = policies_text()


def run(args: argparse.Namespace) -> int:
    """Speak mextrain-bot/1 until the host says `quit` or closes the input."""
    from mextrain.play.guest import serve

    serve(args.policy, sys.stdin, sys.stdout)
    return 0
