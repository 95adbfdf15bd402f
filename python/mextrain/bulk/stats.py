"""Statistics of many games: exact sums that merge without loss, and estimates with 95 % intervals.

Games are independent. The rounds of one game may not be: the starter may rotate, or be the winner of the last round.
So the game is the unit of observation: for every quantity, the sum over the rounds of a game is one observation.

* A mean is (sum over all games) / (number of rounds); all games have the same number of rounds.
* Its interval is mean ± 1.96 · s / √games, where s is the standard deviation of the per-game means.
* A share has a Wilson interval for the effective number of trials that gives the same standard error. Such an interval
  stays within 0 … 1 and is not empty if the event never, or always, happened.

1.96 is the normal quantile, so with a few dozen games or fewer the intervals are too narrow. With one game there are no
intervals. The sums and the sums of squares are Python integers: nothing is rounded before the final division.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from mextrain._support.html import html_table
from mextrain._support.tables import Cell, counted, fitted, wrapped
from mextrain.bulk.results import OUT, Rounds
from mextrain.errors import MextrainError, shown
from mextrain.game.rules import RuleSet
from mextrain.game.winners import winners

Z = NormalDist().inv_cdf(0.975)
"""The normal quantile for a 95 % interval, 1.96."""

HISTOGRAM_ROWS = 24
"""Maximum number of rows of a histogram."""

BAR_WIDTH = 40
"""Width of the longest bar of a histogram, in columns."""

MAX_NAME = 16
"""Width to which the name of a policy is cut where there is no room, in columns."""

METHOD = (
    "95 % intervals; the game is the unit (standard error between games); normal for means, "
    "Wilson with the effective number of trials for shares"
)


class Estimate(NamedTuple):
    """A mean or share and its 95 % interval; `low` and `high` are None if there is only one game."""

    value: float
    low: float | None
    high: float | None

    def to_dict(self) -> dict[str, float | None]:
        """Return the estimate as a JSON object."""
        return self._asdict()


class Sum(NamedTuple):
    """The sum over games of a per-game quantity, and the sum of its squares; both are exact."""

    total: int
    squares: int

    def plus(self, other: Sum) -> Sum:
        """Return the sum over both sets of games."""
        return Sum(self.total + other.total, self.squares + other.squares)

    def mean(self, games: int, per_game: int) -> Estimate:
        """Return total / (games · per_game) with the interval of a mean; `per_game`: units in a game."""
        value = self.total / (games * per_game)
        error = self._error(games, per_game)
        return (
            Estimate(value, None, None)
            if error is None
            else Estimate(value, value - Z * error, value + Z * error)
        )

    def share(self, games: int, per_game: int) -> Estimate:
        """Return the share of `games` · `per_game` trials in which the event happened, with the interval of a share."""
        trials = games * per_game
        value = self.total / trials
        error = self._error(games, per_game)
        if error is None:
            return Estimate(value, None, None)
        effective = value * (1 - value) / error**2 if error > 0 and 0 < value < 1 else trials
        centre = (value + Z**2 / (2 * effective)) / (1 + Z**2 / effective)
        reach = (
            Z
            * math.sqrt(value * (1 - value) / effective + Z**2 / (4 * effective**2))
            / (1 + Z**2 / effective)
        )
        # Rounding must not push an end past the value itself if the event never, or always, happened.
        return Estimate(value, min(value, max(0.0, centre - reach)), max(value, min(1.0, centre + reach)))

    def _error(self, games: int, per_game: int) -> float | None:
        """Return the standard error of the mean; None with one game."""
        if games < 2:
            return None
        # The numerator is an exact integer, so there is no cancellation.
        variance = (games * self.squares - self.total**2) / (games * (games - 1))
        return math.sqrt(variance / games) / per_game


class _Seat(NamedTuple):
    """The row of a seat."""

    policy: str
    points: Estimate
    round_won: Estimate
    match_won: Estimate


@dataclass(frozen=True, repr=False)
class Summary:
    """Summary statistics of many games with the same rules and policies; `a + b` merges two sets of games exactly.

    `games`: number of games. `sums`: by name, one `Sum`, or one for each seat. `turn_counts`: number of rounds by
    number of turns. The methods turn these into estimates. `str()` is a table for people; `to_dict()` has the same
    content for programs. The module docstring explains the intervals.
    """

    rules: RuleSet
    policies: tuple[str, ...]
    games: int
    sums: Mapping[str, tuple[Sum, ...]]
    turn_counts: Mapping[int, int]

    @classmethod
    def of(cls, rules: RuleSet, policies: Sequence[str], rounds: Rounds) -> Summary:
        """Return the summary of `rounds`, which were played under `rules` by `policies` (by seat)."""
        turns, counts = np.unique(rounds.turns, return_counts=True)
        sums = {name: exact_sums(columns) for name, columns in _quantities(rules, rounds).items()}
        turn_counts = dict(zip(turns.tolist(), counts.tolist(), strict=True))
        return cls(rules, tuple(policies), rounds.games, sums, turn_counts)

    def __add__(self, other: Summary) -> Summary:
        if not isinstance(other, Summary):
            return NotImplemented
        if (self.rules, self.policies) != (other.rules, other.policies):
            raise MextrainError(
                "summaries of different rules or policies cannot be merged: compare them instead"
            )
        sums = {
            name: tuple(a.plus(b) for a, b in zip(mine, other.sums[name], strict=True))
            for name, mine in self.sums.items()
        }
        turn_counts = dict(sorted((Counter(self.turn_counts) + Counter(other.turn_counts)).items()))
        return Summary(self.rules, self.policies, self.games + other.games, sums, turn_counts)

    @property
    def rounds(self) -> int:
        """Number of rounds in all games."""
        return self.games * self.rules.rounds

    def points(self) -> list[Estimate]:
        """Mean points per round, by seat."""
        return self._means("points")

    def round_wins(self) -> list[Estimate]:
        """Share of rounds that each seat won by going out, by seat; with `blocked` they sum to 1."""
        return [each.share(self.games, self.rules.rounds) for each in self.sums["rounds_won"]]

    def match_wins(self) -> list[Estimate]:
        """Share of matches that each seat won alone, by seat; with `match_ties` they sum to 1."""
        return [each.share(self.games, 1) for each in self.sums["matches_won"]]

    def match_ties(self) -> Estimate:
        """Share of matches that several seats win together."""
        return self.sums["matches_tied"][0].share(self.games, 1)

    def blocked(self) -> Estimate:
        """Share of blocked rounds."""
        return self.sums["blocked"][0].share(self.games, self.rules.rounds)

    def starter_wins(self) -> Estimate:
        """Share of rounds that the starter won."""
        return self.sums["starter_won"][0].share(self.games, self.rules.rounds)

    def starter_advantage(self) -> Estimate:
        """The starter's share of won rounds, minus an equal share (one per player) of all rounds that were won."""
        return self.sums["starter_edge"][0].mean(self.games, self.rules.rounds * self.rules.players)

    def per_round(self, name: str) -> Estimate:
        """Mean of `turns`, `plays`, `draws` or `decisions` per round."""
        return self._means(name)[0]

    def turns_within(self, share: float) -> int:
        """The smallest number of turns that was not exceeded in at least `share` of the rounds."""
        reached = itertools.accumulate(self.turn_counts.values())
        turns = zip(self.turn_counts, reached, strict=True)
        return next(number for number, rounds in turns if rounds >= share * self.rounds)

    def _means(self, name: str) -> list[Estimate]:
        return [each.mean(self.games, self.rules.rounds) for each in self.sums[name]]

    def to_dict(self) -> dict[str, Any]:
        """Return all estimates as a JSON object; every estimate has value, low and high."""
        return {
            "rules": self.rules.to_dict(),
            "policies": list(self.policies),
            "games": self.games,
            "rounds": self.rounds,
            "method": METHOD,
            "seats": [
                {
                    "seat": seat,
                    "policy": policy,
                    "points_per_round": points.to_dict(),
                    "round_win_share": won.to_dict(),
                    "match_win_share": match.to_dict(),
                }
                for seat, (policy, points, won, match) in enumerate(self._seats())
            ],
            "blocked_share": self.blocked().to_dict(),
            "match_tie_share": self.match_ties().to_dict(),
            "starter_win_share": self.starter_wins().to_dict(),
            "starter_advantage": self.starter_advantage().to_dict(),
            **{f"{name}_per_round": self.per_round(name).to_dict() for name in _PER_ROUND},
            "turn_counts": {str(turns): rounds for turns, rounds in self.turn_counts.items()},
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a flat dict for each seat, for a data frame: `seat`, `policy`, and value, low and high of means."""
        return [flat_row({"seat": seat, **row._asdict()}) for seat, row in enumerate(self._seats())]

    def __repr__(self) -> str:
        rules = self.rules
        return f"<Summary of {counted(self.games, 'game')}: {rules.preset_name}, {rules.players} players>"

    def _repr_html_(self) -> str:
        rows = (
            (seat, row.policy, number_text(row.points), percent_text(row.round_won), percent_text(row.match_won))
            for seat, row in enumerate(self._seats())
        )
        caption = f"{self.rules.describe()}: {self._size()}; (…) are 95 % intervals"
        return html_table(caption, ("seat", "policy", "points a round", "rounds won", "matches won"), rows)

    def _size(self) -> str:
        return f"{counted(self.games, 'game')}, {counted(self.rounds, 'round')}"

    def _seats(self) -> list[_Seat]:
        return list(map(_Seat, self.policies, self.points(), self.round_wins(), self.match_wins()))

    def __str__(self) -> str:
        return self.text()

    def text(self, width: int = 100) -> str:
        """Return the table for people; where it would be wider than `width` columns, intervals are left out."""
        rows = [[Cell.of(head) for head in ("seat", "policy", "points a round", "rounds won", "matches won")]]
        for seat, (policy, points, won, match) in enumerate(self._seats()):
            cut = policy if len(policy) <= MAX_NAME else policy[: MAX_NAME - 1] + "…"
            rows.append(
                [
                    Cell.of(str(seat)),
                    Cell(policy, cut),
                    Cell(number_text(points), f"{points.value:.2f}"),
                    *(Cell(percent_text(share), f"{100 * share.value:.2f} %") for share in (won, match)),
                ]
            )
        edge = f"{percent_text(self.starter_advantage())} above an equal share of those won"
        lines = [
            *wrapped(self.rules.describe(), width),
            f"{self._size()}; (…) are 95 % intervals, a game being the unit",
            "",
            *fitted(rows, width, right=1),
            "",
            f"blocked rounds      {percent_text(self.blocked())}",
            f"tied matches        {percent_text(self.match_ties())}",
            f"starter wins        {percent_text(self.starter_wins())}",
            f"starter advantage   {edge}",
        ]
        lines += [f"{name + ' a round':<20}{number_text(self.per_round(name))}" for name in _PER_ROUND]
        half, most = self.turns_within(0.5), self.turns_within(0.99)
        lines.append(
            f"turns of a round    median {half}, 99 % within {most}, at most {max(self.turn_counts)}"
        )
        return "\n".join(lines)

    def turns_histogram(self) -> str:
        """Return the distribution of turns per round as text: a line with a bar for each group of turn counts."""
        last = max(self.turn_counts)
        step = next(step for step in _STEPS if last // step < HISTOGRAM_ROWS)
        groups: Counter[int] = Counter()
        for turns, rounds in self.turn_counts.items():
            groups[turns // step] += rounds
        most = max(groups.values())
        lines = ["turns of a round   rounds"]
        for group in range(last // step + 1):
            first, rounds = group * step, groups[group]
            span = f"{first}" if step == 1 else f"{first} … {first + step - 1}"
            share = f"{100 * rounds / self.rounds:.2f} %"
            lines.append(f"{span:>16}   {rounds:<13,}{share:<10}{bar(rounds, most)}".rstrip())
        return "\n".join(lines)

    def state(self) -> dict[str, Any]:
        """Return the exact sums as a JSON object, for `from_state`."""
        return {"games": self.games, "sums": self.sums, "turn_counts": list(self.turn_counts.items())}

    @classmethod
    def from_state(cls, rules: RuleSet, policies: Sequence[str], state: Any) -> Summary:
        """Return the summary whose `state` was stored for these rules and policies.

        Types must match exactly, and sums that no games can produce are rejected: raises `MextrainError`.
        """
        if not isinstance(state, dict) or type(state.get("games")) is not int or state["games"] < 1:
            raise MextrainError("its summary is not one: expected an object with a number of games")
        games: int = state["games"]
        sums: Any = state.get("sums")
        turn_counts: Any = state.get("turn_counts")
        columns = {name: array.shape[1] for name, array in _quantities(rules, _nothing(rules)).items()}
        if not isinstance(sums, dict) or list(sums) != list(columns):
            raise MextrainError(f"its summary has not the sums {', '.join(columns)}")
        for name, count in columns.items():
            if not _are_pairs(sums[name]) or len(sums[name]) != count:
                found = shown(sums[name])
                raise MextrainError(f"its summary has {found} for {name}: expected {count} pairs of numbers")
            if any(games * squares < total**2 for total, squares in sums[name]):
                raise MextrainError(f"its summary has sums for {name} that {games:,} games cannot have")
        if not _are_pairs(turn_counts) or sum(rounds for _, rounds in turn_counts) != games * rules.rounds:
            raise MextrainError(f"its summary has not the turns of {games * rules.rounds:,} rounds")
        listed = [turns for turns, _ in turn_counts]
        if listed != sorted({*listed}) or listed[0] < 0 or any(rounds < 1 for _, rounds in turn_counts):
            raise MextrainError("its summary counts turns that no round has")
        exact = {name: tuple(Sum(*each) for each in seats) for name, seats in sums.items()}
        return cls(rules, tuple(policies), games, exact, dict(turn_counts))


_STEPS = [digit * 10**power for power in range(6) for digit in (1, 2, 5)]
"""Numbers of turns that one row of a histogram may cover; a round has fewer than 2**16 turns."""

_PER_ROUND = ("turns", "plays", "draws", "decisions")


def _nothing(rules: RuleSet) -> Rounds:
    """Return the results of no games."""
    return Rounds.empty(0, 1, rules.players)


def _quantities(rules: RuleSet, rounds: Rounds) -> dict[str, np.ndarray]:
    """Return the observations of every game: int64[games, n] by name, n = 1 or one column for each seat."""
    seats = np.arange(rounds.players)
    winner, starter = rounds.winner[:, :, None], rounds.starter[:, :, None]
    best = winners(rules, rounds.points)
    tied = best.sum(axis=1, keepdims=True) > 1
    out = (rounds.end == OUT)[:, :, None]
    starter_won = (winner == starter).sum(axis=1)
    return {
        "points": rounds.totals,
        "rounds_won": (winner == seats).sum(axis=1),
        "matches_won": best & ~tied,
        "matches_tied": tied,
        "blocked": (~out).sum(axis=1),
        "starter_won": starter_won,
        # The starter's wins minus an equal share of the rounds won, times the number of players to make it an integer.
        "starter_edge": rounds.players * starter_won - out.sum(axis=1),
        **{name: getattr(rounds, name).sum(axis=1, dtype=np.int64)[:, None] for name in _PER_ROUND},
    }


def _are_pairs(value: Any) -> bool:
    """Whether `value` is a list of pairs of ints."""
    return isinstance(value, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(type(number) is int for number in pair) for pair in value
    )


def exact_sums(columns: np.ndarray) -> tuple[Sum, ...]:
    """Return the exact sums over games of each column of an integer array [games, n]."""
    values = columns.astype(np.int64)
    largest = max(int(values.max()), -int(values.min()))
    if largest**2 * len(values) < 2**63:
        return tuple(map(Sum, values.sum(axis=0).tolist(), (values * values).sum(axis=0).tolist()))
    # The squares exceed 64 bits only with a very expensive 0-0.
    return tuple(Sum(sum(column), sum(x * x for x in column)) for column in values.T.tolist())


def bar(value: float, most: float) -> str:
    """Return a bar whose length is proportional to `value`; `most` gives BAR_WIDTH columns."""
    return "#" * round(BAR_WIDTH * value / most)


def flat_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row for a data frame: each estimate becomes the columns NAME, NAME_low and NAME_high."""
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Estimate):
            flat |= {name: value.value, f"{name}_low": value.low, f"{name}_high": value.high}
        else:
            flat[name] = value
    return flat


def number_text(estimate: Estimate) -> str:
    """Return an estimate as text, `28.26 (27.90 … 28.62)`."""
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.2f}"
    return f"{estimate.value:.2f} ({estimate.low:.2f} … {estimate.high:.2f})"


def percent_text(estimate: Estimate) -> str:
    """Return the estimate of a share as text, `39.12 % (37.39 … 40.86)`."""
    if estimate.low is None or estimate.high is None:
        return f"{100 * estimate.value:.2f} %"
    return f"{100 * estimate.value:.2f} % ({100 * estimate.low:.2f} … {100 * estimate.high:.2f})"
