"""A small search with bulk play-outs: `python examples/search_backend.py [ROUNDS]`.

Seat 0 searches, the other seats play at random. At each of its decisions it samples worlds: hands, boneyard and draws
that are consistent with everything that it has seen. In each world it tries every legal move, and random players play
the round to its end. It makes the move after which it has the fewest points on average.

It builds no tree, assumes that the others play at random, and infers nothing from their choices. So it is a starting
point for your own search, not a strong player.
"""

import random
import sys

import numpy as np

from mextrain import Move, Position, RuleSet, WorldSampler
from mextrain_core.bulk.rollout import play_copies
from mextrain_core.game.turn import play_unchecked
from mextrain_core.model.state import new_states

WORLDS = 100


def expected_points(position: Position, seed: int) -> dict[Move, float]:
    """The mean points of the seat on move after each of its legal moves, over the same worlds for all moves."""
    rules, seat, moves = position.rules, position.seat, position.legal_moves()
    worlds = WorldSampler(position, seat, seed).states(WORLDS)
    # One copy of every world for each move. The key of a world decides all draws and random choices, so all moves are
    # compared under the same random numbers.
    states = np.tile(worlds, len(moves))
    for k in range(len(states)):
        play_unchecked(states, k, rules.record, None, np.uint64(moves[k // WORLDS].code))
    points, facts = np.zeros((len(states), rules.players), np.int64), np.zeros((len(states), 7), np.int32)
    everybody_random = np.zeros(rules.players, np.uint8)
    copies = np.arange(len(states), dtype=np.uint32)
    play_copies(states, rules.record, everybody_random, copies, states["key"].copy(), new_states(1), points, facts)
    means = points[:, seat].reshape(len(moves), WORLDS).mean(axis=1)
    return dict(zip(moves, means.tolist(), strict=True))


def choose(position: Position, seed: int) -> Move:
    """The move with the fewest expected points; a single legal move is made without a search."""
    moves = position.legal_moves()
    if len(moves) == 1:
        return moves[0]
    expected = expected_points(position, seed)
    return min(expected, key=expected.__getitem__)


def main() -> None:
    """Play some rounds and print the mean points of each seat."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    rules, chance = RuleSet.mexican(players=4), random.Random(1)
    points = []
    for game in range(rounds):
        position = Position.deal(rules, seed=1, game=game)
        while not position.over:
            if position.seat == 0:
                position.play(choose(position, seed=chance.getrandbits(64)))
            else:
                position.play(chance.choice(position.legal_moves()))
        points.append(position.points)
    print(f"mean points over {rounds} rounds (seat 0 searches):", *np.mean(points, axis=0).round(1))


if __name__ == "__main__":
    main()
