"""`Snapshot`: the contents of a position's line, as values (docs/formats.md).

A snapshot holds everything that affects later play. It may also hold the events of the round so far, which show what
each seat has revealed about its hand. Hands and the boneyard may be hidden, so that one player's view can be written as
well. Only a snapshot without hidden places can be played on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from mextrain.game.read_only import OpenDouble, Train
from mextrain.game.rules import RuleSet
from mextrain.game.seeding import STREAM
from mextrain.game.tiles import Half, Tile

FORMAT = "mextrain-position/1"
"""The first word of a line. Any change to the meaning of a line gets a new version."""

EVENTS_FORMAT = "mextrain-position/2"
"""The first word of a line that also has the field `events`; the other fields are the same."""

PHASES = ("decision", "draw", "forced-draw", "out", "blocked")
"""What comes next: a decision, a draw by the caller, or nothing, because the round is over."""

OVER = ("out", "blocked")
OWES = ("required", "bonus", "chain", "nothing")
DIRECTIONS = {"clockwise": 1, "counterclockwise": -1}
COUNTS = ("turns", "plays", "draws", "attempts")

EARLIER = "earlier"
"""`Snapshot.drew` if the seat drew earlier in this turn, but not for the play owed now."""

UNSEEN = "?"
"""`Snapshot.drew` if a tile was drawn for the play owed and it is hidden."""

FIELDS = (
    "rules", "engine", "starter", "counts", "seat", "phase", "owes", "drew", "opening", "openings", "trains", "doubles",
    "toes", "pending", "hand", "boneyard", "laid", "chance",
)  # fmt: skip
"""The fields of a line in order. There is one field `hand` for each seat."""

EVENTS = "events"
"""The last field of a line of `EVENTS_FORMAT`."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """A hand or boneyard whose tiles are unknown except for their number."""

    size: int

    def __len__(self) -> int:
        return self.size


Place = tuple[Tile, ...] | Hidden
"""The tiles of a hand or of the boneyard."""


class TrainState(NamedTuple):
    """One train: its ends (none if it is not started), and whether its owner's marker is up (never for M)."""

    ends: tuple[Half, ...]
    open: bool


class Counts(NamedTuple):
    """The counters of a position, with the same names as its properties."""

    turns: int
    plays: int
    draws: int
    attempts: int


class Chance(NamedTuple):
    """What decides the draws: `hidden` (not in the line), `explicit` (the caller), `order`, or `stream` with its `key`.

    With `order`, the boneyard of the snapshot is in drawing order.
    """

    kind: str
    key: int | None = None


@dataclass(frozen=True)
class Snapshot:
    """The checked contents of a line.

    `owed` is one of `OWES`; `after` is the double that the required play follows, or None. `drew` is the tile drawn for
    the play owed, `UNSEEN`, `EARLIER` or None. `marked` is None unless the seat has already opened its train and may
    play only the drawn tile (`failed_cover` = `mark_and_play`); then it holds the doubles that the seat had to cover
    before the draw. `openings` are the seats whose opening turn is still to come. `doubles` are the open doubles, the
    oldest first; an unfinished foot keeps its toes with its double. `events` are the texts of all events of the round,
    with `?` for a drawn tile that is hidden, or None if the line does not have them.
    """

    rules: RuleSet
    engine: Tile
    starter: int
    counts: Counts
    seat: int
    direction: int
    phase: str
    owed: str
    after: OpenDouble | None
    drew: Tile | str | None
    marked: tuple[OpenDouble, ...] | None
    opening: bool
    openings: frozenset[int]
    trains: tuple[TrainState, ...]
    doubles: tuple[OpenDouble, ...]
    skip: bool
    penalty: bool
    hands: tuple[Place, ...]
    boneyard: Place
    laid: tuple[Tile, ...]
    chance: Chance
    events: tuple[str, ...] | None = None

    @property
    def over(self) -> bool:
        """Whether the round is over."""
        return self.phase in OVER

    @property
    def toes(self) -> tuple[Half, ...]:
        """The toes of the unfinished foot; empty if there is none."""
        return self.doubles[0].toes if self.doubles else ()

    @property
    def hidden(self) -> tuple[str, ...]:
        """The names of the hidden places, such as `hand 1` or `boneyard`; `draws` if events hide the tiles drawn."""
        places = (*((f"hand {seat}", hand) for seat, hand in enumerate(self.hands)), ("boneyard", self.boneyard))
        names = tuple(name for name, place in places if isinstance(place, Hidden))
        return (*names, "draws") if any(text.endswith(f" {UNSEEN}") for text in self.events or ()) else names

    def train(self, train: Train) -> TrainState:
        """Return the state of a train."""
        return self.trains[index_of(train, self.rules)]

    def __str__(self) -> str:
        """Return the line in canonical form."""
        return "; ".join(fields_of(self))


def index_of(train: Train, rules: RuleSet) -> int:
    """Return the core's number for a train."""
    return train if isinstance(train, int) else rules.players


def bound_doubles(
    rules: RuleSet, doubles: tuple[OpenDouble, ...], after: OpenDouble | None
) -> tuple[OpenDouble, ...]:
    """Return the open doubles that bind a required play. The play must go on one of them.

    `after` is the double that the play follows, or None.
    """
    inherited = tuple(double for double in doubles if double.inherited)
    if rules.double_rule == "chicken_foot":
        return doubles
    if inherited:
        return {"oldest": inherited[:1], "newest": inherited[-1:], "any": inherited}[rules.open_double_order]
    if rules.double_rule == "cover" and after is not None:
        return tuple(double for double in doubles if double.train == after.train)
    return ()


def marked_text(marked: tuple[OpenDouble, ...] | None) -> str:
    """Return the text that follows the drawn tile in a line."""
    if marked is None:
        return ""
    return f" marked for {' '.join(map(str, marked))}" if marked else " marked"


def fields_of(snapshot: Snapshot) -> Iterator[str]:
    """Yield the texts of the version and of all fields, in the order of the line."""
    options = snapshot.rules.to_dict()
    yield FORMAT if snapshot.events is None else EVENTS_FORMAT
    yield f"rules {options.pop('preset')} {' '.join(f'{name}={_value(value)}' for name, value in options.items())}"
    yield f"engine {snapshot.engine}"
    yield f"starter {snapshot.starter}"
    yield "counts " + " ".join(f"{name}={number}" for name, number in snapshot.counts._asdict().items())
    yield f"seat {snapshot.seat} {next(word for word, sign in DIRECTIONS.items() if sign == snapshot.direction)}"
    yield f"phase {snapshot.phase}"
    yield f"owes {snapshot.owed}" + (f" after {snapshot.after}" if snapshot.after else "")
    yield f"drew {_value(snapshot.drew)}{marked_text(snapshot.marked)}"
    yield f"opening {'yes' if snapshot.opening else 'no'}"
    yield _list("openings", sorted(snapshot.openings))
    yield "trains " + " ".join(_trains(snapshot))
    yield _list("doubles", [f"{double}{'' if double.inherited else ',new'}" for double in snapshot.doubles])
    yield _list("toes", snapshot.toes)
    yield _list("pending", [word for word, due in (("skip", snapshot.skip), ("draw", snapshot.penalty)) if due])
    for seat, hand in enumerate(snapshot.hands):
        yield _place(f"hand {seat}:", hand)
    yield _place("boneyard", snapshot.boneyard)
    yield _list("laid", snapshot.laid)
    yield f"chance {_chance(snapshot.chance)}"
    if snapshot.events is not None:
        yield _list(EVENTS, snapshot.events)


def _trains(snapshot: Snapshot) -> Iterator[str]:
    for index, (ends, is_open) in enumerate(snapshot.trains):
        name = "M" if index == snapshot.rules.players else str(index)
        yield f"{name}:{','.join(map(str, ends)) or '-'}{',open' if is_open else ''}"


def _chance(chance: Chance) -> str:
    return chance.kind if chance.key is None else f"{STREAM} {chance.key:016x}"


def _value(value: object) -> str:
    return "none" if value is None else str(value)


def _list(name: str, items: Iterable[object]) -> str:
    return f"{name} {' '.join(map(str, items)) or 'none'}"


def _place(name: str, place: Place) -> str:
    return f"{name} ?{place.size}" if isinstance(place, Hidden) else _list(name, place)
