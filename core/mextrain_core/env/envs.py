"""The structs of environments: ENV for the progress of each, CONFIG for what holds for all of a batch."""

from typing import Any, NamedTuple

import numpy as np

from mextrain_core.hidden.observe import SECTIONS
from mextrain_core.model.limits import MAX_PLAYERS, TILE_WORDS

BLANK, PLAYING, ENDED, FAULTY = 0, 1, 2, 3
"""Status of an environment: its round is still to be dealt; it is played; its episode has ended, and nothing has been
dealt since; a policy has failed."""

ENV = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("seed", np.uint64),
                ("game", np.uint64),  # the match
                ("ended_game", np.uint64),  # match of the round that ended last
                ("laid", np.uint64, TILE_WORDS),  # tiles on the table by index
                ("kept", np.uint16),  # moves of the round so far in ``history``
                ("unseen", np.uint32),  # rounds that ended before an outside seat had decided anything
                ("totals", np.int32, MAX_PLAYERS),  # points of the finished rounds of the match
                ("number", np.uint8),  # the round of the match
                ("ended_number", np.uint8),  # number of the round that ended last
                ("ended_how", np.uint8),  # how that round ended
                ("asked", np.uint8),  # the starter that the deal was given, or NONE
                ("last_starter", np.uint8),  # of the previous round of the match, or NONE
                ("last_winner", np.uint8),  # of the previous round of the match, or NONE
                ("status", np.uint8),  # BLANK, PLAYING, ENDED or FAULTY
                ("decided", np.uint8),  # an outside seat has decided something: bit 0 in this round, 1 in this match
                ("viewer", np.uint8),  # the outside seat that decided last
            ],
            align=True,
        ),
    )
)
IN_ROUND, IN_MATCH = 1, 2
"""Bits of ``decided``."""

SAME, NEXT, OFF = 0, 1, 2
"""``autoreset``: an episode that ends is followed by the next one in the same step, in the next one, or when asked."""

ZERO_SUM, POINTS, WIN = 0, 1, 2
"""``reward``: mean points of the others minus the own ones; minus the own points; 1 for the winner."""

MASKS, TABLE, FULL, BY_ROW, FINAL, MATCHES, END_IF_ILLEGAL, KEEP = 1, 2, 4, 8, 16, 32, 64, 128
"""Bits of ``what``: write masks; write observations of the table, or with what others have shown; actions are indices
of rows; write final observations; an episode is a match; an illegal action ends the episode; keep the moves of the
round."""

CONFIG = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("stride", np.uint64),  # number of environments: games of one of them are so far apart
                ("addresses", np.uint64, MAX_PLAYERS),  # by seat: its C function, or 0
                ("layout", np.int64, len(SECTIONS) + 1),  # offsets of the sections of an observation
                ("worst", np.float64),  # what an illegal action costs
                ("policies", np.uint8, MAX_PLAYERS),  # by seat: built-in policy, FOREIGN or OUTSIDE
                ("outside", np.uint16),  # bit set of the seats whose actions are given to steps
                ("what", np.uint16),
                ("autoreset", np.uint8),
                ("reward", np.uint8),
            ],
            align=True,
        ),
    )
)

DEAL, LEAVE, ILLEGAL = 0xFFFF, 0xFFFE, 0xFFFD
"""What an environment does in a step, where other numbers are its move: deal the next round; nothing; end the episode
because of an illegal action."""

ILLEGAL_END = 5
"""``ended_how`` of an episode that an illegal action ended; the other codes are those of ``state.end``."""

CHECK, CLEAR, PLAY, PLAY_ROWS, SHOW = 1, 2, 4, 8, 16
"""Stages of a step: translate and test the actions; clear what the last step reported; play moves, or rows; write masks
and observations."""


class Batch(NamedTuple):
    """The environments."""

    states: Any
    """STATE[N + scratch]."""
    envs: Any
    """ENV[N]."""
    rules: Any
    """RULES[1]."""
    config: Any
    """CONFIG[1]."""
    decode: Any
    """uint16[A]: the move of an action id."""
    history: Any
    """uint16[N, MAX_DECISIONS]: the moves of the round, with KEEP; else no rows."""


class Shown(NamedTuple):
    """What the outside sees of each environment; arrays that are not asked for have no rows."""

    seat: Any
    """uint8[N]: the seat that has to decide."""
    counts: Any
    """uint16[N]: its number of legal actions."""
    mask: Any
    """uint64[N, (A + 63) // 64]: its legal actions as relative ids."""
    observation: Any
    """uint64[N, words]."""
    final: Any
    """uint64[N, words]: what the seat that decided last saw at the end of the episode."""
    done: Any
    """bool[N]: the step ended an episode."""
    reward: Any
    """float32[N, players]."""
    points: Any
    """int32[N, players]: of the round that ended last."""
