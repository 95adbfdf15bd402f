"""The choices of the built-in policies, written as lane code (``policies.choose`` for one game).

Each policy restricts the legal plays to those of highest value; the attempt's word chooses uniformly among them.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from mextrain_core.bulk.policies import CAUTIOUS, COUNTING, HEAVIEST, POLICIES
from mextrain_core.lockstep import lanes
from mextrain_core.model.limits import MAX_PLAYERS

TOP_BLANK = 255
"""Points of 0-0 from which on more make no difference to a policy that compares points; ``counting`` adds them up."""

SEATS = {HEAVIEST: 8, CAUTIOUS: 8 + MAX_PLAYERS, COUNTING: 8 + 2 * MAX_PLAYERS}
"""Where the argument of a step has the bit set of the seats that play this policy; the others play ``random``."""

LOG_SHIFT = 8 + 3 * MAX_PLAYERS


def policy_obstacle(rules: Any, policies: Iterable[int]) -> str:
    """Why lane code cannot play these policies (ids by seat) under ``rules`` (a RULES struct); "" if it can."""
    asked = {*map(int, policies)}
    if not asked <= {policy.id for policy in POLICIES if policy.lanes}:
        return f"it plays the policies {', '.join(policy.name for policy in POLICIES if policy.lanes)}"
    if COUNTING in asked and int(rules["double_blank"]) > TOP_BLANK:
        return f"it plays counting only with double_blank up to {TOP_BLANK}"
    return ""


def argument_for(rules: Any, policies: Iterable[int]) -> int:
    """What a step must know at run time: points of 0-0, at most TOP_BLANK, and the seats of each policy (SEATS)."""
    number = min(int(rules["double_blank"]), TOP_BLANK)
    for seat, policy in enumerate(policies):
        if policy in SEATS:
            number |= 1 << (SEATS[policy] + seat)
    return number


class Choice(NamedTuple):
    """The choice of each lane; train, touch and new are one-hot, and undefined where no tile is played."""

    plays: Any
    """Mask: whether a tile is played."""
    train: Any
    touch: Any
    new: Any
    number: Any
    """Number of options: plays and ways to stop."""
    letter: Any = None
    """Kind of the tile's letter, one-hot, or 0; None in a number set."""


def heaviest(ends: list[Any], rows: list[Any], blank: Any) -> list[Any]:
    """The plays of most points among ``rows`` (new halves by train) on ``ends``; ``blank``: points of 0-0."""
    worths, tops = [], []
    for end, row in zip(ends, rows, strict=True):
        others = row & ~(end & 1)  # All except 0-0.
        below = lanes.smear(others)
        worths.append(others.differs(0).pick(lanes.index(end) + below.count(), 0))
        tops.append(below - (below >> 1))
    most = lanes.greatest(worths)
    blanks = [end & row & 1 for end, row in zip(ends, rows, strict=True)]
    most = lanes.any_of(blanks).differs(0).pick(most.max(blank + 1), most)
    blank_is_most = most.equals(blank + 1)
    return [
        worth.equals(most).pick(top, 0) | blank_is_most.pick(zero, 0)
        for worth, top, zero in zip(worths, tops, blanks, strict=True)
    ]


def choose(w: Any, ends: list[Any], rows: list[Any], stops: Any, words: tuple[Any, Any]) -> Choice:
    """Choose uniformly among the plays, in ascending order, and then ``stops`` ways to stop (Vec, or None for none).

    ``rows[t]``: the halves that may be laid on train t, whose end is ``ends[t]``; ``words``: the upper half of the
    attempt's word.
    """
    upto = []
    number = w.const(0)
    for row in rows:
        number = number + row.count()
        upto.append(number)
    k = lanes.below(*words, number if stops is None else number + stops)
    row, base, touch, train = rows[0], w.const(0), ends[0], w.const(1)
    for t in range(len(rows) - 1):
        beyond = k >= upto[t]
        row, base = beyond.pick(rows[t + 1], row), beyond.pick(upto[t], base)
        touch, train = beyond.pick(ends[t + 1], touch), beyond.pick(2 << t, train)
    return Choice(k < number, train, touch, lanes.kth_one(row, k - base), number)
