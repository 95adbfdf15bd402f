"""Each operator of lane code, and the code of the backend, compared with plain numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray

from mextrain import RuleSet
from mextrain_core.bulk.policies import CAUTIOUS, COUNTING, HEAVIEST, RANDOM
from mextrain_core.compiler import vectors
from mextrain_core.lockstep import deal, lanes
from mextrain_core.lockstep.flags import Flags, flags_of
from mextrain_core.lockstep.layout import DEALING, LEFT, SEAT, layout
from mextrain_core.lockstep.policy import LOG_SHIFT, argument_for, heaviest
from mextrain_core.lockstep.step import step, write_step
from mextrain_core.model.rng import round_key
from tests.lockstep import model

pytestmark = pytest.mark.skipif(not vectors.supported(), reason="there is no lane code for this machine")

INPUT_ROWS = 8
OUTPUT = 8
SOME = (0, 1, 2, 0x7FFF, 0x8000, 0xFFFE, 0xFFFF)


@cache
def alone(part: Any) -> Any:
    """A kernel with only this part, compiled for this process."""

    def run(flags: Any, work: Any, row: Any, argument: Any) -> Any:
        return part(flags, work, row, argument)

    return njit(run)


def run_part(part: Any, flags: int, work: NDArray[np.uint16], row: int = 0, argument: int = 0) -> int:
    """Compile a part and run it."""
    arguments = (work, np.uint64(row), np.uint64(argument))
    return int(vectors.specialized(alone(part), flags, *arguments)(flags, *arguments))


def inputs(seed: int) -> NDArray[np.uint16]:
    """Rows of numbers, some of them near the limits of a lane."""
    random = np.random.default_rng(seed)
    work = vectors.aligned_rows(200)
    rows = work.reshape(-1, model.LANES)
    rows[:INPUT_ROWS] = random.integers(0, 1 << 16, (INPUT_ROWS, model.LANES))
    for row in rows[:4]:
        row[: len(SOME)] = random.permutation(SOME)
    return work


def compare(write: Callable[[Any], None]) -> None:
    """The results of ``write`` must be equal in lane code and in the model."""

    def part(w: Any, flags: int, argument: Any) -> None:
        write(w)

    emitted = vectors.emitted(part)
    for seed in range(3):
        compiled, plain = inputs(seed), inputs(seed)
        run_part(emitted, 0, compiled)
        write(model.Writer(plain))
        differ = np.flatnonzero((compiled != plain).reshape(-1, model.LANES).any(axis=1))
        assert differ.tolist() == []


def test_operators() -> None:
    def write(w: Any) -> None:
        a, b, c = w.load(0), w.load(1), w.load(2)
        results = [a + b, a - b, a * b, a & b, a | b, a ^ b, ~a, a << 3, a >> 5, a << (b & 15), a >> (b & 15)]
        results += [a.min(b), a.max(b), a.count(), a.high_product(b), a + 0xFFFF, a.high_product(0xABCD)]
        masks = [a < b, a >= b, a.equals(b), a.differs(b), a.has(b), a < 5, a.equals(0xFFFF), a.has(0x8000)]
        masks += [masks[0] & masks[4], masks[0] | masks[5], masks[0] ^ masks[1], ~masks[4]]
        results += [mask.ones() for mask in masks]
        results += [masks[0].pick(a, b), masks[0].pick(a, 7), masks[4].pick(0, c)]
        scalar = w.field(w.pair(masks[0].bits(), masks[4].bits()), 20, 16)
        results += [w.const(0xFFFF), w.splat(scalar), a.words().vec()]
        for i, result in enumerate(results):
            w.store(OUTPUT + i, result)

    compare(write)


def test_words() -> None:
    def write(w: Any) -> None:
        a, b = w.load_words(0), w.load_words(1)
        results = [a + b, a * b, a & b, a | b, a ^ b, a << 7, a >> 30, a.sign(), a + 2**63, a * 0x9E3779B97F4A7C15]
        for i, result in enumerate(results):
            w.store_words(OUTPUT + i, result)

    compare(write)


def test_wide_numbers() -> None:
    def write(w: Any) -> None:
        a, b = w.load(0), w.load(1)
        x, y = a.signed() * 12345 + b.wide(), (b.signed() << 9) | a.wide()
        larger = x.exceeds(y)
        results = [x + y, x * y, x | y, x << 7, x >> 5, x.scaled_down(5), x + -7, larger.pick_wide(x, y)]
        results.append((a & 0xFF).max(1).reciprocal())
        for i, result in enumerate(results):
            # There is no other way back to 16 bits than to compare: a bit that is moved to the sign.
            for half in range(2):
                bits = [(result << (31 - half * 16 - bit)).exceeds(-1).pick(0, w.const(1 << bit)) for bit in range(16)]
                w.store(OUTPUT + 2 * i + half, lanes.any_of(bits))
        for i, mask in enumerate((larger, x.exceeds(0), y.exceeds(-5))):
            w.store(OUTPUT + 40 + i, mask.ones())

    compare(write)


def test_reciprocals() -> None:
    """Every quotient that ``counting`` needs is rounded down."""

    def write(w: Any) -> None:
        for i in range(8):
            k = w.load(0) & 31 | i << 5
            quotient = k.max(1).reciprocal()
            for j in range(17):
                w.store(OUTPUT + i * 17 + j, quotient.exceeds((1 << j) - 1).ones())

    compare(write)


def test_loops() -> None:
    """A loop runs as long as some lane needs it, or not at all."""

    def write(w: Any) -> None:
        def halved(values: list[Any]) -> list[Any]:
            bits, steps, total = values
            goes_on = bits.differs(0)
            return [bits >> 1, steps + goes_on.pick(1, 0), goes_on.pick_wide(total + bits.wide(), total)]

        start = [w.load(0), w.const(0), w.const(0).wide()]
        for i, loops in enumerate((start, [w.const(0), *start[1:]])):
            bits, steps, total = w.loop(loops, lambda values: values[0].differs(0), halved)
            w.store(OUTPUT + 4 * i, bits)
            w.store(OUTPUT + 4 * i + 1, steps)
            w.store(OUTPUT + 4 * i + 2, total.exceeds(0x8000).ones())

    compare(write)


def test_rows_at_an_index() -> None:
    def part(w: Any, flags: int, argument: Any) -> None:
        w.store(2, w.load(1, argument), argument)

    for row in (0, 3):
        compiled, plain = inputs(0), inputs(0)
        run_part(vectors.emitted(part), 0, compiled, row, 2)
        part(model.Writer(plain, row), 0, 2)
        assert (compiled == plain).all()


def test_idioms() -> None:
    def write(w: Any) -> None:
        a, b, c = (w.load(i) for i in range(3))
        some = a | 1
        results = [lanes.below(a, b, c), lanes.kth_one(some, lanes.below(b, c, some.count())), lanes.smear(a)]
        results += [lanes.highest(a), lanes.highest(a & 0xFF)]
        results += [lanes.index(some & (w.const(0) - some)), lanes.least([a, b, c]), lanes.greatest([a, b, c])]
        results += [lanes.any_of([a, b, c]), lanes.total([a, b, c])]
        table = [w.load(i & 7) + i for i in range(16)]
        for size in (1, 2, 3, 8, 13, 16):
            results.append(lanes.look_up(table[:size], w.const(1) << lanes.below(a, b, w.const(size))))
        for i, result in enumerate(results):
            w.store(OUTPUT + i, result)
        for row, words in ((60, lanes.next_words(w, 100)), (64, lanes.next_words(w, 104, a.has(0x40)))):
            for q in range(4):
                w.store(row + q, lanes.quarter(words, 48 - 16 * q))

    compare(write)


def test_kth_one_and_below_are_what_their_names_say() -> None:
    random = np.random.default_rng(5)
    for _ in range(50):
        bits = [int(x) for x in random.integers(1, 1 << 16, model.LANES)]
        ks = [int(random.integers(x.bit_count())) for x in bits]
        expected = []
        for x, k in zip(bits, ks, strict=True):
            ones = [1 << i for i in range(16) if x >> i & 1]
            expected.append(ones[k])
        assert lanes.kth_one(model.Vec(bits), model.Vec(ks)).lanes == expected
        numbers = [int(x) for x in random.integers(0, 1 << 32, model.LANES, dtype=np.uint64)]
        sizes = [int(x) for x in random.integers(0, 300, model.LANES)]
        halves = model.Vec([x >> 16 for x in numbers]), model.Vec(numbers)
        expected = [x * n >> 32 for x, n in zip(numbers, sizes, strict=True)]
        assert lanes.below(*halves, model.Vec(sizes)).lanes == expected


def test_heaviest_plays() -> None:
    """Compared with a plain implementation of the policy: most points, with the points of 0-0 from the rules."""
    random = np.random.default_rng(6)
    for blank in (0, 3, 12, 31):
        ends = [model.Vec([1 << int(h) for h in random.integers(0, 8, model.LANES)]) for _ in range(3)]
        rows = [model.Vec(random.integers(0, 256, model.LANES) * (random.random(model.LANES) < 0.6)) for _ in range(3)]
        best = heaviest(ends, rows, model.Writer(vectors.aligned_rows(1)).const(blank))
        for lane in range(model.LANES):
            plays = {
                (t, new): (end + new if end + new else blank)
                for t in range(3)
                for end in [ends[t].lanes[lane].bit_length() - 1]
                for new in range(8)
                if rows[t].lanes[lane] >> new & 1
            }
            expected = {play for play, worth in plays.items() if worth == max(plays.values())}
            found = {(t, new) for t in range(3) for new in range(16) if best[t].lanes[lane] >> new & 1}
            assert found == expected


RULES = (
    {"players": 4},
    {"players": 3, "tile_set": "double-15", "hand_size": 5, "opening": "single", "open_double_order": "newest"},
    {"players": 2, "tile_set": "double-3", "hand_size": 2, "dead_double": "binds", "double_rule": "cover"},
    {"players": 3, "tile_set": "double-6", "hand_size": 4, "open_double_order": "any", "max_uncovered": 1}
    | {"double_blank": 25},
    {"players": 3, "tile_set": "super", "hand_size": 9, "max_uncovered": 1, "twice_bonus": "may"},
    {"players": 4, "tile_set": "super", "hand_size": 25, "opening": "single", "finish_on_double": "must_cover"},
)


@pytest.mark.parametrize("options", RULES)
def test_deal_and_steps(options: dict[str, Any]) -> None:
    """The code of deals and steps, computed with plain numbers, leaves the same numbers in every row."""
    rules = RuleSet.preset("mexican", **options)
    known = (CAUTIOUS, HEAVIEST, RANDOM) if rules.tiles.has_wild else (COUNTING, CAUTIOUS, HEAVIEST, RANDOM)
    policies = [known[seat % len(known)] for seat in range(rules.players)]
    flags = flags_of(rules.record[0], policies)
    at, packed = layout(flags), flags.pack()
    assert Flags.unpack(packed) == flags
    compiled, plain = vectors.aligned_rows(at.pool_rows + 1), vectors.aligned_rows(at.pool_rows + 1)
    for work in (compiled, plain):
        rows = work.reshape(-1, model.LANES)
        rows[SEAT] = 1 << (np.arange(model.LANES) % rules.players)
        engines = np.arange(model.LANES) % flags.halves
        rows[at.engine] = 1 << engines
        keys = [round_key(np.uint64(1), np.uint64(lane), np.uint64(engine)) for lane, engine in enumerate(engines)]
        for lane, key in enumerate(keys):
            work.view(np.uint64)[DEALING * 8 + (lane & 3) * 8 + (lane >> 2)] = key

    def both(part: Any, write: Any, argument: int = 0) -> None:
        results = run_part(part, packed, compiled, 0, argument), write(model.Writer(plain), packed, argument) or 0
        assert results[0] == results[1]
        differ = np.flatnonzero((compiled != plain).reshape(-1, model.LANES).any(axis=1))
        assert differ.tolist() == []

    size = len(rules.tiles) - 1
    both(deal.begin, deal.write_begin, size - rules.players * rules.hand_size)
    picks = 0
    for seat in range(rules.players):
        for _ in range(rules.hand_size):
            if picks % 2 == 0:
                both(deal.random, deal.write_random)
            both(deal.pick, deal.write_pick, size << 8 | picks % 2 * 2)
            picks += 1
            size -= 1
        both(deal.seat_done, deal.write_seat_done, seat)
    both(deal.finish, deal.write_finish)
    for seat in range(rules.players):
        both(deal.points, deal.write_points, seat)
    assert (compiled.reshape(-1, model.LANES)[LEFT] == size).all()
    for _ in range(40):
        both(step, write_step, at.pool_rows << LOG_SHIFT | argument_for(rules.record[0], policies))
