"""Compiles kernels ahead of time, so that neither a first game nor many new processes wait for the compiler.

Kernels are compiled on their first call and cached on disk (docs/installing.md). `warmup` calls each kind once.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from mextrain.bulk.callbacks import Batch, BatchPolicy
from mextrain.bulk.results import Rounds
from mextrain.bulk.seat_policies import Seats
from mextrain.bulk.simulate import simulate
from mextrain.errors import MextrainError, shown
from mextrain.game.rules import RuleSet
from mextrain.game.starters import next_starter
from mextrain.hidden.beliefs import beliefs
from mextrain.hidden.knowledge import information_key
from mextrain.hidden.observation import Layout, expand, legal_mask, observe
from mextrain.hidden.sampler import WorldSampler, determinize
from mextrain.position import Position
from mextrain.records import replay
from mextrain.searches.settings import METHODS
from mextrain.study.analysis import analyse
from mextrain.study.planner import GOALS, first_hands, longest_chain, plan
from mextrain.study.search import search
from mextrain_core.bulk.replay import Recorded, replay_rounds
from mextrain_core.bulk.rollout import SeatPolicies, play_games_calling
from mextrain_core.bulk.samples import Samples, replay_decisions
from mextrain_core.compiler.cache import cache_folder
from mextrain_core.compiler.jit import kernel_counts
from mextrain_core.model.state import new_states


@dataclass(frozen=True)
class Warmup:
    """The result of `warmup`: seconds by part, the numbers of kernels compiled and loaded, and the cache folder.

    `folder` is None if no folder can be used. Then each process compiles again.
    """

    folder: str | None
    compiled: int
    loaded: int
    seconds: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f"{part:<28}{seconds:6.1f} s" for part, seconds in self.seconds.items()]
        lines.append(f"{'all':<28}{sum(self.seconds.values()):6.1f} s")
        lines.append(f"{self.compiled} kernels compiled, {self.loaded} loaded from the cache")
        lines.append(f"cache: {self.folder or 'none can be written, so each process compiles'}")
        return "\n".join(lines)


def warmup(tell: Callable[[str], object] | None = None) -> Warmup:
    """Compile or load the kernels for commands, `simulate`, `Position`, hidden information, the planner and archives.

    `tell` is called with the name of each part before it begins. A cold start takes about a minute, a warm start about
    a second. The C functions of `mextrain.c.interface` are compiled when that module is imported. Raises
    `MextrainError` if `tell` is neither None nor callable.
    """
    if tell is not None and not callable(tell):
        raise MextrainError(f"tell = {shown(tell)}: expected None or a function that takes a text")
    before = kernel_counts()
    seconds = {}
    for name, part in PARTS.items():
        if tell:
            tell(name)
        began = time.perf_counter()
        part()
        seconds[name] = time.perf_counter() - began
    compiled, loaded = (now - then for now, then in zip(kernel_counts(), before, strict=True))
    return Warmup(cache_folder(), compiled, loaded, seconds)


RULES = RuleSet.mexican(2, rounds=1)


def _bulk_play() -> None:
    """Call every kernel that `games_kernel` can choose: by preset, for small and large tables, and the general one."""
    for preset in (RuleSet.mexican, RuleSet.super):
        for players in (2, 4, 8):
            for keep in (False, True):
                simulate(preset(players, rounds=1), games=1, record_actions=keep, backend="scalar")
        simulate(preset(2, rounds=1), games=1, policies="heaviest", backend="scalar")
    for double_rule in ("cover", "chicken_foot"):
        simulate(RULES.replace(double_rule=double_rule), games=1, backend="scalar")


def _callbacks() -> None:
    simulate(RULES, games=1, policies=BatchPolicy(Batch.random_moves))
    seats, nothing = Seats.of("random", RULES.players), Rounds.empty(0, RULES.rounds, RULES.players)
    job = (np.uint64(0), np.uint64(0), 0, nothing.points, nothing.facts, np.empty(0, np.uint16))
    play_games_calling(new_states(2), 0, RULES.record, SeatPolicies(seats.ids, seats.addresses), *job)


def _positions() -> None:
    position = Position.deal(RULES, seed=0)
    position.play_unchecked(position.legal_moves()[0])
    position.undo()
    while not position.over:
        position.action_mask()
        position.is_legal(position.legal_ids()[0])
        position.play(position.legal_moves()[0])
    replay(position.record(legal=True))
    Position.from_line(position.line())
    # Given hands and a given draw, which `setup` and explicit chance use.
    explicit = position.restart()
    Position.setup(RULES, engine=explicit.engine, starter=0, hands=explicit.hands)
    next_starter(RULES, 0, None)


def _hidden_information() -> None:
    position = Position.deal(RULES, seed=0)
    information_key(position, 0)
    legal_mask(position, 0)
    expand(observe(position, 0), 1)
    WorldSampler(position, 0, seed=0).states(1)
    beliefs(position, 0, samples=20)
    determinize(position.line(for_seat=0, events=True), 0, 0)


def _planner() -> None:
    simulate(RULES, games=1, policies=["planner", "expert"])
    for goal in GOALS:
        plan("0-1 1-2", 0, goal=goal, count=goal != "finish")
    first_hands(RULES, 1)
    longest_chain([(0, 1)])


def _searches() -> None:
    position = Position.deal(RULES, seed=0)
    while len(position.legal_moves()) < 3:
        position.play(position.legal_moves()[0])
    for method in METHODS:
        search(position, method=method, playouts=96)
    while not (position.over or position.draws):
        position.play(position.legal_moves()[-1])
    analyse(position, playouts=32, luck_playouts=2)
    simulate(RULES, games=1, policies=["flat:32", "counting"])


def _archives() -> None:
    none = np.empty(0, np.uint64)
    codes = np.empty(0, np.uint8)
    recorded = Recorded(none, codes, codes, np.zeros(1, np.int64), np.empty(0, np.uint16))
    nothing = Rounds.empty(0, 1, RULES.players)
    here = (new_states(1), 0, RULES.record)
    replay_rounds(*here, np.uint64(0), recorded, nothing.points[:, 0], nothing.facts[:, 0])
    words, numbers = np.empty((0, 1), np.uint64), np.empty(0, np.int64)
    results = (nothing.points[:, 0], nothing.facts[:, 0])
    samples = Samples(words, words, np.empty(0, np.uint16), codes, numbers, np.empty(0, np.uint16), *results)
    replay_decisions(*here, numbers, none, recorded, Layout(RULES).offsets, numbers, samples)


PARTS: dict[str, Callable[[], None]] = {
    "bulk play": _bulk_play,
    "policies of your own": _callbacks,
    "positions and records": _positions,
    "hidden information": _hidden_information,
    "planner": _planner,
    "searches": _searches,
    "archives": _archives,
}
"""The parts to compile, in order. Most people wait for the first one."""
