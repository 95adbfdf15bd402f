"""Legal actions as rows: the same actions as in the mask, with features that say what their table says."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mextrain import STOP, Move, Position, RuleSet, Tile, plan
from mextrain.env import ACTION_FEATURES, TABLE_FEATURES, BatchEnv
from tests.env.follow import followers
from tests.strategies import rule_sets

SCALES = {
    "points": 12, "follow": 4, "own_plays": 4, "plan_tiles": 6, "plan_points": 60, "plan_in_time": 60, "plan_rest": 6,
    "tiles": 12, "fewest": 12, "hand_points": 100, "boneyard": 50, "open_trains": 4, "doubles": 3, "turns": 60,
    "counting": 10, "unseen": 6, "covered_unseen": 6, "covered_hand": 4, "owner_tiles": 12, "other_fits": 4,
    "best": 100, "legal": 8, "others": 40, "next_1": 12, "next_2": 12, "next_3": 12, "own_fits": 4, "lead": 100,
    "rounds_left": 13,
}  # fmt: skip


def halves(tile: Tile) -> tuple[Any, Any]:
    """The two halves of a tile."""
    return tile.high, tile.low


def own_plays(position: Position, hand: list[Tile], seat: Any) -> int:
    """Plays of a hand on the seat's own train, or another, by the rules of what joins what; equal plays count once."""
    rules = position.rules
    joins = rules.record["join"][0]
    count = 0
    for tile in set(hand):
        for touch in {*map(rules.tiles.half_code, halves(tile))}:
            count += sum(int(joins[rules.tiles.half_code(end)]) >> touch & 1 for end in set(position.ends(seat)))
    return count


def table_of(position: Position, totals: tuple[int, ...], number: int) -> dict[str, float]:
    """The features of the table, from a position."""
    rules, seat = position.rules, position._get("seat")
    sizes = [len(hand) for hand in position.hands]
    others = [size for other, size in enumerate(sizes) if other != seat]
    drawn = position._get("play_drew") != 0
    legal = position.legal_moves()
    return {
        "tiles": sizes[seat],
        "fewest": min(others),
        "hand_points": rules.points(position.hands[seat]),
        "boneyard": len(position.boneyard),
        "open": position.is_open(seat),
        "started": seat in position.started,
        "mexican_started": "M" in position.started,
        "open_trains": sum(map(position.is_open, range(rules.players))),
        "doubles": len(position.open_doubles),
        "drew": drawn,
        "opening": position._get("opening"),
        "turns": position.turns,
        "required": position.owed == "required",
        "bonus": position.owed == "bonus",
        "chain": position.owed == "chain",
        "legal": sum(move != STOP for move in legal),
        "may_stop": STOP in legal,
        "others": sum(others),
        **{f"next_{k}": sizes[(seat + k) % rules.players] for k in (1, 2, 3)},
        "own_fits": own_plays(position, list(position.hands[seat]), seat),
        **{f"open_{k}": position.is_open((seat + k) % rules.players) for k in (1, 2, 3)},
        "other_fits": sum(
            own_plays(position, list(position.hands[seat]), train)
            for train in [*range(rules.players), "M"]
            if train != seat and (train in position.started if train == "M" else position.is_open(train))
        ),
        "lead": (sum(totals) - totals[seat]) / (rules.players - 1) - totals[seat],
        "rounds_left": rules.rounds - 1 - number,
    }


def action_of(position: Position, move: Move) -> dict[str, float]:
    """The features of an action except those of the plan, from a position."""
    names = [name for name in ACTION_FEATURES if not name.startswith(("plan_", "counting"))]
    found = dict.fromkeys(names, 0.0)
    if move == STOP:
        return found | {"stop": 1.0}
    rules, seat = position.rules, position._get("seat")
    tile = rules.actions.tile(move)
    hand = list(position.hands[seat])
    hand.remove(tile)
    after = position.copy()
    after.play_unchecked(move)
    new = rules.tiles.half(move.new)
    follow = len({other for other in hand if new in halves(other)} - {tile})
    own = move.train == seat
    cover = position._get("cover")
    hidden = [each for other, tiles in enumerate(position.hands) if other != seat for each in tiles]
    unseen = [
        sum(rules.tiles.half(half) in halves(other) for other in [*hidden, *position.boneyard])
        for half in (move.new, move.touch)
    ]
    shown = {f"letter_{letter.lower()}": float(letter in halves(tile)) for letter in "ADRST"}
    return found | {
        "points": rules.points([tile]),
        "double": tile.is_double,
        "own": own,
        "mexican": move.train == rules.players,
        "other": not own and move.train != rules.players,
        "closes": own and position.is_open(seat),
        "follow": follow,
        "lone": follow == 0,
        "out": not hand,
        "covers": cover == move.train,
        "followed_double": tile.is_double and follow > 0,
        "bound": position._get("bound"),
        "wild": "*" in halves(tile),
        "unseen": unseen[0],
        "covered_unseen": unseen[1],
        "covered_hand": sum(rules.tiles.half(move.touch) in halves(other) for other in hand),
        "owner_tiles": 0 if own or move.train == rules.players else len(position.hands[move.train]),
        **shown,
    }


def check(rules: RuleSet, dice: random.Random, steps: int, seed: int, n: int) -> None:
    """The rows of all environments, at each of some steps."""
    env = BatchEnv(rules, n, seed=seed, legal="rows", actions="rows", masks=False, observe=None)
    env.reset()
    following = followers(env, {})
    for _ in range(steps):
        assert env.offsets is not None and env.ids is not None and env.moves is not None  # noqa: PT018
        assert env.features is not None and env.table_features is not None  # noqa: PT018
        assert np.array_equal(np.diff(env.offsets), env.counts)
        for i, follower in enumerate(following):
            position, lo, hi = follower.position, *env.offsets[i : i + 2]
            legal = position.legal_moves()
            assert env.moves[lo:hi].tolist() == [move.code for move in legal]
            assert env.ids[lo:hi].tolist() == env.legal_ids(i).tolist()
            totals = tuple(int(total) for total in env.totals[i])
            expected = table_of(position, totals, follower.number)
            assert {*expected, "best"} == {*TABLE_FEATURES}
            for name, got in zip(TABLE_FEATURES[:-1], env.table_features[i], strict=False):
                assert np.isclose(got * SCALES.get(name, 1), expected[name], atol=1e-3), name
            for k, move in enumerate(legal):
                row = dict(zip(ACTION_FEATURES, env.features[lo + k], strict=True))
                for name, value in action_of(position, move).items():
                    if name not in ("own_plays", "own_stuck"):
                        assert np.isclose(row[name] * SCALES.get(name, 1), value, atol=1e-4), (name, move)
                if move != STOP:
                    left = len(position.hands[position._get("seat")]) - 1
                    tiles, rest = row["plan_tiles"] * 6, row["plan_rest"] * 6
                    assert np.isclose(tiles + rest, left, atol=1e-4)
                    assert row["own_stuck"] == (row["own_plays"] == 0)
        rows = np.array([dice.randrange(int(count)) for count in env.counts])
        chosen = env.ids[env.offsets[:-1] + rows].tolist()
        env.step(rows)
        for follower, action in zip(following, chosen, strict=True):
            follower.play(action)


@settings(max_examples=20)
@given(rule_sets(), st.randoms(use_true_random=False), st.integers(0, 2**64 - 1))
def test_rows_of_any_rules(rules: RuleSet, dice: random.Random, seed: int) -> None:
    check(rules, dice, 10, seed, 2)


@pytest.mark.parametrize("rules", [RuleSet.mexican(4), RuleSet.super(2)], ids=["mexican", "super"])
def test_rows_of_a_game(rules: RuleSet) -> None:
    check(rules, random.Random(1), 120, 5, 1)


def value_of_last(position: Position, move: Move) -> float:
    """What the last tile of a hand is worth to `counting`, in points: the table of docs/policies.md, with no plan."""
    rules, seat = position.rules, position._get("seat")
    tile = rules.actions.tile(move)
    late = min(len(hand) for other, hand in enumerate(position.hands) if other != seat) <= 2
    value = rules.points([tile]) * (64 + 21 * late) + 2518 * tile.is_double
    if move.train == seat:
        return (value + 1200 * position.is_open(seat)) / 64
    half = rules.tiles.half(move.new)
    laid = {*rules.tiles} - {other for hand in position.hands for other in hand} - {*position.boneyard}
    value += 86 * sum(half in halves(other) for other in laid)
    return (value - (not tile.is_double) * (172 if move.train == rules.players else 294)) / 64


def test_what_counting_thinks_of_a_play() -> None:
    """Its choice is worth most; the worth of a last tile is known from the weights."""
    env = BatchEnv(RuleSet.mexican(3), 12, seed=8, legal="rows", actions="rows", masks=False, observe=None)
    env.reset()
    following = followers(env, {})
    counting, best = (ACTION_FEATURES.index(name) for name in ("counting", "counting_best"))
    last = 0
    for _ in range(90):
        chosen = env.policy_actions("counting")
        for i, follower in enumerate(following):
            lo, hi = env.offsets[i : i + 2]  # type: ignore[index]
            moves = follower.position.legal_moves()
            plays = sum(move != STOP for move in moves)
            values, is_best = env.features[lo : lo + plays, counting], env.features[lo : lo + plays, best]  # type: ignore[index]
            assert ((values == 0) == (is_best == 1)).all()
            assert (values <= 0).all()
            assert not env.features[lo + plays : hi, [counting, best]].any()  # type: ignore[index]
            most = float(env.table_features[i, -1]) * 100  # type: ignore[index]
            if not plays:
                assert most == 0
                continue
            assert is_best[chosen[i]] == 1
            if env.table_features[i, 0] * 12 < 1.5:  # type: ignore[index]
                expected = [value_of_last(follower.position, move) for move in moves if move != STOP]
                assert np.allclose(values * 10 + most, expected, atol=0.01)
                last += 1
        actions = env.ids[env.offsets[:-1] + chosen].tolist()  # type: ignore[index]
        env.step(chosen)
        for follower, action in zip(following, actions, strict=True):
            follower.play(action)
    assert last > 10


def test_plays_on_the_own_train_afterwards() -> None:
    """Against the position after the play, with a free choice for the seat that played."""
    rules = RuleSet.mexican(3)
    env = BatchEnv(rules, 1, seed=4, legal="rows", actions="rows", observe=None)
    env.reset()
    (follower,) = followers(env, {})
    for step in range(60):
        position = follower.position
        seat = position._get("seat")
        for k, move in enumerate(position.legal_moves()):
            if move == STOP:
                continue
            after = position.copy()
            after.play_unchecked(move)
            if after.over:
                continue
            hand = list(position.hands[seat])
            hand.remove(rules.actions.tile(move))
            assert round(float(env.features[k, ACTION_FEATURES.index("own_plays")]) * 4) == own_plays(after, hand, seat)  # type: ignore[index]
        row = env.random_actions(step)
        action = int(env.ids[row[0]])  # type: ignore[index]
        env.step(row)
        follower.play(action)


def test_the_plan_is_nearly_always_the_longest_train() -> None:
    """Against the exact planner; counting is sometimes wrong where odd vertices cannot be joined."""
    rules = RuleSet.mexican(4)
    env = BatchEnv(rules, 4, seed=6, legal="rows", actions="rows", observe=None)
    env.reset()
    errors = []
    for step in range(40):
        for i, position in enumerate(follower.position for follower in followers(env, {})):
            seat = position._get("seat")
            for k, move in enumerate(position.legal_moves()):
                if move == STOP or move.train != seat:
                    continue
                hand = list(position.hands[seat])
                hand.remove(rules.actions.tile(move))
                best = plan(hand, rules.tiles.half(move.new), "double-12").tiles
                found = round(float(env.features[env.offsets[i] + k, ACTION_FEATURES.index("plan_tiles")]) * 6)  # type: ignore[index]
                errors.append(abs(found - best))
        env.reset(seed=step)
    assert len(errors) > 50
    assert np.mean(np.array(errors) == 0) >= 0.7
    assert np.mean(errors) < 0.6


def test_threads_write_the_same_rows() -> None:
    rules = RuleSet.super(3)
    envs = [BatchEnv(rules, 13, seed=3, legal="rows", actions="rows", threads=threads) for threads in (1, 4)]
    for env in envs:
        env.reset()
    for step in range(60):
        for name in ("offsets", "ids", "moves", "features", "table_features"):
            assert np.array_equal(getattr(envs[0], name), getattr(envs[1], name)), name
        for env in envs:
            env.step(env.random_actions(step))


def test_rows_after_the_end_of_an_episode() -> None:
    rules = RuleSet.mexican(2, tile_set="double-6", hand_size=3)
    env = BatchEnv(rules, 6, autoreset="off", legal="rows", actions="rows")
    env.reset()
    while not (env.done.any() and env.done.sum() < 6):
        env.step(env.random_actions(int(env.unseen.sum()) + int(env.counts.sum())))
    for i in np.flatnonzero(env.done):
        lo, hi = env.offsets[i : i + 2]  # type: ignore[index]
        assert env.ids[lo:hi].tolist() == [rules.action_count - 1]  # type: ignore[index]
        assert env.moves[lo] == STOP.code  # type: ignore[index]
        assert env.features[lo].tolist() == [1.0] + [0.0] * (len(ACTION_FEATURES) - 1)  # type: ignore[index]
        assert not env.table_features[i].any()  # type: ignore[index]


def test_hidden_tiles_and_the_key_change_no_row() -> None:
    rules = RuleSet.super(3)
    env = BatchEnv(rules, 8, seed=2, legal="rows", actions="rows")
    env.reset()
    noise = np.random.default_rng(3)
    for step in range(30):
        saved = env.save()
        rows = env.ids.copy(), env.features.copy(), env.table_features.copy()  # type: ignore[union-attr]
        for i in range(8):
            for seat in {0, 1, 2} - {int(env.seat[i])}:
                env._states["hand"][i, seat] = noise.integers(0, 2**19, 20, dtype=np.uint32)
                env._states["a_count"][i, seat] = noise.integers(0, 4)
        env._states["key"][:8] = noise.integers(0, 2**64, 8, dtype=np.uint64)
        env._states["boneyard"][:8] = noise.integers(0, 2**64, (8, 3), dtype=np.uint64)
        env._show()
        again = (env.ids, env.features, env.table_features)
        assert all(np.array_equal(*pair) for pair in zip(rows, again, strict=True))
        env.load(saved)
        env.step(env.random_actions(step))
