"""`Snapshot`: what the line of a position says, as values (docs/formats.md).

A snapshot holds what decides play from here on and nothing of how it came about. Hands and the boneyard may be hidden,
so that what one player sees can be written too; only a snapshot without hidden places can be played on.
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
"""The first word of a line; any change of what a line means is a new version."""

PHASES = ("decision", "draw", "forced-draw", "out", "blocked")
"""What comes next: a decision, a draw that the caller makes, or nothing, because the round is over."""

OVER = ("out", "blocked")
OWES = ("required", "bonus", "chain", "nothing")
DIRECTIONS = {"clockwise": 1, "counterclockwise": -1}
COUNTS = ("turns", "plays", "draws", "attempts")

EARLIER = "earlier"
"""`Snapshot.drew` when the turn has drawn, but not for the play that is owed now."""

UNSEEN = "?"
"""`Snapshot.drew` when the tile drawn for the play owed is hidden."""

FIELDS = (
    "rules", "engine", "starter", "counts", "seat", "phase", "owes", "drew", "opening", "openings", "trains", "doubles",
    "toes", "pending", "hand", "boneyard", "laid", "chance",
)  # fmt: skip
"""The fields of a line in order; `hand` stands for one field for each seat."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """A hand or boneyard of which only the number of tiles is known."""

    size: int

    def __len__(self) -> int:
        return self.size


Place = tuple[Tile, ...] | Hidden
"""A hand, or the boneyard."""


class TrainState(NamedTuple):
    """One train: its ends, none if it is not started, and whether its owner's marker is up (never for M)."""

    ends: tuple[Half, ...]
    open: bool


class Counts(NamedTuple):
    """The counters of a position, under the names of its properties."""

    turns: int
    plays: int
    draws: int
    attempts: int


class Chance(NamedTuple):
    """Who draws: `hidden` (the line does not say), `explicit` (the caller), `order` or `stream`, with its `key`.

    With `order` the boneyard of the snapshot is in the order of drawing.
    """

    kind: str
    key: int | None = None


@dataclass(frozen=True)
class Snapshot:
    """What a line says, checked.

    `owed` is one of `OWES`, `after` the double that the required play follows. `drew` is the tile drawn for the play
    owed, `UNSEEN`, `EARLIER` or None. `marked` is None, or the train has been opened already and only the drawn tile is
    left to play (`failed_cover` = `mark_and_play`): the doubles that it had to cover before the draw. `openings` are
    the seats whose opening turn is still to come. `doubles` are the open doubles, the oldest first; the toes of an
    unfinished foot stand with its double.
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

    @property
    def over(self) -> bool:
        """Whether the round is over."""
        return self.phase in OVER

    @property
    def toes(self) -> tuple[Half, ...]:
        """The toes of the unfinished foot, if there is one."""
        return self.doubles[0].toes if self.doubles else ()

    @property
    def hidden(self) -> tuple[str, ...]:
        """The places that are hidden: `hand 1`, `boneyard`."""
        places = (*((f"hand {seat}", hand) for seat, hand in enumerate(self.hands)), ("boneyard", self.boneyard))
        return tuple(name for name, place in places if isinstance(place, Hidden))

    def train(self, train: Train) -> TrainState:
        """Return how a train stands."""
        return self.trains[index_of(train, self.rules)]

    def __str__(self) -> str:
        """The line, in its canonical form."""
        return "; ".join(_fields(self))


def index_of(train: Train, rules: RuleSet) -> int:
    """Return the engine's number of a train."""
    return train if isinstance(train, int) else rules.players


def bound_doubles(
    rules: RuleSet, doubles: tuple[OpenDouble, ...], after: OpenDouble | None
) -> tuple[OpenDouble, ...]:
    """Return the open doubles on one of which a required play must go, `after` being the double that it follows."""
    inherited = tuple(double for double in doubles if double.inherited)
    if rules.double_rule == "chicken_foot":
        return doubles
    if inherited:
        return {"oldest": inherited[:1], "newest": inherited[-1:], "any": inherited}[rules.open_double_order]
    if rules.double_rule == "cover" and after is not None:
        return tuple(double for double in doubles if double.train == after.train)
    return ()


def marked_text(marked: tuple[OpenDouble, ...] | None) -> str:
    """Return what follows the drawn tile in a line."""
    if marked is None:
        return ""
    return f" marked for {' '.join(map(str, marked))}" if marked else " marked"


def _fields(snapshot: Snapshot) -> Iterator[str]:
    options = snapshot.rules.to_dict()
    yield FORMAT
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
