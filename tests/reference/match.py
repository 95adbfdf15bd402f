"""Rounds and whole matches played by policies (docs/rules.md sections 3 and 9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .options import Rules
from .policies import Policy, policy_of
from .rulebook import Round
from .stream import policy_word

Policies = str | Policy | Sequence[str | Policy]


@dataclass
class Match:
    """The rounds of a match in order, the totals by seat, and the seats that share the win."""

    rounds: list[Round]
    totals: list[int]
    winners: list[int]


def policies_by_seat(policies: Policies, players: int) -> list[Policy]:
    """One policy for everybody, or one for each seat."""
    if isinstance(policies, str) or callable(policies):
        return [policy_of(policies)] * players
    if len(policies) != players:
        raise ValueError(f"{len(policies)} policies for {players} players")
    return [policy_of(policy) for policy in policies]


def play_out(this: Round, policies: Policies) -> Round:
    """Play a dealt round to its end."""
    if this.key is None:
        raise ValueError("only a round dealt from a seed has numbers for policies")
    by_seat = policies_by_seat(policies, this.players)
    while (seat := this.seat) is not None:
        this.play(by_seat[seat](this, policy_word(this.key, this.attempt)))
    return this


def play_round(
    rules: Rules,
    seed: int,
    game: int,
    engine: str,
    starter: int | None,
    policies: Policies,
) -> Round:
    """A round dealt as in docs/determinism.md, played to its end."""
    return play_out(Round.dealt(rules, seed, game, engine, starter), policies)


def starter_of_round(rules: Rules, earlier: Sequence[Round]) -> int | None:
    """Section 11, starter: the seat that starts the round after the earlier ones; None when it is drawn."""
    if isinstance(rules.starter, int):
        return rules.starter
    if earlier and rules.starter == "rotate":
        return (earlier[-1].starter + 1) % rules.players
    if earlier and rules.starter == "winner":
        return earlier[-1].winner  # None, so drawn, after a blocked round
    return None


def winners_of(rules: Rules, points: Sequence[Sequence[int]]) -> list[int]:
    """The lowest total wins; equal totals share the win, unless tie_break is zeros. ``points``: by round and seat."""
    columns = list(zip(*points, strict=True))
    best = min(sum(column) for column in columns)
    winners = [seat for seat, column in enumerate(columns) if sum(column) == best]
    if rules.tie_break == "zeros":
        most = max(columns[seat].count(0) for seat in winners)
        winners = [seat for seat in winners if columns[seat].count(0) == most]
        if most < len(points):  # the lowest of all their other rounds
            lowest = min(other for seat in winners for other in columns[seat] if other > 0)
            winners = [seat for seat in winners if lowest in columns[seat]]
    return winners


def play_match(rules: Rules, seed: int, game: int, policies: Policies) -> Match:
    """All rounds of a match."""
    rounds: list[Round] = []
    totals = [0] * rules.players
    for engine in rules.engines:
        starter = starter_of_round(rules, rounds)
        played = play_round(rules, seed, game, engine, starter, policies)
        rounds.append(played)
        assert played.points is not None
        totals = [total + points for total, points in zip(totals, played.points, strict=True)]
    return Match(rounds, totals, winners_of(rules, [played.points or [] for played in rounds]))
