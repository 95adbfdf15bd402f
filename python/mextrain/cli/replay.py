"""write a page for the browser that steps through a round"""

from __future__ import annotations

import argparse

from mextrain.cli.common import seed, whole
from mextrain.cli.named_position import add_position, read_position
from mextrain.cli.progress import Meter


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `mextrain replay`."""
    add_position(parser, seat_help="write nothing into the page that this seat cannot see (default: everything)")
    parser.add_argument("-o", "--out", metavar="FILE.html", required=True, help="the page to write, one file")
    parser.add_argument("--names", metavar="NAME,NAME…", help="who sits at the table, one name for each seat")
    parser.add_argument("--no-beliefs", action="store_true", help="leave out where unseen tiles probably are")
    parser.add_argument(
        "--worlds",
        type=whole(20, 100_000),
        default=256,
        metavar="N",
        help="play-outs, and samples of unseen tiles, at each decision (default: 256)",
    )
    parser.add_argument(
        "--analyse",
        metavar="SEARCH",
        help="also show what each decision lost, by flat, tree or improve, with its play-outs as in flat:400",
    )
    parser.add_argument("--seed", type=seed, default=0, metavar="S", help="seed of play-outs and samples (default: 0)")


def run(args: argparse.Namespace) -> int:
    """Write the page."""
    from mextrain.study.analysis import analyse
    from mextrain.web.page import Page, replay_page

    # Before anything that takes time.
    Page.check_name(args.out)
    named = read_position(args)
    found = None
    if args.analyse is not None:
        with Meter("decisions") as meter:
            found = analyse(named.end, method=args.analyse, seed=args.seed, progress=meter)
    page = replay_page(
        named.end,
        for_seat=named.for_seat,
        names=None if args.names is None else args.names.split(","),
        beliefs=not args.no_beliefs,
        worlds=args.worlds,
        seed=args.seed,
        analysis=found,
        event=named.event,
    )
    page.save(args.out)
    return 0
