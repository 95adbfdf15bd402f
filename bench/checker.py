"""The speed of the plain Python rulebook with which the tests compare the kernels (tests/reference)."""

from __future__ import annotations

import time
from dataclasses import dataclass

from mextrain import RuleSet, simulate
from tests.reference.match import play_match
from tests.reference.options import Rules

SEED = 1


@dataclass(frozen=True)
class Plain:
    """What the plain rulebook played; `checked`: the kernels play the same rounds, with equal turns and points."""

    rounds: int
    turns: int
    seconds: float
    checked: bool

    @property
    def turns_per_second(self) -> float:
        """Turns per second of CPU time."""
        return self.turns / self.seconds


def play_plainly(rules: RuleSet, games: int) -> Plain:
    """Play some games at random with the plain rulebook."""
    plain_rules = Rules.from_record(rules.to_dict())
    began = time.thread_time()
    matches = [play_match(plain_rules, SEED, game, "random") for game in range(games)]
    seconds = time.thread_time() - began
    rounds = [played for match in matches for played in match.rounds]
    ours = simulate(rules, games=games, seed=SEED)
    points = [list(played.points or ()) for played in rounds]
    turns = [played.turns for played in rounds]
    checked = points == ours.points.reshape(len(rounds), -1).tolist() and turns == ours.turns.ravel().tolist()
    return Plain(len(rounds), sum(turns), seconds, checked)
