"""Who starts a round (docs/rules.md, section 3; option `starter`)."""

from __future__ import annotations

from mextrain.game.rules import RuleSet


def next_starter(rules: RuleSet, starter: int, winner: int | None, rounds: int = 1) -> int | None:
    """Return who starts the round that comes `rounds` rounds after one of the same match.

    That one was started by `starter` and won by `winner`, None if it was blocked. None is a seat that is drawn, or
    that depends on a round in between.
    """
    if isinstance(rules.starter, int):
        return rules.starter
    if rules.starter == "rotate":
        return (starter + rounds) % rules.players
    return winner if rules.starter == "winner" and rounds == 1 else None
