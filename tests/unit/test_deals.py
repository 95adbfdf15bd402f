"""Every deal and every order of draws is equally likely."""

from __future__ import annotations

import numpy as np

from mextrain import RuleSet
from mextrain_core.game.deal import deal
from mextrain_core.game.turn import step_forced
from mextrain_core.model.limits import NONE
from mextrain_core.model.state import PHASE_DRAW, new_states

RULES = RuleSet.mexican(players=2, tile_set="double-3", hand_size=3)
DEALS = 1680
"""9! / (3! 3! 3!): nine tiles without the engine, two hands of three, three in the boneyard."""
ORDERS = 6
EXPECTED = 6
"""The expected number of times of each of the DEALS * ORDERS outcomes."""


def test_deals_and_draw_orders_are_uniform() -> None:
    counts: dict[tuple[object, ...], int] = {}
    states, struct = new_states(1), RULES.record
    games = DEALS * ORDERS * EXPECTED
    seat = states[0]
    for game in range(games):
        deal(states, 0, struct, np.uint64(20), np.uint64(game), np.uint64(3), np.uint64(0))
        hands = seat["hand"][:2, :4].tobytes()
        order = []
        for _ in range(3):
            before = int(seat["boneyard"][0])
            draw(states, struct)
            order.append(before ^ int(seat["boneyard"][0]))
        key = (hands, tuple(order))
        counts[key] = counts.get(key, 0) + 1
    assert len(counts) <= DEALS * ORDERS
    absent = DEALS * ORDERS - len(counts)
    chi = sum((n - EXPECTED) ** 2 / EXPECTED for n in counts.values()) + absent * EXPECTED
    freedom = DEALS * ORDERS - 1
    # Five standard deviations of the chi-square distribution, in either direction: less than one in a million.
    assert abs(chi - freedom) < 5 * (2 * freedom) ** 0.5


def draw(states: np.ndarray, struct: np.ndarray) -> None:
    """Draw the next tile of the stream into the first seat's hand."""
    states[0]["phase"] = PHASE_DRAW
    step_forced(states, 0, struct, None, np.uint64(NONE))
