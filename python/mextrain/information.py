"""What a seat knows: everything that it has seen, in order, and nothing else (docs/hidden-information.md).

A seat sees its own deal, all plays, stops, opened trains and skips, its own draws by name and that others drew.
"""

from __future__ import annotations

import numpy as np

from mextrain.errors import PositionError, shown
from mextrain.standing import Standing
from mextrain.whole import whole
from mextrain_core.evidence import EVIDENCE, begin_evidence, fold_events
from mextrain_core.state import new_states
from mextrain_core.trace import EVENT


def check_seat(standing: Standing, seat: object) -> int:
    """Return `seat` as an int; raises `PositionError` if there is no such seat."""
    number = whole(seat)
    if number is None or not 0 <= number < standing.rules.players:
        raise PositionError(f"there is no seat {shown(seat)}: expected 0 … {standing.rules.players - 1}")
    return number


class PublicRecord:
    """The public events of a round, folded: the table without hands, and what every seat has shown (`EVIDENCE`).

    `tables` and `evidence` have length 2; the second entries are scratch. `log` is the round's log as EVENT array.
    """

    def __init__(self, standing: Standing) -> None:
        rules = standing.rules
        self.tables = new_states(2)
        self.evidence = np.zeros(2, EVIDENCE)
        self.log = np.array(list(standing.log), EVENT)
        sizes = np.array([len(hand) for hand in standing.start.hands], np.uint8)
        engine = np.uint64(rules.tiles.half_code(standing.engine.high))
        record = rules.record
        begin_evidence(self.tables, self.evidence, 0, record, engine, np.uint64(standing.starter), sizes)
        done = fold_events(self.tables, self.evidence, 0, record, self.log, 0, len(self.log))
        if done != len(self.log):
            raise PositionError(f"the events of the round contradict the rules from number {done} on")
