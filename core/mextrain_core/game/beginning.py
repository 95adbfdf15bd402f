"""What the way in which a round began shows about the hands (options ``engine_from`` = highest, own_highest).

Everybody sees which double became the engine, who laid it, and how many tiles each seat holds then. That tells which
seat was asked first, and which doubles the seats did not hold: docs/hidden-information.md.
"""

import numpy as np

from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.game.rounds import NO_SEAT
from mextrain_core.model.rules import HIGHEST

u64 = np.uint64

U0, U1, U2 = u64(0), u64(1), u64(2)


@helper
def run_before(r, seat, sizes, size):
    """Number of seats with ``size`` tiles that come directly before ``seat``, at most all others."""
    players = u64(r.players)
    count = U0
    while count < players - U1 and u64(sizes[(seat + players - U1 - count) % players]) == size:
        count += U1
    return count


@helper
def caller_of(r, starter, sizes):
    """The seat that was asked first, or NO_SEAT if no round begins with these hands (``sizes``: uint8[players]).

    If the highest double of all hands was laid, any seat can have been asked first; it is ``starter`` then.
    """
    players, hand = u64(r.players), u64(r.hand_size)
    left = u64(r.tiles) - players * hand
    from_hand = u64(sizes[starter]) + U1 == hand
    usual = hand if from_hand else u64(sizes[starter])
    more = U0  # seats that drew a tile in the last circuit, and kept it
    for seat in range(players):
        if u64(seat) != starter:
            if u64(sizes[seat]) == usual + U1:
                more += U1
            elif u64(sizes[seat]) != usual:
                return NO_SEAT
    gap = U0  # seats that were asked when the boneyard was empty
    if from_hand and r.engine_from != HIGHEST and more != U0 and more == left:
        gap = run_before(r, starter, sizes, usual)
    if usual < hand or run_before(r, (starter + players - gap) % players, sizes, usual + U1) != more:
        return NO_SEAT
    drawn = more if from_hand else (usual - hand) * players + more + U1
    if drawn > left or (from_hand and r.engine_from == HIGHEST and more != U0):
        return NO_SEAT
    return (starter + players - gap - more) % players


@helper
def barred_doubles(r, engine, starter, sizes, caller, seat):
    """Halves (bit set) whose doubles ``seat`` did not hold when the engine had been laid.

    ``caller``: that of ``caller_of``; nothing is known if it is NO_SEAT.
    """
    if caller == NO_SEAT:
        return U0
    players, hand = u64(r.players), u64(r.hand_size)
    every = (U1 << u64(r.halves)) - U1
    higher = every & ~((U2 << engine) - U1)
    from_hand = u64(sizes[starter]) < hand
    if r.engine_from == HIGHEST:
        return higher if from_hand else every
    turn, last = (seat + players - caller) % players, (starter + players - caller) % players
    if turn == last and from_hand:
        return higher
    was_asked = turn <= last or u64(sizes[starter]) > hand
    return every if was_asked else U0


@kernel
def find_barred(rules, engine, starter, sizes, barred):
    """Write the result of ``barred_doubles`` for each seat into ``barred`` (uint32[players]); returns ``caller_of``.

    ``engine`` (half code) and ``starter`` are uint64, ``sizes`` is uint8[players]: the tiles of each seat when the
    engine has been laid. ``engine_from`` must be highest or own_highest.
    """
    r = rules[0]
    caller = caller_of(r, starter, sizes)
    for seat in range(u64(r.players)):
        barred[seat] = barred_doubles(r, engine, starter, sizes, caller, u64(seat))
    return caller
