"""Replays round records, and checks that each could have happened exactly as written (docs/formats.md).

    >>> from mextrain.records import RoundRecord, replay
    >>> with open("rounds.jsonl") as lines:
    ...     for line in lines:
    ...         position = replay(RoundRecord.from_json(line))
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mextrain.errors import RecordError, shown
from mextrain.game.engine_deal import Beginning, callers
from mextrain.game.starters import next_starter
from mextrain.notation.course import Course
from mextrain.notation.record import FORMAT, RoundRecord
from mextrain.position import Position

__all__ = ["FORMAT", "MatchOrder", "RoundRecord", "replay"]


def replay(record: RoundRecord | Mapping[str, Any]) -> Position:
    """Replay a record and return the position at its end, or where it stops if the round goes on.

    The number, engine and starter of the round must fit the rules, as far as one round can show (`MatchOrder` checks
    all rounds of a match). Every move must be legal. Every draw, opening and skip must be exactly where the rules force
    it, with none missing and none added. Legal lists, if there are any, and the result must be right. A round that goes
    on (`partial`) has no result; its position can be played on, and draws in the order of the record's boneyard.

    Raises `RecordError` at the first fault. Its `event` is the number of the event, from 0, or None if no single event
    is at fault.
    """
    read = record if isinstance(record, RoundRecord) else RoundRecord.from_dict(record)
    _check_starter(read)
    position = Position(read.start())
    _check_number(read)
    Course(position, read.events, read.legal, goes_on=read.partial).run()
    if read.partial:
        if position.over:
            raise RecordError(f"end is missing, but the events lead to {position.end!r}")
        return position
    for name, right in (("end", position.end), ("winner", position.winner), ("points", position.points)):
        written = getattr(read, name)
        if written != right:
            raise RecordError(f"{name} is {_plain(written)}, but the events lead to {_plain(right)}")
    return position


def _check_starter(record: RoundRecord) -> None:
    """Raise `RecordError` if the rules name another seat as the starter."""
    starter = record.rules.starter
    if not isinstance(starter, int) or len(record.hands) != record.rules.players or starter in _callers(record):
        return  # That hands are missing is said when the round begins.
    if record.rules.engine_from == "set_aside":
        raise RecordError(f"starter is {record.starter}, but the rules say that seat {starter} starts")
    raise RecordError(f"starter is {record.starter}, but by the rules seat {starter} draws first for the engine")


def _callers(record: RoundRecord) -> tuple[int, ...]:
    """The seats that the option `starter` can have named; without a hunt for the engine that is the starter."""
    return callers(record.rules, Beginning(record.starter, tuple(map(len, record.hands))))


def _check_number(record: RoundRecord) -> None:
    """Raise `RecordError` if the rules have no such round, or give it another engine."""
    rules, number = record.rules, record.number
    if number is None:
        return
    if number >= rules.rounds:
        raise RecordError(f"round is {number}, but a match of these rules has the rounds 0 … {rules.rounds - 1}")
    if rules.engines_are_known and record.engine != str(rules.engines[number]):
        raise RecordError(f"engine is {record.engine}, but round {number} has the engine {rules.engines[number]}")


class MatchOrder:
    """Checks that consecutive records form matches. Call `check` with each record in order.

    The records of a match are consecutive and have the same `rules`, `seed` and `game`. Their rounds must be in order,
    with starters that follow the rules (`starter` is `rotate` or `winner`). Rounds may be missing. After a round that
    goes on only the same round may follow. Records without a game or round number do not belong to a match.
    """

    def __init__(self) -> None:
        self._last: RoundRecord | None = None

    def check(self, record: RoundRecord) -> None:
        """Raise `RecordError` if `record` cannot follow the previous one."""
        last, self._last = self._last, record
        if last is None or None in (record.game, record.number, last.number):
            return
        if (last.game, last.seed, last.rules) != (record.game, record.seed, record.rules):
            return
        assert record.number is not None and last.number is not None  # noqa: PT018, mypy cannot tell
        if last.partial and record.number > last.number:
            before = f"round {last.number} of game {record.game}"
            raise RecordError(f"round is {record.number}, but {before} stands before it and goes on")
        if last.partial and (record.number, record.starter) == (last.number, last.starter):
            return
        again = last.number == record.rules.rounds - 1 and record.number == 0
        if record.number <= last.number and not again:
            before = f"round {last.number} of game {record.game}"
            raise RecordError(f"round is {record.number}, but {before} stands before it")
        right = None if again else _starter_after(last, record.number - last.number)
        if right is not None and right not in _callers(record):
            option = record.rules.starter
            does = "starts" if record.rules.engine_from == "set_aside" else "is asked first for the engine in"
            raise RecordError(
                f"starter is {record.starter}, but by the option starter={option} seat {right} {does} round "
                f"{record.number} of game {record.game}"
            )


def _starter_after(record: RoundRecord, rounds: int) -> int | None:
    """The starter of the round that is `rounds` later; None if the stream decides, or if an unknown winner does."""
    starter: int | None = record.starter
    winner = record.winner
    # Who started the rounds in between is not known if the engine decided it.
    if rounds > 1 and record.rules.engine_from != "set_aside":
        return None
    for _ in range(rounds):
        if starter is not None:
            starter = next_starter(record.rules, starter, winner)
        # The winners of the rounds in between are not known.
        winner = None
    return starter


def _plain(value: object) -> str:
    """`value` as the record writes it, shortened."""
    return shown(list(value) if isinstance(value, tuple) else value)
