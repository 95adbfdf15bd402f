"""One round of the game, written plainly and slowly after docs/rules.md.

Read it together with docs/rules.md; the comments name its sections. The state is plain lists, sets and texts.
Nothing here is optimised, and nothing here uses the kernels that are compared with it.

What this rulebook decides where the page leaves something to the reader
------------------------------------------------------------------------
1.  "Dead doubles are released" (section 7): at once. Being dead is a property of the table, so it is
    asked after every tile laid and every tile drawn, also for doubles that were inherited and in the
    middle of a turn.
2.  "it stays binding while the boneyard has tiles and is released the moment it is empty, also within a
    turn" (section 11, ``dead_double`` = ``binds``): at the draw of the last tile, forced or not, before
    the plays of the drawn tile are looked for. If the drawn tile has no play, the rest of the hand may
    have one now: the play owed is free or bound to the next inherited double, and "only plays of the
    drawn tile are legal, if it has any"
    (section 6, 4) does not bind a tile without any. Whether a turn begins with an inherited double is
    asked before a D draw, so before a release by that draw. A double that is dead when it is laid binds
    in the same way: "under ``cover`` and chicken foot too may then go on any eligible train" is said of
    ``released``.
3.  "a tile drawn for want of a play may be played on the own train only" (``drawn_tile`` =
    ``own_train``): this holds for the play for which it was drawn. If that play is made with another tile
    (point 2) and the turn goes on, the drawn tile is a tile of the hand like any other. "a double on
    which the next play *must* go": an inherited one, under ``cover`` the double just laid, a foot; not
    the turn's own double under ``anywhere``, nor what ``max_uncovered`` prefers.
4.  "decided before the draw" (``failed_cover`` = ``mark``): once a required play that must go on a double
    finds no tile, the turn fails, even if the draw empties the boneyard and so releases the double. Where
    no draw is left, it fails without one. ``mark_and_play`` is decided then as well, and so are the doubles
    on which the drawn tile may go: one that the draw releases takes nothing, the next one of several does
    not come up instead, and neither does what is free after a foot was released. Only for a double of this
    turn, under ``cover``, a free play is allowed in any case.
5.  "if the drawn tile fits, stop is legal too" (``drawn_play`` = ``may``): fits = has a legal play under
    all options.
6.  "when nothing fits the own train, asked ... of the whole hand ... and of every end"
    (``only_if_stuck``): a tile fits if it joins (section 4) an end of the own train; ``*-A`` is a tile of
    the hand and counts.
7.  "in the opening turn too M may be used like the own train by every play" (``any_turn``): started or
    not, also by the play after a double, by bonus plays and by chain tiles; a play on M keeps the chain
    going. What stays on the own train alone is only the tile drawn under ``own_train``.
8.  "The required play after a double must go on that double; an inherited one goes before" (``cover``):
    only the required play owed for the double laid last is bound. Once it has been played on an inherited
    one, a bonus play is free. If the double is released before it is covered, the play owed is free.
9.  "while two or more of the doubles laid in this turn are open" (``max_uncovered``): a filter on the
    legal plays that the other rules leave, the restriction to the drawn tile included. It is applied to
    every play; in a chain it can take nothing away.
10. "Until it has them ... it is an open double. Then the toes' free halves are ends" (chicken foot): an
    unfinished foot shows the double's half as its end and no toe. A foot that dies is finished on the
    spot, in the middle of a chain too, and what follows is free. ``center``: of the toes it has, the last
    one laid.
11. "no further effect happens" (section 6, 3): a double laid as the last tile of the round does not
    become open.
12. "the next seat will be skipped" (``*-S``): the next in the direction that holds at the end of the
    turn.
13. "it stays in the round without tiles" (``must_cover``): such a seat has its turns like everybody: it
    is hit by a D, draws, may play what it drew and may go out with it; without a draw its train opens.
14. A seat has no opening turn any more from the moment at which somebody starts its train.
15. "no live double is open" in the blocked test (section 9) can never decide it: with an empty boneyard a
    live double is an end that a tile in some hand joins. It is written down all the same.
16. A started train stays started, and an explicit set-up must contain every tile of the set exactly once;
    hands of an explicit set-up may have any size from 1 on. A drawn starter yields to a fixed seat named
    by the rules.
17. "as if all at once" (``opening`` = ``together``): while the opening lasts an open double binds nobody and
    is open as long as it lies at the end; with ``open_double_binds`` = ``nobody`` it is an ordinary end after
    its turn, in the opening too. The turn is over with the seat's last tile, so no further play is owed
    and no further attempt made.
18. "no seat has a tile for an end that it could use if all trains were open" (``own_train_first``): M counts
    for ``trains`` whatever ``mexican_start`` says of starting it, as it does without this option.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from . import stream
from .actions import STOP, ids_per_train, pair_ranks, play_text, stop_id
from .options import Rules
from .tiles import (
    ANYWHERE,
    ends_joined_by,
    halves,
    laid_on,
    parse_tile,
    tile_points,
    tiles_of,
)

Play = tuple[int, str, str, str]  # train, touching half, new half, tile
Place = tuple[int, str]  # train, end

REQUIRED, BONUS, CHAIN = "required", "bonus", "chain"


class OpenDouble:
    """A double that still has to be covered; under chicken foot an unfinished foot with its toes."""

    def __init__(self, tile: str, train: int) -> None:
        self.tile = tile
        self.half = halves(tile)[0]
        self.train = train
        self.inherited = False
        self.toes: list[str] = []  # the free halves of the toes, in the order in which they were laid

    def copy(self) -> OpenDouble:
        """An independent copy."""
        other = OpenDouble(self.tile, self.train)
        other.inherited = self.inherited
        other.toes = list(self.toes)
        return other


class Round:
    """A round from the deal to its end. ``legal`` lists what the seat may do, ``play`` does it.

    Everything that is forced (draws, openings of trains, skips, the end) happens automatically, so a round is always at
    a decision of ``seat`` or over.
    """

    def __init__(
        self,
        rules: Rules,
        engine: str,
        starter: int,
        hands: Sequence[Sequence[str]],
        boneyard: Sequence[str],
        key: int | None = None,
    ) -> None:
        """A round with these hands; draws take the first tile of the boneyard, or with ``key`` the stream's tile."""
        self.rules = rules
        self.players = rules.players
        self.mexican = rules.players  # the number of train M
        self.engine = rules.engine_of(engine)
        self._check_deal(starter, hands, boneyard)
        self.starter = starter
        self.hands = [[parse_tile(tile, rules.tile_set) for tile in hand] for hand in hands]
        self.boneyard = [parse_tile(tile, rules.tile_set) for tile in boneyard]
        self.key = key
        self.seed: int | None = None
        self.game: int | None = None
        self.dealt_hands = [list(hand) for hand in self.hands]
        self.drawn_tiles: list[str] = []  # every tile drawn, in order

        # section 4: what may be laid on an end, and the ends that a tile could join
        self._laid_on = laid_on(rules.tile_set, rules.letter_match)
        self._ends_joined_by = ends_joined_by(rules.tile_set, rules.letter_match)
        # for each half: how many tiles off the table could join it
        all_tiles = tiles_of(rules.tile_set)
        self._could_join = Counter(end for tile in all_tiles for end in self._ends_joined_by[tile])
        self._could_join.subtract(self._ends_joined_by[self.engine])

        # section 3, 5: everything that belongs to a round is reset
        trains = self.players + 1
        self.ends_of_train = [[halves(self.engine)[0]] for _ in range(trains)]
        self.started: set[int] = set()
        self.open_trains: set[int] = set()
        self.doubles: list[OpenDouble] = []  # live open doubles, the oldest first
        self.direction = 1
        self.opening_to_come = set(range(self.players))
        self.skip_pending = False  # *-S
        self.draw_pending = False  # *-D
        self.together = rules.opening == "together"  # the opening lasts

        self.events: list[str] = []
        self.turns = 0  # begun, the current one included; a skipped seat is not a turn
        self.plays = 0  # tiles placed
        self.draws = 0  # because no play was legal, or forced by a D
        self.attempts = 0  # docs/determinism.md; the current one included
        self.end: str | None = None
        self.winner: int | None = None
        self.points: list[int] | None = None

        self._legal: dict[str, Play] = {}
        self._may_stop = False
        self._begin_turn(starter)
        self._run_forced()

    @classmethod
    def dealt(cls, rules: Rules, seed: int, game: int, engine: str, starter: int | None = None) -> Round:
        """The deal and draws of docs/determinism.md. ``starter`` None: the seat fixed by the rules, or else drawn.

        If the engine is dealt (engine_from), ``starter`` is the seat that is asked first for it.
        """
        engine = rules.engine_of(engine)
        key = stream.round_key(seed, game, engine)
        if starter is None and isinstance(rules.starter, int):
            starter = rules.starter
        if starter is None:
            starter = stream.drawn_starter(key, rules.players)
        if rules.deal_decides_engine:
            engine, starter, hands, boneyard = stream.deal_all(rules, key, starter)
        else:
            starter, sizes = stream.first_turn(rules, key, starter)
            hands, boneyard = stream.deal(rules, key, engine, sizes)
        this = cls(rules, engine, starter, hands, boneyard, key)
        this.seed, this.game = seed, game
        return this

    def _check_deal(self, starter: int, hands: Sequence[Sequence[str]], boneyard: Sequence[str]) -> None:
        """Engine, hands and boneyard make up exactly the set (section 10)."""
        if isinstance(starter, bool) or not isinstance(starter, int) or not 0 <= starter < self.players:
            raise ValueError(f"starter {starter!r} is not a seat of {self.players} players")
        if len(hands) != self.players or not all(hands):
            raise ValueError(f"{self.players} hands that are not empty are needed, not {len(hands)}")
        there = Counter([self.engine])
        for tiles in (*hands, boneyard):
            there.update(parse_tile(tile, self.rules.tile_set) for tile in tiles)
        whole = Counter(tiles_of(self.rules.tile_set))
        for tile in sorted((there - whole) + (whole - there)):
            raise ValueError(f"{tile} is there {there[tile]} times instead of {whole[tile]}")

    def copy(self) -> Round:
        """An independent copy, which can be played on."""
        other = object.__new__(Round)
        other.__dict__.update(self.__dict__)
        other.drawn_for_play = list(self.drawn_for_play)
        other.hands = [list(hand) for hand in self.hands]
        other.boneyard = list(self.boneyard)
        other.drawn_tiles = list(self.drawn_tiles)
        other._could_join = self._could_join.copy()
        other.ends_of_train = [list(ends) for ends in self.ends_of_train]
        other.started = set(self.started)
        other.open_trains = set(self.open_trains)
        other.doubles = [double.copy() for double in self.doubles]
        other.marked_for = [other.doubles[self.doubles.index(d)] for d in self.marked_for if d in self.doubles]
        other.opening_to_come = set(self.opening_to_come)
        other.events = list(self.events)
        other.points = None if self.points is None else list(self.points)
        return other

    # -- what can be seen --------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Has the round ended?"""
        return self.end is not None

    @property
    def seat(self) -> int | None:
        """The seat that has to decide, None when the round is over."""
        return None if self.over else self._seat

    @property
    def ends(self) -> list[list[str]]:
        """The ends by train (M last), with repetitions, sorted as texts."""
        return [sorted(ends) for ends in self.ends_of_train]

    @property
    def open_doubles(self) -> list[tuple[str, int, str]]:
        """The live open doubles, oldest first: double, train, "inherited" or "new" (laid in this turn)."""
        return [(d.tile, d.train, "inherited" if d.inherited else "new") for d in self.doubles]

    @property
    def attempt(self) -> int:
        """The number (from 0) of the current attempt (docs/determinism.md)."""
        return self.attempts - 1

    def legal(self) -> list[str]:
        """The legal actions of this decision, sorted by code point."""
        return sorted([*self._legal, STOP] if self._may_stop else self._legal)

    def legal_by_id(self) -> list[str]:
        """The legal actions by ascending action id, stop last."""
        per_train = ids_per_train(self.rules.tile_set)
        rank = pair_ranks(self.rules.tile_set)

        def number(text: str) -> int:
            train, touch, new, _ = self._legal[text]
            return train * per_train + rank[touch, new]

        plays = sorted(self._legal, key=number)
        return [*plays, STOP] if self._may_stop else plays

    def legal_ids(self) -> list[int]:
        """The dense action ids of the legal actions, ascending."""
        per_train = ids_per_train(self.rules.tile_set)
        rank = pair_ranks(self.rules.tile_set)
        ids = sorted(train * per_train + rank[touch, new] for train, touch, new, _ in self._legal.values())
        return [*ids, stop_id(self.rules.tile_set, self.players)] if self._may_stop else ids

    def tile_of(self, action: str) -> str:
        """The tile that a legal play lays."""
        return self._legal[action][3]

    # -- deciding ----------------------------------------------------------------------------------------

    def play(self, action: str) -> None:
        """Make a play or stop; ValueError, and nothing changed, when it is not legal."""
        if self.over:
            raise ValueError(f"{action!r} is not legal: the round is over")
        if action == STOP and self._may_stop:
            self.events.append(f"{self._seat}:{STOP}")
            if self.owed == REQUIRED and not self.marked:  # drawn_play = may: stop fails the play
                self._fail()
            else:  # the chain, or twice_bonus = may; or the train has been opened already
                self._end_turn()
        elif action in self._legal:
            self._lay(self._legal[action])
        else:
            legal = ", ".join(self.legal())
            raise ValueError(f"{action!r} is not legal for seat {self._seat}; legal: {legal}")
        self._run_forced()

    # -- a turn, section 6 -------------------------------------------------------------------------------

    def _begin_turn(self, seat: int) -> None:
        """Begin the turn of a seat."""
        self._seat = seat
        self.turns += 1
        # section 8: decided when the turn begins, before a D draw
        begins_bound = any(double.inherited for double in self.doubles)
        self.opening = seat in self.opening_to_come and (self.together or not begins_bound)
        if self.opening:
            self.opening_to_come.remove(seat)
        self.opened_in_turn = False
        self.drawn_in_turn = False  # because no play was legal; D draws do not count
        if self.draw_pending:  # section 6, 1; with an empty boneyard the D is used up without an event
            self.draw_pending = False
            if self.boneyard:
                self._draw("forced-draw")
        self._owe(REQUIRED)

    def _owe(self, play: str, double: str | None = None) -> None:
        """Make this the play owed: a new attempt. ``double``: the double just laid that a required play follows."""
        self.owed = play
        self.owed_for = double
        self.drawn: str | None = None
        self.drawn_for_play: list[str] = []  # all tiles drawn for it, the last one included
        self.marked = False  # mark_and_play: this play has opened the train, and only the drawn tile is left
        self.marked_for: list[OpenDouble] = []  # the doubles on which it had to go before the draw
        if self.attempts == stream.MOST_ATTEMPTS:
            raise RuntimeError("a round without end: more than 65536 attempts")
        self.attempts += 1

    def _run_forced(self) -> None:
        """Section 6, 2 to 5, until there is a decision."""
        self._legal, self._may_stop = {}, False
        while not self.over:
            plays = self._legal_plays()
            if plays:
                self._legal = {play_text(*play[:3], self.players): play for play in plays}
                self._may_stop = self._stop_is_legal(plays)
                return
            if self.owed != REQUIRED or self.marked:  # section 6, 5 and section 8: no draw, no marker
                self._end_turn()
            elif self.together:
                self._fail()
            elif self.owed_for is not None and self.rules.failed_double != "draw" and self.drawn is None:
                if self.rules.failed_double == "mark":
                    self._fail()
                else:
                    self._end_turn()
            elif self.rules.failed_cover in ("mark", "mark_and_play") and self._doubles_to_play_on():
                self._mark()
            elif self._may_draw():
                self._draw_for_play()
            else:
                self._fail()

    def _stop_is_legal(self, plays: list[Play]) -> bool:
        if self.owed == CHAIN:
            return True
        if self.owed == BONUS:
            return self.rules.twice_bonus == "may"
        # a required play: only after a draw, and only if it is the drawn tile that fits
        return self.rules.drawn_play == "may" and self.drawn is not None and plays[0][3] == self.drawn

    def _may_draw(self) -> bool:
        """Section 6, 4: the boneyard has a tile and this required play (or this turn) has not drawn yet."""
        if not self.boneyard or (self.drawn is not None and self.rules.draw_limit != "until_it_fits"):
            return False
        return not (self.rules.draw_limit == "per_turn" and self.drawn_in_turn)

    def _draw_for_play(self) -> None:
        self.drawn = self._draw("draw")
        self.drawn_for_play.append(self.drawn)
        self.drawn_in_turn = True

    def _draw(self, event: str) -> str:
        """Move one tile from the boneyard to the seat's hand."""
        position = 0 if self.key is None else stream.draw_position(self.key, self.draws, len(self.boneyard))
        tile = self.boneyard.pop(position)
        self.draws += 1
        self.drawn_tiles.append(tile)
        self.hands[self._seat].append(tile)
        self.events.append(f"{self._seat}:{event} {tile}")
        self._release_dead_doubles()  # dead_double = binds: the boneyard may be empty now
        return tile

    def _fail(self) -> None:
        """A pass: the required play fails, the own train is opened, and the turn (or the round) ends."""
        self._open_train()
        if not self.over:
            self._end_turn()

    def _open_train(self) -> None:
        """For want of a play; each time section 9 asks whether the round is blocked."""
        self.open_trains.add(self._seat)
        self.events.append(f"{self._seat}:open")
        self.opened_in_turn = True
        if not self.together and self._blocked():
            self._end_round("blocked")

    def _mark(self) -> None:
        """A play that must go on a double has no tile: failed_cover = mark and mark_and_play."""
        if not self._may_draw():
            self._fail()
            return
        before = list(self._doubles_to_play_on())
        self._draw_for_play()
        if self.rules.failed_cover == "mark":  # the tile is kept in any case
            self._fail()
            return
        self._open_train()
        self.marked = True
        self.marked_for = before

    def _end_turn(self) -> None:
        """Section 6, 6: the next seat in the current direction gets the move."""
        if self.together and not self.opening_to_come:
            self._end_opening()
            if self.over:
                return
        if self.rules.open_double_binds == "nobody" and self.rules.double_rule != "chicken_foot":
            self.doubles = []  # now they are ordinary ends
        for double in self.doubles:
            double.inherited = True
        following = (self._seat + self.direction) % self.players
        if self.skip_pending:
            self.skip_pending = False
            self.events.append(f"{following}:skip")
            following = (following + self.direction) % self.players
        self._begin_turn(following)

    def _end_opening(self) -> None:
        """The first trains have been laid (opening = together): now seats may be out, or the round blocked."""
        self.together = False
        clockwise = [(self.starter + step) % self.players for step in range(self.players)]
        out = [seat for seat in clockwise if not self.hands[seat]]
        if out:
            self._seat = out[0]  # the winner
            self._end_round("out")
        elif self.opened_in_turn and self._blocked():
            self._end_round("blocked")

    # -- legal plays -------------------------------------------------------------------------------------

    def _legal_plays(self) -> list[Play]:
        """The legal plays (sections 4, 5, 7 and 8), each once."""
        if self.marked:
            return self._marked_plays()
        hand = list(dict.fromkeys(self.hands[self._seat]))  # several *-A are one play
        binding = self._doubles_to_play_on()
        if binding:
            places = all_places = [(double.train, double.half) for double in binding]
        else:
            places = self._ends_of(self._eligible_trains())
            all_places = self._ends_of(self._trains()) if ANYWHERE in hand else []
        plays: list[Play] = []
        if self.drawn is not None:  # section 6, 4: only plays of the drawn tile are legal, if it has any
            drawn_places = places
            if self.rules.drawn_tile == "own_train" and not binding:
                drawn_places = self._ends_of([self._seat])
                hand = [tile for tile in hand if tile == ANYWHERE or tile not in self.drawn_for_play[:-1]]
            plays = self._plays_of(self.drawn, all_places if self.drawn == ANYWHERE else drawn_places)
            hand.remove(self.drawn)
        if not plays:
            for tile in hand:
                plays += self._plays_of(tile, all_places if tile == ANYWHERE else places)
        return self._cover_one_of_two(plays)

    def _marked_plays(self) -> list[Play]:
        """The plays of the drawn tile once the own train has been opened: failed_cover = mark_and_play."""
        assert self.drawn is not None
        places = [(double.train, double.half) for double in self.marked_for if double in self.doubles]  # not released
        if self.rules.double_rule == "cover" and not any(double.inherited for double in self.marked_for):
            if self.drawn == ANYWHERE:
                places += self._ends_of(self._trains())
            elif self.rules.drawn_tile == "own_train":
                places += self._ends_of([self._seat])
            else:
                places += self._ends_of(self._eligible_trains())
        return self._cover_one_of_two(self._plays_of(self.drawn, list(dict.fromkeys(places))))

    def _trains(self) -> range:
        """All trains; there may be no Mexican Train."""
        return range(self.players + (self.rules.mexican_start != "never"))

    def _ends_of(self, trains: Sequence[int] | set[int]) -> list[Place]:
        """The places to play on these trains; equal ends of a train are one place."""
        return [(train, end) for train in trains for end in dict.fromkeys(self.ends_of_train[train])]

    def _plays_of(self, tile: str, places: list[Place]) -> list[Play]:
        """Section 4: both orientations where both halves fit; a double has one."""
        first, second = halves(tile)
        plays = []
        for train, end in places:
            fitting = self._laid_on[end]
            if first in fitting:
                plays.append((train, first, second, tile))
            if second in fitting and second != first:
                plays.append((train, second, first, tile))
        return plays

    def _doubles_to_play_on(self) -> list[OpenDouble]:
        """The open doubles, one of which the play owed must cover; none if the play is free."""
        if self.together:
            return []
        if self.rules.double_rule == "chicken_foot":
            return self.doubles  # the whole table is frozen; there is never a second foot
        inherited = [double for double in self.doubles if double.inherited]
        if inherited:  # section 7: every play of the turn, bonus or not
            order = self.rules.open_double_order
            return inherited if order == "any" else [inherited[0 if order == "oldest" else -1]]
        if self.rules.double_rule == "cover" and self.owed_for is not None:
            return [double for double in self.doubles if double.tile == self.owed_for]  # none if released
        return []

    def _eligible_trains(self) -> set[int]:
        """Where a free play of any tile but ``*-A`` may go (section 5; in the opening turn section 8)."""
        trains = {self._seat}
        if self.opening:
            if self.rules.mexican_start == "any_turn":
                trains.add(self.mexican)
        else:
            if self.mexican in self.started or self._may_start_mexican():
                trains.add(self.mexican)
            trains |= self.open_trains
        if self._seat not in self.started and self.rules.own_train_first != "no":
            trains &= {self._seat} if self.rules.own_train_first == "all" else {self._seat, self.mexican}
        trains.update(double.train for double in self.doubles if not double.inherited)  # on any train
        return trains

    def _may_start_mexican(self) -> bool:
        """Outside the opening turn: may the seat start M with this play? (Section 11, mexican_start.)"""
        if self.rules.mexican_start == "never":
            return False
        if self.rules.mexican_start == "after_all_trains":
            return self.started >= set(range(self.players))
        if self.rules.mexican_start == "after_own_train":
            return self._seat in self.started
        if self.rules.mexican_start == "only_if_stuck":
            own_ends = set(self.ends_of_train[self._seat])
            return all(own_ends.isdisjoint(self._ends_joined_by[tile]) for tile in self.hands[self._seat])
        return True

    def _cover_one_of_two(self, plays: list[Play]) -> list[Play]:
        """Section 7, last point: max_uncovered = 1."""
        if self.rules.max_uncovered is None or self.rules.double_rule == "chicken_foot":
            return plays
        uncovered = [double.train for double in self.doubles if not double.inherited]
        if len(uncovered) < 2:
            return plays
        covering = [play for play in plays if play[0] in uncovered]
        return covering or plays

    # -- a play, section 6, 3 ----------------------------------------------------------------------------

    def _lay(self, play: Play) -> None:
        train, touch, new, tile = play
        seat = self._seat
        self.events.append(f"{seat}:{play_text(train, touch, new, self.players)}")
        self.hands[seat].remove(tile)
        self._could_join.subtract(self._ends_joined_by[tile])
        self.plays += 1

        # the tile lies on the train
        self.started.add(train)
        self.opening_to_come.discard(train)
        if self.rules.double_rule == "chicken_foot" and self.doubles:
            self._add_toe(self.doubles[0], new)
        else:
            ends = self.ends_of_train[train]
            # a train has several ends only in a set of numbers, and there the touching half is the end
            ends.remove(touch if len(ends) > 1 else ends[0])
            ends.append(new)
            self.doubles = [double for double in self.doubles if double.train != train]  # a covered double
        if train == seat or self.rules.marker_off == "any_play":
            self.open_trains.discard(seat)
        self._release_dead_doubles()

        double = touch == new
        if self.together:
            self._lay_in_opening(tile, train, touch, new)
            return
        if not self.hands[seat] and not (double and self.rules.finish_on_double == "must_cover"):
            self._end_round("out")
            return
        if double:
            self.doubles.append(OpenDouble(tile, train))
            self._release_dead_doubles()
            if self.rules.double_rule != "none":
                self._owe(REQUIRED, tile)
                return
        letter = new if touch == "*" else touch
        self._heed(letter)
        if letter == "T":
            self._owe(BONUS)
        elif self.opening and self.rules.opening != "single":
            self._owe(CHAIN)
        else:
            self._end_turn()

    def _heed(self, letter: str) -> None:
        """What a letter that is laid does to the turns that follow."""
        if letter == "R":
            self.direction = -self.direction
        elif letter == "S":
            self.skip_pending = True
        elif letter == "D":
            self.draw_pending = True

    def _lay_in_opening(self, tile: str, train: int, touch: str, new: str) -> None:
        """What a play leads to while first trains are laid as if all at once."""
        if touch == new:
            self.doubles.append(OpenDouble(tile, train))
            self._release_dead_doubles()
        if not self.hands[self._seat]:
            self._end_turn()
            return
        letter = new if touch == "*" else touch
        self._heed(letter)
        if letter == "T":
            self._owe(BONUS)
        elif self.opening:
            self._owe(CHAIN)
        else:
            self._end_turn()

    def _add_toe(self, foot: OpenDouble, toe: str) -> None:
        foot.toes.append(toe)
        if len(foot.toes) == 3:
            self._finish_foot(foot)

    def _finish_foot(self, foot: OpenDouble) -> None:
        """The toes' free halves become ends; without a toe the double's half remains an end."""
        self.doubles.remove(foot)
        if foot.toes:
            self.ends_of_train[foot.train].remove(foot.half)
            self.ends_of_train[foot.train] += foot.toes if self.rules.foot_ends == "all" else foot.toes[-1:]

    def _release_dead_doubles(self) -> None:
        """Section 7: a double that no tile off the table fits is not an open double any more."""
        if self.rules.dead_double == "binds" and self.boneyard:
            return
        for double in list(self.doubles):
            if self._could_join[double.half] == 0:
                if self.rules.double_rule == "chicken_foot":
                    self._finish_foot(double)
                else:
                    self.doubles.remove(double)

    # -- the end, section 9 ------------------------------------------------------------------------------

    def _blocked(self) -> bool:
        """No boneyard, no live open double, and no tile in any hand could join any end."""
        if self.boneyard or self.doubles:
            return False
        if self.rules.own_train_first != "no":
            return not any(self._could_play(seat) for seat in range(self.players))
        # with an empty boneyard the tiles off the table are those in the hands
        return not any(self._could_join[end] for train in self._trains() for end in self.ends_of_train[train])

    def _could_play(self, seat: int) -> bool:
        """own_train_first: does the seat have a tile for an end that it could use if all trains were open?"""
        trains = list(self._trains())
        if seat not in self.started:
            usable = {seat} if self.rules.own_train_first == "all" else {seat, self.mexican}
            trains = [train for train in trains if train in usable]
        anywhere = self._ends_of(self._trains())
        places = self._ends_of(trains)
        return any(self._plays_of(tile, anywhere if tile == ANYWHERE else places) for tile in self.hands[seat])

    def _end_round(self, end: str) -> None:
        self.end = end
        self.winner = self._seat if end == "out" else None
        blank = self.rules.double_blank
        self.points = [sum(tile_points(tile, blank) for tile in hand) for hand in self.hands]
