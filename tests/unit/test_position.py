"""`Position`: masks, illegal moves, undo, copies, pickles, explicit chance, and a turn with several extra plays."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mextrain
from mextrain import STOP, IllegalMove, Move, MoveError, Position, PositionError, RuleSet, Tile, TileError
from mextrain_core.model.state import PHASE_DECIDE, copy_state, new_states
from tests.strategies import rounds

FOUR = RuleSet.mexican(4)
Named = tuple[RuleSet, int, int, str, int | None]


def dealt(this: Named, **more: Any) -> Position:
    rules, seed, game, engine, starter = this
    return Position.deal(rules, seed=seed, game=game, engine=engine, starter=starter, **more)


def advanced(rules: RuleSet, seed: int, moves: int) -> Position:
    position = Position.deal(rules, seed=seed)
    for _ in range(moves):
        if not position.over:
            position.play(random.Random(seed).choice(position.legal_moves()))
    return position


def play_out(position: Position, dice: random.Random) -> Position:
    while not position.over:
        position.play(dice.choice(position.legal_moves()))
    return position


def seen(position: Position) -> dict[str, Any]:
    """Everything that can be read from a position."""
    names = [
        "rules", "seat", "owed", "must_cover", "drawn", "opening", "opening_to_come", "skip_pending", "draw_pending",
        "direction", "pending_draw", "engine", "starter", "trains", "started", "open_doubles", "hands", "boneyard",
        "over", "end", "winner", "points", "turns", "plays", "draws", "attempts", "events", "start", "log",
    ]  # fmt: skip
    facts = {name: copy.deepcopy(getattr(position, name)) for name in names}
    facts["legal"] = position.legal_moves()
    facts["ends"] = [position.ends(train) for train in position.trains]
    facts["open"] = [position.is_open(train) for train in position.trains]
    facts["table"] = position.table()
    return facts


# -- masks and ids


@settings(max_examples=80)
@given(rounds(), st.integers(0, 2**32 - 1))
def test_every_way_to_list_moves_says_the_same(this: Named, seed: int) -> None:
    position, dice = dealt(this), random.Random(seed)
    count = position.rules.action_count
    actions = position.rules.actions
    while not position.over:
        ids = position.legal_ids()
        assert ids
        assert list(ids) == sorted(set(ids))
        assert tuple(map(actions.move, ids)) == position.legal_moves()
        assert tuple(map(actions.text, ids)) == position.legal_texts()
        mask = position.action_mask()
        assert mask.dtype == np.bool_
        assert mask.shape == (count,)
        assert np.flatnonzero(mask).tolist() == list(ids)
        packed = position.action_mask(packed=True)
        assert packed.dtype == np.uint64
        assert packed.shape == ((count + 63) // 64,)
        assert [i for i in range(count) if int(packed[i >> 6]) >> (i & 63) & 1] == list(ids)
        if position.legal_moves()[0] != STOP:
            assert all(position.is_legal(move) for move in position.legal_moves())
        assert STOP not in position.legal_moves() or len(ids) > 1
        position.play_unchecked(dice.choice(ids))
    assert not position.action_mask().any()
    assert position.action_mask().shape == (count,)
    assert position.legal_moves() == position.legal_ids() == position.legal_texts() == ()


def test_masks_are_the_callers_own() -> None:
    position = Position.deal(FOUR, seed=1)
    kept = position.action_mask(), position.action_mask(packed=True)
    before = [mask.copy() for mask in kept]
    for _ in range(5):
        position.play(position.legal_moves()[0])
    for mask, same in zip(kept, before, strict=True):
        assert np.array_equal(mask, same)
        mask[:] = 0
    assert position.action_mask().any()


def test_hidden_hands_change_no_legal_move() -> None:
    """Two positions that look the same to the seat to move have the same actions in the same order."""
    mine = "9-5 5-5 9-1 5-2"
    others = ["9-6 6-6 6-5 4-4", "9-8 8-8 7-7 8-5"], ["9-8 8-8 7-7 8-5", "9-6 6-6 6-5 4-4"], ["2-1", "3-3 1-0"]
    rules = RuleSet.mexican(3, hand_size=4)
    positions = [Position.setup(rules, hands=[mine, *hands], seed=n) for n, hands in enumerate(others)]
    assert len({position.legal_ids() for position in positions}) == 1
    assert len({position.action_mask().tobytes() for position in positions}) == 1


def test_no_mask_where_nothing_is_to_be_decided() -> None:
    position = Position.deal(RuleSet.mexican(2), seed=0, chance="explicit")
    while not position.pending_draw:
        position.play(position.legal_moves()[0])
    assert not position.action_mask().any()
    assert position.legal_moves() == ()
    assert position.seat is not None


# -- illegal tries


WRONG: list[Any] = [
    -1, 10**6, 2**70, 1.0, True, None, "", "12-5", "12-5@4", "13-0@0", "12-5@MM", b"stop", [], (0, 12),
    Move(0, 12, 13), Move(5, 12, 5), Move(-1, 0, 0), np.float64(3), np.int64(-1), np.bool_(True),
]  # fmt: skip


@pytest.mark.parametrize("action", WRONG, ids=repr)
def test_what_is_no_move_is_refused_and_changes_nothing(action: Any) -> None:
    position = advanced(FOUR, 3, 20)
    before = seen(position)
    twin = position.copy()
    for method in (position.play, position.try_play, position.play_unchecked, position.is_legal, position.why_illegal):
        with pytest.raises(MoveError):
            method(action)
    assert position == twin
    assert seen(position) == before


def test_ids_of_numpy_are_ids() -> None:
    position = Position.deal(FOUR, seed=1)
    action = np.int32(position.legal_ids()[0])
    assert position.is_legal(action)  # type: ignore[arg-type]
    position.play(action)  # type: ignore[arg-type]
    assert position.plays == 1


@settings(max_examples=30)
@given(rounds(), st.integers(0, 2**32 - 1))
def test_illegal_moves_leave_the_state_bit_for_bit(this: Named, seed: int) -> None:
    position, dice = dealt(this), random.Random(seed)
    while not position.over:
        raw, log, legal = position._raw.tobytes(), list(position.log), set(position.legal_ids())
        for action in dice.choices(range(position.rules.action_count), k=5):
            if action not in legal:
                assert not position.try_play(action)
                with pytest.raises(IllegalMove, match=f"is not legal for seat {position.seat}"):
                    position.play(action)
        assert (position._raw.tobytes(), position.log) == (raw, log)
        position.play(dice.choice(sorted(legal)))
    raw = position._raw.tobytes()
    for action in dice.choices(range(position.rules.action_count), k=5):
        with pytest.raises(IllegalMove, match="the round is over"):
            position.play(action)
    assert position._raw.tobytes() == raw


def test_trains_that_do_not_exist() -> None:
    position = Position.deal(FOUR, seed=1)
    for train in (4, -1, "4", "m", True, 1.0, None):
        for method in (position.ends, position.is_open):
            with pytest.raises(MoveError, match="there is no train"):
                method(train)  # type: ignore[arg-type]


# -- undo, copies, equality


@settings(max_examples=25)
@given(rounds(), st.integers(0, 2**32 - 1), st.booleans())
def test_everything_can_be_taken_back(this: Named, seed: int, explicit: bool) -> None:
    position, dice = dealt(this, chance="explicit" if explicit else "stream"), random.Random(seed)
    past = []
    while not position.over and len(past) < 60:
        past.append(seen(position))
        if position.pending_draw:
            position.draw(dice.choice(position.boneyard))
        else:
            position.play(dice.choice(position.legal_moves()))
    while past:
        position.undo()
        assert seen(position) == past.pop()
    with pytest.raises(PositionError, match="nothing can be taken back"):
        position.undo()


COPIES = {
    "copy": Position.copy,
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda position: pickle.loads(pickle.dumps(position)),
}


@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("rules", [FOUR, RuleSet.super(3), RuleSet.mexican(3, double_rule="chicken_foot")])
def test_copies_part_ways(make: Any, rules: RuleSet) -> None:
    """At every point of a round the copy is equal, plays on the same way, and is independent."""
    position, dice = Position.deal(rules, seed=6), random.Random(6)
    while not position.over:
        before = seen(position)
        twin = make(position)
        assert twin == position
        assert twin.identity() == position.identity()
        assert seen(twin) == before
        move = dice.choice(position.legal_moves())
        twin.play(move)
        assert seen(position) == before
        assert twin != position
        assert twin.identity() != position.identity()
        position.play(move)
        assert twin == position
        assert twin.events == position.events
        twin.undo()
        assert seen(twin) == before
    twin = make(position)
    assert seen(twin) == seen(position)
    assert twin.record() == position.record()


def test_the_draw_after_loading_is_the_draw_without() -> None:
    position = advanced(RuleSet.mexican(2), 4, 3)
    while not position.over:
        loaded = pickle.loads(pickle.dumps(position))
        move = position.legal_moves()[-1]
        position.play(move)
        loaded.play(move)
        assert loaded.events == position.events
    assert position.draws > 0


def _points(position: Position) -> tuple[int, ...]:
    return play_out(position, random.Random(1)).points


def test_positions_travel_to_other_processes() -> None:
    positions = [advanced(FOUR, seed, 30) for seed in range(2)]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there = pool.map(_points, positions)
    assert there == [_points(position) for position in positions]


def test_a_pickle_of_another_layout_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = pickle.dumps(Position.deal(FOUR, seed=1))
    monkeypatch.setattr("mextrain.position._LAYOUT", 0)
    with pytest.raises(PositionError, match="another version of mextrain"):
        pickle.loads(stored)


def test_rollouts_from_copies_leave_the_position_alone() -> None:
    position = advanced(FOUR, 8, 25)
    before = seen(position)
    for seed in range(30):
        play_out(position.copy(), random.Random(seed))
    assert seen(position) == before


@pytest.mark.parametrize("rules", [FOUR, RuleSet.super(14), RuleSet.mexican(14, double_rule="chicken_foot")])
def test_states_in_kernels_share_nothing(rules: RuleSet) -> None:
    position = advanced(rules, 2, 20)
    states = new_states(2)
    copy_state(states, 0, position._states, 0, rules.record)
    copy_state(states, 1, states, 0, rules.record)
    assert states[1]["phase"] == PHASE_DECIDE
    before = states[0].tobytes()
    twin = position.copy()
    twin._hold(states[1:].view(np.uint8))
    assert twin == position
    play_out(twin, random.Random(1))
    assert states[0].tobytes() == before


def test_other_things_are_not_equal() -> None:
    position = Position.deal(FOUR, seed=1)
    assert position == Position.deal(FOUR, seed=1)
    assert position != Position.deal(FOUR, seed=2)
    assert position != Position.deal(RuleSet.mexican(4, double_blank=25), seed=1)
    assert position != Position.deal(FOUR, seed=1, chance="explicit")
    assert position != "position"
    assert position == position.restart()


def test_a_boneyard_to_come_is_part_of_what_a_position_is() -> None:
    rules = RuleSet.mexican(2, tile_set="double-2", hand_size=1)
    hands = ["2-0", "2-1"]
    one = Position.setup(rules, hands=hands, boneyard="0-0 1-0 1-1")
    other = Position.setup(rules, hands=hands, boneyard="1-0 0-0 1-1")
    assert one != other
    assert one.hands == other.hands


# -- chance that is the caller's


@settings(max_examples=40)
@given(rounds(), st.integers(0, 2**32 - 1))
def test_explicit_chance_plays_the_same_round(this: Named, seed: int) -> None:
    streamed = play_out(dealt(this), random.Random(seed))
    position = dealt(this, chance="explicit")
    for event in streamed.events:
        if event.kind in ("draw", "forced-draw"):
            assert position.pending_draw == event.kind
            outcomes = position.chance_outcomes()
            assert [tile for tile, _ in outcomes] == list(position.boneyard)
            assert sum(chance for _, chance in outcomes) == pytest.approx(1)
            assert event.tile is not None
            position.draw(event.tile)
        elif event.is_decision:
            assert position.pending_draw is None
            assert position.chance_outcomes() == ()
            assert event.move is not None
            position.play(event.move)
    assert position.over
    assert position.events == streamed.events
    assert position.points == streamed.points
    assert position.draws == streamed.draws


def test_wrong_draws_are_refused() -> None:
    position = Position.deal(FOUR, seed=1)
    with pytest.raises(IllegalMove, match="chance='explicit' only"):
        position.draw("1-0")
    position = Position.deal(FOUR, seed=1, chance="explicit")
    while not position.pending_draw:
        position.play(position.legal_moves()[0])
    before = seen(position)
    with pytest.raises(IllegalMove, match="12-12 cannot be drawn: it is not among the 42 tiles"):
        position.draw("12-12")
    with pytest.raises(TileError):
        position.draw("13-0")
    with pytest.raises(IllegalMove, match="has to draw first"):
        position.play("12-5@0")
    assert seen(position) == before
    position.draw(str(position.boneyard[0]))
    assert position.draws == 1
    position.undo()
    assert seen(position) == before


# -- what lies where


@settings(max_examples=40)
@given(rounds(), st.integers(0, 2**32 - 1))
def test_every_tile_is_in_one_place(this: Named, seed: int) -> None:
    position, dice = dealt(this), random.Random(seed)
    whole = Counter(position.rules.tiles)
    while True:
        laid = Counter(event.tile for event in position.events if event.kind == "play")
        held = Counter(tile for hand in position.hands for tile in hand)
        assert laid + held + Counter(position.boneyard) + Counter([position.engine]) == whole
        assert position.points == tuple(map(position.rules.points, position.hands))
        if position.over:
            return
        position.play(dice.choice(position.legal_moves()))


@pytest.mark.parametrize(("blank", "points"), [(0, 34), (25, 59), (50, 84)])
def test_points_of_the_double_blank(blank: int, points: int) -> None:
    rules = RuleSet.mexican(4, double_blank=blank)
    # Before the first draw, which is not made here.
    hands = ["0-0 12-12 7-3", "1-0", "2-0", "3-0"]
    position = Position.setup(rules, engine="11-11", hands=hands, chance="explicit")
    assert position.points == (points, 1, 2, 3)


def test_points_of_super_tiles() -> None:
    hands = ["*-3 *-* *-A 12-12", "*-A *-A"]
    position = Position.setup(RuleSet.super(2), engine="11-11", hands=hands)
    assert position.points == (77, 40)
    assert position.hands == ((Tile(12, 12), Tile("*", 3), Tile("*", "*"), Tile("*", "A")), (Tile("*", "A"),) * 2)


# -- a turn in which extra plays stack up


def test_double_double_and_twice_in_one_turn() -> None:
    """The play owed and the open doubles are correct after each tile, after undo and after loading."""
    position = Position.setup(
        RuleSet.super(2, hand_size=7),
        hands=["12-5 5-5 *-T *-* 7-7 7-3 1-0", "12-6 6-0 6-1 6-2 6-3 6-4 6-5"],
        seed=0,
    )
    position.play("12-5@0")
    position.play("12-6@1")
    turn = position.turns
    for play, owed, doubles in (
        ("5-5@0", "required", ["5-5@0"]),
        ("*-T@0", "bonus", []),
        ("*-*@M", "required", ["*-*@M"]),
        ("7-7@M", "required", ["7-7@M"]),
    ):
        for _ in range(2):
            position.play(play)
            assert (position.seat, position.turns, position.owed) == (0, turn, owed)
            assert [str(double) for double in position.open_doubles] == doubles
            assert not any(double.inherited for double in position.open_doubles)
            position = pickle.loads(pickle.dumps(position))
            position.undo()
        position.play(play)
    position.play("7-3@M")
    assert (position.turns, position.open_doubles) == (turn + 1, ())


def test_the_view_of_feet() -> None:
    rules = RuleSet.mexican(2, double_rule="chicken_foot", opening="single", hand_size=5)
    position = Position.setup(rules, hands=["9-5 5-5 5-4 5-2 9-1", "9-8 5-1 5-0 7-7 8-8"], seed=0)
    for play in ("9-5@0", "9-8@1", "5-5@0"):
        position.play(play)
    assert position.must_cover == position.open_doubles
    position.play("5-4@0")
    (foot,) = position.open_doubles
    assert (str(foot), foot.tile, foot.train, foot.inherited, foot.toes) == ("5-5@0", Tile(5, 5), 0, True, (4,))
    assert position.ends(0) == (5,)
    position.play("5-1@0")
    position.play("5-2@0")
    assert position.open_doubles == ()
    assert position.ends(0) == (1, 2, 4)


def test_reading_a_position() -> None:
    position = Position.deal(FOUR, seed=1)
    assert repr(position) == f"<Position mexican, 4 players, engine 12-12: turn {position.turns}, seat 1 on move>"
    assert position.trains == (0, 1, 2, 3, "M")
    assert position.is_open("M")
    assert position.opening
    play_out(position, random.Random(0))
    assert position.seat is position.owed is position.drawn is None
    assert not position.opening
    assert repr(position).endswith((f"seat {position.winner} went out>", "blocked>"))


def test_a_position_is_no_key_but_its_identity_is() -> None:
    """A key that changes would be lost in its set; the identity stays what it was when it was asked for."""
    position = Position.deal(FOUR, seed=6)
    with pytest.raises(TypeError, match="unhashable"):
        {position}  # noqa: B018
    seen = {position.identity(): "first"}
    again = position.copy()
    position.play(position.legal_moves()[0])
    assert position.identity() not in seen
    assert seen[again.identity()] == "first"
    position.undo()
    assert seen[position.identity()] == "first"


def test_what_can_be_changed_cannot_be_hashed() -> None:
    """Python's contract, for every public class: equal values hash alike, as long as they are keys."""
    frozen = {str, int, tuple}
    for name in mextrain._HOMES:
        kind = getattr(mextrain, name)
        if isinstance(kind, type) and kind.__eq__ is not object.__eq__ and kind.__hash__ is not None:
            parameters = getattr(kind, "__dataclass_params__", None)
            assert (parameters is not None and parameters.frozen) or frozen & set(kind.__mro__), name
