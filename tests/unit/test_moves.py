"""Moves, codes, ids and texts: docs/actions.md."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mextrain import STOP, Actions, Move, MoveError, RuleSet, TileSet
from mextrain_core.model.limits import STOP as STOP_CODE
from tests.reference import actions as slow

# Number of ids for 2 … 14 players, and for some tables of super.
MEXICAN_COUNTS = (301, 401, 846, 1015, 1184, 1353, 1522, 2561, 2817, 3073, 3329, 5055, 5416)
SUPER_COUNTS = {2: 619, 4: 1031, 8: 1855, 14: 3091}

SIZES = [("double-1", 2), ("double-9", 3), ("double-12", 4), ("double-18", 14), ("super", 2), ("super", 14)]
SPACES = [Actions(TileSet(name), players) for name, players in SIZES]
spaces = st.sampled_from(SPACES)


def ids_of(space: Actions) -> st.SearchStrategy[int]:
    return st.integers(0, space.count - 1)


@pytest.mark.parametrize(("players", "count"), list(enumerate(MEXICAN_COUNTS, start=2)))
def test_case_73_counts_of_mexican(players: int, count: int) -> None:
    rules = RuleSet.mexican(players)
    assert rules.action_count == rules.actions.count == rules.actions.stop + 1 == count


@pytest.mark.parametrize(("players", "count"), SUPER_COUNTS.items())
def test_case_73_counts_of_super(players: int, count: int) -> None:
    assert RuleSet.super(players).action_count == count
    assert RuleSet.super(players).actions.per_train == 206


@pytest.mark.parametrize("space", SPACES, ids=lambda space: f"{space.tiles.name}-{space.players}")
def test_case_67_ids_are_a_fixed_bijection(space: Actions) -> None:
    """Computed from the numbering rules, without the tables of the library."""
    if space.tiles.has_wild:
        letters = range(14, 19)
        pairs = [(a, b) for a in range(14) for b in range(14)]
        pairs = sorted([*pairs, *((13, letter) for letter in letters), *((letter, 13) for letter in letters)])
    else:
        n = int(space.tiles.name.removeprefix("double-"))
        pairs = [(a, b) for a in range(n + 1) for b in range(n + 1)]
    moves = [Move(train, *pair) for train in range(space.players + 1) for pair in pairs] + [STOP]
    assert len(moves) == space.count
    for number, move in enumerate(moves):
        assert space.move(number) == move
        assert space.id(move) == number
        assert space.parse(space.text(number)) == move
    assert len({space.text(number) for number in range(space.count)}) == space.count
    assert all(a.code < b.code and a < b for a, b in pairwise(moves))


@pytest.mark.parametrize("space", SPACES, ids=lambda space: f"{space.tiles.name}-{space.players}")
def test_the_slow_numbers_agree(space: Actions) -> None:
    name, players = space.tiles.name, space.players
    assert slow.number_of_ids(name, players) == space.count
    for number in range(0, space.count, 7):
        text = slow.action_of(number, name, players)
        assert space.text(number) == text
        assert space.id(space.parse(text)) == number
        assert space.move(number).code == slow.move_of(text, players)


def test_texts_keep_their_direction() -> None:
    """The first half touches the train, the second becomes its end."""
    space = RuleSet.super(4).actions
    assert space.parse("12-5@0") == Move(0, 12, 5)
    assert space.parse("5-12@0") == Move(0, 5, 12)
    assert space.parse("3-*@M") == Move(4, 3, 13)
    assert space.parse("*-3@M") == Move(4, 13, 3)
    assert space.parse("A-*@3") == Move(3, 14, 13)
    assert space.parse("stop") == STOP
    assert space.text(Move(4, 3, 13)) == "3-*@M"
    assert str(space.tile(Move(4, 3, 13))) == "*-3"
    assert str(space.tile(space.parse("5-12@0"))) == "12-5"
    with pytest.raises(MoveError, match="no tile"):
        space.tile(STOP)


def test_codes_are_as_documented() -> None:
    assert Move(3, 12, 5).code == 3 << 10 | 12 << 5 | 5
    assert Move.from_code(3 << 10 | 12 << 5 | 5) == Move(3, 12, 5)
    assert STOP.code == STOP_CODE == 0x3FFF
    assert Move.from_code(0x3FFF) == STOP
    assert RuleSet.mexican(14).actions.parse("18-18@M").code < STOP.code


@pytest.mark.parametrize(
    "text",
    ["", "12-5", "12-5@", "12-5@4", "12-5@-1", "12-5@00", "12-5@mm", "12-5@0@1", "@0", "13-0@0", "*-3@0",
     "12@0", "1-2-3@0", "sto p", "stop@0", "pass", "12-5@ ", "12-5@٣", "12-5@1.0"],
)  # fmt: skip
def test_texts_that_are_no_move_are_refused_by_name(text: str) -> None:
    with pytest.raises(MoveError) as caught:
        RuleSet.mexican(4).actions.parse(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("value", [None, 5, b"stop", Move(0, 1, 2)])
def test_only_text_is_parsed(value: Any) -> None:
    with pytest.raises(MoveError):
        RuleSet.mexican(4).actions.parse(value)


@pytest.mark.parametrize("action", [-1, 846, 10**30, 1.0, True, "5", None, np.float64(1), np.bool_(True)])
def test_numbers_that_are_no_id_are_refused_by_name(action: Any) -> None:
    space = RuleSet.mexican(4).actions
    for call in (space.move, space.text, space.tile, lambda a: space.relative(a, 0), lambda a: space.absolute(a, 0)):
        with pytest.raises(MoveError, match=r"not an action id of double-12 with 4 players: expected an int 0 … 845"):
            call(action)


def test_integers_of_numpy_are_ids() -> None:
    space = RuleSet.mexican(4).actions
    assert space.move(np.uint16(845)) == STOP  # type: ignore[arg-type]


@pytest.mark.parametrize("move", [(5, 0, 0), (-1, 0, 0), (0, 13, 0), (0, 0, 31), (0, -1, 0), (15, 31, 30)])
def test_moves_that_do_not_exist_have_no_id(move: tuple[int, int, int]) -> None:
    with pytest.raises(MoveError):
        RuleSet.mexican(4).actions.id(Move(*move))
    with pytest.raises(MoveError):
        RuleSet.super(4).actions.id(Move(0, 14, 14))


@given(spaces, st.data())
def test_relative_turns_the_table(space: Actions, data: st.DataObject) -> None:
    action, seat = data.draw(ids_of(space)), data.draw(st.integers(0, space.players - 1))
    turned = space.relative(action, seat)
    assert space.absolute(turned, seat) == action
    before, after = space.move(action), space.move(turned)
    if before.train < space.players:
        assert after == ((before.train - seat) % space.players, before.touch, before.new)
    else:
        assert after == before  # M and stop stay
    if before.train == seat:
        assert after.train == 0


@given(spaces, st.data())
def test_arrays_agree_with_single_calls(space: Actions, data: st.DataObject) -> None:
    actions = data.draw(st.lists(ids_of(space), min_size=0, max_size=20))
    seat = data.draw(st.integers(0, space.players - 1))
    dtype = data.draw(st.sampled_from([np.int64, np.int32, np.uint16, np.uint64]))
    ids = np.array(actions, dtype=dtype)
    codes = space.codes(ids)
    assert codes.dtype == np.uint16
    assert codes.tolist() == [space.move(action).code for action in actions]
    back = space.ids(codes)
    assert back.dtype == np.int32
    assert back.tolist() == actions
    assert space.relative(ids, seat).dtype == np.int32
    assert space.relative(ids, seat).tolist() == [space.relative(action, seat) for action in actions]
    assert space.absolute(space.relative(ids, seat), seat).tolist() == actions


def test_arrays_keep_their_shape_and_their_owner() -> None:
    space = RuleSet.mexican(4).actions
    ids = np.arange(12).reshape(3, 4)
    assert space.codes(ids).shape == space.ids(space.codes(ids)).shape == space.relative(ids, 1).shape == (3, 4)
    assert space.codes(np.array(5)).shape == ()
    codes = space.codes(ids)
    codes[:] = 0  # it is a copy: the table does not change
    assert space.move(5) == Move(0, 0, 5)


NO_IDS: list[list[object]] = [[0, 846], [-1], [1.0], [True], [2**63], ["1"], [None]]


@pytest.mark.parametrize("ids", NO_IDS)
def test_arrays_of_no_ids_are_refused(ids: list[object]) -> None:
    space = RuleSet.mexican(4).actions
    with pytest.raises(MoveError):
        space.codes(np.array(ids))
    with pytest.raises(MoveError):
        space.relative(np.array(ids), 0)


@pytest.mark.parametrize("code", [13, 13 << 5, 5 << 10, 0x3FFE, 0xFFFF, -1, 2**40])
def test_codes_that_are_no_move_are_refused_by_name(code: int) -> None:
    with pytest.raises(MoveError, match=f"{code:#x}"):
        RuleSet.mexican(4).actions.ids(np.array([0, code]))


@pytest.mark.parametrize("seat", [-1, 4, True, 1.0, None])
def test_seats_that_do_not_exist_are_refused(seat: Any) -> None:
    with pytest.raises(MoveError, match="no seat"):
        RuleSet.mexican(4).actions.relative(0, seat)


def test_a_space_is_a_value() -> None:
    space = Actions(TileSet("super"), 4)
    assert space.move(0) == Move(0, 0, 0)
    assert space == RuleSet.super(4).actions == pickle.loads(pickle.dumps(space))
    assert hash(space) == hash(RuleSet.super(4).actions)
    assert space != Actions(TileSet("super"), 5)
