"""tell what first hands can do: hands that cannot start, best trains"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from mextrain.cli.common import add_first_game, add_games, add_rules, add_workers, read_rules
from mextrain.cli.progress import Meter

if TYPE_CHECKING:
    from mextrain.game.rules import RuleSet
    from mextrain.study.hands import HandSummary

GOALS = ("longest", "heaviest", "finish")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `mextrain hands`."""
    add_rules(parser)
    add_games(parser, default=10_000)
    parser.add_argument(
        "--goal",
        choices=GOALS,
        default=GOALS[0],
        help="what the train is best at: tiles, points, or points left over two trains (default: longest)",
    )
    add_workers(parser)
    add_first_game(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


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
        print(json.dumps(each[0] if single else {"hands": each}, ensure_ascii=False, indent=2))
    else:
        last = args.first_game + found[0].deals - 1
        print(f"{found[0] if single else _table(found)}\nseed {args.seed}, games {args.first_game} … {last}")
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


def _table(found: list[HandSummary]) -> str:
    """Return a table with one line for each summary."""
    from mextrain.bulk.stats import number_text, percent_text
    from mextrain.study.hands import cannot_start

    lines = [
        f"best trains of first hands, goal {found[0].goal}; (…) are 95 % intervals, a deal being the unit",
        "",
        f"set     hand  {'cannot start':<24}{'exactly':<8}{'tiles laid':<22}{'points left':<25}whole",
    ]
    for one in found:
        rules = one.rules
        exact = f"{float(100 * cannot_start(rules)):.2f} %"
        lines.append(
            f"{rules.tile_set:<9}{rules.hand_size:>3}  {percent_text(one.cannot_start()):<24}{exact:<8}"
            f"{number_text(one.tiles()):<22}{number_text(one.left_points()):<25}{100 * one.whole_hand().value:.2f} %"
        )
    return "\n".join(lines)
