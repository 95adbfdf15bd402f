"""Tournaments: which policy plays best, on the same deals in every seating (docs/statistics.md).

A *deal* is everything that game i of a seed deals in all its rounds. Each deal is played once in every seating, so the
luck of tiles and seats is the same for all policies; the differences that remain come from their play. There are two
formats:

* `pairs`: every policy meets every other one. They sit alternately, A B A B, and every rotation of that and of B A B A
  is a seating: 2 with an even number of players, twice the number of players with an odd one.
* `table`: as many policies as players sit at one table, and every rotation is a seating.

Deals are independent; the seatings of one deal are not. So the deal is the unit of observation: every quantity is
summed over the seatings of a deal, and the interval of a mean is mean ± 1.96 · s / √deals, where s is the standard
deviation of the per-deal means. Differences between two policies are taken within each deal first, so their intervals
are narrower than those of the two means. All sums are exact integers (`mextrain.bulk.stats`).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from mextrain._support.html import html_table
from mextrain.bulk.results import Rounds
from mextrain.bulk.seat_policies import Seats
from mextrain.bulk.simulate import (
    Interrupted,
    Player,
    Progress,
    check_games,
    check_progress,
    check_workers,
    interruptible,
    simulate,
)
from mextrain.bulk.stats import Estimate, Sum, exact_sums, flat_row, number_text, percent_text
from mextrain.errors import MextrainError, PolicyError, shown
from mextrain.game.rules import RuleSet, check_rules
from mextrain.game.seeding import check_game, check_seed
from mextrain.game.winners import winners

FORMATS = ("pairs", "table")
"""The ways to assign policies to tables."""

USUAL_POLICIES = ("random", "heaviest", "cautious", "planner")
"""The default: as many policies as a table of four has seats."""

METHOD = (
    "95 % intervals; the deal, in all its seatings, is the unit (standard error between deals); differences are taken "
    "deal by deal; normal for means, Wilson with the effective number of trials for shares"
)

CHUNK_SECONDS = 1.0
"""Target duration of a chunk of deals; Ctrl-C loses at most about this much work."""

NAME_WIDTH = 18
"""Width of a policy's name in tables, in columns; longer names are cut."""


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


class _Group(NamedTuple):
    """Policies that meet, by index, and their seatings: in each seating, a policy for each seat."""

    members: tuple[int, ...]
    seatings: tuple[tuple[int, ...], ...]

    def seats(self) -> int:
        """Number of seats that each member has in all seatings of a deal."""
        return len(self.seatings) * len(self.seatings[0]) // len(self.members)


@dataclass(frozen=True, repr=False)
class Tournament:
    """The result of a tournament over the deals of games `first_game` … `first_game + deals - 1` of `seed`.

    `ranks()` and `pairs()` are the main results. `str()` shows both as text of at most 100 columns; `to_dict()` has the
    same content for programs. The module docstring explains the intervals.
    """

    rules: RuleSet
    policies: tuple[str, ...]
    format: str
    seed: int
    first_game: int
    deals: int
    sums: Mapping[str, tuple[Sum, ...]]

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
        for (group, first, second), (difference, *won) in zip(_pairs(self._groups()), parts, strict=True):
            per_deal = group.seats() * self.rules.rounds
            sides = [(self.policies[index], each.share(self.deals, len(group.seatings))) for index, each in
                     zip((first, second), won, strict=True)]
            if difference.total > 0:
                difference = Sum(-difference.total, difference.squares)
                sides.reverse()
            (better, better_won), (worse, worse_won) = sides
            found.append(Pair(better, worse, difference.mean(self.deals, per_deal), better_won, worse_won))
        return sorted(found, key=lambda pair: pair.difference.value)

    def _groups(self) -> list[_Group]:
        return _groups(self.format, len(self.policies), self.rules.players)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a JSON object; every estimate has value, low and high."""
        return {
            "rules": self.rules.to_dict(),
            "policies": list(self.policies),
            "format": self.format,
            "seed": self.seed,
            "first_game": self.first_game,
            "deals": self.deals,
            "games": self.games,
            "method": METHOD,
            "ranks": [_plain(rank) for rank in self.ranks()],
            "pairs": [_plain(pair) for pair in self.pairs()],
        }

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
        seatings = {len(group.seatings) for group in self._groups()}
        meeting = "every two policies meet" if self.format == "pairs" else "all policies at one table"
        lines = [
            self.rules.describe(),
            f"{meeting}; {self.deals:,} deals, each in {seatings.pop()} seatings: {self.games:,} games",
            "(…) are 95 % intervals, a deal being the unit; differences are taken deal by deal",
            "",
            f"     {'policy':<{NAME_WIDTH}} {'points a round':<24} {'less the others':<25} matches won",
        ]
        for place, rank in enumerate(self.ranks(), 1):
            lines.append(
                f"{place:>3}  {_cut(rank.policy):<{NAME_WIDTH}} {number_text(rank.points):<24} "
                f"{number_text(rank.against):<25} {percent_text(rank.won)}"
            )
        lines += ["", f"     {'two policies':<{2 * NAME_WIDTH + 3}} {'first less second':<25} matches won"]
        for pair in self.pairs():
            names = f"{f'{_cut(pair.first)} : {_cut(pair.second)}':<{2 * NAME_WIDTH + 3}}"
            won = f"{100 * pair.first_won.value:.1f} : {100 * pair.second_won.value:.1f} %"
            lines.append(f"     {names} {number_text(pair.difference):<25} {won}")
        return "\n".join(lines)


@interruptible()
def tournament(
    rules: RuleSet,
    policies: Sequence[Any] | Mapping[str, Any] | str = USUAL_POLICIES,
    *,
    deals: int,
    seed: int = 0,
    format: str = "pairs",
    workers: int | None = 1,
    first_game: int = 0,
    progress: Progress | None = None,
) -> Tournament:
    """Play `policies` against each other on the same deals with rotated seats, and return the result.

    `policies`: two or more in any form that `simulate` takes (a sequence, or a text with commas), or a mapping from
    names to policies. `deals`: the number of games of `seed` to deal, from `first_game` on; each is played in every
    seating of the `format`, `pairs` or `table`. The result does not depend on `workers`. `progress` is called with
    (games finished, games wanted), a few times per second.

    Ctrl-C raises `Interrupted` with the result of the finished deals. Raises the same errors as `simulate`, and
    `PolicyError` or `MextrainError` for too few policies or an unknown format.
    """
    if not isinstance(format, str) or format not in FORMATS:
        raise MextrainError(f"the format {shown(format)} is not known: expected {' or '.join(FORMATS)}")
    check_rules(rules)
    check_progress(progress)
    seed, first_game = check_seed(seed), check_game(first_game, "first_game")
    deals, workers = check_games(deals, first_game, "deals"), check_workers(workers)
    names, entrants = _entrants(policies)
    if format == "table" and len(entrants) != rules.players:
        raise PolicyError(f"{len(entrants)} policies for a table of {rules.players} players: give one for each seat")
    groups = _groups(format, len(entrants), rules.players)
    seatings = sum(len(group.seatings) for group in groups)
    for group in groups:
        # Compile everything before the progress clock starts.
        Player(rules, Seats.of([entrants[index] for index in group.seatings[0]], rules.players), seed).warm_up()
    result: Tournament | None = None
    start, step = 0, 1
    try:
        while start < deals:
            part = min(step, deals - start)
            began = time.perf_counter()
            played: list[tuple[tuple[int, ...], Rounds]] = []
            for seating in (seating for group in groups for seating in group.seatings):
                done = start * seatings + len(played) * part
                rounds = simulate(
                    rules,
                    games=part,
                    seed=seed,
                    policies=[entrants[index] for index in seating],
                    workers=workers,
                    first_game=first_game + start,
                    progress=progress and _shifted(progress, done, deals * seatings),
                )
                played.append((seating, rounds))
            sums = _sums(rules, groups, len(entrants), played)
            if result is not None:
                sums = {
                    name: tuple(a.plus(b) for a, b in zip(result.sums[name], each, strict=True))
                    for name, each in sums.items()
                }
            start += part
            result = Tournament(rules, names, format, seed, int(first_game), start, sums)
            step = max(1, min(8 * part, int(part * CHUNK_SECONDS / max(time.perf_counter() - began, 1e-9))))
    except KeyboardInterrupt:
        raise Interrupted(result) from None
    assert result is not None
    return result


def _entrants(policies: Sequence[Any] | Mapping[str, Any] | str) -> tuple[tuple[str, ...], list[Any]]:
    """Return the names, all different, and the policies."""
    if isinstance(policies, Mapping):
        found = list(policies.values())
    else:
        if not isinstance(policies, Iterable):
            raise PolicyError(f"policies = {shown(policies)}: expected two or more, or a mapping of names to policies")
        found = policies.split(",") if isinstance(policies, str) else list(policies)
    names = [Seats.of([policy], 1).names[0] for policy in found]
    if len(found) < 2:
        raise PolicyError(f"a tournament of {len(found)} policies: give two or more")
    if isinstance(policies, Mapping):
        names = [str(name) for name in policies]
    times: Counter[str] = Counter()
    for place, name in enumerate(names):
        times[name] += 1
        if times[name] > 1:
            names[place] = f"{name}#{times[name]}"
    return tuple(names), found


def _groups(format: str, policies: int, players: int) -> list[_Group]:
    """Return the groups of policies that meet, with their seatings."""
    if format == "table":
        return [_Group(tuple(range(policies)), _rotations(tuple(range(policies))))]
    groups = []
    for first, second in combinations(range(policies), 2):
        there = tuple((first, second)[seat % 2] for seat in range(players))
        back = tuple((second, first)[seat % 2] for seat in range(players))
        groups.append(_Group((first, second), tuple(dict.fromkeys(_rotations(there) + _rotations(back)))))
    return groups


def _rotations(seating: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(seating[turn:] + seating[:turn] for turn in range(len(seating)))


def _pairs(groups: Sequence[_Group]) -> Iterator[tuple[_Group, int, int]]:
    """Yield every two policies that meet, in the order of the sums."""
    for group in groups:
        for first, second in combinations(group.members, 2):
            yield group, first, second


def _sums(
    rules: RuleSet, groups: Sequence[_Group], policies: int, played: Sequence[tuple[tuple[int, ...], Rounds]]
) -> dict[str, tuple[Sum, ...]]:
    """Return the exact sums over deals of all compared quantities; the seatings of a deal are added up first."""
    deals = played[0][1].games
    points, against, won = (np.zeros((deals, policies), np.int64) for _ in range(3))
    pairs: dict[str, list[np.ndarray]] = {"difference": [], "first_won": [], "second_won": []}
    games = iter(played)
    for group in groups:
        group_points, group_won = np.zeros((deals, policies), np.int64), np.zeros((deals, policies), np.int64)
        for _ in group.seatings:
            seating, rounds = next(games)
            totals = rounds.totals
            best = winners(rules, rounds.points)
            leads = np.zeros((deals, policies), np.int64)
            for seat, policy in enumerate(seating):
                group_points[:, policy] += totals[:, seat]
                leads[:, policy] |= best[:, seat]
            group_won += leads * (leads.sum(axis=1, keepdims=True) == 1)
        points += group_points
        won += group_won
        members = list(group.members)
        # The points of a policy times the number of its opponents, minus the points of all opponents.
        everybody = group_points[:, members].sum(axis=1, keepdims=True)
        against[:, members] += len(members) * group_points[:, members] - everybody
        for first, second in combinations(members, 2):
            pairs["difference"].append(group_points[:, first] - group_points[:, second])
            pairs["first_won"].append(group_won[:, first])
            pairs["second_won"].append(group_won[:, second])
    columns = {"points": points, "against": against, "won": won}
    columns |= {name: np.stack(each, axis=1) for name, each in pairs.items()}
    return {name: exact_sums(each) for name, each in columns.items()}


def _shifted(progress: Progress, done: int, games: int) -> Callable[[int, int], None]:
    return lambda more, _: progress(done + more, games)


def _plain(found: Rank | Pair) -> dict[str, Any]:
    values = found._asdict()
    return {name: value.to_dict() if isinstance(value, Estimate) else value for name, value in values.items()}


def _cut(name: str) -> str:
    return name if len(name) <= NAME_WIDTH else name[: NAME_WIDTH - 1] + "…"
