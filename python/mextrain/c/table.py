"""The C interface: the header `mextrain.h`, and the table of functions that C programs call (docs/c-abi.md).

The same table is available in three forms, as with NumPy's bit generators: `interface().cffi`, `.ctypes` and
`.capsule`. C code gets the header from `get_include()` and the table's address from Python, so it needs no link-time
dependency.
"""

from __future__ import annotations

import ctypes
from collections import namedtuple
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from mextrain._support.lazy import cached_property
from mextrain_core import abi
from mextrain_core.bulk import policies
from mextrain_core.game import events
from mextrain_core.game.events import EVENT
from mextrain_core.model import limits, state
from mextrain_core.model.rules import RULES
from mextrain_core.model.state import STATE

CAPSULE_NAME = b"mextrain.api"
"""Name of the capsule, for `PyCapsule_GetPointer`."""

_RECORDS = {"mextrain_state": STATE, "mextrain_rules": RULES, "mextrain_event": EVENT}
_C_TYPES = {"u1": "uint8_t", "u2": "uint16_t", "u4": "uint32_t", "u8": "uint64_t"}


def _constants() -> dict[str, int]:
    """Return all constants that C code needs, by name."""
    found = {"ABI_VERSION": abi.ABI_VERSION, "STOP": limits.STOP, "NONE": limits.NONE, "WILD": limits.WILD}
    for module, prefixes in ((state, ("PHASE_", "OWED_")), (limits, ("LETTER_", "MAX_"))):
        found |= {name: value for name, value in vars(module).items() if name.startswith(prefixes)}
    found |= {f"END_{name}": getattr(state, name) for name in ("RUNNING", "OUT", "BLOCKED", "FAULT", "FAILED")}
    kinds = ("PLAY", "STOPPED", "DRAW", "FORCED_DRAW", "OPEN", "SKIP", "NO_PLAY")
    found |= {f"EVENT_{name}": getattr(events, name) for name in kinds}
    # Policies that are compiled separately cannot be selected by id in C.
    return found | {f"POLICY_{policy.name.upper()}": policy.id for policy in policies.POLICIES if not policy.apart}


def _fields(dtype: np.dtype[Any]) -> list[tuple[str, str, tuple[int, ...], int]]:
    """Return the name, C type, shape and offset of each field of a struct."""
    found = []
    fields: Any = dtype.fields
    for name in dtype.names or ():
        field, offset = fields[name][:2]
        base, shape = field.subdtype or (field, ())
        found.append((name, _C_TYPES[base.str[1:]], shape, offset))
    return found


def _struct(name: str, dtype: np.dtype[Any]) -> str:
    lines = [f"    {c_type} {field}{''.join(f'[{n}]' for n in shape)};" for field, c_type, shape, _ in _fields(dtype)]
    return "\n".join([f"typedef struct {name} {{", *lines, f"}} {name};"])


def _c_parameter(name: str, kind: Any) -> str:
    const = "" if name in ("state", "target", "out") else "const "
    if isinstance(kind, np.dtype):
        record = next(record for record, dtype in _RECORDS.items() if dtype == kind)
        return f"{const}{record} *{name}"
    if kind.endswith("*"):
        return f"{const}{kind[:-1]}_t *{name}"
    return f"{kind}_t {name}"


def _table() -> str:
    lines = [
        "typedef struct mextrain_api {",
        "    uint32_t abi_version;",
        "    uint32_t state_size;",
        "    uint32_t rules_size;",
        "    uint32_t event_size;",
    ]
    for entry in abi.FUNCTIONS:
        parameters = ", ".join(_c_parameter(name, kind) for name, kind in entry.parameters)
        result = entry.result if entry.result == "void" else f"{entry.result}_t"
        text = " ".join(entry.text.split())
        lines += [f"    /* {text} */", f"    {result} (*{entry.name})({parameters});"]
    return "\n".join([*lines, "} mextrain_api;"])


def declarations() -> str:
    """Return the part of the header that cffi's `cdef` understands: structs, table, and the types of callbacks."""
    policy = (
        "/* A policy: the move (16 bits) for the seat to move. state holds only what that seat sees. */\n"
        "typedef int32_t (*mextrain_policy)(const mextrain_state *state, const mextrain_rules *rules, uint64_t word);"
    )
    value = (
        "/* A value function: writes the expected points of every seat; 0, or negative if it failed. state holds only "
        "what the seat to move sees. */\n"
        "typedef int32_t (*mextrain_value)(const mextrain_state *state, const mextrain_rules *rules, double *points);"
    )
    return "\n\n".join([*(_struct(name, dtype) for name, dtype in _RECORDS.items()), policy, value, _table()])


def header() -> str:
    """Return the text of `mextrain.h`, generated from the structs and the table; it asserts sizes and offsets."""
    constants = "\n".join(f"#define MEXTRAIN_{name} {value}" for name, value in _constants().items())
    checks = []
    for name, dtype in _RECORDS.items():
        checks.append(f'MEXTRAIN_CHECK(sizeof({name}) == {dtype.itemsize}, "size of {name}");')
        checks += [
            f'MEXTRAIN_CHECK(offsetof({name}, {field}) == {offset}, "offset of {field}");'
            for field, _, _, offset in _fields(dtype)
        ]
    return f"""\
/* mextrain.h - the C interface of mextrain. Generated from the records; do not edit. See docs/c-abi.md. */
#ifndef MEXTRAIN_H
#define MEXTRAIN_H

#include <stddef.h>
#include <stdint.h>

{constants}

#ifdef __cplusplus
#define MEXTRAIN_CHECK(condition, text) static_assert(condition, text)
extern "C" {{
#else
#define MEXTRAIN_CHECK(condition, text) _Static_assert(condition, text)
#endif

{declarations()}

{chr(10).join(checks)}

#ifdef __cplusplus
}}
#endif
#endif
"""


def get_include() -> str:
    """Return the folder that contains `mextrain.h`, for a compiler's `-I`."""
    return str(Path(__file__).parents[1] / "include")


class Interface:
    """The table of functions, for cffi, ctypes and C extensions. Use `interface()`, which creates it once.

    `address` is the table's address (`mextrain_api *`). The table lives as long as the process.
    """

    def __init__(self) -> None:
        from cffi import FFI

        self.ffi = FFI()
        self.ffi.cdef(declarations())
        for name, dtype in _RECORDS.items():
            if self.ffi.sizeof(name) != dtype.itemsize:
                raise RuntimeError(f"{name} has {self.ffi.sizeof(name)} bytes in C and {dtype.itemsize} in NumPy")
        self._table = self.ffi.new("mextrain_api *")
        self._table.abi_version = abi.ABI_VERSION
        self._table.state_size = STATE.itemsize
        self._table.rules_size = RULES.itemsize
        self._table.event_size = EVENT.itemsize
        for entry in abi.FUNCTIONS:
            kind = self.ffi.typeof(getattr(self._table, entry.name))
            setattr(self._table, entry.name, self.ffi.cast(kind, entry.compiled.address))
        self.address = int(self.ffi.cast("uintptr_t", self._table))

    @cached_property
    def cffi(self) -> Any:
        """A namedtuple (table_address, table, one cffi function pointer per entry)."""
        names = [entry.name for entry in abi.FUNCTIONS]
        make: Any = namedtuple  # its fields are known only at run time, which type checkers cannot follow
        kind = make("cffi_interface", ["table_address", "table", *names])
        return kind(self.address, self._table, *(getattr(self._table, name) for name in names))

    @cached_property
    def ctypes(self) -> Any:
        """A namedtuple (table_address, one ctypes function per entry); structs and arrays are `c_void_p`."""

        def one(entry: abi.CFunction) -> Any:
            kinds = [_ctypes_type(kind) for _, kind in entry.parameters]
            return ctypes.CFUNCTYPE(_ctypes_type(entry.result), *kinds)(entry.compiled.address)

        names = [entry.name for entry in abi.FUNCTIONS]
        make: Any = namedtuple  # its fields are known only at run time, which type checkers cannot follow
        kind = make("ctypes_interface", ["table_address", *names])
        return kind(self.address, *map(one, abi.FUNCTIONS))

    @cached_property
    def capsule(self) -> Any:
        """A PyCapsule named `mextrain.api` that holds the table's address."""
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(self.address, CAPSULE_NAME, None)


def _ctypes_type(kind: Any) -> Any:
    if isinstance(kind, np.dtype) or kind.endswith("*"):
        return ctypes.c_void_p
    return None if kind == "void" else getattr(ctypes, f"c_{kind}")


@cache
def interface() -> Interface:
    """Return the C interface of this process; the first call compiles the functions or loads them from the cache."""
    return Interface()
