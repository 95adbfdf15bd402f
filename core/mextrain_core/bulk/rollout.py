"""Rounds and matches played to the end by built-in policies."""

from typing import Any, NamedTuple

import numpy as np

from mextrain_core.bulk.policies import FOREIGN, NO_MOVE, RANDOM, choose, choose_random
from mextrain_core.compact.intrinsics import compact, supported
from mextrain_core.compiler.frozen import freezer
from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.compiler.machine import call_policy
from mextrain_core.game.deal import deal_round
from mextrain_core.game.movegen import is_legal_move
from mextrain_core.game.rounds import NO_SEAT, engine_of_round, starter_of_round
from mextrain_core.game.score import hand_points
from mextrain_core.game.turn import advance_state, end_round, forced_steps, play_move, play_on
from mextrain_core.hidden.view import view_state
from mextrain_core.model.limits import NONE
from mextrain_core.model.rng import POLICY_WORDS, mix, one_way_word, round_key, word
from mextrain_core.model.rules import USUAL_PLAIN, USUAL_SUPER
from mextrain_core.model.state import FAILED, FAULT, PHASE_DECIDE, copy_state

u64 = np.uint64

U0, U1 = u64(0), u64(1)
HASH_FACTOR = u64(0x100000001B3)
"""Multiplier of the 64-bit FNV hash."""

ROUND_FIELDS = ("end", "winner", "starter", "turns", "plays", "draws", "actions")
"""Columns of ``facts`` of ``play_games`` (int32): winner is -1 in a blocked round, end a code of ``state``."""


class Games(NamedTuple):
    """The matches ``first`` … ``first + count - 1`` of ``seed``: uint64, uint64 and an int."""

    seed: Any
    first: Any
    count: Any


class Results(NamedTuple):
    """Where the results of matches go, see ``play_games``."""

    points: Any
    facts: Any
    actions: Any


class SeatPolicies(NamedTuple):
    """Who decides for each seat."""

    policies: Any
    """uint8[players]: ids of built-in policies, or FOREIGN for a C function of the user's."""
    addresses: Any
    """uint64[players]: a number that is not 0 is the address of the seat's C function (docs/c-abi.md)."""


class Calls(NamedTuple):
    """What calls of C functions need: the round is ``states[i]``, and ``states[i + 1]`` is scratch."""

    states: Any
    i: Any
    rules: Any
    addresses: Any


@helper
def attempt_word(s):
    """The random word (uint64) of a built-in policy for the attempt that is being decided."""
    return word(u64(s.key), POLICY_WORDS + u64(s.attempts) - U1)


@helper
def foreign_word(s):
    """The random word (uint64) for the attempt that is being decided, as code that is not ours may have it."""
    return one_way_word(u64(s.key), POLICY_WORDS + u64(s.attempts) - U1)


@helper
def decide(s, r, policies):
    """The move of the seat's policy; ``policies`` (uint8) by seat, or None if all choose at random."""
    if policies is None:
        return choose_random(s, r, attempt_word(s))
    return choose(policies[u64(s.seat)], s, r, attempt_word(s))


@helper
def play_chosen(s, r, log, move):
    """Play a move that ``choose`` returned; returns the phase after it. NO_MOVE ends the round as FAULT."""
    return end_round(s, FAULT, NONE) if move == NO_MOVE else play_move(s, r, log, move)


@helper
def play_to_end(s, r, log, policies, actions, n):
    """Play ``s`` to the end of the round; ``policies`` as in ``decide``.

    Moves go to ``actions[n:]`` while there is room, unless it is None; returns n after the last move.
    """
    phase = s.phase
    while True:
        phase = forced_steps(s, r, log, phase)
        if phase != PHASE_DECIDE:
            break
        move = decide(s, r, policies)
        if actions is not None:
            if n < u64(len(actions)):
                actions[n] = move
        n += U1
        if policies is None:
            phase = play_move(s, r, log, move)
        else:
            phase = play_chosen(s, r, log, move)
    s.phase = phase
    return n


@helper
def call_by_address(states, i, scratch, rules, policy, address):
    """Let the C function at ``address`` choose for the seat to move of ``states[i]``, and play its move, returned.

    The function sees a view of the state (``view.py``) in ``states[scratch]``, and with the ``policy`` id FOREIGN a
    one-way word. A move that is not legal ends the round with FAULT and the seat as winner, a negative number, which
    says that the function failed, with FAILED.
    """
    s, r = states[i], rules[0]
    seat = u64(s.seat)
    view_state(states, scratch, states, i, rules, seat)
    random = foreign_word(s) if policy == FOREIGN else attempt_word(s)
    answer = np.int64(call_policy(address, states[scratch], r, random))
    move = u64(answer)
    if is_legal_move(s, r, move):
        play_on(s, r, None, move)
    else:
        s.phase = end_round(s, FAILED if answer < 0 else FAULT, seat)
    return move


@helper
def play_decision(calls, scratch, policies):
    """Let the seat to move of ``calls.states[calls.i]`` decide, and play on to the next decision; returns the move.

    A seat with an address is played by the C function there, any other by its policy.
    """
    s, r = calls.states[calls.i], calls.rules[0]
    seat = u64(s.seat)
    if calls.addresses[seat] != U0:
        return call_by_address(calls.states, calls.i, scratch, calls.rules, policies[seat], calls.addresses[seat])
    move = choose(policies[seat], s, r, attempt_word(s))
    s.phase = forced_steps(s, r, None, play_chosen(s, r, None, move))
    return move


@helper
def play_to_end_calling(calls, policies, actions, n):
    """Like ``play_to_end`` for the round of ``calls``."""
    s, r = calls.states[calls.i], calls.rules[0]
    room = u64(len(actions))
    advance_state(s, r, None)
    while s.phase == PHASE_DECIDE:
        move = play_decision(calls, calls.i + 1, policies)
        if n < room:
            actions[n] = move
        n += U1
    return n


@helper
def round_hash(s, points):
    """A number that two backends share exactly when they played the round alike, as far as counts and points tell."""
    h = u64(s.starter)
    h = h * HASH_FACTOR + u64(s.end)
    h = h * HASH_FACTOR + u64(s.turns)
    h = h * HASH_FACTOR + u64(s.plays)
    h = h * HASH_FACTOR + u64(s.draws)
    for seat in range(u64(s.players)):
        h = h * HASH_FACTOR + u64(points[u64(seat)])
    return mix(u64(s.key) + h)


@helper
def write_round(s, r, points, facts):
    """Write a finished round into its rows of ``points`` and ``facts``, all but the moves; returns its hash."""
    for seat in range(u64(r.players)):
        points[seat] = hand_points(s, r, u64(seat))
    facts[0] = s.end
    facts[1] = -1 if s.winner == NONE else np.int64(s.winner)
    facts[2] = s.starter
    facts[3] = s.turns
    facts[4] = s.plays
    facts[5] = s.draws
    return round_hash(s, points)


@helper
def play_matches(s, r, policies, calls, games, results):
    """What ``play_games`` does with the rules ``r`` in the state ``s``, which may be of a quicker form than structs.

    With ``calls`` what ``play_games_calling`` does; None drops the calls.
    """
    total = U0
    n = U0
    for nth in range(games.count):
        last_starter, last_winner = NO_SEAT, NO_SEAT
        game = games.first + u64(nth)
        for k in range(u64(r.rounds)):
            engine = engine_of_round(r, u64(k))
            starter = starter_of_round(r, last_starter, last_winner)
            deal_round(s, r, round_key(games.seed, game, engine), engine, starter)
            before = n
            if calls is None:
                n = play_to_end(s, r, None, policies, results.actions, n)
            else:
                n = play_to_end_calling(calls, policies, results.actions, n)
            last_starter, last_winner = u64(s.starter), u64(s.winner)
            total += write_round(s, r, results.points[nth, k], results.facts[nth, k])
            results.facts[nth, k, 6] = n - before
    return total, n


ALL_RULES, PLAIN, SUPER = 0, 1, 2
"""For which rules a kernel is made: all, or only ``USUAL_PLAIN`` or ``USUAL_SUPER`` with all seats at random."""

as_plain = freezer("plain", USUAL_PLAIN)
as_super = freezer("super", USUAL_SUPER)


def games_kernel_for(form, words):
    """A kernel that plays games as ``play_games`` does, for the rules ``form``.

    ``words``: of a compact state (``compact``), with which all but ALL_RULES are played. Numba keeps the code of each
    of these kernels apart on disk: it is known by these two numbers.
    """

    @kernel
    def play(states, i, rules, policies, seed, first_game, games, points, facts, actions):
        if form == ALL_RULES:
            s, r, seats = states[i], rules[0], policies
        elif form == PLAIN:
            s, r, seats = compact(states[i], words, 0), as_plain(rules[0]), None
        else:
            s, r, seats = compact(states[i], words, 1), as_super(rules[0]), None
        return play_matches(s, r, seats, None, Games(seed, first_game, games), Results(points, facts, actions))

    return play


play_any = games_kernel_for(ALL_RULES, 0)
play_plain_small = games_kernel_for(PLAIN, 1)
"""At most 64 tiles and 3 players."""
play_plain = games_kernel_for(PLAIN, 2)
"""At most 128 tiles and 7 players."""
play_plain_wide = games_kernel_for(PLAIN, 4)
"""Sets up to double-15."""
play_super = games_kernel_for(SUPER, 2)
"""At most 7 players."""
play_super_wide = games_kernel_for(SUPER, 4)


def usual_rules(rules, policies):
    """PLAIN or SUPER if these are such rules and all seats play at random, else ALL_RULES."""
    r = rules[0]
    if any(policy != RANDOM for policy in policies):
        return ALL_RULES
    if r["halves"] <= 16 and all(r[field] == value for field, value in USUAL_PLAIN.items()):
        return PLAIN
    return SUPER if all(r[field] == value for field, value in USUAL_SUPER.items()) else ALL_RULES


def games_kernel(rules, policies):
    """The kernel that plays games of these rules (RULES, shape (1,)) and policies (ids by seat) quickest.

    All give the same results and take the same arguments; ``play_any`` plays whatever has no kernel of its own.
    """
    usual = usual_rules(rules, policies)
    if usual == ALL_RULES or not supported():
        return play_any
    players, tiles = rules[0]["players"], rules[0]["tiles"]
    is_narrow = players <= 7 and tiles <= 128
    if usual == SUPER:
        return play_super if is_narrow else play_super_wide
    if players <= 3 and tiles <= 64:
        return play_plain_small
    return play_plain if is_narrow else play_plain_wide


def play_games(states, i, rules, policies, seed, first_game, games, points, facts, actions):
    """Play the matches ``first_game`` … ``first_game + games - 1`` of ``seed`` with built-in policies.

    ``states[i]`` is scratch. ``policies``: uint8[players]. ``points``: int64[games, rounds, players]. ``facts``:
    int32[games, rounds, 7] by ROUND_FIELDS. ``actions``: uint16, the moves of all rounds one after the other (its
    number a round is in ``facts``); moves that find no room are counted and not written, so an empty array keeps
    nothing. Returns (hash, moves): hash is the sum of ``round_hash`` modulo 2**64, so it does not depend on how
    the games were divided. A round with a policy that ``choose`` does not know ends as FAULT.
    """
    play = games_kernel(rules, policies)
    if play is not play_any and len(actions) == 0:
        actions = None  # Not to look for room at every move is worth a kernel of its own.
    return play(states, i, rules, policies, seed, first_game, games, points, facts, actions)


@kernel
def play_games_calling(states, i, rules, seats, seed, first_game, games, points, facts, actions):
    """Like ``play_games``, with seats (``SeatPolicies``) that C functions play.

    ``states[i + 1]`` is scratch too. A round in which a function gave a move that is not legal ends as FAULT, one in
    which it gave a negative number as FAILED, and ``facts`` names the seat at fault as its winner.
    """
    calls = Calls(states, i, rules, seats.addresses)
    asked, results = Games(seed, first_game, games), Results(points, facts, actions)
    return play_matches(states[i], rules[0], seats.policies, calls, asked, results)


@kernel
def play_round(states, i, rules, log, policies, actions):
    """Play ``states[i]`` on to the end of the round.

    Returns the number of moves; they are written to ``actions`` (uint16) as far as they fit.
    """
    s = states[i]
    s.events = U0
    return play_to_end(s, rules[0], log, policies, actions, U0)


def copies_kernel_for(form):
    """A kernel that plays copies as ``play_copies`` does, for the rules ``form`` (see ``games_kernel_for``)."""

    @kernel
    def play(states, rules, policies, origins, keys, scratch, points, facts):
        if form == ALL_RULES:
            r, seats = rules[0], policies
        elif form == PLAIN:
            r, seats = as_plain(rules[0]), None
        else:
            r, seats = as_super(rules[0]), None
        s = scratch[0]
        total = U0
        for k in range(len(keys)):
            copy_state(scratch, 0, states, u64(origins[k]), rules)
            s.key = keys[k]
            facts[k, 6] = play_to_end(s, r, None, seats, None, U0)
            total += write_round(s, r, points[k], facts[k])
        return total

    return play


play_copies_any = copies_kernel_for(ALL_RULES)
play_copies_plain = copies_kernel_for(PLAIN)
play_copies_super = copies_kernel_for(SUPER)


def play_copies(states, rules, policies, origins, keys, scratch, points, facts):
    """Play copies of ``states`` with built-in policies to the end of their rounds; the states do not change.

    Copy k is ``states[origins[k]]`` (uint32) with the round key ``keys[k]`` (uint64), which decides all later draws and
    choices. ``policies``: uint8[players]; ``scratch``: STATE[1]. ``points``: int64[copies, players]; ``facts``:
    int32[copies, 7] by ROUND_FIELDS: the moves are those of the copy, everything else is of the whole round. Returns
    the sum of ``round_hash`` modulo 2**64.
    """
    kernels = {ALL_RULES: play_copies_any, PLAIN: play_copies_plain, SUPER: play_copies_super}
    play = kernels[usual_rules(rules, policies)]
    return play(states, rules, policies, origins, keys, scratch, points, facts)
