"""Matches played 32 rounds at once, with the results of ``rollout.play_games``.

Rounds are *tasks*, numbered game by game. A *block* is 32 lanes that step together. Two blocks alternate, so that one
steps while the scalar stores to the other leave the processor's store buffers. A lane whose round is over writes its
results and takes the next task from a pool of 32 dealt rounds.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from mextrain_core.bulk.rollout import HASH_FACTOR
from mextrain_core.compiler import vectors
from mextrain_core.compiler.jit import helper, kernel
from mextrain_core.compiler.machine import lowest
from mextrain_core.compiler.vectors import LANES
from mextrain_core.game.deal import drawn_starter
from mextrain_core.game.rounds import NO_SEAT, engine_of_round, starter_of_round
from mextrain_core.lockstep import deal
from mextrain_core.lockstep.flags import flags_of, obstacle
from mextrain_core.lockstep.layout import (
    CHOICES,
    DEALING,
    DECISIONS,
    DRAWS,
    LEFT,
    LOG_ROWS,
    NO_MOVE,
    PLAYS,
    POINTS,
    SEAT,
    TURNS,
    layout,
)
from mextrain_core.lockstep.load import begin_copies, load_lane
from mextrain_core.lockstep.policy import LOG_SHIFT, argument_for, policy_obstacle
from mextrain_core.lockstep.step import step
from mextrain_core.model.limits import MAX_DECISIONS
from mextrain_core.model.rng import DRAW_WORDS, GOLDEN, POLICY_WORDS, U32, mix, round_key
from mextrain_core.model.rules import STARTER_WINNER
from mextrain_core.model.state import BLOCKED, OUT, PHASE_DECIDE, new_states

u64 = np.uint64

U0, U1, U2, U3, U8 = u64(0), u64(1), u64(2), u64(3), u64(8)
ALL_LANES = u64((1 << LANES) - 1)
ROW = u64(LANES)
SEAT_ROW, LEFT_ROW, TURNS_ROW = u64(SEAT * LANES), u64(LEFT * LANES), u64(TURNS * LANES)
PLAYS_ROW, DECISIONS_ROW, POINTS_ROW = u64(PLAYS * LANES), u64(DECISIONS * LANES), u64(POINTS * LANES)
CHOICES_WORDS, DRAWS_WORDS, DEALING_WORDS = u64(CHOICES * 8), u64(DRAWS * 8), u64(DEALING * 8)

PLACE, KEY, STARTER, DRAWABLE = u64(0), u64(1), u64(2), u64(3)
"""Rows of ``Memory.lanes`` and ``Memory.pool``: index of the round among all rounds of the call, its key, its starter,
and the number of tiles that can be drawn in it, drawn ones included."""

SINCE, KEPT = u64(4), u64(5)
"""Further rows of ``Memory.lanes``: the last row of the log before the round's moves, and the number of moves stored so
far."""

DRAWN, ATTEMPTS, SOURCE = u64(4), u64(5), u64(6)
"""Further rows of ``Memory.pool``: draws and attempts before a lane takes over the round, both 0 for a newly dealt
round; and, in column 0, the index of the state in the pool."""

NO_SOURCE = u64(2**64 - 1)
"""Instead of the index of a state: the pool holds no state."""

TO_LOG = u64(LOG_SHIFT)
LOG_END = u64(LOG_ROWS)
EMPTY = u64(NO_MOVE)
KEPT_MOVES = MAX_DECISIONS + LANES
"""Room for the moves of a round in ``Memory.moves``: more than a round can have, and not a power of two, so that rounds
do not compete for the same cache sets."""

PORTION = 4096
"""Number of rounds whose moves are buffered separately before they are joined."""


class Memory(NamedTuple):
    """The arrays of a call, for 64 lanes and a pool."""

    work: Any
    """Aligned uint16 rows: two blocks (``Layout.rows`` each), a pool (``Layout.pool_rows``), a log for each block."""
    words: Any
    """The same memory as uint64."""
    lanes: Any
    """uint64[6, 64]: PLACE, KEY, … of the current round; a column for each lane of the two blocks."""
    pool: Any
    """uint64[7, 32]: PLACE, KEY, … of the rounds in the pool."""
    moves: Any
    """uint16: KEPT_MOVES for each round by place; empty if moves are not kept."""


class Copies(NamedTuple):
    """The copies to play out, see ``load.begin_copies``."""

    states: Any
    begun: Any
    sources: Any
    places: Any
    keys: Any
    """uint64, by place."""


class Span(NamedTuple):
    """The rounds to play: ``first`` … ``last - 1`` of each of ``games`` matches; all uint64."""

    seed: Any
    first_game: Any
    games: Any
    first: Any
    last: Any


@helper
def word_of_lane(lane):
    """Index of a lane's word among the 32 of a stream's rows (``layout.STREAM_ROWS``)."""
    return ((lane & U3) << U3) + (lane >> U2)


@helper
def starter_of_task(r, seed, game, number, key, facts, place):
    """Starter of round ``number`` of ``game``; the rounds of a game may be played in any order.

    With the option starter = winner, ``facts[place - 1]`` must have the previous round.
    """
    last_starter, last_winner = NO_SEAT, NO_SEAT
    if number != U0 and r.starter == STARTER_WINNER:
        winner = facts[place - U1, 1]
        last_starter, last_winner = U0, u64(winner) if winner >= 0 else NO_SEAT
    elif number != U0:
        # Only rotation uses the previous starter; the stream drew the starter of round 0.
        first = drawn_starter(r, round_key(seed, game, engine_of_round(r, U0)))
        last_starter = (first + number - U1) % u64(r.players)
    starter = starter_of_round(r, last_starter, last_winner)
    return drawn_starter(r, key) if starter == NO_SEAT else starter


@helper
def prepare_task(r, m, pool, engine_row, span, task, lane, facts):
    """Prepare ``lane`` of the pool at row ``pool`` for the deal of ``task``."""
    per_game = span.last - span.first
    nth = task // per_game
    number = span.first + task - nth * per_game
    game = span.first_game + nth
    engine = engine_of_round(r, number)
    key = round_key(span.seed, game, engine)
    place = nth * u64(r.rounds) + number
    starter = starter_of_task(r, span.seed, game, number, key, facts, place)
    m.words[(pool * ROW >> U2) + DEALING_WORDS + word_of_lane(lane)] = key
    m.work[(pool + engine_row) * ROW + lane] = U1 << engine
    m.work[pool * ROW + SEAT_ROW + lane] = U1 << starter
    m.pool[PLACE, lane] = place
    m.pool[KEY, lane] = key
    m.pool[STARTER, lane] = starter
    m.pool[DRAWABLE, lane] = u64(r.tiles) - U1 - u64(r.players) * u64(r.hand_size)


@helper
def deal_pool(flags, r, m, pool, engine_row, span, task, tasks, facts):
    """Deal ``task`` … ``task + 31`` into the pool at row ``pool``; beyond the last task, that one again."""
    for lane in range(LANES):
        prepare_task(r, m, pool, engine_row, span, min(task + u64(lane), tasks - U1), u64(lane), facts)
    size = u64(r.tiles) - U1
    deal.begin(flags, m.work, pool, size - u64(r.players) * u64(r.hand_size))
    half = U2
    for seat in range(u64(r.players)):
        for _ in range(u64(r.hand_size)):
            half = U2 - half
            if half == U0:
                deal.random(flags, m.work, pool, U0)
            deal.pick(flags, m.work, pool, size << U8 | half)
            size -= U1
        deal.seat_done(flags, m.work, pool, u64(seat))
    deal.finish(flags, m.work, pool, U0)
    for seat in range(u64(r.players)):
        deal.points(flags, m.work, pool, u64(seat))


@helper
def take_over(m, block, rows, lane, column, pool, source, logged):
    """Start the round from lane ``source`` of the pool in lane ``lane`` of the block at row ``block``.

    ``logged``: number of rows written to the log.
    """
    to, origin = block * ROW + lane, pool * ROW + source
    for row in range(u64(SEAT), rows):
        m.work[to + u64(row) * ROW] = m.work[origin + u64(row) * ROW]
    key = m.pool[KEY, source]
    stream = (block * ROW >> U2) + word_of_lane(lane)
    m.words[stream + CHOICES_WORDS] = key + (POLICY_WORDS + m.pool[ATTEMPTS, source]) * GOLDEN
    m.words[stream + DRAWS_WORDS] = key + (DRAW_WORDS + m.pool[DRAWN, source]) * GOLDEN
    m.lanes[PLACE, column] = m.pool[PLACE, source]
    m.lanes[KEY, column] = key
    m.lanes[STARTER, column] = m.pool[STARTER, source]
    m.lanes[DRAWABLE, column] = m.pool[DRAWABLE, source]
    m.lanes[SINCE, column] = logged
    m.lanes[KEPT, column] = U0


@helper
def keep_moves(m, log, lane, column, upto):
    """Store the moves of ``lane`` up to row ``upto`` of the log at row ``log`` that are not stored yet."""
    kept = m.lanes[KEPT, column]
    to = m.lanes[PLACE, column] * u64(KEPT_MOVES)
    for row in range(m.lanes[SINCE, column] + U1, upto + U1):
        move = m.work[(log + u64(row)) * ROW + lane]
        m.moves[to + kept] = move
        kept += u64(move != EMPTY)
    m.lanes[KEPT, column] = kept
    m.lanes[SINCE, column] = U0


@helper
def write_results(r, m, block, lane, column, won, points, facts):
    """Write points and facts of the finished round in ``lane``; returns its ``rollout.round_hash``."""
    here = block * ROW + lane
    work, place, starter = m.work, m.lanes[PLACE, column], m.lanes[STARTER, column]
    turns, plays = u64(work[here + TURNS_ROW]), u64(work[here + PLAYS_ROW])
    draws = m.lanes[DRAWABLE, column] - u64(work[here + LEFT_ROW])
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
    return mix(m.lanes[KEY, column] + h)


@helper
def load_task(r, m, pool, table, copies, task, facts):
    """Put copy number ``task`` into lane 0 of the pool at row ``pool``."""
    source, place = u64(copies.sources[task]), u64(copies.places[task])
    if m.pool[SOURCE, U0] != source:
        given = u64(len(copies.states))
        s = copies.states[source] if source < given else copies.begun[source - given]
        load_lane(r, s, m.work, pool, table)
        m.pool[SOURCE, U0] = source
        m.pool[STARTER, U0] = s.starter
        m.pool[DRAWN, U0] = s.draws
        m.pool[DRAWABLE, U0] = u64(s.draws) + u64(s.boneyard_size)
        m.pool[ATTEMPTS, U0] = u64(s.attempts) - u64(s.phase == PHASE_DECIDE)
    m.work[pool * ROW + DECISIONS_ROW] = facts[place, 6]
    m.pool[PLACE, U0] = place
    m.pool[KEY, U0] = copies.keys[place]


@helper
def run(flags, r, m, sizes, table, span, copies, points, facts):
    """Play the rounds of ``span``, or ``copies`` if not None; returns the sum of ``rollout.round_hash``."""
    rows, engine_row, argument = sizes[0], sizes[1], sizes[3]
    pool = U2 * rows
    logs = pool + sizes[2]
    keeps_moves = len(m.moves) != 0
    tasks = span.games * (span.last - span.first) if copies is None else u64(len(copies.sources))
    blocks = U1 if tasks <= ROW else U2
    running_0, running_1 = ALL_LANES, ALL_LANES if blocks == U2 else U0
    task, in_pool, total, logged = U0, U0, U0, U0
    starting = True
    while running_0 | running_1 != U0:
        log_is_full = logged == LOG_END
        if keeps_moves and not starting:
            logged = U1 if log_is_full else logged + U1
        for b in range(blocks):
            block = u64(b) * rows
            log = logs + u64(b) * (LOG_END + U1)
            running = running_0 if b == 0 else running_1
            if running == U0:
                continue
            if log_is_full:
                lanes = running
                while lanes != U0:
                    lane = lowest(lanes)
                    keep_moves(m, log, lane, u64(b) * ROW + lane, LOG_END)
                    lanes &= lanes - U1
            over, won = running, U0
            if not starting:
                ends = step(flags, m.work, block, argument | (log + logged - block) << TO_LOG)
                over &= ends
                won = ends >> U32
            while over != U0:
                lane = lowest(over)
                over &= over - U1
                column = u64(b) * ROW + lane
                if not starting:
                    has_won = (won >> lane) & U1 != U0
                    total += write_results(r, m, block, lane, column, has_won, points, facts)
                    if keeps_moves:
                        keep_moves(m, log, lane, column, logged)
                if task == tasks:
                    running &= ~(U1 << lane)
                    continue
                if copies is not None:
                    load_task(r, m, pool, table, copies, task, facts)
                    in_pool = ROW
                elif in_pool == U0:
                    deal_pool(flags, r, m, pool, engine_row, span, task, tasks, facts)
                    in_pool = ROW
                take_over(m, block, rows, lane, column, pool, ROW - in_pool, logged)
                in_pool -= U1
                task += U1
            if b == 0:
                running_0 = running
            else:
                running_1 = running
        starting = False
    return total


@kernel
def play_rounds(flags, rules, sizes, table, memory, span, points, facts):
    """Play the rounds ``first`` … ``last - 1`` (by number) of the matches; returns the sum of ``rollout.round_hash``.

    ``flags`` is a compile-time integer (``Flags.pack``). ``sizes``: uint64[4]: rows of a block, row of the engine in a
    pool, rows of a pool (``Layout.rows``, ``engine``, ``pool_rows``), and the argument of ``step`` without the row of
    the log. ``table``: ``Layout.table``. ``memory``: Memory; ``span``: Span, with ``first`` and ``last``. ``points``:
    int64[games * rounds, players], ``facts``: int32[games * rounds, 7], for all rounds of the matches; with the option
    starter = winner, they must already have the facts of the rounds before ``first``.
    """
    return run(flags, rules[0], memory, sizes, table, span, None, points, facts)


@kernel
def play_copies(flags, rules, sizes, table, memory, copies, points, facts):
    """Play copies of states to the end of their rounds; returns the sum of ``rollout.round_hash``.

    ``flags`` … ``memory`` as in ``play_rounds``; ``copies``: Copies. ``points``: int64[copies, players]; ``facts``:
    int32[copies, 7]; on entry the column ``actions`` has the number of moves that each copy has made.
    """
    memory.pool[SOURCE, U0] = NO_SOURCE
    span = Span(U0, U0, U0, U0, U0)
    total = run(flags, rules[0], memory, sizes, table, span, copies, points, facts)
    memory.pool[DRAWN, U0] = U0
    memory.pool[ATTEMPTS, U0] = U0
    return total


@kernel
def join_moves(moves, decisions, out):
    """Write the moves of each round, ``decisions`` (int32) by place, one after the other; returns their number.

    ``moves``: see ``Memory``; ``out``: uint16, long enough.
    """
    n = U0
    for place in range(len(decisions)):
        start = u64(place) * u64(KEPT_MOVES)
        for k in range(u64(decisions[place])):
            out[n + u64(k)] = moves[start + u64(k)]
        n += u64(decisions[place])
    return n


def accepts(rules: np.ndarray, policies: Iterable[int]) -> bool:
    """Whether ``Lockstep`` plays the RULES struct ``rules[0]`` with these policies (ids by seat) on this machine."""
    return vectors.supported() and not obstacle(rules[0]) and not policy_obstacle(rules[0], policies)


class Lockstep:
    """Plays matches with one rule set and fixed policies; not thread-safe.

    ``rules``: RULES struct, shape (1,); ``policies``: ids by seat. Raises ValueError unless ``accepts`` is true.
    """

    def __init__(self, rules: np.ndarray, policies: Iterable[int]):
        policies = [*map(int, policies)]
        if not accepts(rules, policies):
            raise ValueError("lockstep does not serve these rules and policies here; ask accepts() first")
        r = rules[0]
        flags = flags_of(r, policies)
        at = layout(flags)
        self._rounds = int(r["rounds"])
        # The rounds of a match are independent, except that the starter may be the last winner.
        in_order = r["starter"] == STARTER_WINNER
        self._spans = [(k, k + 1) for k in range(self._rounds)] if in_order else [(0, self._rounds)]
        self._packed = flags.pack()
        self._rounds_code: Any = None
        self._copies_code: Any = None
        # For Numba a read-only array has a different type, so everything would be compiled twice.
        self._rules = rules.copy()
        self._table = at.table
        self._policies = np.array([*policies], np.uint8)
        self._sizes = np.array([at.rows, at.engine, at.pool_rows, argument_for(r, policies)], np.uint64)
        work = vectors.aligned_rows(2 * at.rows + at.pool_rows + 2 * (LOG_ROWS + 1))
        self._memory = Memory(
            work=work,
            words=work.view(np.uint64),
            lanes=np.zeros((6, 2 * LANES), np.uint64),
            pool=np.zeros((7, LANES), np.uint64),
            moves=np.empty(0, np.uint16),
        )

    @property
    def is_compiled(self) -> bool:
        """Whether the machine code is in this process or in the cache; else ``prepare`` takes seconds."""
        return vectors.is_compiled(play_rounds, self._packed, *self._nothing)

    @property
    def _code(self) -> Any:
        # Not a cached_property: in Python 3.11 it holds one lock for all objects while one of them compiles.
        if self._rounds_code is None:
            self._rounds_code = vectors.specialized(play_rounds, self._packed, *self._nothing)
        return self._rounds_code

    def prepare(self) -> None:
        """Compile, or load from the cache, the code that ``play`` needs."""
        join_moves(self._memory.moves, np.empty(0, np.int32), np.empty(0, np.uint16))
        self._code  # noqa: B018

    def play(
        self, seed: int, first_game: int, games: int, points: np.ndarray, facts: np.ndarray, actions: np.ndarray
    ) -> tuple[int, int]:
        """Play the matches ``first_game`` … ``first_game + games - 1`` of ``seed``.

        ``points``: int64[games, rounds, players]; ``facts``: int32[games, rounds, 7]; ``actions``: uint16, with room
        for all moves, or empty to keep none. Returns (hash, moves). Results are those of ``rollout.play_games``. The
        GIL is released meanwhile.
        """
        if not (points.flags.c_contiguous and facts.flags.c_contiguous):
            raise ValueError("points and facts must be contiguous")
        total = moves = 0
        portion = max(1, PORTION // self._rounds if actions.size else games)
        memory = self._memory
        if actions.size:
            memory = memory._replace(moves=np.empty(min(portion, games) * self._rounds * KEPT_MOVES, np.uint16))
        for start in range(0, games, portion):
            some = slice(start, min(start + portion, games))
            for span in self._spans:
                arguments = self._arguments(seed, first_game + start, points[some], facts[some], memory, span)
                total += self._code(self._packed, *arguments)
            decisions = facts[some, :, 6].ravel()
            if actions.size:
                join_moves(memory.moves, decisions, actions[moves:])
            moves += int(decisions.sum())
        return total % 2**64, moves

    @property
    def _nothing(self) -> tuple[Any, ...]:
        """Arguments for a call that plays no rounds."""
        points = np.empty((0, self._rounds, int(self._rules[0]["players"])), np.int64)
        facts = np.empty((0, self._rounds, 7), np.int32)
        return self._arguments(0, 0, points, facts, self._memory, (0, 0))

    def _arguments(
        self, seed: int, first_game: int, points: np.ndarray, facts: np.ndarray, memory: Memory, span: tuple[int, int]
    ) -> tuple[Any, ...]:
        """The arguments of ``play_rounds`` after the flags."""
        games, rounds, players = points.shape
        asked = Span(*(np.uint64(number) for number in (seed, first_game, games, *span)))
        results = points.reshape(games * rounds, players), facts.reshape(games * rounds, 7)
        return (self._rules, self._sizes, self._table, memory, asked, *results)

    def play_out(
        self, states: np.ndarray, origins: np.ndarray, keys: np.ndarray, points: np.ndarray, facts: np.ndarray
    ) -> int:
        """Play copies of ``states`` (STATE structs under these rules, not modified) to the end of their rounds.

        Copy k is ``states[origins[k]]`` (uint32) with the round key ``keys[k]`` (uint64), which decides all later draws
        and choices; the counters of draws and attempts go on. ``points``: int64[copies, players], ``facts``:
        int32[copies, 7], about the whole round, except that ``actions`` counts the moves of the copy. It is fastest if
        copies of one state are adjacent and there are 64 or more. Returns the hash. Results are those of
        ``rollout.play_copies``. The GIL is released meanwhile.
        """
        begun = new_states(min(PORTION, len(keys)))
        sources, places = np.empty((2, len(begun)), np.uint32)
        total = 0
        for start in range(0, len(keys), PORTION):
            some = slice(start, start + PORTION)
            results = points[some], facts[some]
            left, ended = begin_copies(
                states, self._rules, self._policies, origins[some], keys[some], begun, sources, places, *results
            )
            copies = Copies(states, begun, sources[:left], places[:left], keys[some])
            arguments = (self._rules, self._sizes, self._table, self._memory, copies, *results)
            if self._copies_code is None:
                self._copies_code = vectors.specialized(play_copies, self._packed, *arguments)
            total += int(ended) + int(self._copies_code(self._packed, *arguments))
        return total % 2**64
