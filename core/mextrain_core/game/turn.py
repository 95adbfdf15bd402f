"""The turn (docs/rules.md sections 6 to 9): a state machine of phases, with one helper for each step.

Each helper performs one forced step (a turn begins, a tile is drawn, a failed play opens a train, …) and returns the
next phase. ``forced_steps`` runs them until a seat has to decide or the round is over; ``step_forced`` runs one.
``play_move`` plays a decision. With explicit chance the caller names the drawn tile.
"""

import numpy as np

from mextrain_core.compact import plays
from mextrain_core.compact.intrinsics import by_form
from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.compiler.machine import lowest
from mextrain_core.game import events
from mextrain_core.game.deal import give, leave_boneyard, next_draw, put_end, take
from mextrain_core.game.eligible import eligible_ends, every_train, opening_lasts, select, select_marked
from mextrain_core.game.movegen import ends_of, has_foot, is_legal_move, touches
from mextrain_core.model.limits import LETTER_D, LETTER_R, LETTER_S, LETTER_T, MAX_ATTEMPTS, NONE, WILD
from mextrain_core.model.moves import STOP_MOVE, move_new, move_touch, move_train
from mextrain_core.model.options import code
from mextrain_core.model.rules import CHICKEN_FOOT, NO_DUTY, OWN_FIRST_ALL
from mextrain_core.model.state import (
    BLOCKED,
    DREW,
    FAULT,
    MARKED,
    OUT,
    OWED_BONUS,
    OWED_CHAIN,
    OWED_REQUIRED,
    PHASE_DECIDE,
    PHASE_DRAW,
    PHASE_FAIL,
    PHASE_FORCED_DRAW,
    PHASE_LOOK,
    PHASE_LOOK_DRAWN,
    PHASE_OVER,
    PHASE_TURN,
)

u64 = np.uint64

U0, U1, U3 = u64(0), u64(1), u64(3)
NO_TILE = u64(NONE)

SINGLE = code("opening", "single")
OWN_TRAIN = code("drawn_tile", "own_train")
PER_TURN, UNTIL_IT_FITS = code("draw_limit", "per_turn"), code("draw_limit", "until_it_fits")
MAY = code("drawn_play", "may")
PLAY_DRAWN = code("failed_cover", "play_drawn")
MARK_AND_PLAY = code("failed_cover", "mark_and_play")
CENTER = code("foot_ends", "center")
NOBODY = code("open_double_binds", "nobody")
BINDS = code("dead_double", "binds")
MUST_COVER = code("finish_on_double", "must_cover")
ANY_PLAY = code("marker_off", "any_play")
MAY_STOP_BONUS = code("twice_bonus", "may")
DRAW_FOR_DOUBLE, MARK_FOR_DOUBLE = code("failed_double", "draw"), code("failed_double", "mark")


@helper
def any_off_table(s, halves):
    """Whether a tile off the table shows one of ``halves`` (bit set)."""
    while halves != U0:
        if s.off[lowest(halves)] != 0:
            return True
        halves &= halves - U1
    return False


@helper
def is_dead(s, r, half):
    """Whether no tile off the table fits an open double of ``half`` (section 7)."""
    if r.wild == NONE:
        return s.off[half] == 0
    if half == u64(WILD):
        return s.off_total == 0
    return s.off[half] == 0 and s.off[u64(WILD)] == 0


@helper
def drop_double(s, position):
    """Remove the open double at index ``position`` from the list; the others keep their order."""
    s.fresh = u64(s.fresh) & ~(U1 << u64(s.double_train[position]))
    s.double_count -= U1
    for i in range(position, u64(s.double_count)):
        s.double_train[u64(i)] = s.double_train[u64(i) + U1]


@helper
def add_end(s, train, half):
    """Add an end to ``train``."""
    s.end_mask[train] |= U1 << half
    s.end_count[train, half] += U1


@helper
def finish_foot(s, r):
    """Finish the foot: its ends become ends of the train (section 11, chicken foot)."""
    train = u64(s.double_train[U0])
    toes = u64(s.toes)
    if toes == U0:
        add_end(s, train, u64(s.end_half[train]))
    for i in range(toes):
        if r.foot_ends != CENTER or u64(i) + U1 == toes:
            add_end(s, train, u64(s.toe[u64(i)]))
    s.toes = U0
    drop_double(s, U0)


@helper
def close_feet(s, r, train, half, is_double):
    """Set the final ends of the trains when a seat goes out: a double that was laid last gets no foot."""
    if is_double:
        add_end(s, train, half)
    release_dead(s, r)


@helper
def release_dead(s, r):
    """Release the open doubles that no tile fits any more (option ``dead_double``)."""
    if s.double_count == 0 or (r.dead_double == BINDS and s.boneyard_size != 0):
        return
    i = U0
    while i < u64(s.double_count):
        if not is_dead(s, r, u64(s.end_half[u64(s.double_train[i])])):
            i += U1
        elif r.double_rule == CHICKEN_FOOT:
            finish_foot(s, r)
        else:
            drop_double(s, i)


@helper
def owe(s, what):
    """Make ``what`` (an OWED_ code) the play owed; nothing has been drawn for it yet."""
    s.owed = what
    s.play_drew = U0
    s.drawn = NONE
    s.cover = NONE
    return PHASE_LOOK


@helper
def begin_turn(s, r):
    """Begin the turn of the seat to move: find out whether it is the opening turn and whether a D forces a draw."""
    s.turns += U1
    release_dead(s, r)
    s.turn_drew = U0
    s.opening = U0
    own = U1 << u64(s.seat)
    if u64(s.opening_to_come) & own != U0:
        started = u64(s.started) & own != U0
        if started or s.double_count == 0 or r.together != 0:
            s.opening_to_come = u64(s.opening_to_come) & ~own
            s.opening = not started
    phase = owe(s, OWED_REQUIRED)
    if s.penalty != 0:
        s.penalty = U0
        if s.boneyard_size != 0:
            phase = PHASE_FORCED_DRAW
    return phase


@helper
def next_seat(s):
    """The seat after the seat to move, in the current direction."""
    seat = u64(s.seat) + u64(s.step)
    players = u64(s.players)
    return seat - players if seat >= players else seat


@helper
def end_turn(s, r, log):
    """End the turn."""
    return end_opening_turn(s, r, log, False) if opening_lasts(s, r) else pass_move(s, r, log)


@helper
def end_opening_turn(s, r, log, opened):
    """End a turn of an opening that is ``together``; ``opened``: the turn opened a train.

    Only at the end of the last one the round may be over.
    """
    if u64(s.opening_to_come) & ~u64(s.started) == U0:
        for k in range(u64(s.players)):
            seat = (u64(s.starter) + u64(k)) % u64(s.players)
            if s.hand_count[seat] == 0:
                s.seat = seat
                return end_round(s, OUT, seat)
        if opened and s.boneyard_size == 0 and is_blocked(s, r):
            return end_round(s, BLOCKED, NONE)
    return pass_move(s, r, log)


@helper
def pass_move(s, r, log):
    """Pass the move on. The next seat inherits the doubles of this turn, unless they bind nobody."""
    s.fresh = U0
    if r.open_double_binds == NOBODY and r.double_rule != CHICKEN_FOOT:
        s.double_count = U0
    s.seat = next_seat(s)
    if s.skip != 0:
        s.skip = U0
        events.write(s, log, events.SKIP, s.seat, NONE, U0)
        s.seat = next_seat(s)
    return PHASE_TURN


@helper
def end_round(s, how, winner):
    """End the round."""
    s.end = how
    s.winner = winner
    return PHASE_OVER


@helper
def select_before_draw(s, r):
    """Select the legal plays for the play owed before any draw; returns whether there are any."""
    if select(s, r, NONE, NONE, False) == U0:
        return False
    s.may_stop = s.owed == OWED_CHAIN or (s.owed == OWED_BONUS and r.twice_bonus == MAY_STOP_BONUS)
    return True


@helper
def select_drawn(s, r):
    """Select the legal plays of the tile drawn for the play owed; returns whether there are any."""
    if select(s, r, s.drawn, NONE, r.drawn_tile == OWN_TRAIN) == U0:
        return False
    s.may_stop = r.drawn_play == MAY
    return True


@helper
def select_after_mark(s, r, before):
    """Select the plays of the drawn tile once the own train is open; ``before`` as in ``select_marked``."""
    if select_marked(s, r, before, r.drawn_tile == OWN_TRAIN) == U0:
        return False
    s.may_stop = r.drawn_play == MAY
    return True


@helper
def may_have_released(s, r):
    """Whether the draw may have released a double that bound the play, by emptying the boneyard."""
    return r.dead_double == BINDS and s.boneyard_size == 0


@helper
def select_other(s, r):
    """Select the legal plays of all tiles except the drawn one, which fits nowhere; returns whether there are any."""
    if select(s, r, NONE, s.drawn, False) == U0:
        return False
    s.may_stop = U0
    return True


@helper
def go_without_play(s, r, log):
    """Handle a play owed without a legal play before a draw (section 6, points 4 and 5); returns the next phase."""
    if s.owed != OWED_REQUIRED:
        return end_turn(s, r, log)
    if opening_lasts(s, r):
        return PHASE_FAIL
    if r.failed_double != DRAW_FOR_DOUBLE and s.cover != NONE:
        return PHASE_FAIL if r.failed_double == MARK_FOR_DOUBLE else end_turn(s, r, log)
    may_draw = s.boneyard_size != 0 and (r.draw_limit != PER_TURN or s.turn_drew == 0)
    return PHASE_DRAW if may_draw else PHASE_FAIL


@helper
def after_draw(s, r):
    """Note that a tile was drawn for the play owed; returns the next phase.

    Unless ``failed_cover`` is ``play_drawn``, a play that had to cover a double has failed even if the drawn tile fits.
    """
    s.play_drew = DREW
    s.turn_drew = U1
    return PHASE_FAIL if r.failed_cover != PLAY_DRAWN and s.bound != 0 else PHASE_LOOK_DRAWN


@helper
def stop(s, r, log):
    """Stop: a required play fails, otherwise the turn ends; returns the next phase."""
    return PHASE_FAIL if s.owed == OWED_REQUIRED and not is_marked(s, r) else end_turn(s, r, log)


@helper
def is_marked(s, r):
    """Whether the play owed has opened the own train already, and only the drawn tile may still be played."""
    return r.failed_cover == MARK_AND_PLAY and s.play_drew == MARKED


@helper
def look(s, r, log):
    """Find the legal plays for the play owed (section 6, points 2 to 5); returns the next phase."""
    release_dead(s, r)
    s.attempts += U1
    if s.attempts > MAX_ATTEMPTS:
        return end_round(s, FAULT, NONE)
    if select_before_draw(s, r):
        return PHASE_DECIDE
    note_no_play(s, r, log)
    return go_without_play(s, r, log)


@helper
def look_drawn(s, r, log):
    """Find the legal plays after a draw: those of the drawn tile (section 6, point 4); returns the next phase."""
    if is_marked(s, r):
        return look_marked(s, r, log)
    release_dead(s, r)
    if select_drawn(s, r):
        return PHASE_DECIDE
    note_no_play(s, r, log)
    if draws_again(s, r):
        return PHASE_DRAW
    if may_have_released(s, r) and select_other(s, r):
        return PHASE_DECIDE
    return PHASE_FAIL


@helper
def draws_again(s, r):
    """Whether a drawn tile that does not fit is followed by another draw."""
    return r.draw_limit == UNTIL_IT_FITS and s.boneyard_size != 0


@helper
def look_marked(s, r, log):
    """The own train is open: the drawn tile is played if it fits (option ``failed_cover``)."""
    before = u64(s.eligible)  # Selected before the draw, and not again since.
    release_dead(s, r)
    if select_after_mark(s, r, before):
        return PHASE_DECIDE
    note_no_play(s, r, log)
    return end_turn(s, r, log)


@helper
def note_no_play(s, r, log):
    """Log that the seat had no legal play, and on which ends; the others learn that about its hand."""
    if log is not None:
        events.write(s, log, events.NO_PLAY, s.seat, s.only, eligible_ends(s, r))


@helper
def take_draw_of_struct(s, tile):
    """``take_draw`` of a STATE struct."""
    if tile == NO_TILE:
        tile = next_draw(s)
    s.draws += U1
    leave_boneyard(s, tile)
    return tile


take_draw = by_form(plays.take_draw, take_draw_of_struct)
"""Take ``tile`` (NONE: the tile that the stream draws) out of the boneyard as the next draw; returns it."""


@helper
def draw_tile(s, r, tile):
    """Move ``tile`` (NONE: the tile that the stream draws) from the boneyard to the seat's hand."""
    tile = take_draw(s, tile)
    give(s, r, u64(s.seat), tile)
    return tile


@helper
def draw_for_play(s, r, log, tile):
    """Draw a tile because there is no legal play."""
    tile = draw_tile(s, r, tile)
    events.write(s, log, events.DRAW, s.seat, tile, U0)
    s.drawn = tile
    return after_draw(s, r)


@helper
def draw_by_force(s, r, log, tile):
    """Draw the tile that a D forces on the seat."""
    events.write(s, log, events.FORCED_DRAW, s.seat, draw_tile(s, r, tile), U0)
    return PHASE_LOOK


@helper
def nothing_fits(s, r):
    """Whether no tile in any hand fits any end; called only when the boneyard is empty (section 9)."""
    release_dead(s, r)
    if s.double_count != 0:
        return False
    trains = every_train(r)
    while trains != U0:
        if any_off_table(s, touches(s, r, lowest(trains))):
            return False
        trains &= trains - U1
    return True


@helper
def usable_trains(s, r, seat):
    """The trains that a seat could use if all were open (option ``own_train_first``)."""
    if (u64(s.started) >> seat) & U1 != U0:
        return every_train(r)
    own = U1 << seat
    return own if r.own_train_first == OWN_FIRST_ALL else own | every_train(r) & ~((U1 << u64(r.players)) - U1)


@helper
def fits_usable_train(s, r, seat):
    """Whether a tile of the seat fits a train that it could use; ``*-A`` fits every one."""
    trains = usable_trains(s, r, seat) if s.a_count[seat] == 0 else U0
    while trains != U0:
        halves = touches(s, r, lowest(trains))
        while halves != U0:
            if s.hand[seat, lowest(halves)] != 0:
                return True
            halves &= halves - U1
        trains &= trains - U1
    return s.a_count[seat] != 0


@helper
def is_blocked(s, r):
    """Whether the round is blocked; called only when the boneyard is empty (section 9)."""
    if r.own_train_first == 0:
        return nothing_fits(s, r)
    release_dead(s, r)
    if s.double_count != 0:
        return False
    for seat in range(u64(r.players)):
        if fits_usable_train(s, r, u64(seat)):
            return False
    return True


@helper
def fail(s, r, log):
    """Fail the required play: the seat's train opens, and the round may be blocked.

    Under ``failed_cover`` = ``mark_and_play`` a play that had to cover a double goes on with the tile that it drew.
    """
    s.open = u64(s.open) | U1 << u64(s.seat)
    events.write(s, log, events.OPEN, s.seat, NONE, U0)
    if opening_lasts(s, r):
        return end_opening_turn(s, r, log, True)
    if s.boneyard_size == 0 and is_blocked(s, r):
        return end_round(s, BLOCKED, NONE)
    return after_open(s, r, log)


@helper
def after_open(s, r, log):
    """Go on after the own train was opened, in a round that is not blocked."""
    if r.failed_cover == MARK_AND_PLAY and s.bound != 0 and s.play_drew == DREW:
        s.play_drew = MARKED
        return PHASE_LOOK_DRAWN
    return end_turn(s, r, log)


@helper
def forced_steps(s, r, log, phase):
    """Run the forced steps from ``phase`` until a seat has to decide or the round is over; returns that phase.

    The tests are in the order in which phases follow each other, so that the compiler can jump from one to the next.
    """
    while phase < PHASE_DECIDE:
        if phase == PHASE_TURN:
            phase = begin_turn(s, r)
        if phase == PHASE_FORCED_DRAW:
            phase = draw_by_force(s, r, log, NO_TILE)
        if phase == PHASE_LOOK:
            phase = look(s, r, log)
        if phase == PHASE_DRAW:
            phase = draw_for_play(s, r, log, NO_TILE)
        if phase == PHASE_LOOK_DRAWN:
            phase = look_drawn(s, r, log)
        if phase == PHASE_FAIL:
            phase = fail(s, r, log)
    return phase


@helper
def one_forced_step(s, r, log, phase, tile):
    """Run the one forced step of ``phase``; returns the next phase."""
    if phase == PHASE_TURN:
        return begin_turn(s, r)
    if phase == PHASE_FORCED_DRAW:
        return draw_by_force(s, r, log, tile)
    if phase == PHASE_LOOK:
        return look(s, r, log)
    if phase == PHASE_DRAW:
        return draw_for_play(s, r, log, tile)
    if phase == PHASE_LOOK_DRAWN:
        return look_drawn(s, r, log)
    if phase == PHASE_FAIL:
        return fail(s, r, log)
    return phase


@helper
def cover_double(s, r, train, new):
    """Cover the open double on ``train``, on which a tile was laid; an unfinished foot gets a toe."""
    if has_foot(s, r):
        s.toe[u64(s.toes)] = new
        s.toes += U1
        if s.toes == U3:
            finish_foot(s, r)
        return
    for i in range(s.double_count):
        if u64(s.double_train[u64(i)]) == train:
            drop_double(s, u64(i))
            return


@helper
def move_end(s, r, train, touch, new):
    """Replace the end of the train that ``touch`` met by ``new``."""
    if r.double_rule == CHICKEN_FOOT:
        if has_foot(s, r):
            return  # A toe's free half becomes an end when the foot is finished.
        s.end_count[train, touch] -= U1
        if s.end_count[train, touch] == 0:
            s.end_mask[train] &= ~(U1 << touch)
        if touch != new:  # A double becomes an end when its foot is finished.
            add_end(s, train, new)
    put_end(s, r, train, new)


@helper
def take_effect(s, letter):
    """Apply the immediate effect of R, S and D (section 6, point 3)."""
    if letter == u64(LETTER_R):
        s.step = u64(s.players) - u64(s.step)
    elif letter == u64(LETTER_S):
        s.skip = U1
    elif letter == u64(LETTER_D):
        s.penalty = U1


@helper
def note_double(s, train):
    """Note that a double was laid on the train: it is open."""
    s.double_train[u64(s.double_count)] = train
    s.double_count += U1
    s.fresh = u64(s.fresh) | U1 << train


@helper
def go_on_in_opening(s, r, log, train, touch, new):
    """Go on after a play in an opening that is ``together``: no double owes a play, and no last tile ends the round."""
    if touch == new:
        note_double(s, train)
    if s.hand_count[u64(s.seat)] == 0:
        return end_opening_turn(s, r, log, False)
    if touch != new and r.wild != NONE:
        letter = touch if touch > new else new
        if letter == u64(LETTER_T):
            return owe(s, OWED_BONUS)
        take_effect(s, letter)
    return owe(s, OWED_CHAIN) if s.opening != 0 else end_opening_turn(s, r, log, False)


@helper
def play_tile(s, r, log, move):
    """Play a tile and determine the next play owed, if any (section 6, point 3); returns the next phase."""
    train, touch, new = move_train(move), move_touch(move), move_new(move)
    seat = u64(s.seat)
    events.write(s, log, events.PLAY, seat, move, U0)
    is_double = touch == new
    lasts = opening_lasts(s, r)
    take(s, r, seat, touch, new)
    s.plays += U1
    s.off_total -= U1
    s.off[touch] -= U1
    s.off[new] -= u64(not is_double)
    if train == seat or r.marker_off == ANY_PLAY:
        s.open = u64(s.open) & ~(U1 << seat)
    s.started = u64(s.started) | U1 << train
    move_end(s, r, train, touch, new)
    if s.double_count != 0:
        cover_double(s, r, train, new)
    if lasts:
        return go_on_in_opening(s, r, log, train, touch, new)
    if s.hand_count[seat] == 0 and not (is_double and r.finish_on_double == MUST_COVER):
        if r.double_rule == CHICKEN_FOOT:
            close_feet(s, r, train, new, is_double)
        return end_round(s, OUT, seat)
    if is_double:
        note_double(s, train)
        if r.double_rule != NO_DUTY:
            phase = owe(s, OWED_REQUIRED)
            s.cover = train
            return phase
    elif r.wild != NONE:
        letter = touch if touch > new else new
        if letter == u64(LETTER_T):
            return owe(s, OWED_BONUS)
        take_effect(s, letter)
    if s.opening != 0 and r.opening != SINGLE:
        return owe(s, OWED_CHAIN)
    return end_turn(s, r, log)


@helper
def play_move(s, r, log, move):
    """Play a legal move (uint64); returns the next phase."""
    if move != STOP_MOVE:
        return play_tile(s, r, log, move)
    events.write(s, log, events.STOPPED, s.seat, NONE, U0)
    return stop(s, r, log)


@helper
def advance_state(s, r, log):
    """Run the forced steps of ``s`` to the next decision or the end of the round."""
    s.phase = forced_steps(s, r, log, s.phase)


@helper
def play_on(s, r, log, move):
    """Play a legal move and run the forced steps that follow."""
    s.phase = forced_steps(s, r, log, play_move(s, r, log, move))


@kernel
def step_forced(states, i, rules, log, tile):
    """Run one forced step of ``states[i]``; nothing happens at a decision or after the end.

    ``tile`` (uint64): what PHASE_DRAW and PHASE_FORCED_DRAW draw; NONE (255) takes the stream's tile. ``log``: EVENT
    buffer or None. The number of draws advances either way.
    """
    s = states[i]
    s.events = U0
    s.phase = one_forced_step(s, rules[0], log, s.phase, tile)


@kernel
def advance(states, i, rules, log):
    """Run the forced steps of ``states[i]`` to the next decision or the end of the round."""
    s = states[i]
    s.events = U0
    advance_state(s, rules[0], log)


@kernel
def apply_move(states, i, rules, log, move):
    """Play ``move`` (uint64) without the forced steps that follow.

    Returns False, and changes nothing, if it is illegal.
    """
    s, r = states[i], rules[0]
    if not is_legal_move(s, r, move):
        return False
    s.events = U0
    s.phase = play_move(s, r, log, move)
    return True


@kernel
def play(states, i, rules, log, move):
    """Play ``move`` (uint64) and run the forced steps to the next decision.

    Returns False, and changes nothing, if it is illegal.
    """
    s, r = states[i], rules[0]
    if not is_legal_move(s, r, move):
        return False
    s.events = U0
    play_on(s, r, log, move)
    return True


@kernel
def play_unchecked(states, i, rules, log, move):
    """Like ``play`` for a move that is known to be legal; any other move leaves an invalid state."""
    s, r = states[i], rules[0]
    s.events = U0
    play_on(s, r, log, move)


@kernel
def train_ends(states, i, rules, train):
    """Bit set of the end halves of ``train`` (uint64); with an unfinished foot only the half of its double."""
    return ends_of(states[i], rules[0], train)
