"""House rules compared on equal deals: what a rule changes, and whom it favours (docs/statistics.md).

Game i of a seed is played under every set of rules, by the same policies. If policies differ, it is played in every
rotation of their seats. The deal, with all its rounds and rotations, is the unit of observation. Differences are taken
within each deal, so what comes from the luck of the tiles cancels out. All sums are exact integers.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mextrain._support.html import html_table
from mextrain._support.tables import Cell, fitted, wrapped
from mextrain.bulk.results import OUT, Rounds
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
from mextrain.bulk.stats import Estimate, Sum, exact_sums, flat_row
from mextrain.errors import MextrainError, shown
from mextrain.game.rules import RuleSet, check_rules
from mextrain.game.seeding import check_game, check_seed
from mextrain.study.seatings import rotations

CHUNK_SECONDS = 1.0
"""Target duration of a chunk of games; Ctrl-C loses at most about this much work."""

MAX_NAME = 24
"""Width to which names are cut in tables, in columns."""

METHOD = "95 % intervals; the deal, in all its rounds and seatings, is the unit; differences are taken deal by deal"

SHARES = ("blocked", "starter_advantage")
"""Measures that are shares of rounds."""


class Effect(NamedTuple):
    """A measure under the base rules and under a variant; `difference`: the variant less the base."""

    rules: str
    measure: str
    base: Estimate
    variant: Estimate
    difference: Estimate


class _Measure(NamedTuple):
    """Observations int64[games], which are `units` times a round."""

    observed: np.ndarray
    units: int


@dataclass(frozen=True, repr=False)
class RuleComparison:
    """What variants of the rules change, over games `first_game` … `first_game + games - 1` of `seed`.

    `rules`: the base, then the variants, by name. `policies`: by seat. `effects()` is the main result; `str()` shows
    it as text, `to_dict()` and `rows()` have it for programs.
    """

    rules: Mapping[str, RuleSet]
    policies: tuple[str, ...]
    seed: int
    first_game: int
    games: int
    units: Mapping[str, int]
    levels: Mapping[str, Mapping[str, Sum]]
    differences: Mapping[str, Mapping[str, Sum]]

    def effects(self) -> list[Effect]:
        """Return every measure for every variant.

        Means per round: `turns`, `plays`, `draws`, `points` (of a seat), shares of rounds: `blocked`,
        `starter_advantage` (the starter's share of the rounds won, less an equal part). `place N`: points a round of
        the seat that plays as number N in the first turn, less the mean of the others; `seat N` and `policy NAME`: the
        same for a seat, and for the seats of a policy if there are several. Fewer points are better.
        """
        (base_name, base), *variants = self.rules.items()
        found = []
        for name, variant in variants:
            for measure, units in self.units.items():
                level = {
                    which: self.levels[which][measure].mean(self.games, units * rules.rounds)
                    for which, rules in ((base_name, base), (name, variant))
                }
                both = units * base.rounds * variant.rounds
                difference = self.differences[name][measure].mean(self.games, both)
                found.append(Effect(name, measure, level[base_name], level[name], difference))
        return found

    @property
    def seatings(self) -> int:
        """In how many seatings each deal was played."""
        return len(rotations(_kinds(self.policies)))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a JSON object; every estimate has value, low and high."""
        variants: dict[str, dict[str, Any]] = {}
        for effect in self.effects():
            values = {key: getattr(effect, key).to_dict() for key in ("base", "variant", "difference")}
            variants.setdefault(effect.rules, {})[effect.measure] = values
        return {
            "rules": {name: rules.to_dict() for name, rules in self.rules.items()},
            "policies": list(self.policies),
            "seed": self.seed,
            "first_game": self.first_game,
            "games": self.games,
            "method": METHOD,
            "effects": variants,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a flat dict for each effect, for a data frame, with low and high of each estimate."""
        return [flat_row(effect._asdict()) for effect in self.effects()]

    def __repr__(self) -> str:
        names = " : ".join(self.rules)
        return f"<RuleComparison of {self.games:,} games: {names}>"

    def _repr_html_(self) -> str:
        rows = (
            (each.rules, _label(each.measure), _level(each.measure, each.base), _level(each.measure, each.variant),
             _difference(each))
            for each in self.effects()
        )  # fmt: skip
        return html_table(self._what(), ("rules", "measure", "base", "variant", "difference"), rows)

    def __str__(self) -> str:
        return self.text()

    def text(self, width: int = 100) -> str:
        """Return the tables for people, at most `width` wide: all measures of one variant, or a line for each."""
        (_, base), *variants = self.rules.items()
        lines = [*wrapped(base.describe(), width), "compared with"]
        before = base.describe().split("\n")
        for _, rules in variants:
            # The options of many printed rules fill pages, and what is the same need not be said twice.
            told = rules.describe().split("\n")
            told = told[:1] if len(variants) > 1 else [line for line in told if line not in before]
            lines += wrapped("\n".join(told) or "the same rules", width)
        lines += wrapped(self._what(), width)
        if any(_deals(rules) != _deals(base) for _, rules in variants):
            lines += wrapped("the deals are not equal: sets, hands or engines differ", width)
        return "\n".join([*lines, "", *(self._one(width) if len(variants) == 1 else self._several(width))])

    def _what(self) -> str:
        played = "" if self.seatings == 1 else f", each in {self.seatings} seatings"
        return (
            f"{', '.join(dict.fromkeys(self.policies))}; {self.games:,} deals{played}; "
            "± is half of a 95 % interval; differences deal by deal"
        )

    def _one(self, width: int) -> list[str]:
        base, variant = self.rules
        names = (Cell(_cut(name), _cut(name, 12)) for name in (base, variant))
        rows = [[Cell.of(""), *names, Cell.of("difference")]]
        for each in self.effects():
            # If who starts is drawn, seats are alike; the place in the first turn is what matters.
            if not each.measure.startswith("seat "):
                values = (_level(each.measure, each.base), _level(each.measure, each.variant), _difference(each))
                rows.append([Cell.of(_label(each.measure)), *map(Cell.of, values)])
        return fitted(rows, width)

    def _several(self, width: int) -> list[str]:
        shown_here = ("turns", "blocked", "points", "starter_advantage")
        effects = {(each.rules, each.measure): each for each in self.effects()}
        base, *variants = self.rules
        rows = [[Cell.of(text) for text in ("rules", "turns", "blocked", "points", "starter gains")]]
        first = [effects[variants[0], measure] for measure in shown_here]
        rows.append([Cell.of(_cut(base)), *(Cell.of(_level(each.measure, each.base)) for each in first)])
        for name in variants:
            each_of = [effects[name, measure] for measure in shown_here]
            rows.append([Cell.of(_cut(name)), *(Cell(_difference(each), _difference(each, False)) for each in each_of)])
        return [*fitted(rows, width), "below the first line: differences from it"]


@interruptible()
def compare_rules(
    base: RuleSet,
    variants: RuleSet | Sequence[RuleSet] | Mapping[str, RuleSet],
    *,
    games: int,
    seed: int = 0,
    policies: Any = "random",
    workers: int | None = 1,
    first_game: int = 0,
    progress: Progress | None = None,
) -> RuleComparison:
    """Play games `first_game` … of `seed` under `base` and under each of `variants`, and return what changes.

    `variants`: rules for as many players as `base`, one or several, or a mapping from names to rules. `policies`: as
    for `simulate`; if they differ, every deal is played in every rotation of the seats. The result does not depend on
    `workers`. `progress` is called with (games finished, games wanted), a few times per second.

    Ctrl-C raises `Interrupted` with the result of the finished deals. Raises the same errors as `simulate`, and
    `MextrainError` for variants that cannot be compared.
    """
    check_rules(base)
    check_progress(progress)
    seed, first_game = check_seed(seed), check_game(first_game, "first_game")
    games, workers = check_games(games, first_game), check_workers(workers)
    named = _named(base, variants)
    seats = Seats.of(policies, base.players)
    turns = rotations(_kinds(seats.names))
    owners = dict(zip(_kinds(seats.names), seats.owners, strict=True))
    tables = [Seats.of([owners[kind] for kind in turn], base.players) for turn in turns]
    for rules in named.values():
        Player(rules, tables[0], seed).warm_up()
    total = games * len(named) * len(turns)
    result: RuleComparison | None = None
    start, step = 0, 1
    try:
        while start < games:
            part = min(step, games - start)
            began = time.perf_counter()
            done = start * len(named) * len(turns)
            measured = []
            for rules in named.values():
                played = []
                for table in tables:
                    played.append(
                        simulate(
                            rules, games=part, seed=seed, policies=table, workers=workers,
                            first_game=first_game + start,
                            progress=progress and _shifted(progress, done, total),
                        )
                    )  # fmt: skip
                    done += part
                measured.append(_measures(played, turns, seats.names))
            result = _added(result, named, seats.names, (seed, int(first_game), part), measured)
            start += part
            step = max(1, min(8 * part, int(part * CHUNK_SECONDS / max(time.perf_counter() - began, 1e-9))))
    except KeyboardInterrupt:
        raise Interrupted(result) from None
    assert result is not None
    return result


def _named(base: RuleSet, variants: object) -> dict[str, RuleSet]:
    """Return the base and the variants by name. Raises `MextrainError`."""
    if isinstance(variants, RuleSet):
        variants = [variants]
    if not isinstance(variants, (Mapping, Sequence)) or isinstance(variants, (str, bytes)) or not variants:
        raise MextrainError(f"variants = {shown(variants)}: expected rules, a list of them, or a mapping from names")
    listed = list(variants.values()) if isinstance(variants, Mapping) else list(variants)
    for rules in listed:
        if not isinstance(rules, RuleSet):
            raise MextrainError(f"variants has {shown(rules)}: expected a RuleSet")
        if rules.players != base.players:
            raise MextrainError(
                f"variants has rules for {rules.players} players, the base for {base.players}: take equal numbers"
            )
    names = list(map(str, variants)) if isinstance(variants, Mapping) else [_difference_text(base, r) for r in listed]
    found = {base.preset_name: base}
    for name, rules in zip(names, listed, strict=True):
        number = 2
        unique = name
        while unique in found:
            unique, number = f"{name}#{number}", number + 1
        found[unique] = rules
    return found


def _difference_text(base: RuleSet, rules: RuleSet) -> str:
    """Return a name for rules: their preset if it is another one, and the options that differ from the base."""
    options, usual = rules.to_dict(), base.to_dict()
    words = [] if rules.preset_name == base.preset_name else [rules.preset_name]
    words += [f"{key}={value}" for key, value in options.items() if key != "preset" and usual.get(key) != value]
    return " ".join(words) or "the same"


def _kinds(policies: Sequence[str]) -> tuple[int, ...]:
    """Return the policy of each seat as a number; equal names are one policy."""
    return tuple(list(dict.fromkeys(policies)).index(name) for name in policies)


def _deals(rules: RuleSet) -> tuple[object, ...]:
    """What decides the tiles of every hand, besides the seed."""
    return rules.tile_set, rules.hand_size, rules.engines, rules.engine_from


def _measures(
    played: Sequence[Rounds], turns: Sequence[tuple[int, ...]], policies: Sequence[str]
) -> dict[str, _Measure]:
    """Return all observations, added up over the rounds and seatings of a deal."""
    players, seatings = played[0].players, len(played)
    names = list(dict.fromkeys(policies))
    columns: dict[str, np.ndarray] = {}

    def add(name: str, values: np.ndarray) -> None:
        columns[name] = columns[name] + values if name in columns else values.astype(np.int64)

    for rounds, turn in zip(played, turns, strict=True):
        for name in ("turns", "plays", "draws"):
            add(name, getattr(rounds, name).sum(axis=1, dtype=np.int64))
        points, out = rounds.points, rounds.end == OUT
        sums = points.sum(axis=2)
        add("points", sums.sum(axis=1))
        add("blocked", (~out).sum(axis=1))
        add("starter_advantage", (players * (rounds.winner == rounds.starter) - out).sum(axis=1))
        first = rounds.starter.astype(np.int64)[:, :, None]
        for place in range(players):
            own = np.take_along_axis(points, (first + place) % players, axis=2)[:, :, 0]
            add(f"place {place + 1}", (players * own - sums).sum(axis=1))
        for seat in range(players):
            add(f"seat {seat}", (players * points[:, :, seat] - sums).sum(axis=1))
        if len(names) > 1:
            for kind, name in enumerate(names):
                count = turn.count(kind)
                own = points[:, :, [seat for seat in range(players) if turn[seat] == kind]].sum(axis=2)
                add(f"policy {name}", (players * own - count * sums).sum(axis=1))
    units = dict.fromkeys(columns, seatings)
    units["points"] *= players
    units["starter_advantage"] *= players
    for name in columns:
        if name.startswith(("place ", "seat ")):
            units[name] *= players - 1
        if name.startswith("policy "):
            count = policies.count(name.removeprefix("policy "))
            units[name] *= count * (players - count)
    return {name: _Measure(values, units[name]) for name, values in columns.items()}


def _added(
    result: RuleComparison | None,
    rules: Mapping[str, RuleSet],
    policies: tuple[str, ...],
    range_: tuple[int, int, int],
    measured: Sequence[Mapping[str, _Measure]],
) -> RuleComparison:
    """Return the result with more games; `range_`: seed, the first game of all, the number of new games."""
    seed, first_game, games = range_
    names = list(rules)
    base = rules[names[0]]
    levels = {
        name: {key: exact_sums(each.observed[:, None])[0] for key, each in found.items()}
        for name, found in zip(names, measured, strict=True)
    }
    differences = {}
    for name, found in zip(names[1:], measured[1:], strict=True):
        differences[name] = {
            key: exact_sums(
                (base.rounds * each.observed - rules[name].rounds * measured[0][key].observed)[:, None]
            )[0]
            for key, each in found.items()
        }
    if result is not None:
        levels, differences = _plus(levels, result.levels), _plus(differences, result.differences)
        games += result.games
    units = {key: each.units for key, each in measured[0].items()}
    return RuleComparison(rules, policies, seed, first_game, games, units, levels, differences)


def _plus(new: Mapping[str, Mapping[str, Sum]], old: Mapping[str, Mapping[str, Sum]]) -> dict[str, dict[str, Sum]]:
    return {name: {key: each.plus(old[name][key]) for key, each in sums.items()} for name, sums in new.items()}


def _shifted(progress: Progress, done: int, total: int) -> Progress:
    return lambda more, _: progress(done + more, total)


def _label(measure: str) -> str:
    kind, _, which = measure.partition(" ")
    if kind == "place":
        return f"{_ordinal(int(which))} to play less the others"
    if kind in ("seat", "policy"):
        return f"{_cut(measure if kind == 'seat' else which, 16)} less the others"
    named = {"blocked": "blocked rounds", "starter_advantage": "starter advantage"}
    return named.get(measure, f"{measure} a round")


def _ordinal(number: int) -> str:
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number, 'th')}"


def _level(measure: str, estimate: Estimate) -> str:
    return f"{100 * estimate.value:.2f} %" if measure in SHARES else f"{estimate.value:.2f}"


def _difference(effect: Effect, reach: bool = True) -> str:
    """Return a difference as text, such as `+3.52 ± 0.31`."""
    estimate, unit = effect.difference, 100 if effect.measure in SHARES else 1
    text = f"{unit * estimate.value:+.2f}"
    if reach and estimate.high is not None:
        text += f" ± {unit * (estimate.high - estimate.value):.2f}"
    return text + (" %" if unit == 100 else "")


def _cut(name: str, width: int = MAX_NAME) -> str:
    return name if len(name) <= width else name[: width - 1] + "…"
