"""Many games side by side that wait for decisions from outside.

A slot plays one match after the other. ``run_slots`` plays every slot until a seat without a built-in policy has to
decide; the caller reads the waiting states, and ``play_in_slots`` plays the moves that it chose. Game i of a seed is
the same in every slot, whatever the number of slots.
"""

from typing import Any, NamedTuple

import numpy as np

from mextrain_core.bulk.rollout import Calls, foreign_word, play_decision, write_round
from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.game.deal import deal_round
from mextrain_core.game.movegen import is_legal_move, write_moves
from mextrain_core.game.rounds import engine_of_round, starter_of_round
from mextrain_core.game.turn import advance_state, play_on
from mextrain_core.hidden.view import view_state
from mextrain_core.model.limits import MAX_DECISIONS, NONE
from mextrain_core.model.rng import round_key
from mextrain_core.model.state import PHASE_OVER, RUNNING

u64 = np.uint64

U0, U1 = u64(0), u64(1)

OUTSIDE = 254
"""Policy id of a seat for which the caller decides."""

IDLE, PLAYING = 0, 1

_FIELDS = [
    ("game", np.int64),  # index of the game in the job
    ("played", np.int64),  # finished rounds of the game
    ("status", np.uint8),
    ("last_starter", np.uint8),
    ("last_winner", np.uint8),
]
SLOT = np.dtype((np.record, np.dtype(_FIELDS, align=True)))
"""Progress of a slot; all zero for a slot that has not begun."""


class Logs(NamedTuple):
    """What a search needs of the rounds in the slots: their public events from the deal on."""

    events: Any
    """EVENT[slots, EVENTS]: the log of the slot's round; the state's ``events`` is its length."""
    sizes: Any
    """uint8[slots, players]: tiles dealt to each seat."""
    searches: Any
    """uint8[players]: 1 for a seat that searches; the caller decides for it where it has a choice."""


EVENTS = 8192
"""Events of one round never exceed this: plays, stops, draws and opened trains, and a seat that cannot play at each of
at most 14 turns between two of them."""


@helper
def log_of(logs, i):
    """The log (EVENT) of slot ``i``, or None."""
    if logs is None:
        return None
    return logs.events[i]


@helper
def note_deal(s, r, logs, i):
    """Begin the log of a round that was dealt."""
    if logs is not None:
        s.events = U0
        for seat in range(u64(r.players)):
            logs.sizes[i, u64(seat)] = s.hand_count[u64(seat)]


@helper
def has_to_search(s, logs):
    """Whether the seat to move searches and has a choice."""
    if logs is None:
        return False
    return logs.searches[u64(s.seat)] != 0 and u64(s.legal_count) + u64(s.may_stop) > U1


@helper
def note_move(slot, r, facts, actions, move):
    """Count a move of the slot's round, and store it if moves are kept."""
    row = facts[slot.game, slot.played]
    if len(actions) != 0:
        actions[(slot.game * np.int64(r.rounds) + slot.played) * MAX_DECISIONS + row[6]] = move
    row[6] += 1


@helper
def begin_game(s, slot, game):
    """Assign game number ``game`` of the job to a slot; its first round is not dealt yet."""
    slot.game = game
    slot.played = 0
    slot.status = PLAYING
    slot.last_starter = NONE
    slot.last_winner = NONE
    s.phase = PHASE_OVER
    s.end = RUNNING


@helper
def begin_round(s, r, slot, games, logs, i):
    """Deal the next round of the slot's game, and play on to its first decision."""
    engine = engine_of_round(r, u64(slot.played))
    starter = starter_of_round(r, u64(slot.last_starter), u64(slot.last_winner))
    deal_round(s, r, round_key(games.seed, games.first + u64(slot.game), engine), engine, starter)
    note_deal(s, r, logs, i)
    advance_state(s, r, log_of(logs, i))


@helper
def finish_round(s, r, slot, results):
    """Write the results of a finished round, and count it; returns its hash."""
    part = write_round(s, r, results.points[slot.game, slot.played], results.facts[slot.game, slot.played])
    slot.last_starter = s.starter
    slot.last_winner = s.winner
    slot.played += 1
    if slot.played == r.rounds:
        slot.status = IDLE
    return part


@kernel
def run_slots(states, slots, rules, seats, games, begun, results, waiting, logs):
    """Play all slots on until each waits for the caller or has no game left.

    ``states``: len(slots) states and one more as scratch. ``seats``: SeatPolicies, with policy OUTSIDE for the caller's
    seats. A slot without a game takes the next of ``games`` (Games), of which ``begun`` have been taken. ``results``:
    the Results of ``rollout.play_games``, but ``actions`` is empty or has MAX_DECISIONS elements for each round.
    ``waiting``: int64, output: the slots that wait. ``logs``: Logs, or None if nobody searches. Returns (number
    waiting, games begun, hash of the rounds that ended).
    """
    r = rules[0]
    total = U0
    n = 0
    for i in range(len(slots)):
        s, slot = states[i], slots[i]
        while True:
            if slot.status == IDLE:
                if begun == games.count:
                    break
                begin_game(s, slot, begun)
                begun += 1
            if s.phase == PHASE_OVER:
                if s.end != RUNNING:
                    total += finish_round(s, r, slot, results)
                    if slot.status == IDLE:
                        continue
                results.facts[slot.game, slot.played, 6] = 0
                begin_round(s, r, slot, games, logs, i)
                continue
            if seats.policies[u64(s.seat)] == OUTSIDE or has_to_search(s, logs):
                waiting[n] = i
                n += 1
                break
            move = play_decision(Calls(states, i, rules, seats.addresses), len(slots), seats.policies, log_of(logs, i))
            note_move(slot, r, results.facts, results.actions, move)
    return n, begun, total


@kernel
def look_at_slots(states, waiting, rules, views, seats, words, offsets, moves):
    """Write views of the states ``waiting`` (int64[n]) for the seats to move, with their legal moves.

    ``views``: STATE[n]; ``seats``: uint8[n]; ``words``: uint64[n], the attempts' one-way words; ``offsets``: int64[n+1]
    into ``moves`` (uint16, with room for 1 + the legal count of each): the legal moves of state k are
    ``moves[offsets[k]:offsets[k + 1]]``, ascending, stop last.
    """
    n = 0
    for k in range(len(waiting)):
        i = waiting[k]
        s = states[i]
        view_state(views, k, states, i, rules, u64(s.seat))
        seats[k] = s.seat
        words[k] = foreign_word(s)
        offsets[k] = n
        n += write_moves(s, rules[0], moves[n:])
    offsets[len(waiting)] = n


@kernel
def play_in_slots(states, slots, waiting, rules, chosen, facts, actions, logs):
    """Play the move ``chosen[k]`` (uint16) in state ``waiting[k]``, for all k; ``logs`` as in ``run_slots``.

    Returns -1, or the first k whose move is not legal; then no state has changed.
    """
    r = rules[0]
    for k in range(len(waiting)):
        if not is_legal_move(states[waiting[k]], r, u64(chosen[k])):
            return k
    for k in range(len(waiting)):
        i = waiting[k]
        note_move(slots[i], r, facts, actions, u64(chosen[k]))
        play_on(states[i], r, log_of(logs, i), u64(chosen[k]))
    return -1
