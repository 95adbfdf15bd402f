"""`Tournament`: the result of a tournament, as estimates, as text and for programs (docs/statistics.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from mextrain._support.html import html_table
from mextrain._support.tables import Cell, fitted, wrapped
from mextrain.bulk.stats import Estimate, Sum, flat_row, number_text, percent_text
from mextrain.errors import MextrainError, MissingExtra
from mextrain.game.rules import RuleSet
from mextrain.study.orders import BATCHES, Orders
from mextrain.study.ratings import Rating, rate
from mextrain.study.seatings import Group, groups_of, pairs_of
from mextrain.study.stopping import StopRule

METHOD = (
    "95 % intervals; the deal, in all its seatings, is the unit (standard error between deals); differences are taken "
    "deal by deal; normal for means, Wilson with the effective number of trials for shares"
)

NAME_WIDTH = 18
"""Width to which the name of a policy is cut in tables, in columns."""


class Rank(NamedTuple):
    """The result of one policy; fewer points are better.

    `points`: mean points per round and seat. `against`: `points` minus the mean points of its opponents in the same
    games. `won`: the share of its matches that it alone won.
    """

    policy: str
    points: Estimate
    against: Estimate
    won: Estimate


class Pair(NamedTuple):
    """A comparison of two policies over the matches that both played.

    `difference`: points per round and seat of `first` minus those of `second`. `first_won`, `second_won`: the shares of
    these matches that each of them won.
    """

    first: str
    second: str
    difference: Estimate
    first_won: Estimate
    second_won: Estimate


class Verdict(NamedTuple):
    """What a sequential test has found: `hypothesis` 0 or 1 is accepted, or None; `ratio` is compared with ±`bound`."""

    hypothesis: int | None
    ratio: float
    bound: float


@dataclass(frozen=True, repr=False)
class Tournament:
    """The result of a tournament over the deals of games `first_game` … `first_game + deals - 1` of `seed`.

    `ranks()` and `pairs()` are the main results, `ratings()` puts the policies on one scale. `str()` shows them as text
    of at most 100 columns; `to_dict()` has the same content for programs. `forfeits`: by policy, the matches that a bot
    lost by a fault. The docstring of `mextrain.study.tournament` explains the intervals.
    """

    rules: RuleSet
    policies: tuple[str, ...]
    format: str
    seed: int
    first_game: int
    deals: int
    sums: Mapping[str, tuple[Sum, ...]]
    orders: Orders
    forfeits: tuple[int, ...]
    stopping: StopRule

    @property
    def games(self) -> int:
        """Number of matches played: every deal in every seating."""
        return self.deals * sum(len(group.seatings) for group in self._groups())

    def ranks(self) -> list[Rank]:
        """Return the result of each policy, fewest points first."""
        groups = self._groups()
        ranks = []
        for index, policy in enumerate(self.policies):
            own = [group for group in groups if index in group.members]
            per_deal = sum(group.seats() for group in own) * self.rules.rounds
            others = len(own[0].members) - 1
            matches = sum(len(group.seatings) for group in own)
            ranks.append(
                Rank(
                    policy,
                    self.sums["points"][index].mean(self.deals, per_deal),
                    self.sums["against"][index].mean(self.deals, per_deal * others),
                    self.sums["won"][index].share(self.deals, matches),
                )
            )
        return sorted(ranks, key=lambda rank: rank.points.value)

    def pairs(self) -> list[Pair]:
        """Return a comparison of every two policies, the better one first; the clearest differences come first."""
        found = []
        parts = zip(*(self.sums[name] for name in ("difference", "first_won", "second_won")), strict=True)
        for (group, first, second), (difference, *won) in zip(pairs_of(self._groups()), parts, strict=True):
            per_deal = group.seats() * self.rules.rounds
            sides = [(self.policies[index], each.share(self.deals, len(group.seatings))) for index, each in
                     zip((first, second), won, strict=True)]
            if difference.total > 0:
                difference = Sum(-difference.total, difference.squares)
                sides.reverse()
            (better, better_won), (worse, worse_won) = sides
            found.append(Pair(better, worse, difference.mean(self.deals, per_deal), better_won, worse_won))
        return sorted(found, key=lambda pair: pair.difference.value)

    def ratings(self) -> list[Rating]:
        """Return the rating of every policy on the scale of Elo, with a mean of 0, the best one first.

        A seat whose policy has d points more finishes ahead of the other one with odds of 10**(d / 400).

        Raises `MissingExtra` without SciPy, and `MextrainError` if there is no finite estimate.
        """
        return rate(self.orders, self._groups(), self.policies, self.rules.players, self.deals)

    def verdict(self) -> Verdict | None:
        """Return what the sequential test has found so far; None if there is no test."""
        if self.stopping.test is None:
            return None
        (difference,), (group,) = self.sums["difference"], self._groups()
        state = difference, self.deals, group.seats() * self.rules.rounds
        return Verdict(self.stopping.verdict(*state), self.stopping.ratio(*state), self.stopping.bound)

    def _groups(self) -> list[Group]:
        return groups_of(self.format, len(self.policies), self.rules.players)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but ratings as a JSON object; every estimate has value, low and high."""
        verdict = self.verdict()
        return {
            "rules": self.rules.to_dict(),
            "policies": list(self.policies),
            "format": self.format,
            "seed": self.seed,
            "first_game": self.first_game,
            "deals": self.deals,
            "games": self.games,
            "method": METHOD,
            "ranks": [plain(rank) for rank in self.ranks()],
            "pairs": [plain(pair) for pair in self.pairs()],
            "forfeits": dict(zip(self.policies, self.forfeits, strict=True)),
            "stopping": vars(self.stopping).copy(),
            "verdict": None if verdict is None else verdict._asdict(),
        }

    def state(self) -> dict[str, Any]:
        """Return the exact counts as a JSON object, for `with_state`."""
        return {"deals": self.deals, "sums": self.sums, "orders": self.orders, "forfeits": self.forfeits}

    def with_state(self, state: Mapping[str, Any]) -> Tournament:
        """Return this result with the counts that `state` returned. Raises `MextrainError` for others."""
        deals, sums, orders = state["deals"], state["sums"], state["orders"]
        forfeits = tuple(state["forfeits"])
        numbers = [deals, *forfeits]
        if list(sums) != list(self.sums) or any(len(sums[name]) != len(self.sums[name]) for name in sums):
            raise MextrainError(f"its sums are not {', '.join(self.sums)}")
        exact = {name: tuple(Sum(*pair) for pair in each) for name, each in sums.items()}
        numbers += [number for each in exact.values() for pair in each for number in pair]
        counts = {str(key): tuple(each) for key, each in orders.items()}
        numbers += [number for each in counts.values() for number in each]
        if any(type(number) is not int for number in numbers) or deals < 0 or len(forfeits) != len(self.policies):
            raise MextrainError("its counts are not whole numbers, or not one for each policy")
        if any(len(each) != BATCHES for each in counts.values()):
            raise MextrainError(f"its orders have not {BATCHES} counts each")
        return replace(self, deals=deals, sums=exact, orders=counts, forfeits=forfeits)

    def rows(self) -> list[dict[str, Any]]:
        """Return a flat dict for each policy, for a data frame: the fields of `Rank`, each with low and high."""
        return [flat_row(rank._asdict()) for rank in self.ranks()]

    def __repr__(self) -> str:
        return f"<Tournament of {len(self.policies)} policies: {self.games:,} games, {self.rules.preset_name}>"

    def _repr_html_(self) -> str:
        rows = (
            (place, rank.policy, number_text(rank.points), number_text(rank.against), percent_text(rank.won))
            for place, rank in enumerate(self.ranks(), 1)
        )
        caption = f"{self.rules.describe()}: {self.games:,} games; (…) are 95 % intervals, a deal being the unit"
        return html_table(caption, ("", "policy", "points a round", "less the others", "matches won"), rows)

    def __str__(self) -> str:
        return self.text()

    def text(self, width: int = 100, *, ratings: bool = False) -> str:
        """Return the tables for people; where they would be wider than `width` columns, intervals are left out.

        With `ratings` they show the ratings, or why there are none.
        """
        seatings = {len(group.seatings) for group in self._groups()}
        meeting = "every two policies meet" if self.format == "pairs" else "all policies at one table"
        rated, why = self._rated() if ratings else ({}, "")
        lines = [
            *wrapped(self.rules.describe(), width),
            f"{meeting}; {self.deals:,} deals, each in {seatings.pop()} seatings: {self.games:,} games",
            "(…) are 95 % intervals, a deal being the unit; differences deal by deal",
            "",
            *self._rank_lines(rated, width),
        ]
        lines += ["", *self._cross_lines(width)] if len(self.policies) > 2 else []
        lines += ["", *self._pair_lines(width)]
        if rated and len(self.policies) == 2:
            lines += ["", *wrapped(self._elo_line(rated), width)]
        if why:
            lines += ["", *wrapped(why, width)]
        verdict = self._verdict_line()
        return "\n".join([*lines, *(["", *wrapped(verdict, width)] if verdict else [])])

    def _rated(self) -> tuple[dict[str, Estimate], str]:
        """Return the ratings by policy, and why there are none."""
        try:
            return {each.policy: each.rating for each in self.ratings()}, ""
        except MissingExtra as error:
            return {}, f"no ratings: {error}"
        except MextrainError as error:
            return {}, str(error)

    def _rank_lines(self, rated: Mapping[str, Estimate], width: int) -> list[str]:
        forfeits = dict(zip(self.policies, self.forfeits, strict=True))
        head = list(map(Cell.of, ("", "policy", "points a round", *(["rating"] if rated else []))))
        head += [Cell("less the others", "less others"), Cell.of("matches won")]
        head += [Cell.of("forfeits")] if any(self.forfeits) else []
        rows = [head]
        for place, rank in enumerate(self.ranks(), 1):
            row = [Cell.of(str(place)), _name_cell(rank.policy), _cell(rank.points)]
            row += [_whole_cell(rated[rank.policy])] if rated else []
            row += [_cell(rank.against), Cell(percent_text(rank.won), f"{100 * rank.won.value:.2f} %")]
            row += [Cell.of(str(forfeits[rank.policy]))] if any(self.forfeits) else []
            rows.append(row)
        return fitted(rows, width, right=1)

    def _cross_lines(self, width: int) -> list[str]:
        """The crosstable: points of the row's policy less those of the column's one, in the order of the ranks."""
        names = [rank.policy for rank in self.ranks()]
        found = {(pair.first, pair.second): pair.difference.value for pair in self.pairs()}
        found |= {(second, first): -value for (first, second), value in found.items()}
        title = Cell("row less column", "")
        rows = [[Cell.of(""), title, *(Cell.of(str(place)) for place in range(1, len(names) + 1))]]
        for place, name in enumerate(names, 1):
            cells = [
                Cell.of("·") if name == other else Cell(f"{found[name, other]:.2f}", f"{found[name, other]:.0f}")
                for other in names
            ]
            rows.append([Cell.of(str(place)), Cell(_cut(name), _cut(name, 6)), *cells])
        return fitted(rows, width, "  " if len(names) < 9 else " ", right=1)

    def _pair_lines(self, width: int) -> list[str]:
        rows = [[Cell.of(text) for text in ("two policies", "first less second", "matches won")]]
        for pair in self.pairs():
            won = f"{100 * pair.first_won.value:.1f} : {100 * pair.second_won.value:.1f} %"
            names = f"{_cut(pair.first)} : {_cut(pair.second)}"
            rows.append([Cell(f"{pair.first} : {pair.second}", names), _cell(pair.difference), Cell.of(won)])
        return fitted(rows, width)

    def _elo_line(self, rated: Mapping[str, Estimate]) -> str:
        (better, high), (worse, low) = rated.items()
        difference = high.value - low.value
        share = 100 / (1 + 10 ** (-difference / 400))
        # The two ratings are the same number with opposite signs.
        reach = "" if high.low is None else f" ({2 * high.low:.0f} … {2 * (high.high or 0):.0f})"
        return (
            f"Elo: {better} is {difference:.0f}{reach} points above {worse}; a seat of it finishes ahead of a seat of "
            f"the other in {share:.1f} %"
        )

    def _verdict_line(self) -> str:
        verdict, stopping = self.verdict(), self.stopping
        if verdict is None or stopping.test is None:
            return ""
        first, second = self.policies
        sides = [
            f"{first} gains {bound:g} point{'' if bound == 1 else 's'} a round {'or more' if side else 'or less'} "
            f"on {second}"
            for side, bound in enumerate(stopping.test)
        ]
        ratio = f"log likelihood ratio {verdict.ratio:.2f}, bounds ±{verdict.bound:.2f}, {self.deals:,} deals"
        told = f"sequential test, errors {100 * stopping.error:g} %"
        if verdict.hypothesis is None:
            return f"{told}: not decided between “{sides[0]}” and “{sides[1]}” ({ratio})"
        accepted, rejected = sides[verdict.hypothesis], sides[1 - verdict.hypothesis]
        return f"{told}: accepted “{accepted}”, rejected “{rejected}” ({ratio})"


def plain(found: Rank | Pair | Rating) -> dict[str, Any]:
    """Return a row as a JSON object."""
    values = found._asdict()
    return {name: value.to_dict() if isinstance(value, Estimate) else value for name, value in values.items()}


def _cell(estimate: Estimate) -> Cell:
    return Cell(number_text(estimate), f"{estimate.value:.2f}")


def _whole_cell(estimate: Estimate) -> Cell:
    """Return a cell for a rating; decimals would pretend to be exact."""
    short = f"{estimate.value:.0f}"
    if estimate.low is None or estimate.high is None:
        return Cell.of(short)
    return Cell(f"{short} ({estimate.low:.0f} … {estimate.high:.0f})", short)


def _name_cell(name: str) -> Cell:
    return Cell.of(_cut(name))


def _cut(name: str, width: int = NAME_WIDTH) -> str:
    return name if len(name) <= width else name[: width - 1] + "…"
