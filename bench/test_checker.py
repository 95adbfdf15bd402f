"""Speed relative to the rules in plain Python, with lists and sets (tests/reference)."""

from __future__ import annotations

import time

from bench.checker import play_plainly
from mextrain import RuleSet
from mextrain.benchmark import Effort, Job, measure

TIMES = 100
"""The factor that users can expect at least."""


def test_every_backend_is_far_ahead() -> None:
    job = Job(RuleSet.mexican(4))
    plain = play_plainly(job.rules, games=1)
    for run in measure([job], Effort(processes=1, repeats=3, seconds=0.02, cold=False)):
        assert run.turns_per_second > TIMES * plain.turns_per_second, (run, plain)


def test_both_play_the_same_games() -> None:
    began = time.thread_time()
    plain = play_plainly(RuleSet.mexican(2, rounds=2), games=3)
    assert 0 < plain.seconds < time.thread_time() - began
    assert plain.rounds == 6
    assert plain.checked
