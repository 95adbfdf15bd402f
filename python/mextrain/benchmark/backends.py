"""The backends by name, each as a function that plays games and returns their hash."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mextrain.benchmark.twin import NoTwin, load_twin
from mextrain.bulk.backend import obstacle
from mextrain.bulk.results import Rounds
from mextrain.bulk.seat_policies import Seats
from mextrain.bulk.simulate import Player
from mextrain.game.rules import RuleSet
from mextrain_core.compiler.vectors import LANES, ROW_BYTES
from mextrain_core.lockstep.flags import flags_of
from mextrain_core.lockstep.layout import layout
from mextrain_core.lockstep.player import accepts
from mextrain_core.lockstep.policy import policy_obstacle
from mextrain_core.model.state import new_states

NAMES = ("scalar", "lockstep", "c")

Play = Callable[[int, Rounds], int]
"""Plays as many games as the `Rounds` have room for, starting with a given game, and returns their hash."""


@dataclass(frozen=True)
class Backend:
    """One way to play: `player()` makes a `Play` for one thread.

    `bytes_per_game`: working memory of one game while it is played.
    """

    name: str
    player: Callable[[], Play]
    bytes_per_game: int


@dataclass(frozen=True)
class Backends:
    """The backends that can play the rules here, and the reasons why the others cannot, by name."""

    found: tuple[Backend, ...]
    missing: dict[str, str]


def backends_for(rules: RuleSet, policies: tuple[str, ...], seed: int, only: str = "auto") -> Backends:
    """Return the backends that play `rules` with these policies by seat; compiles the C twin, but no kernel.

    `only` is `auto` for all of our backends, or the name of one; the C twin is always included.
    """
    seats = Seats.of(policies, rules.players)
    found, missing = [], {}
    if only != "lockstep":
        found.append(_ours(rules, seats, seed, "scalar", new_states(1).itemsize))
    if only != "scalar":
        if seats.builtin and accepts(rules.record, seats.ids):
            rows = layout(flags_of(rules.record[0], seats.ids)).rows
            found.append(_ours(rules, seats, seed, "lockstep", rows * ROW_BYTES // LANES))
        else:
            why = obstacle(rules) or policy_obstacle(rules.record[0], seats.ids) or "not on this machine"
            missing["lockstep"] = f"lockstep cannot play this: {why}"
    try:
        twin = load_twin(rules, seats.names)
    except NoTwin as reason:
        missing["c"] = str(reason)
    else:

        def play_twin(first_game: int, rounds: Rounds) -> int:
            return int(twin.play(seed, first_game, rounds.games)["hash"])

        found.append(Backend("c", lambda: play_twin, twin.state_bytes))
    return Backends(tuple(found), missing)


def _ours(rules: RuleSet, seats: Seats, seed: int, name: str, bytes_per_game: int) -> Backend:
    def player() -> Play:
        bulk, nothing = Player(rules, seats, seed, name), np.empty(0, np.uint16)
        bulk.warm_up()

        def play(first_game: int, rounds: Rounds) -> int:
            return int(bulk.play(first_game, rounds, nothing)[0])

        return play

    return Backend(name, player, bytes_per_game)
