"""analyse first hands: how many cannot start, and their best trains"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from mextrain.cli.common import (
    add_first_game,
    add_games,
    add_json,
    add_rules,
    add_workers,
    columns,
    print_json,
    read_rules,
)
from mextrain.cli.progress import Meter

if TYPE_CHECKING:
    from mextrain.game.rules import RuleSet
    from mextrain.study.hands import HandSummary

GOALS = ("longest", "heaviest", "finish")


EXAMPLES = (
    "mextrain hands --games 1000",
    "mextrain hands --players 8 --goal finish",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `mextrain hands`."""
    add_rules(parser)
    add_games(parser, default=10_000, unit="of which the first round is dealt")
    parser.add_argument(
        "--goal",
        choices=GOALS,
        default=GOALS[0],
        help="what the train is best at: tiles, points, or points left over two trains (default: longest)",
    )
    add_workers(parser)
    add_first_game(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the distribution for one set and hand size, or, without rules, one line for each usual combination.

    After Ctrl-C it prints what is finished.
    """
    from mextrain.bulk.simulate import Interrupted
    from mextrain.study.hands import survey_hands

    single = not (args.rules is args.players is None and not args.option)
    tables = [read_rules(args)] if single else _usual()
    found: list[HandSummary] = []
    code = 0
    with Meter() as meter:

        def progress(done: int, games: int) -> None:
            meter(len(found) * games + done, len(tables) * games)

        for rules in tables:
            try:
                found.append(
                    survey_hands(
                        rules,
                        games=args.games,
                        seed=args.seed,
                        goal=args.goal,
                        workers=args.workers,
                        first_game=args.first_game,
                        progress=progress,
                    )
                )
            except Interrupted as stopped:
                if stopped.finished is None and not found:
                    raise
                found += [stopped.finished] if single else []
                code = 130
                break
    if code:
        games = f"{found[0].deals:,} games" if single else f"{len(found)} sets"
        print(f"mextrain hands: interrupted after {games}", file=sys.stderr)
    if args.json:
        each = [one.to_dict() for one in found]
        print_json(each[0] if single else {"hands": each})
    else:
        last = args.first_game + found[0].deals - 1
        print(f"{found[0] if single else _table(found, columns())}\nseed {args.seed}, games {args.first_game} … {last}")
    return code


def _usual() -> list[RuleSet]:
    """Return rules for every set and hand size that the presets use, each once."""
    from mextrain.game.options import PLAYERS_TABLE
    from mextrain.game.rules import RuleSet

    by_hand: dict[tuple[str, int], RuleSet] = {}
    for preset, table in PLAYERS_TABLE.items():
        for players in table:
            rules = RuleSet.preset(preset, players=players)
            by_hand.setdefault((rules.tile_set, rules.hand_size), rules)
    return list(by_hand.values())


def _table(found: list[HandSummary], width: int) -> str:
    """Return a table with one line for each summary."""
    from mextrain._support.tables import Cell, fitted
    from mextrain.bulk.stats import number_text, percent_text
    from mextrain.study.hands import cannot_start

    heads = ("set", "hand", "cannot start", "by counting", "tiles laid", "points left", "all laid")
    rows = [[Cell.of(head) for head in heads]]
    for one in found:
        started, tiles, left = one.cannot_start(), one.tiles(), one.left_points()
        rows.append(
            [
                Cell.of(one.rules.tile_set),
                Cell.of(f"{one.rules.hand_size:>4}"),
                Cell(percent_text(started), f"{100 * started.value:.2f} %"),
                Cell.of(f"{float(100 * cannot_start(one.rules)):.2f} %"),
                Cell(number_text(tiles), f"{tiles.value:.2f}"),
                Cell(number_text(left), f"{left.value:.2f}"),
                Cell.of(f"{100 * one.whole_hand().value:.2f} %"),
            ]
        )
    lines = fitted(rows, width)
    has_intervals = "(" in lines[1]
    about = "; (…) are 95 % intervals, a deal being the unit" if has_intervals else "; --json has 95 % intervals"
    return "\n".join([f"best trains of first hands, goal {found[0].goal}{about}", "", *lines])
