"""A hash of the core's behaviour: it changes if and only if the games that are played change.

It is a digest of the points, facts and moves of fixed games. Together these games use both presets, all numbers of
players, every value of every option and every built-in policy. A refactoring must keep the hash. A change of behaviour
must change the value that the tests pin.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
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

_COMPANIONS = {
    ("foot_ends", "center"): {"double_rule": "chicken_foot"},
    ("failed_cover", "mark"): {"double_rule": "cover"},
    ("failed_cover", "mark_and_play"): {"double_rule": "cover"},
}
"""Other options that a value needs to have a noticeable effect."""


def rule_sets() -> Iterator[RuleSet]:
    """Yield the rule sets of the signature, always the same ones in the same order."""
    for preset, tables in PLAYERS_TABLE.items():
        for players in tables:
            yield RuleSet.preset(preset, players=players, rounds=ROUNDS)
    for number, (name, value) in enumerate(_values()):
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


def _values() -> Iterator[tuple[str, Any]]:
    """Yield every option with each of its values, or with sample values for numbers; `players` has its own loop."""
    for name, option in OPTIONS.items():
        if name == "first_engine":
            yield from ((name, value) for value in ("0-0", "5-5", "*-*"))
        elif name != "players":
            yield from ((name, value) for value in (*option.words, *_NUMBERS.get(name, ())))


def signature() -> str:
    """Return the signature: 16 hex digits."""
    digest = hashlib.sha256()
    for number, rules in enumerate(rule_sets()):
        policies = [_POLICIES[(number + seat) % len(_POLICIES)] for seat in range(rules.players)]
        for names in (["random"] * rules.players, policies):
            played = simulate(rules, games=GAMES, seed=number, policies=names, record_actions=True, backend="scalar")
            assert played.actions is not None
            for array, kind in ((played.points, "<i8"), (played.facts, "<i4"), (played.actions, "<u2")):
                digest.update(array.astype(kind).tobytes())
    return digest.hexdigest()[:16]
