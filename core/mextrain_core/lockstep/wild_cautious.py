"""The policy ``cautious`` in the set super, as lane code (see ``cautious`` for the number sets).

Plays are compared by sets of points, as ``WildTurn.keep_heaviest`` does: bit v & 15 of word v >> 4 stands for v points.
A double is worth the same on every train. The plays of other tiles make three sets: those on the own train after which
a tile of the hand fits its end, all on the own train, and those on other trains. The second may contain the first,
because a play that is worth less than another one with the same points is never the best.

If the hand has the tile {touch, new}, another tile of the hand fits ``new`` if and only if the row of ``new`` has at
least two bits. This holds for doubles too.
"""

from typing import Any, NamedTuple

from mextrain_core.lockstep import lanes
from mextrain_core.lockstep.cautious import OFFSET, Bonuses, bonuses, is_last_tile
from mextrain_core.lockstep.flags import WILD_NUMBERS
from mextrain_core.lockstep.layout import WILD_BIT, WILD_VALUE

NUMBERS = WILD_BIT - 1


class Hand(NamedTuple):
    """The plays with the tiles of a hand, on whatever train, or on the own one."""

    rows: list[Any]
    """By touching number: the new halves."""
    wild: Any
    """The new halves, but for letters, where ``*`` touches."""
    kinds: Any
    """The letters (kinds, one-hot) laid where ``*`` touches."""
    back: Any
    """The letters that touch, with ``*`` as new half."""

    def where(self, mask: Any, other: "Hand") -> "Hand":
        """These plays where the mask holds, else those of ``other``."""
        rows = [mask.pick(a, b) for a, b in zip(self.rows, other.rows, strict=True)]
        return Hand(rows, *(mask.pick(a, b) for a, b in zip(self[1:], other[1:], strict=True)))


class Points(NamedTuple):
    """A set of points, see the module."""

    low: Any
    high: Any

    def __or__(self, other: "Points") -> "Points":
        return Points(self.low | other.low, self.high | other.high)

    def where(self, mask: Any) -> "Points":
        """The set where the mask holds, else the empty one."""
        return Points(mask.pick(self.low, 0), mask.pick(self.high, 0))

    def top(self, worth: Any) -> tuple["Points", Any]:
        """The highest member alone, and its value, ``worth`` more than its points; 0 for the empty set."""
        beyond = self.high.differs(0)
        below = lanes.smear(beyond.pick(self.high, self.low))
        top = below - (below >> 1)
        value = below.count() + beyond.pick(15, 0xFFFF) + worth
        return Points(beyond.pick(0, top), beyond.pick(top, 0)), below.differs(0).pick(value, 0)

    def less(self, points: int) -> Any:
        """The numbers that make a member with so many points more: a bit set of 16."""
        return self.low >> points | self.high << (16 - points) if points else self.low

    def has(self, points: int) -> Any:
        """Mask: whether so many points are a member."""
        return (self.high if points >> 4 else self.low).has(1 << (points & 15))


def shifted(row: Any, points: int) -> Points:
    """The set of the halves of a row (numbers only), each with so many points more."""
    return Points(row << points, row >> (16 - points)) if points else Points(row, row & 0)


def several(bits: Any) -> Any:
    """Mask: whether at least two bits are set."""
    return bits.has(bits - 1)


class Preference:
    """Finds the plays of highest value of each lane; the attributes are the values computed so far."""

    def __init__(self, turn: Any, used: Any, elsewhere_a: Any, blank: Any, heavy: Any):
        """``used``: eligible trains with a play; ``elsewhere_a``: A if ``*-A`` may go on another train besides."""
        self.turn, self.blank = turn, blank
        self.worth: Bonuses = bonuses(turn, heavy)
        self.hand = Hand(turn.hand[:WILD_NUMBERS], turn.wild, turn.kinds, turn.kinds)
        self.on_own = used.has(turn.seat)
        self.on_others = (used & ~turn.seat).differs(0)
        self.own_touches = self.touches(self.on_own.pick(turn.seat, 0))
        self.other_touches = self.touches(used & ~turn.seat)
        self.other_letters = self.on_others.pick(turn.kinds, elsewhere_a)
        wilds = several(turn.wild) | several(turn.kinds) | (turn.wild.differs(0) & turn.kinds.differs(0))
        self.follows_wild = wilds
        follows = [several(row).pick(1 << half, 0) for half, row in enumerate(self.hand.rows)]
        self.follows = lanes.any_of([*follows, wilds.pick(WILD_BIT, 0)])

    def touches(self, trains: Any) -> Any:
        """The numbers that fit the ends of the trains, and ``*`` if one of them ends in it."""
        ends = lanes.any_of(self.turn.on_trains(trains, self.turn.ends))
        return ends.has(WILD_BIT).pick(NUMBERS | WILD_BIT, ends)

    def write(self) -> tuple[Hand, Hand, Any]:
        """The best plays on the own train, those on other trains, and a mask: where stopping is better."""
        worth, hand = self.worth, self.hand
        followed, own, others = self.sets()
        base = worth.closes + OFFSET
        found = [followed.top(base + worth.followed), own.top(base - worth.followed), others.top(OFFSET)]
        doubles = self.doubles()
        best = lanes.greatest([value for _, value in (*found, *doubles)])
        followed, own, others = (points.where(value.equals(best)) for points, value in found)
        kept = lanes.any_of([value.equals(best).pick(bits, 0) for bits, value in doubles])
        last = is_last_tile(self.turn)
        on_own = hand.where(last, self.kept_on_own(followed, own, kept))
        return on_own, hand.where(last, self.kept_on_others(others, kept)), (best < OFFSET) & ~last

    def sets(self) -> tuple[Points, Points, Points]:
        """The sets of points of the three classes of plays."""
        hand, zero = self.hand, self.turn.w.const(0)
        followed = own = others = Points(zero, zero)
        for half, row in enumerate(hand.rows):
            numbers = row & (NUMBERS & ~(1 << half))
            mine = shifted(numbers & self.own_touches, half)
            own = own | mine
            followed = followed | mine.where(self.follows.has(1 << half))
            others = others | shifted(numbers & self.other_touches, half)
        # Tiles with `*` and a number: `*` touches, or the number does.
        numbers = hand.wild & NUMBERS
        touching = self.on_own.pick(numbers, 0)
        new = numbers & self.own_touches
        own = own | shifted(touching | new, WILD_VALUE)
        followed = followed | shifted(touching & self.follows | self.follows_wild.pick(new, 0), WILD_VALUE)
        others = others | shifted(self.on_others.pick(numbers, 0), WILD_VALUE)
        # Letters: nothing follows one, but `*` may, where the letter touches a `*`.
        two_wilds = 1 << (2 * WILD_VALUE - 16)
        letters = hand.kinds.differs(0) & self.on_own
        back = letters & self.own_touches.has(WILD_BIT) & self.follows_wild
        own = Points(own.low, own.high | letters.pick(two_wilds, 0))
        followed = Points(followed.low, followed.high | back.pick(two_wilds, 0))
        return followed, own, Points(others.low, others.high | self.other_letters.differs(0).pick(two_wilds, 0))

    def doubles(self) -> list[tuple[Any, Any]]:
        """The candidates among doubles: (bit set of halves, value) of each kind."""
        hand, worth = self.hand, self.worth
        touches = (self.own_touches | self.other_touches) & NUMBERS
        legal = lanes.any_of([row & (1 << half) for half, row in enumerate(hand.rows)]) & touches
        wild = (self.on_own | self.on_others).pick(hand.wild & WILD_BIT, 0)
        found = []
        for has, bonus in ((self.follows, worth.followed_double), (~self.follows, worth.lone_double)):
            numbers = legal & has & ~1
            below = lanes.smear(numbers)
            value = (below.count() << 1) + bonus + (OFFSET - 2)
            found.append((below - (below >> 1), numbers.differs(0).pick(value, 0)))
            found.append((legal & has & 1, (legal & has & 1).differs(0).pick(self.blank + bonus + OFFSET, 0)))
            value = self.turn.w.const(2 * WILD_VALUE + OFFSET) + bonus
            found.append((wild & has, (wild & has).differs(0).pick(value, 0)))
        return found

    def kept_on_own(self, followed: Points, own: Points, doubles: Any) -> Hand:
        """The best plays on the own train; ``followed`` and ``own``: their points, ``doubles``: the best doubles."""
        hand, follows = self.hand, self.follows
        rows = []
        for half, row in enumerate(hand.rows):
            best = (followed.less(half) & follows | own.less(half) & ~follows) & (NUMBERS & ~(1 << half))
            points = WILD_VALUE + half
            with_wild = self.follows_wild & followed.has(points) | ~self.follows_wild & own.has(points)
            rows.append(row & (best | with_wild.pick(WILD_BIT, 0) | doubles & (1 << half)))
        best = (followed.less(WILD_VALUE) & follows | own.less(WILD_VALUE) & ~follows) & NUMBERS
        letters, back = own.has(2 * WILD_VALUE), self.follows_wild & followed.has(2 * WILD_VALUE)
        back = back | ~self.follows_wild & letters
        wild = hand.wild & (best | doubles & WILD_BIT)
        return Hand(rows, wild, letters.pick(hand.kinds, 0), back.pick(hand.kinds, 0))

    def kept_on_others(self, others: Points, doubles: Any) -> Hand:
        """The best plays on other trains."""
        hand = self.hand
        rows = []
        for half, row in enumerate(hand.rows):
            best = others.less(half) & (NUMBERS & ~(1 << half)) | doubles & (1 << half)
            rows.append(row & (best | others.has(WILD_VALUE + half).pick(WILD_BIT, 0)))
        kinds = others.has(2 * WILD_VALUE).pick(hand.kinds, 0)
        return Hand(rows, hand.wild & (others.less(WILD_VALUE) & NUMBERS | doubles & WILD_BIT), kinds, kinds)
