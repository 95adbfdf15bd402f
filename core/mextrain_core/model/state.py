"""The STATE struct: everything of one round, for every rule set and number of players.

The header comes first, then the hands by seat, then what only chicken feet need, so that copying a game moves the
header and the rows of its players (``copy_state``). Facts come before conveniences; conveniences are written by
``movegen`` when a play is owed.

The key is hidden information: it fixes every later draw. Whoever hands a state to a bot gives it a new key.
"""

import numpy as np

from mextrain_core.compiler.jit import kernel
from mextrain_core.compiler.machine import copy_struct
from mextrain_core.model.limits import MAX_PLAYERS, MAX_TRAINS, ROWS, TILE_WORDS
from mextrain_core.model.rules import CHICKEN_FOOT

u64 = np.uint64

PHASE_TURN = 0
"""The seat gets the move: what belongs to a turn starts afresh."""
PHASE_FORCED_DRAW = 1
"""A D tile hit the seat: it draws one tile (chance)."""
PHASE_LOOK = 2
"""The legal plays of the play owed are to be found."""
PHASE_DRAW = 3
"""A required play has no legal play: one tile is drawn (chance)."""
PHASE_LOOK_DRAWN = 4
"""The legal plays of the tile just drawn are to be found."""
PHASE_FAIL = 5
"""The required play failed for good: the own train opens."""
PHASE_DECIDE = 6
"""The seat has a choice (also when only one action is legal)."""
PHASE_OVER = 7

OWED_REQUIRED, OWED_BONUS, OWED_CHAIN = 0, 1, 2
"""What the turn owes: a required play, the bonus play of a T, or a further tile of the opening chain (optional)."""

DREW, MARKED = 1, 2
"""``play_drew``: the play owed has drawn; it has also opened the own train, and the drawn tile may still be played
(``failed_cover`` = ``mark_and_play``)."""

RUNNING, OUT, BLOCKED, FAULT, FAILED = 0, 1, 2, 3, 4
"""How the round ended. FAULT: it ran into the limit of attempts, which is a bug to report, or no policy decided, or
(with a winner) that seat's compiled policy gave a move that is not legal. FAILED: it said that it failed."""

_FIELDS = [
    # Facts.
    ("key", np.uint64),  # the round key: fixes every later draw, so it is hidden information
    ("boneyard", np.uint64, TILE_WORDS),  # bit set by tile index
    ("turns", np.uint32),  # begun so far
    ("plays", np.uint32),  # tiles laid so far
    ("draws", np.uint32),  # tiles drawn so far, forced ones too
    ("attempts", np.uint32),  # times that a play was looked for; numbers the random words of policies
    ("events", np.uint32),  # written to the log of the current call
    ("started", np.uint16),  # bit by train
    ("open", np.uint16),  # bit by seat
    ("opening_to_come", np.uint16),  # bit by seat
    ("fresh", np.uint16),  # trains whose open double was laid in this turn
    ("players", np.uint8),  # number of seats
    ("engine", np.uint8),  # half code
    ("starter", np.uint8),  # seat that moved first
    ("seat", np.uint8),  # to move
    ("step", np.uint8),  # added modulo players: 1, or players - 1 after a reverse
    ("phase", np.uint8),  # what happens next, a PHASE_ code
    ("owed", np.uint8),  # what the turn owes, an OWED_ code
    ("opening", np.uint8),  # this turn is the seat's opening turn
    ("play_drew", np.uint8),  # the play owed has drawn: 0, DREW or MARKED
    ("turn_drew", np.uint8),  # the turn has drawn for want of a play
    ("drawn", np.uint8),  # tile drawn for the play owed, or NONE
    ("cover", np.uint8),  # train of the double that the required play follows, or NONE
    ("skip", np.uint8),  # S was laid in this turn
    ("penalty", np.uint8),  # D waits for the next seat that acts
    ("end", np.uint8),  # how the round ended: RUNNING, OUT, BLOCKED, FAULT or FAILED
    ("winner", np.uint8),  # seat or NONE
    ("boneyard_size", np.uint8),  # tiles in the boneyard
    ("off_total", np.uint8),  # tiles off the table
    ("double_count", np.uint8),  # open doubles
    ("double_train", np.uint8, MAX_TRAINS),  # trains of the open doubles, oldest first
    ("end_half", np.uint8, MAX_TRAINS + 1),  # end by train; with an unfinished foot the double's half
    ("off", np.uint8, ROWS),  # tiles off the table that show a half
    ("hand_count", np.uint8, MAX_PLAYERS),  # tiles in hand by seat
    ("a_count", np.uint8, MAX_PLAYERS),  # *-A tiles in hand
    # Conveniences: which plays are legal now (valid in PHASE_DECIDE).
    ("bound", np.uint8),  # the play owed must go on a double (valid from PHASE_LOOK on)
    ("may_stop", np.uint8),  # stopping is legal too
    ("only", np.uint8),  # only this tile may be played, or NONE
    ("barred", np.uint8),  # this tile may not be played, or NONE
    ("eligible", np.uint16),  # trains that any tile may use
    ("eligible_a", np.uint16),  # trains that *-A may use
    ("legal_count", np.uint16),  # legal plays, stop not counted
]
_FOOT_FIELDS = [
    ("toes", np.uint8),  # laid on the unfinished foot
    ("toe", np.uint8, 3),  # halves of the toes laid on it
    ("end_mask", np.uint32, MAX_TRAINS),  # halves of the ends of a train
    ("end_count", np.uint8, (MAX_TRAINS, ROWS)),  # ends of that half
]
_HAND = ("hand", np.uint32, (MAX_PLAYERS, ROWS))
"""hand[seat, half]: bit h is set while the seat holds the tile {half, h}; symmetric."""


def _padded(fields: list, multiple: int) -> list:
    size = np.dtype(fields, align=True).itemsize
    return [*fields, (f"pad_{len(fields)}", np.uint8, -size % multiple)] if size % multiple else fields


_HEADER = _padded(_FIELDS, 64)
HEADER_BYTES = np.dtype(_HEADER, align=True).itemsize
HAND_BYTES = 4 * ROWS
STATE = np.dtype((np.record, np.dtype(_padded([*_HEADER, _HAND, *_FOOT_FIELDS], 64), align=True)))


STATE_BYTES = STATE.itemsize


def new_states(count: int) -> np.ndarray:
    """``count`` zeroed STATE structs, 64-byte aligned so that each starts on a cache line."""
    raw = np.zeros(count * STATE.itemsize + 64, np.uint8)
    skip = -raw.ctypes.data % 64
    return raw[skip : skip + count * STATE.itemsize].view(STATE)


@kernel
def copy_state(target, i, source, j, rules):
    """Copy ``source[j]`` over ``target[i]``: the header and the hands of the players; all of it with chicken feet."""
    size = u64(HEADER_BYTES) + u64(rules[0].players) * u64(HAND_BYTES)
    if rules[0].double_rule == CHICKEN_FOOT:
        size = u64(STATE_BYTES)
    copy_struct(target[i], source[j], size)
