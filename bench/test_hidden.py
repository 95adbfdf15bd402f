"""Hidden information after 25 plays: samples along a chain and from a cold start, observations, keys."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bench.conftest import size
from mextrain import Layout, Position, RuleSet, WorldSampler
from mextrain.hidden.knowledge import PublicRecord
from mextrain_core.game.events import EVENT
from mextrain_core.hidden.evidence import begin_evidence, conclude_events, fold_events
from mextrain_core.hidden.observe import information_key, observe
from mextrain_core.hidden.sampler import next_placement, sample_worlds, warm_up
from mextrain_core.hidden.worlds import Public, open_worlds
from mextrain_core.model.state import new_states


@pytest.fixture
def position(rules: RuleSet) -> Position:
    """A round of random play after 25 tiles were laid, or at its end."""
    dice = random.Random(1)
    position = Position.deal(rules, seed=3)
    while position.plays < 25 and not position.over:
        position.play(dice.choice(position.legal_moves()))
    return position


def test_samples_along_a_chain(position: Position, timed: Callable[..., Any]) -> None:
    count = size(20, 2000)
    worlds = WorldSampler(position, 0, 1)
    states = new_states(count + 1)
    states[0] = position._states[0]
    arguments = (worlds._worlds, 0, worlds._record, states, 0, 1, count, *worlds._log)
    timed(lambda: sample_worlds(*arguments), count, "sample")
    assert (states["hand"][1:, 0] == states["hand"][0, 0]).all()


def test_first_sample(position: Position, timed: Callable[..., Any]) -> None:
    """Folding the log, opening the worlds, and the burn-in before the first sample."""
    count = size(5, 500)
    rules, public, worlds = position.rules.record, PublicRecord(position), WorldSampler(position, 0, 1)
    sizes = np.array([len(hand) for hand in position.start.hands], np.uint8)
    engine = np.uint64(position.rules.tiles.half_code(position.engine.high))
    states = new_states(2)
    states[0] = position._states[0]
    here, log, end = (public.tables, public.evidence, 0, rules), public.log, len(public.log)
    at = states["phase"][0], states["turns"][0]

    def run() -> None:
        for seed in range(count):
            begin_evidence(*here, engine, np.uint64(position.starter), sizes)
            fold_events(*here, log, 0, end)
            conclude_events(*here, *at)
            seen = Public(public.tables, public.evidence, 1)
            open_worlds(worlds._worlds, 0, rules, seen, states, 0, log, end, np.uint64(0), np.uint64(seed))
            warm_up(worlds._worlds, 0)
            next_placement(worlds._worlds, 0, rules, states, 1, *worlds._log)

    timed(run, count, "first sample")


def test_observation(position: Position, timed: Callable[..., Any]) -> None:
    count = size(20, 2000)
    layout, public = Layout(position.rules), PublicRecord(position)
    out = np.zeros(layout.words, np.uint64)
    arguments = (position._states, 0, position.rules.record, public.evidence, 1, np.uint64(0), layout.offsets, out)

    def run() -> None:
        for _ in range(count):
            observe(*arguments)

    timed(run, count, "observation")
    assert out.any()


def test_key(position: Position, timed: Callable[..., Any]) -> None:
    count = size(20, 2000)
    log = np.array(list(position.log), EVENT)
    out = np.zeros(2, np.uint64)
    arguments = (position._states, 0, position.rules.record, log, len(log), np.uint64(0), np.uint64(7), out)

    def run() -> None:
        for _ in range(count):
            information_key(*arguments)

    timed(run, count, "key")
    assert out.all()
