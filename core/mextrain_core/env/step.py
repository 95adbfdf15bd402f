"""Steps of environments: outside seats play given actions, built-in policies play the other seats.

Environment i of N plays the matches first + i, first + i + N, … of its seed, round by round. A step plays one action in
every environment, and then built-in policies until an outside seat has to decide; a round that ends is followed by the
next one at once, if ``autoreset`` says so.
"""

import numpy as np

from mextrain_core.bulk.policies import NO_MOVE, choose
from mextrain_core.bulk.rollout import ask_by_address, attempt_word, play_chosen
from mextrain_core.bulk.samples import note_laid
from mextrain_core.bulk.slots import OUTSIDE
from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.env.envs import (
    BLANK,
    BY_ROW,
    CHECK,
    CLEAR,
    DEAL,
    END_IF_ILLEGAL,
    ENDED,
    FAULTY,
    FINAL,
    FULL,
    ILLEGAL,
    ILLEGAL_END,
    IN_MATCH,
    IN_ROUND,
    KEEP,
    LEAVE,
    MASKS,
    MATCHES,
    NEXT,
    PLAY,
    PLAY_ROWS,
    PLAYING,
    SAME,
    SHOW,
    TABLE,
    Batch,
)
from mextrain_core.env.evidence import begin_known, fold_known, put_known
from mextrain_core.env.rewards import put_penalty, put_reward
from mextrain_core.env.views import observe, put_mask, put_observation
from mextrain_core.game.deal import deal_round
from mextrain_core.game.movegen import before_plays, is_legal_move, kth_play, next_play, play_at
from mextrain_core.game.rounds import engine_of_round, starter_of_round
from mextrain_core.game.score import hand_points
from mextrain_core.game.turn import end_round, forced_steps
from mextrain_core.hidden.observe import relative_id
from mextrain_core.model.indices import tile_index, tile_of_move
from mextrain_core.model.limits import NONE, TILE_WORDS
from mextrain_core.model.moves import STOP_MOVE, encode_move, move_train
from mextrain_core.model.rng import U32, below, mix, round_key
from mextrain_core.model.state import FAILED, FAULT, PHASE_DECIDE, PHASE_OVER, PHASE_TURN, RUNNING

u64 = np.uint64
i64 = np.int64

U0, U1, U6, U10, U63 = u64(0), u64(1), u64(6), u64(10), u64(63)
OBSERVED = u64(TABLE | FULL)


@helper
def absolute_move(decode, action, seat, players):
    """The move of a relative action id."""
    move = u64(decode[action])
    train = move_train(move)
    if move == STOP_MOVE or train == players:
        return move
    turned = train + seat
    turned = turned - players if turned >= players else turned
    return move + (turned << U10) - (train << U10)


@helper
def check(batch, shown, actions, moves, lo, hi):
    """Translate actions into ``moves``; returns -1, or the first environment with an illegal one."""
    r, config = batch.rules[0], batch.config[0]
    what, players, count = u64(config.what), u64(r.players), u64(r.action_count)
    for index in range(lo, hi):
        i = u64(index)
        action = u64(actions[i])
        if config.autoreset != SAME and batch.envs[i].status != PLAYING:
            moves[i] = DEAL if config.autoreset == NEXT else LEAVE
            continue
        move = action
        if what & u64(BY_ROW) != U0:
            is_legal = action < u64(shown.counts[i])
        elif action >= count:
            is_legal = False
        else:
            move = absolute_move(batch.decode, action, u64(shown.seat[i]), players)
            if what & u64(MASKS) != U0:
                is_legal = (shown.mask[i, action >> U6] >> (action & U63)) & U1 != U0
            else:
                is_legal = is_legal_move(batch.states[i], r, move)
        if is_legal:
            moves[i] = move
        elif what & u64(END_IF_ILLEGAL) != U0:
            moves[i] = ILLEGAL
        else:
            return i64(i)
    return i64(-1)


@helper
def kth_action(s, r, k):
    """The move at index ``k`` of the legal actions: plays in ascending order, ``stop`` last."""
    return STOP_MOVE if k == u64(s.legal_count) else kth_play(s, r, k)


@helper
def deal_next(batch, known, i):
    """Deal the round of the environment."""
    s, r, env = batch.states[i], batch.rules[0], batch.envs[i]
    what = u64(batch.config[0].what)
    number = u64(env.number)
    if number == U0:
        for seat in range(u64(r.players)):
            env.totals[u64(seat)] = 0
    engine = engine_of_round(r, number)
    starter = starter_of_round(r, u64(env.last_starter), u64(env.last_winner))
    env.asked = starter
    deal_round(s, r, round_key(u64(env.seed), u64(env.game), engine), engine, starter)
    env.status = PLAYING
    env.kept = U0
    if what & OBSERVED != U0:
        for n in range(TILE_WORDS):
            env.laid[u64(n)] = U0
        note_laid(r, env.laid, tile_index(r, u64(s.engine), u64(s.engine)))
    if known is not None:
        s.events = U0
        begin_known(known, i, s, r)


@helper
def finish(batch, known, i, scratch, shown):
    """Report a round that has ended, and name the next one; returns whether an episode has ended."""
    s, r = batch.states[i], batch.rules[0]
    env, config = batch.envs[i], batch.config[0]
    what, players, decided = u64(config.what), u64(r.players), u64(env.decided)
    in_round = decided & u64(IN_ROUND) != U0
    is_illegal = s.end == ILLEGAL_END
    by_match = what & u64(MATCHES) != U0
    match_over = u64(env.number) + U1 == u64(r.rounds) or (is_illegal and by_match)
    ended = match_over and decided & u64(IN_MATCH) != U0 if by_match else in_round
    for seat in range(players):
        points = hand_points(s, r, u64(seat))
        env.totals[u64(seat)] += points
        if in_round or ended:
            shown.points[i, u64(seat)] = points
    if in_round or ended:
        env.ended_game = env.game
        env.ended_number = env.number
        env.ended_how = s.end
    else:
        env.unseen += U1
    env.number += U1
    if ended:
        shown.done[i] = True
        if is_illegal:
            put_penalty(r, config.reward, config.worst, u64(env.viewer), shown.reward[i])
        elif by_match:
            put_reward(r, config.reward, env.totals, players, shown.reward[i])
        else:
            put_reward(r, config.reward, shown.points[i], u64(s.winner), shown.reward[i])
        if what & u64(FINAL) != U0:
            observe(batch, known, i, scratch, u64(env.viewer), shown.final[i])
    env.last_starter = s.starter
    env.last_winner = s.winner
    env.decided = decided & u64(IN_MATCH)
    if match_over:
        env.number = U0
        env.game += config.stride
        env.last_starter = NONE
        env.last_winner = NONE
        env.decided = U0
    return ended


@helper
def ask(batch, i, scratch, policy, address):
    """The move of a C function for the seat to move; NO_MOVE if it failed, and then the round has ended so."""
    s, r = batch.states[i], batch.rules[0]
    answer = ask_by_address(batch.states, i, scratch, batch.rules, policy, address)
    if is_legal_move(s, r, u64(answer)):
        return u64(answer)
    s.winner = s.seat
    s.end = FAILED if answer < 0 else FAULT
    return NO_MOVE


@helper
def play_given(s, r, log, move):
    """``play_chosen``, but a round that ``ask`` has ended stays as it is."""
    if move == NO_MOVE and s.end != 0:
        return end_round(s, s.end, s.winner)
    return play_chosen(s, r, log, move)


@helper
def begin_step(s, env, config, move):
    """Prepare what ``move`` says; returns PHASE_DECIDE if it is a move (or a row), else PHASE_OVER."""
    if move == u64(DEAL):
        env.status = BLANK
        s.phase = PHASE_OVER
        return PHASE_OVER
    if move == u64(ILLEGAL) or (u64(config.outside) >> u64(s.seat)) & U1 != U0:
        env.decided = IN_ROUND | IN_MATCH
        env.viewer = s.seat
    if move == u64(ILLEGAL):
        s.end = ILLEGAL_END
        return PHASE_OVER
    return PHASE_DECIDE


@helper
def next_round(batch, known, i, scratch, shown):
    """Report the round that is over, and deal the next one; returns whether to do that now."""
    s, env = batch.states[i], batch.envs[i]
    if env.status == PLAYING:
        if s.end == FAULT or s.end == FAILED:
            env.status = FAULTY
            return False
        if finish(batch, known, i, scratch, shown) and batch.config[0].autoreset != SAME:
            env.status = ENDED
            return False
    deal_next(batch, known, i)
    return True


@helper
def clear(shown, lo, hi):
    """Clear what the last step reported."""
    for index in range(lo, hi):
        i = u64(index)
        shown.done[i] = False
        for seat in range(shown.reward.shape[1]):
            shown.reward[i, u64(seat)] = 0.0


@helper
def step_range(batch, known, shown, actions, moves, stages, lo, hi, scratch):
    """``step_envs``; ``known``: Known, or None.

    The loop is one function, and what it calls often gets structs and numbers: an array that is passed on is counted as
    a reference, by atomic instructions that cost more than the play.
    """
    if stages & u64(CHECK) != U0:
        wrong = check(batch, shown, actions, moves, lo, hi)
        if wrong >= 0:
            return wrong
    if stages & u64(CLEAR) != U0:
        clear(shown, lo, hi)
    states, envs, history = batch.states, batch.envs, batch.history
    seats, counts = shown.seat, shown.counts
    mask, observation = shown.mask, shown.observation
    r, config = batch.rules[0], batch.config[0]
    log = None if known is None else known.log
    what = u64(config.what)
    plays, by_row = stages & u64(PLAY | PLAY_ROWS) != U0, stages & u64(PLAY_ROWS) != U0
    shows = stages & u64(SHOW) != U0
    failed = i64(-1)
    for index in range(lo, hi):
        i = u64(index)
        s, env = states[i], envs[i]
        if plays and moves[i] != LEAVE:
            move = u64(moves[i])
            phase = begin_step(s, env, config, move)
            if known is not None:
                s.events = U0
            if by_row and phase == PHASE_DECIDE:
                move = kth_action(s, r, move)
            while True:
                if phase == PHASE_DECIDE:
                    if what & OBSERVED != U0 and move != STOP_MOVE and move != NO_MOVE:
                        note_laid(r, env.laid, tile_of_move(r, move))
                    if what & u64(KEEP) != U0:
                        history[i, u64(env.kept)] = move
                        env.kept += U1
                    if known is not None:
                        s.events = U0
                    phase = play_given(s, r, log, move)
                phase = forced_steps(s, r, log, phase)
                if known is not None and env.status == PLAYING:
                    fold_known(known, i, s, r)
                s.phase = phase
                if phase == PHASE_OVER:
                    if next_round(batch, known, i, scratch, shown):
                        phase = PHASE_TURN
                        continue
                    break
                seat = u64(s.seat)
                policy, address = config.policies[seat], u64(config.addresses[seat])
                if policy == OUTSIDE:
                    break
                if address == U0:
                    move = choose(policy, s, r, attempt_word(s))
                else:
                    move = ask(batch, i, scratch, policy, address)
            counts[i] = u64(s.legal_count) + u64(s.may_stop) if env.status == PLAYING else U1
            if env.status == FAULTY and failed == -1:
                failed = -2 - i64(i)
        if shows:
            seat = u64(s.seat) if env.status == PLAYING else u64(env.viewer)
            seats[i] = seat
            if what & u64(MASKS) != U0:
                put_mask(s, r, env.status == PLAYING, mask, i)
            if what & OBSERVED != U0:
                put_observation(s, r, env, config, seat, observation[i])
                if known is not None:
                    put_known(known, i, scratch, s, batch.rules, seat, config.layout, observation[i])
    return failed


@kernel
def step_envs(batch, shown, actions, moves, stages, lo, hi, scratch):
    """Step the environments ``lo`` … ``hi - 1``, or do a part of a step: ``stages`` (uint64) is a set of CHECK … SHOW.

    ``batch``: Batch, ``shown``: Shown. ``actions``, ``moves``: uint16[N]; CHECK writes ``moves``, which PLAY or
    PLAY_ROWS plays; without CHECK they are given, each a move (a row), DEAL or LEAVE. ``states[scratch]`` is scratch
    for policies. Seats with the policy OUTSIDE that are not in ``config.outside`` are those of callbacks: the caller
    asks them, and goes on with PLAY.

    Returns -1; i if the action of environment i is illegal, and then nothing has changed but ``moves``; or -2 - i if a
    policy failed in environment i.
    """
    return step_range(batch, None, shown, actions, moves, stages, lo, hi, scratch)


@kernel
def step_knowing(batch, known, shown, actions, moves, stages, lo, hi, scratch):
    """``step_envs`` for observations with what others have shown; ``known``: Known."""
    return step_range(batch, known, shown, actions, moves, stages, lo, hi, scratch)


@kernel
def random_actions(states, envs, rules, by_row, seed, out):
    """Write a random legal action of each environment into ``out`` (uint16[N]): a relative id, or the index of a row.

    Uniform; ``seed`` (uint64) and the number of the environment decide. ``stop`` after the end of an episode.
    """
    r = rules[0]
    for index in range(len(out)):
        i = u64(index)
        s = states[i]
        out[i] = U0 if by_row else u64(r.action_count) - U1
        if envs[i].status == PLAYING:
            k = below(mix(seed + i) >> U32, u64(s.legal_count) + u64(s.may_stop))
            out[i] = k if by_row else relative_id(r, kth_action(s, r, k), u64(s.seat))


@helper
def row_of_move(s, r, move):
    """The index of a legal move among the legal actions."""
    k = U0
    at = before_plays(s, r)
    while True:
        at = next_play(s, r, at)
        train, touch, new = play_at(at)
        if at.trains == U0 or encode_move(train, touch, new) == move:
            return k
        k += U1


@kernel
def policy_actions(states, envs, rules, by_row, policy, address, scratch, out):
    """Write the action that a policy chooses in each environment into ``out`` (uint16[N]), as in ``random_actions``.

    ``policy`` (uint64) is its id, ``address`` (uint64) that of its C function, or 0. Returns -1, or the first
    environment for which the policy failed.
    """
    batch = Batch(states, envs, rules, None, None, None)
    r = rules[0]
    for index in range(len(out)):
        i = u64(index)
        s = states[i]
        out[i] = U0 if by_row else u64(r.action_count) - U1
        if envs[i].status == PLAYING:
            if address == U0:
                move = choose(policy, s, r, attempt_word(s))
            else:
                move = ask(batch, i, scratch, policy, address)
            if move == NO_MOVE:
                s.end = RUNNING
                s.winner = NONE
                return i64(i)
            out[i] = row_of_move(s, r, move) if by_row else relative_id(r, move, u64(s.seat))
    return i64(-1)
