"""What the set super adds to a step: ``*``, which joins everything, and the letters with their effects.

``*`` is a half like the numbers, with a row in the bit matrices. All letters together are one more half, LETTER_BIT,
which is in no matrix; the tiles with a letter are a separate word. On an end the letter does not matter, because only
``*`` joins it.

The plays on a train are in the order of their action ids: first those with a number as touching half, then ``*``, then
the letters. A number at the end is touched by itself and by ``*``, a ``*`` by every half, a letter by ``*``.
"""

from typing import Any

from mextrain_core.bulk.policies import CAUTIOUS, COUNTING, HEAVIEST, RANDOM
from mextrain_core.lockstep import lanes, policy
from mextrain_core.lockstep.flags import WILD_NUMBERS
from mextrain_core.lockstep.layout import CHOICES, LETTER_BIT, WILD_BIT, WILD_VALUE
from mextrain_core.lockstep.turn import Turn
from mextrain_core.lockstep.wild_cautious import Hand, Preference
from mextrain_core.lockstep.wild_counting import WildPlay, choose_wild_counting

A_TILES = 0b111
"""The tiles ``*-A`` in a word of letters; each of the other letters is there once."""

A, D, R, S, T = 1, 2, 4, 8, 16
"""Kinds of letters, one-hot and in the order of their halves."""

NUMBERS = WILD_BIT - 1

TWO_WILDS = 1 << (2 * WILD_VALUE - 16)
"""The points of ``*-*`` and of every tile with a letter, in the second word of a set of points."""


TOP_BLANK = 31
"""More points than any other tile has."""


def prefix_counts(rows: list[Any]) -> list[Any]:
    """The number of bits in the rows up to each."""
    counts = [rows[0].count()]
    for row in rows[1:]:
        counts.append(counts[-1] + row.count())
    return counts


class WildTurn(Turn):
    """Emits one step in the set super (see ``Turn``)."""

    own: Any = None
    """The plays on the own train (``Hand``), None while they are the same as on other trains."""

    # What the lane remembers.

    def load(self) -> None:
        """Load the state of the turn, and find out whether a D forces a draw."""
        super().load()
        w, at = self.w, self.at
        self.penalty = w.load(at.penalty).differs(0)
        self.forced = self.penalty & self.turn_begins & self.left.differs(0)
        """Mask: the step is only the draw that a D forces."""
        self.bonus = w.load(at.bonus).differs(0)
        self.excused = self.bonus | self.forced
        if self.chain is not None:
            self.excused = self.excused | self.chain

    def dead_halves(self, off: Any) -> Any:
        """Every tile fits ``*``, and tiles with ``*`` fit every end."""
        joined = off.has(WILD_BIT).pick(0xFFFF, off) | off.differs(0).pick(WILD_BIT, 0)
        return ~joined

    # Legal plays.

    def read_hand(self) -> None:
        """Read the hand: the rows of the numbers, the row of ``*``, and the kinds of letters."""
        super().read_hand()
        w, at = self.w, self.at
        self.wild = self.hand[WILD_NUMBERS]
        letters = w.load(at.letters)
        for z, mine in enumerate(self.mine):
            letters = letters & ~(w.load(at.letter_owner + z) ^ mine)
        self.letter_tiles = letters.count()
        self.first_a = letters & A_TILES & (w.const(0) - letters)
        self.kinds = self.kinds_of(letters)

    def kinds_of(self, letters: Any) -> Any:
        """Bit set of the kinds of the tiles in a word of letters."""
        return letters.has(A_TILES).pick(A, 0) | (letters >> 3) << 1

    def rows_by_end(self) -> list[Any]:
        """The plays that touch with the number at the end, by the half of the end."""
        nothing = self.w.const(0)
        return [*self.hand[:WILD_NUMBERS], nothing, nothing]

    def fits_own_train(self, drawn: Any) -> Any:
        """A tile with ``*`` always fits, and every tile fits a ``*``."""
        own_is_wild = lanes.any_of(self.on_trains(self.seat, [end & WILD_BIT for end in self.ends])).differs(0)
        fits = super().fits_own_train(drawn) | (self.wild | self.kinds).differs(0)
        if drawn is not None:
            return fits | own_is_wild | drawn.has(WILD_BIT)
        return fits | own_is_wild & lanes.any_of(self.hand).differs(0)

    def decide(self) -> policy.Choice:
        """The plays there are, after a draw if it comes to that, and which of them the policy chooses."""
        eligible = self.eligible(None)
        any_number = lanes.any_of(self.hand[:WILD_NUMBERS]).differs(0)
        on_wild = lanes.any_of(self.on_trains(eligible, self.ends)).has(WILD_BIT)
        fits = lanes.any_of(self.on_trains(eligible, self.fitting)) | self.wild | self.kinds
        looks = self.draw_tile(fits.equals(0) & ~(on_wild & any_number))
        if self.rules.has_policy(HEAVIEST) and not self.rules.has_policy(CAUTIOUS):
            self.keep_heaviest(eligible)
        self.take_drawn(looks)
        drawn = looks.pick(self.drawn_high | self.drawn_low, 0)
        if self.rules.is_set("drawn_tile", "own_train") or self.rules.is_set("mexican_start", "only_if_stuck"):
            eligible = looks.pick(self.eligible(drawn), eligible)
        stopping = self.keep_cautious(eligible) if self.rules.has_policy(CAUTIOUS) else None
        counts = self.count_plays(eligible)
        if self.rules.is_set("drawn_play", "may"):
            self.drawn_fits = looks & lanes.any_of(counts).differs(0)
        return self.choose_wild(eligible, counts, stopping)

    def needs_draw(self, stuck: Any) -> Any:
        """Mask: lanes that draw a tile, for want of a play or for a D."""
        return super().needs_draw(stuck) | self.forced

    def draw_tile(self, stuck: Any) -> Any:
        """Draw a tile where necessary; a tile drawn because of a D is not played at once."""
        return super().draw_tile(stuck) & ~self.forced

    def keep_heaviest(self, eligible: Any) -> None:
        """Restrict seats that play ``heaviest`` to their legal tiles of most points (a drawn tile is the only one).

        Sets of points are bit sets of two words: bit v & 15 of word v >> 4 stands for v points.
        """
        w = self.w
        legal = lanes.any_of([count.differs(0).pick(1 << t, 0) for t, count in enumerate(self.count_plays(eligible))])
        used = eligible & legal
        ends = lanes.any_of(self.on_trains(used, self.ends))
        touched = ends.has(WILD_BIT).pick(NUMBERS, ends)
        wild = used.differs(0).pick(self.wild, 0)
        letters = used.differs(0).pick(self.kinds, legal.differs(0).pick(self.kinds & A, 0))
        low, high = (wild & NUMBERS) << WILD_VALUE, (wild & NUMBERS) >> (16 - WILD_VALUE)
        high = high | (wild & WILD_BIT | letters).differs(0).pick(TWO_WILDS, 0)
        blank = w.splat(w.field(self.argument, 0, 8)).min(TOP_BLANK)
        blank_low = (blank < 16).pick(w.const(1) << (blank & 15), 0)
        blank_high = (blank < 16).pick(0, w.const(1) << (blank & 15))
        for half, hand in enumerate(self.hand[:WILD_NUMBERS]):
            row = touched.has(1 << half).pick(hand & NUMBERS, 0)
            if half:
                low, high = low | row << half, high | row >> (16 - half)
            else:
                low, high = low | row & ~1 | row.has(1).pick(blank_low, 0), high | row.has(1).pick(blank_high, 0)
        low, high = high.differs(0).pick(0, lanes.highest(low)), lanes.highest(high)
        likes = self.plays_policy(HEAVIEST) & ~self.needs
        for half, hand in enumerate(self.hand[:WILD_NUMBERS]):
            if half:
                kept = (low >> half | high << (16 - half)) & NUMBERS
            else:
                kept = low & NUMBERS & ~1 | (low & blank_low | high & blank_high).differs(0).pick(1, 0)
            with_wild = WILD_VALUE + half
            kept = kept | (high if with_wild >> 4 else low).has(1 << (with_wild & 15)).pick(WILD_BIT, 0)
            self.hand[half] = likes.pick(hand & kept, hand)
        two_wilds = high.has(TWO_WILDS)
        kept = (low >> WILD_VALUE | high << (16 - WILD_VALUE)) & NUMBERS | two_wilds.pick(WILD_BIT, 0)
        self.wild = likes.pick(self.wild & kept, self.wild)
        self.kinds = (likes & ~two_wilds).pick(0, self.kinds)
        self.fitting = [lanes.look_up(self.rows_by_end(), end) for end in self.ends]

    def keep_cautious(self, eligible: Any) -> Any:
        """Restrict seats that play ``cautious`` or ``heaviest`` to their best plays; returns where stopping is better.

        From here on the hand holds the plays on other trains, and ``self.own`` those on the own train.
        """
        w, rules = self.w, self.rules
        legal = w.const((1 << rules.trains) - 1)
        if rules.max_uncovered:
            counts = self.count_plays(eligible)
            legal = lanes.any_of([count.differs(0).pick(1 << t, 0) for t, count in enumerate(counts)])
        only_a = (legal & ~eligible & ~self.seat).differs(0).pick(self.free_a(), 0)
        heavy = self.plays_policy(HEAVIEST) if rules.has_policy(HEAVIEST) else None
        blank = w.splat(w.field(self.argument, 0, 8))
        own, others, stopping = Preference(self, eligible & legal, only_a, blank, heavy).write()
        stopping = stopping & self.plays_policy(CAUTIOUS)
        if rules.has_policy(RANDOM) or rules.has_policy(COUNTING):
            hand, likes = Hand(self.hand[:WILD_NUMBERS], self.wild, self.kinds, self.kinds), self.plays_policy(CAUTIOUS)
            likes = likes if heavy is None else likes | heavy
            own, others = own.where(likes, hand), others.where(likes, hand)
        self.own = own
        self.hand[:WILD_NUMBERS] = others.rows
        self.wild, self.kinds = others.wild, others.kinds
        fitting = [lanes.look_up(self.rows_by_end(), end) for end in self.ends]
        own_row = lanes.look_up([*own.rows, w.const(0), w.const(0)], lanes.any_of(self.on_trains(self.seat, self.ends)))
        for t in range(rules.players):
            fitting[t] = self.seat.has(1 << t).pick(own_row, fitting[t])
        self.fitting = fitting
        return stopping

    def free_a(self) -> Any:
        """A where the seat holds one that may go on any train, because the play is free."""
        only_a = self.kinds & A
        return only_a if self.bound is None else self.bound.differs(0).pick(0, only_a)

    def take_drawn(self, looks: Any) -> None:
        """Replace the plays of the hand, of which there were none, by those of the drawn tile.

        So the hand has no ``*``, and its numbers fit no eligible train, before or after the draw.
        """
        high, low = self.drawn_high, self.drawn_low
        pair, other = looks.pick((high | low) & NUMBERS, 0), high ^ low
        rows = [end.has(pair).pick(other ^ end, 0) for end in self.ends]
        self.fitting = [row | new for row, new in zip(self.fitting, rows, strict=True)]
        is_letter = low.equals(LETTER_BIT)
        is_wild = looks & high.equals(WILD_BIT)
        self.wild = self.wild | (is_wild & ~is_letter).pick(low, 0)
        self.kinds = self.kinds | (is_wild & is_letter).pick(self.kinds_of(self.drawn), 0)
        self.letter_tiles = self.letter_tiles + (is_wild & is_letter).pick(1, 0)
        if self.rules.is_set("finish_on_double", "must_cover") or self.at.tiles is not None:
            # An empty hand fits no end, not even a ``*``; the drawn tile then fits a ``*`` with either half.
            for half in range(WILD_NUMBERS):
                bit = pair.has(1 << half).pick(other ^ (1 << half), 0)
                self.hand[half] = self.hand[half] | bit

    def count_plays(self, eligible: Any) -> list[Any]:
        """Number of plays by train; ``*-A`` may go on any train if the play is free."""
        self.upto = prefix_counts(self.hand[:WILD_NUMBERS])
        kinds = self.kinds.count()
        on_any, on_wild = self.wild.count() + kinds, self.upto[-1] + kinds
        if self.own is not None:
            self.own_upto = prefix_counts(self.own.rows)
            own_on_any = self.own.wild.count() + self.own.kinds.count()
            own_on_wild = self.own_upto[-1] + self.own.back.count()
        only_a = self.free_a()
        counts = []
        for t, (end, row) in enumerate(zip(self.ends, self.fitting, strict=True)):
            is_wild = end.has(WILD_BIT)
            usual = row.count() + on_any + is_wild.pick(on_wild, 0)
            if self.own is not None and t < self.rules.players:
                own = row.count() + own_on_any + is_wild.pick(own_on_wild, 0)
                usual = self.seat.has(1 << t).pick(own, usual)
            counts.append(eligible.has(1 << t).pick(usual, only_a + is_wild.pick(only_a, 0)))
        counts = [self.forced.pick(0, count) for count in counts]
        if not self.rules.max_uncovered:
            return counts
        narrowed = self.on_trains(self.live_fresh, counts)
        prefer = self.live_fresh.has(self.live_fresh - 1) & lanes.any_of(narrowed).differs(0)
        return [prefer.pick(few, count) for few, count in zip(narrowed, counts, strict=True)]

    # The decision.

    def choose_wild(self, eligible: Any, counts: list[Any], stopping: Any) -> policy.Choice:
        """Choose uniformly among the remaining plays, and if ``random`` decides, the ways to stop.

        ``stopping``: see ``Turn.prefer``.
        """
        w = self.w
        upto = [counts[0]]
        for count in counts[1:]:
            upto.append(upto[-1] + count)
        number = upto[-1]
        stops = [] if self.chain is None else [self.chain]
        if self.rules.is_set("twice_bonus", "may"):
            stops.append(self.bonus)
        if self.rules.is_set("drawn_play", "may"):
            stops.append(self.drawn_fits)
        may_stop, choices = lanes.any_of(stops) if stops else None, number
        if may_stop is not None and self.rules.has_policy(RANDOM):
            both = may_stop if self.rules.policies == 1 << RANDOM else may_stop & self.plays_policy(RANDOM)
            choices = number + both.pick(1, 0)
        words = lanes.upper_half(lanes.next_words(w, CHOICES, ~self.forced))
        k = lanes.below(*words, choices)
        plays = k < number
        if may_stop is not None and stopping is not None:
            plays = plays & ~(stopping & may_stop)
        best = None
        if self.rules.has_policy(COUNTING):
            self.back, is_counting = self.kinds, self.plays_policy(COUNTING) & (number >= 2)

            def play_at(place: Any) -> WildPlay:
                row, base, end, train = self.kth_train(place, upto)
                return WildPlay(train, *self.kth_on_train(end, eligible.has(train), row, place - base))

            best = choose_wild_counting(self, is_counting.pick(number, 0), words, play_at)
        row, base, end, train = self.kth_train(k, upto)
        if self.own is not None:
            self.take_own(train.equals(self.seat))
        touch, new, letter = self.kth_on_train(end, eligible.has(train), row, k - base)
        if best is not None:
            chosen = zip(best, (train, touch, new, letter), strict=True)
            train, touch, new, letter = (is_counting.pick(mine, other) for mine, other in chosen)
        return policy.Choice(plays, train, touch, new, number, letter)

    def kth_train(self, k: Any, upto: list[Any]) -> tuple[Any, Any, Any, Any]:
        """Where the k-th play is, whose number is below ``upto`` of its train.

        Returns the row of ``fitting``, the number of plays on earlier trains, the end, and the train.
        """
        row, base, end, train = self.fitting[0], self.w.const(0), self.ends[0], self.w.const(1)
        for t in range(len(upto) - 1):
            beyond = k >= upto[t]
            row, base = beyond.pick(self.fitting[t + 1], row), beyond.pick(upto[t], base)
            end, train = beyond.pick(self.ends[t + 1], end), beyond.pick(2 << t, train)
        return row, base, end, train

    def take_own(self, mask: Any) -> None:
        """Make the plays of the hand those on the own train where the mask holds."""
        others = Hand(self.hand[:WILD_NUMBERS], self.wild, self.kinds, self.kinds)
        hand = self.own.where(mask, others)
        self.hand[:WILD_NUMBERS] = hand.rows
        self.wild, self.kinds, self.back = hand.wild, hand.kinds, hand.back
        self.upto = [mask.pick(own, upto) for own, upto in zip(self.own_upto, self.upto, strict=True)]

    def kth_on_train(self, end: Any, is_eligible: Any, row: Any, k: Any) -> tuple[Any, Any, Any]:
        """Touching half, new half and kind of letter of the k-th play on a train.

        ``row``: the plays on it whose touching half is the number at its end.
        """
        w = self.w
        is_wild = end.has(WILD_BIT) & is_eligible
        touch, base, among = w.const(1), w.const(0), self.hand[0]
        for half in range(WILD_NUMBERS - 1):
            beyond = k >= self.upto[half]
            among, base = beyond.pick(self.hand[half + 1], among), beyond.pick(self.upto[half], base)
            touch = beyond.pick(2 << half, touch)
        row = is_eligible.pick(is_wild.pick(among, row), 0)
        numbers = is_wild.pick(self.upto[-1], row.count())
        wild, kinds = is_eligible.pick(self.wild, 0), is_eligible.pick(self.kinds, A)
        back = kinds if self.own is None else is_eligible.pick(self.back, A)
        # Past a part, k minus its size goes on; within it, the difference wraps to a huge number, which is in no other
        # part.
        after_numbers = k - numbers
        after_wild = after_numbers - wild.count()
        after_letters = after_wild - kinds.count()
        by_number, on_wild, by_wild = k < numbers, after_numbers < wild.count(), after_wild < kinds.count()
        place = on_wild.pick(after_numbers, by_wild.pick(after_wild, after_letters))
        place = by_number.pick(k - is_wild.pick(base, 0), place)
        letters = kinds if self.own is None else by_wild.pick(kinds, back)
        one = lanes.kth_one(by_number.pick(row, on_wild.pick(wild, letters)), place)
        touch = by_number.pick(is_wild.pick(touch, end), (on_wild | by_wild).pick(WILD_BIT, LETTER_BIT))
        has_letter = ~(by_number | on_wild)
        new = has_letter.pick(by_wild.pick(LETTER_BIT, WILD_BIT), one)
        return touch, new, has_letter.pick(one, 0)

    def code(self, half: Any, choice: policy.Choice) -> Any:
        """The code of a half (one-hot) of the tile that is played: each letter has its own code."""
        return lanes.index(half) + half.has(LETTER_BIT).pick(lanes.index(choice.letter), 0)

    # What changes.

    def move_tiles(self, choice: policy.Choice) -> None:
        """Move the tiles with a letter, then all others."""
        w, at = self.w, self.at
        played = choice.letter.has(A).pick(self.first_a, choice.letter << 2)
        drawn = self.drawn_low.equals(LETTER_BIT).pick(self.drawn, 0)
        bit = (self.needs ^ choice.plays).pick(self.needs.pick(drawn, played), 0)
        w.store(at.letters, w.load(at.letters) ^ bit)
        for z, mine in enumerate(self.mine):
            w.store(at.letter_owner + z, w.load(at.letter_owner + z) & ~bit | mine & bit)
        super().move_tiles(choice)

    def in_matrix(self, both: Any) -> Any:
        """The halves ``both`` of a tile if it has no letter, else 0."""
        return both.has(LETTER_BIT).pick(0, both)

    def value(self, half: Any) -> Any:
        """What a half (one-hot) counts."""
        return half.has(WILD_BIT | LETTER_BIT).pick(WILD_VALUE, lanes.index(half))

    def owes_more(self, choice: policy.Choice, is_double: Any) -> Any:
        """A T gives a bonus play, and after a forced draw the turn itself still follows."""
        self.laid = choice.plays.pick(choice.letter, 0)
        twice = self.laid.has(T)
        self.w.store(self.at.bonus, twice.ones())
        return is_double | twice | self.forced

    def next_seat(self, choice: policy.Choice, goes_on: Any) -> Any:
        """The next seat that acts, in the current direction; applies the effects of R, S and D."""
        w, at = self.w, self.at
        turned = w.load(at.turned).differs(0) ^ self.laid.has(R)
        skips = w.load(at.skips).differs(0) | self.laid.has(S)
        w.store(at.turned, turned.ones())
        w.store(at.skips, (goes_on & skips).ones())
        w.store(at.penalty, (self.penalty & ~self.turn_begins | self.laid.has(D)).ones())
        following = self.after(self.seat, turned)
        return skips.pick(self.after(following, turned), following)

    def after(self, seat: Any, turned: Any) -> Any:
        """The seat after ``seat``, or before it where the direction is reversed."""
        last = 1 << (self.rules.players - 1)
        return turned.pick(seat.has(1).pick(last, seat >> 1), seat.has(last).pick(1, seat << 1))
