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
from mextrain_core.model.rules import USUAL_PLAIN, USUAL_PRINTED, USUAL_SUPER
from mextrain_core.model.state import FAILED, FAULT, PHASE_DECIDE, copy_state

u64 = np.uint64

U0, U1 = u64(0), u64(1)
HASH_FACTOR = u64(0x100000001B3)
"""Multiplier of the 64-bit FNV hash."""

ROUND_FIELDS = ("end", "winner", "starter", "turns", "plays", "draws", "actions")
"""Columns of ``facts`` of ``play_games`` (int32): ``winner`` is -1 in a blocked round; ``end`` is OUT, BLOCKED, FAULT
or FAILED (``state``)."""


class Games(NamedTuple):
    """The matches ``first`` … ``first + count - 1`` of ``seed``: uint64, uint64 and an int."""

    seed: Any
    first: Any
    count: Any


class Results(NamedTuple):
    """Output arrays of matches, see ``play_games``."""

    points: Any
    facts: Any
    actions: Any


class SeatPolicies(NamedTuple):
    """Who decides for each seat."""

    policies: Any
    """uint8[players]: ids of built-in policies, or FOREIGN for a C function of the user."""
    addresses: Any
    """uint64[players]: address of the seat's C function (docs/c-abi.md), or 0."""


class Calls(NamedTuple):
    """Arguments for calls of C functions: the round is ``states[i]``, and ``states[i + 1]`` is scratch."""

    states: Any
    i: Any
    rules: Any
    addresses: Any


@helper
def attempt_word(s):
    """The random word (uint64) of a built-in policy for the current attempt."""
    return word(u64(s.key), POLICY_WORDS + u64(s.attempts) - U1)


@helper
def foreign_word(s):
    """The random word (uint64) for the current attempt that foreign code may see."""
    return one_way_word(u64(s.key), POLICY_WORDS + u64(s.attempts) - U1)


@kernel
def choose_at(states, i, rules, policy):
    """The move (uint64) of a built-in policy (id, uint64) at the decision of ``states[i]``; nothing changes.

    NO_MOVE for an id that ``choose`` does not know.
    """
    return choose(policy, states[i], rules[0], attempt_word(states[i]))


@helper
def decide(s, r, policies):
    """The move that the policy of the seat to move chooses; ``policies`` (uint8) by seat, None: all play ``random``."""
    if policies is None:
        return choose_random(s, r, attempt_word(s))
    return choose(policies[u64(s.seat)], s, r, attempt_word(s))


@helper
def play_chosen(s, r, log, move):
    """Play a move that ``choose`` returned; returns the next phase. NO_MOVE ends the round as FAULT."""
    return end_round(s, FAULT, NONE) if move == NO_MOVE else play_move(s, r, log, move)


@helper
def play_to_end(s, r, log, policies, actions, n):
    """Play ``s`` to the end of the round; ``policies`` as in ``decide``.

    Moves are written to ``actions[n:]`` while there is room, unless it is None; returns n plus the number of moves.
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
def ask_by_address(states, i, scratch, rules, policy, address):
    """What the C function at ``address`` answers (int64) for the seat to move in ``states[i]``.

    The function gets a view of the state (``view.py``) in ``states[scratch]``, and with the ``policy`` id FOREIGN a
    one-way word. A negative number means that it failed.
    """
    s, r = states[i], rules[0]
    view_state(states, scratch, states, i, rules, u64(s.seat))
    random = foreign_word(s) if policy == FOREIGN else attempt_word(s)
    return np.int64(call_policy(address, states[scratch], r, random))


@helper
def call_by_address(states, i, scratch, rules, policy, address, log):
    """Ask the C function at ``address`` (``ask_by_address``), and play its move; returns the move.

    An illegal move ends the round as FAULT with the seat as winner, a failure ends it as FAILED.
    """
    s, r = states[i], rules[0]
    answer = ask_by_address(states, i, scratch, rules, policy, address)
    move = u64(answer)
    if is_legal_move(s, r, move):
        play_on(s, r, log, move)
    else:
        s.phase = end_round(s, FAILED if answer < 0 else FAULT, u64(s.seat))
    return move


@helper
def play_decision(calls, scratch, policies, log):
    """Decide for the seat to move in ``calls.states[calls.i]`` and play on to the next decision; returns the move.

    The C function at the seat's address decides; without an address its built-in policy does. ``log``: EVENT or None.
    """
    s, r = calls.states[calls.i], calls.rules[0]
    seat = u64(s.seat)
    if calls.addresses[seat] != U0:
        return call_by_address(calls.states, calls.i, scratch, calls.rules, policies[seat], calls.addresses[seat], log)
    move = choose(policies[seat], s, r, attempt_word(s))
    s.phase = forced_steps(s, r, log, play_chosen(s, r, log, move))
    return move


@helper
def play_to_end_calling(calls, policies, actions, n):
    """Like ``play_to_end`` for the round of ``calls``."""
    s, r = calls.states[calls.i], calls.rules[0]
    room = u64(len(actions))
    advance_state(s, r, None)
    while s.phase == PHASE_DECIDE:
        move = play_decision(calls, calls.i + 1, policies, None)
        if n < room:
            actions[n] = move
        n += U1
    return n


@helper
def round_hash(s, points):
    """Hash of a finished round (key, starter, end, counts, points), which is equal in all backends."""
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
    """Write a finished round into rows of ``points`` and ``facts``, without the number of moves; returns its hash."""
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
    """Play matches for ``play_games``, or with ``calls`` for ``play_games_calling`` (None: without calls)."""
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


ALL_RULES, PLAIN, SUPER, PRINTED = 0, 1, 2, 3
"""For which rules a kernel is made: all, or only ``USUAL_PLAIN``, ``USUAL_SUPER`` or ``USUAL_PRINTED``."""

as_plain = freezer("plain", USUAL_PLAIN)
as_super = freezer("super", USUAL_SUPER)
as_printed = freezer("printed", USUAL_PRINTED)


def games_kernel_for(form, words):
    """A kernel that plays games as ``play_games`` does, for the rules ``form``.

    ``words``: of a compact state (``compact``), in which all seats play at random; with 0 the state is a STATE struct,
    and the seats have policies. Numba keeps the code of each of these kernels apart on disk: it is known by these two
    numbers.
    """

    @kernel
    def play(states, i, rules, policies, seed, first_game, games, points, facts, actions):
        if form == ALL_RULES:
            s, r, seats = states[i], rules[0], policies
        elif form == PRINTED:
            s, r, seats = states[i], as_printed(rules[0]), None
        elif form == PLAIN and words == 0:
            s, r, seats = states[i], as_plain(rules[0]), policies
        elif form == PLAIN:
            s, r, seats = compact(states[i], words, 0), as_plain(rules[0]), None
        elif words == 0:
            s, r, seats = states[i], as_super(rules[0]), policies
        else:
            s, r, seats = compact(states[i], words, 1), as_super(rules[0]), None
        return play_matches(s, r, seats, None, Games(seed, first_game, games), Results(points, facts, actions))

    return play


play_any = games_kernel_for(ALL_RULES, 0)
play_printed = games_kernel_for(PRINTED, 0)
"""All seats play at random."""
play_plain_small = games_kernel_for(PLAIN, 1)
"""At most 64 tiles and 3 players."""
play_plain = games_kernel_for(PLAIN, 2)
"""At most 128 tiles and 7 players."""
play_plain_wide = games_kernel_for(PLAIN, 4)
"""Sets up to double-15."""
play_super = games_kernel_for(SUPER, 2)
"""At most 7 players."""
play_super_wide = games_kernel_for(SUPER, 4)
COMPACT = (play_plain_small, play_plain, play_plain_wide, play_super, play_super_wide)
"""The kernels of games in which all seats play at random."""
play_plain_policies = games_kernel_for(PLAIN, 0)
play_super_policies = games_kernel_for(SUPER, 0)


def usual_rules(rules):
    """PLAIN or SUPER if these are such rules, else ALL_RULES."""
    if rules[0]["halves"] <= 16 and keeps(rules, USUAL_PLAIN):
        return PLAIN
    return SUPER if keeps(rules, USUAL_SUPER) else ALL_RULES


def keeps(rules, fields):
    """Whether the rules have the values of ``fields`` (by name)."""
    return all(rules[0][field] == value for field, value in fields.items())


def all_random(policies):
    """Whether all seats play at random."""
    return all(policy == RANDOM for policy in policies)


def games_kernel(rules, policies):
    """The fastest kernel for these rules (RULES, shape (1,)) and policies (ids by seat).

    All kernels take the same arguments and give the same results; ``play_any`` supports all rules and policies.
    """
    usual = usual_rules(rules)
    if usual == ALL_RULES:
        return play_printed if all_random(policies) and keeps(rules, USUAL_PRINTED) else play_any
    if not all_random(policies):
        return play_plain_policies if usual == PLAIN else play_super_policies
    if not supported():
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
    int32[games, rounds, 7] by ROUND_FIELDS. ``actions``: uint16, the moves of all rounds one after the other (``facts``
    has their number for each round); moves without room are counted but not written, so an empty array keeps none.
    Returns (hash, moves): hash is the sum of ``round_hash`` modulo 2**64, which does not depend on how the games are
    split between calls. A round with a policy that ``choose`` does not know ends as FAULT.
    """
    play = games_kernel(rules, policies)
    if play in COMPACT and len(actions) == 0:
        actions = None  # Not to look for room at every move is worth a kernel of its own.
    return play(states, i, rules, policies, seed, first_game, games, points, facts, actions)


@kernel
def play_games_calling(states, i, rules, seats, seed, first_game, games, points, facts, actions):
    """Like ``play_games``, but C functions can decide for seats (``SeatPolicies``).

    ``states[i + 1]`` is scratch too. A round in which a function returned an illegal move ends as FAULT, one in which
    it returned a negative number as FAILED, with the seat at fault as winner in ``facts``.
    """
    calls = Calls(states, i, rules, seats.addresses)
    asked, results = Games(seed, first_game, games), Results(points, facts, actions)
    return play_matches(states[i], rules[0], seats.policies, calls, asked, results)


@kernel
def play_round(states, i, rules, log, policies, actions):
    """Play ``states[i]`` on to the end of the round.

    Returns the number of moves; those for which there is room are written to ``actions`` (uint16).
    """
    s = states[i]
    s.events = U0
    return play_to_end(s, rules[0], log, policies, actions, U0)


def copies_kernel_for(form, is_random):
    """A kernel that plays copies as ``play_copies`` does, for the rules ``form`` (see ``games_kernel_for``).

    ``is_random``: all seats play at random.
    """

    @kernel
    def play(states, rules, policies, origins, keys, scratch, points, facts):
        if form == ALL_RULES:
            r = rules[0]
        elif form == PLAIN:
            r = as_plain(rules[0])
        else:
            r = as_super(rules[0])
        seats = None if is_random else policies
        s = scratch[0]
        total = U0
        for k in range(len(keys)):
            copy_state(scratch, 0, states, u64(origins[k]), rules)
            s.key = keys[k]
            facts[k, 6] = play_to_end(s, r, None, seats, None, U0)
            total += write_round(s, r, points[k], facts[k])
        return total

    return play


COPIES_KERNELS = {
    (ALL_RULES, False): copies_kernel_for(ALL_RULES, False),
    (PLAIN, True): copies_kernel_for(PLAIN, True),
    (PLAIN, False): copies_kernel_for(PLAIN, False),
    (SUPER, True): copies_kernel_for(SUPER, True),
    (SUPER, False): copies_kernel_for(SUPER, False),
}
"""By rules, and by whether all seats play at random, which makes no difference to ALL_RULES."""


def play_copies(states, rules, policies, origins, keys, scratch, points, facts):
    """Play copies of ``states`` with built-in policies to the end of their rounds; the states do not change.

    Copy k is ``states[origins[k]]`` (uint32) with the round key ``keys[k]`` (uint64), which decides all later draws and
    choices. ``policies``: uint8[players]; ``scratch``: STATE[1]. ``points``: int64[copies, players]; ``facts``:
    int32[copies, 7] by ROUND_FIELDS: ``actions`` counts the moves of the copy, the other columns are about the whole
    round. Returns the sum of ``round_hash`` modulo 2**64.
    """
    usual = usual_rules(rules)
    play = COPIES_KERNELS[usual, usual != ALL_RULES and all_random(policies)]
    return play(states, rules, policies, origins, keys, scratch, points, facts)
