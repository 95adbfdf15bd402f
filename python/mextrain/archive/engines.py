"""Who is named as the starter of each round of an archive, and which engine the round has."""

from __future__ import annotations

import numpy as np

from mextrain.game.rules import RuleSet
from mextrain.game.starters import next_starters
from mextrain_core.bulk.replay import find_engines
from mextrain_core.model.limits import NONE
from mextrain_core.model.state import new_states


def named_starters(rules: RuleSet, places: np.ndarray, starters: np.ndarray, winners: np.ndarray) -> np.ndarray:
    """Return the starter of each round if the rules name it, NONE if the stream draws it: uint8[rounds].

    The arrays have an entry for each round, in the order of games and rounds: `places`, its index in a list of whole
    games; `starters`; `winners`, negative for a blocked round.
    """
    last_starters, last_winners = np.full((2, len(places)), NONE, np.uint8)
    last_starters[1:] = starters[:-1]
    last_winners[1:] = np.where(winners < 0, NONE, winners)[:-1]
    last_starters[places % rules.rounds == 0] = NONE
    return next_starters(rules, last_starters, last_winners)


def engine_codes(rules: RuleSet) -> np.ndarray:
    """Return the code of the half of the engine that names each round of a game: uint8[rounds]."""
    return np.array([rules.tiles.half_code(engine.high) for engine in rules.engines], np.uint8)


def engines_of(
    rules: RuleSet, seed: int, games: np.ndarray, numbers: np.ndarray, starters: np.ndarray
) -> tuple[np.ndarray, list[str]]:
    """Return the engines of rounds as texts, and for each round the index of its engine among them: int64[rounds].

    `games`: uint64; `numbers`: int64, the round of the game; `starters`: those of `named_starters`.
    """
    if rules.engines_are_known:
        return numbers, [str(engine) for engine in rules.engines]
    found = np.empty(len(numbers), np.uint8)
    named = engine_codes(rules)[numbers]
    find_engines(new_states(1), 0, rules.record, np.uint64(seed), games, named, starters, found)
    doubles = rules.tiles.doubles
    return int(rules.tiles.half_code(doubles[0].high)) - found.astype(np.int64), [str(double) for double in doubles]
