"""`Scores`: the scores of a match that people play with real tiles, in one file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from mextrain._support.files import whole_file
from mextrain.errors import MextrainError, nearest, one_line, shown
from mextrain.game.rules import RuleSet
from mextrain.game.tiles import Tile
from mextrain.game.winners import ranking

SCORE_FORMAT = "mextrain-score/1"
"""The version of the file."""

MAX_PAST = 1000
"""Entries that can be taken back."""

MAX_STEPS = 20_000
"""Steps of the search for hands with given points; if it has not ended by then, the points are believed."""


class RoundScore(NamedTuple):
    """The points of a round by seat, and the seat that went out; None if the round was blocked."""

    points: tuple[int, ...]
    out: int | None


@dataclass
class Scores:
    """A match: rules, players by seat, who started the first round, and the rounds so far."""

    rules: RuleSet
    names: tuple[str, ...]
    first: int = 0
    rounds: list[RoundScore] = field(default_factory=list)
    past: list[list[RoundScore]] = field(default_factory=list)

    @classmethod
    def new(cls, rules: RuleSet, names: Sequence[str], first: str | None = None) -> Scores:
        """Return a new match. Raises `MextrainError` for names that are empty, twice or too many or few."""
        cleaned = [one_line(name, 40) for name in names]
        if len({name.lower() for name in cleaned}) < len(cleaned) or not all(cleaned):
            raise MextrainError("two players have the same name, or one has none: give different names")
        scores = cls(rules, tuple(cleaned))
        fixed = rules.starter if isinstance(rules.starter, int) else 0
        scores.first = fixed if first is None else scores.seat(first)
        return scores

    # -- changes

    def add(self, points: Sequence[int], blocked: bool = False) -> None:
        """Add a round. Raises `MextrainError` for points that no round of these rules can have."""
        if len(self.rounds) == self.rules.rounds:
            raise MextrainError(f"all {self.rules.rounds} rounds are played: nothing can be added")
        self._change([*self.rounds, self._checked(len(self.rounds), points, blocked)])

    def edit(self, number: int, points: Sequence[int], blocked: bool = False) -> None:
        """Correct round `number`, from 1. Raises `MextrainError` as `add` does, and if there is no such round."""
        if not 1 <= number <= len(self.rounds):
            there_are = f"expected 1 … {len(self.rounds)}" if self.rounds else "no round has been added yet"
            raise MextrainError(f"there is no round {number}: {there_are}")
        checked = self._checked(number - 1, points, blocked)
        self._change([*self.rounds[: number - 1], checked, *self.rounds[number:]])

    def undo(self) -> None:
        """Take back the last change. Raises `MextrainError` if there is none."""
        if not self.past:
            raise MextrainError("there is nothing to take back")
        self.rounds = self.past.pop()

    def _change(self, rounds: list[RoundScore]) -> None:
        self.past = [*self.past, self.rounds][-MAX_PAST:]
        self.rounds = rounds

    def _checked(self, number: int, points: Sequence[int], blocked: bool) -> RoundScore:
        """Return the round if its points are possible."""
        if len(points) != len(self.names):
            raise MextrainError(f"{len(points)} points for {len(self.names)} players: give one number for each")
        for name, own in zip(self.names, points, strict=True):
            if own < 0:
                raise MextrainError(f"{name} has {own} points: expected 0 or more")
        rules = self.rules
        # An engine that the deal decides can be any double: 0-0 leaves most points to the hands.
        engine = rules.engines[number] if rules.engines_are_known else min(rules.tiles.doubles)
        tiles = [tile for tile in rules.tiles if tile != engine or not rules.engines_are_known]
        total = rules.points([tile for tile in tiles if tile != engine])
        if sum(points) > total:
            raise MextrainError(f"the points add up to {sum(points)}, but all tiles but the engine have only {total}")
        zeros = [seat for seat, own in enumerate(points) if own == 0]
        if not blocked and not zeros:
            raise MextrainError("nobody has 0 points, so nobody went out: correct the points, or add the word blocked")
        # Whoever holds nothing but tiles of 0 points has 0 points, too.
        free = [tile for tile in tiles if self.rules.points([tile]) == 0]
        if len(zeros) > len(free) + (not blocked):
            names = " and ".join(self.names[seat] for seat in zeros)
            raise MextrainError(f"{names} have 0 points: only {len(free) + (not blocked)} can in such a round")
        if not _can_be_held([own for own in points if own], tiles, self.rules):
            raise MextrainError(
                f"no hands have {', '.join(map(str, points))} points at the same time: count again"
            )
        return RoundScore(tuple(points), zeros[0] if zeros and not blocked else None)

    # -- results

    def seat(self, name: str) -> int:
        """Return the seat of a player. Raises `MextrainError` for an unknown name."""
        for seat, known in enumerate(self.names):
            if known.lower() == name.lower():
                return seat
        hint = nearest(name, self.names)
        raise MextrainError(f"{shown(name)} does not play: expected {', '.join(self.names)}{hint and '; '}{hint}")

    @property
    def totals(self) -> tuple[int, ...]:
        """The sums of the points by seat."""
        return tuple(sum(score.points[seat] for score in self.rounds) for seat in range(len(self.names)))

    @property
    def over(self) -> bool:
        """Whether all rounds are played."""
        return len(self.rounds) == self.rules.rounds

    def starter(self) -> int | None:
        """The seat that starts the next round; None if it is drawn, or if the match is over."""
        if self.over:
            return None
        option, played = self.rules.starter, len(self.rounds)
        if isinstance(option, int) or not played:
            return self.first
        if option == "rotate":
            return (self.first + played) % len(self.names)
        return self.rounds[-1].out if option == "winner" else None

    def places(self) -> list[tuple[int, tuple[str, ...]]]:
        """Return the places with their players, fewest points first; equal totals share a place."""
        found, place = [], 1
        for seats in ranking(self.rules, [each.points for each in self.rounds]):
            found.append((place, tuple(self.names[seat] for seat in seats)))
            place += len(seats)
        return found

    def next_line(self) -> str:
        """Return what comes next, in words."""
        if self.over:
            place = self.places()[0][1]
            return f"the match is over; fewest points: {' and '.join(place)}{' (a tie)' if len(place) > 1 else ''}"
        starter = self.starter()
        who = "who starts is drawn" if starter is None else f"{self.names[starter]} starts"
        number = len(self.rounds)
        return f"next: round {number + 1} of {self.rules.rounds}, engine {self._engine(number)}; {who}"

    def _engine(self, number: int) -> str:
        """The engine of a round as text; `-` if the deal decides it."""
        return str(self.rules.engines[number]) if self.rules.engines_are_known else "-"

    # -- texts

    def table(self, width: int = 80) -> str:
        """Return the rounds, totals and places as a table of at most `width` columns."""
        column = max(4, min(max(map(len, self.names)) + 2, (width - 14) // len(self.names)))
        lines = [f"{'round':<5} {'engine':>7} " + "".join(f"{name[: column - 1]:>{column}}" for name in self.names)]
        for number, score in enumerate(self.rounds):
            cells = "".join(f"{own:>{column}}" for own in score.points)
            mark = "" if score.out is not None else "  b"
            lines.append(f"{number + 1:>5} {self._engine(number):>7} {cells}{mark}")
        lines.append(f"{'total':<13} " + "".join(f"{total:>{column}}" for total in self.totals))
        if any(score.out is None for score in self.rounds):
            lines.append("b: blocked")
        if self.rounds:
            lines.append("; ".join(f"{place}. {', '.join(names)}" for place, names in self.places()))
        return "\n".join([*lines, self.next_line()])

    def rows(self) -> Iterator[list[str]]:
        """Yield the cells of a table for other programs: a head, the rounds, the totals."""
        yield ["round", "engine", *self.names, "out"]
        for number, score in enumerate(self.rounds):
            out = "blocked" if score.out is None else self.names[score.out]
            yield [str(number + 1), self._engine(number), *map(str, score.points), out]
        yield ["total", "", *map(str, self.totals), ""]

    def csv(self) -> str:
        """Return the table as CSV."""
        import csv
        import io

        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(self.rows())
        return text.getvalue().rstrip("\n")

    def markdown(self) -> str:
        """Return the table as Markdown."""
        head, *rest = ([cell.replace("|", "\\|") for cell in row] for row in self.rows())
        line = "|" + "|".join("---" if place in (0, 1, len(head) - 1) else "--:" for place in range(len(head))) + "|"
        return "\n".join([f"| {' | '.join(head)} |", line, *(f"| {' | '.join(row)} |" for row in rest)])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a JSON object."""
        return {
            "format": SCORE_FORMAT,
            "rules": self.rules.to_dict(),
            "players": list(self.names),
            "first": self.first,
            "rounds": [{"points": list(score.points), "out": score.out} for score in self.rounds],
            "totals": list(self.totals),
        }

    # -- the file

    def save(self, path: Path) -> None:
        """Write the file, which is complete at every moment. Raises `OSError`."""
        past = [[{"points": list(score.points), "out": score.out} for score in rounds] for rounds in self.past]
        with whole_file(path) as file:
            file.write((json.dumps(self.to_dict() | {"past": past}, ensure_ascii=False) + "\n").encode())

    @classmethod
    def load(cls, path: Path) -> Scores:
        """Return the match in a file. Raises `MextrainError` or `OSError`."""
        name = one_line(str(path))
        try:
            found = json.loads(path.read_bytes())
            if not isinstance(found, dict) or found.get("format") != SCORE_FORMAT:
                raise MextrainError(f"its format is not {SCORE_FORMAT}")
            scores = cls.new(RuleSet.from_dict(found["rules"]), found["players"])
            if len(scores.names) != scores.rules.players:
                raise MextrainError("its players are not those of its rules")
            scores.first = int(found["first"])
            scores.rounds = _rounds(found["rounds"])
            scores.past = [_rounds(rounds) for rounds in found["past"]]
            if any(len(score.points) != len(scores.names) for score in scores.rounds):
                raise MextrainError("a round has not the points of all players")
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            why = str(error) if isinstance(error, MextrainError) else f"{type(error).__name__} in its contents"
            raise MextrainError(f"{name} is not a file of mextrain score: {why}") from None
        return scores


def _rounds(found: Any) -> list[RoundScore]:
    rounds = []
    for each in found:
        points, out = tuple(each["points"]), each["out"]
        if not all(type(own) is int for own in points) or not (out is None or 0 <= int(out) < len(points)):
            raise MextrainError(f"{shown(each)} is not a round")
        rounds.append(RoundScore(points, out))
    return rounds


def _can_be_held(points: Sequence[int], tiles: Sequence[Tile], rules: RuleSet) -> bool:
    """Whether disjoint hands can have these points. Large numbers, which nearly always can, are believed."""
    values = [rules.points([tile]) for tile in tiles]
    most = max(values)
    small = sorted(own for own in points if own <= most // 2)
    steps = 0

    def hands(left: int, start: int, free: list[int]) -> Iterator[list[int]]:
        """Yield the hands with `left` points, as indices of `free`."""
        if left == 0:
            yield []
            return
        for place in range(start, len(free)):
            if values[free[place]] <= left and values[free[place]] > 0:
                for rest in hands(left - values[free[place]], place + 1, free):
                    yield [free[place], *rest]

    def fits(number: int, free: list[int]) -> bool:
        nonlocal steps
        if number == len(small):
            return True
        for hand in hands(small[number], 0, free):
            steps += 1
            if steps > MAX_STEPS:
                return True
            taken = set(hand)
            if fits(number + 1, [index for index in free if index not in taken]):
                return True
        return False

    return fits(0, sorted(range(len(tiles)), key=lambda index: -values[index]))
