"""The policy ``counting`` in the set super, as lane code (``bulk.counting_policy`` for one game).

Tiles of two numbers are the edges of a graph of numbers; ``*`` and the letters are counted apart. In contrast to the
number sets, components are walked play by play, but only while some lane needs one: with more than one ``*`` to spare,
the whole hand counts.
"""

from typing import Any, NamedTuple

from mextrain_core.bulk import plan_value
from mextrain_core.bulk.counting_policy import TIE_BITS, TIE_FACTOR, TIE_STEP
from mextrain_core.lockstep import lanes
from mextrain_core.lockstep.counting import LOWEST, Part, left_out, outlook, sums
from mextrain_core.lockstep.flags import WILD_NUMBERS
from mextrain_core.lockstep.layout import LETTER_BIT, POINTS, WILD_BIT, WILD_VALUE

NUMBERS = WILD_BIT - 1
A_TILES = 0b111
RED_HALVES = WILD_BIT | LETTER_BIT


class WildPlay(NamedTuple):
    """A play of each lane; all numbers are one-hot, and ``letter`` is the kind of the tile's letter, or 0."""

    train: Any
    touch: Any
    new: Any
    letter: Any


class WildCounting:
    """Values the plays of the seat to move; the attributes are what holds for all plays of a decision."""

    def __init__(self, turn: Any):
        w, at = turn.w, turn.at
        self.turn, self.w = turn, w
        self.weights = [int(weight) for weight in plan_value.WEIGHTS[1]]
        self.rows = turn.hand[:WILD_NUMBERS]
        self.wild, self.kinds = turn.wild, turn.kinds
        self.end = lanes.any_of(turn.on_trains(turn.seat, turn.ends))
        doubles = [row & (1 << half) for half, row in enumerate(self.rows)]
        self.sides = [(row & NUMBERS).count() + (doubles[half] >> half) for half, row in enumerate(self.rows)]
        odd = lanes.any_of(doubles)
        for row in self.rows:
            odd = odd ^ row
        self.number_odd = odd & NUMBERS
        """Numbers with an odd number of tiles of two numbers; ``odd``: of all tiles."""
        self.odd = (odd ^ self.wild) & NUMBERS
        alone = [(row & ~(1 << half)).equals(0).pick(doubles[half], 0) for half, row in enumerate(self.rows)]
        self.lone = lanes.any_of(alone)
        self.budget = (self.wild & NUMBERS).count() + self.wild.has(WILD_BIT).pick(3, w.const(1))
        seats = range(turn.rules.players)
        mine = [turn.seat.has(1 << seat).pick(w.load(at.tiles + seat), 0) for seat in seats]
        self.left = lanes.any_of(mine) - turn.needs.ones() - 1
        points = lanes.any_of([turn.seat.has(1 << seat).pick(w.load(POINTS + seat), 0) for seat in seats]) >> 1
        drawn = turn.value(turn.drawn_high) + turn.value(turn.drawn_low)
        self.points = points + turn.needs.pick(drawn, 0)
        self.turns, self.point, self.closing = outlook(turn, self.weights)
        self.blank = w.splat(w.field(turn.argument, 0, 8))
        drawn_letter = (turn.needs & turn.drawn_low.equals(LETTER_BIT)).pick(turn.drawn, 0)
        self.letters_off = w.load(at.letters) | w.load(at.bone + at.words - 1) | drawn_letter
        self.here = self.component(self.end, w.const(0), w.const(0), w.const(1).differs(0))

    def component(self, start: Any, laid: Any, double: Any, needed: Any) -> Part:
        """The component of the numbers ``start`` without a tile: its halves ``laid`` (0: none), again if a ``double``.

        It is meaningless where ``needed`` does not hold.
        """
        zero = self.w.const(0)
        rows = []
        for half, row in enumerate(self.rows):
            rows.append(row & NUMBERS & ~laid.has(1 << half).pick(laid & ~(1 << half), 0))

        def wider(values: list[Any]) -> list[Any]:
            _, seen = values
            more = lanes.any_of([seen.has(1 << half).pick(row, 0) for half, row in enumerate(rows)]) & ~seen
            return [more, seen | more]

        first = needed.pick(start, 0)
        _, seen = self.w.loop([first, first], lambda values: values[0].differs(0), wider)
        sides, points = sums(self.w, self.sides, seen)
        out = seen & laid
        sides = sides - out.count() - (seen & double).count()
        low, high = lanes.lowest(out), out & (out - 1)
        pips = out.differs(0).pick(lanes.index(low), zero) + high.differs(0).pick(lanes.index(high), zero)
        points = points - pips - double.has(seen).pick(lanes.index(double), zero)
        return Part(sides >> 1, points, (self.number_odd & seen) ^ (out & ~double), seen)

    def tile_points(self, play: WildPlay) -> Any:
        """Points of the tile."""
        pips = self.turn.value(play.touch) + self.turn.value(play.new)
        return (play.touch.equals(play.new) & play.touch.has(1)).pick(self.blank, pips)

    def value(self, play: WildPlay, running: Any) -> Any:
        """Value of a play (Wide)."""
        w, weights = self.w, self.weights
        own = play.train.equals(self.turn.seat)
        is_double = play.touch.equals(play.new)
        is_wild = (play.touch | play.new).has(RED_HALVES)
        pips = self.tile_points(play)
        start = own.pick(play.new, self.end)
        spent = is_wild.pick((play.letter.differs(0)).pick(0, is_double.pick(2, w.const(1))), 0)
        budget = self.budget - spent
        to_wild = start.has(WILD_BIT)
        whole = to_wild | (budget >= 3)
        budget = budget + to_wild.pick(1, 0)
        # The own end's component, and the one to which a single `*` leads.
        laid = is_wild.pick(0, play.touch | play.new)
        double = is_double.pick(laid, 0)
        walks = own | laid.has(self.end)
        part = self.component(start, laid, double, running & walks & ~whole)
        loses = (self.here.seen & laid).equals(laid) & laid.differs(0)
        unchanged = Part(
            self.here.tiles + loses.ones(),
            self.here.points - loses.pick(pips, 0),
            self.here.odd ^ loses.pick(laid & ~double, 0),
            self.here.seen,
        )
        part = Part(*(walks.pick(a, b) for a, b in zip(part, unchanged, strict=True)))
        red = is_wild.pick(play.touch | play.new, 0)
        other = lanes.lowest(self.wild & NUMBERS & ~red)
        leads = budget.equals(2) & ~whole
        joined = leads & part.seen.has(other)
        leads = leads & ~joined
        whole = whole | joined
        more = self.component(other, laid, double, running & leads)
        letters = w.const(0) + self.letters() - play.letter.differs(0).pick(1, 0)
        tiles = part.tiles + letters + leads.pick(more.tiles + 1, 0)
        points = part.points + letters * (2 * WILD_VALUE)
        points = points + leads.pick(more.points + lanes.index(other) + WILD_VALUE, 0)
        odd = part.odd ^ start ^ leads.pick(more.odd ^ other, 0)
        most = (odd.count().max(1) - 1) >> 1
        # The whole hand.
        all_odd = self.odd ^ (is_double.pick(0, play.touch | play.new) & NUMBERS) ^ to_wild.pick(0, start)
        lone = self.lone & ~(to_wild.pick(0, start) | is_double.pick(play.new, 0))
        over = all_odd.count() + (lone.count() << 1) + 1 - budget
        over = (over < 0x8000).pick(over >> 1, 0)
        tiles = whole.pick(self.left, tiles)
        points = whole.pick(self.points - pips, points)
        out = left_out(w, self.rows, play.touch, play.new, whole.pick(all_odd, odd), whole.pick(over, most))
        kept = (tiles >= out).pick(tiles - out, 0)
        in_time = self.turns.min(kept)
        shed = (points.signed() * in_time.wide() * tiles.max(1).reciprocal()).scaled_down(8)
        planned = kept.wide() * weights[plan_value.TILE] + in_time.wide() * weights[plan_value.TILE_IN_TIME]
        planned = planned + (shed * weights[plan_value.POINTS_IN_TIME]).scaled_down(8)
        return self.play_value(play, own, is_double, is_wild, pips).signed() + planned

    def letters(self) -> Any:
        """Number of tiles with a letter in the hand."""
        return self.turn.letter_tiles

    def play_value(self, play: WildPlay, own: Any, is_double: Any, is_wild: Any, pips: Any) -> Any:
        """Value of a play but for its plan (``plan_value.play_value``), a number with a sign."""
        w, weights, at = self.w, self.weights, self.turn.at
        value = self.point * pips
        row = lanes.look_up([*self.rows, self.wild, w.const(0)], play.new) & ~play.touch
        to_wild = play.new.has(WILD_BIT)
        follow = row.count() + to_wild.pick((self.kinds & ~play.letter).count(), 0)
        follows = follow.differs(0)
        double = follows.pick(weights[plan_value.FOLLOWED_DOUBLE], w.const(weights[plan_value.LONE_DOUBLE]))
        value = value + is_double.pick(double, 0)
        on_own = self.closing + follows.pick(weights[plan_value.FOLLOWED], 0)
        shown = to_wild.pick(at.tiles_with[WILD_NUMBERS], w.const(at.tiles_with[0]))
        for z in range(at.count_bits):
            shown = shown - w.load(at.off + z).has(play.new).pick(1 << z, 0)
        kind_is_a = play.letter.has(1)
        tiles_of_kind = kind_is_a.pick(A_TILES, play.letter << 2)
        lettered = kind_is_a.pick(3, w.const(1)) - (self.letters_off & tiles_of_kind).count()
        shown = play.new.has(LETTER_BIT).pick(lettered, shown)
        elsewhere = (shown - follow) * weights[plan_value.LAID_ELSEWHERE]
        mexican = play.train.has(self.turn.mexican)
        place = mexican.pick(weights[plan_value.MEXICAN], w.const(weights[plan_value.OTHER]))
        place = place + follow * weights[plan_value.FOLLOW_ELSEWHERE]
        elsewhere = elsewhere + is_double.pick(0, place)
        red = w.const(weights[plan_value.RED])
        worths = plan_value.LETTER_A_WEIGHT, plan_value.LETTER_S_WEIGHT, plan_value.LETTER_T_WEIGHT
        for kind, weight in zip((1, 8, 16), worths, strict=True):
            red = red + play.letter.has(kind).pick(weights[weight], 0)
        return value + own.pick(on_own, elsewhere) + is_wild.pick(red, 0)


def choose_wild_counting(turn: Any, number: Any, words: tuple[Any, Any], play_at: Any) -> WildPlay:
    """The best of the plays ``play_at(k)`` of each lane, k below ``number`` (0 where no play is to be chosen)."""
    w = turn.w
    counting = WildCounting(turn)
    high, low = words
    nothing = w.const(0)

    def running(values: list[Any]) -> Any:
        return values[0] < number

    def body(values: list[Any]) -> list[Any]:
        k, tie, best, *found = values
        play = play_at(k)
        tie = tie * int(TIE_FACTOR) + int(TIE_STEP)
        key = (counting.value(play, k < number) << int(TIE_BITS)) | (tie >> (32 - int(TIE_BITS)))
        better = key.exceeds(best) & (k < number)
        found = [better.pick(mine, old) for mine, old in zip(play, found, strict=True)]
        return [k + 1, tie, better.pick_wide(key, best), *found]

    tie = (high.wide() << 8) | (low.wide() >> 8)
    values = [nothing, tie, nothing.wide() + LOWEST, nothing, nothing, nothing, nothing]
    _, _, _, *found = w.loop(values, running, body)
    return WildPlay(*found)
