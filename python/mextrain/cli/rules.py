"""list presets and options, or show what a choice of them resolves to"""

from __future__ import annotations

import argparse
import textwrap
from typing import TYPE_CHECKING, Any

from mextrain.cli.common import add_json, add_rules, columns, print_json, read_rules
from mextrain.errors import MextrainError

if TYPE_CHECKING:
    from mextrain.game.rules import RuleSet


EXAMPLES = (
    "mextrain rules",
    "mextrain rules --rules super --players 5 --option opening=chain",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `mextrain rules`."""
    add_rules(parser)
    add_json(parser)
    parser.add_argument("--page", action="store_true", help="print the page that says exactly what is played")


def run(args: argparse.Namespace) -> int:
    """Print all presets and options, the resolved rules if the arguments select any, or the page."""
    if args.page:
        from mextrain._support.pages import page

        print(page("rules.md").read_text(encoding="utf-8"), end="")
        return 0
    if args.rules is None and args.players is None and not args.option:
        if args.json:
            print_json(_catalogue())
        else:
            print(f"{_catalogue_text(columns())}\n\n{_where_the_page_is()}")
        return 0
    rules = read_rules(args)
    if args.json:
        print_json(_resolved(rules))
    else:
        print(_resolved_text(rules, columns()))
    return 0


def _catalogue() -> dict[str, Any]:
    from mextrain.game.options import OPTIONS, PLAYERS_TABLE, PRESETS
    from mextrain_core.model import options

    return {
        "presets": {
            preset: {
                "meaning": options.PRESETS[preset].meaning,
                "printed_by": options.PRESETS[preset].printed_by,
                "plays": options.PRESETS[preset].plays,
                "deviates": options.PRESETS[preset].deviates,
                "players": {
                    str(players): {"tile_set": tile_set, "hand_size": hand_size}
                    for players, (tile_set, hand_size) in PLAYERS_TABLE[preset].items()
                },
                "defaults": {name: option.default(preset) for name, option in OPTIONS.items()},
            }
            for preset in PRESETS
        },
        "options": {
            name: {
                "meaning": option.meaning,
                "section": option.section,
                "shapes": option.shapes,
                "values": option.lines,
            }
            for name, option in OPTIONS.items()
        },
    }


def _catalogue_text(width: int) -> str:
    from mextrain.game.options import OPTIONS, PRESETS

    lines = [*_presets_text(width), ""]
    lines += ["", "Options: set them with --option KEY=VALUE (sections are those of docs/rules.md)", ""]
    for name, option in OPTIONS.items():
        lines += _wrapped("  ", f"{name}: {option.meaning} (section {option.section})", width)
        wide = max(map(len, option.lines))
        for value, meaning in option.lines.items():
            lines += _wrapped(f"      {value:<{wide}}  ", meaning, width)
        usual, *others = ((preset, _shown(option.default(preset))) for preset in PRESETS)
        different = (f"; {preset}: {default}" for preset, default in others if default != usual[1])
        lines += _wrapped("      default: ", f"{usual[1]}{''.join(different)}", width)
    return "\n".join(lines)


def _wrapped(head: str, text: str, width: int) -> list[str]:
    """Return `text` after `head`, wrapped, with the further lines indented to the first one's text."""
    return textwrap.wrap(
        text, max(width, len(head) + 20), initial_indent=head, subsequent_indent=" " * len(head), break_long_words=False
    )


def _presets_text(width: int) -> list[str]:
    """The presets by who prints their rules, each with its deals and options."""
    from mextrain_core.model.options import BRANDS, PRESETS, SHEETS

    more = "Presets: --rules NAME; section 14 of docs/rules.md lists more printed rules, with what to type"
    lines = textwrap.wrap(more, width)
    for printer in (BRANDS, SHEETS):
        lines += ["", *textwrap.wrap(printer, width)]
        for name, preset in PRESETS.items():
            if preset.printed_by != printer:
                continue
            lines += _wrapped("  ", f"{name}: {preset.meaning}", width)
            lines += _wrapped("      plays: ", preset.plays, width)
            lines += _wrapped("      differs: ", preset.deviates, width)
            deals: dict[tuple[str, int], list[int]] = {}
            for players, deal in preset.deals.items():
                deals.setdefault(deal, []).append(players)
            for (tile_set, hand_size), tables in deals.items():
                span = f"{tables[0]}-{tables[-1]}" if len(tables) > 1 else f"{tables[0]}"
                lines.append(f"    {span:>5} players: {tile_set}, {hand_size} tiles each")
            options = " ".join(f"{option}={_shown(value)}" for option, value in preset.options.items())
            if options:
                lines += _wrapped("      options: ", options, width)
    return lines


def _where_the_page_is() -> str:
    from mextrain._support.pages import page

    try:
        return f"docs/rules.md is {page('rules.md')}; mextrain rules --page prints it"
    except MextrainError as error:
        return str(error)


def _resolved(rules: RuleSet) -> dict[str, Any]:
    from mextrain.bulk.backend import obstacle

    return {
        "rules": rules.to_dict(),
        "options": rules.options(),
        "tiles": len(rules.tiles),
        "boneyard": rules.boneyard_size,
        "engines": [str(engine) for engine in rules.engines],
        "actions": rules.action_count,
        "lockstep": {"plays": obstacle(rules) is None, "why_not": obstacle(rules)},
    }


def _resolved_text(rules: RuleSet, width: int) -> str:
    from mextrain.bulk.backend import obstacle

    changed = rules.to_dict()
    lines = [*textwrap.wrap(rules.describe().partition("\n")[0], width), ""]
    for name, value in rules.options().items():
        mark = "*" if name in changed and name != "players" else " "
        lines.append(f"{mark} {name:<18} {_shown(value)}")
    engines = " ".join(str(engine) for engine in rules.engines)
    if not rules.engines_are_known:
        engines = "the deal decides them; the rounds are named " + engines
    lines += ["", *_wrapped("engines: ", engines, width)]
    lines.append(f"action ids: {rules.action_count}")
    why_not = obstacle(rules)
    plays = f"no, {why_not}" if why_not else "yes, with most built-in policies"
    lines += _wrapped("lockstep: ", plays, width)
    if any(line.startswith("*") for line in lines):
        lines.append(f"* differs from the preset {rules.preset_name}")
    return "\n".join(lines)


def _shown(value: object) -> str:
    return "none" if value is None else str(value)
