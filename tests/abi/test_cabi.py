"""The C interface: the header matches the structs, the table plays like the kernels, and a C program can use it."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import numpy as np
import pytest

from mextrain import RuleSet, c
from mextrain_core import abi
from mextrain_core.bulk import rollout
from mextrain_core.game import deal, movegen, perft, score, turn
from mextrain_core.model.state import FAILED, FAULT, PHASE_DECIDE, STATE, new_states
from tests import limits

ROOT = Path(__file__).parents[2]
RULES = [RuleSet.mexican(players=4), RuleSet.super(players=5), RuleSet.mexican(players=3, double_rule="chicken_foot")]


def test_the_header_is_what_the_records_say() -> None:
    path = Path(c.get_include()) / "mextrain.h"
    assert path.read_text() == c.header(), f"write mextrain.c.header() to {path}"


@pytest.mark.parametrize("language", ["c", "c++"])
def test_sizes_and_offsets_hold_in_c(language: str, tmp_path: Path) -> None:
    source = tmp_path / ("a.c" if language == "c" else "a.cpp")
    source.write_text('#include "mextrain.h"\nextern int size;\nint size = (int)sizeof(mextrain_state);\n')
    compiler, standard = ("gcc", "-std=c11") if language == "c" else ("g++", "-std=c++17")
    command = [compiler, standard, "-Wall", "-Wextra", "-Werror", f"-I{c.get_include()}", "-c", str(source)]
    assert limits.output_of([*command, "-o", str(tmp_path / "a.o")]) == ""


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("form", ["cffi", "ctypes"])
def test_a_round_through_the_table_is_the_kernels_round(rules: RuleSet, form: str) -> None:
    interface = c.interface()
    api = getattr(interface, form)
    kernel, table = new_states(1), new_states(1)
    struct, ffi = rules.record, interface.ffi

    def pointer(array: np.ndarray, kind: str) -> object:
        return ffi.cast(f"{kind} *", array.ctypes.data) if form == "cffi" else array.ctypes.data

    state, options = pointer(table, "mextrain_state"), pointer(struct, "mextrain_rules")
    engine = int(struct[0]["first_engine"])
    deal.deal(kernel, 0, struct, np.uint64(9), np.uint64(3), np.uint64(engine), np.uint64(255))
    turn.advance(kernel, 0, struct, None)
    api.deal_game(state, options, 9, 3, engine, 255)
    api.advance(state, options)
    ours, theirs = np.zeros(2048, np.uint16), np.zeros(2048, np.uint16)
    step = 0
    while kernel[0].phase == PHASE_DECIDE:
        assert kernel.tobytes() == table.tobytes()
        n = movegen.legal_moves(kernel, 0, struct, ours)
        assert api.legal_moves(state, options, pointer(theirs, "uint16_t")) == n
        assert ours[:n].tolist() == theirs[:n].tolist()
        move = int(ours[step % n])
        assert api.id_to_move(options, api.move_to_id(options, move)) == move
        assert api.is_legal(state, options, move) == 1
        before = table.tobytes()
        assert api.play(state, options, 0x3FFE) == 0
        assert table.tobytes() == before
        assert turn.play(kernel, 0, struct, None, np.uint64(move))
        if step % 2:
            assert api.play(state, options, move) == 1
        else:
            api.play_unchecked(state, options, move)
        step += 1
    assert step > 5
    assert api.legal_moves(state, options, pointer(theirs, "uint16_t")) == 0
    points, found = np.zeros(rules.players, np.int64), np.zeros(rules.players, np.int64)
    score.score(kernel, 0, struct, points)
    api.points(state, options, pointer(found, "int64_t"))
    assert points.tolist() == found.tolist()


def test_copies_do_not_share_and_a_new_key_changes_draws_only() -> None:
    rules, api = RULES[0], c.interface().ctypes
    struct = rules.record
    states = new_states(3)
    at = [states[i : i + 1].ctypes.data for i in range(3)]
    api.deal_game(at[0], struct.ctypes.data, 1, 0, 12, 255)
    api.advance(at[0], struct.ctypes.data)
    api.copy(at[1], at[0], struct.ctypes.data)
    api.copy(at[2], at[0], struct.ctypes.data)
    api.rekey(at[2], 77)
    before = states[0].tobytes()
    policies = np.zeros(4, np.uint8)
    moves = [api.play_to_end(at[i], struct.ctypes.data, policies.ctypes.data) for i in (1, 2)]
    assert states[0].tobytes() == before
    assert states["end"][1:].all()
    assert moves[0] != moves[1] or states[1].tobytes() != states[2].tobytes()


def test_the_capsule_holds_the_table() -> None:
    interface = c.interface()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    assert get(interface.capsule, c.CAPSULE_NAME) == interface.address
    assert list((ctypes.c_uint32 * 3).from_address(interface.address))[:2] == [abi.ABI_VERSION, STATE.itemsize]
    assert c.interface() is interface


def test_the_c_program_of_the_examples_counts_like_the_kernels() -> None:
    done = limits.run([sys.executable, str(ROOT / "examples/c_abi/run.py")])
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    rules, states = RULES[0], new_states(8)
    deal.deal(states, 0, rules.record, np.uint64(1), np.uint64(0), np.uint64(12), np.uint64(255))
    assert lines[:5] == [f"perft {n}: {perft.perft(states, 0, rules.record, n)}" for n in range(1, 6)]
    means = [float(mean) for mean in lines[5].split(": ")[1].split(", ")]
    assert means[0] < min(means[1:])


C_POLICY = """
#include "mextrain.h"
/* The first legal move: enough for a round to end. */
int32_t first_move(const mextrain_state *state, const mextrain_rules *rules, uint64_t word);
int32_t first_move(const mextrain_state *state, const mextrain_rules *rules, uint64_t word)
{
    (void)word;
    for (uint32_t train = 0; train <= rules->players; train++)
        for (uint32_t touch = 0; touch < rules->halves; touch++)
            if (state->eligible >> train & 1 && state->end_half[train] == touch)
                for (uint32_t fresh = 0; fresh < rules->halves; fresh++)
                    if (state->hand[state->seat][touch] >> fresh & 1 &&
                        (state->only == MEXTRAIN_NONE ||
                         (touch + fresh == (uint32_t)rules->hi[state->only] + rules->lo[state->only] &&
                          (touch == rules->hi[state->only] || touch == rules->lo[state->only]))))
                        return (int32_t)(train << 10 | touch << 5 | fresh);
    return state->may_stop ? MEXTRAIN_STOP : 0;
}
/* Looks for what it must not see; -1 (a failure) if it finds any of it. */
int32_t spy(const mextrain_state *state, const mextrain_rules *rules, uint64_t word);
int32_t spy(const mextrain_state *state, const mextrain_rules *rules, uint64_t word)
{
    uint64_t seen = state->key | state->boneyard[0] | state->boneyard[1] | state->boneyard[2];
    for (uint32_t seat = 0; seat < rules->players; seat++)
        for (uint32_t half = 0; seat != state->seat && half < rules->halves; half++)
            seen |= state->hand[seat][half] | state->a_count[seat];
    return seen ? -1 : first_move(state, rules, word);
}
int32_t cheat(const mextrain_state *state, const mextrain_rules *rules, uint64_t word);
int32_t cheat(const mextrain_state *state, const mextrain_rules *rules, uint64_t word)
{
    (void)state, (void)rules, (void)word;
    return 0x3FFE;
}
int32_t give_up(const mextrain_state *state, const mextrain_rules *rules, uint64_t word);
int32_t give_up(const mextrain_state *state, const mextrain_rules *rules, uint64_t word)
{
    (void)state, (void)rules, (void)word;
    return -1;
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("policy")
    (folder / "policy.c").write_text(C_POLICY)
    command = ["gcc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{c.get_include()}"]
    assert limits.output_of([*command, "-o", str(folder / "policy.so"), str(folder / "policy.c")]) == ""
    return ctypes.CDLL(str(folder / "policy.so"))


def address_of(library: ctypes.CDLL, name: str) -> int:
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0


def games_with(rules: RuleSet, addresses: list[int], games: int = 20) -> tuple[int, np.ndarray, np.ndarray]:
    shape = (games, rules.rounds)
    points, facts = np.zeros((*shape, rules.players), np.int64), np.zeros((*shape, 7), np.int32)
    total, _ = rollout.play_games_calling(
        new_states(2), 0, rules.record,
        rollout.SeatPolicies(np.zeros(rules.players, np.uint8), np.array(addresses, np.uint64)),
        np.uint64(1), np.uint64(0), games, points, facts, np.zeros(0, np.uint16),
    )
    return int(total), points, facts


def test_a_compiled_policy_of_the_users_sees_only_its_own_seat(library: ctypes.CDLL) -> None:
    rules = RuleSet.mexican(players=4)
    spies = games_with(rules, [address_of(library, "spy")] * 4)
    firsts = games_with(rules, [address_of(library, "first_move")] * 4)
    assert spies[0] == firsts[0]
    assert set(np.unique(spies[2][..., 0])) <= {1, 2}


@pytest.mark.parametrize(("function", "end"), [("cheat", FAULT), ("give_up", FAILED)])
def test_an_illegal_move_and_a_failure_end_the_round_and_name_the_seat(
    library: ctypes.CDLL, function: str, end: int
) -> None:
    addresses = [0, 0, address_of(library, function), 0]
    _, _, facts = games_with(RuleSet.mexican(players=4), addresses)
    at_fault = facts[..., 0] == end
    assert at_fault.any()
    assert set(facts[at_fault][:, 1].tolist()) == {2}


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_seats_without_an_address_play_as_ever(rules: RuleSet) -> None:
    shape = (20, rules.rounds)
    points, facts = np.zeros((*shape, rules.players), np.int64), np.zeros((*shape, 7), np.int32)
    total, _ = rollout.play_games(
        new_states(1), 0, rules.record, np.zeros(rules.players, np.uint8), np.uint64(1), np.uint64(0), 20, points,
        facts, np.zeros(0, np.uint16),
    )
    called = games_with(rules, [0] * rules.players)
    assert called[0] == int(total)
    assert np.array_equal(called[1], points)
    assert np.array_equal(called[2], facts)
