"""Shared Hypothesis strategies: rule sets over the whole space of docs/rules.md, section 11."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from mextrain import OPTIONS, RuleSet, TileSet
from mextrain.game.options import PLAYERS_TABLE, PRESETS
from mextrain_core.model.options import SET_NAMES

SEEDS = st.integers(0, 2**64 - 1)
GAMES = st.integers(0, 2**59 - 1)

_WORDS = {
    name: option.words
    for name, option in OPTIONS.items()
    if option.words and option.numbers is None and name not in ("tile_set", "first_engine")
}
"""Options that take one of a few words; dependencies between them are handled below."""


@st.composite
def rule_sets(draw: Any, **fixed: object) -> RuleSet:
    """Any playable rules: presets, 2 … 14 players, every set and option; `fixed` options are kept.

    Half of the options stay at their default, so that combinations of few options are as likely as mixtures of many;
    small hands and boneyards are common, because they lead to rare states.
    """
    preset = draw(st.sampled_from(PRESETS))
    players = fixed.get("players") or draw(st.integers(2, 14))
    options: dict[str, Any] = {}
    if draw(st.booleans()):
        fitting = [name for name in SET_NAMES if len(TileSet(name)) > players]
        options["tile_set"] = draw(st.sampled_from(fitting))
    options.update((name, value) for name, value in fixed.items() if name == "tile_set")
    tile_set = options.get("tile_set", PLAYERS_TABLE[preset][players][0])
    most = (len(TileSet(tile_set)) - 1) // players
    if options or draw(st.booleans()):
        options["hand_size"] = draw(st.one_of(st.integers(1, min(3, most)), st.integers(1, most), st.just(most)))
    changed = draw(st.sets(st.sampled_from(sorted(_WORDS)), max_size=len(_WORDS)))
    for name in sorted(changed):
        options[name] = draw(st.sampled_from(_WORDS[name]))
    if options.get("double_rule") == "chicken_foot" and tile_set == "super":
        options["double_rule"] = "cover"
    options["max_uncovered"] = draw(st.sampled_from((None, 1)))
    if draw(st.booleans()):
        options["double_blank"] = draw(st.sampled_from((0, 25, 50)))
    if draw(st.booleans()):
        options["starter"] = draw(st.sampled_from(("draw", "rotate", "winner", 0, players - 1)))
    options.update(fixed)
    options["players"] = players
    # Combinations that are refused.
    if "engine_from" not in fixed and tile_set == "super":
        options["engine_from"] = "set_aside"
    resolved = {name: option.default(preset) for name, option in OPTIONS.items()} | options
    if options.get("hand_size") == 1:  # whoever lays the engine would begin without tiles
        options["engine_from"] = "set_aside"
    if resolved["engine_from"] in ("highest", "own_highest") and options.get("hand_size") != 1:
        options["engine_order"] = "down"
    if resolved["double_rule"] == "chicken_foot" and resolved["opening"] == "together":
        options["opening"] = "chain"
    remembers = {"draw_limit": "until_it_fits", "drawn_tile": "own_train", "dead_double": "binds"}
    if remembers.items() <= resolved.items():
        options["drawn_tile"] = "anywhere"
    return RuleSet.from_dict({"preset": preset, **options})


@st.composite
def rounds(draw: Any, **fixed: object) -> tuple[RuleSet, int, int, str, int | None]:
    """The parameters of a dealt round: (rules, seed, game, engine, starter), starter None for the drawn one."""
    rules = draw(rule_sets(**fixed))
    engine = draw(st.sampled_from([str(tile) for tile in rules.tiles.doubles]))
    # Rules with a fixed starter allow no other.
    seats = st.just(rules.starter) if isinstance(rules.starter, int) else st.integers(0, rules.players - 1)
    starter = draw(st.one_of(st.none(), seats))
    return rules, draw(SEEDS), draw(GAMES), engine, starter
