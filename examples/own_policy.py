"""A policy of your own, compiled with Numba: `python examples/own_policy.py`.

A policy is a function of the published signature (docs/policies.md): it gets a view of the state with only what its
seat can see, the rules, and a random word. It returns one of the legal moves as a 16-bit number (docs/actions.md). This
one prefers doubles, because they bind everybody else, and then the tile with the most points. The first of several
equal moves wins.
"""

import numba
import numpy as np
from numba import types

from mextrain import RuleSet, survey
from mextrain_core.game.movegen import legal_moves
from mextrain_core.model.moves import move_new, move_touch
from mextrain_core.model.rules import RULES
from mextrain_core.model.state import STATE

POLICY = types.int32(types.CPointer(numba.from_dtype(STATE)), types.CPointer(numba.from_dtype(RULES)), types.uint64)


@numba.cfunc(POLICY)
def doubles_first(state, rules, word):
    """The double with the most points; without a double, the tile with the most points; never stop."""
    states, table = numba.carray(state, 1), numba.carray(rules, 1)
    moves = np.empty(states[0].legal_count + 1, np.uint16)  # `stop`, where it is legal, comes last
    legal_moves(states, 0, table, moves)
    best, most = np.uint64(0), -1
    for move in moves[:-1].astype(np.uint64):
        touch, new = move_touch(move), move_new(move)
        value = table[0].half_points[touch] + table[0].half_points[new] + 100 * (touch == new)
        if value > most:
            best, most = move, value
    return best


def main() -> None:
    """Play against three random players, then against three that lay their heaviest tile; print the mean points."""
    for others in ("random", "heaviest", "cautious"):
        summary = survey(RuleSet.mexican(players=4), games=500, seed=1, policies=[doubles_first, *[others] * 3])
        print(f"against {others:<9}", *(f"{points.value:5.1f}" for points in summary.points()))


if __name__ == "__main__":
    main()
