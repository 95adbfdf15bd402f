"""Jobs that together run every kind of kernel, each with a digest of its results; small enough to be interpreted.

`python -m tests.interpreted.games` prints the digests as one JSON object.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
from contextlib import suppress
from typing import Any

import numpy as np

from mextrain import (
    Batch,
    BatchEnv,
    BatchPolicy,
    IllegalMove,
    Layout,
    Position,
    PositionError,
    RuleSet,
    WorldSampler,
    count_worlds,
    information_key,
    observe,
    plan,
    search,
    simulate,
)
from mextrain.env import ACTION_FEATURES, TABLE_FEATURES
from mextrain.hidden.observation import expand, legal_mask
from mextrain.study.planner import first_hands, longest_chain
from mextrain_core.bulk.expert_policy import choose_expert
from mextrain_core.bulk.planner_policy import choose_planned
from mextrain_core.bulk.replay import Recorded, replay_rounds
from mextrain_core.bulk.rollout import SeatPolicies, play_copies
from mextrain_core.bulk.samples import Samples, replay_decisions
from mextrain_core.compiler.yardsticks import branchy, wide
from mextrain_core.env.net import Weights, score_rows, value_tables
from mextrain_core.env.rows import Rows
from mextrain_core.game.deal import deal
from mextrain_core.game.events import EVENT
from mextrain_core.game.perft import perft
from mextrain_core.game.turn import advance, play
from mextrain_core.model.limits import NONE
from mextrain_core.model.state import new_states
from mextrain_core.search.playout import play_copies_calling
from mextrain_core.search.utility import MATCH, rate

U0 = np.uint64(0)

RULES = {
    "mexican": RuleSet.mexican(4, rounds=3),
    "mexican-2": RuleSet.mexican(2, rounds=2),
    "mexican-14": RuleSet.mexican(14, rounds=1),
    "super": RuleSet.super(4, rounds=3),
    "super-cover": RuleSet.super(3, double_rule="cover", open_double_order="any", letter_match="anywhere", rounds=2),
    "foot": RuleSet.mexican(4, double_rule="chicken_foot", foot_ends="center", rounds=3, starter="rotate"),
    "house": RuleSet.mexican(5, drawn_play="may", dead_double="binds", max_uncovered=1, starter="winner", rounds=3),
    "cardinal": RuleSet.preset("cardinal", players=3, rounds=3),
    "hunt": RuleSet.mexican(
        3, hand_size=3, engine_from="holder", engine_hunt="together", engine_order="up", starter="rotate", rounds=3
    ),
    "highest": RuleSet.mexican(3, tile_set="double-4", hand_size=2, engine_from="highest", starter="rotate"),
    "own": RuleSet.mexican(4, tile_set="double-3", hand_size=2, engine_from="own_highest", rounds=3),
    "pagat": RuleSet.preset("pagat", players=3, rounds=2),
    "together": RuleSet.super(3, hand_size=6, opening="together", own_train_first="all", rounds=3),
    "until": RuleSet.mexican(
        3, hand_size=3, draw_limit="until_it_fits", failed_double="pass", own_train_first="trains", rounds=3
    ),
    "never": RuleSet.mexican(3, double_rule="none", mexican_start="never", opening="single", rounds=2),
    "marks": RuleSet.mexican(3, failed_double="mark", mexican_start="after_all_trains", rounds=2),
    "blanks": RuleSet.mexican(3, double_blank=50, opening="single", first_engine="3-3", starter=2, rounds=2),
}
HIDDEN = {
    "tiny": RuleSet.mexican(2, tile_set="double-2", hand_size=2),
    "may": RuleSet.mexican(3, tile_set="double-4", hand_size=4, drawn_play="may"),
    "stuck": RuleSet.mexican(2, tile_set="double-4", hand_size=5, mexican_start="only_if_stuck", max_uncovered=1),
    "own": RuleSet.mexican(2, tile_set="double-3", hand_size=4, dead_double="binds", drawn_tile="own_train"),
    "dead": RuleSet.mexican(2, tile_set="double-3", hand_size=4, dead_double="binds", mexican_start="only_if_stuck"),
    "mark": RuleSet.mexican(2, tile_set="double-4", hand_size=5, failed_cover="mark", draw_limit="per_turn"),
    "marked": RuleSet.mexican(
        2, tile_set="double-4", hand_size=4, failed_cover="mark_and_play", double_rule="cover", dead_double="binds"
    ),
    "foot": RuleSet.mexican(3, tile_set="double-4", hand_size=4, double_rule="chicken_foot"),
    "first": RuleSet.mexican(2, tile_set="double-3", hand_size=4, own_train_first="all", failed_double="pass"),
    "until": RuleSet.mexican(2, tile_set="double-3", hand_size=3, draw_limit="until_it_fits", opening="together"),
    "highest": RuleSet.mexican(3, tile_set="double-3", hand_size=2, engine_from="own_highest"),
    "super": RuleSet.super(4, hand_size=27, opening="chain", twice_bonus="may"),
}
"""Small rounds with much evidence, and a large one with three hidden `*-A`."""
POLICIES = ("random", "heaviest", "cautious", "counting")
HANDS = (
    ("0-2 2-2 2-3 3-4 3-5 0-1 10-1 9-10", 0, "train_only"),
    ("12-5 *-3 8-3 *-A *-D 12-12 12-3", 12, "same_letter"),
    ("*-A *-A *-R 4-4 4-9", 4, "anywhere"),
    ("*-* 3-3 0-0", "*", "any_letter"),
)


def middle(batch: Batch) -> np.ndarray:
    """Choose the middle one of each state's legal moves."""
    return batch.moves[(batch.offsets[:-1] + batch.offsets[1:]) // 2]


def matches(rules: RuleSet, policies: Any) -> str:
    """The bytes of two games."""
    played = simulate(rules, games=2, seed=7, first_game=3, policies=policies, workers=2, record_actions=True)
    assert played.actions is not None
    arrays = (played.points, played.facts, played.actions)
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays))
    return f"{played.hash:016x}-{digest.hexdigest()[:16]}"


def replayed(rules: RuleSet) -> str:
    """The bytes of two games, replayed from their moves, and of their decisions as samples."""
    played = simulate(rules, games=2, seed=7, first_game=3, record_actions=True)
    assert played.actions is not None
    count = 2 * rules.rounds
    engines = np.array([rules.tiles.half_code(engine.high) for engine in rules.engines] * 2, np.uint8)
    rounds = Recorded(
        np.repeat(played.game, rules.rounds),
        engines,
        played.starter.ravel().astype(np.uint8),
        np.append(played.offsets.ravel(), len(played.actions)),
        played.actions,
    )
    states, seed = new_states(1), np.uint64(7)
    points, facts = np.zeros((count, rules.players), np.int64), np.zeros((count, 7), np.int32)
    done, _, total = replay_rounds(states, 0, rules.record, seed, rounds, points, facts)
    assert (done, int(total)) == (count, played.hash)
    size = len(played.actions)
    layout = Layout(rules)
    bits, mask = np.zeros((size, layout.words), np.uint64), np.zeros((size, rules.action_count // 64 + 1), np.uint64)
    chosen, seats = np.zeros(size, np.uint16), np.zeros(size, np.uint8)
    sources, steps = np.zeros(size, np.int64), np.zeros(size, np.uint16)
    rows, seeds, places = np.arange(count)[::-1].copy(), np.full(count, seed), np.arange(size)
    results = (np.zeros_like(points), np.zeros_like(facts))
    outputs = Samples(bits, mask, chosen, seats, sources, steps, *results)
    done = replay_decisions(states, 0, rules.record, rows, seeds, rounds, layout.offsets, places, outputs)
    assert done == count
    assert all(np.array_equal(one, other[rows]) for one, other in zip(results, (points, facts), strict=True))
    # No move of a round is legal after its end, and without its last move it goes on.
    games, engines, starters, offsets, actions = rounds
    for shift in (-1, 1):
        wrong = Recorded(games[:1], engines[:1], starters[:1], offsets[:2] + np.array([0, shift]), actions)
        assert replay_rounds(states, 0, rules.record, seed, wrong, points, facts)[0] == 0
        last = (rows[-1:], seeds, wrong, layout.offsets, places)
        assert replay_decisions(states, 0, rules.record, *last, outputs) == 0
    return hashlib.sha256(b"".join(array.tobytes() for array in (points, facts, *outputs[:6]))).hexdigest()[:16]


def sequences(rules: RuleSet) -> int:
    """Perft numbers of the beginning of a round."""
    states = new_states(4)
    deal(states, 0, rules.record, *map(np.uint64, (5, 0, rules.engines[0].high, NONE)))
    return int(perft(states, 0, rules.record, 3))


def trains() -> list[Any]:
    """The best trains of a few hands, from every function that finds them."""
    found: list[Any] = []
    for hand, start, mode in HANDS:
        for goal in ("longest", "heaviest", "finish"):
            tile_set = "super" if "*" in hand else "double-12"
            count = goal != "finish"
            best = plan(hand, start, tile_set, goal, letter_match=mode, count=count, time_limit=None)
            found.append([best.tiles, best.points, best.proved, best.count, *best.train, *best.mexican])
    found.append(first_hands(RuleSet.mexican(2, hand_size=6), 4, seed=1).tolist())
    found.append(longest_chain([(k, (k * 5 + 1) % 7) for k in range(7)], None))
    return found


def yardsticks() -> list[int]:
    """The results of the programs that speeds are compared with."""
    rows, ends = np.full(64, 0x0A5, np.uint64), np.arange(5, dtype=np.uint64)
    block = np.arange(24 * 32, dtype=np.uint64).reshape(24, 32) * np.uint64(0x9E3779B97F4A7C15)
    return [int(branchy(rows, ends, 60)), int(rows.sum()), int(wide(block, 25))]


def planned(rules: RuleSet, decisions: int, choose: Any = choose_planned) -> list[int]:
    """The first moves of a round that the policy `planner`, or another such kernel, plays for every seat."""
    states = new_states(1)
    deal(states, 0, rules.record, *map(np.uint64, (11, 0, rules.engines[0].high, NONE)))
    log = np.empty(0, EVENT)
    advance(states, 0, rules.record, log)
    moves = []
    for number in range(decisions):
        move = choose(states, 0, rules.record, np.uint64(number << 59))
        moves.append(int(move))
        play(states, 0, rules.record, log, np.uint64(move))
    return moves


def hidden(rules: RuleSet, seed: int, plays: int) -> list[str]:
    """Each seat's knowledge, and samples of hidden tiles, at some points of a round played by a simple rule."""
    position = Position.deal(rules, seed=seed)
    digest = hashlib.sha256()
    counts = []
    for move in range(plays):
        if position.over:
            break
        legal = position.legal_ids()
        position.play(legal[(move * 7 + seed) % len(legal)])
        if move % 4 < 3 and not position.over:
            continue
        for seat in range(rules.players):
            digest.update(information_key(position, seat))
            digest.update(observe(position, seat).tobytes())
            digest.update(legal_mask(position, seat).tobytes())
        sampler = WorldSampler(position, move % rules.players, seed)
        digest.update(repr(sampler.history()).encode())
        digest.update(sampler.states(2)["hand"].tobytes() + sampler.places(1).tobytes())
        with suppress(PositionError):
            counts.append(count_worlds(position, move % rules.players, most=60).histories)
    words = observe(position, 0)
    digest.update(expand(words, Layout(rules).bits, np.float32).tobytes())
    return [digest.hexdigest()[:16], *map(str, counts)]


def played_out(rules: RuleSet) -> list[Any]:
    """A state played to its end, by kernels that decide themselves and by one that could call C functions."""
    states, policies = new_states(4), np.full(rules.players, 4, np.uint8)
    deal(states, 0, rules.record, *map(np.uint64, (5, 0, rules.engines[0].high, NONE)))
    found = []
    for kernel, seats in ((play_copies, policies), (play_copies_calling, SeatPolicies(policies, policies * U0))):
        points, facts = np.zeros((2, rules.players), np.int64), np.zeros((2, 7), np.int32)
        origins, keys = np.zeros(2, np.uint32), np.array([3, 4], np.uint64)
        kernel(states, rules.record, seats, origins, keys, states[1:], points, facts)
        found.append([points.tolist(), facts.tolist()])
    assert found[0] == found[1]
    return found[0]


def ten_points(players: int) -> Any:
    """A value of leaves as C code: ten points for everybody."""

    def value(state: int, rules: int, points: Any) -> int:
        for seat in range(players):
            points[seat] = 10.0
        return 0

    structs = ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_double)
    return ctypes.CFUNCTYPE(ctypes.c_int32, *structs)(value)


def searches(rules: RuleSet) -> list[Any]:
    """Searches of every kind at some decision, and a game in which two seats search."""
    position = Position.deal(rules, seed=5)
    while len(position.legal_moves()) < 2:
        position.play(position.legal_moves()[0])
    found = []
    for method, utility in (("flat", "margin"), ("improve", "points"), ("tree", "rank")):
        result = search(position, method=method, utility=utility, playouts=24).to_dict()
        del result["seconds"]
        found.append(result)
    result = search(position, method="tree", playouts=24, value=ten_points(rules.players)).to_dict()
    del result["seconds"]
    found.append(result)
    points = np.arange(4 * rules.players).reshape(4, rules.players) % 5
    worth = np.empty_like(points)
    rate(points, MATCH, points[::-1].copy(), worth)
    seats = ["improve:20", "random", "flat:12"][: rules.players]
    return [*found, worth.tolist(), f"{simulate(rules.replace(rounds=1), games=1, seed=2, policies=seats).hash:016x}"]


ENVIRONMENTS: dict[str, dict[str, Any]] = {
    "self-play": {},
    "rows": {"legal": "rows", "actions": "rows", "observe": None, "autoreset": "off", "reward": "win"},
    "one seat": {"outside": 1, "others": "heaviest", "masks": False, "autoreset": "next", "final": True},
    "matches": {"outside": (0, 1), "episode": "match", "reward": "win", "illegal": "end", "autoreset": "off"},
    "points": {"reward": "points", "illegal": "end", "legal": "rows"},
    "full": {"observe": "full", "outside": (0, 2), "others": "heaviest", "autoreset": "next", "final": True},
    "callbacks": {"outside": 0, "others": BatchPolicy(middle), "reward": "zero_sum", "illegal": "end"},
}
"""Environments that together run every line of their kernels."""


def environment(rules: RuleSet, given: dict[str, Any], steps: int) -> str:
    """All that some environments show, step by step; in one of them every seventh action is illegal."""
    env = BatchEnv(rules, 3, seed=11, **given)
    digest = hashlib.sha256()
    env.reset()
    for step in range(steps):
        actions = env.policy_actions("heaviest") if step % 3 == 0 else env.random_actions(step)
        if step % 7 == 6 and env.spec.illegal == "end":
            actions[step % 3] = 65535
        env.step(actions)
        shown = [array for array in env._shown if array.size]
        rows = [] if env.ids is None else [env.offsets, env.ids, env.moves, env.features, env.table_features]
        for array in (*shown, *rows):
            assert array is not None
            digest.update(np.ascontiguousarray(array).tobytes())
        if env.spec.autoreset == "off":
            env.reset(env.done.copy())
    with suppress(IllegalMove):
        env.step(np.full(3, 65535))
    return digest.hexdigest()[:16]


def scored(rules: RuleSet, steps: int) -> str:
    """What some net says of rows, and of the tables; its choices are played."""
    env = BatchEnv(rules, 3, seed=12, legal="rows", actions="rows", observe=None)
    env.reset()
    dice = np.random.default_rng(1)
    actions, table, width, inner = len(ACTION_FEATURES) + 1, len(TABLE_FEATURES), 8, 4
    shapes = (
        (actions, width), (table, width), width, (width, inner), inner, inner, actions, (table, width), width,
        (width, rules.players), (table, rules.players), rules.players,
    )  # fmt: skip
    weights = Weights(*(dice.normal(size=shape).astype(np.float32) for shape in shapes))
    digest = hashlib.sha256()
    for step in range(steps):
        rows = Rows(env.offsets, env.ids, env.moves, env.features, env.table_features)
        scores, chosen = np.zeros(len(rows.ids), np.float32), np.zeros(3, np.uint16)
        points = np.zeros((3, rules.players), np.float32)
        score_rows(weights, rows, env.random_actions(step), scores, chosen)
        value_tables(weights, rows.table, points)
        for array in (scores, chosen, points):
            digest.update(array.tobytes())
        env.step(chosen)
    return digest.hexdigest()[:16]


def digests() -> dict[str, Any]:
    """The digest of every job."""
    found: dict[str, Any] = {}
    for number, (name, rules) in enumerate(RULES.items()):
        seats = [POLICIES[(number + seat) % len(POLICIES)] for seat in range(rules.players)]
        found[f"{name}, random"] = matches(rules, "random")
        found[f"{name}, mixed"] = matches(rules, seats)
    found["super, batches"] = matches(RULES["super"], ["random", BatchPolicy(middle), "heaviest", BatchPolicy(middle)])
    found["replayed"] = [replayed(RULES[name]) for name in ("mexican-2", "super", "foot")]
    found["sequences"] = [sequences(RULES[name]) for name in ("mexican", "super", "foot")]
    found["trains"] = trains()
    found["yardsticks"] = yardsticks()
    found["planned"] = [planned(RULES[name], 8) for name in ("mexican", "super-cover", "foot")]
    found["played out"] = [played_out(HIDDEN[name]) for name in ("own", "foot")]
    found["searches"] = [searches(HIDDEN[name]) for name in ("own", "foot")]
    found["planned by expert"] = [planned(RULES[name], 8, choose_expert) for name in ("mexican", "super", "foot")]
    for number, (name, rules) in enumerate(HIDDEN.items()):
        seeds = range(number, number + (1 if name == "super" else 6))
        found[f"hidden, {name}"] = [hidden(rules, seed, 24) for seed in seeds]
    tiny = RuleSet.mexican(3, tile_set="double-6", hand_size=3, rounds=2)
    for number, (name, given) in enumerate(ENVIRONMENTS.items()):
        wide = RULES[("foot", "super", "super-cover")[number % 3]]
        found[f"environment, {name}"] = [environment(tiny, given, 30), environment(wide, given, 12)]
    found["scored"] = [scored(RULES[name], 12) for name in ("mexican", "super")]
    # As read from JSON text, where tuples are lists.
    again: dict[str, Any] = json.loads(json.dumps(found))
    return again


if __name__ == "__main__":
    print(json.dumps(digests()))
