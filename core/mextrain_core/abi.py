"""The C interface: a header and a table of function pointers (docs/c-abi.md).

The header is generated from the dtypes of the structs and from the functions below, so it always matches the code. The
functions are the kernels' helpers behind C signatures: they check only what their docstrings say, raise nothing and
allocate nothing.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mextrain_core.bulk import rollout
from mextrain_core.compiler.jit import as_struct, c_array, c_function
from mextrain_core.game import deal, movegen, score, turn
from mextrain_core.model.moves import action_id, move_of_id
from mextrain_core.model.rng import round_key
from mextrain_core.model.rules import RULES
from mextrain_core.model.state import STATE, copy_state

u64 = np.uint64

ABI_VERSION = 1
"""Incremented whenever the layout of a struct, a signature or a meaning changes."""


@dataclass(frozen=True)
class CFunction:
    """One entry of the table: C name, signature (a dtype stands for a pointer to the struct) and compiled code.

    Parameters named ``state``, ``target`` and ``out`` are written; all others are only read.
    """

    name: str
    result: str
    parameters: tuple[tuple[str, Any], ...]
    text: str
    compiled: Any


FUNCTIONS: list[CFunction] = []
"""The entries of the table in order; new ones go to the end."""


def _entry(result: str, **parameters: Any) -> Any:
    """Register a function under its name; ``parameters`` are its C parameters in order."""

    def register(function: Any) -> Any:
        compiled = c_function(result, *parameters.values())(function)
        text = (function.__doc__ or "").strip()
        FUNCTIONS.append(CFunction(function.__name__, result, tuple(parameters.items()), text, compiled))
        return compiled

    return register


@_entry("void", state=STATE, rules=RULES, seed="uint64", game="uint64", engine="uint32", starter="uint32")
def deal_game(state, rules, seed, game, engine, starter):
    """Deal the round that game of seed plays from engine (half code, of the key); starter 255 is drawn."""
    r = as_struct(rules)
    deal.deal_round(as_struct(state), r, round_key(seed, game, u64(engine)), u64(engine), u64(starter))


@_entry("void", state=STATE, rules=RULES)
def advance(state, rules):
    """Run the forced steps to the next decision or the end of the round."""
    turn.advance_state(as_struct(state), as_struct(rules), None)


@_entry("int32", state=STATE, rules=RULES, tile="uint32")
def step_forced(state, rules, tile):
    """Run one forced step and return the phase after it; a draw draws tile, or with 255 what the key says."""
    s = as_struct(state)
    s.phase = turn.one_forced_step(s, as_struct(rules), None, s.phase, u64(tile))
    return np.int32(s.phase)


@_entry("int32", state=STATE, rules=RULES, move="uint32")
def play(state, rules, move):
    """Play a move and run the forced steps that follow: 1, or 0 and nothing changes if the move is not legal."""
    s, r = as_struct(state), as_struct(rules)
    if not movegen.is_legal_move(s, r, u64(move)):
        return np.int32(0)
    turn.play_on(s, r, None, u64(move))
    return np.int32(1)


@_entry("void", state=STATE, rules=RULES, move="uint32")
def play_unchecked(state, rules, move):
    """Like play, for a move that is known to be legal."""
    turn.play_on(as_struct(state), as_struct(rules), None, u64(move))


@_entry("int32", source=STATE, rules=RULES, move="uint32")
def is_legal(source, rules, move):
    """1 if move is legal now, else 0."""
    return np.int32(movegen.is_legal_move(as_struct(source), as_struct(rules), u64(move)))


@_entry("int32", source=STATE, rules=RULES, out="uint16*")
def legal_moves(source, rules, out):
    """Write the legal moves, ascending, stop last, and return their number; out has room for legal_count + 1."""
    s = as_struct(source)
    return np.int32(movegen.write_moves(s, as_struct(rules), c_array(out, np.int64(s.legal_count) + 1)))


@_entry("uint32", rules=RULES, move="uint32")
def move_to_id(rules, move):
    """Dense action id of a move of the set."""
    return np.uint32(action_id(as_struct(rules), u64(move)))


@_entry("uint32", rules=RULES, action="uint32")
def id_to_move(rules, action):
    """Move of an action id below rules->action_count."""
    return np.uint32(move_of_id(as_struct(rules), u64(action)))


@_entry("void", source=STATE, rules=RULES, out="int64*")
def points(source, rules, out):
    """Write the points of every seat's hand; out has room for rules->players."""
    r = as_struct(rules)
    written = c_array(out, np.int64(r.players))
    for seat in range(u64(r.players)):
        written[seat] = score.hand_points(as_struct(source), r, u64(seat))


@_entry("void", target=STATE, source=STATE, rules=RULES)
def copy(target, source, rules):
    """Copy source over target."""
    copy_state(c_array(target, 1), 0, c_array(source, 1), 0, c_array(rules, 1))


@_entry("void", state=STATE, key="uint64")
def rekey(state, key):
    """Give the state another key, so that its draws are no longer those of the game it was copied from."""
    as_struct(state).key = key


@_entry("int32", state=STATE, rules=RULES, policies="uint8*")
def play_to_end(state, rules, policies):
    """Play on to the end of the round with the built-in policies policies[seat]; returns the number of moves."""
    s, r = as_struct(state), as_struct(rules)
    nothing = np.empty(0, np.uint16)
    return np.int32(rollout.play_to_end(s, r, None, c_array(policies, np.int64(r.players)), nothing, u64(0)))
