"""Reset and the three modes of `autoreset`, illegal actions, rewards, saving, errors."""

from __future__ import annotations

import gc
import pickle
import tracemalloc
from typing import Any

import numpy as np
import pytest

from mextrain import (
    BatchPolicy,
    Decision,
    IllegalMove,
    MextrainError,
    PolicyError,
    Position,
    RuleSet,
    SeedError,
    simulate,
)
from mextrain.env import ENDS, BatchEnv
from mextrain.hidden.observation import legal_mask
from tests.env.follow import rows_of

RULES = RuleSet.mexican(3, tile_set="double-6", hand_size=4, rounds=3)
ARRAYS = ("seat", "counts", "mask", "observation", "done", "reward", "points", "game", "round", "end",
          "totals", "unseen")  # fmt: skip


def make(n: int = 5, **given: Any) -> BatchEnv:
    """Environments that have been reset."""
    env = BatchEnv(RULES, n, **({"seed": 7} | given))
    env.reset()
    return env


def copies(env: BatchEnv) -> dict[str, np.ndarray]:
    """Copies of the arrays that a user sees."""
    return {name: getattr(env, name).copy() for name in ARRAYS if getattr(env, name) is not None}


def same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> bool:
    """Whether all arrays are equal."""
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


def test_a_reset_begins_anew() -> None:
    env = make()
    first = copies(env)
    assert not first["done"].any()
    for step in range(30):
        env.step(env.random_actions(step))
    assert not same(copies(env), first)
    env.reset()
    assert same(copies(env), first)
    env.reset(seed=8)
    assert not same(copies(env), first)
    assert same(copies(env), copies(make(seed=8)))


def test_other_seeds_have_other_games_in_every_round() -> None:
    """Not only the first deal depends on the seed."""
    envs = [make(3, seed=seed, observe="table") for seed in (1, 2)]
    deals: list[list[bytes]] = [[], []]
    for step in range(120):
        for env, found in zip(envs, deals, strict=True):
            env.step(env.random_actions(step))
            found += [env.observation[i].tobytes() for i in np.flatnonzero(env.done)]  # type: ignore[index]
    assert min(map(len, deals)) > 10
    assert not set(deals[0]) & set(deals[1])


@pytest.mark.parametrize("episode", ["round", "match"])
@pytest.mark.parametrize("outside", ["all", 1])
def test_autoreset_in_the_next_step(episode: str, outside: Any) -> None:
    """One dead step after the end of each episode, whose action is ignored; otherwise as in the same step."""
    given = {"episode": episode, "outside": outside, "others": "heaviest"}
    env, twin = make(1, autoreset="next", **given), make(1, **given)
    stop, is_dead, dead_steps, ends = RULES.action_count - 1, False, 0, 0
    for step in range(300):
        if is_dead:
            assert env.legal_ids(0).tolist() == [stop]
            env.step(np.array([step * 50]))  # Ignored, whatever it is.
            assert not env.done[0]
            assert not env.reward.any()
            is_dead, dead_steps = False, dead_steps + 1
        else:
            action = env.random_actions(step)
            env.step(action)
            twin.step(action)
            assert env.done[0] == twin.done[0]
            assert np.array_equal(env.reward, twin.reward)
            assert np.array_equal(env.points, twin.points)
            is_dead = bool(env.done[0])
            ends += is_dead
        if not is_dead:
            shown, expected = copies(env), copies(twin)
            for name in ("seat", "counts", "mask", "observation", "game", "round", "end", "totals", "unseen"):
                assert np.array_equal(shown[name], expected[name]), name
    assert ends - is_dead == dead_steps > 2


@pytest.mark.parametrize("episode", ["round", "match"])
def test_without_autoreset_an_episode_stays_ended(episode: str) -> None:
    env, twin = make(episode=episode, autoreset="off", final=True), make(episode=episode, autoreset="next", final=True)
    for step in range(200):
        action = env.random_actions(step)
        ended_before = copies(env), env._envs["status"] == 2
        env.step(action)
        twin.step(action)
        dead = ended_before[1]
        # An ended environment shows the same, except that it reports its end only once.
        for name in ("seat", "mask", "observation", "points", "game", "round", "end", "totals"):
            assert np.array_equal(getattr(env, name)[dead], ended_before[0][name][dead])
        assert not env.done[dead].any()
        assert not env.reward[dead].any()
        if dead.any():
            env.reset(dead)
            assert not env.done.any()
            assert same(copies(env) | {"done": twin.done, "reward": twin.reward}, copies(twin))
        if env.done.any():
            assert np.array_equal(env.final[env.done], env.observation[env.done])  # type: ignore[index]


def test_a_reset_of_some_leaves_the_others() -> None:
    env = make()
    for step in range(9):
        env.step(env.random_actions(step))
    before, games = copies(env), env._envs["game"].copy()
    which = np.array([True, False, False, True, False])
    env.reset(which)
    after = copies(env)
    for name in ("seat", "mask", "observation"):
        assert np.array_equal(before[name][~which], after[name][~which])
        assert not np.array_equal(before[name][which], after[name][which])
    # An unfinished match is left for the next one.
    assert (env._envs["game"] == games + 5 * which).all()


def test_games_that_are_named() -> None:
    """Chosen rounds, such as those of an error message, are the ones that a position deals."""
    env = make(2)
    env.reset(games=[(5, 9), (6, 3, 2)])
    for i, (seed, game, number) in enumerate([(5, 9, 0), (6, 3, 2)]):
        twin = BatchEnv(RULES, 1, seed=seed, first_game=game)
        twin.reset(games=[(seed, game, number)])
        assert np.array_equal(env.observation[i], twin.observation[0])  # type: ignore[index]
    position = Position.deal(RULES, seed=6, game=3, engine=RULES.engines[2])
    assert np.array_equal(env.mask[1], legal_mask(position, position.seat or 0))  # type: ignore[index]


# -- actions


BAD_IDS = [-1, 65535, 65536, 2**40, -(2**63)]


@pytest.mark.parametrize("actions", ["ids", "rows"])
@pytest.mark.parametrize("masks", [True, False])
@pytest.mark.parametrize("threads", [1, 2])
def test_an_illegal_action_steps_nothing(actions: str, masks: bool, threads: int) -> None:
    env = make(actions=actions, masks=masks, threads=threads)
    for step in range(25):
        env.step(env.random_actions(step))
    saved, shown = env.save(), copies(env)
    for i in range(5):
        for bad in (*BAD_IDS, int(env.counts[i]) if actions == "rows" else None, illegal_id(env, i)):
            if bad is None:
                continue
            given = env.random_actions(99).astype(np.int64)
            given[i] = bad
            where = (
                f"environment {i}: the action .* of seat {env.seat[i]} is not legal: round "
                f"{env._envs['number'][i]} of game {env._envs['game'][i]}, seed 7, environment {i}"
            )
            with pytest.raises(IllegalMove, match=where) as caught:
                env.step(given)
            assert "\n" not in str(caught.value)
            assert same(copies(env), shown)
            again = env.save()
            assert all(np.array_equal(saved[name], again[name]) for name in saved)
    env.step(env.random_actions(99))


def illegal_id(env: BatchEnv, i: int) -> int:
    """An id that exists, but is not legal, or a row that does not exist."""
    if env.spec.actions == "rows":
        return int(env.counts[i])
    return next(action for action in range(RULES.action_count) if action not in env.legal_ids(i))


@pytest.mark.parametrize("reward", ["zero_sum", "points", "win"])
@pytest.mark.parametrize("episode", ["round", "match"])
def test_an_illegal_action_may_end_the_episode(reward: str, episode: str) -> None:
    env = make(illegal="end", reward=reward, episode=episode)
    worst = env.spec.worst
    for step in range(40):
        given = env.random_actions(step)
        i = step % 5
        given[i] = illegal_id(env, i)
        seat = int(env.seat[i])
        env.step(given)
        assert env.done[i]
        assert ENDS[env.end[i]] == "illegal"
        others = 0 if reward == "points" else worst / 2
        wanted = np.full(3, others)
        wanted[seat] = -worst
        assert np.allclose(env.reward[i], wanted)


def test_no_episode_is_worse_than_an_illegal_action() -> None:
    env = make(64, reward="zero_sum")
    for step in range(100):
        env.step(env.random_actions(step))
        assert env.reward.min() >= -env.spec.worst


def test_rows_and_ids_play_the_same() -> None:
    by_id, by_row = make(), make(actions="rows")
    for step in range(150):
        ids = by_id.random_actions(step)
        rows = rows_of(by_id, ids)
        assert np.array_equal(rows, by_row.random_actions(step))
        by_id.step(ids)
        by_row.step(rows)
        assert same(copies(by_id), copies(by_row))


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8, np.uint64, list])
def test_actions_of_any_integer_type(dtype: Any) -> None:
    rows = make(actions="rows"), make(actions="rows")
    for step in range(20):
        actions = rows[0].random_actions(step)
        rows[0].step(actions)
        rows[1].step(actions.tolist() if dtype is list else actions.astype(dtype))
        assert same(copies(rows[0]), copies(rows[1]))


@pytest.mark.parametrize(
    "bad", [None, 3, "abc", [0], np.zeros(4, int), np.zeros((5, 1), int), np.zeros(5), np.full(5, np.nan), [None] * 5]
)
def test_actions_of_another_form_are_refused(bad: Any) -> None:
    env = make()
    before = copies(env)
    with pytest.raises(MextrainError, match=r"actions = .*expected 5 integers"):
        env.step(bad)
    assert same(copies(env), before)


# -- rewards


@pytest.mark.parametrize("reward", ["zero_sum", "points", "win"])
def test_rewards_of_every_seat(reward: str) -> None:
    """Also of those that did not act last: each gets what its own points say, in the step that ends the round."""
    env = make(reward=reward, masks=False, observe=None)
    kinds = set()
    for step in range(300):
        env.step(env.random_actions(step))
        assert not env.reward[~env.done].any()
        for i in np.flatnonzero(env.done):
            points, got = env.points[i].astype(float), env.reward[i]
            kinds.add(ENDS[env.end[i]])
            if reward == "points":
                wanted = -points
            elif reward == "zero_sum":
                wanted = (points.sum() - points) / 2 - points
            else:
                # The winner has no points; another seat may hold the double blank, which has none either.
                winner = int(np.argmax(got))
                assert points[winner] == 0 or ENDS[env.end[i]] == "blocked"
                wanted = np.full(3, -0.5)
                wanted[winner] = 1
                if ENDS[env.end[i]] == "blocked":
                    wanted[:] = 0
            assert np.allclose(got, wanted), (points, got)
            if reward != "points":
                assert abs(got.sum()) < 1e-4
            # Fewer points are better, for every seat.
            assert all(got[a] >= got[b] for a in range(3) for b in range(3) if points[a] < points[b])
    assert "out" in kinds


@pytest.mark.parametrize("reward", ["zero_sum", "points", "win"])
def test_rewards_of_matches(reward: str) -> None:
    env = make(episode="match", reward=reward, observe=None)
    want = simulate(RULES, games=60, seed=7, policies="heaviest").points.sum(1)
    ended: dict[int, np.ndarray] = {}
    while len(ended) < 30:
        env.step(env.policy_actions("heaviest"))
        for i in np.flatnonzero(env.done):
            ended[int(env.game[i])] = env.reward[i].copy()
    for game, got in ended.items():
        total = want[game].astype(float)
        if reward == "zero_sum":
            wanted = (total.sum() - total) / 2 - total
        elif reward == "points":
            wanted = -total
        else:
            first = total == total.min()
            wanted = np.where(first, (3 - first.sum()) / first.sum() / 2, -0.5) if first.sum() < 3 else np.zeros(3)
        assert np.allclose(got, wanted)


def test_totals_are_those_of_the_match() -> None:
    env = make(1, episode="match", observe=None)
    want = simulate(RULES, games=4, seed=7, policies="heaviest").points.cumsum(1)
    for _ in range(200):
        game, number = int(env._envs["game"][0]), int(env._envs["number"][0])
        if game == 4:
            break
        assert env.totals[0].tolist() == (want[game, number - 1].tolist() if number else [0, 0, 0])
        env.step(env.policy_actions("heaviest"))


# -- other policies


def first_legal(decision: Decision) -> Any:
    return decision.legal[0]


def play(env: BatchEnv, steps: int = 50) -> None:
    """Reset, and play at random."""
    env.reset()
    for step in range(steps):
        env.step(env.random_actions(step))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("autoreset", ["same", "next", "off"])
def test_callbacks_play_seats(threads: int, autoreset: str) -> None:
    """A callback at one seat, and a policy that is compiled apart at another, as in `simulate`."""
    others = [first_legal, "planner"]
    want = simulate(RULES, games=20, seed=7, policies=["heaviest", *others])
    env = BatchEnv(RULES, 4, seed=7, outside=0, others=others, threads=threads, autoreset=autoreset)
    env.reset()
    count = 0
    for _ in range(60):
        env.step(env.policy_actions("heaviest"))
        for i in np.flatnonzero(env.done):
            if env.game[i] < 20:
                count += 1
                assert want.points[env.game[i], env.round[i]].tolist() == env.points[i].tolist()
        if autoreset == "off":
            env.reset(env.done.copy())
    assert count > 10


def test_a_batch_policy_that_cheats_is_named() -> None:
    env = BatchEnv(RULES, 4, outside=0, others=BatchPolicy(lambda batch: np.full(len(batch), 0x3FFF, np.uint16)))
    with pytest.raises(IllegalMove, match=r"the policy of seat \d returned the move 0x3fff in round"):
        play(env)


def test_policies_for_actions_must_be_compiled() -> None:
    env = make()
    with pytest.raises(PolicyError, match="is not compiled"):
        env.policy_actions(first_legal)
    assert np.array_equal(env.policy_actions("planner"), env.policy_actions("planner"))


# -- saving


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"observe": "full", "legal": "rows"},
        {"outside": 1, "others": "cautious", "autoreset": "next", "threads": 2, "keep": True},
    ],
)
def test_saving_and_pickling_continue_exactly(given: Any) -> None:
    env = make(**given)
    for step in range(30):
        env.step(env.random_actions(step))
    saved = env.save()
    twin = pickle.loads(pickle.dumps(env))
    assert same(copies(twin), copies(env))
    third = BatchEnv(RULES, 5, **({"seed": 1} | given))
    third.load(pickle.loads(pickle.dumps(saved)))
    for step in range(60):
        action = env.random_actions(step)
        for each in (env, twin, third):
            each.step(action)
        assert same(copies(twin), copies(env))
        assert same(copies(third), copies(env))
    env.load(saved)
    assert np.array_equal(env.save()["states"], saved["states"])
    # Later resets use the seed that was saved.
    env.reset()
    third.reset()
    assert same(copies(third), copies(env))


@pytest.mark.parametrize("bad", [None, {}, 3, {"format": "mextrain-env/1"}, {"format": "mextrain-env/0"}])
def test_what_cannot_be_loaded(bad: Any) -> None:
    env = make()
    before = copies(env)
    with pytest.raises(MextrainError, match="saved"):
        env.load(bad)
    with pytest.raises(MextrainError, match="other arguments"):
        env.load(make(6).save())
    assert same(copies(env), before)


# -- positions


@pytest.mark.parametrize("autoreset", ["same", "next"])
def test_positions_of_environments(autoreset: str) -> None:
    """A position has the round's moves, also those of built-in seats, and after the end the round that ended."""
    env = make(outside=1, others="cautious", keep=True, autoreset=autoreset)
    ends = 0
    for step in range(60):
        for i in range(5):
            position = env.position(i)
            if env.done[i] and autoreset == "next":
                assert position.points == tuple(env.points[i])
                assert position.record()["game"] == env.game[i]
                assert position.record()["round"] == env.round[i]
                ends += 1
            else:
                assert position.seat == env.seat[i] == 1
                assert np.array_equal(legal_mask(position, 1), env.mask[i])  # type: ignore[index]
                assert position.engine == RULES.engines[env.playing(i)[2]]
        env.step(env.random_actions(step))
    assert ends > 5 or autoreset == "same"
    with pytest.raises(MextrainError, match="keep=True"):
        make().position(0)


# -- arrays


def test_arrays_are_made_once_and_cannot_be_written_to() -> None:
    env = make(64)
    addresses = {name: getattr(env, name).ctypes.data for name in ARRAYS}
    out = np.empty(64, np.uint16)
    for step in range(50):
        env.step(env.random_actions(step, out))
    tracemalloc.start()
    sizes = []
    for _ in range(5):
        for step in range(2000):
            env.step(env.random_actions(step, out))
        gc.collect()
        sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    # Python's free lists fill up in the first thousands of steps; a leak would show in every part.
    growth = np.diff(sizes)
    assert growth.min() < 1000, f"{growth} bytes, each in 2,000 steps"
    assert {name: getattr(env, name).ctypes.data for name in ARRAYS} == addresses
    for name in ARRAYS:
        with pytest.raises(ValueError, match="read-only"):
            getattr(env, name)[...] = 0


def test_arrays_have_the_published_forms() -> None:
    env = make(8)
    words, of_mask = (env.spec.bits + 63) // 64, (RULES.action_count + 63) // 64
    shapes = {
        "seat": (np.uint8, (8,)), "counts": (np.uint16, (8,)), "mask": (np.uint64, (8, of_mask)),
        "observation": (np.uint64, (8, words)), "done": (np.bool_, (8,)), "reward": (np.float32, (8, 3)),
        "points": (np.int32, (8, 3)), "game": (np.uint64, (8,)), "round": (np.uint8, (8,)), "end": (np.uint8, (8,)),
        "totals": (np.int32, (8, 3)), "unseen": (np.uint32, (8,)),
    }  # fmt: skip
    assert {name: (getattr(env, name).dtype.type, getattr(env, name).shape) for name in ARRAYS} == shapes
    bare = BatchEnv(RULES, 8, observe=None, masks=False)
    assert bare.mask is None
    assert bare.observation is None
    assert bare.final is None


# -- errors


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n": 0}, "n = 0: expected a whole number 1 … "),
        ({"n": 2.0}, "n = 2.0"),
        ({"seed": -1}, "seed = -1"),
        ({"first_game": 2**59}, "first_game"),
        ({"outside": ()}, r'outside = \(\): expected "all", or different seats from 0 … 2'),
        ({"outside": (0, 0)}, "outside"),
        ({"outside": 3}, "outside = 3"),
        ({"outside": "0"}, "outside = '0'"),
        ({"outside": 0, "others": "clever"}, "the policy 'clever' is unknown"),
        ({"outside": 0, "others": ["random"]}, "1 policies for 2 players"),
        ({"episode": "game"}, 'episode = \'game\': expected one of "round", "match"'),
        ({"observe": "tabel"}, 'observe = \'tabel\': expected one of None, "table", "full"; did you mean table'),
        ({"masks": 1}, "masks = 1: expected True or False"),
        ({"autoreset": None}, "autoreset = none"),
        ({"illegal": "ignore"}, "illegal = 'ignore'"),
        ({"reward": "pips"}, "reward = 'pips'"),
        ({"threads": 0}, "threads = 0"),
        ({"final": True, "observe": None}, "final = True"),
        ({"stride": 3}, "stride = 3"),
        ({"obserev": "full"}, "the option 'obserev' is unknown: .*did you mean observe"),
    ],
)
def test_wrong_arguments_are_named(given: dict[str, Any], message: str) -> None:
    n = given.pop("n", 4)
    with pytest.raises(MextrainError, match=message) as caught:
        BatchEnv(RULES, n, **given)
    assert "\n" not in str(caught.value)


def test_wrong_calls_are_named() -> None:
    env = BatchEnv(RULES, 3)
    early = (lambda: env.step(np.zeros(3, int)), lambda: env.random_actions(0), lambda: env.policy_actions("random"))
    for call in early:
        with pytest.raises(MextrainError, match="call reset first"):
            call()
    with pytest.raises(MextrainError, match="reset all environments"):
        env.reset(np.ones(3, bool))
    env.reset()
    before = copies(env)
    for bad in ([True] * 3, np.ones(2, bool), np.ones(3, int), 1):
        with pytest.raises(MextrainError, match="which = "):
            env.reset(bad)
    for games in (3, [(1, 2)], [(1, 2)] * 4, [1, 2, 3], [(1,)] * 3, [(1, 2, 3)] * 3):
        with pytest.raises(MextrainError, match="games"):
            env.reset(games=games)
    with pytest.raises(SeedError, match="seed = -3"):
        env.reset(games=[(-3, 0)] * 3)
    with pytest.raises(SeedError, match=r"seed = 1\.5"):
        env.reset(seed=1.5)  # type: ignore[arg-type]
    with pytest.raises(MextrainError, match="out = "):
        env.random_actions(0, np.zeros(3, int))
    with pytest.raises(MextrainError, match="i = 3"):
        env.legal_ids(3)
    assert same(copies(env), before)
