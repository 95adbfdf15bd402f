"""Replaying an archive: does every row tell a round that the rules and the random stream lead to?"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mextrain._support.optional import need
from mextrain.archive.job import Job, read_job
from mextrain.archive.rows import policies_text, rules_text
from mextrain.archive.shards import RowGroup, read_groups
from mextrain.archive.verify import shard_problems, strangers
from mextrain.bulk.results import ENDS, Rounds
from mextrain.bulk.simulate import Progress
from mextrain.errors import ArchiveError, MoveError
from mextrain.game.moves import Move
from mextrain.game.starters import next_starters
from mextrain.position import Position
from mextrain_core.bulk.replay import Recorded, replay_rounds
from mextrain_core.model.limits import NONE
from mextrain_core.model.state import new_states

SLICE_ROUNDS = 1 << 13
"""Rounds that are replayed at a time: Ctrl-C waits for them."""


@dataclass(frozen=True)
class Checked:
    """What was replayed without a fault: `shards`, their `rounds` and `actions`, and the `hash` of all rounds."""

    job: Job
    shards: int
    rounds: int
    actions: int
    hash: int


def check_archive(folder: str | os.PathLike[str], progress: Progress | None = None) -> Checked:
    """Verify the files of an archive and replay every row of them; returns what was checked.

    Each row must be the round that stands there in the order of games and rounds; each move must be legal, the last
    one must end the round, and end, winner, starter, points, turns, plays and draws must be what that leads to.
    Policies are not asked. `progress` is called with (games finished, games wanted).

    Raises `ArchiveError` at the first fault, `MextrainError` for a folder without an archive or of another version,
    `MissingExtra` without pyarrow.
    """
    need("pyarrow", "io")
    job, root = read_job(folder), Path(folder)
    checker = _Checker(job)
    for number in range(job.shards):
        sidecar, problems = shard_problems(root, job, number, read=True)
        if problems:
            raise ArchiveError(problems[0])
        before = checker.hash
        for games in checker.replay(root, number):
            if progress:
                progress(games, job.games)
        part = (checker.hash - before) & (2**64 - 1)
        if sidecar is not None and part != sidecar.hash:
            name = job.path(number).as_posix()
            raise ArchiveError(f"its rounds have the hash {part:016x}, and its sidecar says {sidecar.hash:016x}", name)
    if more := strangers(root, job):
        raise ArchiveError(more[0])
    return Checked(job, job.shards, checker.rounds, checker.actions, checker.hash & (2**64 - 1))


class _Checker:
    """Replays the rows of a job's shards and counts them."""

    def __init__(self, job: Job) -> None:
        self.job, self.rules = job, job.rules
        self.rounds = self.actions = self.hash = 0
        self._states = new_states(1)
        self._engines = np.array([self.rules.tiles.half_code(engine.high) for engine in self.rules.engines], np.uint8)

    def replay(self, root: Path, number: int) -> Iterator[int]:
        """Replay a shard; yields the number of games that are finished. Raises `ArchiveError` at the first fault."""
        import pyarrow as pa

        name = self.job.path(number).as_posix()
        first_game = self.job.shard(number)[0]
        step = max(1, SLICE_ROUNDS // self.rules.rounds) * self.rules.rounds
        try:
            for group in read_groups(root / self.job.path(number), self.rules.players):
                for start in range(0, len(group), step):
                    self._replay(name, first_game, group.part(start, start + step))
                    yield self.rounds // self.rules.rounds
        except (pa.ArrowException, OSError, ValueError) as error:
            if isinstance(error, ArchiveError):
                raise
            raise ArchiveError(f"it cannot be read ({error})", name) from None

    def _replay(self, name: str, first_game: int, rows: RowGroup) -> None:
        """Replay some rows and compare everything that they say."""
        rules, stored = self.rules, rows.columns
        replayed = Rounds.empty(len(rows), 1, rules.players)
        numbers = (rows.first_row + np.arange(len(rows))) % rules.rounds
        done, action, part = replay_rounds(
            self._states,
            0,
            rules.record,
            np.uint64(self.job.seed),
            Recorded(stored["game"], self._engines[numbers], self._starters(rows), rows.offsets, rows.actions),
            replayed.points[:, 0],
            replayed.facts[:, 0],
        )
        faults = _Faults(rows.first_row)
        games = (rows.first_row + np.arange(len(rows))) // rules.rounds
        faults.compare("seed", stored["seed"], np.full(len(rows), self.job.seed, np.uint64))
        faults.compare("game", stored["game"], np.uint64(first_game) + games.astype(np.uint64))
        faults.compare("round", stored["round"], numbers)
        faults.compare_texts("rules", rows, [rules_text(self.job)], np.zeros(len(rows), np.int64))
        faults.compare_texts("policies", rows, [policies_text(self.job)], np.zeros(len(rows), np.int64))
        faults.compare_texts("engine", rows, [str(engine) for engine in rules.engines], numbers)
        for column in ("starter", "winner", "turns", "plays", "draws"):
            faults.compare(column, stored[column][:done], getattr(replayed, column)[:done, 0])
        faults.compare_texts("end", rows, ENDS, replayed.end[:done, 0])
        faults.compare("points", rows.points[:done], replayed.points[:done, 0])
        if done < len(rows):
            faults.note(done, lambda: self._why(rows, done, action), action)
        faults.tell(name)
        self.rounds += len(rows)
        self.actions += int(rows.offsets[-1] - rows.offsets[0])
        self.hash += int(part)

    def _starters(self, rows: RowGroup) -> np.ndarray:
        """The starter of each row as far as the rules name it, NONE where the stream draws it (section 3)."""
        winners = rows.columns["winner"]
        last_starters, last_winners = np.full((2, len(rows)), NONE, np.uint8)
        last_starters[1:] = rows.columns["starter"][:-1]
        # A winner that is not a seat is found when its own row is compared.
        is_seat = (winners >= 0) & (winners < self.rules.players)
        last_winners[1:] = np.where(is_seat, winners, NONE)[:-1]
        last_starters[rows.columns["round"] == 0] = NONE
        return next_starters(self.rules, last_starters, last_winners)

    def _why(self, rows: RowGroup, row: int, action: int) -> str:
        """Say why the replay of a row stopped at this action."""
        moves = rows.actions[rows.offsets[row] : rows.offsets[row + 1]].tolist()
        starter = int(self._starters(rows)[row])
        position = Position.deal(
            self.rules,
            seed=self.job.seed,
            game=int(rows.columns["game"][row]),
            engine=self.rules.engines[(rows.first_row + row) % self.rules.rounds],
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
    """What is wrong with some rows; the one of the first row is told."""

    def __init__(self, first_row: int) -> None:
        self._first_row = first_row
        self._found: list[tuple[int, Callable[[], str], int | None]] = []

    def note(self, row: int, reason: Callable[[], str], action: int | None = None) -> None:
        """Note that something is wrong with a row."""
        self._found.append((row, reason, action))

    def compare(self, column: str, stored: np.ndarray, right: np.ndarray) -> None:
        """Note the first row whose value is not the right one."""
        wrong = stored != right
        if wrong.any():
            row = int(wrong.reshape(len(wrong), -1).any(axis=1).argmax())
            self.note(row, lambda: f"{column} is {stored[row].tolist()}, expected {right[row].tolist()}")

    def compare_texts(self, column: str, rows: RowGroup, texts: Sequence[str], right: np.ndarray) -> None:
        """Note the first row whose text is not the one of `texts` that `right` (a place in it) names."""
        codes, known = rows.texts[column]
        places = np.array([texts.index(text) if text in texts else -1 for text in known], np.int64)
        wrong = places[codes[: len(right)]] != right
        if wrong.any():
            row = int(wrong.argmax())
            self.note(row, lambda: f"{column} is {known[codes[row]]}, expected {texts[int(right[row])]}")

    def tell(self, name: str) -> None:
        """Raise `ArchiveError` for the first row with a fault; at one row the first one noted counts."""
        if self._found:
            row, reason, action = min(self._found, key=lambda found: found[0])
            raise ArchiveError(reason(), name, self._first_row + row, action)
