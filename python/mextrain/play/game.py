"""A match between people and policies that can be saved and taken up again.

What is saved are the records of its rounds, the last one without an end if it goes on, each with one more field,
`play`: who sits where, and how often a move was taken back.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mextrain._support.files import whole_file
from mextrain.bulk.one_decision import Deciders
from mextrain.errors import MextrainError, RecordError, one_line, shown
from mextrain.game.events import Event
from mextrain.game.rules import RuleSet
from mextrain.match import Match
from mextrain.notation.record import RoundRecord
from mextrain.position import Position
from mextrain.records import replay

HUMAN = "human"
"""The policy of a seat that a person plays, in files."""


@dataclass
class Table:
    """A match, who plays each seat (`HUMAN` or the name of a policy), and the names of the players."""

    match: Match
    policies: tuple[str, ...]
    names: tuple[str, ...]
    undone: int = 0
    _deciders: Deciders = field(init=False, repr=False)

    def __post_init__(self) -> None:
        # A person's seat has any policy here; it is never asked.
        self._deciders = Deciders(self.rules, ["random" if name == HUMAN else name for name in self.policies])

    @classmethod
    def new(cls, rules: RuleSet, seed: int, people: Sequence[int], policy: str, names: Sequence[str]) -> Table:
        """Return a new match. `policy`: one for all seats that no person plays, or one for each of these, or of all.

        `names`: of the people, in the order of their seats; the others are called by their policies.
        """
        for seat in people:
            if not 0 <= seat < rules.players:
                raise MextrainError(f"there is no seat {seat}: expected 0 … {rules.players - 1}")
        free = [seat for seat in range(rules.players) if seat not in people]
        given = policy.split(",")
        if len(given) == 1:
            given = given * len(free)
        if len(given) == rules.players:
            given = [given[seat] for seat in free]
        if len(given) != len(free):
            raise MextrainError(
                f"{len(given)} policies for {len(free)} seats without a person: give one for all, or one for each"
            )
        if len(names) > len(people):
            raise MextrainError(f"{len(names)} names for {len(people)} people: give one for each person, or fewer")
        by_seat = dict(zip(free, given, strict=True))
        called = dict(zip(sorted(people), names, strict=False))
        bots = {seat: f"{name} {seat}" if given.count(name) > 1 else name for seat, name in by_seat.items()}
        alone = len(people) == 1
        return cls(
            Match(rules, seed=seed),
            tuple(by_seat.get(seat, HUMAN) for seat in range(rules.players)),
            tuple(
                called.get(seat) or bots.get(seat) or ("you" if alone else f"player {seat}")
                for seat in range(rules.players)
            ),
        )

    @property
    def rules(self) -> RuleSet:
        """The rules of the match."""
        return self.match.rules

    @property
    def position(self) -> Position:
        """The round that goes on."""
        return self.match.position

    @property
    def people(self) -> tuple[int, ...]:
        """The seats that people play."""
        return tuple(seat for seat, name in enumerate(self.policies) if name == HUMAN)

    def bots_move(self) -> None:
        """Let the policy of the seat to move play."""
        self.position.play(self._deciders.move(self.position))

    def end(self) -> None:
        """End the bots at the table."""
        self._deciders.end()

    def undo(self) -> bool:
        """Take back everything since the last decision of a person; returns False if there was none in this round."""
        position, people = self.position, self.people
        if not any(event.is_decision and event.seat in people for event in position.events):
            return False
        position.undo()
        while position.seat not in people:
            position.undo()
        self.undone += 1
        return True

    def lines(self) -> list[str]:
        """Return the match as lines of a file."""
        facts = {"policies": list(self.policies), "names": list(self.names), "undone": self.undone}
        rounds = self.match.rounds
        records = [position.record() if position.over else position.record(partial=True) for position in rounds]
        return [json.dumps({**record, "play": facts}, ensure_ascii=False) for record in records]

    def save(self, path: Path) -> None:
        """Write the match to a file, which is complete at every moment. Raises `OSError`."""
        with whole_file(path) as file:
            file.write("".join(f"{line}\n" for line in self.lines()).encode())

    @classmethod
    def load(cls, path: Path) -> Table:
        """Return the match in a file that `save` wrote. Raises `RecordError` or `OSError`."""
        name = one_line(str(path))
        try:
            lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        except UnicodeDecodeError as error:
            raise RecordError(f"{name} is not UTF-8 (byte {error.start})") from None
        if not lines:
            raise RecordError(f"{name} is empty: there is no game to go on with")
        table: Table | None = None
        for number, line in enumerate(lines, 1):
            try:
                record = RoundRecord.from_json(line)
                table = cls._taken_up(table, record, json.loads(line).get("play"))
            except RecordError as error:
                raise RecordError(f"{name}: {error.reason}", line=number, event=error.event) from None
        assert table is not None
        return table

    @classmethod
    def _taken_up(cls, table: Table | None, record: RoundRecord, facts: Any) -> Table:
        """Return the match with one more round, which must be the next one of the same game."""
        if record.seed is None or record.game is None:
            raise RecordError("it has no seed and game, so the match cannot go on: give a file of mextrain play")
        if table is None:
            policies, names, undone = _facts(facts, record.rules.players)
            table = cls(Match(record.rules, seed=record.seed, game=record.game), policies, names, undone)
        elif not table.match.position.over:
            raise RecordError("a round stands after one that goes on")
        elif table.match.over:
            raise RecordError("a round stands after the last one of the match")
        else:
            table.match.next_round()
        replay(record)
        position = table.position
        dealt = tuple(tuple(map(str, hand)) for hand in position.start.hands)
        due = (table.rules, table.match.seed, table.match.game, str(position.engine), position.starter, dealt)
        if due != (record.rules, record.seed, record.game, record.engine, record.starter, record.hands):
            raise RecordError(f"it is not round {len(table.match.rounds) - 1} of this seed and game")
        for text in record.events:
            event = Event.parse(text, record.rules.actions)
            if event.move is not None:
                position.play(event.move)
        return table


def _facts(facts: Any, players: int) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """Return the policies, names and number of moves taken back in the field `play`."""
    found = facts if isinstance(facts, dict) else {}
    lists: list[Any] = [found.get("policies"), found.get("names")]
    for each in lists:
        if not isinstance(each, list) or len(each) != players or not all(isinstance(text, str) for text in each):
            raise RecordError(f"play is {shown(facts)}: expected the policies and names that mextrain play writes")
    undone = found.get("undone", 0)
    if type(undone) is not int or undone < 0:
        raise RecordError(f"undone is {shown(undone)}: expected a number from 0")
    return tuple(lists[0]), tuple(lists[1]), undone
