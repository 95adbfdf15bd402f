"""Replays an archive: is every row a round that follows from the rules and the random stream?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mextrain._support.optional import need
from mextrain.archive.engines import engine_codes, engines_of
from mextrain.archive.job import Job
from mextrain.archive.layout import column_name
from mextrain.archive.manifest import read_job
from mextrain.archive.places import Folder, as_place
from mextrain.archive.read_rows import RowGroup, first_out_of_range, read_groups, starters_of
from mextrain.archive.rows import policies_text, rules_text
from mextrain.archive.shards import Shard
from mextrain.archive.verify import shard_problems, strangers
from mextrain.bulk.results import ENDS, Rounds
from mextrain.bulk.simulate import Progress, check_progress
from mextrain.bulk.stats import Summary
from mextrain.errors import ArchiveError, MoveError, shown
from mextrain.game.moves import Move
from mextrain.position import Position
from mextrain_core.bulk.replay import Recorded, replay_rounds
from mextrain_core.model.limits import NONE
from mextrain_core.model.state import new_states

SLICE_ROUNDS = 1 << 13
"""Rounds that are replayed together; Ctrl-C waits for them."""


@dataclass(frozen=True)
class Checked:
    """What was replayed without errors: `shards`, their `rounds` and `actions`, and the `hash` of all rounds."""

    job: Job
    shards: int
    rounds: int
    actions: int
    hash: int


def check_archive(folder: Folder, progress: Progress | None = None) -> Checked:
    """Verify the files of an archive and replay every row; returns what was checked.

    The rows must be the rounds of the job, in the order of games and rounds. Each move must be legal and the last one
    must end the round. End, winner, starter, points, turns, plays and draws must match the replay. Policies are not
    run. `progress` is called with (games finished, games wanted).

    Raises `ArchiveError` at the first error, `MextrainError` for a folder without an archive or with another version,
    `MissingExtra` without pyarrow.
    """
    need("pyarrow", "io")
    check_progress(progress)
    place = as_place(folder)
    job = read_job(place)
    checker = _Checker(job)
    for number in range(job.shards):
        sidecar, problems = shard_problems(place, job, number, read=True)
        if problems:
            raise ArchiveError(problems[0])
        name = job.path(number).as_posix()
        checker.start(Shard(place, name, job, number, *job.shard(number), sidecar))
        for games in checker.replay():
            if progress:
                progress(games, job.games)
        checker.compare_sidecar()
    if more := strangers(place, job):
        raise ArchiveError(more[0])
    return Checked(job, job.shards, checker.rounds, checker.actions, checker.hash & (2**64 - 1))


class _Checker:
    """Replays the rows of a job's shards and counts them."""

    def __init__(self, job: Job) -> None:
        self.job, self.rules = job, job.rules
        self.rounds = self.actions = self.hash = 0
        self._states = new_states(1)
        self._engines = engine_codes(job.rules)
        self._shard: Shard
        self._shard_hash = 0
        self._summary: Summary | None = None

    def start(self, shard: Shard) -> None:
        """Start on a shard."""
        self._shard, self._shard_hash, self._summary = shard, 0, None

    def replay(self) -> Iterator[int]:
        """Replay the shard; yields the number of games finished so far. Raises `ArchiveError` at the first error."""
        step = max(1, SLICE_ROUNDS // self.rules.rounds) * self.rules.rounds
        for group in read_groups(self._shard):
            for start in range(0, len(group), step):
                self._replay_games(group.part(start, start + step))
                yield self.rounds // self.rules.rounds

    def compare_sidecar(self) -> None:
        """Compare the totals of the shard's rows with its sidecar. Raises `ArchiveError`."""
        sidecar, found = self._shard.sidecar, self._shard_hash & (2**64 - 1)
        self.hash += found
        if sidecar is None:
            return
        if found != sidecar.hash:
            reason = f"its rounds have the hash {found:016x}, and its sidecar says {sidecar.hash:016x}"
            raise ArchiveError(reason, self._shard.name)
        if self._summary != sidecar.summary:
            raise ArchiveError("its sidecar has the statistics of other rounds", self._shard.name)

    def _replay_games(self, rows: RowGroup) -> None:
        """Replay the rows of whole games, and add up the results."""
        if fault := first_out_of_range(rows, self.rules):
            # A number out of range must not reach the kernels. An error in an earlier row is reported first.
            row, reason = fault
            self._replay(rows.part(0, row))
            raise ArchiveError(reason, self._shard.name, int(rows.places[row]))
        part, replayed = self._replay(rows)
        self.rounds += len(rows)
        self.actions += int(rows.offsets[-1] - rows.offsets[0])
        self._shard_hash += part
        shape = (-1, self.rules.rounds)
        games = Rounds(replayed.points.reshape(*shape, self.rules.players), replayed.facts.reshape(*shape, 7))
        summary = Summary.of(self.rules, self.job.policies, games)
        self._summary = summary if self._summary is None else self._summary + summary

    def _replay(self, rows: RowGroup) -> tuple[int, Rounds]:
        """Replay rows, compare all their columns with the result, and return (sum of hashes, results)."""
        rules, stored = self.rules, rows.columns
        replayed = Rounds.empty(len(rows), 1, rules.players)
        games, numbers = divmod(rows.places, rules.rounds)
        starters = starters_of(rows, rules)
        done, action, part = replay_rounds(
            self._states,
            0,
            rules.record,
            np.uint64(self.job.seed),
            Recorded(stored["game"], self._engines[numbers], starters, rows.offsets, rows.actions),
            replayed.points[:, 0],
            replayed.facts[:, 0],
        )
        faults = _Faults(rows.places, self.job.format)
        faults.compare("seed", stored["seed"], np.full(len(rows), self.job.seed, np.uint64))
        faults.compare("game", stored["game"], np.uint64(self._shard.first_game) + games.astype(np.uint64))
        faults.compare("round", stored["round"], numbers)
        faults.compare_texts("rules", rows, [rules_text(self.job)], np.zeros(len(rows), np.int64))
        faults.compare_texts("policies", rows, [policies_text(self.job)], np.zeros(len(rows), np.int64))
        engines, texts = engines_of(rules, self.job.seed, stored["game"], numbers, starters)
        faults.compare_texts("engine", rows, texts, engines)
        for column in ("starter", "winner", "turns", "plays", "draws"):
            faults.compare(column, stored[column][:done], getattr(replayed, column)[:done, 0])
        faults.compare_texts("ending", rows, ENDS, replayed.end[:done, 0])
        faults.compare("points", rows.points[:done], replayed.points[:done, 0])
        if done < len(rows):
            faults.note(done, lambda: self._why(rows, done, action), action)
        faults.tell(self._shard.name)
        return int(part), replayed

    def _why(self, rows: RowGroup, row: int, action: int) -> str:
        """Explain why the replay of a row stopped at this action."""
        moves = rows.actions[rows.offsets[row] : rows.offsets[row + 1]].tolist()
        starter = int(starters_of(rows, self.rules)[row])
        position = Position.deal(
            self.rules,
            seed=self.job.seed,
            game=int(rows.columns["game"][row]),
            engine=self.rules.engines[int(rows.places[row]) % self.rules.rounds],
            starter=None if starter == NONE else starter,
        )
        for code in moves[:action]:
            position.play(Move.from_code(code))
        if action == len(moves):
            return f"the moves end, but the round goes on with seat {position.seat}"
        if position.over:
            return "there are moves after the end of the round"
        try:
            return str(position.why_illegal(Move.from_code(moves[action])))
        except MoveError as error:
            return str(error)


class _Faults:
    """Errors in some rows; only the error of the first row is reported."""

    def __init__(self, places: np.ndarray, file_format: str) -> None:
        self._places, self._format = places, file_format
        self._found: list[tuple[int, Callable[[], str], int | None]] = []

    def note(self, row: int, reason: Callable[[], str], action: int | None = None) -> None:
        """Note an error in a row."""
        self._found.append((row, reason, action))

    def compare(self, column: str, stored: np.ndarray, right: np.ndarray) -> None:
        """Note the first row whose stored value is wrong."""
        wrong = stored != right
        if wrong.any():
            row = int(wrong.reshape(len(wrong), -1).any(axis=1).argmax())
            self.note(row, lambda: f"{column} is {stored[row].tolist()}, expected {right[row].tolist()}")

    def compare_texts(self, column: str, rows: RowGroup, texts: Sequence[str], right: np.ndarray) -> None:
        """Note the first row whose text is not the one of `texts` to which `right` (an index) points."""
        codes, known = rows.texts[column]
        wrong = rows.codes(column, texts)[: len(right)] != right
        if wrong.any():
            row = int(wrong.argmax())
            name = column_name(self._format, column)
            self.note(row, lambda: f"{name} is {shown(known[codes[row]])}, expected {texts[int(right[row])]}")

    def tell(self, name: str) -> None:
        """Raise `ArchiveError` for the first row with an error; within a row, for the error noted first."""
        if self._found:
            row, reason, action = min(self._found, key=lambda found: found[0])
            raise ArchiveError(reason(), name, int(self._places[row]), action)
