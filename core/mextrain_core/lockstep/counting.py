"""The policy ``counting`` for the number sets, as lane code (``bulk.counting_policy`` for one game).

Plays are valued one after the other, as long as some lane has more of them. What depends on the hand alone is computed
before: the vertices that hang together without that of the own end. The own end's component then needs no walk for a
play: either the tile of the play is a bridge at the own end, which splits off the component behind it, or the
component only loses the tile.
"""

from typing import Any, NamedTuple

from mextrain_core.bulk import plan_value
from mextrain_core.bulk.counting_policy import TIE_BITS, TIE_FACTOR, TIE_STEP
from mextrain_core.lockstep import lanes

LOWEST = -(1 << 31)


class Part(NamedTuple):
    """Tiles that hang together (see ``counting_policy.Component``)."""

    tiles: Any
    points: Any
    odd: Any
    seen: Any


class Play(NamedTuple):
    """A play of each lane; train, touch and new are one-hot."""

    train: Any
    touch: Any
    new: Any


def reachable(rows: list[Any], without: Any) -> list[Any]:
    """For every vertex, those that hang together with it (itself too) when the vertex ``without`` is taken away."""
    reach = [row & ~without | (1 << half) for half, row in enumerate(rows)]
    for k, middle in enumerate(reach):
        for i in range(len(reach)):
            if i != k:
                reach[i] = reach[i] | reach[i].has(1 << k).pick(middle, 0)
        # Later steps read what this one has found, except in the row of the middle itself, which does not change.
    return reach


def sums(w: Any, sides: list[Any], seen: Any) -> tuple[Any, Any]:
    """Halves of the tiles at the vertices ``seen``, and the points of these halves; ``sides``: halves by vertex."""
    total, points = w.const(0), w.const(0)
    for half, count in enumerate(sides):
        here = seen.has(1 << half).pick(count, 0)
        total = total + here
        points = points + here * half
    return total, points


def outlook(turn: Any, weights: list[int]) -> tuple[Any, Any, Any]:
    """See ``plan_value.Outlook``: turns, worth of a point, worth of closing the own train."""
    w, seats = turn.w, range(turn.rules.players)
    turns = lanes.least([turn.seat.has(1 << seat).pick(0xFFFF, w.load(turn.at.tiles + seat)) for seat in seats])
    late = (turns < 3).pick(weights[plan_value.POINT_LATE], w.const(0))
    closing = turn.marked.has(turn.seat).pick(weights[plan_value.CLOSING], 0)
    return turns, late + weights[plan_value.POINT], closing


def left_out(w: Any, rows: list[Any], touch: Any, new: Any, odd: Any, pairs: Any) -> Any:
    """Tiles that must be left out for so many pairs of odd vertices too many (``counting_policy.left_out``)."""
    low, high = touch.min(new), touch.max(new)
    before, zero = odd.count(), w.const(0)
    for half, row in enumerate(rows[:-1]):
        bit = 1 << half
        near = row & odd & ~(2 * bit - 1) & ~low.has(bit).pick(high, 0)
        near = odd.has(bit).pick(near, 0)
        odd = odd ^ (near & (zero - near))
    joined = before - odd.count()
    return pairs + pairs - joined.min(pairs)


class Counting:
    """Values the plays of the seat to move; the attributes are what holds for all plays of a decision."""

    def __init__(self, turn: Any):
        w, rules = turn.w, turn.rules
        self.turn, self.w = turn, w
        self.weights = [int(weight) for weight in plan_value.WEIGHTS[0]]
        self.hand = turn.hand
        seats = range(rules.players)
        self.end = lanes.any_of([turn.seat.has(1 << seat).pick(turn.ends[seat], 0) for seat in seats])
        doubles = [row & (1 << half) for half, row in enumerate(self.hand)]
        self.all_odd = lanes.any_of(doubles)
        for row in self.hand:
            self.all_odd = self.all_odd ^ row
        self.sides = [row.count() + (doubles[half] >> half) for half, row in enumerate(self.hand)]
        self.near = lanes.look_up(self.hand, self.end)
        """The vertices joined to the own end."""
        self.reach = reachable(self.hand, self.end)
        behind = [self.near.has(1 << half).pick(row, 0) for half, row in enumerate(self.reach)]
        seen = lanes.any_of(behind) | self.end
        sides, points = sums(w, self.sides, seen)
        self.here = Part(sides >> 1, points, self.all_odd & seen, seen)
        self.turns, self.point, self.closing = outlook(turn, self.weights)
        self.blank = w.splat(w.field(turn.argument, 0, 8))

    def sums_where(self, mask: Any, seen: Any) -> tuple[Any, Any]:
        """``sums`` if the mask holds in some lane; most of the time it does not for the later plays."""
        zero = self.w.const(0)
        _, sides, points = self.w.loop(
            [mask.pick(1, zero), zero, zero],
            lambda values: values[0].differs(0),
            lambda _: [zero, *sums(self.w, self.sides, seen)],
        )
        return sides, points

    def part_after(self, play: Play, own: Any) -> Part:
        """The component of the own end after a play; in ``odd``, that end counts as a further edge."""
        here, end = self.here, self.end
        laid = play.touch | play.new
        is_double = play.touch.equals(play.new)
        touches = laid.has(end)
        other = is_double.pick(0, laid ^ end)
        behind = lanes.look_up(self.reach, other)
        splits = touches & ~is_double & (self.near & behind & ~(end | other)).equals(0)
        stays, leaves = splits & own, splits & ~own
        sides, points = self.sums_where(splits & play.train.differs(0), behind)
        tiles_behind, points_behind = (sides - 1) >> 1, points - lanes.index(other)
        pips = lanes.index(play.touch) + lanes.index(play.new)
        loses = here.seen.has(laid)
        pips = (is_double & play.touch.has(1) & ~touches).pick(self.blank, pips)
        tiles, points = here.tiles + loses.ones(), here.points - loses.pick(pips, 0)
        tiles = stays.pick(tiles_behind, tiles - leaves.pick(tiles_behind, 0))
        points = stays.pick(points_behind, points - leaves.pick(points_behind, 0))
        flips = (loses & ~is_double).pick(laid, 0) ^ own.pick(play.new, end)
        odd = stays.pick(self.all_odd & behind, here.odd ^ flips)
        odd = leaves.pick(here.odd & ~behind, odd)
        return Part(tiles, points, odd, here.seen)

    def play_value(self, play: Play, own: Any) -> Any:
        """Value of a play but for its plan (``plan_value.play_value``), a number with a sign."""
        w, weights = self.w, self.weights
        is_double = play.touch.equals(play.new)
        pips = lanes.index(play.touch) + lanes.index(play.new)
        value = self.point * (is_double & play.touch.has(1)).pick(self.blank, pips)
        follow = (lanes.look_up(self.hand, play.new) & ~play.touch).count()
        follows = follow.differs(0)
        double = follows.pick(weights[plan_value.FOLLOWED_DOUBLE], w.const(weights[plan_value.LONE_DOUBLE]))
        value = value + is_double.pick(double, 0)
        on_own = self.closing + follows.pick(weights[plan_value.FOLLOWED], 0)
        off = w.const(self.turn.at.halves)
        for z in range(self.turn.at.count_bits):
            off = off - w.load(self.turn.at.off + z).has(play.new).pick(1 << z, 0)
        elsewhere = (off - follow) * weights[plan_value.LAID_ELSEWHERE]
        mexican = play.train.has(self.turn.mexican)
        place = mexican.pick(weights[plan_value.MEXICAN], w.const(weights[plan_value.OTHER]))
        place = place + follow * weights[plan_value.FOLLOW_ELSEWHERE]
        elsewhere = elsewhere + is_double.pick(0, place)
        return value + own.pick(on_own, elsewhere)

    def value(self, play: Play) -> Any:
        """Value of a play (Wide)."""
        weights = self.weights
        own = play.train.equals(self.turn.seat)
        part = self.part_after(play, own)
        pairs = (part.odd.count().max(1) - 1) >> 1
        out = left_out(self.w, self.hand, play.touch, play.new, part.odd, pairs)
        tiles = (part.tiles >= out).pick(part.tiles - out, 0)
        in_time = self.turns.min(tiles)
        shed = (part.points.signed() * in_time.wide() * part.tiles.max(1).reciprocal()).scaled_down(8)
        counted = tiles * weights[plan_value.TILE] + in_time * weights[plan_value.TILE_IN_TIME]
        planned = counted.wide() + (shed * weights[plan_value.POINTS_IN_TIME]).scaled_down(8)
        return self.play_value(play, own).signed() + planned


def choose_counting(turn: Any, rows: list[Any], counts: Any, words: tuple[Any, Any]) -> tuple[Any, Any, Any]:
    """The best play among ``rows`` (new halves by train) where the mask ``counts`` holds: train, touch, new (one-hot).

    ``words``: the upper half of the attempt's word, whose upper bits break ties.
    """
    w = turn.w
    counting = Counting(turn)
    rows = [counts.pick(row, 0) for row in rows]
    trains = lanes.any_of([row.differs(0).pick(1 << t, 0) for t, row in enumerate(rows)])
    first = lanes.lowest(trains)
    high, low = words
    tie = (high.wide() << 8) | (low.wide() >> 8)
    nothing = w.const(0)
    best = nothing.wide() + LOWEST

    def running(values: list[Any]) -> Any:
        return values[0].differs(0)

    def body(values: list[Any]) -> list[Any]:
        trains, row, tie, best, *found = values
        train = lanes.lowest(trains)
        play = Play(train, lanes.look_up(turn.ends, train), lanes.lowest(row))
        tie = tie * int(TIE_FACTOR) + int(TIE_STEP)
        key = (counting.value(play) << int(TIE_BITS)) | (tie >> (32 - int(TIE_BITS)))
        better = key.exceeds(best) & trains.differs(0)
        best = better.pick_wide(key, best)
        found = [better.pick(mine, old) for mine, old in zip(play, found, strict=True)]
        row = row & (row - 1)
        done = row.equals(0)
        trains = done.pick(trains & (trains - 1), trains)
        row = done.pick(lanes.look_up(rows, lanes.lowest(trains)), row)
        return [trains, row, tie, best, *found]

    values = [trains, lanes.look_up(rows, first), tie, best, nothing, nothing, nothing]
    *_, train, touch, new = w.loop(values, running, body)
    return train, touch, new
