"""`BatchEnv`: many rounds or matches that are stepped together (docs/environments.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from mextrain._support.integers import whole
from mextrain.bulk.compiled import Watch
from mextrain.bulk.seat_policies import Seats
from mextrain.env.callback_seats import CallbackSeats
from mextrain.env.rows import rows_for
from mextrain.env.spec import Options, Spec
from mextrain.errors import IllegalMove, InternalError, MextrainError, PolicyError, one_line, shown
from mextrain.game.moves import Move
from mextrain.game.rules import RuleSet
from mextrain.game.seeding import check_game, check_seed
from mextrain.position import Position
from mextrain_core.env import envs
from mextrain_core.env.evidence import Known
from mextrain_core.env.rows import list_actions
from mextrain_core.env.step import policy_actions, random_actions, step_envs, step_knowing
from mextrain_core.env.views import observe_seat
from mextrain_core.game.events import EVENT
from mextrain_core.game.movegen import legal_moves
from mextrain_core.hidden.evidence import EVIDENCE
from mextrain_core.model.limits import MAX_DECISIONS, NONE
from mextrain_core.model.rng import GOLDEN
from mextrain_core.model.state import FAILED, new_states

MOST_EVENTS = 4096
"""Room for the events between two decisions, at most 5 for each tile of the boneyard and each seat."""

FORMAT = "mextrain-env/1"
"""The name of what `BatchEnv.save` returns."""



class BatchEnv:
    """`n` environments in which outside seats play given actions, and policies play the other seats.

    Environment i plays the games (matches) `first_game + i`, `+ stride`, … of `seed`, each round by round: those that
    `simulate` plays with the same actions.

    The options, with their defaults first:

    | option | values | meaning |
    |---|---|---|
    | `seed`, `first_game` | 0, 0 | which games are played |
    | `stride` | None, an int | None is `n`; more if other batches, such as those of other machines, play other games |
    | `outside` | `"all"`, seats | the seats that `step` gets actions for |
    | `others` | `"cautious"`, policies | those of the other seats, in every form that `simulate` takes |
    | `episode` | `"round"`, `"match"` | what an episode is |
    | `observe` | `"table"`, `"full"`, None | the sections of `Layout` up to `lacks`, all of them, or none |
    | `masks` | True, False | whether to write `mask` |
    | `legal` | None, `"rows"` | whether to list the legal actions with their features |
    | `actions` | `"ids"`, `"rows"` | relative action ids, or indices of legal actions in ascending order, `stop` last |
    | `illegal` | `"raise"`, `"end"` | an illegal action is an error, or ends the episode |
    | `reward` | `"zero_sum"`, `"points"`, `"win"` | mean points of the others minus the own; minus the own; see below |
    | `autoreset` | `"same"`, `"next"`, `"off"` | the step in which the next episode begins, or only with `reset` |
    | `final` | False, True | whether to write `final` |
    | `keep` | False, True | whether to keep the moves of every round, for `position` |
    | `threads` | 1, an int | number of threads; the result does not depend on it |

    `"win"` is 1 for the winner, -1 / (players - 1) for each other seat, and 0 in a blocked round. With `"next"`, the
    step after the end of an episode ignores the action.

    The arrays are made once and written in place by `reset` and `step`; they cannot be written to from outside.

    | array | dtype, shape | meaning |
    |---|---|---|
    | `seat` | uint8[n] | the seat that has to decide |
    | `counts` | uint16[n] | its number of legal actions |
    | `mask` | uint64[n, (A + 63) // 64] | its legal actions as relative ids, packed |
    | `observation` | uint64[n, (bits + 63) // 64] | what it sees, packed |
    | `final` | the same | at the end of an episode: what the outside seat that decided last saw then |
    | `done` | bool[n] | the step ended an episode |
    | `reward` | float32[n, players] | by absolute seat, 0 while no episode ends |
    | `points` | int32[n, players] | of the round that ended last |
    | `game`, `round`, `end` | uint64[n], uint8[n], uint8[n] | of that round; `ENDS` names the ends |
    | `totals` | int32[n, players] | of the finished rounds of the match |
    | `unseen` | uint32[n] | rounds that ended before an outside seat had decided anything |
    | `offsets` | int64[n + 1] | with `legal="rows"`: rows `offsets[i]:offsets[i + 1]` are environment i's actions |
    | `ids`, `moves` | uint16[K] | their relative ids; 16-bit moves |
    | `features` | float32[K, F] | their `ACTION_FEATURES` |
    | `table_features` | float32[n, G] | `TABLE_FEATURES`, for the seat that has to decide |

    After an episode has ended, and before the next one begins, `stop` is the only action, and it is ignored.

    Raises `RuleError`, `SeedError`, `PolicyError` or `MextrainError` for arguments out of range.
    """

    def __init__(self, rules: RuleSet, n: int, **options: Unpack[Options]) -> None:
        self.spec = spec = Spec.of(rules, n, options)
        self._seats = spec.seats()
        self._callbacks = CallbackSeats(spec, self._seats)
        words, of_mask = (spec.bits + 63) // 64, (rules.action_count + 63) // 64
        rows = {"mask": spec.masks, "observation": words > 0, "final": spec.final}
        sizes = {name: spec.n if wanted else 0 for name, wanted in rows.items()}
        self._shown = envs.Shown(
            seat=np.zeros(spec.n, np.uint8),
            counts=np.zeros(spec.n, np.uint16),
            mask=np.zeros((sizes["mask"], of_mask), np.uint64),
            observation=np.zeros((sizes["observation"], words), np.uint64),
            final=np.zeros((sizes["final"], words), np.uint64),
            done=np.zeros(spec.n, np.bool_),
            reward=np.zeros((spec.n, rules.players), np.float32),
            points=np.zeros((spec.n, rules.players), np.int32),
        )
        self._envs = np.zeros(spec.n, envs.ENV)
        codes = rules.actions.codes(np.arange(rules.action_count))
        self._states = new_states(spec.n + spec.threads)
        history = np.zeros((spec.n if spec.keep else 0, MAX_DECISIONS), np.uint16)
        self._batch = envs.Batch(self._states, self._envs, rules.record, spec.config(self._seats), codes, history)
        self._rows = rows_for(spec)
        self._known: Known | None = None
        if spec.observe == "full":
            both = spec.n + spec.threads
            log = np.zeros((spec.threads, MOST_EVENTS), EVENT)
            self._known = Known(new_states(both), np.zeros(both, EVIDENCE), log)
        self._actions = np.zeros(spec.n, np.uint16)
        self._moves = np.zeros(spec.n, np.uint16)
        self._pool: ThreadPoolExecutor | None = None
        self._is_set = False
        shown_arrays = self._shown._asdict()
        self.seat, self.counts, self.done = (_read_only(shown_arrays[name]) for name in ("seat", "counts", "done"))
        self.reward, self.points = _read_only(self._shown.reward), _read_only(self._shown.points)
        self.mask, self.observation, self.final = (
            _read_only(shown_arrays[name]) if size else None for name, size in sizes.items()
        )
        self.game, self.round, self.end, self.unseen = (
            _read_only(self._envs[name]) for name in ("ended_game", "ended_number", "ended_how", "unseen")
        )
        self.offsets, self.table_features = (
            _read_only(array) if spec.legal else None for array in (self._rows.offsets, self._rows.table)
        )
        self.totals = _read_only(self._envs["totals"][:, : rules.players])

    # -- rows

    @property
    def ids(self) -> np.ndarray | None:
        """The legal actions of all environments as relative ids: uint16[K]; None without `legal="rows"`."""
        return self._listed(self._rows.ids)

    @property
    def moves(self) -> np.ndarray | None:
        """The same as 16-bit moves (docs/actions.md), whose trains are absolute: uint16[K]."""
        return self._listed(self._rows.moves)

    @property
    def features(self) -> np.ndarray | None:
        """Their features: float32[K, `len(ACTION_FEATURES)`]."""
        return self._listed(self._rows.features)

    def _listed(self, array: np.ndarray) -> np.ndarray | None:
        return _read_only(array[: self._rows.offsets[-1]]) if self.spec.legal else None

    # -- reset and step

    def reset(self, which: Any = None, *, seed: int | None = None, games: Iterable[Any] | None = None) -> None:
        """Begin new episodes, and play on to the first decision of an outside seat.

        Without arguments all environments begin anew with their first games. `which` (bool[n]) resets only some
        environments: they go on with the next episode. `seed` is another seed from now on. `games` names the next
        episode of every environment that is reset: `(seed, game)`, or `(seed, game, round)` to begin in the middle of a
        match. Raises `MextrainError` or `SeedError`, and then nothing changes.
        """
        chosen = self._which(which)
        if seed is not None:
            seed = check_seed(seed)
        if which is not None and seed is not None:
            raise MextrainError("seed: one seed serves all environments, so reset them all, or name games")
        named = None if games is None else self._named(games, int(chosen.sum()))
        if which is not None and not self._is_set:
            raise MextrainError("which: no episode has begun, so reset all environments")
        records = self._envs
        if which is None:
            self.spec = self.spec if seed is None else replace(self.spec, seed=seed)
            records.view(np.uint8)[:] = 0
            records["seed"] = self.spec.seed
            records["game"] = np.arange(self.spec.n, dtype=np.uint64) + np.uint64(self.spec.first_game)
            records["last_starter"] = records["last_winner"] = NONE
            for array in (self._shown.done, self._shown.reward, self._shown.points, self._shown.final):
                array.fill(0)
        else:
            self._abandon(chosen)
        if named is not None:
            for field, values in zip(("seed", "game", "number"), named, strict=True):
                records[field][chosen] = values
        self._moves[:] = np.where(chosen, envs.DEAL, envs.LEAVE)
        self._is_set = True
        self._run(envs.CLEAR | envs.PLAY | envs.SHOW)

    def step(self, actions: Any) -> None:
        """Play `actions[i]` (an array of ints) in environment i, and on until an outside seat has to decide.

        An action is a relative id (the own train is 0), or with `actions="rows"` the index of a legal action. Raises
        `IllegalMove` for an action that is not legal, and `MextrainError` for arrays of another form; then nothing has
        been stepped. Raises `PolicyError`, `IllegalMove` or `InternalError` if a policy of another seat fails; then
        `reset` begins anew.
        """
        if not self._is_set:
            raise MextrainError("no episode has begun: call reset first")
        play = envs.PLAY_ROWS if self.spec.actions == "rows" else envs.PLAY
        self._run(envs.CHECK | envs.CLEAR | play | envs.SHOW, self._taken(actions))

    # -- actions

    def random_actions(self, seed: int, out: np.ndarray | None = None) -> np.ndarray:
        """Return a random legal action for each environment, uniform: uint16[n], or `out` with them.

        The same `seed` (0 … 2**64 - 1) gives the same random numbers; use another one for each step.
        """
        out = self._out(out)
        key = np.uint64(check_seed(seed) * int(GOLDEN) % 2**64)
        by_row = self.spec.actions == "rows"
        random_actions(self._states, self._envs, self.spec.rules.record, by_row, key, out)
        return out

    def policy_actions(self, policy: Any, out: np.ndarray | None = None) -> np.ndarray:
        """Return the action that a policy chooses for each environment: uint16[n], or `out` with them.

        `policy` is a built-in policy or a compiled function, as for `simulate`. A game in which all outside seats play
        these actions is the one that `simulate` plays with this policy. Raises `PolicyError` for other policies and for
        one that fails.
        """
        out = self._out(out)
        seats = Seats.of(policy, 1)
        if any(seats.callbacks):
            raise PolicyError(f"the policy {shown(policy)} is not compiled: name a built-in policy or a compiled one")
        batch = self._batch
        who = (np.uint64(seats.ids[0]), np.uint64(seats.addresses[0]))
        by_row = self.spec.actions == "rows"
        failed = policy_actions(batch.states, batch.envs, batch.rules, by_row, *who, self.spec.n, out)
        if failed >= 0:
            raise PolicyError(f"the policy {seats.names[0]} chose no legal move: {self._where(int(failed))}")
        return out

    def observation_of(self, i: int, seat: int) -> np.ndarray:
        """Return what any seat sees of environment `i`, packed like `observation`: uint64[words].

        Raises `MextrainError` for an environment or seat that does not exist, and without observations.
        """
        index, number = self._index(i), whole(seat)
        if number is None or not 0 <= number < self.spec.rules.players:
            raise MextrainError(f"seat = {shown(seat)}: expected 0 … {self.spec.rules.players - 1}")
        if self.observation is None or not self._is_set:
            raise MextrainError("there is nothing to see: make the environment with observe, and call reset")
        out = np.zeros(self.observation.shape[1], np.uint64)
        known = None if self._known is None else self._known._replace(log=self._known.log[0])
        observe_seat(self._batch, known, index, self.spec.n, np.uint64(number), out)
        return out

    def is_over(self, i: int) -> bool:
        """Return whether the episode of environment `i` has ended and no other one has begun.

        Raises `MextrainError` for an environment that does not exist.
        """
        return bool(self._envs["status"][self._index(i)] == envs.ENDED)

    def playing(self, i: int) -> tuple[int, int, int]:
        """Return the seed, game and round that environment `i` plays, or that ended if its episode has ended.

        Raises `MextrainError` for an environment that does not exist.
        """
        record = self._envs[self._index(i)]
        if record["status"] == envs.ENDED:
            return int(record["seed"]), int(record["ended_game"]), int(record["ended_number"])
        return int(record["seed"]), int(record["game"]), int(record["number"])

    def position(self, i: int) -> Position:
        """Return the round that environment `i` plays, or that has ended, as a `Position`: for tables and records.

        It is a copy: playing on it changes nothing here. Raises `MextrainError` without `keep=True`.
        """
        index = self._index(i)
        if not self.spec.keep or not self._is_set:
            raise MextrainError("no moves have been kept: make the environment with keep=True, and call reset")
        seed, game, number = self.playing(index)
        rules, asked = self.spec.rules, int(self._envs["asked"][index])
        starter = None if asked == NONE else asked
        position = Position.deal(rules, seed=seed, game=game, engine=rules.engines[number], starter=starter)
        for code in self._batch.history[index, : self._envs["kept"][index]].tolist():
            position.play_unchecked(Move.from_code(code))
        return position

    # -- saving

    def save(self) -> dict[str, Any]:
        """Return everything that `load` needs to continue exactly: a dict of arrays and plain values."""
        saved = {f"shown_{name}": array.copy() for name, array in self._shown._asdict().items()}
        saved |= {name: array.copy() for name, array in self._structs().items()}
        return {"format": FORMAT, "seed": self.spec.seed, "is_set": self._is_set, **saved}

    def load(self, saved: Mapping[str, Any]) -> None:
        """Continue from what `save` returned, of an environment that was made with the same arguments.

        Raises `MextrainError` for anything else, and then nothing changes. Structs are not checked: load only what you
        trust.
        """
        if not isinstance(saved, Mapping) or saved.get("format") != FORMAT:
            raise MextrainError(f"saved = {shown(saved)}: expected what BatchEnv.save returned, format {FORMAT}")
        targets = {f"shown_{name}": array for name, array in self._shown._asdict().items()}
        targets |= self._structs()
        for name, target in targets.items():
            array = saved.get(name)
            if not isinstance(array, np.ndarray) or array.shape != target.shape or array.dtype != target.dtype:
                raise MextrainError(f"saved[{name!r}] does not fit: it is from an environment with other arguments")
        seed = check_seed(saved.get("seed"))
        for name, target in targets.items():
            target[...] = saved[name]
        self.spec, self._is_set = replace(self.spec, seed=seed), bool(saved["is_set"])
        if self._is_set and self.spec.legal:
            self._list()

    def _structs(self) -> dict[str, np.ndarray]:
        """The structs of all environments as bytes: uint8[n × size]."""
        n = self.spec.n
        structs = {"states": self._states[:n], "envs": self._envs, "history": self._batch.history}
        if self._known is not None:
            structs |= {"tables": self._known.tables[:n], "evidence": self._known.evidence[:n]}
        return {name: array.view(np.uint8) for name, array in structs.items()}

    def __getstate__(self) -> dict[str, Any]:
        return {"spec": self.spec, "saved": self.save()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        given = dict(vars(state["spec"]))
        type(self).__init__(self, given.pop("rules"), given.pop("n"), **given)
        self.load(state["saved"])

    def close(self) -> None:
        """End the threads; the next call starts new ones."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def __len__(self) -> int:
        return self.spec.n

    def __repr__(self) -> str:
        rules, seats = self.spec.rules, ", ".join(map(str, self.spec.outside))
        return f"<BatchEnv of {self.spec.n} × {rules.preset_name} for {rules.players} players, outside: {seats}>"

    # -- inside

    def _run(self, stages: int, actions: np.ndarray | None = None) -> None:
        """Run the stages of a step for all environments, and ask the callbacks in between."""
        given = self._actions if actions is None else actions
        if self._callbacks:
            self._stages(stages & ~envs.SHOW, given)
            while self._callbacks.choose(self._batch, self._moves):
                self._stages(envs.PLAY, given)
            self._stages(envs.SHOW, given)
        else:
            self._stages(stages, given)
        if self.spec.legal:
            self._list()

    def _show(self) -> None:
        """Write masks, observations and rows again."""
        self._run(envs.SHOW)

    def _list(self) -> None:
        """Write the rows of legal actions."""
        n, threads = self.spec.n, self.spec.threads
        here = (self._states, self._envs, self.spec.rules.record, self._rows)
        if threads == 1:
            list_actions(*here, 0, n)
            return
        np.cumsum(self._shown.counts, out=self._rows.offsets[1:])
        self._in_threads(lambda lo, hi, k: list_actions(*here, lo, hi))

    def _stages(self, stages: int, actions: np.ndarray) -> None:
        n, threads = self.spec.n, self.spec.threads
        if threads == 1:
            self._judge(self._call(stages, actions, 0, n, n), actions)
            return
        if stages & envs.CHECK:
            # No environment is stepped before the actions of all of them are known to be legal.
            self._judge(self._call(envs.CHECK, actions, 0, n, n), actions)
        results = self._in_threads(lambda lo, hi, k: self._call(stages & ~envs.CHECK, actions, lo, hi, n + k))
        self._judge(next((result for result in results if result != -1), -1), actions)

    def _in_threads(self, work: Callable[[int, int, int], Any]) -> list[Any]:
        """Call `work(lo, hi, k)` for a range of environments on each thread k, and return the results in order."""
        n, threads = self.spec.n, self.spec.threads
        if self._pool is None:
            self._pool = ThreadPoolExecutor(threads, thread_name_prefix="mextrain-env")
        ends = [n * k // threads for k in range(threads + 1)]
        parts = [self._pool.submit(work, ends[k], ends[k + 1], k) for k in range(threads)]
        return [part.result() for part in parts]

    def _call(self, stages: int, actions: np.ndarray, lo: int, hi: int, scratch: int) -> int:
        what = (self._shown, actions, self._moves, np.uint64(stages), lo, hi, scratch)
        if not self._seats.has_foreign:
            return self._step(what)
        with Watch() as watch:
            result = self._step(what)
        if watch.raised is not None:
            self._is_set = False
            raised = one_line(f"{type(watch.raised).__name__}: {watch.raised}")
            raise PolicyError(f"a compiled policy raised {raised}") from watch.raised
        return result

    def _step(self, what: tuple[Any, ...]) -> int:
        if self._known is None:
            return int(step_envs(self._batch, *what))
        known = self._known._replace(log=self._known.log[what[-1] - self.spec.n])
        return int(step_knowing(self._batch, known, *what))

    def _judge(self, result: int, actions: np.ndarray) -> None:
        """Raise the error that a result of the kernel stands for."""
        if result == -1:
            return
        if result >= 0:
            raise IllegalMove(self._illegal(result, actions))
        self._is_set = False
        i = -2 - result
        seat, failed = int(self._states["winner"][i]), int(self._states["end"][i]) == FAILED
        where = self._where(i)
        if seat == NONE:
            rules = self.spec.rules.to_dict()
            raise InternalError(f"a round did not finish: {where}, rules {rules}: please report this line")
        who = f"the compiled policy {self._seats.names[seat]} of seat {seat}"
        if failed:
            raise PolicyError(f"{who} failed (it returned a negative number): {where}")
        raise IllegalMove(f"{who} returned a move that is not legal: {where}")

    def _where(self, i: int) -> str:
        record = self._envs[i]
        return f"round {record['number']} of game {record['game']}, seed {record['seed']}, environment {i}"

    def _illegal(self, i: int, actions: np.ndarray) -> str:
        seat, count = int(self.seat[i]), int(self.counts[i])
        what = f"environment {i}: the action {actions[i]} of seat {seat} is not legal: {self._where(i)}"
        if self.spec.actions == "rows":
            return f"{what}: expected a row 0 … {count - 1}"
        legal = self.legal_ids(i).tolist()
        listed = ", ".join(map(str, legal[:8]))
        return f"{what}: expected one of {count} legal ids ({listed}{', …' if count > 8 else ''})"

    def legal_ids(self, i: int) -> np.ndarray:
        """Return the legal actions of environment `i` as relative ids, in the order of rows: uint16[counts[i]].

        Raises `MextrainError` for an environment that does not exist.
        """
        index = self._index(i)
        if not self._is_set or self._envs["status"][index] != envs.PLAYING:
            return np.array([self.spec.rules.action_count - 1], np.uint16)
        moves = np.empty(int(self.counts[index]) + 1, np.uint16)
        count = legal_moves(self._states, index, self.spec.rules.record, moves)
        actions, seat = self.spec.rules.actions, int(self.seat[index])
        ids = [actions.relative(int(action), seat=seat) for action in actions.ids(moves[:count])]
        return np.array(ids, np.uint16)

    def _index(self, i: object) -> int:
        index = whole(i)
        if index is None or not 0 <= index < self.spec.n:
            raise MextrainError(f"i = {shown(i)}: expected an environment 0 … {self.spec.n - 1}")
        return index

    def _taken(self, actions: Any) -> np.ndarray:
        """Return actions as uint16[n]; numbers that do not fit become 65535, which is never legal."""
        if _fits(actions, self.spec.n):
            return actions  # type: ignore[no-any-return]
        try:
            array = np.asarray(actions)
        except Exception as error:
            raise MextrainError(f"actions = {shown(actions)}: expected {self.spec.n} integers") from error
        if array.shape != (self.spec.n,) or array.dtype.kind not in "ui":
            raise MextrainError(
                f"actions = {shown(actions)}, {array.dtype}{list(array.shape)}: expected {self.spec.n} integers"
            )
        np.copyto(self._actions, array, casting="unsafe")
        self._actions[(array < 0) | (array > 65535)] = 65535
        return self._actions

    def _which(self, which: Any) -> np.ndarray:
        """Return a selection of environments as bool[n]."""
        if which is None:
            return np.ones(self.spec.n, np.bool_)
        if not isinstance(which, np.ndarray) or which.dtype != np.bool_ or which.shape != (self.spec.n,):
            raise MextrainError(f"which = {shown(which)}: expected an array bool[{self.spec.n}], or None for all")
        return which

    def _named(self, games: Any, count: int) -> tuple[list[int], list[int], list[int]]:
        """Return seeds, games and rounds by environment."""
        listed = list(games) if isinstance(games, Iterable) and not isinstance(games, str) else None
        if listed is None or len(listed) != count:
            raise MextrainError(f"games = {shown(games)}: expected {count} pairs (seed, game), or with a round")
        seeds, numbers, rounds = [], [], []
        for each in listed:
            if not isinstance(each, Sequence) or isinstance(each, str) or len(each) not in (2, 3):
                raise MextrainError(f"games: {shown(each)} is not a pair (seed, game), or with a round")
            number = whole(each[2]) if len(each) == 3 else 0
            if number is None or not 0 <= number < self.spec.rules.rounds:
                raise MextrainError(f"games: round = {shown(each[2])}: expected 0 … {self.spec.rules.rounds - 1}")
            seeds.append(check_seed(each[0]))
            numbers.append(check_game(each[1]))
            rounds.append(number)
        return seeds, numbers, rounds

    def _abandon(self, chosen: np.ndarray) -> None:
        """Let environments go on with the next episode; an unfinished match is left."""
        records = self._envs
        left = chosen & (records["status"] == envs.PLAYING)
        records["game"][left] += np.uint64(self.spec.stride)
        for field, value in (("number", 0), ("decided", 0), ("last_starter", NONE), ("last_winner", NONE)):
            records[field][left] = value

    def _out(self, out: np.ndarray | None) -> np.ndarray:
        if not self._is_set:
            raise MextrainError("no episode has begun: call reset first")
        if out is None:
            return np.empty(self.spec.n, np.uint16)
        if not _fits(out, self.spec.n) or not out.flags.writeable:
            raise MextrainError(f"out = {shown(out)}: expected a contiguous array uint16[{self.spec.n}]")
        return out


def _fits(array: Any, n: int) -> bool:
    """Whether kernels can take these actions as they are."""
    is_array = isinstance(array, np.ndarray) and array.dtype == np.uint16 and array.shape == (n,)
    return is_array and bool(array.flags.c_contiguous)


def _read_only(array: np.ndarray) -> np.ndarray:
    """Return a view that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view
