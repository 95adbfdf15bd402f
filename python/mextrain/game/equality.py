"""Decides when two positions are equal: when the fields of the STATE struct that affect later play are equal.

The struct also holds traces of the past, such as where a released foot was, or which of the three `*-A` lies where.
These are overwritten in a copy, and the rest is compared.
"""

from __future__ import annotations

import numpy as np

from mextrain.game.rules import RuleSet
from mextrain_core.model.limits import NONE
from mextrain_core.model.state import PHASE_DECIDE, PHASE_DRAW, PHASE_OVER, STATE
from mextrain_core.model.tiles import A_TILES, FIRST_A

_SELECTION = {"bound": 0, "only": NONE, "barred": NONE, "eligible": 0, "eligible_a": 0, "legal_count": 0, "may_stop": 0}
_TURN = {
    "owed": 0, "opening": 0, "play_drew": 0, "turn_drew": 0, "drawn": NONE, "cover": NONE, "skip": 0, "penalty": 0,
}  # fmt: skip


def decisive(raw: np.ndarray, rules: RuleSet, by_stream: bool) -> bytes:
    """Return the bytes of a STATE struct (uint8[STATE.itemsize]), with irrelevant fields set to 0 or NONE.

    `by_stream`: whether the stream's key decides the draws.
    """
    states = raw.copy().view(STATE)
    phase = int(states["phase"][0])
    if not by_stream:
        states["key"] = 0
    # A seat whose train was started has no opening turn left, even if the core clears its bit later.
    states["opening_to_come"] &= ~states["started"]
    states["double_train"][0, states["double_count"][0] :] = 0
    if phase != PHASE_DECIDE:
        states["may_stop"] = 0
        if phase != PHASE_DRAW:
            _write(states, _SELECTION)
        if phase == PHASE_OVER:
            _write(states, _TURN)
    if rules.double_rule == "chicken_foot":
        # The ends of trains are counted in `end_count`; `end_half` matters only for an unfinished foot.
        foot = int(states["double_train"][0, 0]) if states["double_count"][0] else None
        half = 0 if foot is None else states["end_half"][0, foot]
        states["end_half"] = 0
        if foot is not None:
            states["end_half"][0, foot] = half
        states["toe"][0, states["toes"][0] :] = 0
    if rules.tiles.has_wild:
        _forget_which(states)
    return states.tobytes()


def _write(states: np.ndarray, values: dict[str, int]) -> None:
    for name, value in values.items():
        states[name] = value


def _forget_which(states: np.ndarray) -> None:
    """Renumber the `*-A` in the boneyard, and a drawn one, from the first index."""
    word, first = FIRST_A >> 6, FIRST_A & 63
    boneyard = int(states["boneyard"][0, word])
    every_a = (1 << A_TILES) - 1
    count = (boneyard >> first & every_a).bit_count()
    states["boneyard"][0, word] = boneyard & ~(every_a << first) | ((1 << count) - 1) << first
    for name in ("drawn", "only", "barred"):
        if FIRST_A <= states[name][0] < FIRST_A + A_TILES:
            states[name] = FIRST_A
