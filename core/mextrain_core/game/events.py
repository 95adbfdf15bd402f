"""The event log of a call: what happened, in order, and what it showed about the hands.

Every forced step and every decision writes one EVENT into the caller's buffer; ``state.events`` counts them from the
start of the call. With ``log=None`` no logging code is compiled. Events have what inference about hidden tiles needs:
who looked for a play, at which end halves, and whether with the whole hand or only with a drawn tile.
"""

import numpy as np

from mextrain_core.compiler.jit import helper

PLAY, STOPPED, DRAW, FORCED_DRAW, OPEN, SKIP, NO_PLAY = 0, 1, 2, 3, 4, 5, 6
"""NO_PLAY: a seat looked for a legal play and had none. Records leave it out."""

EVENT = np.dtype(
    [
        ("kind", np.uint8),  # PLAY, STOPPED, DRAW, FORCED_DRAW, OPEN, SKIP or NO_PLAY
        ("seat", np.uint8),  # seat of the event
        ("data", np.uint16),  # PLAY: the move; draws: the tile index; NO_PLAY: the only tile tried, or NONE
        ("ends", np.uint32),  # NO_PLAY: bit set of the end halves that were open to the seat
    ]
)


@helper
def write(s, log, kind, seat, data, ends):
    """Append one event. A full buffer drops it; ``state.events`` > len(log) shows that."""
    if log is not None:
        n = np.uint64(s.events)
        if n < np.uint64(len(log)):
            log[n]["kind"] = kind
            log[n]["seat"] = seat
            log[n]["data"] = data
            log[n]["ends"] = ends
        s.events += np.uint32(1)
