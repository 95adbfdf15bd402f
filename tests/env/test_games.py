"""`BatchEnv` plays the games of `simulate`; masks and observations are those of a `Position` that follows."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mextrain import Layout, RuleSet, observe, simulate
from mextrain.env import ENDS, BatchEnv
from mextrain.hidden.observation import expand
from mextrain_core.bulk.samples import TABLE_SECTIONS
from tests.env.follow import NUMBERS, followers, mask_of
from tests.strategies import rule_sets

MEXICAN, SUPER = RuleSet.mexican(4, rounds=3), RuleSet.super(3, rounds=2)
FOOT = RuleSet.mexican(3, double_rule="chicken_foot", starter="winner", rounds=3)
TABLES = {"mexican": MEXICAN, "super": SUPER, "foot": FOOT}


def play(env: BatchEnv, policy: Any, games: int, seed: int = 0) -> dict[tuple[int, int], tuple[list[int], str]]:
    """Play until no environment is in the first `games` games: points and end of each round that is reported."""
    env.reset()
    found = {}
    for _ in range(1_000_000):
        if (env._envs["game"] >= games).all():
            return found
        env.step(env.policy_actions(policy))
        for i in np.flatnonzero(env.done):
            key = int(env.game[i]), int(env.round[i])
            assert key not in found
            found[key] = env.points[i].tolist(), ENDS[env.end[i]]
    raise AssertionError("the games do not end")


def check_like_simulate(
    rules: RuleSet, seats: list[str], outside: tuple[int, ...], n: int, threads: int, seed: int
) -> None:
    """All rounds that are reported are those of `simulate`, and `unseen` counts the others."""
    games = 2 * n if n < 8 else n
    policy = seats[outside[0]]
    seats = [policy if seat in outside else name for seat, name in enumerate(seats)]
    want = simulate(rules, games=games, seed=seed, policies=seats)
    others = [name for seat, name in enumerate(seats) if seat not in outside]
    env = BatchEnv(rules, n, seed=seed, outside=outside, others=others, observe=None, threads=threads)
    found = play(env, policy, games)
    ended = {key: value for key, value in found.items() if key[0] < games}
    for (game, number), (points, end) in ended.items():
        assert want.points[game, number].tolist() == points
        assert {1: "out", 2: "blocked"}[int(want.end[game, number])] == end
    # Rounds of later games have ended meanwhile; each is reported or counted.
    begun = [int(e["game"]) // n * rules.rounds + int(e["number"]) for e in env._envs]
    assert len(found) + int(env.unseen.sum()) == sum(begun)
    if len(outside) == rules.players:
        assert len(ended) == games * rules.rounds


@settings(max_examples=25)
@given(
    rule_sets(), st.randoms(use_true_random=False), st.sampled_from([1, 2, 7]), st.sampled_from([1, 3]),
    st.integers(0, 2**64 - 1),
)  # fmt: skip
def test_any_rules_and_tables(rules: RuleSet, dice: random.Random, n: int, threads: int, seed: int) -> None:
    rules = rules.replace(rounds=min(rules.rounds, 2))
    seats = [dice.choice(list(NUMBERS)) for _ in range(rules.players)]
    outside = tuple(sorted(dice.sample(range(rules.players), dice.randint(1, rules.players))))
    check_like_simulate(rules, seats, outside, n, threads, seed)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("outside", ["all", (1,)])
def test_many_environments(name: str, outside: Any) -> None:
    rules = TABLES[name]
    seats = tuple(range(rules.players)) if outside == "all" else outside
    check_like_simulate(rules, ["cautious"] * rules.players, seats, 256, 1, 3)
    check_like_simulate(rules, ["random"] * rules.players, seats, 64, 3, 4)


def test_the_first_game_may_be_any() -> None:
    want = simulate(MEXICAN, games=3, seed=9, first_game=50)
    env = BatchEnv(MEXICAN, 3, seed=9, first_game=50, observe=None)
    found = play(env, "random", 53)
    assert [found[50 + g, k][0] for g in range(3) for k in range(3)] == want.points.reshape(-1, 4).tolist()


def check_views(
    rules: RuleSet, outside: tuple[int, ...], dice: random.Random, steps: int, seed: int, n: int, kind: str = "table"
) -> None:
    """Masks, observations and seats are those of positions in which the same moves are played."""
    inside = {seat: dice.choice(list(NUMBERS)) for seat in range(rules.players) if seat not in outside}
    env = BatchEnv(rules, n, seed=seed, outside=outside, others=list(inside.values()), observe=kind)
    env.reset()
    assert env.mask is not None
    assert env.observation is not None
    layout = Layout(rules)
    bits = int(layout.offsets[TABLE_SECTIONS]) if kind == "table" else layout.bits
    following = followers(env, inside)
    for _ in range(steps):
        for i, follower in enumerate(following):
            position = follower.position
            seat = position._get("seat")
            assert int(env.seat[i]) == seat
            assert np.array_equal(env.mask[i], mask_of(follower))
            assert np.array_equal(expand(env.observation[i], bits), expand(observe(position, seat), layout.bits)[:bits])
            assert int(env.counts[i]) == len(position.legal_ids())
            relative = [rules.actions.relative(action, seat=seat) for action in position.legal_ids()]
            assert env.legal_ids(i).tolist() == relative
            ended = sum(not decided for *_, decided in follower.ended)
            assert int(env.unseen[i]) == ended
        actions = [dice.choice(env.legal_ids(i).tolist()) for i in range(n)]
        before = [len(follower.ended) for follower in following]
        env.step(np.array(actions))
        for i, (follower, action) in enumerate(zip(following, actions, strict=True)):
            follower.play(action)
            new = [each for each in follower.ended[before[i] :] if each[3]]
            assert bool(env.done[i]) == bool(new)
            if new:
                game, number, points, _ = new[0]
                assert (int(env.game[i]), int(env.round[i]), tuple(env.points[i])) == (game, number, points)
                mean = [(sum(points) - own) / (rules.players - 1) - own for own in points]
                assert np.allclose(env.reward[i], mean, atol=1e-3)
            else:
                assert not env.reward[i].any()


@settings(max_examples=20)
@given(rule_sets(), st.randoms(use_true_random=False), st.integers(0, 2**64 - 1), st.sampled_from(["table", "full"]))
def test_views_of_any_rules(rules: RuleSet, dice: random.Random, seed: int, kind: str) -> None:
    outside = tuple(sorted(dice.sample(range(rules.players), dice.randint(1, rules.players))))
    check_views(rules, outside, dice, 12, seed, 2, kind)


@pytest.mark.parametrize("kind", ["table", "full"])
@pytest.mark.parametrize("name", TABLES)
def test_views_of_whole_games(name: str, kind: str) -> None:
    rules = TABLES[name]
    check_views(rules, tuple(range(rules.players)), random.Random(1), 150, 5, 1, kind)
    check_views(rules, (0, 2), random.Random(2), 60, 6, 2, kind)


@pytest.mark.parametrize("kind", ["table", "full"])
@pytest.mark.parametrize("name", TABLES)
def test_hidden_tiles_and_the_key_change_no_view(name: str, kind: str) -> None:
    """Everything that the seat cannot see is replaced by noise in the state itself."""
    rules = TABLES[name]
    env = BatchEnv(rules, 16, seed=2, observe=kind)
    env.reset()
    noise = np.random.default_rng(3)
    for step in range(40):
        saved = env.save()
        views = env.mask.copy(), env.observation.copy()  # type: ignore[union-attr]
        states = env._states
        for i in range(len(env)):
            for seat in set(range(rules.players)) - {int(env.seat[i])}:
                states["hand"][i, seat] = noise.integers(0, 2**19, 20, dtype=np.uint32)
                states["a_count"][i, seat] = noise.integers(0, 4)
        states["key"][:16] = noise.integers(0, 2**64, 16, dtype=np.uint64)
        states["boneyard"][:16] = noise.integers(0, 2**64, (16, 3), dtype=np.uint64)
        for array in (env._shown.mask, env._shown.observation):
            array.fill(0xAAAA)
        env._show()
        assert np.array_equal(env.mask, views[0])
        assert np.array_equal(env.observation, views[1])
        env.load(saved)
        env.step(env.random_actions(step))


def test_unseen_rounds_are_played_whole_within_one_step() -> None:
    """One outside seat of three, with tiny hands: often a round ends before it has decided anything."""
    rules = RuleSet.mexican(3, tile_set="double-6", hand_size=1, starter="winner", rounds=5)
    env = BatchEnv(rules, 32, seed=1, outside=1, others="heaviest", observe=None)
    want = simulate(rules, games=96, seed=1, policies=["heaviest", "random", "heaviest"])
    found = play(env, "random", 96)
    assert env.unseen.sum() > 100
    assert len(found) > 100
    assert all(want.points[key].tolist() == points for key, (points, _) in found.items() if key[0] < 96)


def test_a_seat_that_acts_three_times_running() -> None:
    """In a chain and after doubles the same seat decides again and again: three seats outside see it."""
    env = BatchEnv(MEXICAN, 4, seed=3)
    env.reset()
    runs, length = [], np.ones(4, int)
    for step in range(300):
        before, ended = env.seat.copy(), env.done.copy()
        env.step(env.random_actions(step))
        again = (env.seat == before) & ~env.done
        length = np.where(again, length + 1, 1)
        runs.append(int(length.max()))
        assert not (ended & env.done).any()
    assert max(runs) >= 3
