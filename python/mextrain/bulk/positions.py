"""Games of policies as positions: for records, replays and anything else that looks at single moves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mextrain.bulk.seat_policies import Seats
from mextrain.bulk.simulate import Simulation, check_games, simulate
from mextrain.game.moves import Move
from mextrain.game.rules import RuleSet, check_rules
from mextrain.game.seeding import check_game, check_seed
from mextrain.game.starters import next_starter
from mextrain.position import Position

CHUNK_GAMES = 100
"""Games whose moves are held in memory at the same time."""


def play_rounds(
    rules: RuleSet,
    *,
    games: int,
    seed: int = 0,
    policies: Any = "random",
    first_game: int = 0,
) -> Iterator[Position]:
    """Return an iterator over every round of these games, played to its end, in the order of games and rounds.

    These are the same games that `simulate` plays. `position.record()` is the record of a round. Raises `SeedError`,
    `PolicyError` or `MextrainError` at once for arguments that `simulate` would refuse.
    """
    check_rules(rules)
    seed, first_game = check_seed(seed), check_game(first_game, "first_game")
    games, seats = check_games(games, first_game), Seats.of(policies, rules.players)
    return _rounds(rules, games, seed, seats, first_game)


def _rounds(
    rules: RuleSet, games: int, seed: int, policies: Seats, first_game: int
) -> Iterator[Position]:
    for start in range(0, games, CHUNK_GAMES):
        chunk = min(CHUNK_GAMES, games - start)
        first = first_game + start
        played = simulate(
            rules, games=chunk, seed=seed, policies=policies, first_game=first, record_actions=True
        )
        for game in range(chunk):
            yield from rounds_of(played, game)


def rounds_of(played: Simulation, game: int) -> Iterator[Position]:
    """Yield the rounds of the game with index `game`, played to their ends; its moves must have been recorded."""
    rules = played.rules
    starter = rules.starter if isinstance(rules.starter, int) else None
    for number, engine in enumerate(rules.engines):
        position = Position.deal(
            rules, seed=played.seed, game=played.first_game + game, engine=engine, starter=starter
        )
        for code in played.actions_of(game, number).tolist():
            position.play_unchecked(Move.from_code(code))
        yield position
        starter = next_starter(rules, position.starter, position.winner)
