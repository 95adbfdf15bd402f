"""The policy ``cautious`` for the number sets, as lane code (``policies.cautious_value`` for one game).

All its values are even, so half of them is compared here, with OFFSET added, so that every play has more than 0. The
value of a play does not depend on the train, unless it is the own one, nor that of a double on any train: so the plays
are compared in a few classes, of which the best of each is the one with the highest new half.
"""

from typing import Any, NamedTuple

from mextrain_core.lockstep import lanes

OFFSET = 128

CLOSES, FOLLOWED = 4, 3
"""Worth of closing the own train; of an own end that a tile of the hand fits, lost if none does."""

FOLLOWED_DOUBLE, LONE_DOUBLE = 10, -100


class Bonuses(NamedTuple):
    """What plays are worth besides their points: Vecs, or ints where all lanes are alike."""

    closes: Any
    followed: Any
    followed_double: Any
    lone_double: Any


def bonuses(turn: Any, heavy: Any) -> Bonuses:
    """The bonuses of each lane; ``heavy``: Mask of the lanes that play ``heaviest``, with no bonuses, or None."""
    closes = turn.marked.has(turn.seat).pick(CLOSES, 0)
    if heavy is None:
        return Bonuses(closes, FOLLOWED, FOLLOWED_DOUBLE, LONE_DOUBLE)
    w = turn.w
    worth = [heavy.pick(0, w.const(number)) for number in (FOLLOWED, FOLLOWED_DOUBLE, LONE_DOUBLE)]
    return Bonuses(heavy.pick(0, closes), *worth)


def is_last_tile(turn: Any) -> Any:
    """Mask: the seat to move holds a single tile, the drawn one included. All its plays are then equally good."""
    mine = lanes.any_of(
        [turn.seat.has(1 << seat).pick(turn.w.load(turn.at.tiles + seat), 0) for seat in range(turn.rules.players)]
    )
    return (mine - turn.needs.ones()).equals(1)


def top_of(plays: Any, worth: Any) -> tuple[Any, Any]:
    """The highest of the new halves ``plays`` (one-hot) and its value, ``worth`` more than the half; 0 for none."""
    below = lanes.smear(plays)
    return below - (below >> 1), plays.differs(0).pick(below.count() + worth, 0)


def best_doubles(rows: list[Any], turn: Any, worth: Bonuses, blank: Any) -> list[tuple[Any, Any]]:
    """The candidates among doubles: (bit set of halves, value) of each kind."""
    doubles = lanes.any_of([row & end for row, end in zip(rows, turn.ends, strict=True)])
    followed = lanes.any_of(
        [(row & ~end).differs(0).pick(end, 0) for row, end in zip(turn.fitting, turn.ends, strict=True)]
    )
    found = []
    for plays, bonus in ((doubles & followed, worth.followed_double), (doubles & ~followed, worth.lone_double)):
        others = plays & ~1
        below = lanes.smear(others)
        found.append((below - (below >> 1), others.differs(0).pick((below.count() << 1) + bonus + (OFFSET - 2), 0)))
        found.append((plays & 1, plays.has(1).pick(blank + bonus + OFFSET, 0)))
    return found


def cautious_plays(turn: Any, rows: list[Any], blank: Any, heavy: Any) -> tuple[list[Any], Any]:
    """The plays of highest value among ``rows`` (new halves by train), and a mask: where stopping is better.

    ``blank``: points of 0-0. ``heavy``: see ``bonuses``.
    """
    worth = bonuses(turn, heavy)
    seats = range(turn.rules.players)
    own_row = lanes.any_of([turn.seat.has(1 << seat).pick(rows[seat], 0) for seat in seats])
    own_end = lanes.any_of([turn.seat.has(1 << seat).pick(turn.ends[seat], 0) for seat in seats])
    own_row = own_row & ~own_end
    fits = [(row & ~own_end).differs(0).pick(1 << half, 0) for half, row in enumerate(turn.hand)]
    followed = lanes.any_of(fits)
    base = lanes.index(own_end) + worth.closes + (OFFSET - 1)
    own = [top_of(own_row & followed, base + worth.followed), top_of(own_row & ~followed, base - worth.followed)]
    elsewhere = []
    for t, (row, end) in enumerate(zip(rows, turn.ends, strict=True)):
        others = row & ~end
        if t in seats:
            others = turn.seat.has(1 << t).pick(0, others)
        elsewhere.append(top_of(others, lanes.index(end) + (OFFSET - 1)))
    doubles = best_doubles(rows, turn, worth, blank)
    best = lanes.greatest([value for _, value in (*own, *elsewhere, *doubles)])

    def best_of(found: list[tuple[Any, Any]]) -> Any:
        return lanes.any_of([value.equals(best).pick(plays, 0) for plays, value in found])

    own_kept, doubles_kept = best_of(own), best_of(doubles)
    last = is_last_tile(turn)
    kept = []
    for t, (row, end) in enumerate(zip(rows, turn.ends, strict=True)):
        here = best_of([elsewhere[t]])
        if t in seats:
            here = turn.seat.has(1 << t).pick(own_kept, here)
        kept.append(last.pick(row, here | row & end & doubles_kept))
    return kept, (best < OFFSET) & ~last
