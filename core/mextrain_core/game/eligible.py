"""Which trains a play may use: binding doubles, the opening turn, open trains (docs/rules.md sections 5, 7 and 8).

``select`` answers for the play that a turn owes: which trains any tile may use, which trains ``*-A`` may use, whether
the play is bound to a double, and how many plays there are; it writes the answer into the fields of the state that are
derived.
"""

import numpy as np

from mextrain_core.compiler.jit import helper
from mextrain_core.compiler.machine import lowest
from mextrain_core.game.movegen import count_plays, ends_of, touches
from mextrain_core.model.limits import LETTER_A, NONE, WILD
from mextrain_core.model.rules import (
    AFTER_ALL_TRAINS,
    AFTER_OWN_TRAIN,
    ANY_ORDER,
    ANY_TURN,
    CHICKEN_FOOT,
    COVER,
    NEVER,
    OLDEST,
    ONLY_IF_STUCK,
    OWN_FIRST_ALL,
)
from mextrain_core.model.state import OWED_REQUIRED

u64 = np.uint64

U0, U1, U6, U63 = u64(0), u64(1), u64(6), u64(63)
A_HALF, WILD_HALF = u64(LETTER_A), u64(WILD)
A_BIT, WILD_BIT = U1 << A_HALF, U1 << WILD_HALF


@helper
def opening_lasts(s, r):
    """Whether first trains are still laid as if at once (``opening`` = ``together``); then no double binds.

    It lasts from the first turn to the end of the turn after which no seat has its opening turn still to come. A turn
    that is no opening turn can start the last missing train only with its last play, a ``*-A``.
    """
    return r.together != 0 and (s.opening != 0 or u64(s.opening_to_come) & ~u64(s.started) != U0)


@helper
def fits_own_train(s, r, seat):
    """Whether any tile of the whole hand fits the seat's own train."""
    halves = touches(s, r, seat)
    while halves != U0:
        if s.hand[seat, lowest(halves)] != 0:
            return True
        halves &= halves - U1
    return False


@helper
def may_use_mexican_train(s, r, seat):
    """Whether an ordinary turn may use M, started or not (option ``mexican_start``)."""
    if r.mexican_start == NEVER:
        return False
    if (u64(s.started) >> u64(r.players)) & U1 != U0:
        return True
    if r.mexican_start == ONLY_IF_STUCK:
        return not fits_own_train(s, r, seat)
    if r.mexican_start == AFTER_OWN_TRAIN:
        return (u64(s.started) >> seat) & U1 != U0
    if r.mexican_start == AFTER_ALL_TRAINS:
        return u64(s.started) == (U1 << u64(r.players)) - U1  # M itself is not started.
    return True


@helper
def bound_trains(s, r):
    """Trains of the doubles that the play owed must cover; 0 if it is free (section 7)."""
    if s.double_count == 0 or opening_lasts(s, r):
        return U0
    if r.double_rule == CHICKEN_FOOT:
        return U1 << u64(s.double_train[0])
    if r.open_double_order == OLDEST and r.double_rule != COVER:
        # Doubles of this turn are at the end of the list.
        bit = U1 << u64(s.double_train[U0])
        return U0 if u64(s.fresh) & bit != U0 else bit
    chosen = U0
    for i in range(s.double_count):
        bit = U1 << u64(s.double_train[u64(i)])
        if u64(s.fresh) & bit == U0:
            if r.open_double_order == OLDEST:
                return bit
            chosen = chosen | bit if r.open_double_order == ANY_ORDER else bit
    if chosen == U0 and r.double_rule == COVER and s.owed == OWED_REQUIRED and s.cover != NONE:
        bit = U1 << u64(s.cover)
        if u64(s.fresh) & bit != U0:
            return bit
    return chosen


@helper
def free_trains(s, r, seat):
    """Trains that a free play may use (sections 5 and 8)."""
    own = U1 << seat
    mexican = U1 << u64(s.players)
    trains = own | u64(s.open) | u64(s.fresh)
    if r.own_train_first != 0 and u64(s.started) & own == U0:
        trains = own | u64(s.fresh)
        if r.own_train_first == OWN_FIRST_ALL:
            return own if s.opening != 0 else trains
    if s.opening != 0:
        return own | mexican if r.mexican_start == ANY_TURN else own
    return trains | mexican if may_use_mexican_train(s, r, seat) else trains


@helper
def prefer_fresh(s, r):
    """Restrict the selection to the doubles of this turn if two of them are open and one can be covered."""
    fresh = u64(s.fresh)
    if r.max_uncovered == 0 or r.double_rule == CHICKEN_FOOT or fresh & (fresh - U1) == U0:
        return
    eligible, eligible_a = s.eligible, s.eligible_a
    s.eligible = u64(eligible) & fresh
    s.eligible_a = u64(eligible_a) & fresh
    if count_plays(s, r) == U0:
        s.eligible = eligible
        s.eligible_a = eligible_a


@helper
def every_train(r):
    """Bit set of all trains, M included if there is one."""
    return (U1 << (u64(r.players) + u64(r.mexican_start != NEVER))) - U1


@helper
def select(s, r, only, barred, own_train_only):
    """Select the legal plays for the play owed: write the derived fields and return the number of legal plays.

    ``only``: the only tile that may be played, ``barred``: a tile that may not be played (NONE: no such restriction).
    ``own_train_only``: a free play may use only the seat's own train (a drawn tile under ``drawn_tile`` =
    ``own_train``); ``*-A`` may still go on any train.
    """
    s.only = only
    s.barred = barred
    bound = bound_trains(s, r)
    s.bound = bound != U0
    if bound != U0:
        s.eligible = bound
        s.eligible_a = bound
    else:
        select_free(s, r, own_train_only)
    prefer_fresh(s, r)
    count = count_plays(s, r)
    s.legal_count = count
    return count


@helper
def select_free(s, r, own_train_only):
    """Select the trains of a free play."""
    seat = u64(s.seat)
    s.eligible = U1 << seat if own_train_only else free_trains(s, r, seat)
    s.eligible_a = every_train(r)


@helper
def before_mark(s, r):
    """Trains of the doubles on which a play that is MARKED had to go before the draw, as a decision shows them.

    Of an own double that the draw released only the train is known; of inherited ones at least one is still open, as
    there would be no decision without.
    """
    bound = bound_trains(s, r)
    return bound if bound != U0 else U1 << u64(s.cover)


@helper
def select_marked(s, r, before, own_train_only):
    """``select`` for the drawn tile of a play that is MARKED (option ``failed_cover``); ``before``: ``before_mark``."""
    s.only = s.drawn
    s.barred = NONE
    bound = before & bound_trains(s, r)
    is_own = r.double_rule == COVER and s.cover != NONE and before == U1 << u64(s.cover)
    s.bound = not is_own
    if is_own:
        select_free(s, r, own_train_only)
        s.eligible = u64(s.eligible) | bound
    else:
        s.eligible = bound
        s.eligible_a = bound
    prefer_fresh(s, r)
    count = count_plays(s, r)
    s.legal_count = count
    return count


@helper
def eligible_ends(s, r):
    """Bit set of the end halves of the eligible trains."""
    ends = U0
    trains = u64(s.eligible)
    while trains != U0:
        ends |= ends_of(s, r, lowest(trains))
        trains &= trains - U1
    return ends
