"""Who meets whom in a tournament, and in which seatings (docs/statistics.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

FORMATS = ("pairs", "table")
"""The ways to assign policies to tables."""


class Group(NamedTuple):
    """Policies that meet, by index, and their seatings: in each seating, a policy for each seat."""

    members: tuple[int, ...]
    seatings: tuple[tuple[int, ...], ...]

    def seats(self) -> int:
        """Number of seats that each member has in all seatings of a deal."""
        return len(self.seatings) * len(self.seatings[0]) // len(self.members)


def groups_of(format: str, policies: int, players: int) -> list[Group]:
    """Return the groups of policies that meet, with their seatings."""
    if format == "table":
        return [Group(tuple(range(policies)), rotations(tuple(range(policies))))]
    groups = []
    for first, second in combinations(range(policies), 2):
        there = tuple((first, second)[seat % 2] for seat in range(players))
        back = tuple((second, first)[seat % 2] for seat in range(players))
        groups.append(Group((first, second), tuple(dict.fromkeys(rotations(there) + rotations(back)))))
    return groups


def rotations(seating: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the different rotations of a seating."""
    return tuple(dict.fromkeys(seating[turn:] + seating[:turn] for turn in range(len(seating))))


def pairs_of(groups: Sequence[Group]) -> Iterator[tuple[Group, int, int]]:
    """Yield every two policies that meet, in the order of the sums."""
    for group in groups:
        for first, second in combinations(group.members, 2):
            yield group, first, second
