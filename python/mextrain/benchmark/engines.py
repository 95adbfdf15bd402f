"""The engines by name, each as a function that plays games and returns their hash."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mextrain.benchmark.twin import NoTwin, load_twin
from mextrain.rounds import Rounds
from mextrain.rules import RuleSet
from mextrain.seats import Seats
from mextrain.simulation import Player

NAMES = ("scalar", "lockstep", "c")

Play = Callable[[int, Rounds], int]
"""Plays as many games as the `Rounds` have room for, from a number on, and returns their hash."""


@dataclass(frozen=True)
class Engine:
    """One way to play: `player()` makes a `Play` for one thread.

    `bytes_per_game`: working memory that a game takes while it is played.
    """

    name: str
    player: Callable[[], Play]
    bytes_per_game: int


@dataclass(frozen=True)
class Engines:
    """The engines that play some rules here, and why the others do not, by name."""

    found: tuple[Engine, ...]
    missing: dict[str, str]


def engines_for(rules: RuleSet, policies: tuple[str, ...], seed: int) -> Engines:
    """Return the engines that play `rules` with these policies by seat; compiles the C twin, but no kernel."""
    seats = Seats.of(policies, rules.players)
    found, missing = [_scalar(rules, seats, seed)], {}
    lockstep = _lockstep(rules, seats, seed)
    if lockstep is None:
        missing["lockstep"] = "the lockstep engine does not serve these rules and policies on this machine"
    else:
        found.append(lockstep)
    try:
        twin = load_twin(rules, seats.names)
    except NoTwin as reason:
        missing["c"] = str(reason)
    else:

        def play_twin(first_game: int, rounds: Rounds) -> int:
            return int(twin.play(seed, first_game, rounds.games)["hash"])

        found.append(Engine("c", lambda: play_twin, twin.state_bytes))
    return Engines(tuple(found), missing)


def _scalar(rules: RuleSet, seats: Seats, seed: int) -> Engine:
    from mextrain_core.rollout import play_games
    from mextrain_core.state import new_states

    def player() -> Play:
        states, nothing = new_states(1), np.empty(0, np.uint16)
        # Policies of the user's are called in ways that only bulk play knows.
        bulk = None if seats.builtin else Player(rules, seats, seed)

        def play(first_game: int, rounds: Rounds) -> int:
            if bulk is not None:
                return int(bulk.play(first_game, rounds, nothing)[0])
            job = np.uint64(seed), np.uint64(first_game), rounds.games, rounds.points, rounds.facts, nothing
            return int(play_games(states, 0, rules.record, seats.ids, *job)[0])

        return play

    return Engine("scalar", player, new_states(1).itemsize)


def _lockstep(rules: RuleSet, seats: Seats, seed: int) -> Engine | None:
    from mextrain_core import lockstep
    from mextrain_core._lanes import ROW_BYTES
    from mextrain_core.lockstep.flags import flags_of
    from mextrain_core.lockstep.layout import layout

    ids = seats.ids.tolist()
    flags = flags_of(rules.record[0], ids)
    if flags is None or not lockstep.accepts(rules.record, ids):
        return None

    def play(first_game: int, rounds: Rounds) -> int:
        job = seed, first_game, rounds.games, rounds.points, rounds.facts
        return int(lockstep.play_games(rules.record, ids, *job)[0])

    return Engine("lockstep", lambda: play, layout(flags).rows * ROW_BYTES // 32)
