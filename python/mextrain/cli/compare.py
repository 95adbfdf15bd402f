"""compare rules on equal deals: what a house rule changes, and whom it favours"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from mextrain.cli.common import (
    DEFAULT_PRESET,
    add_first_game,
    add_games,
    add_json,
    add_policy,
    add_rules,
    add_workers,
    columns,
    print_json,
    read_rules,
)
from mextrain.cli.progress import Meter
from mextrain.errors import MextrainError, nearest, shown

if TYPE_CHECKING:
    from mextrain.game.rules import RuleSet

EXAMPLES = (
    "mextrain compare --with double_rule=cover",
    "mextrain compare --policy counting,random,random,random --with opening=single",
    'mextrain compare --with tournament --with puremco --with "pagat double_blank=50" --policy counting',
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `mextrain compare`."""
    add_rules(parser)
    parser.add_argument(
        "--with",
        dest="variants",
        action="append",
        required=True,
        metavar="WHAT",
        help="the rules to compare with: KEY=VALUE, or a preset, or both separated by spaces; write --with again for "
        "each further variant",
    )
    add_games(parser, default=1000)
    add_policy(parser)
    add_workers(parser)
    add_first_game(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Play and print the differences; after Ctrl-C, those of the deals finished so far."""
    from mextrain.bulk.simulate import Interrupted
    from mextrain.study.comparison import compare_rules

    base = read_rules(args)
    variants = {" ".join(text.split()): _variant(text, base, args) for text in args.variants}
    code = 0
    try:
        with Meter() as meter:
            found = compare_rules(
                base,
                variants,
                games=args.games,
                seed=args.seed,
                policies=args.policy,
                workers=args.workers,
                first_game=args.first_game,
                progress=meter,
            )
    except Interrupted as stopped:
        if stopped.finished is None:
            raise
        found, code = stopped.finished, 130
        print(f"mextrain compare: interrupted after {found.games:,} deals", file=sys.stderr)
    if args.json:
        print_json(found.to_dict())
    else:
        last = args.first_game + found.games - 1
        print(f"{found.text(columns())}\nseed {args.seed}, games {args.first_game} … {last}")
    return code


def _variant(text: str, base: RuleSet, args: argparse.Namespace) -> RuleSet:
    """Return the rules that a `--with` means: its options replace those of the base, unless it names a preset."""
    from mextrain.game.rules import OPTIONS, PRESETS, RuleSet

    words = text.split()
    if not words or ("=" not in words[0] and words[0] not in PRESETS):
        known = [*PRESETS, *(f"{name}=VALUE" for name in OPTIONS)]
        hint = nearest(words[0] if words else "", known)
        expected = f"expected KEY=VALUE, or a preset ({', '.join(PRESETS)}){hint and '; '}{hint}"
        raise MextrainError(f"--with {shown(text)} is not usable: {expected}")
    if "=" not in words[0]:
        return RuleSet.from_texts(words[0], base.players, words[1:])
    changed = {word.partition("=")[0] for word in words}
    kept = [option for option in args.option if option.partition("=")[0] not in {*changed, "players"}]
    return RuleSet.from_texts(args.rules or DEFAULT_PRESET, base.players, [*kept, *words])
