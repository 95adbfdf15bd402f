"""`Match`: all rounds of a game, one after the other, and who leads (docs/rules.md, sections 3 and 9).

    >>> from mextrain import Match, RuleSet
    >>> match = Match(RuleSet.mexican(players=4), seed=1)
    >>> for position in match:
    ...     while not position.over:
    ...         position.play(position.legal_moves()[0])
    >>> len(match.rounds), match.winners
    (13, (3,))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mextrain.errors import PositionError
from mextrain.game.rules import RuleSet
from mextrain.game.starters import next_starter
from mextrain.position import Chance, Position


class Match:
    """Game `game` of `seed`: its rounds are dealt in turn, and the points add up.

    A match adds nothing to a round but its engine, its starter and the sum of the points. The round that is played is
    `position`; when it is over, `next_round` deals the next one. Iterating does that by itself: each round is yielded
    to be played to its end.

    Raises `SeedError` for a seed or game out of range, `PositionError` for rules that are no `RuleSet`.
    """

    def __init__(self, rules: RuleSet, *, seed: int, game: int = 0, chance: Chance = "stream") -> None:
        self.rules = rules
        self.seed = seed
        self.game = game
        self._chance: Chance = chance
        self._rounds = [Position.deal(rules, seed=seed, game=game, chance=chance)]

    @property
    def position(self) -> Position:
        """The round that is played; when the match is over, the last one."""
        return self._rounds[-1]

    @property
    def rounds(self) -> tuple[Position, ...]:
        """The rounds dealt so far, in order; the last one may still go on."""
        return tuple(self._rounds)

    @property
    def over(self) -> bool:
        """Whether all rounds have been played."""
        return len(self._rounds) == self.rules.rounds and self.position.over

    def next_round(self) -> Position:
        """Deal the next round and return it; raises `PositionError` while one goes on, and after the last one."""
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
        """Yield the round that is played, and deal and yield the next one each time, to the end of the match.

        Raises `PositionError` if a round is handed back before it is over.
        """
        yield self.position
        while not self.over:
            yield self.next_round()

    @property
    def points(self) -> tuple[tuple[int, ...], ...]:
        """The points of each round that is over, by seat."""
        return tuple(position.points for position in self._rounds if position.over)

    @property
    def totals(self) -> tuple[int, ...]:
        """The sum of the points so far, by seat; a round that goes on does not count yet."""
        return tuple(map(sum, zip((0,) * self.rules.players, *self.points, strict=True)))

    @property
    def ranking(self) -> tuple[tuple[int, ...], ...]:
        """The seats by their totals so far, the lowest first; equal totals share a place: `((2,), (0, 3))`."""
        return ranking(self.totals)

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats with the lowest total, which share the win; empty while the match goes on."""
        return self.ranking[0] if self.over else ()

    def records(self, *, legal: bool = False) -> list[dict[str, Any]]:
        """Return the records of the rounds that are over, in order (docs/formats.md)."""
        return [position.record(legal=legal) for position in self._rounds if position.over]

    def copy(self) -> Match:
        """Return a match that can be played on without changing this one."""
        other = object.__new__(Match)
        vars(other).update(vars(self))
        other._rounds = [*self._rounds[:-1], self.position.copy()]
        return other

    def __repr__(self) -> str:
        state = "over" if self.over else f"round {len(self._rounds) - 1} of {self.rules.rounds}"
        return f"<Match of seed {self.seed}, game {self.game}: {state}, totals {self.totals}>"


def ranking(totals: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return the seats by their totals, the lowest first; seats with equal totals share a place."""
    return tuple(
        tuple(seat for seat, own in enumerate(totals) if own == total) for total in sorted(set(totals))
    )
