"""Matches played 32 rounds at once, with the results of ``rollout.play_games``.

Rounds are *tasks*, numbered game by game. A *block* is 32 lanes that step together; two blocks take turns, so that one
steps while what was written into the other by single lanes settles in the processor's store buffers. A lane whose round
is over writes its results and takes the next task, whose deal is waiting in a pool of 32.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mextrain_core import _lanes
from mextrain_core._jit import helper, kernel, lowest
from mextrain_core._lanes import LANES
from mextrain_core.limits import NONE
from mextrain_core.lockstep import deal
from mextrain_core.lockstep.flags import flags_of
from mextrain_core.lockstep.layout import (
    CHOICES,
    DEALING,
    DECISIONS,
    DRAWS,
    LEFT,
    PLAYS,
    POINTS,
    SEAT,
    TURNS,
    layout,
)
from mextrain_core.lockstep.policy import TOP_POINTS
from mextrain_core.lockstep.step import step
from mextrain_core.policies import HEAVIEST
from mextrain_core.rng import DRAW_WORDS, GOLDEN, POLICY_WORDS, STARTER_WORD, U32, below, mix, round_key, word
from mextrain_core.rollout import HASH_FACTOR, engine_of_round
from mextrain_core.rules import STARTER_DRAW, STARTER_FIXED, STARTER_ROTATE, STARTER_WINNER
from mextrain_core.state import BLOCKED, OUT

u64 = np.uint64

U0, U1, U2, U3, U8 = u64(0), u64(1), u64(2), u64(3), u64(8)
ALL_LANES = u64((1 << LANES) - 1)
ROW, HALF_BLOCK = u64(LANES), u64(LANES // 4)
SEAT_ROW, LEFT_ROW, TURNS_ROW = u64(SEAT * LANES), u64(LEFT * LANES), u64(TURNS * LANES)
PLAYS_ROW, DECISIONS_ROW, POINTS_ROW = u64(PLAYS * LANES), u64(DECISIONS * LANES), u64(POINTS * LANES)
CHOICES_WORDS, DRAWS_WORDS, DEALING_WORDS = u64(CHOICES * 8), u64(DRAWS * 8), u64(DEALING * 8)

PLACE, KEY, STARTER = u64(0), u64(1), u64(2)
"""Columns of ``lane_facts``: index of the round among all rounds asked for, its key, its starter."""


@helper
def word_of_lane(lane):
    """Index of a lane's word among the 32 of a stream's rows (``layout.STREAM_ROWS``)."""
    return ((lane & U3) << U3) + (lane >> U2)


@helper
def starter_of_task(r, seed, game, number, key, facts, place):
    """Starter of round ``number`` of ``game`` (``rollout.starter_of_round``); ``facts[place - 1]`` is the round before."""
    players = u64(r.players)
    if r.starter == STARTER_FIXED:
        return u64(r.starter_seat)
    if r.starter == STARTER_WINNER and number != U0 and facts[place - U1, 1] >= 0:
        return u64(facts[place - U1, 1])
    if r.starter == STARTER_ROTATE and number != U0:
        first = round_key(seed, game, engine_of_round(r, U0))
        return (below(word(first, STARTER_WORD) >> U32, players) + number) % players
    return below(word(key, STARTER_WORD) >> U32, players)


@helper
def deal_pool(flags, r, work, words, pool, engine_row, pool_facts, seed, first_game, rounds, first, last, task, tasks, facts):
    """Deal the tasks ``task`` … ``task + 31`` into the pool at row ``pool``; those from ``tasks`` on repeat the last one."""
    players, hand_size = u64(r.players), u64(r.hand_size)
    in_row = u64(pool) * ROW
    per_game = last - first
    for lane in range(LANES):
        l = u64(lane)
        number = min(task + l, tasks - U1)
        g = number // per_game
        k = first + number - g * per_game
        engine = engine_of_round(r, k)
        key = round_key(seed, first_game + g, engine)
        place = g * rounds + k
        starter = starter_of_task(r, seed, first_game + g, k, key, facts, place)
        words[(in_row >> U2) + DEALING_WORDS + word_of_lane(l)] = key
        work[u64(engine_row) * ROW + l] = U1 << engine
        work[in_row + SEAT_ROW + l] = U1 << starter
        pool_facts[PLACE, l] = place
        pool_facts[KEY, l] = key
        pool_facts[STARTER, l] = starter
    size = u64(r.tiles) - U1
    deal.begin(flags, work, pool, size - players * hand_size)
    half = U2
    for seat in range(players):
        for _ in range(hand_size):
            half = U2 - half
            if half == U0:
                deal.random(flags, work, pool, U0)
            deal.pick(flags, work, pool, size << U8 | half)
            size -= U1
        deal.seat_done(flags, work, pool, u64(seat))
    deal.finish(flags, work, pool, U0)
    for seat in range(players):
        deal.points(flags, work, pool, u64(seat))


@helper
def take_over(work, words, block, pool, rows, lane, source, lane_facts, pool_facts, slot):
    """Lane ``lane`` of the block at row ``block`` starts the round that lies in lane ``source`` of the pool."""
    to, origin = u64(block) * ROW + lane, u64(pool) * ROW + source
    for row in range(SEAT, rows):
        work[to + u64(row) * ROW] = work[origin + u64(row) * ROW]
    key = pool_facts[KEY, source]
    place = (u64(block) * ROW >> U2) + word_of_lane(lane)
    words[place + CHOICES_WORDS] = key + POLICY_WORDS * GOLDEN
    words[place + DRAWS_WORDS] = key + DRAW_WORDS * GOLDEN
    for fact in range(3):
        lane_facts[u64(fact), slot] = pool_facts[u64(fact), source]


@helper
def write_results(r, work, block, lane, won, place, key, starter, points, facts):
    """Points and facts of the round that is over in ``lane``; returns its ``rollout.round_hash``."""
    here = u64(block) * ROW + lane
    turns, plays = u64(work[here + TURNS_ROW]), u64(work[here + PLAYS_ROW])
    draws = u64(r.tiles) - U1 - u64(r.players) * u64(r.hand_size) - u64(work[here + LEFT_ROW])
    end = u64(OUT if won else BLOCKED)
    h = starter
    for fact in (end, turns, plays, draws):
        h = h * HASH_FACTOR + fact
    for seat in range(u64(r.players)):
        twice = u64(work[here + POINTS_ROW + u64(seat) * ROW])
        total = (twice >> U1) + (twice & U1) * u64(r.double_blank)
        points[place, u64(seat)] = total
        h = h * HASH_FACTOR + total
    row = facts[place]
    row[0] = end
    row[1] = np.int64(lowest(u64(work[here + SEAT_ROW]))) if won else -1
    row[2] = starter
    row[3] = turns
    row[4] = plays
    row[5] = draws
    row[6] = work[here + DECISIONS_ROW]
    return mix(key + h)


@kernel
def play_tasks(flags, rules, sizes, seed, first_game, games, first, last, work, words, lane_facts, pool_facts, points, facts):
    """Play the rounds ``first`` … ``last - 1`` (by number) of the matches; returns the sum of ``rollout.round_hash``.

    ``flags`` is a compile-time integer (``Flags.pack``). ``sizes``: uint64[3], rows of a block and of a pool's engine
    (``Layout.rows``, ``Layout.engine``) and the argument of ``step``. ``work``: aligned rows of two blocks and a pool, ``words`` the same memory as
    uint64. ``lane_facts``: uint64[3, 64], ``pool_facts``: uint64[3, 32]. ``points``: int64[games * rounds, players],
    ``facts``: int32[games * rounds, 7]; with the option starter = winner the rounds before ``first`` must be there.
    """
    r = rules[0]
    rows = sizes[0]
    pool = U2 * rows
    engine_row = pool + sizes[1]
    rounds = u64(r.rounds)
    tasks = games * (last - first)
    task, dealt, left_in_pool = U0, U0, U0
    blocks = U1 if tasks <= ROW else U2
    total = U0
    busy = U0
    for slot in range(U2 * ROW):
        lane_facts[PLACE, u64(slot)] = U0
    ended = ALL_LANES
    running = (ALL_LANES, ALL_LANES)
    running_0, running_1 = ALL_LANES, ALL_LANES if blocks == U2 else U0
    starting = True
    while True:
        for b in range(blocks):
            block = u64(b)
            at = block * rows
            running_here = running_0 if block == U0 else running_1
            if running_here == U0:
                continue
            if starting:
                over, won = running_here, U0
            else:
                ends = step(flags, work, at, sizes[2])
                over = ends & running_here
                won = ends >> U32
            while over != U0:
                lane = lowest(over)
                over &= over - U1
                slot = block * ROW + lane
                if not starting:
                    place = lane_facts[PLACE, slot]
                    key, starter = lane_facts[KEY, slot], lane_facts[STARTER, slot]
                    has_won = (won >> lane) & U1 != U0
                    total += write_results(r, work, at, lane, has_won, place, key, starter, points, facts)
                if task == tasks:
                    running_here &= ~(U1 << lane)
                    continue
                if left_in_pool == U0:
                    deal_pool(
                        flags, r, work, words, pool, engine_row, pool_facts,
                        seed, first_game, rounds, first, last, task, tasks, facts,
                    )
                    left_in_pool = ROW
                take_over(work, words, at, pool, rows, lane, ROW - left_in_pool, lane_facts, pool_facts, slot)
                left_in_pool -= U1
                task += U1
            if block == U0:
                running_0 = running_here
            else:
                running_1 = running_here
        starting = False
        if running_0 | running_1 == U0:
            return total


def accepts(rules: np.ndarray, policies: Sequence[int]) -> bool:
    """Whether ``play_games`` serves the RULES record ``rules[0]`` with these policies (ids by seat) on this machine."""
    return _lanes.supported() and flags_of(rules[0], policies) is not None


def play_games(
    rules: np.ndarray,
    policies: Sequence[int],
    seed: int,
    first_game: int,
    games: int,
    points: np.ndarray,
    facts: np.ndarray,
) -> tuple[int, int]:
    """Play the matches ``first_game`` … ``first_game + games - 1`` of ``seed``; what it returns and writes is what
    ``rollout.play_games`` returns and writes.

    ``points``: int64[games, rounds, players]; ``facts``: int32[games, rounds, 7]. Returns (hash, moves). ``accepts``
    must hold. The GIL is not held while it plays.
    """
    record = rules[0]
    flags = flags_of(record, policies)
    if flags is None or not _lanes.supported():
        raise ValueError("lockstep does not serve these rules and policies here; ask accepts() first")
    if games == 0:
        return 0, 0
    at, packed = layout(flags), flags.pack()
    rounds = int(record["rounds"])
    heavy = sum(1 << seat for seat, policy in enumerate(policies) if policy == HEAVIEST)
    work = _lanes.aligned_rows(2 * at.rows + at.pool_rows)
    arguments = (
        np.array([at.rows, at.engine, heavy << 8 | min(int(record["double_blank"]), TOP_POINTS)], np.uint64),
        np.uint64(seed),
        np.uint64(first_game),
        np.uint64(games),
    )
    scratch = (
        work,
        work.view(np.uint64),
        np.zeros((3, 2 * LANES), np.uint64),
        np.zeros((3, LANES), np.uint64),
        points.reshape(games * rounds, -1),
        facts.reshape(games * rounds, -1),
    )
    # The rounds of a match are independent but for the starter, which the last winner may be.
    waits = record["starter"] == STARTER_WINNER
    spans = [(k, k + 1) for k in range(rounds)] if waits else [(0, rounds)]
    total = 0
    for first, last in spans:
        everything = (rules, *arguments, np.uint64(first), np.uint64(last), *scratch)
        run = _lanes.frozen(play_tasks, packed, *everything)
        total += run(packed, *everything)
    return total % 2**64, int(facts[:games, :, 6].sum())
