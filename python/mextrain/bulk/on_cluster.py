"""`survey` on a cluster: each task plays some games, and only their statistics come back."""

from __future__ import annotations

from contextlib import closing

from mextrain.bulk.backend import choose_backend
from mextrain.bulk.seat_policies import Seats
from mextrain.bulk.simulate import Games, Interrupted, Progress, survey
from mextrain.bulk.stats import Summary
from mextrain.cluster import connected

PART_ROUNDS = 1 << 18
"""Rounds of a task: enough that handing it out costs nothing beside them, few enough that a lost one is no pity."""

PARTS = 1 << 8
"""The number of tasks into which a small survey is divided nevertheless, as slow policies need many processors."""


def play_part(games: Games, number: int, start: int, stop: int) -> tuple[int, Summary]:
    """Play the games `start` … `stop` - 1 of those asked for, and return the number of the part and their statistics.

    It runs in a worker of a cluster, on one thread.
    """
    summary = survey(
        games.rules,
        games=stop - start,
        seed=games.seed,
        policies=games.policies,
        first_game=games.first_game + start,
        backend=games.backend,
    )
    return number, summary


def survey_on_cluster(cluster: str, games: Games, progress: Progress | None) -> Summary:
    """Return the statistics of the games; after Ctrl-C raise `Interrupted` with those of the first games."""
    # A backend that cannot play this is refused here, not by every task.
    choose_backend(games.backend, games.rules, Seats.of(games.policies, games.rules.players), 1)
    size = max(1, min(PART_ROUNDS // games.rules.rounds, games.games // PARTS))
    parts = ((start, min(start + size, games.games)) for start in range(0, games.games, size))
    calls = ((games, number, start, stop) for number, (start, stop) in enumerate(parts))
    total: Summary | None = None
    waiting: dict[int, Summary] = {}
    done = merged = 0

    def tick() -> None:
        if progress:
            progress(done, games.games)

    try:
        with connected(cluster) as nodes, closing(nodes.run(play_part, calls, tick)) as results:
            for number, part in results:
                waiting[number] = part
                done += part.games
                while merged in waiting:
                    part = waiting.pop(merged)
                    total = part if total is None else total + part
                    merged += 1
    except KeyboardInterrupt:
        raise Interrupted(total) from None
    assert total is not None
    if progress:
        progress(games.games, games.games)
    return total
