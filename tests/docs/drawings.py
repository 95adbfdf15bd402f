"""The pictures in the pages that the code draws. `python -m tests.docs.generated` writes them."""

from __future__ import annotations

from collections.abc import Callable

from mextrain import Position, RuleSet, beliefs, plan
from mextrain.picture.svg import Picture
from tests.docs.pages import ROOT

FOLDER = ROOT / "docs" / "pictures"


def played(rules: RuleSet, seed: int, plays: int) -> Position:
    """A round after this many plays of the highest legal action."""
    position = Position.deal(rules, seed=seed)
    while position.plays < plays and not position.over:
        position.play(position.legal_moves()[-1])
    return position


def owing(rules: RuleSet, seed: int, plays: int) -> Position:
    """The first position from then on in which a double binds the seat to move."""
    position = played(rules, seed, plays)
    while not position.must_cover:
        position.play(position.legal_moves()[-1])
    return position


MEXICAN = RuleSet.mexican(players=4)
FEET = RuleSet.mexican(players=5, double_rule="chicken_foot")
NAMES = ("Ann", "Ben", "Cleo", "Dan")
HAND = "12-11 11-10 12-1 1-2 2-2 2-3 3-4 9-0 8-8"


def suggested() -> Picture:
    """A table with names and a suggestion."""
    position = played(MEXICAN, 11, 26)
    return position.svg(names=NAMES, suggest=position.legal_moves()[0])


def opening() -> Picture:
    """An opening turn that goes on after five tiles, a double among them."""
    position = Position.deal(MEXICAN, seed=17)
    for _ in range(5):
        position.play(position.legal_moves()[0])
    return position.svg(for_seat=position.seat, names=NAMES)


DRAWINGS: dict[str, Callable[[], Picture]] = {
    "table": suggested,
    "deal": lambda: Position.deal(MEXICAN, seed=11).svg(for_seat=0, names=NAMES),
    "places": lambda: played(MEXICAN, 7, 18).svg(for_seat=3, names=NAMES),
    "opening": opening,
    "blocked": lambda: played(RuleSet.mexican(players=3), 10, 1000).svg(names=NAMES[:3]),
    "seat": lambda: played(MEXICAN, 11, 26).svg(for_seat=2, theme="dark"),
    "double": lambda: owing(MEXICAN, 2, 20).svg(),
    "feet": lambda: owing(FEET, 4, 40).svg(),
    "super": lambda: played(RuleSet.super(players=5), 8, 50).svg(),
    "over": lambda: played(MEXICAN, 3, 1000).svg(),
    "plan": lambda: plan(HAND, 12, goal="finish").svg(),
    "beliefs": lambda: beliefs(played(MEXICAN, 11, 26), 2, samples=400).svg(),
}
"""By name of the file, without `.svg`."""


def write() -> None:
    """Write all drawings."""
    for name, draw in DRAWINGS.items():
        draw().save(FOLDER / f"{name}.svg")
