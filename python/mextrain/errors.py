"""All errors that `mextrain` raises on purpose.

Errors that a caller can fix derive from `MextrainError`, so `except MextrainError` catches exactly these. Each message
names the value, and says what was expected and what to do. All errors can be pickled, so worker processes can return
them.
"""

from __future__ import annotations

import difflib
import reprlib
from collections.abc import Iterable
from dataclasses import dataclass

MAX_SHOWN = 200
"""The most characters of a value that a message shows."""

MAX_TEXT = 500
"""The most characters that a message quotes of a foreign text, such as the message of another library."""

MAX_MISSING = 5
"""The most missing things that a message lists."""

MAX_LISTED = 20
"""The most problems that a message lists. The attribute `problems` of the error holds all of them."""


def shown(value: object) -> str:
    """Return `value` as a short one-line text for messages: `none` for None, long values shortened."""
    if value is None:
        return "none"
    short = reprlib.Repr()
    short.maxstring = short.maxother = short.maxlong = 60
    try:
        return one_line(short.repr(value), MAX_SHOWN)
    except Exception:
        # A failing repr must not hide the actual error.
        return f"<{type(value).__name__}>"


def one_line(text: str, limit: int = MAX_TEXT) -> str:
    """Return `text` on one line. If it is longer than `limit` characters, its middle is cut out."""
    line = " ".join("".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text).split())
    return line if len(line) <= limit else f"{line[: limit * 3 // 4]} … {line[-(limit // 4) + 3 :]}"


def nearest(value: object, known: Iterable[str]) -> str:
    """Return `did you mean …?` with the name in `known` most similar to `value`; empty if none is similar."""
    if not isinstance(value, str) or len(value) > MAX_SHOWN:
        return ""
    near = difflib.get_close_matches(value, list(known), n=1)
    return f"did you mean {near[0]}?" if near else ""


class MextrainError(ValueError):
    """The base class of all errors that a caller caused and can fix."""


@dataclass(frozen=True)
class Problem:
    """One problem with a set of rules or with the line of a position.

    `name` is the option (or `preset`) or the field, `value` what was given, `expected` what is accepted, and `remedy`
    what to change.
    """

    name: str
    value: object
    expected: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.name} = {shown(self.value)}: expected {self.expected}; {self.remedy}"


def _listed(what: str, problems: tuple[Problem, ...]) -> str:
    """`what` with the problems, on one line."""
    if len(problems) == 1:
        return f"{what}: {problems[0]}"
    missing = [problem for problem in problems if problem.value is None]
    # A text that lacks nearly everything is usually no such text at all.
    left_out = {id(problem) for problem in missing[MAX_MISSING:]}
    told = [problem for problem in problems if id(problem) not in left_out][:MAX_LISTED]
    listed = "  ".join(f"({number}) {problem}." for number, problem in enumerate(told, 1))
    more = f"  … and {len(problems) - len(told):,} more." if len(problems) > len(told) else ""
    return f"{what}, {len(problems):,} problems: {listed}{more}"


class RuleError(MextrainError):
    """Rules that cannot be played. `problems` lists everything wrong with them, not only the first problem."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return _listed("the rules cannot be played", self.problems)


class TileError(MextrainError):
    """A text or value that is not a tile, or not a tile of the set in question."""


class MoveError(MextrainError):
    """A text, code or action id that is not a move for the set and number of players."""


class IllegalMove(MoveError):
    """A move that exists, but that the rules forbid in the given position."""


class SeedError(MextrainError):
    """A seed or game number outside the range for which the random streams are defined."""


class PositionError(MextrainError):
    """A position text that cannot be read or describes an impossible position, or arguments that a position rejects.

    `problems` lists everything wrong with the line of a position. For other errors it is empty.
    """

    def __init__(self, reason: str, problems: Iterable[Problem] = ()) -> None:
        self.reason = reason
        self.problems = tuple(problems)
        super().__init__(reason, self.problems)

    def __str__(self) -> str:
        return _listed(self.reason, self.problems) if self.problems else self.reason


class PolicyError(MextrainError):
    """An unknown policy name, or a list of policies that does not fit the seats."""


class RecordError(MextrainError):
    """A round record that cannot be read or replayed.

    `line` is the line of the file, from 1; `event` is the event of the round, from 0. Either may be None.
    """

    def __init__(self, reason: str, line: int | None = None, event: int | None = None) -> None:
        self.reason = reason
        self.line = line
        self.event = event
        super().__init__(reason, line, event)

    def __str__(self) -> str:
        places = [f"{name} {at}" for name, at in (("line", self.line), ("event", self.event)) if at is not None]
        return f"{', '.join(places)}: {self.reason}" if places else self.reason


class ArchiveError(MextrainError):
    """An archive with invalid rows or files.

    `shard` is the path of the file within the archive's folder; `row` is the round in the shard, from 0; `action` is
    the move of the round, from 0. Each of them may be None.
    """

    def __init__(
        self, reason: str, shard: str | None = None, row: int | None = None, action: int | None = None
    ) -> None:
        self.reason = reason
        self.shard = shard
        self.row = row
        self.action = action
        super().__init__(reason, shard, row, action)

    def __str__(self) -> str:
        numbers = [f"{name} {at}" for name, at in (("row", self.row), ("action", self.action)) if at is not None]
        places = [*([self.shard] if self.shard else []), *numbers]
        return f"{', '.join(places)}: {self.reason}" if places else self.reason


class MissingExtra(MextrainError):
    """An optional feature was requested, but its library is not installed."""

    def __init__(self, library: str, extra: str) -> None:
        self.library = library
        self.extra = extra
        super().__init__(library, extra)

    def __str__(self) -> str:
        return (
            f"the library {self.library} is not installed, and this part needs it: "
            f"install it with pip install 'mextrain[{self.extra}]'"
        )


class InternalError(RuntimeError):
    """`mextrain` reached an impossible state. This is a bug; the message holds what is needed to report it."""
