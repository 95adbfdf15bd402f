"""Bulk play: many games, on threads, into arrays.

Game `i` of a seed is always the same game, whatever the number of workers and however the games are divided among them.
Kernels release the GIL and run in slices of about 0.05 s, so threads use all processors and Ctrl-C takes effect
quickly.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mextrain._support.integers import whole
from mextrain._support.lazy import cached_property
from mextrain._support.memory import room_for
from mextrain._support.processors import usable_processors
from mextrain.bulk.backend import choose_backend
from mextrain.bulk.bot_player import BotPlayer
from mextrain.bulk.callback_player import CallbackPlayer
from mextrain.bulk.compiled import Watch
from mextrain.bulk.results import FAILED, FAULT, Rounds
from mextrain.bulk.seat_policies import Seats
from mextrain.bulk.stats import Summary
from mextrain.cluster.names import check_cluster
from mextrain.errors import IllegalMove, InternalError, MextrainError, PolicyError, SeedError, one_line, shown
from mextrain.game.rules import RuleSet, check_rules
from mextrain.game.seeding import MAX_GAME, check_game, check_seed
from mextrain_core.bulk.policies import FOREIGN
from mextrain_core.bulk.rollout import SeatPolicies, play_games, play_games_calling
from mextrain_core.lockstep.player import Lockstep
from mextrain_core.model.limits import MAX_DECISIONS
from mextrain_core.model.state import new_states

SLICE_SECONDS = 0.05
"""Target duration of one call into the kernels."""

CALLBACK_SLICE_SECONDS = 0.4
"""The same for Python callbacks, which are more efficient when more games wait for them at once."""

SURVEY_ROUNDS = 1 << 20
"""Rounds that `survey` holds in memory at the same time."""

Progress = Callable[[int, int], None]
"""Called with (games finished, games wanted) from time to time, from the thread that called `simulate`."""


@dataclass(frozen=True, eq=False)
class Simulation(Rounds):
    """The games `first_game` … `first_game + games - 1` of `seed`, played by `policies` (by seat).

    The arrays are those of `Rounds`: `points`, `winner`, `end`, `starter`, `turns`, `plays`, `draws`, `decisions` by
    (game, round[, seat]), and `totals` by (game, seat). `hash` is a 64-bit sum over all rounds. It depends only on the
    games, and the hash of two ranges of games is the sum of their hashes modulo 2**64. `actions`: uint16, the 16-bit
    moves of all rounds, concatenated, or None if they were not recorded. `backend` is the backend that played, `scalar`
    or `lockstep`.
    """

    rules: RuleSet
    seed: int
    first_game: int
    policies: tuple[str, ...]
    hash: int
    backend: str
    actions: np.ndarray | None = None

    @property
    def game(self) -> np.ndarray:
        """The number of each game: uint64[games]."""
        return np.arange(self.first_game, self.first_game + self.games, dtype=np.uint64)

    @cached_property
    def offsets(self) -> np.ndarray:
        """Index of the first move of each round in `actions`: int64[games, rounds]."""
        ends = np.cumsum(self.decisions, dtype=np.int64).reshape(self.games, self.rounds)
        offsets: np.ndarray = ends - self.decisions
        return offsets

    def actions_of(self, game: int, number: int) -> np.ndarray:
        """Return the moves of round `number` of the game with index `game` in this object (a view, uint16).

        Raises `MextrainError` if no moves were recorded, and for a game or round that is out of range.
        """
        for name, value, size in (("game", game, self.games), ("number", number, self.rounds)):
            index = whole(value)
            if index is None or not 0 <= index < size:
                raise MextrainError(f"{name} = {shown(value)}: expected 0 … {size - 1}")
        if self.actions is None:
            raise MextrainError("these games were played without recording moves: pass record_actions=True")
        start = self.offsets[game, number]
        return self.actions[start : start + self.decisions[game, number]]

    def summary(self) -> Summary:
        """Return means and shares with 95 % intervals; printing it shows a table."""
        return Summary.of(self.rules, self.policies, self)

    def __repr__(self) -> str:
        last = self.first_game + self.games - 1
        return f"<Simulation of {self.rules.preset_name}, seed {self.seed}, games {self.first_game} … {last}>"


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during bulk play; `finished` holds what was completed before it, or None.

    `finished` is a `Simulation` of the first games requested (from `simulate`), a `Summary` (from `survey`) or a
    `mextrain.archive.Archive` (from `write_archive`).
    """

    def __init__(self, finished: Any) -> None:
        self.finished = finished
        super().__init__("interrupted")


@contextmanager
def interruptible() -> Iterator[None]:
    """Turn every Ctrl-C into an `Interrupted`, with `finished` None unless the code inside sets it."""
    try:
        yield
    except Interrupted:
        raise
    except KeyboardInterrupt:
        raise Interrupted(None) from None


class Player:
    """Plays ranges of games on one thread and learns how many games fill a slice of `SLICE_SECONDS`.

    `backend` is the value that `choose_backend` returned.
    """

    def __init__(self, rules: RuleSet, seats: Seats, seed: int, backend: str = "scalar") -> None:
        self._rules = rules
        self._seats = seats
        self._seed = seed
        self._states = new_states(2)
        self._callback_player: CallbackPlayer | BotPlayer | None = None
        if seats.asks_python:
            self._callback_player = (BotPlayer if any(seats.commands) else CallbackPlayer)(rules, seats, seed)
        self._lockstep = Lockstep(rules.record, seats.ids) if backend == "lockstep" else None
        self.slice = 1

    def warm_up(self) -> None:
        """Compile the kernels, or load them from the cache, in this thread.

        A pool thread cannot be interrupted while it compiles, and several threads would compile the same code at once.
        """
        if self._lockstep:
            self._lockstep.prepare()
        else:
            if self._callback_player:
                self._callback_player.warm_up()
            self._run(0, Rounds.empty(0, self._rules.rounds, self._rules.players), np.empty(0, np.uint16))

    def play(self, first_game: int, rounds: Rounds, actions: np.ndarray) -> tuple[int, int]:
        """Play `rounds.games` games into `rounds`, and their moves into `actions` (uint16; empty: not recorded).

        Returns (hash, number of moves). `actions` must have room for `MAX_DECISIONS` moves per round. Raises
        `InternalError` if the backend reports a fault, `IllegalMove` if a user's policy returns an illegal move, and
        `PolicyError` if a compiled policy reports a failure or raises an exception that C cannot pass on.
        """
        began = time.perf_counter()
        play = self._callback_player.play if self._callback_player else self._run
        if self._seats.has_foreign:
            with Watch() as watch:
                result = play(first_game, rounds, actions)
            self._check_raised(watch.raised)
        else:
            result = play(first_game, rounds, actions)
        if rounds.games:
            self._check(first_game, rounds)
            self._learn(rounds.games, time.perf_counter() - began)
        return result

    def _run(self, first_game: int, rounds: Rounds, actions: np.ndarray) -> tuple[int, int]:
        if self._lockstep:
            return self._lockstep.play(
                self._seed, first_game, rounds.games, rounds.points, rounds.facts, actions
            )
        job = (np.uint64(self._seed), np.uint64(first_game), rounds.games, rounds.points, rounds.facts, actions)
        seats, record = self._seats, self._rules.record
        result: tuple[int, int]
        if seats.builtin:
            result = play_games(self._states, 0, record, seats.ids, *job)
        else:
            result = play_games_calling(self._states, 0, record, SeatPolicies(seats.ids, seats.addresses), *job)
        return result

    def _learn(self, games: int, seconds: float) -> None:
        # One slow slice (a busy machine, a first call) must not shrink all later ones, nor a fast one grow them.
        aim = CALLBACK_SLICE_SECONDS if self._callback_player else SLICE_SECONDS
        fitting = int(games * aim / max(seconds, 1e-9))
        self.slice = max(1, min(fitting, 8 * self.slice))

    def _check_raised(self, error: BaseException | None) -> None:
        """Raise `PolicyError` if a compiled policy has raised an exception; its return value is then meaningless."""
        if error is None:
            return
        names = zip(self._seats.names, self._seats.ids, strict=True)
        compiled = " or ".join(sorted({name for name, number in names if number == FOREIGN}))
        raised = one_line(f"{type(error).__name__}: {error}")
        raise PolicyError(f"the compiled policy {one_line(compiled)} raised {raised}") from error

    def _check(self, first_game: int, rounds: Rounds) -> None:
        if (rounds.end >= FAULT).any():
            game, number = (int(k) for k in np.argwhere(rounds.end >= FAULT)[0])
            seat = int(rounds.winner[game, number])
            if rounds.end[game, number] == FAILED:
                raise PolicyError(
                    f"the compiled policy {self._seats.names[seat]} of seat {seat} failed (it returned a negative "
                    f"number) in round {number} of game {first_game + game}, seed {self._seed}"
                )
            if seat >= 0:
                raise IllegalMove(
                    f"the compiled policy {self._seats.names[seat]} of seat {seat} returned a move that is not legal "
                    f"in round {number} of game {first_game + game}, seed {self._seed}"
                )
            raise InternalError(
                f"the backend did not finish round {number} of game {first_game + game}, seed {self._seed}, "
                f"rules {self._rules.to_dict()}: please report this line"
            )


@interruptible()
def simulate(
    rules: RuleSet,
    *,
    games: int,
    seed: int = 0,
    policies: Any = "random",
    workers: int | None = 1,
    first_game: int = 0,
    progress: Progress | None = None,
    record_actions: bool = False,
    backend: str = "auto",
) -> Simulation:
    """Play `games` games (matches of `rules.rounds` rounds) and return their results.

    `policies` is one policy for all seats or a sequence with one for each seat; `Seats.of` lists the possible forms: a
    name, a compiled function, a `BatchPolicy` or a plain function. `workers` is the number of threads; None uses one
    for each processor available to this process. The result does not depend on it. `first_game` is the number of the
    first game. `record_actions` keeps every move, about 130 bytes per round on top of the 28 bytes plus 8 bytes per
    seat that each round always takes. `progress` is called a few times per second. `backend` is `scalar`, `lockstep` or
    `auto`, which takes the backend that finishes first; the result does not depend on it.

    Ctrl-C raises `Interrupted`, a `KeyboardInterrupt` that carries the games finished so far. Raises `SeedError`,
    `PolicyError` or `MextrainError` for arguments out of range, `InternalError` for a fault in the core.
    """
    check_rules(rules)
    seed, first_game, games = check_seed(seed), check_game(first_game, "first_game"), check_games(games, first_game)
    check_progress(progress)
    seats = Seats.of(policies, rules.players)
    workers = check_workers(workers)
    with room_for("games", games, "play them in parts, or call survey, which keeps only statistics"):
        table = Rounds.empty(games, rules.rounds, rules.players)
    backend = choose_backend(backend, rules, seats, games * rules.rounds // workers)
    Player(rules, seats, seed, backend).warm_up()
    job = _Job(rules, seats, seed, first_game, table, record_actions, backend)
    interrupted = run_threads(
        job.work, min(workers, games), job.stop, lambda: progress and progress(job.done, games)
    )
    result = job.result()
    if interrupted:
        raise Interrupted(result if result.games else None)
    if progress:
        progress(games, games)
    return result


@interruptible()
def survey(
    rules: RuleSet,
    *,
    games: int,
    seed: int = 0,
    policies: Any = "random",
    workers: int | None = 1,
    first_game: int = 0,
    progress: Progress | None = None,
    backend: str = "auto",
    cluster: str | None = None,
) -> Summary:
    """Return `simulate(...).summary()` for any number of games in bounded memory.

    `cluster`, `"ray"` or `"ray://ADDRESS"`, plays them in parts on a Ray cluster; the result is the same. `workers` is
    not used then, and policies must have names. Ctrl-C raises `Interrupted` with the summary of the games finished so
    far. Raises the same errors as `simulate`, `MissingExtra` without Ray, and `MextrainError` for a cluster that cannot
    be used.
    """
    check_rules(rules)
    seed, first_game, games = check_seed(seed), check_game(first_game, "first_game"), check_games(games, first_game)
    check_progress(progress)
    check_cluster(cluster)
    seats = Seats.of(policies, rules.players)
    if cluster is not None:
        from mextrain.bulk.on_cluster import survey_on_cluster

        check_workers(workers)
        wanted = Games(rules, seats.stored_names(), seed, first_game, games, backend)
        return survey_on_cluster(cluster, wanted, progress)
    backend = choose_backend(backend, rules, seats, games * rules.rounds // check_workers(workers))
    step = max(1, SURVEY_ROUNDS // rules.rounds)
    total: Summary | None = None

    def add(part: Simulation) -> Summary:
        return part.summary() if total is None else total + part.summary()

    for start in range(0, games, step):
        try:
            part = simulate(
                rules,
                games=min(step, games - start),
                seed=seed,
                policies=seats,
                workers=workers,
                first_game=first_game + start,
                progress=progress and _shifted(progress, start, games),
                backend=backend,
            )
            total = add(part)
        except Interrupted as stopped:
            raise Interrupted(
                add(stopped.finished) if isinstance(stopped.finished, Simulation) else total
            ) from None
        except KeyboardInterrupt:
            raise Interrupted(total) from None
    assert total is not None
    return total


class Games(NamedTuple):
    """Games to play: the arguments of `survey`, validated. `policies` are names."""

    rules: RuleSet
    policies: tuple[str, ...]
    seed: int
    first_game: int
    games: int
    backend: str


def _shifted(progress: Progress, start: int, games: int) -> Progress:
    return lambda done, _: progress(start + done, games)


def check_progress(progress: object) -> None:
    """Raise `MextrainError` unless the argument is callable or None."""
    if progress is not None and not callable(progress):
        raise MextrainError(f"progress = {shown(progress)}: expected None or a function of (games done, games wanted)")


def check_games(games: object, first_game: int, name: str = "games") -> int:
    """Return the number of games as an int, at least 1; `name` is the name of the argument.

    Raises `MextrainError` if the games extend past the last possible game.
    """
    number = check_game(games, name)
    if number == 0:
        raise MextrainError(f"{name} = 0: ask for 1 or more")
    if first_game + number - 1 > MAX_GAME:
        raise SeedError(f"games {first_game} … {first_game + number - 1} go past the last one, 2**59 - 1")
    return number


def check_workers(workers: object) -> int:
    """Return the number of threads to use; None means one per available processor. Raises `MextrainError`."""
    if workers is None:
        return usable_processors()
    number = whole(workers)
    if number is None or number < 1:
        raise MextrainError(f"workers = {shown(workers)}: expected None or a whole number from 1")
    return number


def run_threads(
    work: Callable[[], None], threads: int, stop: threading.Event, tick: Callable[[], object]
) -> bool:
    """Run `work` on `threads` threads until all return, calling `tick` a few times per second; True if interrupted.

    After Ctrl-C, or an error in one thread, `stop` is set. Each `work` checks it between slices and returns.
    The error is then raised here.
    """
    interrupted = False
    futures = []
    with ThreadPoolExecutor(threads, thread_name_prefix="mextrain") as pool:
        try:
            for _ in range(threads):
                futures.append(pool.submit(work))
            pending = set(futures)
            while pending:
                finished, pending = wait(pending, timeout=0.2, return_when="FIRST_EXCEPTION")
                tick()
                if any(future.exception() for future in finished):
                    break
        except KeyboardInterrupt:
            interrupted = True
        finally:
            stop.set()
    for future in futures:
        future.result()
    return interrupted


class _Job:
    """The games of one `simulate` call, assigned to threads in order, slice by slice."""

    def __init__(
        self,
        rules: RuleSet,
        seats: Seats,
        seed: int,
        first_game: int,
        table: Rounds,
        record_actions: bool,
        backend: str,
    ) -> None:
        self.stop = threading.Event()
        self.done = 0
        self._rules, self._seats, self._seed, self._first_game = rules, seats, seed, first_game
        self._table = table
        self._backend = backend
        self._actions: dict[int, np.ndarray] | None = {} if record_actions else None
        self._lock = threading.Lock()
        self._next = 0
        self._hash = 0

    def work(self) -> None:
        """Play slices until none are left or a stop is requested."""
        player = Player(self._rules, self._seats, self._seed, self._backend)
        for start, stop in self._slices(player):
            room = (stop - start) * self._rules.rounds * MAX_DECISIONS if self._actions is not None else 0
            actions = np.empty(room, np.uint16)
            part, moves = player.play(self._first_game + start, self._table.range(start, stop), actions)
            with self._lock:
                self._hash += int(part)
                self.done += stop - start
                if self._actions is not None:
                    self._actions[start] = actions[:moves].copy()

    def _slices(self, player: Player) -> Iterator[tuple[int, int]]:
        while not self.stop.is_set():
            with self._lock:
                start = self._next
                self._next = stop = min(start + player.slice, self._table.games)
            if start == stop:
                return
            yield start, stop

    def result(self) -> Simulation:
        """Return the games played so far.

        Slices are assigned in order and every assigned slice is finished, so these are always the first games.
        """
        rounds = self._table.range(0, self._next)
        actions = None
        if self._actions is not None:
            actions = np.concatenate(
                [np.empty(0, np.uint16), *(part for _, part in sorted(self._actions.items()))]
            )
        return Simulation(
            rounds.points,
            rounds.facts,
            self._rules,
            self._seed,
            self._first_game,
            self._seats.names,
            self._hash & (2**64 - 1),
            self._backend,
            actions,
        )
