"""The event log of a call: what happened, in order, with what it proved.

Every forced step and every decision writes one EVENT into the caller's buffer; ``state.events`` counts them from the
start of the call. With ``log=None`` the compiler drops all of it. Events carry what hidden-information work needs:
who looked for a play, at which end halves, and whether the whole hand or only a drawn tile was meant.
"""

import numpy as np

from mextrain_core.compiler.jit import helper

PLAY, STOPPED, DRAW, FORCED_DRAW, OPEN, SKIP, NO_PLAY = 0, 1, 2, 3, 4, 5, 6
"""NO_PLAY is not written in records: it says that a play was looked for and that none was there."""

EVENT = np.dtype(
    [
        ("kind", np.uint8),  # PLAY, STOPPED, DRAW, FORCED_DRAW, OPEN, SKIP or NO_PLAY
        ("seat", np.uint8),  # whose event it is
        ("data", np.uint16),  # PLAY: the move; draws: the tile index; NO_PLAY: the only tile meant, or NONE
        ("ends", np.uint32),  # NO_PLAY: bit set of the end halves that were open to the seat
    ]
)


@helper
def write(s, log, kind, seat, data, ends):
    """Append one event; a full buffer drops it, and ``state.events`` > len(log) tells."""
    if log is not None:
        n = np.uint64(s.events)
        if n < np.uint64(len(log)):
            log[n]["kind"] = kind
            log[n]["seat"] = seat
            log[n]["data"] = data
            log[n]["ends"] = ends
        s.events += np.uint32(1)
