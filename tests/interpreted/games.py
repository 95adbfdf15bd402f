"""Jobs that between them run every kind of kernel, each with a digest of its results; small enough to interpret.

`python -m tests.interpreted.games` prints the digests as one JSON object.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from mextrain import RuleSet
from mextrain.callbacks import Batch, BatchPolicy
from mextrain.planner import first_hands, longest_chain, plan
from mextrain.simulation import simulate
from mextrain_core.apply import advance, play
from mextrain_core.deal import deal
from mextrain_core.limits import NONE
from mextrain_core.perft import perft
from mextrain_core.planner_policy import choose_planned
from mextrain_core.state import new_states
from mextrain_core.trace import EVENT

RULES = {
    "mexican": RuleSet.mexican(4, rounds=3),
    "mexican-2": RuleSet.mexican(2, rounds=2),
    "mexican-14": RuleSet.mexican(14, rounds=1),
    "super": RuleSet.super(4, rounds=3),
    "super-cover": RuleSet.super(3, double_rule="cover", open_double_order="any", letter_match="anywhere", rounds=2),
    "foot": RuleSet.mexican(4, double_rule="chicken_foot", foot_ends="center", rounds=3, starter="rotate"),
    "house": RuleSet.mexican(5, drawn_play="may", dead_double="binds", max_uncovered=1, starter="winner", rounds=3),
    "blanks": RuleSet.mexican(3, double_blank=50, opening="single", first_engine="3-3", starter=2, rounds=2),
}
POLICIES = ("random", "heaviest", "cautious")
HANDS = (
    ("0-2 2-2 2-3 3-4 3-5 0-1 10-1 9-10", 0, "train_only"),
    ("12-5 *-3 8-3 *-A *-D 12-12 12-3", 12, "same_letter"),
    ("*-A *-A *-R 4-4 4-9", 4, "anywhere"),
    ("*-* 3-3 0-0", "*", "any_letter"),
)


def middle(batch: Batch) -> np.ndarray:
    """Choose the middle one of each state's legal moves."""
    return batch.moves[(batch.offsets[:-1] + batch.offsets[1:]) // 2]


def matches(rules: RuleSet, policies: Any) -> str:
    """The bytes of two games."""
    played = simulate(rules, games=2, seed=7, first_game=3, policies=policies, workers=2, record_actions=True)
    assert played.actions is not None
    arrays = (played.points, played.facts, played.actions)
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays))
    return f"{played.hash:016x}-{digest.hexdigest()[:16]}"


def sequences(rules: RuleSet) -> int:
    """The number of ways in which a round can begin."""
    states = new_states(4)
    deal(states, 0, rules.record, *map(np.uint64, (5, 0, rules.engines[0].high, NONE)))
    return int(perft(states, 0, rules.record, 3))


def trains() -> list[Any]:
    """The best trains of a few hands, however they are asked for."""
    found: list[Any] = []
    for hand, start, mode in HANDS:
        for goal in ("longest", "heaviest", "finish"):
            tile_set = "super" if "*" in hand else "double-12"
            count = goal != "finish"
            best = plan(hand, start, tile_set, goal, letter_match=mode, count=count, time_limit=None)
            found.append([best.tiles, best.points, best.proved, best.count, *best.train, *best.mexican])
    found.append(first_hands(RuleSet.mexican(2, hand_size=6), 4, seed=1).tolist())
    found.append(longest_chain([(k, (k * 5 + 1) % 7) for k in range(7)], None))
    return found


def planned(rules: RuleSet, decisions: int) -> list[int]:
    """The first moves of a round that the policy `planner` plays for every seat."""
    states = new_states(1)
    deal(states, 0, rules.record, *map(np.uint64, (11, 0, rules.engines[0].high, NONE)))
    log = np.empty(0, EVENT)
    advance(states, 0, rules.record, log)
    moves = []
    for number in range(decisions):
        move = choose_planned(states, 0, rules.record, np.uint64(number << 59))
        moves.append(int(move))
        play(states, 0, rules.record, log, np.uint64(move))
    return moves


def digests() -> dict[str, Any]:
    """The digest of every job."""
    found: dict[str, Any] = {}
    for number, (name, rules) in enumerate(RULES.items()):
        seats = [POLICIES[(number + seat) % len(POLICIES)] for seat in range(rules.players)]
        found[f"{name}, random"] = matches(rules, "random")
        found[f"{name}, mixed"] = matches(rules, seats)
    found["super, batches"] = matches(RULES["super"], ["random", BatchPolicy(middle), "heaviest", BatchPolicy(middle)])
    found["sequences"] = [sequences(RULES[name]) for name in ("mexican", "super", "foot")]
    found["trains"] = trains()
    found["planned"] = [planned(RULES[name], 8) for name in ("mexican", "super-cover", "foot")]
    # As a reader of the JSON text gets them: tuples are lists there.
    again: dict[str, Any] = json.loads(json.dumps(found))
    return again


if __name__ == "__main__":
    print(json.dumps(digests()))
