"""`search`: the best move of a seat that cannot see everything (docs/search.md)."""

from __future__ import annotations

import time
from typing import Any, Unpack

import numpy as np

from mextrain._support.integers import whole
from mextrain.bulk.callbacks import Batch
from mextrain.bulk.compiled import VALUE, address_of
from mextrain.bulk.seat_policies import Seats
from mextrain.bulk.simulate import check_workers
from mextrain.errors import MextrainError, PolicyError, PositionError, nearest, shown
from mextrain.game.moves import Move
from mextrain.game.rules import RuleSet
from mextrain.game.seeding import check_seed
from mextrain.hidden.knowledge import PublicRecord, check_seat
from mextrain.position import Position
from mextrain.searches.bench import Knowledge
from mextrain.searches.evaluate import move_results
from mextrain.searches.flat import new_sums
from mextrain.searches.outcome import Outcome
from mextrain.searches.result import SearchResult
from mextrain.searches.searcher import searcher
from mextrain.searches.settings import (
    BLOCK,
    MAX_BLOCK,
    MAX_PLAYOUTS,
    NO_FUTURES,
    Prior,
    Settings,
    Tuning,
    Value,
    check_method,
    usual_drop,
)
from mextrain.study.match_futures import futures
from mextrain_core.search.leaves import MAX_VALUE
from mextrain_core.search.utility import UTILITIES

USUAL_PLAYOUTS = 1000
"""The budget if no limit is given."""
MAX_TREES = 64
MAX_THREADS = 64
"""More workers than this are no faster."""
MAX_SECONDS = 1e7
MAX_ERRORS = 1e6


def search(
    position: Position,
    seat: int | None = None,
    *,
    playouts: int | None = None,
    seconds: float | None = None,
    until: float | None = None,
    method: str = "flat",
    policy: Any = "counting",
    utility: str = "margin",
    seed: int = 0,
    workers: int | None = 1,
    **tuning: Unpack[Tuning],
) -> SearchResult:
    """Search for the best move of the seat to move, and return what was found about every legal move.

    Only what the seat knows is used: two positions in which it has seen the same give the same result. The moves are
    tried in sampled worlds, and every round is played out by `policy`: a built-in policy or a compiled function, or one
    for each seat.

    `method`: `flat` tries all moves in the same worlds and chooses the best mean; `improve` does the same, but begins
    with the move of `counting` and changes it only for one that is clearly better (docs/search.md); `tree` grows a
    tree in which every seat looks for its own best. A name with a budget is fine too: `improve:400`.

    Limits, of which the first that is reached ends the search: `playouts` (1000 if no limit is given), `seconds`, and
    `until`, the number of standard errors by which the best move must lead all others. A move that is behind the best
    by more than `drop` paired errors (1.0, and 2.0 for more than 1000 play-outs) gets no more; with None all moves get
    as many. `trees` (1) are grown apart and added up, so that as many `workers` can work on them. `block` (16) is the
    number of worlds in a block. `value` replaces play-outs: a function that gets a `Batch` of positions, each as the
    seat to move sees it, and returns the expected points of every seat when the round ends, float[len(batch), players];
    or a compiled function that does so for one position (docs/search.md). `prior` says before the search which moves
    look good, in place of `counting`: a function that gets a `Batch` with the decision alone and returns a number for
    every legal move, float[len(batch.moves)].

    `utility` is what the seat maximises: `margin` (the mean points of the others less its own), `points` (few of its
    own), `rank` (few seats with fewer) or `match` (its chance to have the lowest total of the match; `totals` are the
    points of the seats in the rounds before). The result depends neither on `workers` nor, without `seconds`, on the
    clock.

    `seat` is a check: the seat that is expected to move. Raises `PositionError` if another seat moves, if no decision
    is due, and for a position without history; `PolicyError`, `SeedError` or `MextrainError` for other arguments.
    """
    began = time.perf_counter()
    unknown = next((key for key in tuning if key not in Tuning.__annotations__), None)
    if unknown is not None:
        raise TypeError(f"search() got an unexpected keyword argument {unknown!r}")
    name, named = check_method(method)
    if named is not None and playouts is not None:
        raise MextrainError(f"playouts = {shown(playouts)} and method = {shown(method)}: give one number of play-outs")
    limit = named if playouts is None else playouts
    if limit is None and seconds is None and until is None:
        limit = USUAL_PLAYOUTS
    seat = _seat_to_move(position, seat)
    rules = position.rules
    seats = _playout_seats(policy, rules.players)
    budget = None if limit is None else _count(limit, "playouts", MAX_PLAYOUTS)
    drop = tuning.get("drop", usual_drop(budget))
    value, address = _value(tuning.get("value"), rules)
    settings = Settings(
        method=name,
        playouts=budget,
        ids=seats.ids,
        addresses=seats.addresses,
        utility=_utility(utility),
        drop=None if drop is None else _positive(drop, "drop", MAX_ERRORS),
        until=None if until is None else _positive(until, "until", MAX_ERRORS),
        seconds=None if seconds is None else _positive(seconds, "seconds", MAX_SECONDS),
        trees=_count(tuning.get("trees", 1), "trees", MAX_TREES),
        block=_count(tuning.get("block", BLOCK), "block", MAX_BLOCK),
        value=value,
        value_address=address,
        prior=_prior(tuning.get("prior"), rules, name),
        futures=_futures(position, utility, tuning.get("totals")),
        workers=min(check_workers(workers), MAX_THREADS),
    )
    seed = check_seed(seed)
    legal = position.legal_moves()
    if len(legal) == 1:
        outcome = Outcome(np.array([legal[0].code], np.uint16), new_sums(1, rules.players), 0, 0, 0, 0, "forced")
    else:
        public = PublicRecord(position)
        log = public.log, len(public.log)
        knowledge = Knowledge(position._states, 0, public.tables, public.evidence, *log, seat)
        outcome = searcher(rules, settings).run(knowledge, seed)
    best = Move.from_code(int(outcome.moves[outcome.best]))
    texts = (rules.actions.text(move) for move in (best, *map(Move.from_code, outcome.line)))
    return SearchResult(
        rules=rules,
        seat=seat,
        best=best,
        moves=tuple(move_results(rules, outcome, settings)),
        line=tuple(texts),
        playouts=int(outcome.sums.playouts.sum()),
        worlds=outcome.worlds,
        blocks=outcome.blocks,
        nodes=outcome.nodes,
        seed=seed,
        method=name,
        policy=",".join(dict.fromkeys(seats.names)) if len(set(seats.names)) == 1 else ",".join(seats.names),
        utility=utility,
        ended=outcome.ended,
        seconds=time.perf_counter() - began,
    )


def _playout_seats(policy: Any, players: int) -> Seats:
    """Return who plays the rounds out. Raises `PolicyError` for a policy that only Python can call."""
    seats = Seats.of(policy, players)
    if any(seats.callbacks):
        where = next(name for name, callback in zip(seats.names, seats.callbacks, strict=True) if callback)
        raise PolicyError(
            f"the policy {shown(where)} cannot play rounds out: expected a built-in policy or a compiled function"
        )
    return seats


def _value(value: Any, rules: RuleSet) -> tuple[Value | None, int]:
    """Return the function of the caller as the search calls it, or the address of a compiled one."""
    if value is None:
        return None, 0
    address = address_of(value, VALUE)
    if address:
        return None, address
    if not callable(value):
        raise MextrainError(f"value = {shown(value)}: expected None, a function of a Batch or a compiled function")

    def evaluate(
        views: np.ndarray, seats: np.ndarray, words: np.ndarray, offsets: np.ndarray, moves: np.ndarray
    ) -> np.ndarray:
        answer = value(Batch(rules, views, seats, words, offsets, moves))
        shape = (len(seats), rules.players)
        try:
            found = np.asarray(answer, np.float64)
        except (TypeError, ValueError):
            found = np.empty(0)
        if found.shape != shape or not (np.abs(found) <= MAX_VALUE).all():
            raise PolicyError(
                f"a value function returned {shown(answer)}: expected points, at most {MAX_VALUE:,}, as float{shape}"
            )
        return found

    return evaluate, 0


def _prior(prior: Any, rules: RuleSet, method: str) -> Prior | None:
    """Return the function of the caller as the search calls it."""
    if prior is None:
        return None
    if not callable(prior):
        raise MextrainError(f"prior = {shown(prior)}: expected None or a function of a Batch")
    if method == "tree":
        raise MextrainError("a tree takes no prior: expected the method flat or improve")

    def opinion(
        views: np.ndarray, seats: np.ndarray, words: np.ndarray, offsets: np.ndarray, moves: np.ndarray
    ) -> np.ndarray:
        answer = prior(Batch(rules, views, seats, words, offsets, moves))
        try:
            found = np.asarray(answer, np.float64)
        except (TypeError, ValueError):
            found = np.empty(0)
        if found.shape != moves.shape or not np.isfinite(found).all():
            raise PolicyError(f"a prior returned {shown(answer)}: expected a number for each of {len(moves)} moves")
        return found

    return opinion


def _futures(position: Position, utility: str, totals: object) -> np.ndarray:
    """Return possible points of the seats in all other rounds of the match, if `utility` asks for them."""
    if utility != "match":
        if totals is not None:
            raise MextrainError(f"totals = {shown(totals)}: only the utility match asks for totals")
        return NO_FUTURES
    return futures(position, totals)


def _seat_to_move(position: Position, seat: object) -> int:
    if not isinstance(position, Position):
        raise PositionError(f"position = {shown(position)}: expected a Position")
    if position.over:
        raise PositionError("there is nothing to search: the round is over")
    if position.pending_draw:
        raise PositionError(f"there is nothing to search: a draw is due, make it first ({position.pending_draw})")
    to_move = position.seat
    assert to_move is not None
    if seat is not None and check_seat(position, seat) != to_move:
        raise PositionError(f"seat {shown(seat)} has no decision to search: seat {to_move} is on move")
    return to_move


def _utility(utility: object) -> int:
    if not isinstance(utility, str) or utility not in UTILITIES:
        hint = nearest(utility, UTILITIES)
        raise MextrainError(f"utility = {shown(utility)}: expected one of {', '.join(UTILITIES)}{hint and '; '}{hint}")
    return UTILITIES.index(utility)


def _count(value: object, name: str, most: int) -> int:
    number = whole(value)
    if number is None or not 1 <= number <= most:
        raise MextrainError(f"{name} = {shown(value)}: expected a whole number 1 … {most:,}")
    return number


def _positive(value: object, name: str, most: float) -> float:
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool) and 0 < value <= most:
        return float(value)
    raise MextrainError(f"{name} = {shown(value)}: expected a number greater than 0, at most {most:,.0f}")
