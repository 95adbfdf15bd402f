"""A hash of the core's behaviour: it changes if and only if the games that are played change.

It is a digest of the points, facts and moves of fixed games. Together these games use all presets, all numbers of
players, every value of every option and every built-in policy. A refactoring must keep the hash. A change of behaviour
must change the value that the tests pin.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

from mextrain.bulk.simulate import simulate
from mextrain.game.options import OPTIONS, PLAYERS_TABLE
from mextrain.game.rules import RuleSet
from mextrain.game.tiles import TileSet

GAMES = 4
"""Games per rule set."""

ROUNDS = 3
"""Rounds per game, unless the rule set says otherwise."""

_NUMBERS: dict[str, tuple[Any, ...]] = {
    "hand_size": (1, 5),
    "rounds": (1, 4),
    "starter": (0, 2),
    "max_uncovered": (None, 1),
    "double_blank": (0, 25, 50),
}
"""Sample values for options that take numbers."""

_POLICIES = ("random", "heaviest", "cautious")

_COMPANIONS: dict[tuple[str, str], dict[str, Any]] = {
    ("foot_ends", "center"): {"double_rule": "chicken_foot"},
    ("engine_hunt", "together"): {"engine_from": "holder", "hand_size": 3},
    ("engine_from", "highest"): {"hand_size": 3},
    ("engine_from", "own_highest"): {"hand_size": 3},
    ("failed_cover", "mark"): {"double_rule": "cover"},
    ("failed_cover", "mark_and_play"): {"double_rule": "cover"},
}
"""Other options that a value needs to have a noticeable effect."""


FIRST = ("mexican", "super")
"""The presets of the first part of the signature."""

ADDED: dict[str, tuple[Any, ...]] = {
    "opening": ("together",),
    "mexican_start": ("after_all_trains", "never"),
    "draw_limit": ("until_it_fits",),
    "double_rule": ("none",),
    "engine_order": ("down", "up"),
    "tie_break": ("shared", "zeros"),
    "engine_from": ("set_aside", "holder", "highest", "own_highest"),
    "engine_hunt": ("in_turn", "together"),
    "own_train_first": ("no", "trains", "all"),
    "failed_double": ("draw", "mark", "pass"),
}
"""Values of options that came later: the rule sets with them follow all others, so that those keep their part."""


def rule_sets() -> Iterator[RuleSet]:
    """Yield the rule sets of the signature, always the same ones in the same order."""
    yield from first_rule_sets()
    yield from added_rule_sets()


def added_rule_sets() -> Iterator[RuleSet]:
    """Yield the rule sets with what came after the first part: presets, options, and values of older options."""
    for preset, tables in PLAYERS_TABLE.items():
        for players in tables if preset not in FIRST else ():
            yield RuleSet.preset(preset, players=players, rounds=ROUNDS)
    for number, (name, value) in enumerate(_values(added=True)):
        for players in (2, 3 + number % 4):
            options: dict[str, Any] = {name: value, **_COMPANIONS.get((name, value), {})}
            yield RuleSet.mexican(players, rounds=ROUNDS, **options)


def first_rule_sets() -> Iterator[RuleSet]:
    """Yield the rule sets of the first part of the signature."""
    for preset in FIRST:
        for players in PLAYERS_TABLE[preset]:
            yield RuleSet.preset(preset, players=players, rounds=ROUNDS)
    for number, (name, value) in enumerate(_values(added=False)):
        preset = "super" if name in ("letter_match", "twice_bonus") or value == "*-*" else "mexican"
        options: dict[str, Any] = {name: value, **_COMPANIONS.get((name, value), {})}
        if name == "tile_set":
            players = 2 + number % 3
            tiles = len(TileSet(value))
            # From an empty boneyard to two thirds of the set.
            hand = max(1, (tiles - 1) // players // (1 + number % 3))
            rounds = min(ROUNDS, len(TileSet(value).doubles))
            yield RuleSet.mexican(players, tile_set=value, hand_size=hand, rounds=rounds)
            continue
        if name not in ("rounds", "first_engine"):
            options["rounds"] = ROUNDS
        for players in (2, 3 + number % 4):
            if name != "starter" or value not in range(players, 99):
                yield RuleSet.preset(preset, players=players, **options)
    # Options that have an effect only in combination.
    yield RuleSet.super(3, double_rule="cover", open_double_order="newest", max_uncovered=None, rounds=ROUNDS)
    yield RuleSet.super(4, opening="chain", letter_match="anywhere", drawn_tile="own_train", rounds=ROUNDS)
    foot = {"double_rule": "chicken_foot", "dead_double": "binds", "finish_on_double": "must_cover"}
    yield RuleSet.mexican(4, rounds=ROUNDS, **foot)
    yield RuleSet.mexican(5, open_double_order="any", drawn_play="may", marker_off="any_play", rounds=ROUNDS)


def _values(added: bool) -> Iterator[tuple[str, Any]]:
    """Yield every option with each of its values, or with sample values for numbers; `players` has its own loop.

    `added`: only the values of `ADDED`, else all others.
    """
    for name, option in OPTIONS.items():
        values = ("0-0", "5-5", "*-*") if name == "first_engine" else (*option.words, *_NUMBERS.get(name, ()))
        for value in values if name != "players" else ():
            if (value in ADDED.get(name, ())) == added:
                yield name, value


def signature(sets: Iterable[RuleSet] | None = None) -> str:
    """Return the signature: 16 hex digits; with `sets` that of these rule sets instead of `rule_sets`."""
    digest = hashlib.sha256()
    for number, rules in enumerate(rule_sets() if sets is None else sets):
        policies = [_POLICIES[(number + seat) % len(_POLICIES)] for seat in range(rules.players)]
        for names in (["random"] * rules.players, policies):
            played = simulate(rules, games=GAMES, seed=number, policies=names, record_actions=True, backend="scalar")
            assert played.actions is not None
            for array, kind in ((played.points, "<i8"), (played.facts, "<i4"), (played.actions, "<u2")):
                digest.update(array.astype(kind).tobytes())
    return digest.hexdigest()[:16]
