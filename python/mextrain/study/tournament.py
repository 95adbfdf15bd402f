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

`mextrain.study.standings` has the result, `mextrain.study.stopping` the rules that end a tournament, and
`mextrain.study.saved_rounds` the files.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from mextrain.bots.process import POOL
from mextrain.bulk.bot_player import FORFEITS
from mextrain.bulk.positions import rounds_of
from mextrain.bulk.results import Rounds
from mextrain.bulk.seat_policies import Seats
from mextrain.bulk.simulate import (
    Interrupted,
    Player,
    Progress,
    Simulation,
    check_games,
    check_progress,
    check_workers,
    interruptible,
    simulate,
)
from mextrain.bulk.stats import Sum, exact_sums
from mextrain.errors import MextrainError, PolicyError, one_line, shown
from mextrain.game.rules import RuleSet, check_rules
from mextrain.game.seeding import check_game, check_seed
from mextrain.game.winners import winners
from mextrain.study.orders import count_orders, merged
from mextrain.study.saved_rounds import SavedRounds
from mextrain.study.seatings import FORMATS, Group, groups_of, pairs_of
from mextrain.study.standings import Tournament
from mextrain.study.stopping import StopRule, check_stop

USUAL_POLICIES = ("random", "heaviest", "cautious", "planner")
"""The default: as many policies as a table of four has seats."""

MAX_NAME = 60
"""Longest name of a bot that is kept, in characters."""

CHUNK_SECONDS = 1.0
"""Target duration of a chunk of deals; Ctrl-C loses at most about this much work."""


class _Job(NamedTuple):
    """What is played: a deal of it is always the same games."""

    rules: RuleSet
    names: tuple[str, ...]
    entrants: list[Any]
    format: str
    seed: int
    first_game: int

    def groups(self) -> list[Group]:
        return groups_of(self.format, len(self.names), self.rules.players)

    def nothing(self, stopping: StopRule) -> Tournament:
        """Return the result of no deals."""
        pairs = len(list(pairs_of(self.groups())))
        count = len(self.names)
        sizes = {"points": count, "against": count, "won": count, "difference": pairs, "first_won": pairs}
        sums = {name: (Sum(0, 0),) * size for name, size in {**sizes, "second_won": pairs}.items()}
        what = (self.rules, self.names, self.format, self.seed, self.first_game)
        return Tournament(*what, 0, sums, {}, (0,) * count, stopping)


class _Until(NamedTuple):
    """How long, and how."""

    deals: int
    stopping: StopRule
    workers: int
    progress: Progress | None


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
    stop: StopRule | None = None,
    out: Any = None,
) -> Tournament:
    """Play `policies` against each other on the same deals with rotated seats, and return the result.

    `policies`: two or more in any form that `simulate` takes (a sequence, or a text with commas), or a mapping from
    names to policies. `deals`: the number of games of `seed` to deal, from `first_game` on; each is played in every
    seating of the `format`, `pairs` or `table`. The result does not depend on `workers`. `progress` is called with
    (games finished, games wanted), a few times per second.

    `stop`: a rule that ends the tournament before `deals`; `Tournament.verdict` says what its test has accepted.
    `out`: a file that gets the records of all rounds; `resume_tournament` goes on with it.

    Ctrl-C raises `Interrupted` with the result of the finished deals. Raises the same errors as `simulate`, and
    `PolicyError` or `MextrainError` for too few policies, an unknown format or a rule that cannot be meant, `OSError`.
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
    stopping = check_stop(stop, len(entrants))
    job = _Job(rules, names, entrants, format, seed, int(first_game))
    result = job.nothing(stopping)
    wanted = _Until(deals, stopping, workers, progress)
    if out is None:
        return _played(job, result, wanted, None)
    _warm_up(job)
    saved = SavedRounds.create(out, _state(job, result, wanted))
    with saved.held():
        return _played(job, result, wanted, saved)


@interruptible()
def resume_tournament(
    file: Any,
    *,
    deals: int | None = None,
    stop: StopRule | None = None,
    workers: int | None = 1,
    progress: Progress | None = None,
) -> Tournament:
    """Go on with the tournament that was saved with `out=file`; the result is that of one run.

    Without `deals` and `stop` it goes on to where the last run was to end. Otherwise these say where to stop now, as
    for `tournament`: `deals` is the number of all deals, those of earlier runs included, and the default is the number
    that was wanted last.

    Raises `MextrainError` if there is no such tournament, or if it has more than `deals` deals, `OSError`, and what
    `tournament` raises.
    """
    check_progress(progress)
    workers = check_workers(workers)
    saved = SavedRounds.open(file)
    job, result, before = _read_state(saved)
    stopping = before.stopping if deals is None and stop is None else check_stop(stop, len(job.names))
    total = before.deals if deals is None else check_games(deals, job.first_game, "deals")
    if total < result.deals:
        raise MextrainError(f"deals = {total}: the file has {result.deals:,} deals already, so ask for more")
    with saved.held():
        return _played(job, replace(result, stopping=stopping), _Until(total, stopping, workers, progress), saved)


def _warm_up(job: _Job) -> None:
    """Compile everything before the progress clock starts."""
    for group in job.groups():
        seats = Seats.of([job.entrants[index] for index in group.seatings[0]], job.rules.players)
        Player(job.rules, seats, job.seed).warm_up()


def _played(job: _Job, result: Tournament, wanted: _Until, saved: SavedRounds | None) -> Tournament:
    """Play on from `result`."""
    _warm_up(job)
    groups = job.groups()
    seatings = [seating for group in groups for seating in group.seatings]
    per_deal = [group.seats() * job.rules.rounds for group, _, _ in pairs_of(groups)]
    start, step = result.deals, 1
    done = bool(start and wanted.stopping and wanted.stopping.reached(result.sums["difference"], start, per_deal))
    try:
        while start < wanted.deals and not done:
            part = min(step, wanted.deals - start)
            began = time.perf_counter()
            played: list[tuple[tuple[int, ...], Simulation]] = []
            failed: list[tuple[int, int]] = []
            for seating in seatings:
                finished = start * len(seatings) + len(played) * part
                FORFEITS.take()
                rounds = simulate(
                    job.rules,
                    games=part,
                    seed=job.seed,
                    policies=[job.entrants[index] for index in seating],
                    workers=wanted.workers,
                    first_game=job.first_game + start,
                    progress=wanted.progress and _shifted(wanted.progress, finished, wanted.deals * len(seatings)),
                    record_actions=saved is not None,
                )
                failed += [(game - job.first_game - start, seating[seat]) for game, seat in FORFEITS.take()]
                played.append((seating, rounds))
            observed = _observed(job.rules, groups, len(job.names), played)
            stop = wanted.stopping.within(result.sums["difference"], start, observed["difference"], per_deal)
            done = stop is not None
            kept = stop or part
            result = _added(job, result, kept, observed, played, failed)
            if saved is not None:
                saved.add(_records(job, kept, played), _state(job, result, wanted))
            start += kept
            step = max(1, min(8 * part, int(part * CHUNK_SECONDS / max(time.perf_counter() - began, 1e-9))))
    except KeyboardInterrupt:
        raise Interrupted(result if result.deals else None) from None
    return result


def _added(
    job: _Job,
    result: Tournament,
    kept: int,
    observed: Mapping[str, np.ndarray],
    played: Sequence[tuple[tuple[int, ...], Simulation]],
    failed: Sequence[tuple[int, int]],
) -> Tournament:
    """Return the result with the first `kept` of the deals that were played."""
    sums = {
        name: tuple(a.plus(b) for a, b in zip(result.sums[name], exact_sums(each[:kept]), strict=True))
        for name, each in observed.items()
    }
    games = [(seating, rounds.range(0, kept)) for seating, rounds in played]
    orders = merged(result.orders, count_orders(job.rules, job.groups(), games, result.deals))
    lost = Counter(policy for deal, policy in failed if deal < kept)
    forfeits = tuple(before + lost[policy] for policy, before in enumerate(result.forfeits))
    return replace(result, deals=result.deals + kept, sums=sums, orders=orders, forfeits=forfeits)


def _records(
    job: _Job, kept: int, played: Sequence[tuple[tuple[int, ...], Simulation]]
) -> Iterator[str]:
    """Yield the records of the first `kept` deals: by deal, seating and round, with the policies by seat."""
    for deal in range(kept):
        for seating, games in played:
            policies = [job.names[index] for index in seating]
            for position in rounds_of(games, deal):
                yield json.dumps({**position.record(), "policies": policies}, ensure_ascii=False)


def _state(job: _Job, result: Tournament, wanted: _Until) -> dict[str, Any]:
    """Return everything that a later run needs, as a JSON object. Raises `PolicyError`."""
    policies = [Seats.of([policy], 1).stored_names()[0] for policy in job.entrants]
    return {
        "rules": job.rules.to_dict(),
        "policies": policies,
        "names": list(job.names),
        "seatings": job.format,
        "seed": job.seed,
        "first_game": job.first_game,
        "wanted": {"deals": wanted.deals, **vars(wanted.stopping)},
        **result.state(),
    }


def _read_state(saved: SavedRounds) -> tuple[_Job, Tournament, _Until]:
    """Return what is played, the result so far, and how long the last run was to go on."""
    state = saved.state
    try:
        rules, names = RuleSet.from_dict(state["rules"]), tuple(map(str, state["names"]))
        entrants, wanted = list(map(str, state["policies"])), dict(state["wanted"])
        seed, first_game = check_seed(state["seed"]), check_game(state["first_game"], "first_game")
        job = _Job(rules, names, entrants, str(state["seatings"]), seed, int(first_game))
        deals = check_games(wanted.pop("deals"), first_game, "deals")
        stopping = check_stop(StopRule(**wanted), len(names))
        result = job.nothing(stopping).with_state(state)
    except (KeyError, TypeError, ValueError) as error:
        what = one_line(f"{type(error).__name__}: {error}")
        raise MextrainError(f"the state of {one_line(str(saved.path))} cannot be read: {what}") from None
    return job, result, _Until(deals, stopping, 1, None)


def _entrants(policies: Sequence[Any] | Mapping[str, Any] | str) -> tuple[tuple[str, ...], list[Any]]:
    """Return the names, all different, and the policies."""
    if isinstance(policies, Mapping):
        found = list(policies.values())
    else:
        if not isinstance(policies, Iterable):
            raise PolicyError(f"policies = {shown(policies)}: expected two or more, or a mapping of names to policies")
        found = policies.split(",") if isinstance(policies, str) else list(policies)
    names = [_name(policy) for policy in found]
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


def _name(policy: Any) -> str:
    """Return the name of a policy; a bot says it itself."""
    seats = Seats.of([policy], 1)
    command = seats.commands[0]
    return seats.names[0] if command is None else one_line(POOL.name(command), MAX_NAME)


def _observed(
    rules: RuleSet, groups: Sequence[Group], policies: int, played: Sequence[tuple[tuple[int, ...], Rounds]]
) -> dict[str, np.ndarray]:
    """Return all compared quantities of each deal, int64[deals, n]; the seatings of a deal are added up."""
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
    return columns | {name: np.stack(each, axis=1) for name, each in pairs.items()}


def _shifted(progress: Progress, done: int, games: int) -> Callable[[int, int], None]:
    return lambda more, _: progress(done + more, games)
