"""Copies of states played out by both backends: the same points and facts, copy by copy."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from mextrain import RuleSet
from mextrain_core.bulk import rollout
from mextrain_core.bulk.policies import CAUTIOUS, HEAVIEST, RANDOM
from mextrain_core.compiler import vectors
from mextrain_core.game.deal import deal
from mextrain_core.game.movegen import legal_moves
from mextrain_core.game.turn import apply_move, step_forced
from mextrain_core.lockstep.player import Lockstep
from mextrain_core.model.limits import NONE
from mextrain_core.model.state import PHASE_DECIDE, PHASE_OVER, new_states

pytestmark = pytest.mark.skipif(not vectors.supported(), reason="there is no lane code for this machine")

CASES: tuple[tuple[dict[str, Any], list[int]], ...] = (
    ({"players": 4}, [RANDOM]),
    ({"players": 3, "open_double_order": "any", "draw_limit": "per_turn", "drawn_play": "may"}, [HEAVIEST, CAUTIOUS]),
    (
        {"players": 4, "tile_set": "double-15", "hand_size": 30, "open_double_order": "newest", "double_rule": "cover"}
        | {"dead_double": "binds", "opening": "single", "double_blank": 50},
        [RANDOM],
    ),
    ({"players": 3, "tile_set": "super", "hand_size": 30, "twice_bonus": "may"}, [RANDOM]),
)


def some_states(rules: RuleSet, count: int, choose: random.Random) -> np.ndarray:
    """States in all phases and from all parts of rounds, some of them over."""
    states, moves = new_states(count), np.zeros(1024, np.uint16)
    engines = [rules.tiles.half_code(engine.high) for engine in rules.engines]
    for i in range(count):
        numbers = choose.getrandbits(64), choose.getrandbits(58), choose.choice(engines), NONE
        deal(states, i, rules.record, *map(np.uint64, numbers))
        for _ in range(choose.randrange(4 * len(rules.tiles))):
            if states[i].phase == PHASE_OVER:
                break
            if states[i].phase == PHASE_DECIDE:
                found = legal_moves(states, i, rules.record, moves)
                apply_move(states, i, rules.record, None, np.uint64(moves[choose.randrange(found)]))
            else:
                step_forced(states, i, rules.record, None, np.uint64(NONE))
    return states


@pytest.mark.parametrize(("options", "policies"), CASES)
def test_both_backends_agree(options: dict[str, Any], policies: list[int]) -> None:
    seed = random.randrange(2**32)
    choose = random.Random(seed)
    rules = RuleSet.preset("mexican", **options)
    ids = [choose.choice(policies) for _ in range(rules.players)]
    backend = Lockstep(rules.record, ids)
    states = some_states(rules, 400, choose)
    before = states.tobytes()
    assert len(set(states["phase"].tolist())) > 5
    for copies in (0, 1, 31, 33, 1500):
        origins = np.sort(np.array([choose.randrange(len(states)) for _ in range(copies)], np.uint32))
        if copies == 31:
            origins[:] = choose.randrange(len(states))
        keys = np.array([choose.getrandbits(64) for _ in range(copies)], np.uint64)
        results = []
        for lockstep in (True, False):
            points, facts = np.zeros((copies, rules.players), np.int64), np.zeros((copies, 7), np.int32)
            if lockstep:
                total = backend.play_out(states, origins, keys, points, facts)
            else:
                scalar = np.array(ids, np.uint8), origins, keys, new_states(1), points, facts
                total = int(rollout.play_copies(states, rules.record, *scalar))
            results.append((points, facts, total))
        wrong = (results[0][0] != results[1][0]).any(axis=1) | (results[0][1] != results[1][1]).any(axis=1)
        places = [(int(k), int(states["phase"][origins[k]])) for k in np.flatnonzero(wrong)[:5]]
        assert not places, f"seed {seed}: copies (number, phase of the state) differ: {places}"
        assert results[0][2] == results[1][2], f"seed {seed}"
    assert states.tobytes() == before


def test_games_after_copies() -> None:
    """Playing copies leaves no trace in the backend."""
    rules = RuleSet.mexican(4)
    backend = Lockstep(rules.record, [RANDOM] * 4)
    nothing = np.empty(0, np.uint16)

    def play() -> tuple[bytes, bytes, tuple[int, int]]:
        points, facts = np.zeros((9, 13, 4), np.int64), np.zeros((9, 13, 7), np.int32)
        return points.tobytes(), facts.tobytes(), backend.play(1, 2, 9, points, facts, nothing)

    expected = play()
    states, keys = some_states(rules, 5, random.Random(1)), np.arange(50, dtype=np.uint64)
    origins = np.arange(50, dtype=np.uint32) % 5
    backend.play_out(states, origins, keys, np.zeros((50, 4), np.int64), np.zeros((50, 7), np.int32))
    assert play() == expected
