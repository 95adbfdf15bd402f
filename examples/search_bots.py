"""Two bots that search, without any training: `python examples/search_bots.py [DEALS]`.

The first one is built in: `improve:100` tries moves in 100 play-outs a decision. It meets the policy `cautious`.

The second one plays no round to its end. After each of its moves it values the position with a function for whole
batches, which is where a network would go. Here the function is a guess by hand. Its opponent always lays the tile with
the most points.
"""

import sys

import numpy as np

from mextrain import Batch, Position, RuleSet, search, tournament

RULES = RuleSet.mexican(players=2, rounds=1)


def guess(batch: Batch) -> np.ndarray:
    """The expected points of every seat, float64[len(batch), players], from what the seats to move see."""
    sizes = batch.views["hand_count"][:, : batch.rules.players].astype(float)
    # Whoever has fewer tiles goes out first, and the other one is left with some of its tiles, 12 points each.
    return 12.0 * np.maximum(sizes - 0.7 * sizes[:, ::-1], 0.0)


def choose(position: Position, seed: int) -> str:
    """The move of the second bot: every move meets the same 32 worlds."""
    playouts = 32 * len(position.legal_moves())
    return search(position, playouts=playouts, block=32, value=guess, drop=None, seed=seed).best_text


def heaviest(position: Position) -> str:
    """The legal move that lays the most points."""

    def points(move: str) -> int:
        return 0 if move == "stop" else position.rules.points([move.partition("@")[0]])

    return max(position.legal_texts(), key=points)


def play(game: int, bot: int) -> tuple[int, int]:
    """A round in which the second bot has the seat `bot`; returns its points and those of its opponent."""
    position = Position.deal(RULES, seed=1, game=game)
    while not position.over:
        position.play(choose(position, seed=game) if position.seat == bot else heaviest(position))
    return position.points[bot], position.points[1 - bot]


def main() -> None:
    """Print how both bots do."""
    deals = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    print(tournament(RULES, "improve:100,cautious", deals=deals, seed=1))
    rounds = [play(game, bot) for game in range(deals) for bot in (0, 1)]
    ours, theirs = np.mean(rounds, axis=0)
    print(f"\nthe bot with a value function: {ours:.1f} points a round, its opponent: {theirs:.1f}")


if __name__ == "__main__":
    main()
