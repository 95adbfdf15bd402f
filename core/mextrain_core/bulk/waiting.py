"""Many games side by side, waiting for somebody outside to decide.

A lane plays one match after the other. ``run_lanes`` plays every lane until a seat without a built-in policy has to
decide; the caller looks at the waiting states, and ``play_in_lanes`` plays what it chose. Game i of a seed is the
same game in any lane, of any number of lanes.
"""

import numpy as np

from mextrain_core.bulk.policies import choose
from mextrain_core.bulk.rollout import (
    attempt_word,
    call_by_address,
    engine_of_round,
    foreign_word,
    record_round,
    starter_of_round,
)
from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.game.deal import deal_round
from mextrain_core.game.movegen import is_legal_move, write_moves
from mextrain_core.game.turn import advance_state, play_on
from mextrain_core.hidden.view import view_state
from mextrain_core.model.limits import MAX_DECISIONS
from mextrain_core.model.rng import round_key
from mextrain_core.model.state import PHASE_OVER, RUNNING

u64 = np.uint64

U0, U1 = u64(0), u64(1)

OUTSIDE = 254
"""Policy id of a seat that the caller decides for."""

IDLE, PLAYING = 0, 1

_FIELDS = [
    ("game", np.int64),  # counted from the first game of the job
    ("played", np.int64),  # rounds of the game that are over
    ("status", np.uint8),
    ("last_starter", np.uint8),
    ("last_winner", np.uint8),
]
LANE = np.dtype((np.record, np.dtype(_FIELDS, align=True)))
"""What a lane is doing; all zero is a lane that has not begun."""


@helper
def note_move(lane, r, facts, actions, move):
    """Count a move of the lane's round, and keep it if moves are kept."""
    row = facts[lane.game, lane.played]
    if len(actions) != 0:
        actions[(lane.game * np.int64(r.rounds) + lane.played) * MAX_DECISIONS + row[6]] = move
    row[6] += 1


@kernel
def run_lanes(
    states, lanes, rules, policies, addresses, seed, first_game, games, begun, points, facts, actions, waiting
):
    """Play all lanes on until each waits for the caller or has no more game to play.

    ``states``: len(lanes) states and one more, which is scratch. ``policies``: uint8[players], OUTSIDE for the
    caller's seats; ``addresses``: uint64[players], 0 or the C function that plays the seat. Lanes without a game take
    the next of ``first_game`` … ``first_game + games - 1``; ``begun`` of them have been taken. ``points`` and
    ``facts`` are those of ``rollout.play_games``. ``actions``: uint16, empty or MAX_DECISIONS for each round, where
    the moves of a round go to its own part. ``waiting``: int64, gets the lanes that wait. Returns (number
    waiting, games begun, hash of the rounds that ended).
    """
    r = rules[0]
    scratch = len(lanes)
    total = U0
    n = 0
    for i in range(len(lanes)):
        s, lane = states[i], lanes[i]
        while True:
            if lane.status == IDLE:
                if begun == games:
                    break
                lane.game = begun
                lane.played = 0
                lane.status = PLAYING
                begun += 1
                s.phase = PHASE_OVER
                s.end = RUNNING
            if s.phase == PHASE_OVER:
                if s.end != RUNNING:
                    total += record_round(s, r, points[lane.game, lane.played], facts[lane.game, lane.played])
                    lane.last_starter = s.starter
                    lane.last_winner = s.winner
                    lane.played += 1
                    if lane.played == r.rounds:
                        lane.status = IDLE
                        continue
                number = u64(lane.played)
                engine = engine_of_round(r, number)
                starter = starter_of_round(r, number, u64(lane.last_starter), u64(lane.last_winner))
                key = round_key(seed, first_game + u64(lane.game), engine)
                deal_round(s, r, key, engine, starter)
                facts[lane.game, lane.played, 6] = 0
                advance_state(s, r, None)
                continue
            seat = u64(s.seat)
            if policies[seat] == OUTSIDE:
                waiting[n] = i
                n += 1
                break
            if addresses[seat] != U0:
                move = call_by_address(states, i, scratch, rules, policies[seat], addresses[seat])
            else:
                move = choose(policies[seat], s, r, attempt_word(s))
                play_on(s, r, None, move)
            note_move(lane, r, facts, actions, move)
    return n, begun, total


@kernel
def look_at_lanes(states, waiting, rules, views, seats, words, offsets, moves):
    """Show what the seat to move sees in each of the states ``waiting`` (int64[n]).

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
def play_in_lanes(states, lanes, waiting, rules, chosen, facts, actions):
    """Play the move ``chosen[k]`` (uint16) in state ``waiting[k]``, for all k.

    Returns -1, or the first k whose move is not legal; then no state has changed.
    """
    r = rules[0]
    for k in range(len(waiting)):
        if not is_legal_move(states[waiting[k]], r, u64(chosen[k])):
            return k
    for k in range(len(waiting)):
        i = waiting[k]
        note_move(lanes[i], r, facts, actions, u64(chosen[k]))
        play_on(states[i], r, None, u64(chosen[k]))
    return -1
