"""Rounds and matches played to the end by built-in policies."""

import numpy as np

from mextrain_core.bulk.policies import FOREIGN, RANDOM, choose, choose_random
from mextrain_core.compact.intrinsics import compact, supported
from mextrain_core.compiler.frozen import freezer
from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.compiler.machine import call_policy
from mextrain_core.game.deal import deal_round
from mextrain_core.game.movegen import is_legal_move
from mextrain_core.game.score import hand_points
from mextrain_core.game.turn import advance_state, end_round, forced_steps, play_move, play_on
from mextrain_core.hidden.view import view_state
from mextrain_core.model.limits import NONE, WILD
from mextrain_core.model.rng import POLICY_WORDS, mix, one_way_word, round_key, word
from mextrain_core.model.rules import STARTER_DRAW, STARTER_FIXED, STARTER_ROTATE, USUAL_PLAIN, USUAL_SUPER
from mextrain_core.model.state import FAILED, FAULT, PHASE_DECIDE, copy_state

u64 = np.uint64

U0, U1 = u64(0), u64(1)
NO_SEAT = u64(NONE)
HASH_FACTOR = u64(0x100000001B3)
"""Multiplier of the 64-bit FNV hash."""

ROUND_FIELDS = ("end", "winner", "starter", "turns", "plays", "draws", "actions")
"""Columns of ``facts`` of ``play_games`` (int32): winner is -1 in a blocked round, end a code of ``state``."""


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
        phase = play_move(s, r, log, move)
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
def play_to_end_calling(states, i, rules, policies, addresses, actions, n):
    """Like ``play_to_end``; a seat with an address (uint64, not 0) is played by the C function there."""
    s, r = states[i], rules[0]
    room = u64(len(actions))
    advance_state(s, r, None)
    while s.phase == PHASE_DECIDE:
        seat = u64(s.seat)
        if addresses[seat] == U0:
            move = choose(policies[seat], s, r, attempt_word(s))
            play_on(s, r, None, move)
        else:
            move = call_by_address(states, i, i + 1, rules, policies[seat], addresses[seat])
        if n < room:
            actions[n] = move
        n += U1
    return n


@helper
def engine_of_round(r, number):
    """Half code of the engine of round ``number`` (uint64): downwards, in super ``*`` last."""
    first = u64(r.first_engine)
    return first - number if first != u64(r.wild) and number <= first else u64(WILD)


@helper
def starter_of_round(r, number, last_starter, last_winner):
    """Starter of round ``number`` (option ``starter``), or NONE for the seat that the stream draws."""
    if r.starter == STARTER_FIXED:
        return u64(r.starter_seat)
    if number == U0 or r.starter == STARTER_DRAW:
        return NO_SEAT
    if r.starter == STARTER_ROTATE:
        seat = last_starter + U1
        return U0 if seat == u64(r.players) else seat
    return last_winner


@helper
def round_hash(s, points):
    """A number that two engines share exactly when they played the round alike, as far as counts and points tell."""
    h = u64(s.starter)
    h = h * HASH_FACTOR + u64(s.end)
    h = h * HASH_FACTOR + u64(s.turns)
    h = h * HASH_FACTOR + u64(s.plays)
    h = h * HASH_FACTOR + u64(s.draws)
    for seat in range(u64(s.players)):
        h = h * HASH_FACTOR + u64(points[u64(seat)])
    return mix(u64(s.key) + h)


@helper
def record_round(s, r, points, facts):
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
def play_matches(s, r, states, i, rules, policies, addresses, seed, first_game, games, points, facts, actions):
    """What ``play_games`` does with the rules ``r`` in the state ``s``, which may be of a quicker form than records.

    With ``addresses`` what ``play_games_calling`` does, in ``states[i]`` and ``rules``; None drops the calls.
    """
    total = U0
    n = U0
    for g in range(games):
        last_starter, last_winner = NO_SEAT, NO_SEAT
        game = first_game + u64(g)
        for k in range(u64(r.rounds)):
            engine = engine_of_round(r, u64(k))
            starter = starter_of_round(r, u64(k), last_starter, last_winner)
            deal_round(s, r, round_key(seed, game, engine), engine, starter)
            before = n
            if addresses is None:
                n = play_to_end(s, r, None, policies, actions, n)
            else:
                n = play_to_end_calling(states, i, rules, policies, addresses, actions, n)
            last_starter, last_winner = u64(s.starter), u64(s.winner)
            total += record_round(s, r, points[g, k], facts[g, k])
            facts[g, k, 6] = n - before
    return total, n


@kernel
def play_any(states, i, rules, policies, seed, first_game, games, points, facts, actions):
    """``play_games`` for all rules and policies."""
    s, r = states[i], rules[0]
    return play_matches(s, r, None, None, None, policies, None, seed, first_game, games, points, facts, actions)


as_plain = freezer("plain", USUAL_PLAIN)
as_super = freezer("super", USUAL_SUPER)


@kernel
def play_plain_small(states, i, rules, policies, seed, first_game, games, points, facts, actions):
    """``play_games`` at random for ``USUAL_PLAIN`` with at most 64 tiles and 3 players."""
    s, r = compact(states[i], 1, 0), as_plain(rules[0])
    return play_matches(s, r, None, None, None, None, None, seed, first_game, games, points, facts, actions)


@kernel
def play_plain(states, i, rules, policies, seed, first_game, games, points, facts, actions):
    """``play_games`` at random for ``USUAL_PLAIN`` with at most 128 tiles and 7 players."""
    s, r = compact(states[i], 2, 0), as_plain(rules[0])
    return play_matches(s, r, None, None, None, None, None, seed, first_game, games, points, facts, actions)


@kernel
def play_plain_wide(states, i, rules, policies, seed, first_game, games, points, facts, actions):
    """``play_games`` at random for ``USUAL_PLAIN`` with sets up to double-15."""
    s, r = compact(states[i], 4, 0), as_plain(rules[0])
    return play_matches(s, r, None, None, None, None, None, seed, first_game, games, points, facts, actions)


@kernel
def play_super(states, i, rules, policies, seed, first_game, games, points, facts, actions):
    """``play_games`` at random for ``USUAL_SUPER`` with at most 7 players."""
    s, r = compact(states[i], 2, 1), as_super(rules[0])
    return play_matches(s, r, None, None, None, None, None, seed, first_game, games, points, facts, actions)


@kernel
def play_super_wide(states, i, rules, policies, seed, first_game, games, points, facts, actions):
    """``play_games`` at random for ``USUAL_SUPER``."""
    s, r = compact(states[i], 4, 1), as_super(rules[0])
    return play_matches(s, r, None, None, None, None, None, seed, first_game, games, points, facts, actions)


def usual_rules(rules, policies):
    """Which frozen rules these are, if all seats play at random: ``plain``, ``super``, or the empty text for none."""
    r = rules[0]
    if any(policy != RANDOM for policy in policies):
        return ""
    if r["halves"] <= 16 and all(r[field] == value for field, value in USUAL_PLAIN.items()):
        return "plain"
    return "super" if all(r[field] == value for field, value in USUAL_SUPER.items()) else ""


def games_kernel(rules, policies):
    """The kernel that plays games of these rules (RULES, shape (1,)) and policies (ids by seat) quickest.

    All give the same results and take the same arguments; ``play_any`` plays whatever has no kernel of its own.
    """
    usual = usual_rules(rules, policies)
    if not usual or not supported():
        return play_any
    players, tiles = rules[0]["players"], rules[0]["tiles"]
    is_narrow = players <= 7 and tiles <= 128
    if usual == "super":
        return play_super if is_narrow else play_super_wide
    if players <= 3 and tiles <= 64:
        return play_plain_small
    return play_plain if is_narrow else play_plain_wide


def play_games(states, i, rules, policies, seed, first_game, games, points, facts, actions):
    """Play the matches ``first_game`` … ``first_game + games - 1`` of ``seed`` with built-in policies.

    ``states[i]`` is scratch. ``policies``: uint8[players]. ``points``: int64[games, rounds, players]. ``facts``:
    int32[games, rounds, 7] by ROUND_FIELDS. ``actions``: uint16, the moves of all rounds one after the other (its
    number a round is in ``facts``); moves that find no room are counted and not written, so an empty array records
    nothing. Returns (hash, moves): hash is the sum of ``round_hash`` modulo 2**64, so it does not depend on how
    the games were divided.
    """
    play = games_kernel(rules, policies)
    if play is not play_any and len(actions) == 0:
        actions = None  # Not to look for room at every move is worth a kernel of its own.
    return play(states, i, rules, policies, seed, first_game, games, points, facts, actions)


@kernel
def play_games_calling(states, i, rules, policies, addresses, seed, first_game, games, points, facts, actions):
    """Like ``play_games``, with seats that C functions play.

    ``addresses``: uint64[players]; a number that is not 0 is the address of the seat's function (docs/c-abi.md).
    ``states[i + 1]`` is scratch too. A round in which a function gave a move that is not legal ends as FAULT, one in
    which it gave a negative number as FAILED, and ``facts`` names the seat at fault as its winner.
    """
    s, r = states[i], rules[0]
    return play_matches(s, r, states, i, rules, policies, addresses, seed, first_game, games, points, facts, actions)


@kernel
def play_round(states, i, rules, log, policies, actions):
    """Play ``states[i]`` on to the end of the round.

    Returns the number of moves; they are written to ``actions`` (uint16) as far as they fit.
    """
    s = states[i]
    s.events = U0
    return play_to_end(s, rules[0], log, policies, actions, U0)


@helper
def play_out(s, r, states, rules, policies, origins, keys, scratch, points, facts):
    """What ``play_copies`` does in ``s``, the state ``scratch[0]``, with the rules ``r``, which are ``rules[0]``."""
    total = U0
    for k in range(len(keys)):
        copy_state(scratch, 0, states, u64(origins[k]), rules)
        s.key = keys[k]
        facts[k, 6] = play_to_end(s, r, None, policies, None, U0)
        total += record_round(s, r, points[k], facts[k])
    return total


@kernel
def play_copies_any(states, rules, policies, origins, keys, scratch, points, facts):
    """``play_copies`` for all rules and policies."""
    return play_out(scratch[0], rules[0], states, rules, policies, origins, keys, scratch, points, facts)


@kernel
def play_copies_plain(states, rules, policies, origins, keys, scratch, points, facts):
    """``play_copies`` at random for ``USUAL_PLAIN``."""
    return play_out(scratch[0], as_plain(rules[0]), states, rules, None, origins, keys, scratch, points, facts)


@kernel
def play_copies_super(states, rules, policies, origins, keys, scratch, points, facts):
    """``play_copies`` at random for ``USUAL_SUPER``."""
    return play_out(scratch[0], as_super(rules[0]), states, rules, None, origins, keys, scratch, points, facts)


def play_copies(states, rules, policies, origins, keys, scratch, points, facts):
    """Play copies of ``states`` with built-in policies to the end of their rounds; the states do not change.

    Copy k is ``states[origins[k]]`` (uint32) with the round key ``keys[k]`` (uint64), which decides all later draws and
    choices. ``policies``: uint8[players]; ``scratch``: STATE[1]. ``points``: int64[copies, players]; ``facts``:
    int32[copies, 7] by ROUND_FIELDS: the moves are those of the copy, everything else is of the whole round. Returns
    the sum of ``round_hash`` modulo 2**64.
    """
    kernels = {"plain": play_copies_plain, "super": play_copies_super, "": play_copies_any}
    play = kernels[usual_rules(rules, policies)]
    return play(states, rules, policies, origins, keys, scratch, points, facts)
