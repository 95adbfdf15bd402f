"""The speed of other libraries in random play of card games and dominoes on this machine, by CPU time.

Runs in a separate environment that has these libraries and needs nothing of ours:

    python3 -m venv peers && peers/bin/pip install open-spiel rlcard
    python -m bench.record --peers peers/bin/python      # writes bench/peers.json, and docs/performance.md anew

Methods: "C++ rollouts" runs OpenSpiel's tree search for a single simulation with many random play-outs from a dealt
table, all in C++; the difference between two numbers of play-outs excludes the work before them. "Python loop" asks a
game for its legal actions and plays one, as a Python program must. An action is a decision of a player; chance actions
take time but are not counted. Prints JSON.
"""

from __future__ import annotations

import json
import platform
import random
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

OPEN_SPIEL = (
    "crazy_eights(players=4)",
    "hearts",
    "spades",
    "euchre",
    "oh_hell(players=4)",
    "go_fish",
    "gin_rummy",
    "python_block_dominoes",
)
RLCARD = ("uno", "gin-rummy")
REPEATS = 5


def best(work: Callable[[], float]) -> float:
    """The largest of several measurements of a rate."""
    return max(work() for _ in range(REPEATS))


def advance(state: Any, rng: random.Random) -> None:
    """Let chance act until a player must decide."""
    while state.is_chance_node():
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(rng.choices(outcomes, chances)[0])


def playout(state: Any, rng: random.Random) -> int:
    """Play a position to its end at random; returns the number of decisions."""
    actions = 0
    advance(state, rng)
    while not state.is_terminal():
        state.apply_action(rng.choice(state.legal_actions()))
        actions += 1
        advance(state, rng)
    return actions


def open_spiel_game(pyspiel: Any, name: str) -> list[dict[str, Any]]:
    """The rows for a game of OpenSpiel."""
    game, rng = pyspiel.load_game(name), random.Random(1)
    label = name.removeprefix("python_").partition("(")[0]
    common = {"library": "OpenSpiel", "game": label, "players": game.num_players()}

    def loop() -> float:
        began = time.process_time()
        actions = sum(playout(game.new_initial_state(), rng) for _ in range(50))
        return actions / (time.process_time() - began)

    dealt = game.new_initial_state()
    advance(dealt, rng)
    per_game = sum(playout(dealt.clone(), rng) for _ in range(300)) / 300
    rows = [{**common, "way": "Python loop", "actions_per_game": per_game, "actions_per_second": best(loop)}]
    if name.startswith("python_"):
        return rows

    def rollouts() -> float:
        seconds = []
        for count in (100, 1100):
            bot = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(count, 1), 1.0, 1, 100, False, 1, False)
            began = time.process_time()
            bot.step(dealt)
            seconds.append(time.process_time() - began)
        return per_game * 1000 / (seconds[1] - seconds[0])

    rows.append({**common, "way": "C++ rollouts", "actions_per_game": per_game, "actions_per_second": best(rollouts)})
    return rows


def rlcard_game(rlcard: Any, name: str) -> dict[str, Any]:
    """The row for a game of RLCard, which is written in Python."""
    from rlcard.agents import RandomAgent

    environment = rlcard.make(name, config={"seed": 1})
    environment.set_agents([RandomAgent(num_actions=environment.num_actions) for _ in range(environment.num_players)])
    played = []

    def loop() -> float:
        began = time.process_time()
        actions = 0
        for _ in range(20):
            trajectories, _ = environment.run(is_training=False)
            # For each player: state, action, state, …, last state.
            actions += sum(len(trajectory) // 2 for trajectory in trajectories)
        played.append(actions / 20)
        return actions / (time.process_time() - began)

    rate = best(loop)
    return {
        "library": "RLCard",
        "game": name.replace("-", "_"),
        "players": environment.num_players,
        "way": "Python loop",
        "actions_per_game": sum(played) / len(played),
        "actions_per_second": rate,
    }


def main() -> None:
    """Measure all and print JSON."""
    import open_spiel.python.games  # noqa: F401 (registers the games that are written in Python)
    import pyspiel
    import rlcard

    rows = [row for name in OPEN_SPIEL for row in open_spiel_game(pyspiel, name)]
    rows += [rlcard_game(rlcard, name) for name in RLCARD]
    names = {"open-spiel": "OpenSpiel", "rlcard": "RLCard"}
    versions = {**{shown: version(name) for name, shown in names.items()}, "Python": platform.python_version()}
    print(json.dumps({"versions": versions, "rows": rows}))


if __name__ == "__main__":
    main()
