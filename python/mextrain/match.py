"""`Match`: all rounds of a game in order, and the ranking (docs/rules.md, sections 3 and 9).

    >>> from mextrain import Match, RuleSet
    >>> match = Match(RuleSet.mexican(players=4), seed=1)
    >>> for position in match:
    ...     while not position.over:
    ...         position.play(position.legal_moves()[0])
    >>> len(match.rounds), match.winners
    (13, (3,))
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mextrain._support.html import html_table
from mextrain.errors import PositionError
from mextrain.game.rules import RuleSet
from mextrain.game.starters import next_starter
from mextrain.game.winners import ranking
from mextrain.position import Chance, Position


class Match:
    """Game `game` of `seed`: its rounds are dealt one after the other, and the points are added up.

    A match only chooses the engine and starter of each round and sums the points. The current round is `position`. When
    it is over, `next_round` deals the next one. Iterating over a match does this automatically: it yields each round,
    which must then be played to its end.

    Raises `SeedError` for a seed or game out of range, `PositionError` if `rules` is not a `RuleSet`.
    """

    def __init__(self, rules: RuleSet, *, seed: int, game: int = 0, chance: Chance = "stream") -> None:
        self.rules = rules
        self.seed = seed
        self.game = game
        self._chance: Chance = chance
        self._rounds = [Position.deal(rules, seed=seed, game=game, chance=chance)]

    @property
    def position(self) -> Position:
        """The current round; after the end of the match, the last one."""
        return self._rounds[-1]

    @property
    def rounds(self) -> tuple[Position, ...]:
        """The rounds dealt so far, in order. The last one may not be over yet."""
        return tuple(self._rounds)

    @property
    def over(self) -> bool:
        """Whether all rounds have been played."""
        return len(self._rounds) == self.rules.rounds and self.position.over

    def next_round(self) -> Position:
        """Deal the next round and return it. Raises `PositionError` if a round is in progress or was the last one."""
        if not self.position.over:
            raise PositionError(f"round {len(self._rounds) - 1} goes on: the next one is dealt when it is over")
        if self.over:
            raise PositionError(f"the match is over: it has {self.rules.rounds} rounds")
        engine = self.rules.engines[len(self._rounds)]
        self._rounds.append(
            Position.deal(
                self.rules,
                seed=self.seed,
                game=self.game,
                engine=engine,
                starter=next_starter(self.rules, self.position.starter, self.position.winner),
                chance=self._chance,
            )
        )
        return self.position

    def __iter__(self) -> Iterator[Position]:
        """Yield the current round, then deal and yield the following rounds, until the match is over.

        Raises `PositionError` if the next round is requested before the current one is over.
        """
        yield self.position
        while not self.over:
            yield self.next_round()

    @property
    def points(self) -> tuple[tuple[int, ...], ...]:
        """The points by seat of each round that is over."""
        return tuple(position.points for position in self._rounds if position.over)

    @property
    def totals(self) -> tuple[int, ...]:
        """The sum of the points so far, by seat, without a round in progress."""
        return tuple(map(sum, zip((0,) * self.rules.players, *self.points, strict=True)))

    @property
    def ranking(self) -> tuple[tuple[int, ...], ...]:
        """The seats by their totals so far, lowest first, as in `((2,), (0, 3))`: seats that tie share a place.

        The option `tie_break` may decide between equal totals.
        """
        return ranking(self.rules, self.points)

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that win, or share the win; empty until the match is over (option `tie_break`)."""
        return self.ranking[0] if self.over else ()

    def records(self, *, legal: bool = False) -> list[dict[str, Any]]:
        """Return the records of the rounds that are over, in order (docs/formats.md)."""
        return [position.record(legal=legal) for position in self._rounds if position.over]

    def copy(self) -> Match:
        """Return an independent copy that can be played on without changing this match."""
        other = object.__new__(Match)
        vars(other).update(vars(self))
        other._rounds = [*self._rounds[:-1], self.position.copy()]
        return other

    def _repr_html_(self) -> str:
        seats = [f"seat {seat}" for seat in range(self.rules.players)]
        rounds = [position for position in self._rounds if position.over]
        rows = [(number, position.engine, *position.points) for number, position in enumerate(rounds)]
        return html_table(repr(self)[1:-1], ("round", "engine", *seats), [*rows, ("total", "", *self.totals)])

    def __repr__(self) -> str:
        state = "over" if self.over else f"round {len(self._rounds) - 1} of {self.rules.rounds}"
        return f"<Match of seed {self.seed}, game {self.game}: {state}, totals {self.totals}>"
