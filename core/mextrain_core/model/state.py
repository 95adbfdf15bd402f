"""The STATE struct: everything of one round, for every rule set and number of players.

The header comes first, then the hands by seat, then what only chicken feet need, so that copying a game moves the
header and the rows of its players (``copy_state``). The primary fields come first, then the fields that
``eligible.select`` derives from them when a play is owed.

The key is hidden information: it fixes every later draw. Before a state is handed to a bot it gets a new key.
"""

import numpy as np

from mextrain_core.compiler.jit import kernel
from mextrain_core.compiler.machine import copy_struct
from mextrain_core.model.limits import MAX_PLAYERS, MAX_TRAINS, ROWS, TILE_WORDS
from mextrain_core.model.rules import CHICKEN_FOOT

u64 = np.uint64

PHASE_TURN = 0
"""A turn of ``seat`` begins: the fields of the turn are reset."""
PHASE_FORCED_DRAW = 1
"""The seat draws one tile because of a D (chance)."""
PHASE_LOOK = 2
"""Next: find the legal plays for the play owed."""
PHASE_DRAW = 3
"""A required play has no legal play: the seat draws one tile (chance)."""
PHASE_LOOK_DRAWN = 4
"""Next: find the legal plays of the tile just drawn."""
PHASE_FAIL = 5
"""The required play has failed: the seat's own train opens."""
PHASE_DECIDE = 6
"""The seat has to decide (also when only one action is legal)."""
PHASE_OVER = 7

OWED_REQUIRED, OWED_BONUS, OWED_CHAIN = 0, 1, 2
"""The play owed, which the seat has to attempt next: a required play, the bonus play after a T, or another tile of the
opening chain (optional)."""

DREW, MARKED = 1, 2
"""``play_drew``: the play owed has drawn; it has also opened the own train, and the drawn tile may still be played
(``failed_cover`` = ``mark_and_play``)."""

RUNNING, OUT, BLOCKED, FAULT, FAILED = 0, 1, 2, 3, 4
"""How the round ended. FAULT: it reached the limit of attempts, which is a bug to report, or a policy was unknown, or
(with a winner) the compiled policy of that seat returned an illegal move. FAILED: that policy reported a failure."""

_FIELDS = [
    # Primary fields.
    ("key", np.uint64),  # the round key: fixes every later draw, so it is hidden information
    ("boneyard", np.uint64, TILE_WORDS),  # bit set by tile index
    ("turns", np.uint32),  # turns begun so far
    ("plays", np.uint32),  # tiles laid so far
    ("draws", np.uint32),  # tiles drawn so far, forced ones too
    ("attempts", np.uint32),  # searches for a legal play so far; numbers the random words of policies
    ("events", np.uint32),  # events of the current call so far
    ("started", np.uint16),  # bit by train
    ("open", np.uint16),  # bit by seat
    ("opening_to_come", np.uint16),  # bit by seat
    ("fresh", np.uint16),  # trains whose open double was laid in this turn
    ("players", np.uint8),  # number of seats
    ("engine", np.uint8),  # half code
    ("starter", np.uint8),  # seat that moved first
    ("seat", np.uint8),  # seat to move
    ("step", np.uint8),  # added modulo players: 1, or players - 1 after a reverse
    ("phase", np.uint8),  # what happens next, a PHASE_ code
    ("owed", np.uint8),  # kind of the play owed, an OWED_ code
    ("opening", np.uint8),  # this turn is the seat's opening turn
    ("play_drew", np.uint8),  # a tile was drawn for the play owed: 0, DREW or MARKED
    ("turn_drew", np.uint8),  # a tile was drawn in this turn because no play was legal
    ("drawn", np.uint8),  # tile drawn for the play owed, or NONE
    ("cover", np.uint8),  # train of the double that the required play follows, or NONE
    ("skip", np.uint8),  # an S was laid in this turn
    ("penalty", np.uint8),  # a D was laid: the next seat that acts draws
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
    # Derived by ``eligible.select``: which plays are legal (valid in PHASE_DECIDE).
    ("bound", np.uint8),  # the play owed must go on a double (valid from PHASE_LOOK on)
    ("may_stop", np.uint8),  # ``stop`` is legal too
    ("only", np.uint8),  # only this tile may be played, or NONE
    ("barred", np.uint8),  # this tile may not be played, or NONE
    ("eligible", np.uint16),  # trains that any tile may use
    ("eligible_a", np.uint16),  # trains that *-A may use
    ("legal_count", np.uint16),  # number of legal plays, without ``stop``
]
_FOOT_FIELDS = [
    ("toes", np.uint8),  # toes laid on the unfinished foot
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
    """Copy ``source[j]`` over ``target[i]``: the header and the hands of the players; everything with chicken feet."""
    size = u64(HEADER_BYTES) + u64(rules[0].players) * u64(HAND_BYTES)
    if rules[0].double_rule == CHICKEN_FOOT:
        size = u64(STATE_BYTES)
    copy_struct(target[i], source[j], size)
