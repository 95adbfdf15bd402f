"""One attempt of 32 games at once, written as lane code: ``game.turn`` and ``game.movegen`` without their branches.

A step does for each lane what an attempt does in the scalar backend: begin a turn if one is due, find the legal plays,
draw a tile if there is none, choose and make a play, and update everything up to the next attempt. A lane whose round
is over must be given another round before the next step.

The methods of ``Turn`` are in the order in which their code appears in the kernel.
"""

from typing import Any

from mextrain_core.bulk.policies import CAUTIOUS, COUNTING, HEAVIEST, RANDOM
from mextrain_core.lockstep import lanes, policy
from mextrain_core.lockstep.cautious import cautious_plays
from mextrain_core.lockstep.counting import choose_counting
from mextrain_core.lockstep.deal import halves_of, remove_member, take_member
from mextrain_core.lockstep.flags import Flags
from mextrain_core.lockstep.layout import (
    CHOICES,
    DECISIONS,
    DRAWS,
    LEFT,
    NO_AGE,
    NO_MOVE,
    PLAYS,
    POINTS,
    SEAT,
    TURNS,
    layout,
)
from mextrain_core.model.limits import MAX_PLAYERS, STOP


class Turn:
    """Emits one step for the flags; the attributes are the values computed so far, for every lane."""

    def __init__(self, w: Any, rules: Flags, argument: Any):
        self.w, self.rules, self.at, self.argument = w, rules, layout(rules), argument
        self.everyone = rules.is_set("open_double_binds", "everyone")
        self.oldest = self.everyone and rules.is_set("open_double_order", "oldest")
        self.any_order = self.everyone and rules.is_set("open_double_order", "any")
        self.chains = rules.is_set("opening", "chain")
        self.covers = rules.is_set("double_rule", "cover")
        self.binds = rules.is_set("dead_double", "binds")
        self.trains = range(rules.trains)
        self.mexican = 1 << rules.players
        self.from_hand: Any = None
        """Mask: a tile other than the drawn one is played after a draw; None if that cannot happen."""

    def write(self) -> Any:
        """Emit the whole step; returns the scalar that ``settle`` returns."""
        self.load()
        self.find_released(self.left.equals(0))
        self.bound = self.bound_trains()
        self.begin_turn()
        self.read_hand()
        choice = self.decide()
        self.count(choice)
        self.log(choice)
        self.w.forget()
        self.move_tiles(choice)
        return self.settle(choice)

    def decide(self) -> policy.Choice:
        """Find the legal plays, draw if necessary, and let the policies choose."""
        rows = self.prefer_fresh(self.on_trains(self.eligible(None), self.fitting))
        return self.choose(self.draw(rows))

    # State of the lanes.

    def load(self) -> None:
        """Load the state of the turn."""
        w, at = self.w, self.at
        self.seat = w.load(SEAT)
        self.left = w.load(LEFT)
        self.turn_begins = w.load(at.same_turn).equals(0)
        self.fresh = w.load(at.fresh)
        self.marked = w.load(at.marked)
        self.started = w.load(at.started)
        self.ends = [w.load(at.end + t) for t in self.trains]
        self.chain = w.load(at.chain).differs(0) if at.chain is not None else None
        self.excused = self.chain
        """Mask: no play is required; None if that cannot happen."""
        self.mine = [self.seat.has(self.seats_with_bit(z)).ones() for z in range(at.seat_bits)]
        self.dead = self.dead_halves(lanes.any_of([w.load(at.off + z) for z in range(at.count_bits)]))
        """Bit set: halves that no tile off the table fits."""

    def dead_halves(self, off: Any) -> Any:
        """The halves that no tile off the table fits; ``off``: the halves that those tiles show."""
        return ~off

    def seats_with_bit(self, z: int) -> int:
        """Bit set of the seats whose number has bit z."""
        return sum(1 << seat for seat in range(self.rules.players) if seat >> z & 1)

    # Open doubles.

    def find_released(self, boneyard_empty: Any) -> None:
        """Find the trains whose open double, if any, is released (``game.turn.release_dead``)."""
        dead = boneyard_empty.pick(self.dead, 0) if self.binds else self.dead
        self.released = [end.has(dead) for end in self.ends]
        if self.covers or self.rules.max_uncovered or self.any_order:
            released = lanes.any_of([gone.pick(1 << t, 0) for t, gone in enumerate(self.released)])
            self.live_fresh = self.fresh & ~released
            if self.any_order:
                self.live_doubles = self.w.load(self.at.doubles) & ~released

    def bound_trains(self) -> Any:
        """Trains of the doubles that the play owed must cover, 0 where it is free (``eligible.bound_trains``)."""
        w, at = self.w, self.at
        bound = None
        if self.any_order:
            bound = self.live_doubles & ~self.fresh
        elif at.age is not None:
            ages = [w.load(at.age + t) for t in self.trains]
            bound = self.first_laid(ages) if self.oldest else self.last_laid(ages)
        self.inherited = bound
        if self.covers:
            own = w.load(at.cover) & self.live_fresh
            bound = own if bound is None else bound.differs(0).pick(bound, own)
        return bound

    def first_laid(self, ages: list[Any]) -> Any:
        """The train of the oldest open double if it is inherited, else 0; doubles of this turn are younger."""
        first = lanes.least([gone.pick(NO_AGE, age) for gone, age in zip(self.released, ages, strict=True)])
        train = self.w.const(1) << (first & 15)
        return ((first < NO_AGE) & (train & self.fresh).equals(0)).pick(train, 0)

    def last_laid(self, ages: list[Any]) -> Any:
        """The train of the youngest inherited double, or 0."""
        out = [gone | self.fresh.has(1 << t) for t, gone in enumerate(self.released)]
        last = lanes.greatest([gone.pick(0, age) for gone, age in zip(out, ages, strict=True)])
        return (last >= 16).pick(self.w.const(1) << (last & 15), 0)

    # Begin of the turn.

    def begin_turn(self) -> None:
        """Find out whether this is the seat's opening turn (docs/rules.md section 8), and count the turn."""
        w, at = self.w, self.at
        to_come = w.load(at.opening_to_come)
        fresh_start = self.turn_begins & to_come.has(self.seat)
        unstarted = (self.started & self.seat).equals(0)
        free = fresh_start if self.inherited is None else fresh_start & self.inherited.equals(0)
        opens = free & unstarted
        w.store(at.opening_to_come, to_come & ~(opens | fresh_start & ~unstarted).pick(self.seat, 0))
        self.opening = w.load(at.opening).differs(0) | opens
        w.store(TURNS, w.load(TURNS) - self.turn_begins.ones())

    # Legal plays.

    def read_hand(self) -> None:
        """Read the hand of the seat to move, and find what fits the end of each train."""
        w, at = self.w, self.at
        self.hand = []
        for half in range(at.halves):
            row = w.load(at.held + half)
            for z, mine in enumerate(self.mine):
                row = row & ~(w.load(at.owner + z * at.halves + half) ^ mine)
            self.hand.append(row)
        self.fitting = [lanes.look_up(self.rows_by_end(), end) for end in self.ends]

    def rows_by_end(self) -> list[Any]:
        """The plays on an end, by the half of the end."""
        return self.hand

    def eligible(self, drawn: Any) -> Any:
        """Trains that the play may use (``eligible.select``); ``drawn``: the two halves of the tile drawn for it."""
        free = self.seat
        if drawn is None or not self.rules.is_set("drawn_tile", "own_train"):
            free = self.free_trains(drawn)
        return free if self.bound is None else self.bound.differs(0).pick(self.bound, free)

    def free_trains(self, drawn: Any) -> Any:
        """Trains that a free play may use (``eligible.free_trains``)."""
        any_turn = self.rules.is_set("mexican_start", "any_turn")
        opening = self.seat | self.mexican if any_turn else self.seat
        return self.opening.pick(opening, self.seat | self.marked | self.fresh | self.mexican_train(drawn))

    def mexican_train(self, drawn: Any) -> Any:
        """The bit of M where it may be used (``eligible.may_use_mexican_train``)."""
        started = self.started.has(self.mexican)
        if self.rules.is_set("mexican_start", "after_own_train"):
            return (started | self.started.has(self.seat)).pick(self.mexican, 0)
        if self.rules.is_set("mexican_start", "only_if_stuck"):
            return (started | ~self.fits_own_train(drawn)).pick(self.mexican, 0)
        return self.w.const(self.mexican)

    def fits_own_train(self, drawn: Any) -> Any:
        """Whether a tile of the hand, or the drawn one, fits the own train (``eligible.fits_own_train``)."""
        fits = lanes.any_of(self.on_trains(self.seat, self.fitting))
        if drawn is not None:
            fits = fits | lanes.any_of(self.on_trains(self.seat, [end & drawn for end in self.ends]))
        return fits.differs(0)

    def on_trains(self, trains: Any, rows: list[Any]) -> list[Any]:
        """``rows`` for the trains in the bit set, 0 for the others."""
        return [trains.has(1 << t).pick(row, 0) for t, row in enumerate(rows)]

    def prefer_fresh(self, rows: list[Any]) -> list[Any]:
        """Restrict ``rows`` to doubles of this turn if two are open and one can be covered (see ``movegen``)."""
        if not self.rules.max_uncovered:
            return rows
        narrowed = self.on_trains(self.live_fresh, rows)
        several = self.live_fresh.has(self.live_fresh - 1)
        prefer = several & lanes.any_of(narrowed).differs(0)
        return [prefer.pick(few, row) for few, row in zip(narrowed, rows, strict=True)]

    # The draw.

    def needs_draw(self, stuck: Any) -> Any:
        """Mask: a tile is drawn; ``stuck``: nothing fits."""
        needs = stuck & self.left.differs(0)
        if self.excused is not None:
            needs = needs & ~self.excused
        if self.at.drew is not None:
            drew = self.w.load(self.at.drew).differs(0) & ~self.turn_begins
            needs = needs & ~drew
            self.has_drawn = drew | needs
        return needs

    def draw_tile(self, stuck: Any) -> Any:
        """Draw a tile where necessary; returns where it may be played at once."""
        w, at = self.w, self.at
        self.needs = self.needs_draw(stuck)
        random = lanes.upper_half(lanes.next_words(w, DRAWS, self.needs))
        counts, total = [], None
        for i in range(at.words - 1):
            members = w.load(at.bone + i).count()
            total = members if total is None else total + members
            counts.append(total)
        self.drawn, beyond = take_member(w, at, counts, lanes.below(*random, self.left))
        self.drawn_high, self.drawn_low = halves_of(at, self.drawn, beyond)
        w.forget()
        remove_member(w, at, self.needs.pick(self.drawn, 0), beyond)
        self.left = self.left + self.needs.ones()
        w.store(LEFT, self.left)
        if self.rules.is_set("failed_cover", "mark") and self.bound is not None:
            return self.needs & self.bound.equals(0)
        return self.needs

    def draw(self, rows: list[Any]) -> list[Any]:
        """Draw where nothing fits and a play is required; returns the legal plays after that."""
        looks = self.draw_tile(lanes.any_of(rows).equals(0))
        if self.binds:
            self.find_released(self.left.equals(0))
            self.bound = self.bound_trains()
        pair = looks.pick(self.drawn_high | self.drawn_low, 0)
        other = self.drawn_high ^ self.drawn_low
        drawn = [end.has(pair).pick(other ^ end, 0) for end in self.ends]
        drawn = self.prefer_fresh(self.on_trains(self.eligible(pair), drawn))
        self.drawn_fits = lanes.any_of(drawn).differs(0)
        rows = [row | new for row, new in zip(rows, drawn, strict=True)]
        if self.binds and self.bound is not None:
            # The draw that emptied the boneyard may have released a double that bound the play, so that other tiles
            # fit. The drawn tile fits nowhere, so only the hand before the draw matters.
            freed = looks & self.left.equals(0) & ~self.drawn_fits
            trains = self.bound.differs(0).pick(self.bound, self.free_trains(None))
            other_rows = self.prefer_fresh(self.on_trains(freed.pick(trains, 0), self.fitting))
            rows = [row | new for row, new in zip(rows, other_rows, strict=True)]
            self.from_hand = freed
        if self.rules.has_policy(COUNTING):
            self.take_drawn_to_hand(pair)
        elif self.rules.has_policy(CAUTIOUS) and self.from_hand is not None:
            self.take_drawn_to_hand(self.from_hand.pick(pair, 0))
        return rows

    def take_drawn_to_hand(self, pair: Any) -> None:
        """Add the drawn tile, by its halves or 0, to the hand that the policies look at.

        ``cautious`` needs it only where another tile is played.
        """
        other = self.drawn_high ^ self.drawn_low
        for half, row in enumerate(self.hand):
            self.hand[half] = row | pair.has(1 << half).pick(other ^ (1 << half), 0)
        fits = [end.has(pair).pick(other ^ end, 0) for end in self.ends]
        self.fitting = [row | new for row, new in zip(self.fitting, fits, strict=True)]

    # The decision.

    def choose(self, rows: list[Any]) -> policy.Choice:
        """Let the policies choose."""
        w = self.w
        stops = None if self.chain is None else self.chain.pick(1, 0)
        if self.rules.is_set("drawn_play", "may"):
            after_draw = self.drawn_fits.pick(1, 0)
            stops = after_draw if stops is None else stops | after_draw
        all_rows = rows
        rows, stopping = self.prefer(rows)
        choices = stops
        if stops is not None and self.rules.policies != 1 << RANDOM:
            choices = self.plays_policy(RANDOM).pick(stops, 0) if self.rules.has_policy(RANDOM) else None
        words = lanes.upper_half(lanes.next_words(w, CHOICES))
        choice = policy.choose(w, self.ends, rows, choices, words)
        if self.rules.has_policy(COUNTING):
            counts = (choice.number >= 2) & self.plays_policy(COUNTING)
            train, touch, new = choose_counting(self, all_rows, counts, words)
            choice = choice._replace(
                train=counts.pick(train, choice.train),
                touch=counts.pick(touch, choice.touch),
                new=counts.pick(new, choice.new),
            )
        if stops is None or stopping is None:
            return choice
        return choice._replace(plays=choice.plays & ~(stopping & stops.differs(0)))

    def prefer(self, rows: list[Any]) -> tuple[list[Any], Any]:
        """Restrict the plays to those of the highest value to the seat's policy.

        Also returns a mask: where the policy stops if it may; None if no policy at the table ever does, except
        ``random``, which chooses among the plays and the ways to stop.
        """
        w, rules = self.w, self.rules
        picky = [number for number in (HEAVIEST, CAUTIOUS) if rules.has_policy(number)]
        if not picky:
            return rows, None
        blank, stopping = w.splat(w.field(self.argument, 0, 8)), None
        if rules.has_policy(CAUTIOUS):
            heavy = self.plays_policy(HEAVIEST) if rules.has_policy(HEAVIEST) else None
            best, stopping = cautious_plays(self, rows, blank, heavy)
            if rules.policies != 1 << CAUTIOUS:
                stopping = stopping & self.plays_policy(CAUTIOUS)
        else:
            best = policy.heaviest(self.ends, rows, blank)
        if rules.policies != sum(1 << number for number in picky):
            likes = lanes.any_of([self.plays_policy(number) for number in picky])
            best = [likes.pick(few, row) for row, few in zip(rows, best, strict=True)]
        return best, stopping

    def plays_policy(self, number: int) -> Any:
        """Mask: the seat to move plays the policy with this id."""
        w = self.w
        if number == RANDOM:
            return ~lanes.any_of([self.plays_policy(other) for other in policy.SEATS if self.rules.has_policy(other)])
        return self.seat.has(w.splat(w.field(self.argument, policy.SEATS[number], MAX_PLAYERS)))

    def count(self, choice: policy.Choice) -> None:
        """Count plays and decisions."""
        w = self.w
        w.store(DECISIONS, w.load(DECISIONS) - choice.number.differs(0).ones())
        self.plays = w.load(PLAYS)
        w.store(PLAYS, self.plays - choice.plays.ones())

    def log(self, choice: policy.Choice) -> None:
        """Write a row of the log: the move of each lane (``moves``), or NO_MOVE where there was no decision."""
        w = self.w
        touch, new = self.code(choice.touch, choice) << 5, self.code(choice.new, choice)
        move = choice.plays.pick(lanes.index(choice.train) << 10 | touch | new, STOP)
        row = w.field(self.argument, policy.LOG_SHIFT, 64 - policy.LOG_SHIFT)
        w.store(0, choice.number.differs(0).pick(move, NO_MOVE), row)

    def code(self, half: Any, choice: policy.Choice) -> Any:
        """The code of a half (one-hot) of the tile that is played."""
        return lanes.index(half)

    # Updates.

    def move_tiles(self, choice: policy.Choice) -> None:
        """Move tiles from the boneyard to the hand and from the hand to the table."""
        w, at = self.w, self.at
        if self.from_hand is None:
            # At most one tile moves: it is drawn and kept, or played from the hand.
            high = self.needs.pick(self.drawn_high, choice.touch)
            low = self.needs.pick(self.drawn_low, choice.new)
            worth = self.worth(high, low)
            gain = self.needs.pick(worth, w.const(0) - worth)
            moved = [(self.needs ^ choice.plays, high, low, gain)]
        else:
            plays_drawn = choice.plays & self.needs & ~self.from_hand
            drawn, played = (self.drawn_high, self.drawn_low), (choice.touch, choice.new)
            moved = [
                (self.needs & ~plays_drawn, *drawn, self.worth(*drawn)),
                (choice.plays & ~plays_drawn, *played, w.const(0) - self.worth(*played)),
            ]
        changed = [(self.in_matrix(mask.pick(a | b, 0)), a ^ b) for mask, a, b, _ in moved]
        for half in range(at.halves):
            held = w.load(at.held + half)
            owners = [w.load(at.owner + z * at.halves + half) for z in range(at.seat_bits)]
            for both, other in changed:
                bit = both.has(1 << half).pick(other ^ (1 << half), 0)
                held = held ^ bit
                owners = [(owner & ~bit) | (mine & bit) for owner, mine in zip(owners, self.mine, strict=True)]
            w.store(at.held + half, held)
            for z, owner in enumerate(owners):
                w.store(at.owner + z * at.halves + half, owner)
        gained = lanes.total([mask.pick(gain, 0) for mask, _, _, gain in moved])
        self.count_points(gained, choice.plays.ones() - self.needs.ones())
        self.leave_hands(choice)

    def in_matrix(self, both: Any) -> Any:
        """The halves ``both`` of a tile if it is in the bit matrices, else 0."""
        return both

    def value(self, half: Any) -> Any:
        """Points of a half (one-hot)."""
        return lanes.index(half)

    def worth(self, a: Any, b: Any) -> Any:
        """Value of the tile with these halves (one-hot) in a points row."""
        return ((self.value(a) + self.value(b)) << 1) + (a & b & 1)

    def count_points(self, change: Any, tiles: Any) -> None:
        """Add ``change`` to the points of the acting seat, and ``tiles`` to its tiles.

        Sets ``self.emptied``: whether its hand is empty now.
        """
        w = self.w
        mine = w.const(0)
        for seat in range(self.rules.players):
            acts = self.seat.has(1 << seat)
            points = w.load(POINTS + seat)
            points = acts.pick(points + change, points)
            w.store(POINTS + seat, points)
            mine = acts.pick(points, mine)
            if self.at.tiles is not None:
                w.store(self.at.tiles + seat, w.load(self.at.tiles + seat) + acts.pick(tiles, 0))
        self.emptied = mine.equals(0)

    def leave_hands(self, choice: policy.Choice) -> None:
        """Count the played tile as on the table: subtract 1 from ``off`` in the bit columns of both halves."""
        w, at = self.w, self.at
        borrow = choice.plays.pick(choice.touch | choice.new, 0)
        for z in range(at.count_bits):
            bits = w.load(at.off + z)
            w.store(at.off + z, bits ^ borrow)
            borrow = borrow & ~bits

    def settle(self, choice: policy.Choice) -> Any:
        """Update the table after a play or a failed play, and find the next seat.

        Returns bit sets of lanes: in the lower 32 bits those whose round is over, in the upper 32 bits those with a
        winner.
        """
        w, at, rules = self.w, self.at, self.rules
        plays = choice.plays
        train = plays.pick(choice.train, 0)
        fails = ~plays if self.excused is None else ~plays & ~self.excused
        is_double = plays & choice.touch.equals(choice.new)
        for t, end in enumerate(self.ends):
            w.store(at.end + t, train.has(1 << t).pick(choice.new, end))
        w.store(at.started, self.started | train)
        own = plays.pick(self.seat, 0) if rules.is_set("marker_off", "any_play") else train & self.seat
        w.store(at.marked, self.marked & ~own | fails.pick(self.seat, 0))
        owes = self.owes_more(choice, is_double)
        goes_on = owes if self.chain is None else owes | plays & self.opening
        self.keep_doubles(train, is_double, goes_on)
        w.store(at.opening, (goes_on & self.opening).ones())
        if self.chain is not None:
            w.store(at.chain, (goes_on & ~owes).ones())
        if at.cover is not None:
            w.store(at.cover, is_double.pick(train, 0))
        if at.drew is not None:
            w.store(at.drew, self.has_drawn.ones())
        w.store(at.same_turn, goes_on.ones())
        won = plays & self.emptied
        if rules.is_set("finish_on_double", "must_cover"):
            won = won & ~is_double
        alive = (lanes.any_of(self.ends) & ~self.dead).differs(0)
        over = won | fails & self.left.equals(0) & ~alive
        w.store(SEAT, (goes_on | over).pick(self.seat, self.next_seat(choice, goes_on)))
        return w.pair(over.bits(), won.bits())

    def owes_more(self, choice: policy.Choice, is_double: Any) -> Any:
        """Mask: the turn goes on with something other than another tile of the chain."""
        return is_double

    def next_seat(self, choice: policy.Choice, goes_on: Any) -> Any:
        """The seat after the seat to move; not used where the turn goes on."""
        return (self.seat & (1 << (self.rules.players - 1))).differs(0).pick(1, self.seat << 1)

    def keep_doubles(self, train: Any, is_double: Any, goes_on: Any) -> None:
        """Update the open doubles: remove the covered one, add a new one; the turn may end."""
        w, at = self.w, self.at
        new_double = is_double.pick(train, 0)
        w.store(at.fresh, goes_on.pick(self.fresh & ~train | new_double, 0))
        if at.doubles is not None:
            w.store(at.doubles, w.load(at.doubles) & ~train | new_double)
        if at.age is not None:
            # The number of plays is below 256, and it is larger for a later double.
            age = is_double.pick((self.plays + 1) << 4, NO_AGE if self.oldest else 0)
            for t in self.trains:
                old = w.load(at.age + t)
                w.store(at.age + t, train.has(1 << t).pick(age + t, old))
