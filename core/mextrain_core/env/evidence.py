"""What others have shown, kept for each environment: the events of every step are folded as they happen."""

from typing import Any, NamedTuple

import numpy as np

from mextrain_core.compiler.jit import helper
from mextrain_core.hidden.evidence import conclude, copy_evidence, fold_event, start_table
from mextrain_core.hidden.observe import observe_lacks, relative_seat
from mextrain_core.model.state import copy_state

u64 = np.uint64

U0, U1 = u64(0), u64(1)


class Known(NamedTuple):
    """What everybody at the tables knows."""

    tables: Any
    """STATE[N + scratch]: the tables, without tiles in hands or boneyard."""
    evidence: Any
    """EVIDENCE[N + scratch]."""
    log: Any
    """EVENT[…]: room for the events between two decisions."""


@helper
def begin_known(known, i, s, r):
    """Set up what is known of the round that has just been dealt into ``s``."""
    start_table(known.tables[i], r, known.evidence[i], u64(s.engine), u64(s.starter), s.hand_count)


@helper
def fold_known(known, i, s, r):
    """Fold the events in the log, which were logged for ``s`` since ``s.events`` was 0."""
    for k in range(s.events):
        event = known.log[u64(k)]
        fold_event(
            known.tables[i], r, known.evidence[i], u64(event["kind"]), u64(event["seat"]), u64(event["data"])
        )


@helper
def put_known(known, i, scratch, s, rules, seat, offsets, out):
    """Write the sections about what others have shown to ``seat``; structs ``scratch`` are overwritten."""
    r = rules[0]
    copy_state(known.tables, scratch, known.tables, i, rules)
    copy_evidence(known.evidence, scratch, i)
    evidence = known.evidence[scratch]
    conclude(known.tables[scratch], r, evidence, s.phase, s.turns)
    players = u64(r.players)
    for other in range(players):
        if u64(other) != seat:
            place = relative_seat(u64(other), seat, players) - U1
            observe_lacks(r, evidence, u64(other), place, offsets, out)
